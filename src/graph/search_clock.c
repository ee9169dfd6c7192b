/* Progress and the time limit of a search for neighbours. */
#include "graph/search_clock.h"

#include <math.h>

#include "core/pieces.h"

#define FEWEST_OF_A_BATCH 16 /* tasks: threads do not wait for each other for less */
#define PARTS 1000           /* of a step, that are told */

orthant_status stage_tell(orthant_context *ctx, const search_clock *clock, const char *stage,
                          int64_t done, int64_t total)
{
    const double seconds = clock ? clock_seconds() - clock->begun : 0;
    if (done >= total)
        return ORTHANT_OK;
    if (clock && clock->time_limit_s > 0 && seconds >= clock->time_limit_s)
        return fail(ctx, ORTHANT_STOPPED,
                    "the time limit of %g s passed during the stage '%s', %.0f %% of which was "
                    "done: give more time",
                    clock->time_limit_s, stage, 100.0 * (double)done / (double)total);
    return progress_tell(ctx, stage, done, total, seconds, NAN)
               ? ORTHANT_OK
               : fail(ctx, ORTHANT_STOPPED, "stopped during the stage '%s'", stage);
}

orthant_status search_tell(orthant_context *ctx, const search_clock *clock, int64_t done,
                           int64_t total, bool exact)
{
    if (!clock)
        return ORTHANT_OK;
    const double seconds = clock_seconds() - clock->begun;
    if (clock->time_limit_s > 0 && seconds >= clock->time_limit_s && done < total)
        return fail(ctx, ORTHANT_STOPPED,
                    "the time limit of %g s passed while looking for neighbours, %.0f %% of which "
                    "were compared: give more time%s",
                    clock->time_limit_s, 100.0 * (double)done / (double)total,
                    exact ? ", or search approximate" : "");
    return progress_tell(ctx, "neighbours", done, total, seconds, NAN) || done >= total
               ? ORTHANT_OK
               : fail(ctx, ORTHANT_STOPPED, "stopped while looking for neighbours");
}

typedef struct batch {
    parallel_task task;
    void *user;
    int64_t first;
} batch;

static void task_of_batch(void *user, int64_t index, int thread)
{
    const batch *b = user;
    b->task(b->user, b->first + index, thread);
}

orthant_status search_run(orthant_context *ctx, const search_step *at, int64_t count,
                          parallel_task task, void *user)
{
    const int64_t size = larger(pieces(count, SEARCH_BATCHES), FEWEST_OF_A_BATCH);
    batch b = {task, user, 0};
    orthant_status status = ORTHANT_OK;
    for (; b.first < count && !status; b.first += size) {
        if (at)
            status = search_tell(ctx, at->clock, at->done * PARTS + b.first * PARTS / count,
                                 at->total * PARTS, at->exact);
        if (!status)
            parallel_for(ctx, smaller(size, count - b.first), task_of_batch, &b);
    }
    return status;
}
