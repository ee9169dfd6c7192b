#include "core/parallel.h"

#include <omp.h>

int parallel_threads(const orthant_context *ctx)
{
    if (ctx->threads > 0)
        return ctx->threads;
    const int all = omp_get_num_procs();
    return all < 1 ? 1 : all > PARALLEL_MOST_THREADS ? PARALLEL_MOST_THREADS : all;
}

void parallel_for(const orthant_context *ctx, int64_t count, parallel_task task, void *user)
{
    int threads = parallel_threads(ctx);
    if (count < threads)
        threads = (int)count;
    if (threads <= 1) {
        for (int64_t i = 0; i < count; i++)
            task(user, i, 0);
        return;
    }
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads)
    for (int64_t i = 0; i < count; i++)
        task(user, i, omp_get_thread_num());
}
