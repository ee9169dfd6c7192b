/* Rows that come in become columns. Dense ones are transposed some at a time, as many as memory
 * holds, into tiles in a scratch file: of each tile some columns lie together, and rows of the
 * result are put together of them. Entries of sparse ones go through buckets. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "core/file.h"
#include "core/memory.h"
#include "core/pieces.h"
#include "data/buckets.h"
#include "data/row_sink.h"

typedef struct transposing {
    row_sink *to;
    bool sparse;
    FILE *file;              /* dense: tiles of columns x tile_rows */
    int64_t tile_rows;       /* of all but the last */
    int64_t gathered;        /* rows that wait to be a tile */
    orthant_matrix *waiting; /* columns x tile_rows */
    buckets entries;         /* sparse */
} transposing;

static orthant_status begin(row_sink *sink, int64_t rows, int64_t columns, bool sparse)
{
    row_sink *to = sink->state;
    transposing *t = memory_new(sink->ctx, 1, sizeof *t, "a transposition");
    if (!t) {
        sink->state = NULL;
        return ORTHANT_ERROR_MEMORY;
    }
    sink->state = t;
    t->to = to;
    t->sparse = sparse;
    if (sparse) {
        buckets_open(sink->ctx, sink->path, 0, columns, 0, -1, &t->entries);
        return ORTHANT_OK;
    }
    t->tile_rows =
        row_sink_step(sink->ctx, columns * (int64_t)precision_size(sink->ctx->precision));
    if (rows > 0)
        t->tile_rows = smaller(t->tile_rows, rows);
    const orthant_status status =
        matrix_new_dense(sink->ctx, sink->ctx->precision, columns, t->tile_rows, &t->waiting);
    return status ? status : file_scratch(sink->ctx, sink->path, &t->file);
}

/* The rows that wait, as a tile: each column's entries one behind the other. */
static orthant_status write_tile(row_sink *sink, transposing *t)
{
    const size_t size = precision_size(sink->ctx->precision);
    for (int64_t j = 0; j < sink->columns; j++)
        fwrite((const char *)t->waiting->values + (size_t)(j * t->tile_rows) * size, size,
               (size_t)t->gathered, t->file);
    t->gathered = 0;
    return ferror(t->file) ? file_fail_write(sink->ctx, sink->path, errno) : ORTHANT_OK;
}

static orthant_status add_dense(row_sink *sink, const orthant_matrix *rows)
{
    transposing *t = sink->state;
    orthant_status status = ORTHANT_OK;
    for (int64_t i = 0; i < rows->rows && !status; i++) {
        for (int64_t j = 0; j < rows->columns; j++)
            matrix_set_value(t->waiting, j * t->tile_rows + t->gathered,
                             matrix_value(rows, i * rows->stride + j));
        if (++t->gathered == t->tile_rows)
            status = write_tile(sink, t);
    }
    return status;
}

static orthant_status add(row_sink *sink, const orthant_matrix *rows)
{
    transposing *t = sink->state;
    orthant_status status = ORTHANT_OK;
    if (!t->sparse)
        return add_dense(sink, rows);
    for (int64_t i = 0; i < rows->rows && !status; i++)
        for (int64_t p = rows->row_start[i]; p < rows->row_start[i + 1] && !status; p++)
            status = buckets_add(&t->entries, &(bucket_entry){.row = rows->column[p],
                                                              .column = sink->rows + i,
                                                              .value = matrix_value(rows, p)});
    return status;
}

static orthant_status read_at(row_sink *sink, FILE *file, void *to, int64_t bytes, int64_t at)
{
    int64_t done;
    const int error = file_read_at(fileno(file), to, bytes, at, &done);
    return done == bytes ? ORTHANT_OK : file_fail_read(sink->ctx, sink->path, error ? error : EIO);
}

/* Rows [first, first + block->rows) of the result: their part of each tile. */
static orthant_status fill_block(row_sink *sink, const transposing *t, int64_t first,
                                 orthant_matrix *block, char *piece)
{
    const int64_t size = (int64_t)precision_size(block->precision);
    orthant_status status = ORTHANT_OK;
    for (int64_t row = 0; row < sink->rows && !status; row += t->tile_rows) {
        const int64_t width = smaller(t->tile_rows, sink->rows - row);
        status = read_at(sink, t->file, piece, block->rows * width * size,
                         (row * sink->columns + first * width) * size);
        for (int64_t j = 0; j < block->rows && !status; j++)
            memcpy((char *)block->values + (j * block->stride + row) * size,
                   piece + j * width * size, (size_t)(width * size));
    }
    return status;
}

static orthant_status give_dense(row_sink *sink, transposing *t)
{
    const int64_t size = (int64_t)precision_size(sink->ctx->precision);
    orthant_status status = t->gathered ? write_tile(sink, t) : ORTHANT_OK;
    orthant_matrix_free(t->waiting);
    t->waiting = NULL;
    if (!status && fflush(t->file))
        status = file_fail_write(sink->ctx, sink->path, errno);
    const int64_t step = smaller(row_sink_step(sink->ctx, sink->rows * size), sink->columns);
    char *piece = status ? NULL
                         : memory_new(sink->ctx, step * smaller(t->tile_rows, sink->rows),
                                      (size_t)size, "a tile's columns");
    if (!status)
        status =
            piece ? row_sink_begin(t->to, sink->columns, sink->rows, false) : ORTHANT_ERROR_MEMORY;
    for (int64_t first = 0; first < sink->columns && !status; first += step) {
        orthant_matrix *block = NULL;
        status = matrix_new_dense(sink->ctx, sink->ctx->precision,
                                  smaller(step, sink->columns - first), sink->rows, &block);
        if (!status)
            status = fill_block(sink, t, first, block, piece);
        if (!status)
            status = row_sink_add(t->to, block);
        orthant_matrix_free(block);
    }
    memory_free(sink->ctx, piece);
    return status;
}

static orthant_status end(row_sink *sink, orthant_status status)
{
    transposing *t = sink->state;
    if (!t)
        return status;
    if (!status && t->sparse) {
        t->entries.columns = sink->rows;
        status = row_sink_begin(t->to, sink->columns, sink->rows, true);
        if (!status)
            status = buckets_give(&t->entries, t->to);
    } else if (!status) {
        status = give_dense(sink, t);
    }
    orthant_matrix_free(t->waiting);
    if (t->file)
        fclose(t->file);
    buckets_close(&t->entries);
    memory_free(sink->ctx, t);
    sink->state = NULL;
    return status;
}

void row_sink_transpose(row_sink *to, row_sink *sink)
{
    static const row_sink_kind kind = {begin, add, end};
    *sink = (row_sink){.kind = &kind, .ctx = to->ctx, .path = to->path, .state = to};
}
