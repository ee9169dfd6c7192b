/* Points of many coordinates laid out in the plane so that neighbours stay together.
 *
 * The layout follows UMAP (McInnes, Healy and Melville 2018): an edge of the neighbour graph weighs
 * w = p + q - p q, where p = exp(-(d - d_1) / s) from either end, d_1 the distance of the nearest
 * and s such that the weights of a point's neighbours sum to log2 of their number. Along edges
 * points attract each other by 2 w / (1 + r^2), and a few points drawn anew in each round repel by
 * 2 / ((0.001 + r^2) (1 + r^2)), r being the distance in the plane.
 *
 * All points of a round move at once, each by the places before it, with sums in the order of its
 * edges: any number of threads gives the same bits. Points are numbered by a random permutation
 * inside, and the point that repels the i-th is the one behind it by a step drawn for the whole
 * round: a draw for each point would take longer than all else.
 *
 * Of more than LAYOUT_EXACT points the neighbours are approximate, and a point feels every second
 * of its edges in turn, with twice the weight. */
#ifndef GRAPH_LAYOUT_H
#define GRAPH_LAYOUT_H

#include "data/matrix.h"

#define LAYOUT_NEIGHBOURS 15
#define LAYOUT_LEAST 3     /* points */
#define LAYOUT_EXACT 10000 /* points */

/* `place` (n x 2) holds where the points start, of which the shape alone counts, and gets where
 * they end. `points` are dense, with LAYOUT_LEAST <= n < 2^31. */
orthant_status layout_neighbours(orthant_context *ctx, const orthant_matrix *points, uint64_t seed,
                                 float *place);

#endif
