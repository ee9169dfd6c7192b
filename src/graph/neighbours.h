/* Nearest neighbours of samples, exact or approximate. */
#ifndef GRAPH_NEIGHBOURS_H
#define GRAPH_NEIGHBOURS_H

#include "data/matrix.h"
#include "graph/search_clock.h"
#include "orthant/graph.h"

#define NEIGHBOURS_MOST_EXACT 50000 /* samples: above, the search is approximate by itself */

/* The `count` nearest samples of each sample, itself left out, nearest first, ties to the lower
 * index: n x count into `nearest`. 0 < count < n < 2^31. Samples of few features go through a
 * kd-tree where that prunes. Otherwise the exact search costs n^2 / 2 dot products, with memory for
 * a few blocks; the approximate one (approximate.h) may miss some neighbours.
 * On the context's device the search is exact unless `kind` is approximate. */
orthant_status neighbours_find(orthant_context *ctx, const orthant_matrix *samples, int64_t count,
                               orthant_search kind, const search_clock *clock, int32_t *nearest);

#endif
