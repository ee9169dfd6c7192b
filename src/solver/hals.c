/* Coordinate descent for the quadratic loss (HALS): rows of one factor, the other held, take
 * several passes while their products with X are at hand (after Gillis and Glineur 2012), and are
 * then extrapolated in the direction that they came, block by block, no further than the objective
 * allows: like the extrapolation of Ang and Gillis (2019), but nothing is kept and nothing can
 * rise. */
#include <math.h>

#include "core/memory.h"
#include "engine/loss.h"
#include "solver/solvers.h"

/* Most of what exact minimisation would bring, at a part of its cost: passes end when one changes a
 * tenth of what the first did. */
#define MOST_PASSES 8
#define ENOUGH 1e-2 /* of squares */

/* Of the distance to where the objective is again what it was before the descent. */
#define SHARE 0.7

/* Cautious descent: the basis makes one pass in the first iterations, since fitted closely to
 * encodings that mean little yet it leads to poorer minima; and the extrapolation grows as
 * Nesterov's (t - 1) / (t + 2) in iteration t, but never to all of it, so that every descent keeps
 * a part of what it gained. Measured on plain factors of faces and digits; on text, where fewer
 * than one entry in FEW_ENTRIES is not zero, it takes longer and ends no lower. */
#define FIRST_ITERATIONS 3
#define MOST_SHARE 0.9
#define FEW_ENTRIES 20

/* With terms the first iterations are multiplicative. Fitted at once to a random basis, encodings
 * that a term makes dear are best at zero, all of them, and neither factor can leave that: a
 * multiplicative step brings the basis near the data first and leaves nothing at zero. */
#define FIRST_STEPS 10

typedef struct hals {
    bool cautious;
} hals;

static double share_of(const sweep *s, const sweep_step *t)
{
    const hals *h = s->solver_state;
    const double now = (double)t->iteration;
    if (!h->cautious)
        return SHARE;
    return now > 1 ? fmin((now - 1) / (now + 2), MOST_SHARE) : 0;
}

static int64_t most_passes(const sweep *s, const sweep_step *t, bool basis)
{
    const hals *h = s->solver_state;
    return basis && h->cautious && t->iteration <= FIRST_ITERATIONS ? 1 : MOST_PASSES;
}

/* U: of terms, and of parts that are held. */
static bool has_curvature(const sweep *s, const row_update *u)
{
    return s->problem->term_count || (u->basis && s->problem->fixed_basis);
}

/* A G + U .* A, half the gradient's part that is linear in A, in the first of the arrays. */
static array curved(const sweep *s, const row_update *u, array a)
{
    const array product = sweep_term_array(s, u->b, 0);
    s->ops->product(product, a, u->gram, false);
    if (has_curvature(s, u))
        s->ops->add_product(product, 1, u->denominator, a);
    return product;
}

/* Along the direction d from `start` through the minimiser the objective is q + 2 t <r, d> +
 * t^2 <d, d G>, with r half its gradient at the minimiser: t is a share of the largest one, up to
 * 1, that does not undo what the descent gained. */
static void extrapolate(const sweep *s, const row_update *u, array start, double share)
{
    const kernels *ops = s->ops;
    const array rows = u->to, slope = sweep_term_array(s, u->b, 2),
                change = sweep_term_array(s, u->b, 3);
    ops->copy(slope, curved(s, u, rows));
    ops->add(slope, -1, u->numerator);
    ops->copy(change, rows);
    ops->add(change, 1, rows);
    ops->add(change, -1, start);
    ops->positive_part(change);
    ops->add(change, -1, rows);
    ops->add(start, -1, rows);
    const double gained = 2 * ops->dot(slope, start) + ops->dot(curved(s, u, start), start);
    const double curvature = ops->dot(curved(s, u, change), change),
                 rise = 2 * ops->dot(slope, change);
    double length = curvature + rise <= gained ? 1 : 0;
    if (length < 1 && gained > 0 && curvature > 0)
        length = fmin(1, (sqrt(rise * rise + 4 * curvature * gained) - rise) / (2 * curvature));
    if (length > 0)
        ops->add(rows, share * length, change);
}

static void rows(const sweep *s, const sweep_step *t, const row_update *u)
{
    const array start = sweep_term_array(s, u->b, 1), none = {0};
    const double share = share_of(s, t);
    if (u->to.data != u->from.data)
        s->ops->copy(u->to, u->from);
    s->ops->copy(start, u->to);
    s->ops->descend(u->to, u->numerator, has_curvature(s, u) ? u->denominator : none, u->gram,
                    most_passes(s, t, u->basis), ENOUGH, sweep_kernel_scratch(s, u->b.thread));
    if (share > 0)
        extrapolate(s, u, start, share);
}

/* Looks at the data, not at how they are stored. */
static orthant_status setup(sweep *s)
{
    const orthant_matrix *X = s->problem->samples;
    hals *h = s->solver_state = memory_new(s->ctx, 1, sizeof *h, "the solver");
    if (!h)
        return ORTHANT_ERROR_MEMORY;
    h->cautious =
        !s->problem->term_count && group_total(&s->plan.strips.share, orthant_matrix_nonzeros(X)) >=
                                       matrix_total(X) * X->columns / FEW_ENTRIES;
    return ORTHANT_OK;
}

static void release(sweep *s)
{
    memory_free(s->ctx, s->solver_state);
    s->solver_state = NULL;
}

static bool is_cautious(const sweep *s)
{
    const hals *h = s->solver_state;
    return h->cautious;
}

static bool accepts(const loss *l)
{
    return l->quadratic;
}

const solver solver_hals = {
    .name = "hals",
    .title = "coordinate descent",
    .majorises = true,
    .majorises_basis = true,
    .arrays = 4,
    .fits_encodings_first = true,
    .first_steps = FIRST_STEPS,
    .first_solver = &solver_mu,
    .accepts = accepts,
    .is_cautious = is_cautious,
    .losses = "frobenius",
    .setup = setup,
    .release = release,
    .rows = rows,
};
