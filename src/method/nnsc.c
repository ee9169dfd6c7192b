/* Nonnegative sparse coding (Hoyer 2002): O = (1/2)|X - W S'|^2 + lambda sum S, columns of W at
 * unit length.
 *
 *   W <- W - mu (W S'S - X'S), negatives to 0, columns to unit length
 *        (one without a positive entry to the unit vector at its largest: the nearest point);
 *        mu from 1, halved until O does not rise, 60 times at most
 *
 *   S <- S .* (X W) ./ (S W'W + lambda)
 *
 * With S fixed O depends on W through A = X'S and S'S alone, so no trial of the line search reads
 * X. */
#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "method/factor.h"
#include "method/method.h"

#define MOST_HALVINGS 60

typedef struct line_search {
    const sweep *s;
    array slope, trial; /* W S'S - A, and W - mu times that, nonnegative with unit columns; m x k */
    double mu;
    double *squares; /* blocks x k: squared lengths of the trial's columns */
    double *values;  /* blocks: what depends on the trial of |X - W S'|^2 */
    double *scale;   /* k: of the trial's columns */
} line_search;

static int64_t blocks_of(const sweep *s)
{
    return pieces(s->plan.strips.m, s->plan.feature_block);
}

static void release(sweep *s, void *state)
{
    line_search *l = state;
    if (!l)
        return;
    memory_free(s->ctx, l->slope.data);
    memory_free(s->ctx, l->trial.data);
    memory_free(s->ctx, l->squares);
    memory_free(s->ctx, l->values);
    memory_free(s->ctx, l->scale);
    memory_free(s->ctx, l);
}

static orthant_status setup(sweep *s, void **state)
{
    static const char what[] = "the basis step";
    const int64_t m = s->plan.strips.m, rank = s->problem->rank;
    line_search *l = *state = memory_new(s->ctx, 1, sizeof *l, what);
    if (!l)
        return ORTHANT_ERROR_MEMORY;
    l->s = s;
    l->squares = memory_new(s->ctx, blocks_of(s) * rank, sizeof *l->squares, what);
    l->values = memory_new(s->ctx, blocks_of(s), sizeof *l->values, what);
    l->scale = memory_new(s->ctx, rank, sizeof *l->scale, what);
    return l->squares && l->values && l->scale &&
                   plan_new_array(&s->plan, true, m, rank, &l->slope) &&
                   plan_new_array(&s->plan, true, m, rank, &l->trial)
               ? ORTHANT_OK
               : ORTHANT_ERROR_MEMORY;
}

static void start(sweep *s, void *state)
{
    sweep_unit_columns(s, s->factors.W, ((const line_search *)state)->scale);
}

/* ------------------------------------------------------------------ blocks of features */

static void find_slope(void *user, block f)
{
    const line_search *l = user;
    const sweep *s = l->s;
    const array slope = sweep_rows(s, l->slope, f);
    s->ops->product(slope, sweep_rows(s, s->factors.W, f), s->sums.B, false);
    s->ops->add(slope, -1, sweep_rows(s, s->sums.A, f));
}

static void make_step(void *user, block f)
{
    const line_search *l = user;
    const sweep *s = l->s;
    const array trial = sweep_rows(s, l->trial, f);
    double *squares = l->squares + f.first / s->plan.feature_block * trial.columns;
    s->ops->copy(trial, sweep_rows(s, s->factors.W, f));
    s->ops->add(trial, -l->mu, sweep_rows(s, l->slope, f));
    s->ops->positive_part(trial);
    memset(squares, 0, (size_t)trial.columns * sizeof *squares);
    s->ops->column_squares(trial, squares);
}

/* <R, R S'S - 2 A> for the rows R of a basis. */
static double rows_value(const sweep *s, block f, array rows)
{
    const array part = sweep_term_array(s, f, 0);
    s->ops->product(part, rows, s->sums.B, false);
    s->ops->add(part, -2, sweep_rows(s, s->sums.A, f));
    return s->ops->dot(rows, part);
}

static void value_of_basis(void *user, block f)
{
    const line_search *l = user;
    l->values[f.first / l->s->plan.feature_block] =
        rows_value(l->s, f, sweep_rows(l->s, l->s->factors.W, f));
}

static void scale_and_value(void *user, block f)
{
    const line_search *l = user;
    const array trial = sweep_rows(l->s, l->trial, f);
    l->s->ops->scale_columns(trial, l->scale);
    l->values[f.first / l->s->plan.feature_block] = rows_value(l->s, f, trial);
}

static double measured(line_search *l, feature_work work)
{
    double total = 0;
    sweep_over_features(l->s, work, l);
    for (int64_t i = 0; i < blocks_of(l->s); i++)
        total += l->values[i];
    return total;
}

/* ------------------------------------------------------------------ the line search */

/* A column without a positive entry is nearest to the unit vector at its largest one. One that is
 * zero before and after the step is dead and stays so. */
static void save_column(line_search *l, int64_t j)
{
    const kernels *ops = l->s->ops;
    const array W = array_columns(ops, l->s->factors.W, j, 1),
                slope = array_columns(ops, l->slope, j, 1);
    double largest = -INFINITY;
    int64_t row = -1;
    bool dead = true;
    for (int64_t i = 0; i < W.rows; i++) {
        double w, d;
        ops->get_values(array_rows(ops, W, i, 1), &w);
        ops->get_values(array_rows(ops, slope, i, 1), &d);
        const double value = w - l->mu * d;
        dead &= value == 0;
        row = value > largest ? i : row;
        largest = fmax(largest, value);
    }
    const double one = 1;
    if (!dead)
        ops->set_values(array_columns(ops, array_rows(ops, l->trial, row, 1), j, 1), &one);
    l->scale[j] = 1;
}

static void normalise_trial(line_search *l)
{
    const int64_t rank = l->s->problem->rank;
    for (int64_t j = 0; j < rank; j++) {
        double square = 0;
        for (int64_t b = 0; b < blocks_of(l->s); b++)
            square += l->squares[b * rank + j];
        l->scale[j] = square > 0 ? 1 / sqrt(square) : 0;
        if (!(square > 0))
            save_column(l, j);
    }
}

static void basis(sweep *s, void *state)
{
    line_search *l = state;
    sweep_over_features(s, find_slope, l);
    const double before = measured(l, value_of_basis);
    for (int halvings = 0; halvings <= MOST_HALVINGS; halvings++) {
        l->mu = ldexp(1, -halvings);
        sweep_over_features(s, make_step, l);
        normalise_trial(l);
        if (measured(l, scale_and_value) <= before) {
            s->ops->copy(s->factors.W, l->trial);
            return;
        }
    }
}

static const factor_variant variant = {
    .setup = setup, .start = start, .basis = basis, .release = release};

orthant_status nnsc_run(fit *f)
{
    return factor_run_variant(f, &variant);
}

orthant_status nnsc_explain(fit *f, explanation *e)
{
    return factor_explain_variant(f, &variant, e);
}
