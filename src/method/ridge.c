#include "method/ridge.h"

#include <lapacke.h>
#include <string.h>

#include "core/memory.h"
#include "core/parallel.h"
#include "core/pieces.h"
#include "kernel/blas.h"
#include "kernel/kernel.h"

#define BLOCK 128         /* features of a block, a multiple of every vector */
#define ROWS_AT_ONCE 256  /* samples that a block of Xc'Xc takes at a time */
#define ROWS_OF_A_TASK 64 /* samples of Y */
#define BATCH 64          /* tasks between two looks at the clock */

typedef struct ridge_work {
    orthant_context *ctx;
    const orthant_matrix *samples;
    const kernels *ops; /* in double */
    int64_t n, m, stride;
    double *mean;    /* m */
    double *square;  /* m x stride: Xc'Xc, of which the upper half is filled; then R^-1 */
    double *scratch; /* of the threads */
    int64_t per_thread;
    orthant_matrix *factor; /* Y */
    int64_t first_task;     /* of the batch at hand */
} ridge_work;

/* ------------------------------------------------------------------ rows of Xc */

#define CENTRED(REAL, NAME)                                                           \
    static void NAME(const REAL *from, const double *mean, int64_t count, double *to) \
    {                                                                                 \
        for (int64_t j = 0; j < count; j++)                                           \
            to[j] = (double)from[j] - mean[j];                                        \
    }

CENTRED(float, centred_single)
CENTRED(double, centred_double)

/* Features `feature` on of some samples, less their mean. */
static void centred_rows(const ridge_work *w, int64_t first, int64_t rows, int64_t feature,
                         int64_t count, double *to, int64_t stride)
{
    const orthant_matrix *X = w->samples;
    const double *mean = w->mean + feature;
    for (int64_t i = 0; i < rows; i++, to += stride) {
        const int64_t at = (first + i) * X->stride + feature;
        if (!X->sparse && X->precision == ORTHANT_SINGLE) {
            centred_single((const float *)X->values + at, mean, count, to);
        } else if (!X->sparse) {
            centred_double((const double *)X->values + at, mean, count, to);
        } else {
            for (int64_t j = 0; j < count; j++)
                to[j] = -mean[j];
            for (int64_t e = X->row_start[first + i]; e < X->row_start[first + i + 1]; e++)
                if (X->column[e] >= feature && X->column[e] < feature + count)
                    to[X->column[e] - feature] += matrix_value(X, e);
        }
        memset(to + count, 0, (size_t)(stride - count) * sizeof *to);
    }
}

static void find_mean(ridge_work *w)
{
    const orthant_matrix *X = w->samples;
    if (!X->sparse)
        kernel_table(X->precision)->column_sums(matrix_array(X), w->mean);
    else
        for (int64_t e = 0; e < X->row_start[w->n]; e++)
            w->mean[X->column[e]] += matrix_value(X, e);
    for (int64_t j = 0; j < w->m; j++)
        w->mean[j] /= (double)w->n;
}

/* ------------------------------------------------------------------ R^-1 */

/* A block of Xc'Xc on or above the diagonal, over all samples in their order. */
static void square_task(void *user, int64_t task, int thread)
{
    const ridge_work *w = user;
    double *left = w->scratch + thread * w->per_thread, *right = left + ROWS_AT_ONCE * BLOCK,
           *sums = right + ROWS_AT_ONCE * BLOCK;
    int64_t row, column;
    pair_of(w->first_task + task, &column, &row);
    const int64_t top = row * BLOCK, rows = smaller(BLOCK, w->m - top), at = column * BLOCK,
                  columns = smaller(BLOCK, w->m - at);
    const array c = {sums, rows, columns, BLOCK};
    array_clear(w->ops, c);
    for (int64_t first = 0; first < w->n; first += ROWS_AT_ONCE) {
        const int64_t count = smaller(ROWS_AT_ONCE, w->n - first);
        centred_rows(w, first, count, top, rows, left, BLOCK);
        if (top != at)
            centred_rows(w, first, count, at, columns, right, BLOCK);
        w->ops->product_transposed(c, (array){left, count, rows, BLOCK},
                                   (array){top == at ? left : right, count, columns, BLOCK}, true);
    }
    for (int64_t i = 0; i < rows; i++)
        memcpy(w->square + (top + i) * w->stride + at, sums + i * BLOCK,
               (size_t)columns * sizeof *sums);
}

/* To LAPACK, which goes by columns, our upper half is the lower one: its L is our R'. */
static orthant_status invert(ridge_work *w, double ridge)
{
    const lapack_int m = (lapack_int)w->m, stride = (lapack_int)w->stride;
    for (int64_t j = 0; j < w->m; j++)
        w->square[j * w->stride + j] += ridge;
    blas_enter();
    const bool failed = LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'L', m, w->square, stride) ||
                        LAPACKE_dtrtri(LAPACK_COL_MAJOR, 'L', 'N', m, w->square, stride);
    blas_leave();
    for (int64_t i = 1; i < w->m; i++)
        memset(w->square + i * w->stride, 0, (size_t)i * sizeof *w->square);
    return failed ? fail(w->ctx, ORTHANT_ERROR_NUMERIC,
                         "the covariance of the samples plus ridge %g is not positive definite: "
                         "take a larger ridge",
                         ridge)
                  : ORTHANT_OK;
}

/* ------------------------------------------------------------------ Y */

static void write_rows(const ridge_work *w, int64_t first, array from)
{
    orthant_matrix *Y = w->factor;
    const double *values = from.data;
    for (int64_t i = 0; i < from.rows; i++) {
        const int64_t at = (first + i) * Y->stride;
        if (Y->precision == ORTHANT_DOUBLE)
            memcpy((double *)Y->values + at, values + i * from.stride,
                   (size_t)w->m * sizeof *values);
        else
            for (int64_t j = 0; j < w->m; j++)
                ((float *)Y->values)[at + j] = (float)values[i * from.stride + j];
    }
}

/* Rows of Y = Xc R^-1; R^-1 has nothing below its diagonal. */
static void factor_task(void *user, int64_t task, int thread)
{
    const ridge_work *w = user;
    const int64_t first = (w->first_task + task) * ROWS_OF_A_TASK,
                  rows = smaller(ROWS_OF_A_TASK, w->n - first);
    double *mine = w->scratch + thread * w->per_thread;
    const array x = {mine, rows, w->m, w->stride},
                y = {mine + ROWS_OF_A_TASK * w->stride, rows, w->m, w->stride},
                inverse = {w->square, w->m, w->m, w->stride};
    centred_rows(w, first, rows, 0, w->m, mine, w->stride);
    array_clear(w->ops, y);
    for (int64_t at = 0; at < w->m; at += BLOCK) {
        const int64_t columns = smaller(BLOCK, w->m - at), above = at + columns;
        w->ops->product(array_columns(w->ops, y, at, columns), array_columns(w->ops, x, 0, above),
                        array_columns(w->ops, array_rows(w->ops, inverse, 0, above), at, columns),
                        true);
    }
    write_rows(w, first, y);
}

/* ------------------------------------------------------------------ all of it */

static orthant_status run_tasks(ridge_work *w, const search_clock *clock, parallel_task task,
                                int64_t count)
{
    orthant_status status = ORTHANT_OK;
    for (w->first_task = 0; w->first_task < count && !status; w->first_task += BATCH) {
        status = stage_tell(w->ctx, clock, "linear fit", w->first_task, count);
        if (!status)
            parallel_for(w->ctx, smaller(BATCH, count - w->first_task), task, w);
    }
    return status;
}

static orthant_status setup(ridge_work *w)
{
    const int64_t square = (2 * ROWS_AT_ONCE + BLOCK) * BLOCK,
                  rows = 2 * ROWS_OF_A_TASK * w->stride;
    w->per_thread = square > rows ? square : rows;
    w->mean = memory_new(w->ctx, w->m, sizeof *w->mean, "the mean of the samples");
    w->square = memory_new(w->ctx, w->m * w->stride, sizeof *w->square, "the covariance");
    w->scratch =
        memory_new(w->ctx, parallel_threads(w->ctx) * w->per_thread, sizeof *w->scratch, "scratch");
    return w->mean && w->square && w->scratch ? blas_check_memory(w->ctx) : ORTHANT_ERROR_MEMORY;
}

orthant_status ridge_factor(orthant_context *ctx, const orthant_matrix *samples, double ridge,
                            const search_clock *clock, orthant_matrix **factor)
{
    ridge_work w = {.ctx = ctx,
                    .samples = samples,
                    .ops = kernel_table(ORTHANT_DOUBLE),
                    .n = samples->rows,
                    .m = samples->columns,
                    .stride = matrix_padded(ORTHANT_DOUBLE, samples->columns)};
    const int64_t blocks = pieces(w.m, BLOCK);
    orthant_status status = setup(&w);
    *factor = NULL;
    if (status)
        goto done;
    find_mean(&w);
    if ((status = run_tasks(&w, clock, square_task, blocks * (blocks + 1) / 2)) ||
        (status = invert(&w, ridge)) ||
        (status = matrix_new_dense(ctx, samples->precision, w.n, w.m, &w.factor)))
        goto done;
    status = run_tasks(&w, clock, factor_task, pieces(w.n, ROWS_OF_A_TASK));
done:
    if (status)
        orthant_matrix_free(w.factor);
    else
        *factor = w.factor;
    memory_free(ctx, w.mean);
    memory_free(ctx, w.square);
    memory_free(ctx, w.scratch);
    return status;
}
