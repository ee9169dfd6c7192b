/* Products with an X that lies in a file. */
#include "data/pass.h"
#include "engine/products.h"

typedef struct product_work {
    const kernels *ops;
    array b, c;
} product_work;

static void forward_rows(void *user, strip x, block b)
{
    const product_work *work = user;
    const kernels *ops = work->ops;
    const int64_t row = x.row + b.first - x.first;
    const array c = array_rows(ops, work->c, b.first, b.rows);
    if (x.data->sparse)
        ops->sparse_product(c, matrix_csr(x.data), row, work->b, false);
    else
        ops->product(c, array_rows(ops, matrix_array(x.data), row, b.rows), work->b, false);
}

void products_forward_file(orthant_context *ctx, const orthant_matrix *X, array b, array c)
{
    product_work work = {kernel_table(X->precision), b, c};
    rows_pass_take(ctx, X, &(rows_pass){&work, forward_rows, NULL});
}
