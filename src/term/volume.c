/* Volume: log det(W'W / delta + I), which grows with the volume of the simplex whose corners are 0
 * and the parts: unmixing looks for the smallest one around the samples (Fu, Huang, Yang, Ma,
 * Sidiropoulos 2016; Leplat, Ang, Gillis 2019). It is log det(W'W + delta I) but for a constant,
 * which makes it 0 for parts of zeros.
 *
 * log det is concave, so its tangent at the last basis W0 is nowhere below it:
 *
 *     log det(W'W + delta I) <= tr(W M W') + constant,   M = (W0'W0 + delta I)^-1
 *
 * Half the gradient is W M, split into the positive and the negative entries of M. M is definite:
 * |w|'M-|w| <= |w|'M+|w|, so that the curvature 2 (W M+) ./ W of the rule is above that of w M w',
 * and the rule descends. For coordinates w M w' <= its tangent + sum of d_j (w_j - w0_j)^2, with
 * d_j the sum of |M| over a row: d - M is diagonally dominant.
 *
 * W'W is summed in double, of the basis as it is. */
#include <cblas.h>
#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "engine/device.h"
#include "kernel/blas.h"
#include "term/gram_inverse.h"
#include "term/terms.h"

typedef struct volume {
    gram_inverse *inverse; /* M */
    double *rows;          /* KERNEL_ROWS x k of the basis, in double */
    double *bound;         /* k: d */
    double value;          /* of the basis as it is */
} volume;

static void release(term *t)
{
    volume *v = t->state;
    if (!v)
        return;
    gram_inverse_free(t->ctx, v->inverse);
    memory_free(t->ctx, v->rows);
    memory_free(t->ctx, v->bound);
    memory_free(t->ctx, v);
    t->state = NULL;
}

static orthant_status setup(term *t, const problem *p)
{
    volume *v = t->state = memory_new(t->ctx, 1, sizeof *v, "the volume term");
    if (!v)
        return ORTHANT_ERROR_MEMORY;
    v->rows = memory_new(t->ctx, KERNEL_ROWS * p->rank, sizeof *v->rows, "the volume term");
    v->bound = memory_new(t->ctx, p->rank, sizeof *v->bound, "the volume term");
    if (!v->rows || !v->bound)
        return ORTHANT_ERROR_MEMORY;
    return gram_inverse_new(t->ctx, p, parameter_number(p->parameters, "delta"), &v->inverse);
}

/* W'W, the upper triangle. */
static void make_gram(volume *v, const sweep *s)
{
    const array W = s->factors.W;
    const int rank = (int)W.columns;
    double *gram = v->inverse->vectors;
    memset(gram, 0, (size_t)(W.columns * W.columns) * sizeof *gram);
    blas_enter();
    for (int64_t first = 0; first < W.rows; first += KERNEL_ROWS) {
        const int64_t count = smaller(KERNEL_ROWS, W.rows - first);
        s->ops->get_values(array_rows(s->ops, W, first, count), v->rows);
        cblas_dsyrk(CblasColMajor, CblasUpper, CblasNoTrans, rank, (int)count, 1, v->rows, rank, 1,
                    gram, rank);
    }
    blas_leave();
}

static void prepare(term *t, const sweep *s)
{
    volume *v = t->state;
    gram_inverse *g = v->inverse;
    make_gram(v, s);
    gram_inverse_decompose(g);
    gram_inverse_make(g, s->ops, 1);
    v->value = 0;
    for (int64_t i = 0; i < g->rank; i++) {
        v->value += log(g->values[i] / g->ridge);
        v->bound[i] = 0;
        for (int64_t j = 0; j < g->rank; j++)
            v->bound[i] += fabs(g->matrix[i * g->rank + j]);
    }
}

static void basis(const term *t, const sweep *s, block b, array data_sums, array numerator,
                  array denominator)
{
    const volume *v = t->state;
    (void)data_sums;
    gram_inverse_add(v->inverse, s, b, t->gain, sweep_rows(s, s->factors.W, b), denominator,
                     numerator);
}

static void majorise_basis(const term *t, const sweep *s, block b, array data_sums, array numerator,
                           array curvature)
{
    const volume *v = t->state;
    const array rows = sweep_rows(s, s->factors.W, b), product = sweep_term_array(s, b, 1);
    (void)data_sums;
    array_clear(s->ops, product);
    gram_inverse_add(v->inverse, s, b, -t->gain, rows, numerator, product);
    s->ops->add(numerator, -1, product);
    s->ops->add_scaled_columns(numerator, t->gain, v->bound, rows);
    s->ops->add_columns(curvature, t->gain, v->bound);
}

static double whole_value(const term *t, const sweep *s)
{
    const volume *v = t->state;
    (void)s;
    return v->value;
}

static void describe(const term *t, device_term *to)
{
    const volume *v = t->state;
    to->constant = v->inverse->ridge;
}

static const orthant_parameter_info parameters[] = {
    PARAMETER_NUMBER("volume_weight", "0.1", 0, 1e12, "weight of the volume of the basis"),
    PARAMETER_NUMBER("delta", "0.1", 1e-12, 1e12, "ridge added to the basis's Gram matrix"),
    PARAMETER_END,
};

const term_kind term_volume = {
    .name = "volume",
    .title = "the parts span a small volume: corners near the samples, as unmixing wants them",
    .flags = TERM_LETS_SCALE_DRIFT,
    .parameters = parameters,
    .setup = setup,
    .prepare = prepare,
    .basis = basis,
    .majorise_basis = majorise_basis,
    .whole_value = whole_value,
    .release = release,
    .describe = describe,
};
