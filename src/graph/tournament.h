/* Every block meets every other one in rounds, and in a round each block one other (the circle
 * method), so that no two tasks of a round write to the same block. */
#ifndef GRAPH_TOURNAMENT_H
#define GRAPH_TOURNAMENT_H

#include <stdbool.h>
#include <stdint.h>

static inline int64_t tournament_rounds(int64_t blocks)
{
    return blocks > 1 ? blocks - 1 + blocks % 2 : 0;
}

/* Of (blocks + 1) / 2 tasks of a round; false for the one without a partner. */
static inline bool tournament_pair(int64_t blocks, int64_t round, int64_t task, int64_t *block,
                                   int64_t *other)
{
    const int64_t circle = blocks - 1 + blocks % 2;
    *block = task == 0 ? circle : (round + task) % circle;
    *other = (round - task + circle) % circle;
    return *block < blocks && *other < blocks;
}

#endif
