/* Noise entry by entry; permutations feature by feature, in the transpose. */
#include "study/altered.h"

#include <string.h>

#include "core/memory.h"
#include "core/random.h"

orthant_status altered_by_noise(orthant_context *ctx, const orthant_matrix *from, double amount,
                                uint64_t seed, orthant_matrix **altered)
{
    const orthant_status status = matrix_copy(ctx, from, from->precision, altered);
    if (status)
        return status;
    orthant_matrix *x = *altered;
    for (int64_t i = 0; i < x->rows; i++) {
        const int64_t begin = x->sparse ? x->row_start[i] : i * x->stride;
        const int64_t end = x->sparse ? x->row_start[i + 1] : begin + x->columns;
        for (int64_t e = begin; e < end; e++) {
            const int64_t j = x->sparse ? x->column[e] : e - begin;
            const double u = random_uniform(seed, RANDOM_NOISE, (uint64_t)i, (uint64_t)j);
            matrix_set_value(x, e, matrix_value(x, e) * (1 + amount * (2 * u - 1)));
        }
    }
    x->summary.known = false;
    return ORTHANT_OK;
}

/* The entries of one feature go to samples of their own; `sample` is any order of all samples, and
 * another one afterwards. Of a dense feature the entries are in `entry` meanwhile. */
static void permute_row(orthant_matrix *x, int64_t row, uint64_t seed, int64_t *sample,
                        double *entry)
{
    const int64_t begin = x->sparse ? x->row_start[row] : row * x->stride;
    const int64_t count = x->sparse ? x->row_start[row + 1] - begin : x->columns;
    for (int64_t e = 0; e < count; e++) {
        const int64_t other = e + (int64_t)random_below(seed, RANDOM_PERMUTATION, (uint64_t)row,
                                                        (uint64_t)e, (uint64_t)(x->columns - e));
        const int64_t swapped = sample[e];
        sample[e] = sample[other];
        sample[other] = swapped;
        if (x->sparse)
            x->column[begin + e] = (int32_t)sample[e];
        else
            entry[e] = matrix_value(x, begin + e);
    }
    for (int64_t e = 0; e < count && !x->sparse; e++)
        matrix_set_value(x, begin + sample[e], entry[e]);
}

orthant_status altered_by_permutation(orthant_context *ctx, const orthant_matrix *from,
                                      uint64_t seed, orthant_matrix **altered)
{
    orthant_matrix *transposed = NULL;
    double *entry = memory_new(ctx, from->rows, sizeof *entry, "a feature");
    int64_t *sample = memory_new(ctx, from->rows, sizeof *sample, "an order of samples");
    orthant_status status =
        entry && sample ? matrix_transpose(ctx, from, &transposed) : ORTHANT_ERROR_MEMORY;
    *altered = NULL;
    for (int64_t i = 0; i < from->rows && !status; i++)
        sample[i] = i;
    for (int64_t j = 0; j < from->columns && !status; j++)
        permute_row(transposed, j, seed, sample, entry);
    if (!status && transposed->sparse)
        status = matrix_order_rows(transposed);
    if (!status)
        status = matrix_transpose(ctx, transposed, altered);
    orthant_matrix_free(transposed);
    memory_free(ctx, sample);
    memory_free(ctx, entry);
    return status;
}
