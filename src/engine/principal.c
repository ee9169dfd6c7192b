#include "engine/principal.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "core/parallel.h"
#include "engine/products.h"
#include "engine/subspace.h"
#include "kernel/blas.h"
#include "kernel/lapack.h"

#define EXACT_SIDE 2000  /* LAPACK works on a Gram matrix up to this size, */
#define EXACT_COST 1e11  /* as long as making it takes no more multiplications than this */
#define CHUNK 256        /* centred rows that are added to the Gram matrix at a time */
#define NOTHING 1e-13    /* eigenvalues below this share of the first are rounding */
#define NEARLY_TIED 1e-6 /* entries so near the largest modulus count as it */

void principal_free(orthant_context *ctx, principal *p)
{
    memory_free(ctx, p->mean);
    memory_free(ctx, p->values);
    orthant_matrix_free(p->vectors);
    memset(p, 0, sizeof *p);
}

static void find_mean(const orthant_matrix *X, double *mean)
{
    for (int64_t i = 0; i < X->rows; i++) {
        const int64_t first = X->sparse ? X->row_start[i] : i * X->stride,
                      end = X->sparse ? X->row_start[i + 1] : first + X->columns;
        for (int64_t e = first; e < end; e++)
            mean[X->sparse ? X->column[e] : e - first] += matrix_value(X, e);
    }
    for (int64_t j = 0; j < X->columns; j++)
        mean[j] /= (double)X->rows;
}

/* ------------------------------------------------------------------ by the Gram matrix */

/* The shorter side indexes the Gram matrix; a line is an entry of the longer one. */
typedef struct gram_work {
    orthant_context *ctx;
    const orthant_matrix *X;
    orthant_matrix *transposed; /* of a sparse X whose features are the lines */
    const double *mean;
    bool by_samples;            /* lines are samples */
    int64_t side, lines, first; /* first line of the chunk */
    orthant_matrix *chunk;      /* CHUNK x side, centred */
    orthant_matrix *gram;       /* side x side */
    double *values, *vectors;   /* of the wanted eigenpairs, rising, column-major */
    lapack_int *support;
} gram_work;

/* A centred sample, or a centred feature over all samples. */
static void line_task(void *user, int64_t index, int thread)
{
    const gram_work *g = user;
    const int64_t line = g->first + index;
    double *values = (double *)g->chunk->values + index * g->chunk->stride;
    (void)thread;
    if (g->by_samples)
        matrix_copy_row(g->X, line, values);
    else if (g->transposed)
        matrix_copy_row(g->transposed, line, values);
    else
        for (int64_t i = 0; i < g->side; i++)
            values[i] = matrix_value(g->X, i * g->X->stride + line);
    for (int64_t i = 0; i < g->side; i++)
        values[i] -= g->mean[g->by_samples ? i : line];
}

static void panel_task(void *user, int64_t index, int thread)
{
    const gram_work *g = user;
    const kernels *k = kernel_table(ORTHANT_DOUBLE);
    const int64_t first = index * KERNEL_FEATURES, left = g->side - first;
    const array chunk = matrix_array(g->chunk);
    const int64_t columns = left < KERNEL_FEATURES ? left : KERNEL_FEATURES;
    (void)thread;
    k->product_transposed(array_rows(k, matrix_array(g->gram), first, columns),
                          array_columns(k, chunk, first, columns), chunk, true);
}

static orthant_status make_gram(gram_work *g)
{
    orthant_status status;
    if ((status = matrix_new_factor(g->ctx, ORTHANT_DOUBLE, CHUNK, g->side, &g->chunk)) ||
        (status = matrix_new_factor(g->ctx, ORTHANT_DOUBLE, g->side, g->side, &g->gram)))
        return status;
    if (!g->by_samples && g->X->sparse && (status = matrix_transpose(g->ctx, g->X, &g->transposed)))
        return status;
    for (g->first = 0; g->first < g->lines; g->first += CHUNK) {
        const int64_t left = g->lines - g->first;
        g->chunk->rows = left < CHUNK ? left : CHUNK;
        parallel_for(g->ctx, g->chunk->rows, line_task, g);
        parallel_for(g->ctx, (g->side + KERNEL_FEATURES - 1) / KERNEL_FEATURES, panel_task, g);
    }
    return ORTHANT_OK;
}

static orthant_status eigenpairs(gram_work *g, int64_t count)
{
    const lapack_int side = (lapack_int)g->side;
    lapack_int found = 0;
    g->values = memory_new(g->ctx, g->side, sizeof(double), "eigenvalues");
    g->vectors = memory_new(g->ctx, g->side * count, sizeof(double), "eigenvectors");
    g->support = memory_new(g->ctx, 2 * g->side, sizeof *g->support, "eigenvectors");
    if (!g->values || !g->vectors || !g->support || blas_check_memory(g->ctx))
        return ORTHANT_ERROR_MEMORY;
    blas_enter();
    const lapack_int failed = LAPACKE_dsyevr(
        LAPACK_COL_MAJOR, 'V', 'I', 'U', side, g->gram->values, (lapack_int)g->gram->stride, 0, 0,
        side - (lapack_int)count + 1, side, 0, &found, g->values, g->vectors, side, g->support);
    blas_leave();
    if (failed || found != (lapack_int)count)
        return lapack_fail(g->ctx, failed, "LAPACK found no eigenvectors of the scatter");
    return ORTHANT_OK;
}

/* Products with X less its mean: to = X_c from, or to = X_c'from. */
static orthant_status centred_product(orthant_context *ctx, const orthant_matrix *X,
                                      const double *mean, bool forward, orthant_matrix *from,
                                      orthant_matrix *to)
{
    const kernels *k = kernel_table(X->precision);
    orthant_matrix *column = NULL, *sums = NULL;
    orthant_status status;
    if ((status = matrix_new_dense(ctx, X->precision, X->columns, 1, &column)) ||
        (status = matrix_new_factor(ctx, X->precision, 1, from->columns, &sums)))
        goto done;
    for (int64_t j = 0; j < X->columns; j++)
        matrix_set_value(column, j, -mean[j]);
    if (forward) {
        products_forward(ctx, X, matrix_array(from), matrix_array(to));
        centre_forward(k, matrix_array(to), matrix_array(from), matrix_array(column), sums);
    } else {
        products_backward(ctx, X, matrix_array(from), matrix_array(to));
        centre_backward(k, matrix_array(to), matrix_array(from), matrix_array(column), sums);
    }
done:
    orthant_matrix_free(column);
    orthant_matrix_free(sums);
    return status;
}

static void set_column(orthant_matrix *factor, int64_t j, const double *values)
{
    for (int64_t i = 0; i < factor->rows; i++)
        matrix_set_value(factor, i * factor->stride + j, values[i]);
}

/* Eigenvectors of X_c'X_c as they are; those u of X_c X_c' become X_c'u, to be scaled. */
static orthant_status take_eigenpairs(gram_work *g, int64_t count, principal *p)
{
    orthant_matrix *left = NULL;
    orthant_status status = ORTHANT_OK;
    if (!g->by_samples &&
        (status = matrix_new_factor(g->ctx, g->X->precision, g->side, p->vectors->columns, &left)))
        return status;
    for (int64_t j = 0; j < count; j++) {
        const double value = g->values[count - 1 - j];
        if (!(value > NOTHING * g->values[count - 1]))
            break;
        p->values[j] = value;
        p->found++;
        set_column(left ? left : p->vectors, j, g->vectors + (count - 1 - j) * g->side);
    }
    if (left)
        status = centred_product(g->ctx, g->X, p->mean, false, left, p->vectors);
    orthant_matrix_free(left);
    return status;
}

static gram_work gram_begin(orthant_context *ctx, const orthant_matrix *X, const double *mean)
{
    const bool by_samples = X->rows > X->columns;
    return (gram_work){.ctx = ctx,
                       .X = X,
                       .mean = mean,
                       .by_samples = by_samples,
                       .side = by_samples ? X->columns : X->rows,
                       .lines = by_samples ? X->rows : X->columns};
}

static void gram_end(gram_work *g)
{
    orthant_matrix_free(g->transposed);
    orthant_matrix_free(g->chunk);
    orthant_matrix_free(g->gram);
    memory_free(g->ctx, g->values);
    memory_free(g->ctx, g->vectors);
    memory_free(g->ctx, g->support);
}

bool principal_is_exact(const orthant_matrix *X)
{
    const double side = (double)(X->rows < X->columns ? X->rows : X->columns),
                 cost = side * (double)X->rows * (double)X->columns;
    return side <= EXACT_SIDE && cost <= EXACT_COST;
}

orthant_status principal_gram(orthant_context *ctx, const orthant_matrix *X, int64_t wanted,
                              double *values, double *vectors)
{
    double *zeros = memory_new(ctx, X->columns, sizeof *zeros, "a sample");
    gram_work g = gram_begin(ctx, X, zeros);
    orthant_status status = zeros ? make_gram(&g) : ORTHANT_ERROR_MEMORY;
    if (!status)
        status = eigenpairs(&g, wanted);
    for (int64_t j = 0; j < wanted && !status; j++) {
        values[j] = g.values[wanted - 1 - j];
        memcpy(vectors + j * g.side, g.vectors + (wanted - 1 - j) * g.side,
               (size_t)g.side * sizeof *vectors);
    }
    gram_end(&g);
    memory_free(ctx, zeros);
    return status;
}

static orthant_status find_exactly(orthant_context *ctx, const orthant_matrix *X, principal *p)
{
    gram_work g = gram_begin(ctx, X, p->mean);
    const int64_t count = p->vectors->columns < g.side ? p->vectors->columns : g.side;
    orthant_status status = make_gram(&g);
    for (int64_t i = 0; !status && i < g.side; i++)
        p->scatter += matrix_value(g.gram, i * g.gram->stride + i);
    if (!status)
        status = eigenpairs(&g, count);
    if (!status)
        status = take_eigenpairs(&g, count, p);
    p->settled = true;
    gram_end(&g);
    return status;
}

/* ------------------------------------------------------------------ by subspace iteration */

static double total_scatter(const orthant_matrix *X, const double *mean)
{
    double squares = 0;
    for (int64_t j = 0; j < X->columns; j++)
        squares += mean[j] * mean[j];
    return fmax(matrix_squares(X) - (double)X->rows * squares, 0);
}

static double left_over(const subspace *s, double scatter)
{
    for (int64_t j = 0; j < s->wanted; j++)
        scatter -= s->values[j] * s->values[j];
    return fmax(scatter, 0);
}

static orthant_status find_by_subspace(orthant_context *ctx, const orthant_matrix *X, uint64_t seed,
                                       int64_t most_rounds, double time_limit_s, principal *p)
{
    const int64_t least = X->rows < X->columns ? X->rows : X->columns;
    subspace s = {.ctx = ctx,
                  .X = X,
                  .mean = p->mean,
                  .wanted = p->vectors->columns < least ? p->vectors->columns : least,
                  .tolerance = X->precision == ORTHANT_SINGLE ? 1e-7 : 1e-14};
    const double begin = clock_seconds();
    double *vector = memory_new(ctx, X->columns, sizeof *vector, "a component");
    orthant_status status = subspace_setup(&s, seed);
    p->scatter = total_scatter(X, p->mean);
    if (!status && !vector)
        status = ORTHANT_ERROR_MEMORY;
    while (!status && !p->settled && !p->stopped && p->rounds < most_rounds) {
        status = subspace_round(&s, &p->settled);
        p->rounds++;
        const double seconds = clock_seconds() - begin;
        p->stopped = !status && (!progress_tell(ctx, "fit", p->rounds, most_rounds, seconds,
                                                left_over(&s, p->scatter)) ||
                                 (time_limit_s > 0 && seconds >= time_limit_s));
    }
    for (int64_t j = 0; !status && j < s.wanted; j++) {
        if (!(s.values[j] * s.values[j] > NOTHING * s.values[0] * s.values[0]))
            break;
        p->values[j] = s.values[j] * s.values[j];
        p->found++;
        subspace_right(&s, j, vector);
        set_column(p->vectors, j, vector);
    }
    memory_free(ctx, vector);
    subspace_release(&s);
    return status;
}

/* ------------------------------------------------------------------ both */

/* Unit length, and the entry of largest modulus positive: of nearly tied ones the first. */
static void finish_column(orthant_matrix *vectors, int64_t j)
{
    double squares = 0, largest = 0, sign = 0;
    for (int64_t i = 0; i < vectors->rows; i++) {
        const double value = matrix_value(vectors, i * vectors->stride + j);
        squares += value * value;
        largest = fmax(largest, fabs(value));
    }
    for (int64_t i = 0; i < vectors->rows && sign == 0; i++) {
        const double value = matrix_value(vectors, i * vectors->stride + j);
        if (fabs(value) >= (1 - NEARLY_TIED) * largest)
            sign = value < 0 ? -1 : 1;
    }
    for (int64_t i = 0; i < vectors->rows && squares > 0; i++)
        matrix_set_value(vectors, i * vectors->stride + j,
                         sign * matrix_value(vectors, i * vectors->stride + j) / sqrt(squares));
}

orthant_status principal_find(orthant_context *ctx, const orthant_matrix *X, int64_t wanted,
                              uint64_t seed, int64_t most_rounds, double time_limit_s, principal *p)
{
    memset(p, 0, sizeof *p);
    p->mean = memory_new(ctx, X->columns, sizeof *p->mean, "the mean sample");
    p->values = memory_new(ctx, wanted, sizeof *p->values, "eigenvalues");
    orthant_status status = matrix_new_factor(ctx, X->precision, X->columns, wanted, &p->vectors);
    if (status || !p->mean || !p->values)
        return ORTHANT_ERROR_MEMORY;
    find_mean(X, p->mean);
    status = principal_is_exact(X) ? find_exactly(ctx, X, p)
                                   : find_by_subspace(ctx, X, seed, most_rounds, time_limit_s, p);
    for (int64_t j = 0; !status && j < p->found; j++)
        finish_column(p->vectors, j);
    return status;
}

orthant_status principal_scores(orthant_context *ctx, const orthant_matrix *X, const principal *p,
                                orthant_matrix *scores)
{
    return centred_product(ctx, X, p->mean, true, p->vectors, scores);
}
