/* Where the factorisation of a picture's histograms starts: one representative feature for each
 * part, taken from inside of the textures, and every node's weights on them. */
#ifndef VISION_SEEDS_H
#define VISION_SEEDS_H

#include "vision/spectral.h"

/* How much the features change around each node (one value a node): the distance between the nodes
 * `reach` above and below, plus that between those `reach` left and right; infinite where one of
 * them lies outside. */
void seeds_edgeness(const lattice *nodes, const orthant_matrix *features, int reach,
                    float *edgeness);

/* `parts` x dimensions centres, row-major (memory_free): farthest points among the nodes whose
 * edgeness is at most 0.4 of the largest, moved by Lloyd's iterations. */
orthant_status seeds_centres(orthant_context *ctx, const lattice *nodes,
                             const orthant_matrix *features, int reach, int64_t parts,
                             double **centres);

/* B = z pinv(C), nodes x parts (single precision, padded): least squares, the shortest where there
 * are more parts than dimensions. */
orthant_status seeds_weights(orthant_context *ctx, const orthant_matrix *features,
                             const double *centres, int64_t parts, orthant_matrix **weights);

#endif
