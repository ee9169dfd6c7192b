/* Every block meets every other one in rounds, and in a round each block one other (the circle
 * method), so that no two tasks of a round write to the same block. */
#ifndef GRAPH_TOURNAMENT_H
#define GRAPH_TOURNAMENT_H

#include "core/parallel.h"

/* Of (blocks + 1) / 2 tasks of a round; false for the one without a partner. */
bool tournament_pair(int64_t blocks, int64_t round, int64_t task, int64_t *block, int64_t *other);

/* Task `itself` for each block, then `other` for the tasks of each round, which it finds in
 * *round, by no more than `threads`. Tells progress, and can be stopped between rounds. */
orthant_status tournament_run(orthant_context *ctx, int threads, int64_t blocks, int64_t *round,
                              parallel_task itself, parallel_task other, void *user);

#endif
