#include "method/batch.h"

#include "core/memory.h"
#include "core/parallel.h"
#include "core/pieces.h"
#include "data/row_file.h"

#define PIECE_BYTES (1 << 18) /* of a file that one task reads */

static int64_t most_stored(const batch_reader *r)
{
    int64_t most = 1;
    for (int64_t b = 0; b < r->count; b++)
        most =
            larger(most, row_file_stored(r->samples->file, batch_first(r, b), batch_length(r, b)));
    return most;
}

static bool new_buffers(batch_reader *r)
{
    const orthant_matrix *X = r->samples;
    const size_t size = precision_size(X->precision);
    if (X->sparse &&
        !(r->row_start = memory_new(r->ctx, r->rows + 1, sizeof *r->row_start, "rows of a batch")))
        return false;
    if (!matrix_file(X))
        return true;
    const int64_t width = X->sparse ? 1 : X->columns, count = X->sparse ? most_stored(r) : r->rows;
    if (X->sparse &&
        !(r->column = memory_new(r->ctx, count, sizeof *r->column, "columns of a batch")))
        return false;
    return (r->values = memory_new(r->ctx, count, (size_t)width * size, "a batch")) != NULL;
}

orthant_status batch_reader_open(batch_reader *r, orthant_context *ctx,
                                 const orthant_matrix *samples, int64_t rows)
{
    *r = (batch_reader){.ctx = ctx, .samples = samples, .rows = smaller(rows, samples->rows)};
    r->count = pieces(samples->rows, r->rows);
    r->summaries = memory_new(ctx, r->count, sizeof *r->summaries, "batches");
    return r->summaries && new_buffers(r) ? ORTHANT_OK : ORTHANT_ERROR_MEMORY;
}

void batch_reader_release(batch_reader *r)
{
    memory_free(r->ctx, r->values);
    memory_free(r->ctx, r->row_start);
    memory_free(r->ctx, r->column);
    memory_free(r->ctx, r->summaries);
}

/* What of a batch in a file the tasks read. */
typedef struct reading {
    const batch_reader *r;
    int64_t first, rows, piece;
} reading;

static void read_piece(void *user, int64_t index, int thread)
{
    const reading *g = user;
    const orthant_matrix *X = g->r->samples;
    const int64_t first = index * g->piece, rows = smaller(g->piece, g->rows - first),
                  skipped = X->sparse ? 0 : first * X->columns;
    (void)thread;
    row_file_take(
        X->file, g->first + first, rows,
        (row_target){(char *)g->r->values + skipped * (int64_t)precision_size(X->precision),
                     X->sparse ? g->r->row_start + first : NULL, g->r->column});
}

static orthant_status read_batch(batch_reader *r, int64_t first, int64_t rows)
{
    const orthant_matrix *X = r->samples;
    const int64_t bytes = larger(X->columns * (int64_t)precision_size(X->precision), 1);
    const reading g = {r, first, rows, X->file->one_reader ? rows : larger(1, PIECE_BYTES / bytes)};
    if (X->sparse)
        row_file_starts(X->file, first, rows, r->row_start);
    parallel_for(r->ctx, pieces(rows, g.piece), read_piece, (void *)(uintptr_t)&g);
    return row_file_status(X->file);
}

/* Rows of CSR data where they lie: their starts count from the first one's. */
static void view_rows(batch_reader *r, int64_t first, int64_t rows)
{
    const orthant_matrix *X = r->samples;
    const int64_t begin = X->row_start[first];
    for (int64_t i = 0; i <= rows; i++)
        r->row_start[i] = X->row_start[first + i] - begin;
    r->batch.column = X->column + begin;
    r->batch.values = (char *)X->values + begin * (int64_t)precision_size(X->precision);
}

orthant_status batch_take(batch_reader *r, int64_t index, const orthant_matrix **batch)
{
    const orthant_matrix *X = r->samples;
    const int64_t first = batch_first(r, index), rows = batch_length(r, index);
    const bool in_file = matrix_file(X) != NULL;
    const orthant_status status = in_file ? read_batch(r, first, rows) : ORTHANT_OK;
    if (status)
        return status;
    r->batch = (orthant_matrix){.ctx = r->ctx,
                                .precision = X->precision,
                                .sparse = X->sparse,
                                .rows = rows,
                                .columns = X->columns,
                                .stride = in_file ? X->columns : X->stride,
                                .values = r->values,
                                .row_start = r->row_start,
                                .column = r->column,
                                .name = X->name,
                                .summary = r->summaries[index]};
    if (X->sparse)
        r->batch.stride = 0;
    if (!in_file && X->sparse)
        view_rows(r, first, rows);
    else if (!in_file)
        r->batch.values =
            (char *)X->values + first * X->stride * (int64_t)precision_size(X->precision);
    *batch = &r->batch;
    /* Its sums are asked for whenever it is at hand: they are made once. */
    if (r->summaries[index].known)
        return ORTHANT_OK;
    const orthant_status summarised = matrix_summarise(&r->batch);
    r->summaries[index] = r->batch.summary;
    return summarised;
}
