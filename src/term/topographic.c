/* Topographic: sum_j sum_l sqrt(eps + sum_k h_lk s_jk^2), a sum over samples j and pooling units l
 * of the length of the pooled encodings (TNMF, eqs. 15 and 21). Half its gradient is positive
 * throughout:
 *
 *   (1/2) s_jk sum_l h_lk / sqrt(eps + sum_q h_lq s_jq^2)
 *
 * (the paper's (21) reuses k for the inner sum; it must be another index). H is all ones ('all',
 * the paper's), or the 3 x 3 neighbourhood of a torus ('grid'), which is what makes a map: with all
 * ones the value is blind to rotations of the encodings. */
#include <math.h>

#include "core/memory.h"
#include "core/parallel.h"
#include "engine/device.h"
#include "term/pooling.h"
#include "term/terms.h"

typedef struct pooled_units {
    orthant_matrix *rows;       /* H, units x k */
    orthant_matrix *transposed; /* H', k x units */
    char *pooled; /* a thread: KERNEL_ROWS x units; NULL where they fit an array of the sweep's */
    int64_t pooled_bytes;
    double epsilon;
} pooled_units;

static void release(term *t)
{
    pooled_units *h = t->state;
    if (!h)
        return;
    orthant_matrix_free(h->rows);
    orthant_matrix_free(h->transposed);
    memory_free(t->ctx, h->pooled);
    memory_free(t->ctx, h);
    t->state = NULL;
}

static orthant_status setup(term *t, const problem *p)
{
    const orthant_precision precision = p->samples->precision;
    pooled_units *h = t->state = memory_new(t->ctx, 1, sizeof *h, "the topographic term");
    if (!h)
        return ORTHANT_ERROR_MEMORY;
    h->epsilon = parameter_number(p->parameters, "epsilon");
    const orthant_status status = pooling_make(p, &h->rows, &h->transposed);
    if (status)
        return status;
    if (h->transposed->stride <= matrix_padded(precision, p->rank))
        return ORTHANT_OK;
    h->pooled_bytes = KERNEL_ROWS * h->transposed->stride * (int64_t)precision_size(precision);
    h->pooled =
        memory_new(t->ctx, parallel_threads(t->ctx) * h->pooled_bytes, 1, "pooled encodings");
    return h->pooled ? ORTHANT_OK : ORTHANT_ERROR_MEMORY;
}

/* sum_q h_lq s_jq^2 for a block of encodings, rows x units. */
static array pool(const pooled_units *h, const sweep *s, block b, array encodings)
{
    const array H = matrix_array(h->transposed);
    const array squares = sweep_term_array(s, b, 0);
    void *space =
        h->pooled ? h->pooled + b.thread * h->pooled_bytes : sweep_term_array(s, b, 1).data;
    const array pooled = {space, b.rows, H.columns, H.stride};
    s->ops->square(squares, sweep_rows(s, encodings, b));
    s->ops->product(pooled, squares, H, false);
    return pooled;
}

/* sum_l h_lk / sqrt(eps + sum_q h_lq s_jq^2) for a block of the last encodings. */
static array spread_roots(const pooled_units *h, const sweep *s, block b)
{
    /* in the place of the squares */
    const array pooled = pool(h, s, b, s->factors.last), spread = sweep_term_array(s, b, 0);
    s->ops->inverse_root(pooled, h->epsilon);
    s->ops->product(spread, pooled, matrix_array(h->rows), false);
    return spread;
}

static void encoding(const term *t, const sweep *s, block b, array numerator, array denominator)
{
    (void)numerator;
    s->ops->add_product(denominator, 0.5 * t->gain, sweep_rows(s, s->factors.last, b),
                        spread_roots(t->state, s, b));
}

/* The root is concave in the squares: its tangent there is a quadratic above it. */
static void majorise(const term *t, const sweep *s, block b, array numerator, array curvature)
{
    (void)numerator;
    s->ops->add(curvature, 0.5 * t->gain, spread_roots(t->state, s, b));
}

static double rows_value(const term *t, const sweep *s, block b)
{
    const pooled_units *h = t->state;
    return s->ops->sum_roots(pool(h, s, b, s->factors.S), h->epsilon);
}

static void describe(const term *t, device_term *to)
{
    const pooled_units *h = t->state;
    to->constant = h->epsilon;
    to->pooling = h->rows->values;
    to->units = h->rows->rows;
    to->pooling_stride = h->rows->stride;
}

/* ---- one sample ---- */

static double pooled_length(const pooled_units *h, int64_t unit, int64_t rank, const double *s)
{
    double total = h->epsilon;
    for (int64_t j = 0; j < rank; j++)
        total += matrix_value(h->rows, unit * h->rows->stride + j) * s[j] * s[j];
    return sqrt(total);
}

static double code_value(const term *t, const code_sample *x, const double *s)
{
    const pooled_units *h = t->state;
    double total = 0;
    for (int64_t l = 0; l < h->rows->rows; l++)
        total += pooled_length(h, l, x->rank, s);
    return t->weight * total;
}

static void code_parts(const term *t, const code_sample *x, const double *s, double *positive,
                       double *negative)
{
    const pooled_units *h = t->state;
    (void)negative;
    for (int64_t l = 0; l < h->rows->rows; l++) {
        const double scale = t->weight / pooled_length(h, l, x->rank, s);
        for (int64_t j = 0; j < x->rank; j++)
            positive[j] += scale * matrix_value(h->rows, l * h->rows->stride + j) * s[j];
    }
}

/* Of a unit's length v: (diag(h) - (h s)(h s)' / v^2) / v, which is that of a norm. */
static void code_curvature(const term *t, const code_sample *x, const double *s, double *curvature)
{
    const pooled_units *h = t->state;
    for (int64_t l = 0; l < h->rows->rows; l++) {
        const double length = pooled_length(h, l, x->rank, s), scale = t->weight / length;
        for (int64_t i = 0; i < x->rank; i++) {
            const double own = matrix_value(h->rows, l * h->rows->stride + i),
                         first = own * s[i] / length;
            curvature[i * x->rank + i] += scale * own;
            for (int64_t j = 0; j <= i; j++)
                curvature[i * x->rank + j] -=
                    scale * first * matrix_value(h->rows, l * h->rows->stride + j) * s[j] / length;
        }
    }
}

static const orthant_parameter_info parameters[] = {
    PARAMETER_NUMBER("pooling_weight", "10", 0, 1e12,
                     "weight of the pooled lengths of the encodings"),
    PARAMETER_NUMBER("epsilon", "1e-6", 1e-30, 1e6, "added under the root; must be positive"),
    POOLING_PARAMETERS,
    PARAMETER_END,
};

const term_kind term_topographic = {
    .name = "topographic",
    .title = "encodings that are active together lie together",
    .flags = TERM_LETS_SCALE_DRIFT,
    .parameters = parameters,
    .setup = setup,
    .encoding = encoding,
    .majorise = majorise,
    .rows_value = rows_value,
    .release = release,
    .describe = describe,
    .code_value = code_value,
    .code_parts = code_parts,
    .code_curvature = code_curvature,
    .code_setup = setup,
};
