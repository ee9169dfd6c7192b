#include "engine/strips.h"

#include "core/memory.h"

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
static int64_t strip_rows(const orthant_matrix *X, int64_t row, int64_t stride, int64_t length)
{
    const int64_t sums = X->columns * stride * (int64_t)precision_size(X->precision);
    int64_t bytes = kernel_cache(3, LAST_CACHE) / STRIP_PART;
    if (X->sparse && bytes < CSR_STRIP * sums)
        bytes = CSR_STRIP * sums;
    const int64_t rows = bytes / row / length * length;
    return rows < KERNEL_ROWS ? pieces(KERNEL_ROWS, length) * length : rows;
}

/* Entries of each feature in the samples of all processes. */
static int64_t *count_features(orthant_context *ctx, const sample_share *s, const orthant_matrix *X)
{
    int64_t *count = memory_new(ctx, X->columns, sizeof *count, "entries of features");
    if (!count)
        return NULL;
    for (int64_t e = 0; e < X->row_start[X->rows]; e++)
        count[X->column[e]]++;
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
    const int64_t stored = X->sparse ? group_total(&part, X->row_start[X->rows]) : 0,
                  entries = X->sparse ? stored / part.cut.samples : X->columns;
    if (length == 0)
        length = task_rows(part.cut.samples);
    *s = (strips){.ctx = ctx,
                  .ops = kernel_table(X->precision),
                  .x = strip_operations(X),
                  .source = source_in_memory(X),
                  .share = part,
                  .n = X->rows,
                  .m = X->columns,
                  .chunk = part.cut.chunk,
                  .strip = strip_rows(X, row_bytes(&part, X, stored), stride, length),
                  .block = length,
                  .row_cost = entries * stride};
    const int64_t cost = s->n * s->row_cost * (X->sparse ? CSR_COST : 1);
    s->threads = (int)smaller(parallel_threads(ctx), 1 + cost / WORTH_A_THREAD);
    return setup_panels(s, X);
}

void strips_release(strips *s)
{
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

/* New encodings of a strip and the sums of the one before: neither needs the other, and while one
 * waits for the memory the other computes. */
typedef struct strip_step {
    const strips *s;
    const strip_pass *pass;
    strip encoded, added;
    int64_t blocks, tasks;
} strip_step;

/* They alternate, as long as there are some of both. */
static void step_task(void *user, int64_t index, int thread)
{
    const strip_step *step = user;
    const int64_t both = smaller(step->blocks, step->tasks);
    const bool adds = index < 2 * both ? index % 2 == 1 : step->tasks > both;
    const int64_t own = index < 2 * both ? index / 2 : index - both;
    const strip x = step->encoded;
    if (adds)
        step->pass->accumulate(step->pass->user, step->added, own, thread);
    else
        step->pass->encode(step->pass->user, x,
                           block_at(x.first, x.first + x.rows, step->s->block, own, thread));
}

/* Either strip may be empty. */
static void run_step(const strips *s, const strip_pass *pass, strip encoded, strip added)
{
    strip_step step = {.s = s, .pass = pass, .encoded = encoded, .added = added};
    if (pass->encode)
        step.blocks = pieces(encoded.rows, s->block);
    if (pass->accumulate && added.rows > 0)
        step.tasks = pass->accumulate_tasks(pass->user);
    strips_tasks(s, step.blocks + step.tasks, step_task, &step,
                 (encoded.rows + added.rows) * s->row_cost);
    if (added.rows > 0 && pass->strip_done)
        pass->strip_done(pass->user, added);
}

void strips_run(const strips *s, const strip_pass *pass)
{
    const strip none = {0};
    for (int64_t chunk = s->share.first_chunk; chunk < s->share.end_chunk; chunk++) {
        const int64_t begin = share_chunk_first(&s->share, chunk),
                      end = share_chunk_end(&s->share, chunk);
        strip last = none;
        for (int64_t first = begin; first < end; first += s->strip) {
            strip now = s->source.open(s->source.state, first, smaller(s->strip, end - first));
            now.opens = first == begin;
            run_step(s, pass, now, last);
            if (last.rows > 0)
                s->source.release(s->source.state, last);
            last = now;
        }
        run_step(s, pass, none, last);
        s->source.release(s->source.state, last);
        if (pass->chunk_done)
            pass->chunk_done(pass->user, chunk, chunk + 1 == s->share.end_chunk);
    }
}

void strips_add_values(const strips *s, const double *values, int64_t width, double *total)
{
    double rows[CHUNK_SUM_SLOTS * STRIPS_MOST_WIDTH];
    chunk_sum sum;
    chunk_sum_begin(&sum, &s->share, width, rows);
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
