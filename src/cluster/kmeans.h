/* k-means by Lloyd's iterations: the method `kmeans`, the labels of most others, and a start. */
#ifndef CLUSTER_KMEANS_H
#define CLUSTER_KMEANS_H

#include "data/matrix.h"
#include "orthant/labels.h"

typedef struct kmeans_outcome {
    int64_t *label;     /* n, the context's memory */
    double *centres;    /* k x m, row-major */
    double inertia;     /* sum of squared distances to the centres */
    int64_t iterations; /* of the best start */
    double *history;    /* inertia after each iteration of the best start, from 0 (the starting
                           centres); iterations + 1 entries */
    bool converged;
    bool stopped; /* by the progress callback */
} kmeans_outcome;

/* The best of `restarts` k-means++ starts; dense or sparse points; same bits for any number of
 * threads. An empty cluster takes the point that is farthest from its centre. `centres` (k x m)
 * where not NULL is the start, and then there is one. */
orthant_status kmeans_run(orthant_context *ctx, const orthant_matrix *points, int64_t clusters,
                          int restarts, int64_t iterations, uint64_t seed, const double *centres,
                          kmeans_outcome *outcome);
void kmeans_free(orthant_context *ctx, kmeans_outcome *outcome);

#endif
