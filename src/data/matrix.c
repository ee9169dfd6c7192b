/* Making, copying, transposing and describing dense and sparse matrices. */
#include "data/matrix.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "core/file.h"
#include "core/memory.h"
#include "core/pieces.h"
#include "data/row_file.h"

#define MOST_SPARSE_COLUMNS (INT32_MAX - 1)

int64_t matrix_stored(const orthant_matrix *matrix)
{
    if (!matrix->sparse)
        return matrix->rows * matrix->columns;
    return matrix->file ? row_file_stored(matrix->file, 0, matrix->rows)
                        : matrix->row_start[matrix->rows];
}

int64_t matrix_bytes(const orthant_matrix *matrix)
{
    const int64_t size = (int64_t)precision_size(matrix->precision);
    return matrix->sparse ? matrix_stored(matrix) * (size + (int64_t)sizeof *matrix->column) +
                                matrix->rows * (int64_t)sizeof *matrix->row_start
                          : matrix->rows * matrix->stride * size;
}

int64_t matrix_padded(orthant_precision precision, int64_t columns)
{
    const int64_t size = (int64_t)precision_size(precision);
    if (columns <= 16 / size)
        return 16 / size;
    if (columns <= 32 / size)
        return 32 / size;
    const int64_t line = 64 / size;
    return columns > INT64_MAX - line ? columns : (columns + line - 1) / line * line;
}

/* ---- making -----------------------------------------------------------------------------------
 */

orthant_matrix *matrix_new_handle(orthant_context *ctx, orthant_precision precision, int64_t rows,
                                  int64_t columns)
{
    orthant_matrix *matrix = memory_new(ctx, 1, sizeof *matrix, "a matrix");
    if (!matrix)
        return NULL;
    matrix->ctx = ctx;
    matrix->precision = precision;
    matrix->rows = rows;
    matrix->columns = columns;
    return matrix;
}

static orthant_status new_dense(orthant_context *ctx, orthant_precision precision, int64_t rows,
                                int64_t columns, int64_t stride, orthant_matrix **matrix)
{
    int64_t count;
    *matrix = NULL;
    if (!size_multiply(rows, stride, &count) || columns < 0)
        return fail(ctx, ORTHANT_ERROR_MEMORY,
                    "out of memory: a matrix of %" PRId64 " x %" PRId64 " does not fit", rows,
                    columns);
    orthant_matrix *made = matrix_new_handle(ctx, precision, rows, columns);
    if (!made)
        return ORTHANT_ERROR_MEMORY;
    made->stride = stride;
    made->values = memory_new(ctx, count, precision_size(precision), "a matrix's entries");
    if (!made->values) {
        orthant_matrix_free(made);
        return ORTHANT_ERROR_MEMORY;
    }
    *matrix = made;
    return ORTHANT_OK;
}

orthant_status matrix_new_dense(orthant_context *ctx, orthant_precision precision, int64_t rows,
                                int64_t columns, orthant_matrix **matrix)
{
    return new_dense(ctx, precision, rows, columns, columns, matrix);
}

orthant_status matrix_of_mapping(orthant_context *ctx, orthant_precision precision, int64_t rows,
                                 int64_t columns, void *mapping, int64_t bytes, int64_t offset,
                                 orthant_matrix **matrix)
{
    orthant_matrix *made = *matrix = matrix_new_handle(ctx, precision, rows, columns);
    if (!made)
        return ORTHANT_ERROR_MEMORY;
    made->stride = columns;
    made->values = (char *)mapping + offset;
    made->mapping = mapping;
    made->mapped_bytes = bytes;
    return ORTHANT_OK;
}

orthant_status matrix_new_factor(orthant_context *ctx, orthant_precision precision, int64_t rows,
                                 int64_t columns, orthant_matrix **matrix)
{
    return new_dense(ctx, precision, rows, columns, matrix_padded(precision, columns), matrix);
}

orthant_status matrix_check_sparse(orthant_context *ctx, int64_t rows, int64_t columns,
                                   int64_t stored)
{
    if (rows < 0 || rows == INT64_MAX || columns < 0 || columns > MOST_SPARSE_COLUMNS || stored < 0)
        return fail(ctx, ORTHANT_ERROR_UNSUPPORTED,
                    "a sparse matrix of %" PRId64 " x %" PRId64 " with %" PRId64
                    " entries: at most %d columns are supported",
                    rows, columns, stored, MOST_SPARSE_COLUMNS);
    return ORTHANT_OK;
}

orthant_status matrix_new_sparse(orthant_context *ctx, orthant_precision precision, int64_t rows,
                                 int64_t columns, int64_t stored, orthant_matrix **matrix)
{
    *matrix = NULL;
    const orthant_status status = matrix_check_sparse(ctx, rows, columns, stored);
    if (status)
        return status;
    orthant_matrix *made = matrix_new_handle(ctx, precision, rows, columns);
    if (!made)
        return ORTHANT_ERROR_MEMORY;
    made->sparse = true;
    made->row_start = memory_new(ctx, rows + 1, sizeof *made->row_start, "a sparse matrix's rows");
    if (made->row_start)
        made->column = memory_new(ctx, stored, sizeof *made->column, "a sparse matrix's columns");
    if (made->column)
        made->values =
            memory_new(ctx, stored, precision_size(precision), "a sparse matrix's entries");
    if (!made->values) {
        orthant_matrix_free(made);
        return ORTHANT_ERROR_MEMORY;
    }
    *matrix = made;
    return ORTHANT_OK;
}

void orthant_matrix_free(orthant_matrix *matrix)
{
    if (!matrix)
        return;
    orthant_context *ctx = matrix->ctx;
    const orthant_array_release_function release = matrix->release;
    void *user = matrix->release_user;
    if (matrix->mapping)
        file_unmap(matrix->mapping, matrix->mapped_bytes);
    else if (!matrix->borrowed_values)
        memory_free(ctx, matrix->values);
    if (!matrix->borrowed_row_start)
        memory_free(ctx, matrix->row_start);
    if (!matrix->borrowed_column)
        memory_free(ctx, matrix->column);
    row_file_close(matrix->file);
    memory_free(ctx, matrix->name);
    names_free(ctx, &matrix->feature_names);
    names_free(ctx, &matrix->sample_names);
    names_free(ctx, &matrix->picture_files);
    memory_free(ctx, matrix->sheet);
    memory_free(ctx, matrix);
    if (release)
        release(user);
}

const char *orthant_matrix_feature_name(const orthant_matrix *matrix, int64_t column)
{
    return matrix ? names_at(&matrix->feature_names, column) : NULL;
}

const char *orthant_matrix_sample_name(const orthant_matrix *matrix, int64_t row)
{
    return matrix && row >= 0 && row < matrix->rows
               ? names_at(&matrix->sample_names, row + matrix->part.first)
               : NULL;
}

orthant_status orthant_matrix_set_feature_names(orthant_matrix *matrix, const char *const *names)
{
    orthant_status status = entry_check(matrix ? matrix->ctx : NULL, true, __func__);
    if (status)
        return status;
    names_free(matrix->ctx, &matrix->feature_names);
    for (int64_t j = 0; names && j < matrix->columns && !status; j++)
        status = names_add(matrix->ctx, &matrix->feature_names, names[j] ? names[j] : "");
    if (status)
        names_free(matrix->ctx, &matrix->feature_names);
    return status;
}

/* ---- copies -----------------------------------------------------------------------------------
 */

static void copy_entries(const orthant_matrix *from, int64_t from_first, orthant_matrix *to,
                         int64_t to_first, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        matrix_set_value(to, to_first + i, matrix_value(from, from_first + i));
}

static orthant_status copy_dense(orthant_context *ctx, const orthant_matrix *source,
                                 orthant_precision precision, orthant_matrix **copy)
{
    const bool padded = source->stride == matrix_padded(source->precision, source->columns);
    const int64_t stride = padded ? matrix_padded(precision, source->columns) : source->columns;
    const orthant_status status =
        new_dense(ctx, precision, source->rows, source->columns, stride, copy);
    if (status != ORTHANT_OK)
        return status;
    for (int64_t i = 0; i < source->rows; i++)
        copy_entries(source, i * source->stride, *copy, i * stride, source->columns);
    return ORTHANT_OK;
}

static orthant_status copy_sparse(orthant_context *ctx, const orthant_matrix *source,
                                  orthant_precision precision, orthant_matrix **copy)
{
    const int64_t stored = source->row_start[source->rows];
    const orthant_status status =
        matrix_new_sparse(ctx, precision, source->rows, source->columns, stored, copy);
    if (status != ORTHANT_OK)
        return status;
    memcpy((*copy)->row_start, source->row_start,
           (size_t)(source->rows + 1) * sizeof *source->row_start);
    memcpy((*copy)->column, source->column, (size_t)stored * sizeof *source->column);
    copy_entries(source, 0, *copy, 0, stored);
    return ORTHANT_OK;
}

orthant_status matrix_copy(orthant_context *ctx, const orthant_matrix *source,
                           orthant_precision precision, orthant_matrix **copy)
{
    const orthant_status status = source->sparse ? copy_sparse(ctx, source, precision, copy)
                                                 : copy_dense(ctx, source, precision, copy);
    if (status == ORTHANT_OK)
        (*copy)->picture = source->picture;
    return status;
}

/* In tiles, so that neither side walks memory in large steps. */
static void transpose_entries(const orthant_matrix *from, orthant_matrix *to)
{
    const int64_t tile = 32;
    for (int64_t i0 = 0; i0 < from->rows; i0 += tile)
        for (int64_t j0 = 0; j0 < from->columns; j0 += tile)
            for (int64_t i = i0; i < smaller(i0 + tile, from->rows); i++)
                for (int64_t j = j0; j < smaller(j0 + tile, from->columns); j++)
                    matrix_set_value(to, j * to->stride + i,
                                     matrix_value(from, i * from->stride + j));
}

static void transpose_stored(const orthant_matrix *from, orthant_matrix *to)
{
    int64_t *start = to->row_start;
    for (int64_t p = 0; p < from->row_start[from->rows]; p++)
        start[from->column[p] + 1]++;
    for (int64_t r = 0; r < to->rows; r++)
        start[r + 1] += start[r];
    for (int64_t i = 0; i < from->rows; i++)
        for (int64_t p = from->row_start[i]; p < from->row_start[i + 1]; p++) {
            const int64_t place = start[from->column[p]]++;
            to->column[place] = (int32_t)i;
            matrix_set_value(to, place, matrix_value(from, p));
        }
    memmove(start + 1, start, (size_t)to->rows * sizeof *start);
    start[0] = 0;
}

orthant_status matrix_transpose(orthant_context *ctx, const orthant_matrix *source,
                                orthant_matrix **transposed)
{
    orthant_status status;
    if (source->sparse) {
        status = matrix_new_sparse(ctx, source->precision, source->columns, source->rows,
                                   source->row_start[source->rows], transposed);
        if (status == ORTHANT_OK)
            transpose_stored(source, *transposed);
    } else {
        status =
            matrix_new_dense(ctx, source->precision, source->columns, source->rows, transposed);
        if (status == ORTHANT_OK)
            transpose_entries(source, *transposed);
    }
    if (status == ORTHANT_OK)
        (*transposed)->lossless = source->lossless;
    return status;
}

/* ---- the public side --------------------------------------------------------------------------
 */

orthant_status matrix_check_shape(orthant_context *ctx, int64_t rows, int64_t columns)
{
    if (rows < 1 || columns < 1)
        return fail(ctx, ORTHANT_ERROR_ARGUMENT,
                    "a matrix of %" PRId64 " x %" PRId64
                    ": expected at least one row and one column",
                    rows, columns);
    return ORTHANT_OK;
}

orthant_status orthant_matrix_create(orthant_context *context, int64_t rows, int64_t columns,
                                     const double *values, orthant_matrix **matrix)
{
    if (matrix)
        *matrix = NULL;
    const orthant_status refused = entry_check(context, matrix != NULL, __func__);
    if (refused)
        return refused;
    orthant_status status = matrix_check_shape(context, rows, columns);
    if (status == ORTHANT_OK)
        status = matrix_new_dense(context, context->precision, rows, columns, matrix);
    if (status == ORTHANT_OK && values)
        for (int64_t i = 0; i < rows * columns; i++)
            matrix_set_value(*matrix, i, values[i]);
    return status;
}

orthant_status orthant_matrix_create_csr(orthant_context *context, int64_t rows, int64_t columns,
                                         const int64_t *row_start, const int64_t *column,
                                         const double *values, orthant_matrix **matrix)
{
    if (matrix)
        *matrix = NULL;
    const orthant_status refused = entry_check(context, matrix && row_start, __func__);
    if (refused)
        return refused;
    orthant_status status = matrix_check_shape(context, rows, columns);
    if (status != ORTHANT_OK)
        return status;
    for (int64_t i = 0; i < rows; i++)
        if (row_start[0] != 0 || row_start[i + 1] < row_start[i])
            return fail(context, ORTHANT_ERROR_ARGUMENT,
                        "row_start goes from %" PRId64 " to %" PRId64 " at row %" PRId64
                        ": expected to start at 0 and never fall",
                        row_start[i], row_start[i + 1], i + 1);
    const int64_t count = row_start[rows];
    if (count > 0 && (!column || !values))
        return fail(context, ORTHANT_ERROR_ARGUMENT,
                    "orthant_matrix_create_csr: column or values is NULL");
    for (int64_t i = 0; i < rows; i++)
        for (int64_t p = row_start[i]; p < row_start[i + 1]; p++)
            if (column[p] < 0 || column[p] >= columns)
                return fail(context, ORTHANT_ERROR_ARGUMENT,
                            "entry %" PRId64 " stands at (%" PRId64 ", %" PRId64
                            "), outside of %" PRId64 " x %" PRId64,
                            p + 1, i + 1, column[p] + 1, rows, columns);
    orthant_matrix *made = NULL;
    status = matrix_new_sparse(context, context->precision, rows, columns, count, &made);
    if (status != ORTHANT_OK)
        return status;
    memcpy(made->row_start, row_start, (size_t)(rows + 1) * sizeof *row_start);
    for (int64_t p = 0; p < count; p++) {
        made->column[p] = (int32_t)column[p];
        matrix_set_value(made, p, values[p]);
    }
    status = matrix_order_rows(made);
    if (status == ORTHANT_OK)
        *matrix = made;
    else
        orthant_matrix_free(made);
    return status;
}

int64_t orthant_matrix_rows(const orthant_matrix *matrix)
{
    return matrix ? matrix->rows : 0;
}

int64_t orthant_matrix_columns(const orthant_matrix *matrix)
{
    return matrix ? matrix->columns : 0;
}

bool orthant_matrix_is_sparse(const orthant_matrix *matrix)
{
    return matrix && matrix->sparse;
}

orthant_precision orthant_matrix_precision(const orthant_matrix *matrix)
{
    return matrix ? matrix->precision : ORTHANT_SINGLE;
}

orthant_picture_shape orthant_matrix_picture(const orthant_matrix *matrix)
{
    return matrix ? matrix->picture : (orthant_picture_shape){0};
}

void orthant_matrix_set_picture(orthant_matrix *matrix, orthant_picture_shape shape)
{
    if (matrix)
        matrix->picture = shape;
}

double orthant_matrix_get(const orthant_matrix *matrix, int64_t row, int64_t column)
{
    if (!matrix || row < 0 || row >= matrix->rows || column < 0 || column >= matrix->columns)
        return 0.0;
    if (matrix_file(matrix)) {
        orthant_matrix *read = NULL;
        const double value =
            matrix_read_rows(matrix, &row, 1, &read) ? NAN : orthant_matrix_get(read, 0, column);
        orthant_matrix_free(read);
        return value;
    }
    if (!matrix->sparse)
        return matrix_value(matrix, row * matrix->stride + column);
    int64_t low = matrix->row_start[row], high = matrix->row_start[row + 1];
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (matrix->column[middle] < column)
            low = middle + 1;
        else
            high = middle;
    }
    return low < matrix->row_start[row + 1] && matrix->column[low] == column
               ? matrix_value(matrix, low)
               : 0.0;
}

void matrix_copy_row(const orthant_matrix *matrix, int64_t row, double *values)
{
    if (matrix_file(matrix)) {
        orthant_matrix *read = NULL;
        memset(values, 0, (size_t)matrix->columns * sizeof *values);
        if (!matrix_read_rows(matrix, &row, 1, &read))
            matrix_copy_row(read, 0, values);
        orthant_matrix_free(read);
        return;
    }
    if (!matrix->sparse) {
        for (int64_t j = 0; j < matrix->columns; j++)
            values[j] = matrix_value(matrix, row * matrix->stride + j);
        return;
    }
    memset(values, 0, (size_t)matrix->columns * sizeof *values);
    for (int64_t p = matrix->row_start[row]; p < matrix->row_start[row + 1]; p++)
        values[matrix->column[p]] = matrix_value(matrix, p);
}

void orthant_matrix_copy_values(const orthant_matrix *matrix, double *values)
{
    for (int64_t i = 0; matrix && values && i < matrix->rows; i++)
        matrix_copy_row(matrix, i, values + i * matrix->columns);
}

array matrix_array(const orthant_matrix *matrix)
{
    return (array){matrix->values, matrix->rows, matrix->columns, matrix->stride};
}

csr matrix_csr(const orthant_matrix *matrix)
{
    return (csr){matrix->row_start, matrix->column, matrix->values, matrix->rows, matrix->columns};
}
