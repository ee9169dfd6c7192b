/* Subspace iteration on some of the samples: Q <- orthonormal(X'X Q), with a blocked Gram-Schmidt
 * in double. */
#include "graph/directions.h"

#include <math.h>

#include "core/memory.h"
#include "core/parallel.h"

#define PART 11                  /* of the samples one in so many is learnt from */
#define MOST_LEARNT 1024         /* and no more than these */
#define LEARNT_ENTRIES (1 << 21) /* with so many entries */
#define ROUNDS 2                 /* of subspace iteration */
#define PIECE 64                 /* features or samples of a task */
#define PANEL 16                 /* directions that are made orthogonal to others together */

#define SHIFT(REAL, NAME)                                                                   \
    static void NAME(const REAL *from, const REAL *shift, int64_t count, REAL *restrict to) \
    {                                                                                       \
        for (int64_t f = 0; f < count; f++)                                                 \
            to[f] = from[f] - shift[f];                                                     \
    }

SHIFT(float, shift_single)
SHIFT(double, shift_double)

void directions_shifted(const directions *d, const orthant_matrix *samples, int64_t i, void *to)
{
    const int64_t m = samples->columns, at = i * samples->stride;
    if (samples->precision == ORTHANT_DOUBLE)
        shift_double((const double *)samples->values + at, d->shift, m, to);
    else
        shift_single((const float *)samples->values + at, d->shift, m, to);
}

/* ---- orthonormal ones ---- */

/* Takes from a panel what lies along the directions before it. */
static void project_panel(const directions *d, array panel, int64_t before, void *scratch)
{
    const kernels *ops = kernel_table(ORTHANT_DOUBLE);
    const array others = array_rows(ops, matrix_array(d->rows), 0, before);
    const array dots = {scratch, panel.rows, before, (before + PANEL - 1) / PANEL * PANEL};
    ops->row_products(dots, panel, others, (double *)scratch + PANEL * dots.stride);
    for (int64_t e = 0; e < dots.rows * dots.stride; e++)
        ((double *)scratch)[e] *= -1;
    ops->product(panel, dots, others, true);
}

/* Gram and Schmidt inside a panel, whose directions were so long. What lies in the span of the
 * others becomes 0; how many are left. */
static int64_t make_panel_orthonormal(array panel, const double *lengths)
{
    const kernels *ops = kernel_table(ORTHANT_DOUBLE);
    int64_t left = 0;
    for (int64_t i = 0; i < panel.rows; i++) {
        const array mine = array_rows(ops, panel, i, 1);
        for (int64_t j = 0; j < i; j++) {
            const array other = array_rows(ops, panel, j, 1);
            ops->add(mine, -ops->dot(mine, other), other);
        }
        const double length = sqrt(ops->dot(mine, mine));
        const double scale = length > 1e-8 * lengths[i] ? 1 / length : 0;
        ops->scale_rows(mine, &scale);
        left += scale > 0;
    }
    return left;
}

/* Makes the columns of Q orthonormal, in double: of rounding two passes leave nothing. */
static void make_orthonormal(directions *d, void *scratch)
{
    const kernels *ops = kernel_table(ORTHANT_DOUBLE);
    orthant_matrix *Q = d->Q;
    const int64_t m = Q->rows, count = Q->columns;
    double *rows = d->rows->values;
    d->count = 0;
    for (int64_t j = 0; j < count; j++)
        for (int64_t f = 0; f < m; f++)
            rows[j * d->rows->stride + f] = matrix_value(Q, f * Q->stride + j);
    for (int64_t first = 0; first < count; first += PANEL) {
        const int64_t columns = count - first < PANEL ? count - first : PANEL;
        const array panel = array_rows(ops, matrix_array(d->rows), first, columns);
        for (int pass = 0; pass < 2; pass++) {
            double lengths[PANEL] = {0};
            for (int64_t i = 0; i < columns; i++) {
                const array row = array_rows(ops, panel, i, 1);
                lengths[i] = sqrt(ops->dot(row, row));
            }
            if (first)
                project_panel(d, panel, first, scratch);
            const int64_t left = make_panel_orthonormal(panel, lengths);
            d->count += pass ? left : 0;
        }
    }
    for (int64_t j = 0; j < count; j++)
        for (int64_t f = 0; f < m; f++)
            matrix_set_value(Q, f * Q->stride + j, rows[j * d->rows->stride + f]);
}

/* A direction of 0 counts as good. */
static double defect(const directions *d, void *scratch)
{
    const kernels *ops = kernel_table(ORTHANT_DOUBLE);
    const array rows = matrix_array(d->rows);
    double largest = 0;
    for (int64_t first = 0; first < rows.rows; first += PANEL) {
        const int64_t count = rows.rows - first < PANEL ? rows.rows - first : PANEL;
        const array dots = {scratch, count, rows.rows, (rows.rows + PANEL - 1) / PANEL * PANEL};
        ops->row_products(dots, array_rows(ops, rows, first, count), rows,
                          (double *)scratch + PANEL * dots.stride);
        for (int64_t i = 0; i < count; i++)
            for (int64_t j = 0; j < rows.rows; j++) {
                const double dot = ((double *)scratch)[i * dots.stride + j];
                largest = fmax(largest, first + i == j && dot > 0.5 ? fabs(dot - 1) : fabs(dot));
            }
    }
    return largest;
}

/* ---- subspace iteration ---- */

static int64_t pieces(int64_t count)
{
    return (count + PIECE - 1) / PIECE;
}

static int64_t piece(int64_t count, int64_t task)
{
    return count - task * PIECE < PIECE ? count - task * PIECE : PIECE;
}

/* Some rows of Y = T Q. */
static void multiply_samples(void *user, int64_t task, int thread)
{
    const directions *d = user;
    const array T = matrix_array(d->learnt), Y = matrix_array(d->products);
    const int64_t first = task * PIECE, count = piece(T.rows, task);
    (void)thread;
    d->ops->product(array_rows(d->ops, Y, first, count), array_rows(d->ops, T, first, count),
                    matrix_array(d->Q), false);
}

/* Some rows of Q = T'Y. */
static void multiply_features(void *user, int64_t task, int thread)
{
    const directions *d = user;
    const array T = matrix_array(d->learnt), Q = matrix_array(d->Q);
    const int64_t first = task * PIECE, count = piece(T.columns, task);
    (void)thread;
    d->ops->product_transposed(array_rows(d->ops, Q, first, count),
                               array_columns(d->ops, T, first, count), matrix_array(d->products),
                               false);
}

/* From some of the samples on: they lie where the others do. */
static void iterate(directions *d, void *scratch)
{
    orthant_matrix *T = d->learnt, *Q = d->Q;
    for (int64_t j = 0; j < Q->columns && j < T->rows; j++) {
        const int64_t from = Q->columns < T->rows ? j * T->rows / Q->columns : j;
        for (int64_t f = 0; f < Q->rows; f++)
            matrix_set_value(Q, f * Q->stride + j, matrix_value(T, from * T->stride + f));
    }
    for (int round = 0; round < ROUNDS; round++) {
        parallel_for(d->ctx, pieces(T->rows), multiply_samples, d);
        parallel_for(d->ctx, pieces(T->columns), multiply_features, d);
        make_orthonormal(d, scratch);
    }
    d->defect = defect(d, scratch);
}

/* ---- what they are found from ---- */

static void copy_learnt(directions *d, const orthant_matrix *samples)
{
    const int64_t count = d->learnt->rows;
    for (int64_t i = 0; i < count; i++)
        directions_shifted(d, samples, i * samples->rows / count,
                           (char *)d->learnt->values +
                               (size_t)(i * d->learnt->stride) * d->ops->size);
}

/* Every so many samples, less their mean. */
static orthant_status choose_learnt(directions *d, const orthant_matrix *samples)
{
    const int64_t m = samples->columns;
    double *mean = memory_new(d->ctx, m, sizeof *mean, "the mean of the samples");
    if (!mean)
        return ORTHANT_ERROR_MEMORY;
    copy_learnt(d, samples);
    d->ops->column_sums(matrix_array(d->learnt), mean);
    for (int64_t f = 0; f < m; f++) {
        mean[f] /= (double)d->learnt->rows;
        if (samples->precision == ORTHANT_DOUBLE)
            ((double *)d->shift)[f] = mean[f];
        else
            ((float *)d->shift)[f] = (float)mean[f];
    }
    copy_learnt(d, samples);
    memory_free(d->ctx, mean);
    return ORTHANT_OK;
}

static orthant_status new_scratch(directions *d, const orthant_matrix *samples, int64_t count)
{
    const orthant_precision precision = samples->precision;
    const int64_t m = samples->columns;
    int64_t learnt = LEARNT_ENTRIES / m < MOST_LEARNT ? LEARNT_ENTRIES / m : MOST_LEARNT;
    learnt = learnt < samples->rows / PART ? learnt : samples->rows / PART;
    d->shift = memory_new(d->ctx, m, d->ops->size, "the mean of the samples");
    orthant_status status = d->shift ? ORTHANT_OK : ORTHANT_ERROR_MEMORY;
    if (!status)
        status = matrix_new_dense(d->ctx, precision, learnt, m, &d->learnt);
    if (!status)
        status = matrix_new_factor(d->ctx, precision, m, count, &d->Q);
    if (!status)
        status = matrix_new_factor(d->ctx, precision, learnt, count, &d->products);
    if (!status)
        status = matrix_new_factor(d->ctx, ORTHANT_DOUBLE, count, m, &d->rows);
    return status;
}

static void free_scratch(directions *d)
{
    orthant_matrix_free(d->learnt);
    orthant_matrix_free(d->products);
    orthant_matrix_free(d->rows);
    d->learnt = d->products = d->rows = NULL;
}

orthant_status directions_find(orthant_context *ctx, const orthant_matrix *samples, int64_t count,
                               directions *d)
{
    *d = (directions){.ctx = ctx, .ops = kernel_table(samples->precision)};
    const int64_t stride = (count + PANEL - 1) / PANEL * PANEL;
    double *scratch =
        memory_new(ctx, (PANEL + KERNEL_FEATURES) * stride, sizeof *scratch, "directions");
    orthant_status status = scratch ? new_scratch(d, samples, count) : ORTHANT_ERROR_MEMORY;
    if (!status)
        status = choose_learnt(d, samples);
    if (!status)
        iterate(d, scratch);
    memory_free(ctx, scratch);
    free_scratch(d);
    if (status)
        directions_free(d);
    return status;
}

void directions_free(directions *d)
{
    free_scratch(d);
    orthant_matrix_free(d->Q);
    memory_free(d->ctx, d->shift);
    d->Q = NULL;
    d->shift = NULL;
}
