/* Matrix Market: coordinate for sparse, array for dense matrices. */
#include <inttypes.h>
#include <stdio.h>

#include "core/file.h"
#include "core/text.h"
#include "data/read.h"

static void write_coordinate(const orthant_matrix *matrix, FILE *file)
{
    char number[32];
    fprintf(file,
            "%%%%MatrixMarket matrix coordinate real general\n%" PRId64 " %" PRId64 " %" PRId64
            "\n",
            matrix->rows, matrix->columns, matrix->row_start[matrix->rows]);
    for (int64_t i = 0; i < matrix->rows; i++)
        for (int64_t p = matrix->row_start[i]; p < matrix->row_start[i + 1]; p++) {
            text_write_double(number, matrix_value(matrix, p), matrix->precision == ORTHANT_SINGLE);
            fprintf(file, "%" PRId64 " %" PRId32 " %s\n", i + 1, matrix->column[p] + 1, number);
        }
}

/* The format lists dense entries column by column. */
static void write_array(const orthant_matrix *matrix, FILE *file)
{
    char number[32];
    fprintf(file, "%%%%MatrixMarket matrix array real general\n%" PRId64 " %" PRId64 "\n",
            matrix->rows, matrix->columns);
    for (int64_t j = 0; j < matrix->columns; j++)
        for (int64_t i = 0; i < matrix->rows; i++) {
            text_write_double(number, matrix_value(matrix, i * matrix->stride + j),
                              matrix->precision == ORTHANT_SINGLE);
            fprintf(file, "%s\n", number);
        }
}

orthant_status write_mtx(orthant_context *ctx, const orthant_matrix *matrix, const char *path)
{
    file_writer writer;
    const orthant_status status = file_write_begin(ctx, path, &writer);
    if (status != ORTHANT_OK)
        return status;
    if (matrix->sparse)
        write_coordinate(matrix, writer.file);
    else
        write_array(matrix, writer.file);
    return file_write_end(&writer, ORTHANT_OK);
}
