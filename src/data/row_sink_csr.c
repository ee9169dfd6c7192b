/* Rows into a .csr file. Columns go to their place; values and row starts, whose places depend on
 * how many there are, wait in files without a name. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "core/file.h"
#include "core/memory.h"
#include "core/xxh64.h"
#include "data/csr_file.h"
#include "data/read.h"
#include "data/row_sink.h"

#define COPY_BYTES (1 << 18)
#define PIECE_ENTRIES 512

typedef struct csr_sink {
    file_writer writer;
    FILE *part[CSR_SECTIONS]; /* that of the columns is the writer's */
    xxh64 hash[CSR_SECTIONS];
    csr_header header;
} csr_sink;

static void put(csr_sink *out, int section, const void *data, size_t bytes)
{
    xxh64_add(&out->hash[section], data, bytes);
    fwrite(data, 1, bytes, out->part[section]);
}

static orthant_status begin(row_sink *sink, int64_t rows, int64_t columns, bool sparse)
{
    static const unsigned char head[CSR_HEADER_BYTES];
    const int64_t zero = 0;
    (void)rows;
    (void)sparse;
    orthant_status status = matrix_check_sparse(sink->ctx, 0, columns, 0);
    csr_sink *out = status ? NULL : memory_new(sink->ctx, 1, sizeof *out, "a file to write");
    if (!out)
        return status ? status : ORTHANT_ERROR_MEMORY;
    sink->state = out;
    out->header = (csr_header){.columns = columns, .precision = sink->ctx->precision};
    status = file_write_begin(sink->ctx, sink->path, &out->writer);
    out->part[CSR_COLUMNS] = out->writer.file;
    if (!status)
        status = file_scratch(sink->ctx, sink->path, &out->part[CSR_VALUES]);
    if (!status)
        status = file_scratch(sink->ctx, sink->path, &out->part[CSR_STARTS]);
    if (status)
        return status;
    for (int s = 0; s < CSR_SECTIONS; s++)
        xxh64_begin(&out->hash[s], 0);
    fwrite(head, 1, sizeof head, out->writer.file);
    put(out, CSR_STARTS, &zero, sizeof zero);
    return ORTHANT_OK;
}

/* The entries of a dense row that are not zero, some at a time. */
static void add_dense_row(csr_sink *out, const orthant_matrix *rows, int64_t i)
{
    const size_t size = precision_size(rows->precision);
    int32_t column[PIECE_ENTRIES];
    unsigned char values[PIECE_ENTRIES * sizeof(double)];
    size_t count = 0;
    for (int64_t j = 0; j < rows->columns; j++) {
        const int64_t place = i * rows->stride + j;
        const double value = matrix_value(rows, place);
        if (!(value >= 0 && value <= 0)) {
            column[count] = (int32_t)j;
            memcpy(values + count++ * size, (const char *)rows->values + (size_t)place * size,
                   size);
        }
        if (count == PIECE_ENTRIES || (count && j + 1 == rows->columns)) {
            put(out, CSR_COLUMNS, column, count * sizeof *column);
            put(out, CSR_VALUES, values, count * size);
            out->header.stored += (int64_t)count;
            count = 0;
        }
    }
}

static orthant_status add(row_sink *sink, const orthant_matrix *rows)
{
    csr_sink *out = sink->state;
    const size_t size = precision_size(rows->precision);
    for (int64_t i = 0; i < rows->rows; i++) {
        if (!rows->sparse) {
            add_dense_row(out, rows, i);
        } else {
            const int64_t first = rows->row_start[i], count = rows->row_start[i + 1] - first;
            put(out, CSR_COLUMNS, rows->column + first, (size_t)count * sizeof *rows->column);
            put(out, CSR_VALUES, (const char *)rows->values + (size_t)first * size,
                (size_t)count * size);
            out->header.stored += count;
        }
        put(out, CSR_STARTS, &out->header.stored, sizeof out->header.stored);
    }
    out->header.rows += rows->rows;
    for (int s = 0; s < CSR_SECTIONS; s++)
        if (ferror(out->part[s]))
            return file_fail_write(sink->ctx, sink->path, errno);
    return ORTHANT_OK;
}

/* A section that waited, to its place. */
static orthant_status append(row_sink *sink, csr_sink *out, int section, char *piece)
{
    static const char zeros[64];
    FILE *to = out->writer.file, *from = out->part[section];
    const off_t at = ftello(to);
    size_t got;
    if (at < 0 || fflush(from) || fseeko(from, 0, SEEK_SET))
        return file_fail_write(sink->ctx, sink->path, errno);
    fwrite(zeros, 1, (size_t)(out->header.begin[section] - at), to);
    while ((got = fread(piece, 1, COPY_BYTES, from)) > 0)
        fwrite(piece, 1, got, to);
    return ferror(from) || ferror(to) ? file_fail_write(sink->ctx, sink->path, errno) : ORTHANT_OK;
}

static orthant_status finish(row_sink *sink, csr_sink *out)
{
    unsigned char head[CSR_HEADER_BYTES];
    if (!csr_measure(&out->header))
        return fail(sink->ctx, ORTHANT_ERROR_DATA, "%s: more entries than a file can hold",
                    sink->path);
    char *piece = memory_new(sink->ctx, COPY_BYTES, 1, "a file's bytes");
    if (!piece)
        return ORTHANT_ERROR_MEMORY;
    orthant_status status = append(sink, out, CSR_VALUES, piece);
    if (!status)
        status = append(sink, out, CSR_STARTS, piece);
    memory_free(sink->ctx, piece);
    for (int s = 0; s < CSR_SECTIONS; s++)
        out->header.checksum[s] = xxh64_value(&out->hash[s]);
    csr_pack(&out->header, head);
    if (!status && fseeko(out->writer.file, 0, SEEK_SET))
        status = file_fail_write(sink->ctx, sink->path, errno);
    if (!status)
        fwrite(head, 1, sizeof head, out->writer.file);
    return status;
}

static orthant_status end(row_sink *sink, orthant_status status)
{
    csr_sink *out = sink->state;
    if (!out)
        return status;
    if (!status)
        status = finish(sink, out);
    if (out->writer.file)
        status = file_write_end(&out->writer, status);
    for (int s = CSR_VALUES; s < CSR_SECTIONS; s++)
        if (out->part[s])
            fclose(out->part[s]);
    memory_free(sink->ctx, out);
    sink->state = NULL;
    return status;
}

const row_sink_kind row_sink_csr = {begin, add, end};

orthant_status write_csr(orthant_context *ctx, const orthant_matrix *matrix, const char *path)
{
    row_sink sink;
    const orthant_precision precision = ctx->precision;
    ctx->precision = matrix->precision;
    orthant_status status = row_sink_open(ctx, path, &sink);
    if (!status)
        status = row_sink_begin(&sink, matrix->rows, matrix->columns, matrix->sparse);
    if (!status)
        status = row_sink_add(&sink, matrix);
    status = row_sink_end(&sink, status);
    ctx->precision = precision;
    return status;
}
