/* How often two samples are in one cluster over several runs, and how far the runs agree. */
#ifndef STUDY_CONSENSUS_H
#define STUDY_CONSENSUS_H

#include "core/context.h"

typedef struct consensus_agreement {
    /* Of the distances 1 - C with those in the tree of average linkage: Brunet et al. 2004. 1 where
     * all entries of C are the same. */
    double cophenetic;
    /* The mean of (2 C - 1)^2: 1 where every pair is always together or never, Kim & Park 2007. */
    double dispersion;
} consensus_agreement;

/* C(i, j), the share of runs in which samples i and j have one label, into shares[samples x
 * samples]; `label` is runs x samples. */
void consensus_shares(const int32_t *label, int64_t runs, int64_t samples, float *shares);

/* Takes samples^2 floats for a while. O(samples^2 runs). */
orthant_status consensus_agree(orthant_context *ctx, const int32_t *label, int64_t runs,
                               int64_t samples, consensus_agreement *agreement);

#endif
