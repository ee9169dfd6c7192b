/* Rows into a .npy file: its header, which has their number, is written again at the end
 * where that was not known before. */
#include <errno.h>
#include <stdio.h>

#include "core/file.h"
#include "core/memory.h"
#include "data/element.h"
#include "data/read.h"
#include "data/row_sink.h"

typedef struct npy_sink {
    file_writer writer;
    orthant_matrix *row; /* a sparse row with its zeros; or NULL */
    int64_t promised;    /* rows, in the header */
} npy_sink;

/* As long for any number of rows: it is a multiple of 64 bytes, and what is left is spaces. */
static void write_header(const row_sink *sink, FILE *file, int64_t rows)
{
    write_npy_header(file, npy_type(sink->ctx->precision), rows, sink->columns);
}

static orthant_status begin(row_sink *sink, int64_t rows, int64_t columns, bool sparse)
{
    npy_sink *npy = memory_new(sink->ctx, 1, sizeof *npy, "a file to write");
    if (!npy)
        return ORTHANT_ERROR_MEMORY;
    sink->state = npy;
    orthant_status status = file_write_begin(sink->ctx, sink->path, &npy->writer);
    if (status)
        return status;
    if (sparse)
        status = matrix_new_dense(sink->ctx, sink->ctx->precision, 1, columns, &npy->row);
    npy->promised = rows < 0 ? INT64_MAX : rows;
    write_header(sink, npy->writer.file, npy->promised);
    return status;
}

static orthant_status add(row_sink *sink, const orthant_matrix *rows)
{
    npy_sink *npy = sink->state;
    const size_t size = precision_size(rows->precision);
    for (int64_t i = 0; i < rows->rows; i++) {
        const char *values = (const char *)rows->values + (size_t)(i * rows->stride) * size;
        for (int64_t p = rows->sparse ? rows->row_start[i] : 0;
             rows->sparse && p < rows->row_start[i + 1]; p++)
            matrix_set_value(npy->row, rows->column[p], matrix_value(rows, p));
        if (rows->sparse)
            values = npy->row->values;
        fwrite(values, size, (size_t)rows->columns, npy->writer.file);
        for (int64_t p = rows->sparse ? rows->row_start[i] : 0;
             rows->sparse && p < rows->row_start[i + 1]; p++)
            matrix_set_value(npy->row, rows->column[p], 0);
    }
    return ferror(npy->writer.file) ? file_fail_write(sink->ctx, sink->path, errno) : ORTHANT_OK;
}

static orthant_status correct_header(row_sink *sink, FILE *file)
{
    if (fseek(file, 0, SEEK_SET) == 0) {
        write_header(sink, file, sink->rows);
        return ORTHANT_OK;
    }
    if (errno == ESPIPE)
        return fail(sink->ctx, ORTHANT_ERROR_IO,
                    "%s: cannot be written: expected a file, not a pipe", sink->path);
    return file_fail_write(sink->ctx, sink->path, errno);
}

static orthant_status end(row_sink *sink, orthant_status status)
{
    npy_sink *npy = sink->state;
    if (!npy)
        return status;
    if (!status && sink->rows != npy->promised)
        status = correct_header(sink, npy->writer.file);
    if (npy->writer.file)
        status = file_write_end(&npy->writer, status);
    orthant_matrix_free(npy->row);
    memory_free(sink->ctx, npy);
    sink->state = NULL;
    return status;
}

const row_sink_kind row_sink_npy = {begin, add, end};
