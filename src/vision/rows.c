/* Blocks of rows are tasks. */
#include "vision/rows.h"

#include <string.h>

#include "core/memory.h"
#include "core/parallel.h"
#include "kernel/kernel.h"

#define BLOCK 2048 /* rows in a task */

typedef struct products {
    const kernels *ops;
    const orthant_matrix *rows;
    array directions, projected;
    float *gram; /* a task: features x stride */
} products;

static int64_t tasks_of(const orthant_matrix *rows)
{
    return (rows->rows + BLOCK - 1) / BLOCK;
}

static array rows_of_task(const products *p, int64_t task)
{
    const array all = matrix_array(p->rows);
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
    p->ops->product(array_rows(p->ops, p->projected, task * BLOCK, y.rows), y, p->directions,
                    false);
}

/* Tasks' products are added in their order, in double. */
orthant_status rows_gram(orthant_context *ctx, const orthant_matrix *rows, double *gram)
{
    products p = {.ops = kernel_table(ORTHANT_SINGLE), .rows = rows};
    const int64_t m = rows->columns, stride = rows->stride, tasks = tasks_of(rows);
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

orthant_status rows_project(orthant_context *ctx, const orthant_matrix *rows,
                            const double *directions, int64_t count, orthant_matrix **projected)
{
    const int64_t m = rows->columns;
    orthant_matrix *transposed = NULL;
    products p = {.ops = kernel_table(ORTHANT_SINGLE), .rows = rows};
    *projected = NULL;
    orthant_status status = matrix_new_factor(ctx, ORTHANT_SINGLE, m, count, &transposed);
    if (status || (status = matrix_new_factor(ctx, ORTHANT_SINGLE, rows->rows, count, projected)))
        goto done;
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < count; j++)
            ((float *)transposed->values)[i * transposed->stride + j] =
                (float)directions[j * m + i];
    p.directions = matrix_array(transposed);
    p.projected = matrix_array(*projected);
    parallel_for(ctx, tasks_of(rows), project_task, &p);
done:
    orthant_matrix_free(transposed);
    return status;
}
