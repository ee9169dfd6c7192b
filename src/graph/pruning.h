/* Exact nearest neighbours by pruning: a pair whose lower bound is above the distances of the
 * neighbours that both samples have so far is pruned; the samples of the other pairs, the
 * candidates, are compared. */
#ifndef GRAPH_PRUNING_H
#define GRAPH_PRUNING_H

#include "graph/lower_bounds.h"
#include "graph/search_clock.h"

/* As neighbours_find, which says what `nearest` gets. Sorts the bounds. */
orthant_status pruned_neighbours(orthant_context *ctx, const orthant_matrix *samples,
                                 lower_bounds *bounds, int64_t count, const search_clock *clock,
                                 int32_t *nearest);

#endif
