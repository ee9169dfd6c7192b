/* Arrays of the caller's as matrices, and matrices as arrays for the caller to read. */
#include "data/matrix.h"

#include <inttypes.h>
#include <string.h>

#include "core/memory.h"
#include "core/parallel.h"
#include "core/sized.h"
#include "data/row_file.h"

#define TILE 32 /* rows and columns that are copied together, so that neither side walks far */
#define TASK_ENTRIES 65536
/* An array by columns that takes less is copied: its rows are made once, and not in each pass. */
#define COPIED_BYTES (64 << 20)

static bool aligned(const void *memory, size_t size)
{
    return (uintptr_t)memory % size == 0;
}

static const char *element_name(orthant_precision precision)
{
    return precision == ORTHANT_DOUBLE ? "doubles" : "floats";
}

/* ---- dense ---- */

/* Copying a dense array of any strides, row by row. */
typedef struct dense_copy {
    const orthant_array *from;
    orthant_matrix *to;
    int64_t rows; /* of a task */
} dense_copy;

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static void copy_tile(const dense_copy *c, int64_t row, int64_t row_end, int64_t column)
{
    const orthant_array *from = c->from;
    const size_t size = precision_size(from->precision);
    const int64_t column_end = smaller(column + TILE, from->columns);
    for (int64_t i = row; i < row_end; i++) {
        char *to = (char *)c->to->values + (size_t)(i * c->to->stride + column) * size;
        const char *entry = (const char *)from->values +
                            (i * from->row_stride + column * from->column_stride) * (int64_t)size;
        for (int64_t j = column; j < column_end; j++, to += size) {
            memcpy(to, entry, size == sizeof(double) ? sizeof(double) : sizeof(float));
            entry += from->column_stride * (int64_t)size;
        }
    }
}

static void copy_rows(void *user, int64_t task, int thread)
{
    const dense_copy *c = user;
    const int64_t end = smaller((task + 1) * c->rows, c->from->rows);
    (void)thread;
    for (int64_t i = task * c->rows; i < end; i += TILE)
        for (int64_t j = 0; j < c->from->columns; j += TILE)
            copy_tile(c, i, smaller(i + TILE, end), j);
}

static orthant_status copy_dense(orthant_context *ctx, const orthant_array *given,
                                 orthant_matrix **matrix)
{
    const orthant_status status =
        matrix_new_dense(ctx, given->precision, given->rows, given->columns, matrix);
    if (status)
        return status;
    const int64_t tiles = 1 + TASK_ENTRIES / TILE / given->columns;
    dense_copy c = {given, *matrix, tiles * TILE};
    parallel_for(ctx, (given->rows - 1) / c.rows + 1, copy_rows, &c);
    log_note(ctx,
             "the array of %" PRId64 " x %" PRId64 " %s with strides of %" PRId64 " and %" PRId64
             " elements was copied, row by row",
             given->rows, given->columns, element_name(given->precision), given->row_stride,
             given->column_stride);
    return ORTHANT_OK;
}

/* Whether the offsets of all entries fit. */
static orthant_status check_strides(orthant_context *ctx, const orthant_array *given)
{
    int64_t down, across, sum, bytes;
    if (__builtin_mul_overflow(given->rows - 1, given->row_stride, &down) ||
        __builtin_mul_overflow(given->columns - 1, given->column_stride, &across) ||
        __builtin_add_overflow(down, across, &sum) ||
        __builtin_mul_overflow(sum, (int64_t)sizeof(double), &bytes) ||
        __builtin_mul_overflow(down, (int64_t)sizeof(double), &bytes) ||
        __builtin_mul_overflow(across, (int64_t)sizeof(double), &bytes))
        return fail(ctx, ORTHANT_ERROR_ARGUMENT,
                    "an array of %" PRId64 " x %" PRId64 " with strides of %" PRId64 " and %" PRId64
                    " elements does not fit in memory",
                    given->rows, given->columns, given->row_stride, given->column_stride);
    return ORTHANT_OK;
}

static orthant_status wrap_dense(orthant_context *ctx, const orthant_array *given,
                                 orthant_matrix **matrix)
{
    const int64_t rows = given->rows, columns = given->columns;
    const orthant_status status = check_strides(ctx, given);
    if (status)
        return status;
    const int64_t size = (int64_t)precision_size(given->precision);
    if (given->row_stride == 1 && columns > 1 && given->column_stride >= rows &&
        aligned(given->values, (size_t)size) && rows * columns * size >= COPIED_BYTES)
        return matrix_of_columns(ctx, given, matrix);
    const bool contiguous = columns == 1 || given->column_stride == 1 || rows == 0;
    const int64_t stride = rows <= 1 ? columns : given->row_stride;
    if (!contiguous || stride < columns || !aligned(given->values, (size_t)size))
        return copy_dense(ctx, given, matrix);
    orthant_matrix *made = matrix_new_handle(ctx, given->precision, rows, columns);
    if (!made)
        return ORTHANT_ERROR_MEMORY;
    made->stride = stride;
    made->values = (void *)(uintptr_t)given->values;
    made->borrowed_values = true;
    *matrix = made;
    return ORTHANT_OK;
}

/* ---- CSR ---- */

/* An index of either width, which need not be aligned. */
static int64_t index_at(const void *indices, int32_t bits, int64_t position)
{
    int64_t wide;
    int32_t narrow;
    if (bits == 64) {
        memcpy(&wide, (const char *)indices + position * (int64_t)sizeof wide, sizeof wide);
        return wide;
    }
    memcpy(&narrow, (const char *)indices + position * (int64_t)sizeof narrow, sizeof narrow);
    return narrow;
}

static orthant_status check_row_starts(orthant_context *ctx, const orthant_array *given)
{
    int64_t before = index_at(given->row_start, given->row_start_bits, 0);
    if (before != 0)
        return fail(ctx, ORTHANT_ERROR_ARGUMENT, "row_start begins with %" PRId64 ", expected 0",
                    before);
    for (int64_t i = 1; i <= given->rows; i++) {
        const int64_t start = index_at(given->row_start, given->row_start_bits, i);
        if (start < before)
            return fail(ctx, ORTHANT_ERROR_ARGUMENT,
                        "row_start goes from %" PRId64 " to %" PRId64 " at row %" PRId64
                        ": expected to start at 0 and never fall",
                        before, start, i);
        before = start;
    }
    if (before > given->stored)
        return fail(ctx, ORTHANT_ERROR_ARGUMENT,
                    "row_start ends with %" PRId64 ", but there are %" PRId64 " stored entries",
                    before, given->stored);
    if (before > 0 && (!given->column || !given->values))
        return fail(ctx, ORTHANT_ERROR_ARGUMENT, "orthant_matrix_wrap: column or values is NULL");
    return ORTHANT_OK;
}

static orthant_status check_columns(orthant_context *ctx, const orthant_array *given)
{
    int64_t position = 0;
    for (int64_t i = 0; i < given->rows; i++) {
        const int64_t end = index_at(given->row_start, given->row_start_bits, i + 1);
        for (; position < end; position++) {
            const int64_t column = index_at(given->column, given->column_bits, position);
            if (column < 0 || column >= given->columns)
                return fail(ctx, ORTHANT_ERROR_ARGUMENT,
                            "entry %" PRId64 " stands at (%" PRId64 ", %" PRId64
                            "), outside of %" PRId64 " x %" PRId64,
                            position + 1, i + 1, column + 1, given->rows, given->columns);
        }
    }
    return ORTHANT_OK;
}

static orthant_status check_csr(orthant_context *ctx, const orthant_array *given)
{
    const int32_t starts = given->row_start_bits, columns = given->column_bits;
    if ((starts != 32 && starts != 64) || (columns != 32 && columns != 64))
        return fail(ctx, ORTHANT_ERROR_ARGUMENT,
                    "orthant_matrix_wrap: indices of %d and %d bits; expected 32 or 64", starts,
                    columns);
    if (!given->row_start)
        return fail(ctx, ORTHANT_ERROR_ARGUMENT, "orthant_matrix_wrap: row_start is NULL");
    orthant_status status = matrix_check_sparse(ctx, given->rows, given->columns, given->stored);
    if (!status)
        status = check_row_starts(ctx, given);
    return status ? status : check_columns(ctx, given);
}

static orthant_status take_row_starts(orthant_matrix *matrix, const orthant_array *given)
{
    matrix->borrowed_row_start =
        given->row_start_bits == 64 && aligned(given->row_start, sizeof(int64_t));
    if (matrix->borrowed_row_start) {
        matrix->row_start = (int64_t *)(uintptr_t)given->row_start;
        return ORTHANT_OK;
    }
    matrix->row_start = memory_new(matrix->ctx, matrix->rows + 1, sizeof *matrix->row_start,
                                   "a sparse matrix's rows");
    for (int64_t i = 0; matrix->row_start && i <= matrix->rows; i++)
        matrix->row_start[i] = index_at(given->row_start, given->row_start_bits, i);
    return matrix->row_start ? ORTHANT_OK : ORTHANT_ERROR_MEMORY;
}

static orthant_status take_columns(orthant_matrix *matrix, const orthant_array *given)
{
    const int64_t stored = matrix->row_start[matrix->rows];
    matrix->borrowed_column =
        stored > 0 && given->column_bits == 32 && aligned(given->column, sizeof(int32_t));
    if (matrix->borrowed_column) {
        matrix->column = (int32_t *)(uintptr_t)given->column;
        return ORTHANT_OK;
    }
    matrix->column =
        memory_new(matrix->ctx, stored, sizeof *matrix->column, "a sparse matrix's columns");
    for (int64_t p = 0; matrix->column && p < stored; p++)
        matrix->column[p] = (int32_t)index_at(given->column, given->column_bits, p);
    return matrix->column ? ORTHANT_OK : ORTHANT_ERROR_MEMORY;
}

static orthant_status take_values(orthant_matrix *matrix, const orthant_array *given)
{
    const int64_t stored = matrix->row_start[matrix->rows];
    const size_t size = precision_size(given->precision);
    matrix->borrowed_values = stored > 0 && aligned(given->values, size);
    if (matrix->borrowed_values) {
        matrix->values = (void *)(uintptr_t)given->values;
        return ORTHANT_OK;
    }
    matrix->values = memory_new(matrix->ctx, stored, size, "a sparse matrix's entries");
    if (matrix->values && stored > 0)
        memcpy(matrix->values, given->values, (size_t)stored * size);
    return matrix->values ? ORTHANT_OK : ORTHANT_ERROR_MEMORY;
}

/* In place of borrowed arrays whose rows are not in order: copies, which can be sorted. */
static orthant_status order_copy(orthant_matrix **matrix)
{
    orthant_matrix *copy = NULL;
    orthant_status status = matrix_copy((*matrix)->ctx, *matrix, (*matrix)->precision, &copy);
    if (!status)
        status = matrix_order_rows(copy);
    if (status) {
        orthant_matrix_free(copy);
        return status;
    }
    log_note(copy->ctx,
             "the CSR array of %" PRId64 " x %" PRId64
             " was copied: columns of a row were not in order, or double",
             copy->rows, copy->columns);
    orthant_matrix_free(*matrix);
    *matrix = copy;
    return ORTHANT_OK;
}

static orthant_status wrap_csr(orthant_context *ctx, const orthant_array *given,
                               orthant_matrix **matrix)
{
    orthant_status status = check_csr(ctx, given);
    if (status)
        return status;
    orthant_matrix *made = matrix_new_handle(ctx, given->precision, given->rows, given->columns);
    if (!made)
        return ORTHANT_ERROR_MEMORY;
    made->sparse = true;
    if (!(status = take_row_starts(made, given)) && !(status = take_columns(made, given)) &&
        !(status = take_values(made, given)) && !matrix_rows_ordered(made))
        status = order_copy(&made);
    if (status)
        orthant_matrix_free(made);
    else
        *matrix = made;
    return status;
}

/* ---- the public side ---- */

orthant_status orthant_matrix_wrap(orthant_context *context, const orthant_array *caller,
                                   orthant_array_release_function release, void *user,
                                   orthant_matrix **matrix)
{
    orthant_array own;
    const orthant_array *given = &own;
    if (matrix)
        *matrix = NULL;
    orthant_status status = entry_check(context, caller && matrix, __func__);
    if (!status)
        status = sized_take(context, __func__, caller, &own, sizeof own);
    if (status)
        return status;
    if (given->precision != ORTHANT_SINGLE && given->precision != ORTHANT_DOUBLE)
        return fail(context, ORTHANT_ERROR_ARGUMENT,
                    "orthant_matrix_wrap: unknown precision %d; expected ORTHANT_SINGLE or "
                    "ORTHANT_DOUBLE",
                    (int)given->precision);
    /* of processes that share the samples one may have none */
    if (given->rows || !context->group.ranks)
        status = matrix_check_shape(context, given->rows, given->columns);
    else
        status = matrix_check_shape(context, 1, given->columns);
    if (!status && !given->sparse && !given->values && given->rows)
        status = fail(context, ORTHANT_ERROR_ARGUMENT, "orthant_matrix_wrap: values is NULL");
    if (!status)
        status =
            given->sparse ? wrap_csr(context, given, matrix) : wrap_dense(context, given, matrix);
    if (status || !release)
        return status;
    orthant_matrix *made = *matrix;
    if (made->borrowed_values || made->borrowed_row_start || made->borrowed_column || made->file) {
        made->release = release;
        made->release_user = user;
    } else {
        release(user);
    }
    return ORTHANT_OK;
}

bool orthant_matrix_is_borrowed(const orthant_matrix *matrix)
{
    orthant_array columns;
    return matrix && (matrix->borrowed_values || matrix_columns(matrix, &columns));
}

orthant_status orthant_matrix_view(const orthant_matrix *matrix, orthant_array *view)
{
    orthant_array found;
    if (!matrix)
        return ORTHANT_ERROR_ARGUMENT;
    if (matrix_columns(matrix, &found))
        return sized_give(matrix->ctx, __func__, &found, sizeof found, view);
    const orthant_status here = matrix_check_here(matrix, __func__);
    if (here)
        return here;
    found = (orthant_array){.size = sizeof found,
                            .precision = matrix->precision,
                            .sparse = matrix->sparse,
                            .rows = matrix->rows,
                            .columns = matrix->columns,
                            .values = matrix->values};
    if (matrix->sparse) {
        found.stored = matrix->row_start[matrix->rows];
        found.row_start = matrix->row_start;
        found.column = matrix->column;
        found.row_start_bits = 64;
        found.column_bits = 32;
    } else {
        found.row_stride = matrix->stride;
        found.column_stride = 1;
    }
    return sized_give(matrix->ctx, __func__, &found, sizeof found, view);
}

orthant_status matrix_own_values(orthant_matrix *matrix)
{
    const orthant_status here = matrix_check_here(matrix, "scaling");
    if (here)
        return here;
    row_file_close(matrix->file); /* that they were copied from */
    matrix->file = NULL;
    if (!matrix->borrowed_values)
        return ORTHANT_OK;
    const size_t size = precision_size(matrix->precision);
    const int64_t columns = matrix->columns,
                  count = matrix->sparse ? matrix->row_start[matrix->rows] : matrix->rows * columns;
    char *own = memory_new(matrix->ctx, count, size, "a matrix's entries");
    if (!own)
        return ORTHANT_ERROR_MEMORY;
    if (matrix->sparse)
        memcpy(own, matrix->values, (size_t)count * size);
    for (int64_t i = 0; i < matrix->rows && !matrix->sparse; i++)
        memcpy(own + (size_t)(i * columns) * size,
               (char *)matrix->values + (size_t)(i * matrix->stride) * size,
               (size_t)columns * size);
    if (!matrix->sparse)
        matrix->stride = columns;
    matrix->values = own;
    matrix->borrowed_values = false;
    return ORTHANT_OK;
}
