/* An array of the caller's whose columns are contiguous (Fortran's order, Octave's and R's), as a
 * file whose rows are read when they are wanted: strips are transposed while others are worked on.
 * What needs all entries takes a copy, row by row. */
#include <inttypes.h>

#include "core/memory.h"
#include "core/parallel.h"
#include "core/pieces.h"
#include "data/matrix.h"
#include "data/row_file.h"

#define TASK_ROWS 64

/* Rows of the array are columns of the matrix. */
static array columns_of(const row_file *file)
{
    const array *given = file->state;
    return *given;
}

static bool read_rows(const row_file *file, int64_t first, int64_t rows, row_target to,
                      row_failure *failure)
{
    const kernels *ops = kernel_table(file->precision);
    (void)failure;
    ops->transpose((array){to.values, rows, file->columns, file->columns},
                   array_columns(ops, columns_of(file), first, rows));
    return true;
}

static void close_columns(row_file *file)
{
    memory_free(file->ctx, file->state);
}

static const row_file_kind by_columns = {
    .name = "an array by columns", .read = read_rows, .close = close_columns};

bool matrix_columns(const orthant_matrix *matrix, orthant_array *given)
{
    if (!matrix->file || matrix->file->kind != &by_columns)
        return false;
    const array columns = array_columns(kernel_table(matrix->precision), columns_of(matrix->file),
                                        matrix->file->first, matrix->rows);
    *given = (orthant_array){.size = sizeof *given,
                             .precision = matrix->precision,
                             .rows = matrix->rows,
                             .columns = matrix->columns,
                             .values = columns.data,
                             .row_stride = 1,
                             .column_stride = columns.stride};
    return true;
}

orthant_status matrix_of_columns(orthant_context *ctx, const orthant_array *given,
                                 orthant_matrix **matrix)
{
    row_file *file = memory_new(ctx, 1, sizeof *file, "an array");
    array *columns = memory_new(ctx, 1, sizeof *columns, "an array");
    orthant_matrix *made =
        file && columns ? matrix_new_handle(ctx, given->precision, given->rows, given->columns)
                        : NULL;
    if (!made) {
        memory_free(ctx, file);
        memory_free(ctx, columns);
        return ORTHANT_ERROR_MEMORY;
    }
    *columns = (array){(void *)(uintptr_t)given->values, given->columns, given->rows,
                       given->column_stride};
    *file = (row_file){.kind = &by_columns,
                       .ctx = ctx,
                       .rows = given->rows,
                       .columns = given->columns,
                       .precision = given->precision,
                       .lossless = true,
                       .grain = 1,
                       .state = columns};
    made->file = file;
    made->stride = given->columns;
    /* As of every file: what is known of its entries is found out once. */
    const orthant_status status = matrix_summarise(made);
    if (status)
        orthant_matrix_free(made);
    else
        *matrix = made;
    return status;
}

/* ---- a copy ---- */

typedef struct copy_work {
    const row_file *file;
    char *values;
} copy_work;

static void copy_task(void *user, int64_t task, int thread)
{
    const copy_work *work = user;
    const int64_t first = task * TASK_ROWS, rows = smaller(TASK_ROWS, work->file->rows - first);
    const size_t row = (size_t)work->file->columns * precision_size(work->file->precision);
    row_failure failure;
    (void)thread;
    row_file_read(work->file, first, rows,
                  (row_target){.values = work->values + (size_t)first * row}, &failure);
}

orthant_status matrix_copy_columns(const orthant_matrix *matrix, const char *who)
{
    /* The entries stay the same: where a shared matrix has them does not matter to who reads it. */
    orthant_matrix *made = (orthant_matrix *)(uintptr_t)matrix;
    void *expected = NULL;
    copy_work work = {.file = matrix->file};
    work.values = memory_new(matrix->ctx, matrix->rows * matrix->columns,
                             precision_size(matrix->precision), "an array row by row");
    if (!work.values)
        return ORTHANT_ERROR_MEMORY;
    parallel_for(matrix->ctx, pieces(matrix->rows, TASK_ROWS), copy_task, &work);
    if (!__atomic_compare_exchange_n(&made->values, &expected, (void *)work.values, false,
                                     __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        memory_free(matrix->ctx, work.values);
    else
        log_note(matrix->ctx,
                 "the array of %" PRId64 " x %" PRId64
                 " entries by columns was copied, row by row: %s needs all of them",
                 matrix->rows, matrix->columns, who);
    return ORTHANT_OK;
}
