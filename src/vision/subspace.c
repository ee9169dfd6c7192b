/* The leading eigenvectors of the histograms' Gram matrix, and the projection on them. */
#include "vision/subspace.h"

#include <inttypes.h>
#include <lapacke.h>
#include <string.h>

#include "core/memory.h"
#include "core/parallel.h"
#include "kernel/blas.h"
#include "kernel/kernel.h"
#include "kernel/lapack.h"

#define BLOCK 2048 /* rows in a task */

typedef struct products {
    const kernels *ops;
    const orthant_matrix *histograms;
    array vectors, projected;
    float *gram; /* a task: features x stride */
} products;

static array rows_of_task(const products *p, int64_t task)
{
    const array all = matrix_array(p->histograms);
    const int64_t first = task * BLOCK;
    return array_rows(p->ops, all, first, all.rows - first < BLOCK ? all.rows - first : BLOCK);
}

static void gram_task(void *user, int64_t task, int thread)
{
    const products *p = user;
    const array y = rows_of_task(p, task);
    const array g = {p->gram + task * y.columns * y.stride, y.columns, y.columns, y.stride};
    (void)thread;
    p->ops->product_transposed(g, y, y, false);
}

static void project_task(void *user, int64_t task, int thread)
{
    const products *p = user;
    const array y = rows_of_task(p, task);
    (void)thread;
    p->ops->product(array_rows(p->ops, p->projected, task * BLOCK, y.rows), y, p->vectors, false);
}

/* Tasks' products are added in their order, in double. */
static orthant_status gram_matrix(orthant_context *ctx, const orthant_matrix *histograms,
                                  double *gram)
{
    products p = {.ops = kernel_table(ORTHANT_SINGLE), .histograms = histograms};
    const int64_t m = histograms->columns, stride = histograms->stride;
    const int64_t tasks = (histograms->rows + BLOCK - 1) / BLOCK;
    p.gram = memory_new(ctx, tasks * m * stride, sizeof *p.gram, "products of histograms");
    if (!p.gram)
        return ORTHANT_ERROR_MEMORY;
    parallel_for(ctx, tasks, gram_task, &p);
    memset(gram, 0, (size_t)(m * m) * sizeof *gram);
    for (int64_t t = 0; t < tasks; t++)
        for (int64_t i = 0; i < m; i++)
            for (int64_t j = 0; j < m; j++)
                gram[i * m + j] += (double)p.gram[(t * m + i) * stride + j];
    memory_free(ctx, p.gram);
    return ORTHANT_OK;
}

/* LAPACK gives them from the smallest on. */
static void largest_first(subspace *s)
{
    const int64_t m = s->features;
    for (int64_t i = 0, j = m - 1; i < j; i++, j--) {
        const double energy = s->energy[i];
        s->energy[i] = s->energy[j];
        s->energy[j] = energy;
        for (int64_t k = 0; k < m; k++) {
            const double entry = s->vectors[i * m + k];
            s->vectors[i * m + k] = s->vectors[j * m + k];
            s->vectors[j * m + k] = entry;
        }
    }
    for (int64_t i = 0; i < m; i++)
        s->energy[i] = s->energy[i] > 0.0 ? s->energy[i] : 0.0;
}

orthant_status subspace_create(orthant_context *ctx, const orthant_matrix *histograms,
                               subspace *out)
{
    const int64_t m = histograms->columns;
    orthant_status status = ORTHANT_ERROR_MEMORY;
    *out = (subspace){.ctx = ctx, .features = m};
    out->energy = memory_new(ctx, m, sizeof *out->energy, "eigenvalues of histograms");
    out->vectors = memory_new(ctx, m * m, sizeof *out->vectors, "eigenvectors of histograms");
    if (!out->energy || !out->vectors || blas_check_memory(ctx) ||
        (status = gram_matrix(ctx, histograms, out->vectors)))
        goto failed;
    const lapack_int order = (lapack_int)m;
    blas_enter();
    const lapack_int unsolved =
        LAPACKE_dsyevd(LAPACK_COL_MAJOR, 'V', 'U', order, out->vectors, order, out->energy);
    blas_leave();
    if (unsolved) {
        status = lapack_fail(
            ctx, unsolved, "the eigenvalues of %" PRId64 " histogram features did not converge", m);
        goto failed;
    }
    largest_first(out);
    return ORTHANT_OK;
failed:
    subspace_free(out);
    return status;
}

void subspace_free(subspace *s)
{
    if (s->ctx) {
        memory_free(s->ctx, s->energy);
        memory_free(s->ctx, s->vectors);
    }
    *s = (subspace){0};
}

double subspace_tail(const subspace *s, int64_t first)
{
    double tail = 0.0, total = 0.0;
    for (int64_t i = s->features - 1; i >= 0; i--) {
        total += s->energy[i];
        tail = i == first ? total : tail;
    }
    return total > 0.0 ? tail / total : 0.0;
}

orthant_status subspace_project(const subspace *s, const orthant_matrix *histograms,
                                int64_t dimensions, orthant_matrix **projected)
{
    orthant_matrix *vectors = NULL;
    products p = {.ops = kernel_table(ORTHANT_SINGLE), .histograms = histograms};
    *projected = NULL;
    orthant_status status =
        matrix_new_factor(s->ctx, ORTHANT_SINGLE, s->features, dimensions, &vectors);
    if (status || (status = matrix_new_factor(s->ctx, ORTHANT_SINGLE, histograms->rows, dimensions,
                                              projected)))
        goto done;
    for (int64_t i = 0; i < s->features; i++)
        for (int64_t j = 0; j < dimensions; j++)
            ((float *)vectors->values)[i * vectors->stride + j] =
                (float)s->vectors[j * s->features + i];
    p.vectors = matrix_array(vectors);
    p.projected = matrix_array(*projected);
    parallel_for(s->ctx, (histograms->rows + BLOCK - 1) / BLOCK, project_task, &p);
done:
    orthant_matrix_free(vectors);
    return status;
}
