/* The time of a search for neighbours: what it tells between its blocks, and when it has to end. */
#ifndef GRAPH_SEARCH_CLOCK_H
#define GRAPH_SEARCH_CLOCK_H

#include "core/parallel.h"

typedef struct search_clock {
    double begun;        /* clock_seconds(), from which the limit counts */
    double time_limit_s; /* 0: none */
} search_clock;

/* Tells that `done` of `total` parts of a stage ("similarity") are done. ORTHANT_STOPPED as below;
 * without a clock where the user wants to stop. */
orthant_status stage_tell(orthant_context *ctx, const search_clock *clock, const char *stage,
                          int64_t done, int64_t total);

/* Tells that `done` of `total` blocks are compared. ORTHANT_STOPPED where the user wants to stop or
 * the limit has passed before all are; `exact`: an approximate search would take less. `clock`:
 * NULL where nobody is to be told. */
orthant_status search_tell(orthant_context *ctx, const search_clock *clock, int64_t done,
                           int64_t total, bool exact);

/* The step of a search that is under way: `done` of `total` were before it. */
typedef struct search_step {
    const search_clock *clock;
    int64_t done, total;
    bool exact; /* an approximate search would take less */
} search_step;

/* parallel_for() in batches between which search_tell() is called; at most SEARCH_BATCHES of them,
 * and ORTHANT_STOPPED as there. `at`: NULL where nobody is told. */
#define SEARCH_BATCHES 64
orthant_status search_run(orthant_context *ctx, const search_step *at, int64_t count,
                          parallel_task task, void *user);

#endif
