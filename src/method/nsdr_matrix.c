/* The matrix of nsdr.h: entries, or a sparse matrix and a product of factors. */
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "core/parallel.h"
#include "core/pieces.h"
#include "graph/rows.h"
#include "kernel/blas.h"
#include "method/nsdr.h"
#include "method/ridge.h"

#define MOST_FEATURES 4096 /* of a sum: m x m numbers are factored */
#define BLOCK 256          /* samples of a side of a block of entries */
#define ROWS_OF_A_TASK 64  /* of a product with a vector */
#define BATCH 64           /* tasks between two looks at the clock */

bool nsdr_sum_suits(const orthant_matrix *samples)
{
    return samples->columns < samples->rows && samples->columns <= MOST_FEATURES;
}

/* ------------------------------------------------------------------ A and D */

static orthant_status take_edges(nsdr_matrix *M, const orthant_graph *graph)
{
    const orthant_matrix *from = graph->adjacency;
    const int64_t n = M->n, count = from->row_start[n];
    const orthant_status status =
        matrix_new_sparse(M->ctx, from->precision, n, n, count, &M->edges);
    if (status || !(M->linked = memory_new(M->ctx, n, sizeof *M->linked, "nodes with edges")))
        return status ? status : ORTHANT_ERROR_MEMORY;
    memcpy(M->edges->row_start, from->row_start, (size_t)(n + 1) * sizeof *from->row_start);
    memcpy(M->edges->column, from->column, (size_t)count * sizeof *from->column);
    for (int64_t i = 0; i < n; i++) {
        M->linked[i] = graph->degree[i] > 0;
        for (int64_t e = from->row_start[i]; e < from->row_start[i + 1]; e++)
            matrix_set_value(M->edges, e,
                             matrix_value(from, e) /
                                 sqrt(graph->degree[i] * graph->degree[from->column[e]]));
    }
    return ORTHANT_OK;
}

/* ------------------------------------------------------------------ entries */

/* Adds D - A to the entries. */
static void add_laplacian(nsdr_matrix *M)
{
    orthant_matrix *to = M->entries;
    const orthant_matrix *A = M->edges;
    for (int64_t i = 0; i < M->n; i++) {
        const int64_t row = i * to->stride;
        for (int64_t e = A->row_start[i]; e < A->row_start[i + 1]; e++)
            matrix_set_value(to, row + A->column[e],
                             matrix_value(to, row + A->column[e]) - matrix_value(A, e));
        matrix_set_value(to, row + i, matrix_value(to, row + i) + M->linked[i]);
    }
}

typedef struct block_work {
    nsdr_matrix *M;
    const kernels *ops;
    char *scratch; /* of a thread: BLOCK x BLOCK and KERNEL_FEATURES x BLOCK */
    size_t bytes;
} block_work;

/* weight (I - 1 1'/n - Y Y') in a block below the diagonal or on it, and in its mirror image. */
static void block_task(void *user, int64_t task, int thread)
{
    const block_work *w = user;
    const nsdr_matrix *M = w->M;
    const array Y = matrix_array(M->fit);
    int64_t row, column;
    pair_of(M->first_task + task, &row, &column);
    const int64_t top = row * BLOCK, left = column * BLOCK;
    char *mine = w->scratch + (size_t)thread * w->bytes;
    const array c = {mine, smaller(BLOCK, M->n - top), smaller(BLOCK, M->n - left), BLOCK};
    const orthant_matrix tile = {.values = c.data, .precision = M->fit->precision};
    w->ops->row_products(c, array_rows(w->ops, Y, top, c.rows),
                         array_rows(w->ops, Y, left, c.columns),
                         mine + (size_t)(BLOCK * BLOCK) * w->ops->size);
    for (int64_t i = 0; i < c.rows; i++)
        for (int64_t j = 0; j < c.columns && left + j <= top + i; j++) {
            const double value = M->weight * ((top + i == left + j) - 1.0 / (double)M->n -
                                              matrix_value(&tile, i * BLOCK + j));
            matrix_set_value(M->entries, (top + i) * M->entries->stride + left + j, value);
            matrix_set_value(M->entries, (left + j) * M->entries->stride + top + i, value);
        }
}

static orthant_status entries_of_factor(nsdr_matrix *M, const search_clock *clock)
{
    const int64_t blocks = pieces(M->n, BLOCK), count = blocks * (blocks + 1) / 2;
    const kernels *ops = kernel_table(M->fit->precision);
    block_work work = {.M = M, .ops = ops, .bytes = (BLOCK + KERNEL_FEATURES) * BLOCK * ops->size};
    orthant_status status = ORTHANT_OK;
    work.scratch = memory_new(M->ctx, parallel_threads(M->ctx), work.bytes, "scratch");
    if (!work.scratch)
        return ORTHANT_ERROR_MEMORY;
    for (M->first_task = 0; M->first_task < count && !status; M->first_task += BATCH) {
        status = stage_tell(M->ctx, clock, "samples by samples", M->first_task, count);
        if (!status)
            parallel_for(M->ctx, smaller(BATCH, count - M->first_task), block_task, &work);
    }
    memory_free(M->ctx, work.scratch);
    return status;
}

/* ------------------------------------------------------------------ more features than samples */

typedef struct gram_work {
    const orthant_matrix *samples;
    double *gram;
} gram_work;

static void gram_task(void *user, int64_t i, int thread)
{
    const gram_work *work = user;
    const int64_t n = work->samples->rows;
    (void)thread;
    for (int64_t j = 0; j <= i; j++)
        work->gram[i * n + j] = work->gram[j * n + i] = rows_dot(work->samples, i, j);
}

/* G <- C G C */
static void centre(double *G, int64_t n, double *mean)
{
    double all = 0;
    for (int64_t i = 0; i < n; i++) {
        mean[i] = 0;
        for (int64_t j = 0; j < n; j++)
            mean[i] += G[i * n + j] / (double)n;
        all += mean[i] / (double)n;
    }
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++)
            G[i * n + j] += all - mean[i] - mean[j];
}

/* With the centred Gram matrix G = Xc'Xc (n x n) the discriminative part is ridge (G + ridge I)^-1
 * - 1 1'/n. */
static orthant_status invert_gram(nsdr_matrix *M, double *G, double ridge)
{
    const int64_t n = M->n;
    const lapack_int order = (lapack_int)n;
    for (int64_t i = 0; i < n; i++)
        G[i * n + i] += ridge;
    blas_enter();
    const bool failed = LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'U', order, G, order) ||
                        LAPACKE_dpotri(LAPACK_COL_MAJOR, 'U', order, G, order);
    blas_leave();
    if (failed)
        return fail(M->ctx, ORTHANT_ERROR_NUMERIC,
                    "the Gram matrix of the samples plus ridge %g is not positive definite: take a "
                    "larger ridge",
                    ridge);
    for (int64_t i = 0; i < n; i++) /* column-major 'U' is the lower half of our rows */
        for (int64_t j = 0; j <= i; j++) {
            const double value = M->weight * (ridge * G[i * n + j] - 1.0 / (double)n);
            matrix_set_value(M->entries, i * M->entries->stride + j, value);
            matrix_set_value(M->entries, j * M->entries->stride + i, value);
        }
    return ORTHANT_OK;
}

static orthant_status entries_of_gram(nsdr_matrix *M, const orthant_matrix *samples, double ridge,
                                      const search_clock *clock)
{
    const int64_t n = M->n;
    gram_work work = {samples, memory_new(M->ctx, n * n, sizeof *work.gram, "a Gram matrix")};
    double *mean = memory_new(M->ctx, n, sizeof *mean, "the mean of the samples");
    orthant_status status = work.gram && mean ? blas_check_memory(M->ctx) : ORTHANT_ERROR_MEMORY;
    if (!status) {
        parallel_for(M->ctx, n, gram_task, &work);
        centre(work.gram, n, mean);
        status = stage_tell(M->ctx, clock, "samples by samples", 0, 1);
    }
    if (!status)
        status = invert_gram(M, work.gram, ridge);
    memory_free(M->ctx, work.gram);
    memory_free(M->ctx, mean);
    return status;
}

/* ------------------------------------------------------------------ all of it */

static orthant_status take_sizes(nsdr_matrix *M)
{
    const orthant_matrix *Y = M->fit;
    const orthant_status status =
        matrix_new_dense(M->ctx, Y->precision, Y->rows, Y->columns, &M->size);
    for (int64_t i = 0; i < Y->rows && !status; i++)
        for (int64_t j = 0; j < Y->columns; j++)
            matrix_set_value(M->size, i * M->size->stride + j,
                             fabs(matrix_value(Y, i * Y->stride + j)));
    return status;
}

static orthant_status make_entries(nsdr_matrix *M, const orthant_matrix *samples, double ridge,
                                   const search_clock *clock)
{
    orthant_status status = matrix_new_dense(M->ctx, samples->precision, M->n, M->n, &M->entries);
    if (!status)
        status = M->fit ? entries_of_factor(M, clock) : entries_of_gram(M, samples, ridge, clock);
    if (!status)
        add_laplacian(M);
    return status;
}

orthant_status nsdr_matrix_make(nsdr_matrix *M, orthant_context *ctx, const orthant_matrix *samples,
                                const orthant_graph *graph, const nsdr_options *options,
                                const search_clock *clock)
{
    orthant_status status;
    *M = (nsdr_matrix){.ctx = ctx, .n = samples->rows, .weight = options->weight};
    if ((status = take_edges(M, graph)))
        return status;
    if (nsdr_sum_suits(samples)) {
        M->cross = memory_new(ctx, samples->columns, sizeof *M->cross, "a product");
        if (!M->cross)
            return ORTHANT_ERROR_MEMORY;
        if ((status = ridge_factor(ctx, samples, options->ridge, clock, &M->fit)))
            return status;
    }
    return options->as_sum ? take_sizes(M) : make_entries(M, samples, options->ridge, clock);
}

void nsdr_matrix_release(nsdr_matrix *M)
{
    if (!M->ctx)
        return;
    orthant_matrix_free(M->entries);
    orthant_matrix_free(M->fit);
    orthant_matrix_free(M->size);
    orthant_matrix_free(M->edges);
    memory_free(M->ctx, M->linked);
    memory_free(M->ctx, M->cross);
}

/* ------------------------------------------------------------------ products with a vector */

/* Some entries of Y'x, over the samples in their order. */
static void cross_task(void *user, int64_t task, int thread)
{
    const nsdr_matrix *M = user;
    const orthant_matrix *Y = M->fit;
    const int64_t first = task * ROWS_OF_A_TASK,
                  count = smaller(ROWS_OF_A_TASK, Y->columns - first);
    double *to = M->cross + first;
    (void)thread;
    memset(to, 0, (size_t)count * sizeof *to);
    for (int64_t i = 0; i < M->n; i++) {
        const double x = M->x[i];
        if (Y->precision == ORTHANT_SINGLE) {
            const float *row = (const float *)Y->values + i * Y->stride + first;
            for (int64_t j = 0; j < count; j++)
                to[j] += x * (double)row[j];
        } else {
            const double *row = (const double *)Y->values + i * Y->stride + first;
            for (int64_t j = 0; j < count; j++)
                to[j] += x * row[j];
        }
    }
}

static void sum_task(void *user, int64_t task, int thread)
{
    const nsdr_matrix *M = user;
    const kernels *ops = kernel_table(M->fit->precision);
    const int64_t first = task * ROWS_OF_A_TASK, rows = smaller(ROWS_OF_A_TASK, M->n - first);
    double linear[ROWS_OF_A_TASK], near[ROWS_OF_A_TASK];
    (void)thread;
    ops->vector_product(array_rows(ops, matrix_array(M->fit), first, rows), M->cross, linear);
    ops->sparse_vector_product(matrix_csr(M->edges), first, rows, M->x, near);
    for (int64_t i = 0; i < rows; i++) {
        const double x = M->x[first + i];
        M->y[first + i] =
            near[i] - M->linked[first + i] * x - M->weight * (x - M->mean - linear[i]);
    }
}

static void entries_task(void *user, int64_t task, int thread)
{
    const nsdr_matrix *M = user;
    const kernels *ops = kernel_table(M->entries->precision);
    const int64_t first = task * ROWS_OF_A_TASK, rows = smaller(ROWS_OF_A_TASK, M->n - first);
    (void)thread;
    ops->vector_product(array_rows(ops, matrix_array(M->entries), first, rows), M->x, M->y + first);
    for (int64_t i = first; i < first + rows; i++)
        M->y[i] = -M->y[i];
}

void nsdr_negative_product(void *user, const double *x, double *y)
{
    nsdr_matrix *M = user;
    M->x = x;
    M->y = y;
    if (!M->fit) {
        parallel_for(M->ctx, pieces(M->n, ROWS_OF_A_TASK), entries_task, M);
        return;
    }
    M->mean = 0;
    for (int64_t i = 0; i < M->n; i++)
        M->mean += x[i] / (double)M->n;
    parallel_for(M->ctx, pieces(M->fit->columns, ROWS_OF_A_TASK), cross_task, M);
    parallel_for(M->ctx, pieces(M->n, ROWS_OF_A_TASK), sum_task, M);
}
