/* The parts of several runs in clusters that have one part of each run: how stable parts are. */
#ifndef STUDY_PART_CLUSTERS_H
#define STUDY_PART_CLUSTERS_H

#include "data/matrix.h"

/* The parts of a basis at unit length, one after the other, into parts[k x features]; one that is
 * zero throughout stays so. */
void parts_of_basis(const orthant_matrix *basis, float *parts);

/* Silhouettes of the cosine distances, as NMFk takes them: Alexandrov et al. 2013. */
typedef struct part_stability {
    double silhouette;       /* the mean over all parts */
    double least_silhouette; /* the smallest of the clusters' means */
} part_stability;

/* `run` are k x features each, at least two; both NaN where k is 1. O(rounds runs k^2 (features +
 * k)). */
orthant_status part_clusters_judge(orthant_context *ctx, float *const *run, int64_t runs, int64_t k,
                                   int64_t features, part_stability *stability);

#endif
