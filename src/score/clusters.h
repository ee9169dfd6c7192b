/* Scores of clusters by themselves, within processes that share the samples. */
#ifndef SCORE_CLUSTERS_H
#define SCORE_CLUSTERS_H

#include "engine/group.h"
#include "orthant/fit.h"
#include "orthant/score.h"

/* The most samples for which distances of all pairs are taken, in one process. */
#define CLUSTERS_EXACT_SAMPLES 4000

/* `share` is that of the samples. `of` has the cluster of each of the process's rows, a number
 * below `clusters` or -1. All processes call it and have the scores, of distances to the centres,
 * with the bits of one process.
 */
orthant_status clusters_score(const sample_share *share, const orthant_matrix *points,
                              const int64_t *of, int64_t clusters, orthant_cluster_scores *scores);
/* The rows that a rule reads labels from: a factor, or where they are scaled a copy. */
orthant_status clusters_points(const orthant_result *result, const char *rule,
                               const orthant_matrix **factor, orthant_matrix **copy);

#endif
