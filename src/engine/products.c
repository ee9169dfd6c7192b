#include "engine/products.h"

#include <string.h>

#include "core/parallel.h"
#include "core/pieces.h"

#define RANGES 8 /* of features, for a sparse X */

typedef struct product_work {
    const orthant_matrix *X;
    const kernels *k;
    array b, c;
} product_work;

static void forward_task(void *user, int64_t index, int thread)
{
    const product_work *work = user;
    const int64_t first = index * KERNEL_ROWS, rows = smaller(KERNEL_ROWS, work->c.rows - first);
    const array c = array_rows(work->k, work->c, first, rows);
    (void)thread;
    if (work->X->sparse)
        work->k->sparse_product(c, matrix_csr(work->X), first, work->b, false);
    else
        work->k->product(c, array_rows(work->k, matrix_array(work->X), first, rows), work->b,
                         false);
}

void products_forward(orthant_context *ctx, const orthant_matrix *X, array b, array c)
{
    product_work work = {X, kernel_table(X->precision), b, c};
    parallel_for(ctx, pieces(c.rows, KERNEL_ROWS), forward_task, &work);
}

static void backward_task(void *user, int64_t index, int thread)
{
    const product_work *work = user;
    const int64_t m = work->c.rows;
    (void)thread;
    if (work->X->sparse) {
        const int64_t from = index * m / RANGES, end = (index + 1) * m / RANGES;
        work->k->sparse_product_transposed(array_rows(work->k, work->c, from, end - from),
                                           matrix_csr(work->X), 0, work->b,
                                           (csr_range){from, end, NULL, NULL});
        return;
    }
    const int64_t first = index * KERNEL_FEATURES, features = smaller(KERNEL_FEATURES, m - first);
    work->k->product_transposed(array_rows(work->k, work->c, first, features),
                                array_columns(work->k, matrix_array(work->X), first, features),
                                work->b, false);
}

void products_backward(orthant_context *ctx, const orthant_matrix *X, array b, array c)
{
    product_work work = {X, kernel_table(X->precision), b, c};
    if (X->sparse)
        array_clear(work.k, c);
    parallel_for(ctx, X->sparse ? RANGES : pieces(c.rows, KERNEL_FEATURES), backward_task, &work);
}
