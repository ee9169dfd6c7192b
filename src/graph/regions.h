/* Graphs over the regions of a picture. */
#ifndef GRAPH_REGIONS_H
#define GRAPH_REGIONS_H

#include "graph/graph.h"

/* Regions are neighbours where a line pixel (-1 in region_of, height x width) has both among its
 * eight neighbours, or where two of their pixels share a side. All edges weigh 1; or, where
 * `colour` (regions x `channels`) is given, exp(-10 d) + 1e-5 with d the distance of the colours,
 * brought to 0 .. 1 over the edges. */
orthant_status graph_of_regions(orthant_context *ctx, const int32_t *region_of, int height,
                                int width, int64_t regions, const double *colour, int channels,
                                orthant_graph **graph);

#endif
