/* A fit in pieces, so that its labels can be looked at between them. */
#ifndef VISION_STOPS_H
#define VISION_STOPS_H

#include "orthant/fit.h"
#include "vision/segment.h"

typedef struct stop_plan {
    int64_t at[SEGMENT_MOST_SNAPSHOTS + 1]; /* iterations, rising; the last is the end */
    int count;
} stop_plan;

/* `list` is "2,450,1000", or NULL; `iterations` is 0 where the user gave none, and then at least
 * `usual`. Methods without iterations to look between are refused. */
orthant_status stops_plan(orthant_context *ctx, const char *method, const char *list,
                          int64_t iterations, int64_t usual, stop_plan *plan);

/* How the fit ended. */
typedef struct stops_end {
    int64_t iterations; /* of all pieces */
    bool interrupted;   /* before the last stop, by the user */
} stops_end;

/* What is done with the result at a stop before the last. */
typedef orthant_status (*stops_keep)(void *user, const orthant_result *result, int64_t iteration);

/* Fits from stop to stop, each piece from where the last one ended; one that the user
 * stopped ends them. */
orthant_status stops_fit(orthant_model *model, const orthant_matrix *features,
                         const stop_plan *plan, stops_keep keep, void *user,
                         orthant_result **result, stops_end *end);

#endif
