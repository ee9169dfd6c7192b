/* A bucket that memory cannot sort is spread over buckets of its own. */
#include "data/buckets.h"

#include <errno.h>
#include <string.h>

#include "core/file.h"
#include "core/memory.h"
#include "core/pieces.h"

/* What sorting takes: the triplets, the matrix that is made of them, and a row of it. */
#define ENTRY_BYTES 96
#define ROW_BYTES 16
#define PIECE_ENTRIES 4096

/* Whether memory can sort so many entries of so many rows. */
static bool fits(const orthant_context *ctx, int64_t entries, int64_t rows)
{
    const int64_t half = memory_left(ctx) / 4;
    return rows <= 1 || (entries <= half / ENTRY_BYTES && rows <= half / ROW_BYTES);
}

void buckets_open(orthant_context *ctx, const char *path, int64_t first, int64_t rows,
                  int64_t columns, int64_t expected, buckets *b)
{
    int64_t count = expected < 0 ? BUCKETS_MOST : 1;
    /* Some hold more than others. */
    while (count < BUCKETS_MOST && !fits(ctx, 2 * (expected / count), rows / count))
        count++;
    memset(b, 0, sizeof *b);
    b->ctx = ctx;
    b->path = path;
    b->first = first;
    b->rows = rows;
    b->columns = columns;
    b->span = larger(rows / count + (rows % count != 0), 1);
}

void buckets_close(buckets *b)
{
    for (int i = 0; i < BUCKETS_MOST; i++)
        if (b->file[i])
            fclose(b->file[i]);
    memset(b->file, 0, sizeof b->file);
}

orthant_status buckets_add(buckets *b, const bucket_entry *entry)
{
    const int64_t bucket = (entry->row - b->first) / b->span;
    if (!b->file[bucket]) {
        const orthant_status status = file_scratch(b->ctx, b->path, &b->file[bucket]);
        if (status)
            return status;
    }
    b->count[bucket]++;
    return fwrite(entry, sizeof *entry, 1, b->file[bucket]) == 1
               ? ORTHANT_OK
               : file_fail_write(b->ctx, b->path, errno);
}

typedef orthant_status (*entry_taker)(void *user, const bucket_entry *entries, int64_t count);

static orthant_status read_each(const buckets *b, int bucket, entry_taker take, void *user)
{
    FILE *file = b->file[bucket];
    orthant_status status = ORTHANT_OK;
    bucket_entry *piece = memory_new(b->ctx, PIECE_ENTRIES, sizeof *piece, "entries of a bucket");
    if (!piece)
        return ORTHANT_ERROR_MEMORY;
    if (fflush(file) || fseeko(file, 0, SEEK_SET))
        status = file_fail_write(b->ctx, b->path, errno);
    for (int64_t left = b->count[bucket], now; left > 0 && !status; left -= now) {
        now = smaller(left, PIECE_ENTRIES);
        status = fread(piece, sizeof *piece, (size_t)now, file) == (size_t)now
                     ? take(user, piece, now)
                     : file_fail_read(b->ctx, b->path, errno ? errno : EIO);
    }
    memory_free(b->ctx, piece);
    return status;
}

/* ---- sorted in memory ---- */

typedef struct triplets {
    int64_t first, count, *row, *column;
    double *value;
} triplets;

static orthant_status take_triplets(void *user, const bucket_entry *entries, int64_t count)
{
    triplets *t = user;
    for (int64_t i = 0; i < count; i++, t->count++) {
        t->row[t->count] = entries[i].row - t->first;
        t->column[t->count] = entries[i].column;
        t->value[t->count] = entries[i].value;
    }
    return ORTHANT_OK;
}

static orthant_status give_sorted(buckets *b, int bucket, int64_t first, int64_t rows,
                                  row_sink *sink)
{
    orthant_context *ctx = b->ctx;
    const int64_t count = b->count[bucket];
    orthant_matrix *block = NULL;
    triplets t = {.first = first,
                  .row = memory_new(ctx, count, sizeof *t.row, "rows of entries"),
                  .column = memory_new(ctx, count, sizeof *t.column, "columns of entries"),
                  .value = memory_new(ctx, count, sizeof *t.value, "entries")};
    orthant_status status = t.row && t.column && t.value ? ORTHANT_OK : ORTHANT_ERROR_MEMORY;
    if (!status && count)
        status = read_each(b, bucket, take_triplets, &t);
    if (!status)
        status = matrix_from_triplets(ctx, ctx->precision, rows, b->columns, count, t.row, t.column,
                                      t.value, &block);
    memory_free(ctx, t.row);
    memory_free(ctx, t.column);
    memory_free(ctx, t.value);
    if (!status)
        status = row_sink_add(sink, block);
    orthant_matrix_free(block);
    return status;
}

/* ---- spread ---- */

static orthant_status take_spread(void *user, const bucket_entry *entries, int64_t count)
{
    orthant_status status = ORTHANT_OK;
    for (int64_t i = 0; i < count && !status; i++)
        status = buckets_add(user, &entries[i]);
    return status;
}

static orthant_status give_spread(buckets *b, int bucket, int64_t first, int64_t rows,
                                  row_sink *sink)
{
    buckets finer;
    buckets_open(b->ctx, b->path, first, rows, b->columns, b->count[bucket], &finer);
    /* At least two of them, or this would never end. */
    finer.span = smaller(finer.span, pieces(rows, 2));
    orthant_status status =
        b->count[bucket] ? read_each(b, bucket, take_spread, &finer) : ORTHANT_OK;
    if (b->file[bucket])
        fclose(b->file[bucket]);
    b->file[bucket] = NULL;
    if (!status)
        status = buckets_give(&finer, sink);
    buckets_close(&finer);
    return status;
}

static orthant_status give_bucket(buckets *b, int bucket, int64_t first, int64_t rows,
                                  row_sink *sink)
{
    const orthant_status status = fits(b->ctx, b->count[bucket], rows)
                                      ? give_sorted(b, bucket, first, rows, sink)
                                      : give_spread(b, bucket, first, rows, sink);
    if (b->file[bucket])
        fclose(b->file[bucket]);
    b->file[bucket] = NULL;
    return status;
}

orthant_status buckets_give(buckets *b, row_sink *sink)
{
    orthant_status status = ORTHANT_OK;
    for (int64_t at = 0; at < b->rows && !status; at += b->span)
        status = give_bucket(b, (int)(at / b->span), b->first + at, smaller(b->span, b->rows - at),
                             sink);
    return status;
}
