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

/* What a run that takes one start after the other has between two iterations. */
typedef struct kmeans_standing {
    int64_t restart;      /* that is under way */
    kmeans_outcome *now;  /* of it; its iterations and history so far */
    double *sums;         /* k x m: of its clusters, less the mean of all points */
    int64_t *size;        /* k */
    int64_t best_restart; /* of those that ended; -1: none has */
    kmeans_outcome *best; /* of that one; NULL where there is one start alone */
    int64_t room;         /* entries that each history has room for */
} kmeans_standing;

/* Who keeps that, to go on from it later with the same bits. */
typedef struct kmeans_keeper {
    void *user;
    void (*keep)(void *user, const kmeans_standing *s, bool stopped); /* after each iteration */
    /* Brings back what was kept; NULL: the run begins. */
    orthant_status (*restore)(void *user, kmeans_standing *s);
} kmeans_keeper;

/* The same, kept by `keeper`, or by nobody where that is NULL. Starts of short passes that run side
 * by side are not kept. */
orthant_status kmeans_run_kept(orthant_context *ctx, const orthant_matrix *points, int64_t clusters,
                               int restarts, int64_t iterations, uint64_t seed,
                               const double *centres, const kmeans_keeper *keeper,
                               kmeans_outcome *outcome);
void kmeans_free(orthant_context *ctx, kmeans_outcome *outcome);

#endif
