/* NumPy's .npy, version 1.0; a sparse matrix is written dense, one row at a time. */
#include <inttypes.h>
#include <stdio.h>

#include "core/file.h"
#include "core/memory.h"
#include "data/element.h"
#include "data/read.h"

/* The header is filled up with spaces so that the entries start at a multiple of 64 bytes, as NumPy
 * does it. */
void write_npy_header(FILE *file, const char *type, int64_t rows, int64_t columns)
{
    char text[192];
    unsigned char start[10] = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, 0, 0};
    int length =
        snprintf(text, sizeof text,
                 "{'descr': '%s', 'fortran_order': False, 'shape': (%" PRId64 ",", type, rows);
    if (columns >= 0)
        length += snprintf(text + length, sizeof text - (size_t)length, " %" PRId64, columns);
    length += snprintf(text + length, sizeof text - (size_t)length, "), }");
    while ((length + 1 + (int)sizeof start) % 64 != 0)
        text[length++] = ' ';
    text[length++] = '\n';
    start[8] = (unsigned char)(length & 255);
    start[9] = (unsigned char)(length >> 8);
    fwrite(start, 1, sizeof start, file);
    fwrite(text, 1, (size_t)length, file);
}

const char *npy_type(orthant_precision precision)
{
    return precision == ORTHANT_DOUBLE ? (host_is_big() ? ">f8" : "<f8")
                                       : (host_is_big() ? ">f4" : "<f4");
}

/* Rows of a sparse matrix are filled with zeros one at a time. */
static orthant_status write_sparse_rows(const orthant_matrix *matrix, FILE *file)
{
    double *row = memory_new(matrix->ctx, matrix->columns, sizeof *row, "a row");
    orthant_matrix *entries = NULL;
    orthant_status status =
        row ? matrix_new_dense(matrix->ctx, matrix->precision, 1, matrix->columns, &entries)
            : ORTHANT_ERROR_MEMORY;
    for (int64_t i = 0; i < matrix->rows && status == ORTHANT_OK; i++) {
        matrix_copy_row(matrix, i, row);
        for (int64_t j = 0; j < matrix->columns; j++)
            matrix_set_value(entries, j, row[j]);
        fwrite(entries->values, precision_size(matrix->precision), (size_t)matrix->columns, file);
    }
    orthant_matrix_free(entries);
    memory_free(matrix->ctx, row);
    return status;
}

orthant_status write_npy(orthant_context *ctx, const orthant_matrix *matrix, const char *path)
{
    file_writer writer;
    const size_t size = precision_size(matrix->precision);
    orthant_status status = file_write_begin(ctx, path, &writer);
    if (status != ORTHANT_OK)
        return status;
    write_npy_header(writer.file, npy_type(matrix->precision), matrix->rows, matrix->columns);
    if (matrix->sparse)
        status = write_sparse_rows(matrix, writer.file);
    else
        for (int64_t i = 0; i < matrix->rows; i++)
            fwrite((const char *)matrix->values + (size_t)(i * matrix->stride) * size, size,
                   (size_t)matrix->columns, writer.file);
    return file_write_end(&writer, status);
}
