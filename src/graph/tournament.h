/* A round-robin schedule of all pairs of blocks: in a round each block is in one pair at most, so
 * that no two tasks of a round write to the same block. */
#ifndef GRAPH_TOURNAMENT_H
#define GRAPH_TOURNAMENT_H

#include "core/parallel.h"
#include "graph/search_clock.h"

typedef struct tournament_pair {
    int32_t block, other;
} tournament_pair;

typedef struct tournament {
    int64_t blocks, rounds;
    int64_t round;          /* the present one */
    tournament_pair *pairs; /* by rounds; NULL: the circle method */
    int64_t *start;         /* of each round's pairs, and their end */
} tournament;

/* In an order that needs no memory: the circle method. */
tournament tournament_of(int64_t blocks);
/* Near pairs come early: `distances` are those of all pairs, of the pair (i, j), i > j, at
 * i (i - 1) / 2 + j. */
orthant_status tournament_by_distance(orthant_context *ctx, int64_t blocks, const float *distances,
                                      tournament *t);
void tournament_free(orthant_context *ctx, tournament *t);

/* The pair of a task of the present round; false for a block without a partner. */
bool tournament_task(const tournament *t, int64_t task, int64_t *block, int64_t *other);

/* Task `itself` for each block, then `other` for the tasks of each round, by no more than
 * `threads`. Tells progress, and can be stopped between rounds. */
orthant_status tournament_run(orthant_context *ctx, int threads, const search_clock *clock,
                              tournament *t, parallel_task itself, parallel_task other, void *user);

#endif
