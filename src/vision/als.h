/* Factorisation-based texture segmentation (J. Yuan, D. Wang, A. M. Cheriyadat, TIP 2015):
 * alternating least squares for Y ~ H W with both factors nonnegative. */
#ifndef VISION_ALS_H
#define VISION_ALS_H

#include "data/matrix.h"

typedef struct als_outcome {
    orthant_matrix *weights; /* H, nodes x parts */
    int64_t iterations;
    double objective; /* |Y - H W|^2 + encoding |H|^2 + basis |W|^2 */
} als_outcome;

typedef struct als_ridges {
    double encoding, basis;
} als_ridges;

/* `basis` (parts x features, row-major) is where W starts; what is negative counts as 0. At most
 * `iterations`, fewer where the root mean square of a node's residual changes by less than 0.01. */
orthant_status als_run(orthant_context *ctx, const orthant_matrix *histograms, int64_t parts,
                       const double *basis, int64_t iterations, als_ridges ridges,
                       als_outcome *out);

#endif
