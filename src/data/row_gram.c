/* R R' a few rows at a time, the half above the diagonal; the other half is mirrored. */
#include "data/row_gram.h"

#include "core/memory.h"
#include "kernel/kernel.h"

/* `scratch` has KERNEL_ROWS + KERNEL_FEATURES rows like P's. */
static void multiply_rows(orthant_precision precision, array P, array R, void *scratch)
{
    const kernels *ops = kernel_table(precision);
    for (int64_t i = 0; i < R.rows; i += KERNEL_ROWS) {
        const int64_t left = R.rows - i, taken = left < KERNEL_ROWS ? left : KERNEL_ROWS;
        const array tile = {scratch, taken, left, matrix_padded(precision, left)},
                    rest = array_rows(ops, R, i, left);
        ops->row_products(tile, rest, rest,
                          (char *)scratch + (size_t)(KERNEL_ROWS * P.stride) * ops->size);
        ops->copy_columns(array_columns(ops, array_rows(ops, P, i, taken), i, left), tile);
    }
    ops->mirror(P);
}

orthant_status row_gram(orthant_context *ctx, const orthant_matrix *rows, orthant_matrix **products)
{
    const int64_t lines = KERNEL_ROWS + KERNEL_FEATURES;
    int64_t entries;
    const orthant_status status =
        matrix_new_factor(ctx, rows->precision, rows->rows, rows->rows, products);
    if (status)
        return status;
    void *scratch =
        size_multiply(lines, (*products)->stride, &entries)
            ? memory_new(ctx, entries, kernel_table(rows->precision)->size, "products of rows")
            : NULL;
    if (scratch)
        multiply_rows(rows->precision, matrix_array(*products), matrix_array(rows), scratch);
    memory_free(ctx, scratch);
    if (scratch)
        return ORTHANT_OK;
    orthant_matrix_free(*products);
    *products = NULL;
    return ORTHANT_ERROR_MEMORY;
}
