/* The checksum of a matrix's entries. */
#include <stdatomic.h>

#include "core/checksum.h"
#include "core/parallel.h"
#include "core/pieces.h"
#include "data/matrix.h"

#define ROWS_OF_A_TASK 1024

typedef struct checksum_work {
    const orthant_matrix *matrix;
    atomic_uint_fast64_t sum;
} checksum_work;

uint64_t matrix_row_checksum(const orthant_matrix *matrix, int64_t row)
{
    const size_t size = precision_size(matrix->precision);
    const uint64_t number = (uint64_t)(matrix->part.first + row); /* among all */
    if (!matrix->sparse)
        return checksum_bytes((const char *)matrix->values + (size_t)(row * matrix->stride) * size,
                              (size_t)matrix->columns * size, number);
    const int64_t first = matrix->row_start[row],
                  count = matrix->row_start[row + 1] - matrix->row_start[row];
    const uint64_t columns =
        checksum_bytes(matrix->column + first, (size_t)count * sizeof *matrix->column, number);
    return matrix->values ? checksum_bytes((const char *)matrix->values + (size_t)first * size,
                                           (size_t)count * size, columns)
                          : columns;
}

static void checksum_task(void *user, int64_t index, int thread)
{
    checksum_work *work = user;
    const int64_t first = index * ROWS_OF_A_TASK,
                  end = smaller(first + ROWS_OF_A_TASK, work->matrix->rows);
    uint64_t sum = 0;
    (void)thread;
    for (int64_t i = first; i < end; i++)
        sum += matrix_row_checksum(work->matrix, i);
    atomic_fetch_add(&work->sum, sum);
}

uint64_t matrix_checksum(orthant_context *ctx, const orthant_matrix *matrix)
{
    checksum_work work = {.matrix = matrix};
    if (matrix->file || (matrix->summary.known && !matrix->part.total))
        return matrix->summary.checksum;
    parallel_for(ctx, pieces(matrix->rows, ROWS_OF_A_TASK), checksum_task, &work);
    return atomic_load(&work.sum);
}
