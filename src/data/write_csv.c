/* Dense and sparse matrices as CSV: with a header where the features have names, and with a first
 * column `sample` where the samples have. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/file.h"
#include "core/memory.h"
#include "core/text.h"
#include "data/csv_columns.h"
#include "data/csv_text.h"
#include "data/read.h"

/* A header of numbers alone would be read as a sample. */
static bool is_header(const orthant_matrix *matrix)
{
    double number;
    for (int64_t j = 0; j < matrix->columns; j++)
        if (!text_to_double(names_at(&matrix->feature_names, j), &number))
            return true;
    return false;
}

static void write_header(FILE *file, const orthant_matrix *matrix, bool ids, char separator)
{
    if (ids)
        fputs(CSV_SAMPLE_COLUMN, file);
    for (int64_t j = 0; j < matrix->columns; j++) {
        const char *name = names_at(&matrix->feature_names, j);
        if (ids || j)
            fputc(separator, file);
        if (name)
            csv_write_string(file, name);
        else
            fprintf(file, "%" PRId64, j);
    }
    fputc('\n', file);
}

/* Numbers that are read again exactly; tabs between them where the name ends in .tsv. */
orthant_status write_csv(orthant_context *ctx, const orthant_matrix *matrix, const char *path)
{
    file_writer writer;
    char ending[16], number[32];
    const bool single = matrix->precision == ORTHANT_SINGLE;
    double *row = memory_new(ctx, matrix->columns, sizeof *row, "a row");
    if (!row)
        return ORTHANT_ERROR_MEMORY;
    file_ending(path, ending);
    const char separator = strcmp(ending, "tsv") == 0 ? '\t' : ',';
    orthant_status status = file_write_begin(ctx, path, &writer);
    if (status != ORTHANT_OK)
        goto done;
    const bool ids = matrix->sample_names.count == matrix->rows && matrix->rows > 0;
    const bool named = matrix->feature_names.count == matrix->columns;
    if (ids || (named && is_header(matrix)))
        write_header(writer.file, matrix, ids, separator);
    for (int64_t i = 0; i < matrix->rows; i++) {
        if (ids) {
            csv_write_string(writer.file, names_at(&matrix->sample_names, i));
            fputc(separator, writer.file);
        }
        matrix_copy_row(matrix, i, row);
        for (int64_t j = 0; j < matrix->columns; j++) {
            const int length = text_write_double(number, row[j], single);
            number[length] = j + 1 < matrix->columns ? separator : '\n';
            fwrite(number, 1, (size_t)length + 1, writer.file);
        }
    }
    status = file_write_end(&writer, status);
done:
    memory_free(ctx, row);
    return status;
}
