/* Approximate nearest neighbours: random projection trees and neighbour descent (NN-Descent: Dong,
 * Charikar and Li 2011).
 *
 *   1. A few trees are grown on a low-dimensional image of the samples; each sample is compared
 *      with the others of its leaf.
 *   2. In rounds each sample is compared with the neighbours of its neighbours, those that have it
 *      as a neighbour counted in, as far as the way there is new; until hardly any list changes.
 *
 * Samples of many features are compared by estimates of their distances, from the points and codes
 * of lower_bounds.h, which take a fraction of a sample's memory; near points lie close together in
 * memory. In the end the samples decide about the order of what the lists hold. Where the estimates
 * are no good, which some lists tell after the trees, the samples are compared from the beginning.
 *
 * The candidates of a round come from the lists as they were before it, and the task of a sample
 * changes its own list alone: any number of threads gives the same bits. The cost grows nearly
 * linearly with the samples. */
#ifndef GRAPH_APPROXIMATE_H
#define GRAPH_APPROXIMATE_H

#include "data/matrix.h"
#include "graph/search_clock.h"

#define APPROXIMATE_MOST 512 /* neighbours */

/* As neighbours_find, which says what `nearest` gets; count <= APPROXIMATE_MOST, and squares of
 * samples neither overflow nor vanish in single precision. */
orthant_status approximate_neighbours(orthant_context *ctx, const orthant_matrix *samples,
                                      int64_t count, const search_clock *clock, int32_t *nearest);

#endif
