/* A start for the projective factorisations of nodes: from random numbers they stay near chance. */
#ifndef VISION_START_H
#define VISION_START_H

#include "data/matrix.h"

/* k-means on the nodes (n x m), then each node's weights over the centres by least squares,
 * floored above zero, columns of unit length: n x segments. */
orthant_status start_from_centres(orthant_context *ctx, const orthant_matrix *features,
                                  int64_t segments, uint64_t seed, orthant_matrix **start);

#endif
