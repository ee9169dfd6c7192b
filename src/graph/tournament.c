#include "graph/tournament.h"

#include <math.h>

bool tournament_pair(int64_t blocks, int64_t round, int64_t task, int64_t *block, int64_t *other)
{
    const int64_t circle = blocks - 1 + blocks % 2;
    *block = task == 0 ? circle : (round + task) % circle;
    *other = (round - task + circle) % circle;
    return *block < blocks && *other < blocks;
}

orthant_status tournament_run(orthant_context *ctx, int threads, int64_t blocks, int64_t *round,
                              parallel_task itself, parallel_task other, void *user)
{
    const int64_t rounds = blocks > 1 ? blocks - 1 + blocks % 2 : 0;
    const double start = clock_seconds();
    parallel_for_few(ctx, threads, blocks, itself, user);
    for (*round = 0; *round < rounds; ++*round) {
        if (!progress_tell(ctx, "neighbours", *round + 1, rounds + 1, clock_seconds() - start, NAN))
            return fail(ctx, ORTHANT_STOPPED, "stopped while looking for neighbours");
        parallel_for_few(ctx, threads, (blocks + 1) / 2, other, user);
    }
    progress_tell(ctx, "neighbours", rounds + 1, rounds + 1, clock_seconds() - start, NAN);
    return ORTHANT_OK;
}
