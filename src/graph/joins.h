/* Lists of joined nodes: what a neighbour graph is before its edges are weighed. */
#ifndef GRAPH_JOINS_H
#define GRAPH_JOINS_H

#include "graph/graph.h"

/* The nodes joined to node i, in order, each once: joined[start[i]] .. joined[start[i + 1] - 1]. */
typedef struct joins {
    int64_t *start;
    int32_t *joined;
} joins;

/* Each of n nodes joined with its `neighbours` in `nearest` (n x neighbours), both ways, and the
 * nodes of each of `bridges` pairs with each other. To be freed on failure too. */
orthant_status joins_make(orthant_context *ctx, int64_t n, int64_t neighbours,
                          const int32_t *nearest, int64_t bridges, const int32_t *bridge,
                          joins *lists);
void joins_free(orthant_context *ctx, joins *lists);

/* All edges weigh 1. */
orthant_status joins_to_graph(orthant_context *ctx, orthant_precision precision, int64_t n,
                              const joins *lists, orthant_graph **graph);

#endif
