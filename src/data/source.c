/* Strips of samples that lie in memory, and of those in a file: these are read into three buffers
 * in rotation, one being filled, one being encoded, one whose share of the sums is added up.
 *
 * What the system has in memory already is copied faster than it is worked on. Where a piece takes
 * longer than that, the disk is read: the system is told what will be wanted next, so that it goes
 * on reading while threads compute. */
#include "core/memory.h"
#include "core/pieces.h"
#include "data/row_file.h"
#include "data/strip.h"

/* ------------------------------------------------------------------ in memory */

static strip open_in_memory(void *state, int64_t first, int64_t rows)
{
    return (strip){.data = state, .row = first, .first = first, .rows = rows};
}

static void release_in_memory(void *state, strip x)
{
    (void)state;
    (void)x;
}

/* ------------------------------------------------------------------ in a file */

#define BUFFERS 3
#define PIECE_BYTES (1 << 18)  /* that a task reads */
#define AHEAD_BYTES (32 << 20) /* that the system is told of */
#define COPY_RATE 1e9          /* bytes a second: slower is a disk */

typedef struct buffer {
    orthant_matrix data; /* of `data.rows` samples, from `first` on */
    int64_t first;
    bool used;
} buffer;

typedef struct file_source {
    orthant_context *ctx;
    row_file *file;
    buffer buffers[BUFFERS];
    buffer *filling;
    int64_t first; /* of the samples among those of all processes */
    int64_t piece; /* samples that a task reads */
    int64_t row_bytes;
    bool slow; /* a piece of the last strip was: set by any thread */
} file_source;

static buffer *buffer_at(file_source *s, int64_t first)
{
    for (int i = 0; i < BUFFERS; i++)
        if (s->buffers[i].used && s->buffers[i].first == first)
            return &s->buffers[i];
    return NULL;
}

static strip open_in_file(void *state, int64_t first, int64_t rows)
{
    const buffer *b = buffer_at(state, first);
    return (strip){.data = &b->data, .row = 0, .first = first, .rows = rows};
}

static void release_in_file(void *state, strip x)
{
    buffer_at(state, x.first)->used = false;
}

/* The next pass follows this one: behind the end comes the begin. */
static void tell_ahead(const file_source *s, int64_t first, int64_t rows)
{
    const int64_t n = s->file->rows, ahead = AHEAD_BYTES / s->row_bytes, from = (first + ahead) % n;
    row_file_will_read(s->file, from, smaller(rows, n - from));
}

static int64_t begin_strip(void *state, int64_t first, int64_t rows)
{
    file_source *s = state;
    s->filling = NULL;
    for (int i = 0; i < BUFFERS && !s->filling; i++)
        if (!s->buffers[i].used)
            s->filling = &s->buffers[i];
    if (!s->filling)
        return 0;
    s->filling->used = true;
    s->filling->first = first;
    s->filling->data.rows = rows;
    s->filling->data.part.first = s->first + first;
    if (__atomic_exchange_n(&s->slow, false, __ATOMIC_RELAXED))
        tell_ahead(s, first, rows);
    if (s->file->sparse)
        row_file_starts(s->file, first, rows, s->filling->data.row_start);
    return s->file->one_reader ? 1 : pieces(rows, s->piece);
}

static void fill_piece(void *state, int64_t piece)
{
    file_source *s = state;
    const orthant_matrix *data = &s->filling->data;
    const bool whole = s->file->one_reader, sparse = s->file->sparse;
    const int64_t first = whole ? 0 : piece * s->piece,
                  rows = whole ? data->rows : smaller(s->piece, data->rows - first);
    const double begin = clock_seconds();
    row_file_take(s->file, s->filling->first + first, rows,
                  (row_target){(char *)data->values + (sparse ? 0 : first * s->row_bytes),
                               sparse ? data->row_start + first : NULL, data->column});
    if (clock_seconds() - begin > (double)(rows * s->row_bytes) / COPY_RATE)
        __atomic_store_n(&s->slow, true, __ATOMIC_RELAXED);
}

/* The most entries that a strip stores. */
static int64_t longest_strip(const row_file *file, int64_t chunk, int64_t length)
{
    int64_t most = 0;
    for (int64_t start = 0; start < file->rows; start += chunk)
        for (int64_t first = start; first < smaller(start + chunk, file->rows); first += length) {
            const int64_t end = smaller(smaller(start + chunk, file->rows), first + length);
            most = larger(most, row_file_stored(file, first, end - first));
        }
    return most;
}

static bool new_buffer(file_source *s, int64_t rows, int64_t stored, buffer *b)
{
    const row_file *file = s->file;
    b->data = (orthant_matrix){.ctx = s->ctx,
                               .precision = file->precision,
                               .sparse = file->sparse,
                               .columns = file->columns,
                               .stride = file->sparse ? 0 : file->columns};
    b->data.values = memory_new(s->ctx, stored, precision_size(file->precision), "a strip");
    if (file->sparse) {
        b->data.row_start =
            memory_new(s->ctx, rows + 1, sizeof *b->data.row_start, "a strip's rows");
        b->data.column = memory_new(s->ctx, stored, sizeof *b->data.column, "a strip's columns");
    }
    return b->data.values && (!file->sparse || (b->data.row_start && b->data.column));
}

static void free_file_source(file_source *s)
{
    for (int i = 0; i < BUFFERS; i++) {
        memory_free(s->ctx, s->buffers[i].data.values);
        memory_free(s->ctx, s->buffers[i].data.row_start);
        memory_free(s->ctx, s->buffers[i].data.column);
    }
    memory_free(s->ctx, s);
}

orthant_status source_new(orthant_context *ctx, const orthant_matrix *samples, int64_t chunk,
                          int64_t length, source *from)
{
    row_file *file = matrix_file(samples);
    /* Strips in memory are read alone, but the state of others is written to. */
    *from = (source){
        .state = (void *)(uintptr_t)samples, .open = open_in_memory, .release = release_in_memory};
    if (!file)
        return ORTHANT_OK;
    file_source *s = memory_new(ctx, 1, sizeof *s, "strips of a file");
    if (!s)
        return ORTHANT_ERROR_MEMORY;
    length = larger(1, smaller(length, smaller(chunk, file->rows)));
    const int64_t size = (int64_t)precision_size(file->precision),
                  stored =
                      file->sparse ? longest_strip(file, chunk, length) : length * file->columns;
    s->ctx = ctx;
    s->file = file;
    s->first = samples->part.first;
    s->row_bytes = larger(1, file->sparse ? stored * (size + (int64_t)sizeof(int32_t)) / length
                                          : file->columns * size);
    s->piece = larger(1, PIECE_BYTES / s->row_bytes);
    for (int i = 0; i < BUFFERS; i++)
        if (!new_buffer(s, length, stored, &s->buffers[i])) {
            free_file_source(s);
            return ORTHANT_ERROR_MEMORY;
        }
    *from = (source){s, open_in_file, release_in_file, begin_strip, fill_piece};
    return ORTHANT_OK;
}

void source_free(source *from)
{
    if (from->begin)
        free_file_source(from->state);
    *from = (source){0};
}
