/* Lower bounds of the distances between samples, from a projection on the directions in which the
 * samples spread most. With orthonormal directions Q and the length r = |x - Q Q'x| of the residual
 *
 *     |x - y|^2 >= |Q'x - Q'y|^2 + (r_x - r_y)^2,
 *
 * the squared distance of the points (Q'x, r_x): pairs whose points are far apart are pruned.
 *
 * A second, tighter bound uses codes of the residual x - Q Q'x: its coordinates along the next
 * directions and the length of what those leave, quantised to 8 bits, which moves them by at most
 * `code_error`:
 *
 *     |x - y|^2 >= |Q'x - Q'y|^2 + (|codes of x - codes of y| - code_error_x - code_error_y)^2. */
#ifndef GRAPH_LOWER_BOUNDS_H
#define GRAPH_LOWER_BOUNDS_H

#include "data/matrix.h"
#include "graph/search_clock.h"

#define BOUND_COORDINATES 48
#define BOUND_CODES 64

typedef struct lower_bounds {
    orthant_context *ctx;
    orthant_matrix
        *points;   /* samples x coordinates, single precision; NULL: the directions are no good */
    double *slack; /* of each: how far rounding may have moved it */
    double most_slack;
    int8_t *codes;     /* samples x BOUND_CODES, in steps */
    float *code_error; /* of each sample's codes, in steps */
    double step;
    int32_t *order; /* the sample of each point; NULL: they are in the samples' order */
} lower_bounds;

/* Many dense samples of many features, whose squares need no care. */
bool lower_bounds_suit(const orthant_matrix *samples);
/* Of any dense samples but those whose squares overflow. Where they need not be `tight`, samples
 * near the directions' span get more slack, and cost less. */
orthant_status lower_bounds_make(orthant_context *ctx, const orthant_matrix *samples, bool tight,
                                 const search_step *at, lower_bounds *bounds);
/* Whether they prune enough pairs of samples in a search for `count` neighbours: estimated by a few
 * samples that are compared with all. */
orthant_status lower_bounds_prune(const lower_bounds *bounds, const orthant_matrix *samples,
                                  int64_t count, bool *prune);
/* Estimates from the squared distances of the points of i and of `count` others, and from their
 * codes, how far the samples are apart, squared: a bound but for rounding. Shortens the list to
 * those with at most `limit`. `steps` is scratch for as many. */
int64_t lower_bounds_estimate(const lower_bounds *bounds, int64_t i, float limit, int64_t count,
                              int32_t *listed, float *distances, int32_t *steps);
/* Sorts the points so that near ones lie close together in memory. */
orthant_status lower_bounds_sort(lower_bounds *bounds);
/* Puts them in that order. */
orthant_status lower_bounds_arrange(lower_bounds *bounds, const int32_t *order);
void lower_bounds_free(lower_bounds *bounds);

#endif
