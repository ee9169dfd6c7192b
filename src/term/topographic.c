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
#include <stdio.h>
#include <string.h>

#include "core/memory.h"
#include "core/parallel.h"
#include "engine/fit.h"
#include "term/term.h"

typedef struct pooling {
    orthant_matrix *rows;       /* H, units x k */
    orthant_matrix *transposed; /* H', k x units */
    char *pooled;               /* a thread: KERNEL_ROWS x units */
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

/* A grid for any number of units: `grid` alone takes the squarest shape; a last row may be short,
 * its missing cells pool nothing. */
static orthant_status grid_shape(orthant_context *ctx, const char *text, int64_t rank,
                                 int64_t *rows, int64_t *columns)
{
    long long height = 0, width = 0;
    char rest;
    if (!strcmp(text, "grid")) {
        *columns = (int64_t)ceil(sqrt((double)rank));
        *rows = (rank + *columns - 1) / *columns;
        return ORTHANT_OK;
    }
    if (sscanf(text, "grid:%lldx%lld%c", &height, &width, &rest) != 2 || height < 1 || width < 1 ||
        height > rank || width > rank)
        return fail(ctx, ORTHANT_ERROR_ARGUMENT,
                    "pooling = '%s': expected all, grid, or grid:ROWSxCOLUMNS", text);
    if (height * width < rank || (height - 1) * width >= rank)
        return fail(ctx, ORTHANT_ERROR_ARGUMENT,
                    "pooling = '%s': a grid of %lld x %lld does not hold rank %lld", text, height,
                    width, (long long)rank);
    *rows = height;
    *columns = width;
    return ORTHANT_OK;
}

static int64_t around(int64_t a, int64_t b, int64_t length)
{
    const int64_t apart = a > b ? a - b : b - a;
    return apart < length - apart ? apart : length - apart;
}

static orthant_status fill_grid(fit *f, orthant_matrix *H)
{
    const parameter_set *set = &f->model->parameters;
    const int64_t radius = parameter_whole(set, "pooling_radius"), rank = f->model->rank;
    int64_t rows = 0, columns = 0;
    const orthant_status status =
        grid_shape(f->ctx, parameter_text(set, "pooling"), rank, &rows, &columns);
    if (status)
        return status;
    for (int64_t l = 0; l < rank; l++)
        for (int64_t k = 0; k < rank; k++)
            if (around(l / columns, k / columns, rows) <= radius &&
                around(l % columns, k % columns, columns) <= radius)
                matrix_set_value(H, l * H->stride + k, 1);
    return ORTHANT_OK;
}

/* The pooling matrix: the user's, all ones, or a grid. */
static orthant_status fill_pooling(fit *f, orthant_matrix *H)
{
    const orthant_matrix *given = f->model->pooling;
    if (given) {
        for (int64_t l = 0; l < H->rows; l++)
            for (int64_t k = 0; k < H->columns; k++)
                matrix_set_value(H, l * H->stride + k, orthant_matrix_get(given, l, k));
        return ORTHANT_OK;
    }
    if (strcmp(parameter_text(&f->model->parameters, "pooling"), "all"))
        return fill_grid(f, H);
    for (int64_t l = 0; l < H->rows; l++)
        for (int64_t k = 0; k < H->columns; k++)
            matrix_set_value(H, l * H->stride + k, 1);
    return ORTHANT_OK;
}

static orthant_status check_given(fit *f)
{
    const orthant_matrix *given = f->model->pooling;
    if (!given)
        return ORTHANT_OK;
    if (given->columns != f->model->rank)
        return fail(f->ctx, ORTHANT_ERROR_ARGUMENT,
                    "the pooling matrix has %lld columns, the rank is %lld",
                    (long long)given->columns, (long long)f->model->rank);
    return matrix_check(given, true, "the pooling matrix", "topographic");
}

static orthant_status setup(term *t, fit *f)
{
    const orthant_precision precision = f->samples->precision;
    const int64_t rank = f->model->rank;
    orthant_status status = check_given(f);
    if (status)
        return status;
    pooling *p = t->state = memory_new(t->ctx, 1, sizeof *p, "the topographic term");
    if (!p)
        return ORTHANT_ERROR_MEMORY;
    const int64_t units = f->model->pooling ? f->model->pooling->rows : rank;
    p->epsilon = parameter_number(&f->model->parameters, "epsilon");
    if ((status = matrix_new_factor(t->ctx, precision, units, rank, &p->rows)) ||
        (status = matrix_new_factor(t->ctx, precision, rank, units, &p->transposed)) ||
        (status = fill_pooling(f, p->rows)))
        return status;
    for (int64_t l = 0; l < units; l++)
        for (int64_t k = 0; k < rank; k++)
            matrix_set_value(p->transposed, k * p->transposed->stride + l,
                             matrix_value(p->rows, l * p->rows->stride + k));
    p->pooled_bytes = KERNEL_ROWS * p->transposed->stride * (int64_t)precision_size(precision);
    p->pooled =
        memory_new(t->ctx, parallel_threads(t->ctx) * p->pooled_bytes, 1, "pooled encodings");
    return p->pooled ? ORTHANT_OK : ORTHANT_ERROR_MEMORY;
}

/* sum_q h_lq s_jq^2 for a block of encodings, KERNEL_ROWS x units. */
static array pool(const pooling *p, const sweep *s, block b, array encodings)
{
    const array H = matrix_array(p->transposed);
    const array squares = sweep_term_array(s, b.thread, 0, b.rows);
    const array pooled = {p->pooled + b.thread * p->pooled_bytes, b.rows, H.columns, H.stride};
    s->k->square(squares, array_rows(s->k, encodings, b.first, b.rows));
    s->k->product(pooled, squares, H, false);
    return pooled;
}

static void encoding(const term *t, const sweep *s, block b, array numerator, array denominator)
{
    const pooling *p = t->state;
    const array pooled = pool(p, s, b, s->last), spread = sweep_term_array(s, b.thread, 1, b.rows);
    (void)numerator;
    s->k->inverse_root(pooled, p->epsilon);
    s->k->product(spread, pooled, matrix_array(p->rows), false);
    s->k->add_product(denominator, 0.5 * t->gain, array_rows(s->k, s->last, b.first, b.rows),
                      spread);
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
    PARAMETER_WORD("pooling", "all", "",
                   "units: all, grid, grid:ROWSxCOLUMNS (a torus), or a matrix"),
    PARAMETER_WHOLE("pooling_radius", "1", 0, 1e6, "radius of a grid's neighbourhood; 1 is 3 x 3"),
};

const term_kind term_topographic = {
    .name = "topographic",
    .title = "encodings that are active together lie together",
    .parameters = parameters,
    .parameter_count = 4,
    .setup = setup,
    .encoding = encoding,
    .rows_value = rows_value,
    .release = release,
};
