/* Exact nearest neighbours. */
#ifndef GRAPH_NEIGHBOURS_H
#define GRAPH_NEIGHBOURS_H

#include "data/matrix.h"

/* The `count` nearest samples of each sample, itself left out, nearest first, ties to the lower
 * index: n x count into `nearest`. 0 < count < n < 2^31. Costs n^2 / 2 dot products; memory stays
 * at a few blocks. */
orthant_status neighbours_find(orthant_context *ctx, const orthant_matrix *samples, int64_t count,
                               int32_t *nearest);

#endif
