/* A matrix whose entries lie in a file. */
#include "data/matrix.h"
#include "data/row_file.h"

orthant_status matrix_open(orthant_context *ctx, const char *path,
                           const orthant_read_options *options, orthant_matrix **matrix)
{
    row_file *file = NULL;
    const orthant_status status = row_file_open(ctx, path, options, &file);
    if (status)
        return status;
    orthant_matrix *made = *matrix =
        matrix_new_handle(ctx, file->precision, file->rows, file->columns);
    if (!made) {
        row_file_close(file);
        return ORTHANT_ERROR_MEMORY;
    }
    made->file = file;
    made->sparse = file->sparse;
    made->stride = file->sparse ? 0 : file->columns;
    made->lossless = file->lossless;
    made->picture = file->picture;
    return ORTHANT_OK;
}

bool orthant_matrix_is_streamed(const orthant_matrix *matrix)
{
    orthant_array given;
    return matrix && matrix_file(matrix) && !matrix_columns(matrix, &given);
}

orthant_status matrix_check_here(const orthant_matrix *matrix, const char *who)
{
    orthant_array given;
    if (!matrix || !matrix_file(matrix))
        return ORTHANT_OK;
    if (matrix_columns(matrix, &given))
        return matrix_copy_columns(matrix, who);
    return fail(matrix->ctx, ORTHANT_ERROR_UNSUPPORTED,
                "%s: %s cannot stream the data from their file: it needs all entries in memory, "
                "%.1f MB",
                matrix->name ? matrix->name : "the data", who, (double)matrix_bytes(matrix) / 1e6);
}

/* Behind the rows that are there already. */
static orthant_status read_row(const orthant_matrix *matrix, int64_t row, orthant_matrix *to,
                               int64_t at)
{
    const size_t size = precision_size(to->precision);
    row_failure failure;
    row_target target = {.values = (char *)to->values + (size_t)(at * to->stride) * size};
    if (to->sparse) {
        row_file_starts(matrix->file, row, 1, to->row_start + at);
        target = (row_target){to->values, to->row_start + at, to->column};
    }
    return row_file_read(matrix->file, row, 1, target, &failure)
               ? ORTHANT_OK
               : fail(matrix->ctx, failure.status, "%s", failure.message);
}

orthant_status matrix_read_rows(const orthant_matrix *matrix, const int64_t *row, int64_t count,
                                orthant_matrix **rows)
{
    int64_t stored = 0;
    for (int64_t i = 0; i < count && matrix->sparse; i++)
        stored += row_file_stored(matrix->file, row[i], 1);
    orthant_status status = matrix->sparse ? matrix_new_sparse(matrix->ctx, matrix->precision,
                                                               count, matrix->columns, stored, rows)
                                           : matrix_new_dense(matrix->ctx, matrix->precision, count,
                                                              matrix->columns, rows);
    for (int64_t i = 0; i < count && !status; i++)
        status = read_row(matrix, row[i], *rows, i);
    if (status) {
        orthant_matrix_free(*rows);
        *rows = NULL;
    }
    return status;
}
