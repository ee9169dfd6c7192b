#include "engine/strips.h"

/* A strip of X takes a sixteenth of the last cache, of which a program seldom has more than this.
 */
#define LAST_CACHE (32 << 20)
#define STRIP_PART 16
/* A strip of CSR data touches most rows of the sums: it is several times as long as these. */
#define CSR_STRIP 4

/* Samples of a chunk at least, so that adding up its sums is little beside forming them. */
#define CHUNK_SAMPLES 32768

/* Below this many multiplications waking a thread costs more than it saves. */
#define WORTH_THREADS 200000
/* So many keep one more thread busy; a stored entry of CSR data takes as long as some ten of a
 * dense X. */
#define WORTH_A_THREAD 1000000
#define CSR_COST 10

/* Strips and chunks are whole blocks. */
static int64_t strip_rows(const orthant_matrix *X, int64_t stride, int64_t length)
{
    const int64_t row = matrix_bytes(X) / X->rows + 1,
                  sums = X->columns * stride * (int64_t)precision_size(X->precision);
    int64_t bytes = kernel_cache(3, LAST_CACHE) / STRIP_PART;
    if (X->sparse && bytes < CSR_STRIP * sums)
        bytes = CSR_STRIP * sums;
    const int64_t rows = bytes / row / length * length;
    return rows < KERNEL_ROWS ? pieces(KERNEL_ROWS, length) * length : rows;
}

static int64_t chunk_rows(int64_t n, int64_t length)
{
    int64_t chunks = 1;
    while (chunks < STRIPS_MOST_CHUNKS && n / chunks > CHUNK_SAMPLES)
        chunks *= 2;
    return pieces(pieces(n, chunks), length) * length;
}

orthant_status strips_setup(strips *s, orthant_context *ctx, const orthant_matrix *X,
                            int64_t stride, int64_t length)
{
    const int64_t entries = X->sparse ? X->row_start[X->rows] / X->rows : X->columns;
    if (length == 0)
        length = task_rows(X->rows);
    *s = (strips){.ctx = ctx,
                  .ops = kernel_table(X->precision),
                  .x = strip_operations(X),
                  .source = source_in_memory(X),
                  .n = X->rows,
                  .m = X->columns,
                  .chunk = chunk_rows(X->rows, length),
                  .strip = strip_rows(X, stride, length),
                  .block = length,
                  .row_cost = entries * stride};
    const int64_t cost = s->n * s->row_cost * (X->sparse ? CSR_COST : 1);
    s->threads = (int)smaller(parallel_threads(ctx), 1 + cost / WORTH_A_THREAD);
    return panel_list_new(ctx, X, &s->panels);
}

void strips_release(strips *s)
{
    panel_list_free(s->ctx, &s->panels);
}

int strips_levels(const strips *s)
{
    int levels = 0;
    for (int64_t chunks = pieces(s->n, s->chunk) - 1; chunks > 0; chunks /= 2)
        levels++;
    return levels;
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
    for (int64_t chunk = 0; chunk * s->chunk < s->n; chunk++) {
        const int64_t end = smaller(s->n, (chunk + 1) * s->chunk);
        strip last = none;
        for (int64_t first = chunk * s->chunk; first < end; first += s->strip) {
            strip now = s->source.open(s->source.state, first, smaller(s->strip, end - first));
            now.opens = first == chunk * s->chunk;
            run_step(s, pass, now, last);
            if (last.rows > 0)
                s->source.release(s->source.state, last);
            last = now;
        }
        run_step(s, pass, none, last);
        s->source.release(s->source.state, last);
        if (pass->chunk_done)
            pass->chunk_done(pass->user, chunk, end == s->n);
    }
}
