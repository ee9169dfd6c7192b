#include "engine/descent.h"

#include <math.h>

#include "core/memory.h"
#include "engine/sweep_inside.h"

/* Most of what exact minimisation would bring, at a part of its cost: passes end when one changes a
 * tenth of what the first did. */
#define MOST_PASSES 8
#define ENOUGH 1e-2 /* of squares */

/* Of the way back up to where the descent started. */
#define BEYOND 0.7

/* Cautious descent: the basis makes one pass in the first iterations, since fitted closely to
 * encodings that mean little yet it leads to poorer minima; and the way beyond grows as Nesterov's
 * (t - 1) / (t + 2) in iteration t, but never to all of it, so that every descent keeps a part of
 * what it gained. Measured on plain factors of faces and digits; on text, where fewer than one
 * entry in FEW_ENTRIES is not zero, it takes longer and ends no lower. */
#define FIRST_ITERATIONS 3
#define MOST_BEYOND 0.9
#define FEW_ENTRIES 20

static double beyond(const sweep *s)
{
    const double t = (double)s->iteration;
    if (!s->cautious)
        return BEYOND;
    return t > 1 ? fmin((t - 1) / (t + 2), MOST_BEYOND) : 0;
}

static int64_t most_passes(const sweep *s, bool basis)
{
    return basis && s->cautious && s->iteration <= FIRST_ITERATIONS ? 1 : MOST_PASSES;
}

/* ------------------------------------------------------------------ coordinate descent */

/* A G + U .* A, in the first of the terms' arrays. */
static array bent(const sweep *s, block b, array a, array curvature, array gram)
{
    const array product = sweep_term_array(s, b.thread, 0, b.rows);
    s->k->product(product, a, gram, false);
    if (curvature.data)
        s->k->add_product(product, 1, curvature, a);
    return product;
}

/* On beyond the minimiser in the direction that led to it from `start`. Along this way d the
 * objective is q + 2 t <r, d> + t^2 <d, d G>, with r half its gradient at the minimiser: t is a
 * part of the largest one, up to 1, that does not undo what the descent gained. */
static void go_beyond(const sweep *s, block b, array rows, array start, array numerator,
                      array curvature, array gram)
{
    const kernels *k = s->k;
    const array slope = sweep_term_array(s, b.thread, 2, b.rows),
                way = sweep_term_array(s, b.thread, 3, b.rows);
    k->copy(slope, bent(s, b, rows, curvature, gram));
    k->add(slope, -1, numerator);
    k->copy(way, rows);
    k->add(way, 1, rows);
    k->add(way, -1, start);
    k->positive_part(way);
    k->add(way, -1, rows);
    k->add(start, -1, rows);
    const double gained =
        2 * k->dot(slope, start) + k->dot(bent(s, b, start, curvature, gram), start);
    const double bend = k->dot(bent(s, b, way, curvature, gram), way),
                 rise = 2 * k->dot(slope, way);
    double share = bend + rise <= gained ? 1 : 0;
    if (share < 1 && gained > 0 && bend > 0)
        share = fmin(1, (sqrt(rise * rise + 4 * bend * gained) - rise) / (2 * bend));
    if (share > 0)
        k->add(rows, beyond(s) * share, way);
}

void descent_setup(sweep *s)
{
    s->cautious =
        !s->term_count && orthant_matrix_nonzeros(s->samples) >= s->n * s->m / FEW_ENTRIES;
}

void descent_block(const sweep *s, block b, bool basis, array rows, array numerator,
                   array curvature, array gram)
{
    const array start = sweep_term_array(s, b.thread, 1, b.rows);
    s->k->copy(start, rows);
    s->k->descend(rows, numerator, curvature, gram, most_passes(s, basis), ENOUGH,
                  kernel_space(s, b.thread));
    if (beyond(s) > 0)
        go_beyond(s, b, rows, start, numerator, curvature, gram);
}

/* ------------------------------------------------------------------ extrapolated updates */

orthant_status extrapolation_setup(sweep *s)
{
    const int64_t size = s->W.stride;
    s->last_basis = s->W;
    s->last_encoding = s->S;
    s->last_basis.data = memory_new(s->ctx, s->m * size, s->k->size, "the extrapolation");
    s->last_encoding.data = memory_new(s->ctx, s->n * size, s->k->size, "the extrapolation");
    return s->last_basis.data && s->last_encoding.data ? ORTHANT_OK : ORTHANT_ERROR_MEMORY;
}

void extrapolation_release(sweep *s)
{
    memory_free(s->ctx, s->last_basis.data);
    memory_free(s->ctx, s->last_encoding.data);
}

/* Of an entry that the steps left positive, so much stays at least: without it nothing might fit an
 * entry of X, and the objective would be infinite. */
#define LEFT 0.01

void extrapolate_block(const sweep *s, block b, bool basis, array rows)
{
    const kernels *k = s->k;
    const array last = array_rows(k, basis ? s->last_basis : s->last_encoding, b.first, b.rows);
    const array way = sweep_term_array(s, b.thread, 0, b.rows);
    /* A term on S alone moves the scale from S to W: were growth alone extrapolated, S would be
     * held up against it. */
    const bool both_ways = s->solver == SOLVER_NEWTON || s->term_count > 0;
    k->copy(way, rows);
    k->add(way, -1, last);
    if (!both_ways)
        k->positive_part(way);
    k->copy(last, rows);
    if (s->momentum > 0)
        k->add(rows, s->momentum, way);
    if (s->momentum > 0 && both_ways) {
        k->add(rows, -LEFT, last);
        k->positive_part(rows);
        k->add(rows, LEFT, last);
    }
}
