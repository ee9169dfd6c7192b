/* Dense and sparse matrices as CSV without a header. */
#include <stdio.h>
#include <string.h>

#include "core/file.h"
#include "core/memory.h"
#include "core/text.h"
#include "data/read.h"

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
    for (int64_t i = 0; i < matrix->rows; i++) {
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
