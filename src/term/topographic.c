/* Topographic: sum_j sum_l sqrt(eps + sum_k h_lk s_jk^2), a sum over samples j and pooling units l
 * of the length of the pooled encodings (TNMF, eqs. 15 and 21). Half its gradient is positive
 * throughout:
 *
 *   (1/2) s_jk sum_l h_lk / sqrt(eps + sum_q h_lq s_jq^2)
 *
 * (the paper's (21) reuses k for the inner sum; it must be another index). H is all ones ('all',
 * the paper's), or the 3 x 3 neighbourhood of a torus ('grid'), which is what makes a map: with all
 * ones the value is blind to rotations of the encodings. */
#include "core/memory.h"
#include "core/parallel.h"
#include "engine/fit.h"
#include "term/pooling.h"
#include "term/term.h"

typedef struct pooling {
    orthant_matrix *rows;       /* H, units x k */
    orthant_matrix *transposed; /* H', k x units */
    char *pooled; /* a thread: KERNEL_ROWS x units; NULL where they fit an array of the sweep's */
    int64_t pooled_bytes;
    double epsilon;
} pooling;

static void release(term *t)
{
    pooling *p = t->state;
    if (!p)
        return;
    orthant_matrix_free(p->rows);
    orthant_matrix_free(p->transposed);
    memory_free(t->ctx, p->pooled);
    memory_free(t->ctx, p);
    t->state = NULL;
}

static orthant_status setup(term *t, fit *f)
{
    const orthant_precision precision = f->samples->precision;
    pooling *p = t->state = memory_new(t->ctx, 1, sizeof *p, "the topographic term");
    if (!p)
        return ORTHANT_ERROR_MEMORY;
    p->epsilon = parameter_number(&f->model->parameters, "epsilon");
    const orthant_status status = pooling_make(f, &p->rows, &p->transposed);
    if (status)
        return status;
    if (p->transposed->stride <= matrix_padded(precision, f->model->rank))
        return ORTHANT_OK;
    p->pooled_bytes = KERNEL_ROWS * p->transposed->stride * (int64_t)precision_size(precision);
    p->pooled =
        memory_new(t->ctx, parallel_threads(t->ctx) * p->pooled_bytes, 1, "pooled encodings");
    return p->pooled ? ORTHANT_OK : ORTHANT_ERROR_MEMORY;
}

/* sum_q h_lq s_jq^2 for a block of encodings, rows x units. */
static array pool(const pooling *p, const sweep *s, block b, array encodings)
{
    const array H = matrix_array(p->transposed);
    const array squares = sweep_term_array(s, b.thread, 0, b.rows);
    void *space = p->pooled ? p->pooled + b.thread * p->pooled_bytes
                            : sweep_term_array(s, b.thread, 1, b.rows).data;
    const array pooled = {space, b.rows, H.columns, H.stride};
    s->k->square(squares, array_rows(s->k, encodings, b.first, b.rows));
    s->k->product(pooled, squares, H, false);
    return pooled;
}

/* sum_l h_lk / sqrt(eps + sum_q h_lq s_jq^2) for a block of the last encodings. */
static array spread_roots(const pooling *p, const sweep *s, block b)
{
    /* in the place of the squares */
    const array pooled = pool(p, s, b, s->last), spread = sweep_term_array(s, b.thread, 0, b.rows);
    s->k->inverse_root(pooled, p->epsilon);
    s->k->product(spread, pooled, matrix_array(p->rows), false);
    return spread;
}

static void encoding(const term *t, const sweep *s, block b, array numerator, array denominator)
{
    (void)numerator;
    s->k->add_product(denominator, 0.5 * t->gain, array_rows(s->k, s->last, b.first, b.rows),
                      spread_roots(t->state, s, b));
}

/* The root is concave in the squares: its tangent there is a quadratic above it. */
static void majorise(const term *t, const sweep *s, block b, array numerator, array curvature)
{
    (void)numerator;
    s->k->add(curvature, 0.5 * t->gain, spread_roots(t->state, s, b));
}

static double rows_value(const term *t, const sweep *s, block b)
{
    const pooling *p = t->state;
    return s->k->sum_roots(pool(p, s, b, s->S), p->epsilon);
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
};
