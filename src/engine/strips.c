#include "engine/strips.h"

#include "core/memory.h"
#include "data/pass.h"
#include "data/row_file.h"

/* A strip of X takes a sixteenth of the last cache, of which a program seldom has more than this.
 */
#define LAST_CACHE (32 << 20)
#define STRIP_PART 16
/* A strip of CSR data touches most rows of the sums: it is several times as long as these. */
#define CSR_STRIP 4

/* Below this many multiplications waking a thread costs more than it saves. */
#define WORTH_THREADS 200000
/* So many keep one more thread busy; a stored entry of CSR data takes as long as some ten of a
 * dense X. */
#define WORTH_A_THREAD 1000000
#define CSR_COST 10

/* Bytes of a row of X, on the average over all processes. */
static int64_t row_bytes(const sample_share *s, const orthant_matrix *X, int64_t stored)
{
    const int64_t size = (int64_t)precision_size(X->precision);
    return X->sparse ? stored * (size + (int64_t)sizeof(int32_t)) / s->cut.samples +
                           (int64_t)sizeof(int64_t) + 1
                     : X->stride * size + 1;
}

/* Strips are whole blocks, and so are chunks but for their end. */
static int64_t strip_rows(const orthant_matrix *X, int64_t chunk, int64_t row, int64_t stride,
                          int64_t length)
{
    const int64_t sums = X->columns * stride * (int64_t)precision_size(X->precision);
    int64_t bytes = kernel_cache(3, LAST_CACHE) / STRIP_PART;
    if (X->sparse && bytes < CSR_STRIP * sums)
        bytes = CSR_STRIP * sums;
    const int64_t rows = larger(bytes / row, KERNEL_ROWS);
    /* about as many in each strip of a chunk */
    return pieces(pieces(chunk, pieces(chunk, rows)), length) * length;
}

static void count_entries(void *user, strip x)
{
    int64_t *count = user;
    const orthant_matrix *X = x.data;
    for (int64_t e = X->row_start[x.row]; e < X->row_start[x.row + x.rows]; e++)
        count[X->column[e]]++;
}

/* Entries of each feature in the samples of all processes. */
static int64_t *count_features(orthant_context *ctx, const sample_share *s, const orthant_matrix *X)
{
    int64_t *count = memory_new(ctx, X->columns, sizeof *count, "entries of features");
    if (!count)
        return NULL;
    if (matrix_file(X))
        rows_pass_take(ctx, X, &(rows_pass){count, NULL, count_entries});
    else
        count_entries(count, (strip){.data = X, .rows = X->rows});
    group_add_wholes(s, count, X->columns);
    return count;
}

static orthant_status setup_panels(strips *s, const orthant_matrix *X)
{
    int64_t *count = NULL;
    orthant_status status = ORTHANT_OK;
    if (X->sparse) {
        count = count_features(s->ctx, &s->share, X);
        status = count ? ORTHANT_OK : ORTHANT_ERROR_MEMORY;
    }
    if (!status)
        status = panel_list_new(s->ctx, X, s->share.cut.samples, count, &s->panels);
    memory_free(s->ctx, count);
    return status;
}

orthant_status strips_setup(strips *s, orthant_context *ctx, const orthant_matrix *X,
                            int64_t stride, int64_t length)
{
    const sample_share part = samples_here(X);
    const int64_t stored = X->sparse ? group_total(&part, matrix_stored(X)) : 0,
                  entries = X->sparse ? stored / part.cut.samples : X->columns;
    if (length == 0)
        length = task_rows(part.cut.samples);
    *s = (strips){.ctx = ctx,
                  .ops = kernel_table(X->precision),
                  .x = strip_operations(X),
                  .file = matrix_file(X),
                  .share = part,
                  .n = X->rows,
                  .m = X->columns,
                  .chunk = part.cut.chunk,
                  .strip =
                      strip_rows(X, part.cut.chunk, row_bytes(&part, X, stored), stride, length),
                  .block = length,
                  .row_cost = entries * stride};
    const int64_t cost = s->n * s->row_cost * (X->sparse ? CSR_COST : 1);
    s->threads = (int)smaller(parallel_threads(ctx), 1 + cost / WORTH_A_THREAD);
    const orthant_status status = source_new(ctx, X, s->chunk, s->strip, &s->source);
    return status ? status : setup_panels(s, X);
}

void strips_release(strips *s)
{
    source_free(&s->source);
    panel_list_free(s->ctx, &s->panels);
}

int strips_levels(const strips *s)
{
    return chunks_slots(&s->share.cut, s->share.first_chunk, s->share.end_chunk);
}

void strips_tasks(const strips *s, int64_t count, parallel_task task, void *user,
                  int64_t multiplications)
{
    if (multiplications >= WORTH_THREADS) {
        parallel_for_few(s->ctx, s->threads, count, task, user);
        return;
    }
    for (int64_t i = 0; i < count; i++)
        task(user, i, 0);
}

/* ------------------------------------------------------------------ a pass */

/* New encodings of a strip, the sums of the one before, and of a file the next one: none needs
 * another, and while one waits for the memory or the disk another computes. */
typedef struct strip_step {
    const strips *s;
    const strip_pass *pass;
    strip encoded, added;
    int64_t blocks, tasks, fills;
    bool looks; /* at where panels begin */
} strip_step;

/* Where panels begin is seen in the samples of a file before their share of the sums is added. */
static void encode_block(const strip_step *step, block b)
{
    if (step->looks)
        panel_list_look(&step->s->panels, step->encoded, b);
    if (step->pass->encode)
        step->pass->encode(step->pass->user, step->encoded, b);
}

/* Encodings and sums alternate, as long as there are some of both. */
static void work_task(const strip_step *step, int64_t index, int thread)
{
    const int64_t both = smaller(step->blocks, step->tasks);
    const bool adds = index < 2 * both ? index % 2 == 1 : step->tasks > both;
    const int64_t own = index < 2 * both ? index / 2 : index - both;
    const strip x = step->encoded;
    if (adds)
        step->pass->accumulate(step->pass->user, step->added, own, thread);
    else
        encode_block(step, block_at(x.first, x.first + x.rows, step->s->block, own, thread));
}

/* What is filled is spread among them. */
static void step_task(void *user, int64_t index, int thread)
{
    const strip_step *step = user;
    const int64_t all = step->blocks + step->tasks + step->fills,
                  before = index * step->fills / all;
    if ((index + 1) * step->fills / all > before)
        step->s->source.fill(step->s->source.state, before);
    else
        work_task(step, index - before, thread);
}

static int64_t strip_at(const strips *s, int64_t first)
{
    const int64_t end = smaller(s->n, (first / s->chunk + 1) * s->chunk);
    return smaller(s->strip, end - first);
}

/* Either strip may be empty; *ahead: the first sample that was not read yet. */
static void run_step(const strips *s, const strip_pass *pass, strip encoded, strip added,
                     int64_t *ahead)
{
    strip_step step = {.s = s,
                       .pass = pass,
                       .encoded = encoded,
                       .added = added,
                       .looks = s->panels.wants_rows && pass->accumulate && encoded.data};
    const int64_t next = *ahead < s->n ? strip_at(s, *ahead) : 0;
    if (pass->encode || step.looks)
        step.blocks = pieces(encoded.rows, s->block);
    if (pass->accumulate && added.rows > 0)
        step.tasks = pass->accumulate_tasks(pass->user);
    if (next > 0)
        step.fills = s->source.begin(s->source.state, *ahead, next);
    if (step.fills > 0)
        *ahead += next;
    strips_tasks(s, step.blocks + step.tasks + step.fills, step_task, &step,
                 (encoded.rows + added.rows + (step.fills > 0 ? next : 0)) * s->row_cost);
    if (added.rows > 0 && pass->strip_done)
        pass->strip_done(pass->user, added);
}

static strip open_strip(const strips *s, const strip_pass *pass, int64_t first)
{
    const int64_t rows = strip_at(s, first);
    strip x = {.first = first, .rows = rows};
    if (!s->file || !pass->without_data)
        x = s->source.open(s->source.state, first, rows);
    x.opens = first % s->chunk == 0;
    return x;
}

static void close_strip(const strips *s, strip x)
{
    if (x.data)
        s->source.release(s->source.state, x);
}

/* Its encodings and its sums are made. */
static void strip_ends(const strips *s, const strip_pass *pass, strip x)
{
    const int64_t end = x.first + x.rows;
    close_strip(s, x);
    if (pass->chunk_done && x.rows > 0 && (end % s->chunk == 0 || end == s->n))
        pass->chunk_done(pass->user, s->share.first_chunk + x.first / s->chunk, end == s->n);
}

/* The sums of a chunk's last strip are made with the encodings of the next chunk's first one. */
void strips_run(const strips *s, const strip_pass *pass)
{
    const bool reads = s->file && !pass->without_data;
    const strip none = {0};
    int64_t ahead = reads ? 0 : s->n;
    strip last = none;
    if (reads && s->file->failing)
        return;
    if (reads)
        run_step(s, pass, none, none, &ahead);
    for (int64_t first = 0; first < s->n; first += last.rows) {
        if (s->file && s->file->failing)
            return;
        const strip now = open_strip(s, pass, first);
        run_step(s, pass, now, last, &ahead);
        strip_ends(s, pass, last);
        last = now;
    }
    run_step(s, pass, none, last, &ahead);
    strip_ends(s, pass, last);
    /* Known from now on, which changes no result. */
    if (reads && pass->accumulate)
        ((strips *)(uintptr_t)s)->panels.wants_rows = false;
    if (reads)
        row_file_watch(s->file);
}

void strips_add_rows(const strips *s, const double *values, int64_t width, double *scratch,
                     double *total)
{
    chunk_sum sum;
    chunk_sum_begin(&sum, &s->share, width, scratch);
    for (int64_t chunk = s->share.first_chunk; chunk < s->share.end_chunk; chunk++) {
        const int64_t first = share_chunk_first(&s->share, chunk), slot = strips_slot(s, first),
                      end = slot + pieces(share_chunk_end(&s->share, chunk) - first, s->block);
        double *row = chunk_sum_row(&sum);
        for (int64_t b = slot; b < end; b++)
            for (int64_t i = 0; i < width; i++)
                row[i] += values[b * width + i];
        chunk_sum_next(&sum);
    }
    chunk_sum_end(&sum, total);
}

void strips_add_values(const strips *s, const double *values, int64_t width, double *total)
{
    double scratch[CHUNK_SUM_SLOTS * STRIPS_MOST_WIDTH];
    strips_add_rows(s, values, width, scratch, total);
}
