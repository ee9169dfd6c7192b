/* Semi-NMF (Ding, Li and Jordan 2010): |X - W S'|^2 with `encoding` S >= 0 and a `basis`
 * W of either sign, for data of either sign:
 *
 *   W <- X'S (S'S)^-1
 *   S <- S .* sqrt(((X W)+ + S (W'W)-) ./ ((X W)- + S (W'W)+))
 *
 * A+ and A- are the positive and the negative entries of A = A+ - A-, both as positive numbers. W
 * is the least one where S'S is singular. It follows from S, so the start is one of S alone.
 *
 * It is the factor model with this step for W and a solver with this rule for S; terms on the
 * encodings add to its numerators and denominators. */
#include <float.h>
#include <math.h>

#include "core/memory.h"
#include "engine/solver.h"
#include "method/factor.h"
#include "method/method.h"
#include "term/gram_inverse.h"

/* ------------------------------------------------------------------ the encodings */

static orthant_status setup_rule(sweep *s)
{
    array *negative = s->solver_state = memory_new(s->ctx, 1, sizeof *negative, "W'W-");
    const int64_t rank = s->problem->rank;
    return negative && plan_new_array(&s->plan, true, rank, rank, negative) ? ORTHANT_OK
                                                                            : ORTHANT_ERROR_MEMORY;
}

static void release_rule(sweep *s)
{
    array *negative = s->solver_state;
    if (negative)
        memory_free(s->ctx, negative->data);
    memory_free(s->ctx, negative);
    s->solver_state = NULL;
}

static void basis_changed(const sweep *s)
{
    const array *negative = s->solver_state;
    array_clear(s->ops, *negative);
    s->ops->add(*negative, -1, s->factors.G);
    s->ops->positive_part(*negative);
}

/* N is X W and D is S W'W, each with what terms add; S (W'W)+ = D + S (W'W)-. */
static void rows(const sweep *s, const sweep_step *t, const row_update *u)
{
    const kernels *ops = s->ops;
    const array *negative = s->solver_state;
    const array N = sweep_term_array(s, u->b, 0), part = sweep_term_array(s, u->b, 1),
                D = u->denominator;
    ops->product(part, u->from, *negative, false);
    ops->copy(N, u->numerator);
    ops->positive_part(N);
    ops->add(D, 1, N);
    ops->add(D, -1, u->numerator);
    ops->add(D, 1, part);
    ops->add(N, 1, part);
    ops->update(u->to, u->from, N, D, 0.5 * t->exponent);
}

static const solver rule = {
    .name = "mu",
    .title = "multiplicative updates for a basis of either sign",
    .arrays = 2,
    .setup = setup_rule,
    .release = release_rule,
    .basis_changed = basis_changed,
    .rows = rows,
};

/* ------------------------------------------------------------------ the basis */

typedef struct least_squares {
    const sweep *s;
    gram_inverse *inverse; /* of S'S, in double; zero where that is */
    double *rows;          /* of each thread: KERNEL_ROWS x k of X'S, and of W */
} least_squares;

static void release(sweep *s, void *state)
{
    least_squares *l = state;
    if (!l)
        return;
    gram_inverse_free(s->ctx, l->inverse);
    memory_free(s->ctx, l->rows);
    memory_free(s->ctx, l);
}

static orthant_status setup(sweep *s, void **state)
{
    least_squares *l = *state = memory_new(s->ctx, 1, sizeof *l, "the basis step");
    if (!l)
        return ORTHANT_ERROR_MEMORY;
    l->s = s;
    l->rows = memory_new(s->ctx, s->plan.strips.threads * 2 * KERNEL_ROWS * s->problem->rank,
                         sizeof *l->rows, "the basis step");
    return l->rows ? gram_inverse_new(s->ctx, s->problem, 0, &l->inverse) : ORTHANT_ERROR_MEMORY;
}

static void make_rows(void *user, block f)
{
    const least_squares *l = user;
    const sweep *s = l->s;
    const int64_t rank = s->problem->rank;
    const double *inverse = l->inverse->matrix;
    double *from = l->rows + f.thread * 2 * KERNEL_ROWS * rank, *to = from + KERNEL_ROWS * rank;
    s->ops->get_values(sweep_rows(s, s->sums.A, f), from);
    for (int64_t i = 0; i < f.rows; i++, from += rank)
        for (int64_t j = 0; j < rank; j++) {
            double total = 0;
            for (int64_t e = 0; e < rank; e++)
                total += from[e] * inverse[j * rank + e];
            to[i * rank + j] = total;
        }
    s->ops->set_values(sweep_rows(s, s->factors.W, f), to);
}

static void basis(sweep *s, void *state)
{
    least_squares *l = state;
    gram_inverse *g = l->inverse;
    const bool single = s->problem->samples->precision == ORTHANT_SINGLE;
    s->ops->get_values(s->sums.B, g->vectors);
    gram_inverse_decompose(g);
    /* eigenvalues rise; those that are rounding of the sums have no inverse */
    const double least =
        (double)g->rank * (single ? FLT_EPSILON : DBL_EPSILON) * g->values[g->rank - 1];
    for (int64_t e = 0; e < g->rank; e++)
        if (!(g->values[e] > least))
            g->values[e] = INFINITY;
    gram_inverse_make(g, s->ops, 1);
    sweep_over_features(s, make_rows, l);
}

static void start(sweep *s, void *state)
{
    sweep_sums(s);
    basis(s, state);
}

static const factor_variant variant = {
    .solver = &rule,
    .setup = setup,
    .start = start,
    .basis = basis,
    .release = release,
};

orthant_status semi_nmf_run(fit *f)
{
    return factor_run_variant(f, &variant);
}

orthant_status semi_nmf_explain(fit *f, explanation *e)
{
    return factor_explain_variant(f, &variant, e);
}
