#include "data/pass.h"

#include "core/parallel.h"
#include "core/pieces.h"
#include "data/row_file.h"

#define STRIP_BYTES (1 << 20)
#define BLOCK_BYTES (1 << 17)

typedef struct pass_step {
    const rows_pass *pass;
    source source;
    strip x;
    int64_t block, blocks;
} pass_step;

static void step_task(void *user, int64_t index, int thread)
{
    const pass_step *step = user;
    const int64_t first = index * step->block;
    if (index >= step->blocks)
        step->source.fill(step->source.state, index - step->blocks);
    else
        step->pass->work(
            step->pass->user, step->x,
            (block){step->x.first + first, smaller(step->block, step->x.rows - first), thread});
}

/* Works on a strip, which may be empty, while the one from `next` on is read. */
static void run_step(orthant_context *ctx, pass_step *step, int64_t next, int64_t rows)
{
    const int64_t fills =
        step->source.begin && rows > 0 ? step->source.begin(step->source.state, next, rows) : 0;
    step->blocks = step->pass->work ? pieces(step->x.rows, step->block) : 0;
    parallel_for(ctx, step->blocks + fills, step_task, step);
}

orthant_status rows_pass_run(orthant_context *ctx, const orthant_matrix *samples,
                             const rows_pass *pass)
{
    const int64_t n = samples->rows, row = n > 0 ? matrix_bytes(samples) / n + 1 : 1,
                  rows = larger(1, smaller(PASS_ROWS, STRIP_BYTES / row));
    pass_step step = {.pass = pass, .block = larger(1, smaller(rows, BLOCK_BYTES / row))};
    orthant_status status =
        matrix_file(samples) ? row_file_status(matrix_file(samples)) : ORTHANT_OK;
    if (status || n == 0 || (status = source_new(ctx, samples, rows, rows, &step.source)))
        return status;
    run_step(ctx, &step, 0, smaller(rows, n));
    for (int64_t first = 0; first < n && !status; first += rows) {
        const int64_t next = first + rows;
        if (matrix_file(samples) && (status = row_file_status(matrix_file(samples))))
            break;
        step.x = step.source.open(step.source.state, first, smaller(rows, n - first));
        run_step(ctx, &step, next, smaller(rows, n - next));
        if (pass->done)
            pass->done(pass->user, step.x);
        step.source.release(step.source.state, step.x);
    }
    source_free(&step.source);
    if (matrix_file(samples))
        row_file_watch(matrix_file(samples));
    return matrix_file(samples) && !status ? row_file_status(matrix_file(samples)) : status;
}

void rows_pass_take(orthant_context *ctx, const orthant_matrix *samples, const rows_pass *pass)
{
    const orthant_status status = rows_pass_run(ctx, samples, pass);
    row_failure failure = {ORTHANT_OK, ""};
    if (!status || !matrix_file(samples))
        return;
    row_fail(&failure, status, "%s", ctx->message);
    row_file_keep(matrix_file(samples), &failure);
}
