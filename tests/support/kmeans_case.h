/* Points for the tests of k-means, and what holds for every outcome. */
#ifndef SUPPORT_KMEANS_CASE_H
#define SUPPORT_KMEANS_CASE_H

#include "cluster/kmeans.h"
#include "expect.h"

typedef double (*entry_function)(int64_t i, int64_t j);

double uniform(int64_t i, int64_t j);

orthant_matrix *make_points(orthant_context *ctx, entry_function entry, int64_t n, int64_t m,
                            bool sparse);

double distance(const orthant_matrix *points, int64_t i, const double *centre);

/* What holds for every outcome: labels point to a nearest centre, no cluster is empty, the history
 * falls to the inertia. A converged one has the means of its points as centres. */
void check_outcome(const orthant_matrix *points, int64_t k, const kmeans_outcome *outcome);

#endif
