/* Segments, their borders and graphs drawn over a picture. */
#ifndef REPORT_DRAW_H
#define REPORT_DRAW_H

#include "data/image.h"
#include "graph/graph.h"

/* All give a new picture of three channels (image_free). Labels are height x width; below 0 there
 * is none. */

/* Each segment in a colour of its own that the picture shines through, with its borders. */
orthant_status draw_overlay(orthant_context *ctx, const image *picture, const int32_t *labels,
                            image *out);
/* The picture with the borders between labels. */
orthant_status draw_borders(orthant_context *ctx, const image *picture, const int32_t *labels,
                            image *out);
/* The graph's nodes, in the colour of the label at their place, and its edges; position is nodes x
 * 2 (row, column). A small picture is enlarged. */
orthant_status draw_graph(orthant_context *ctx, const image *picture, const orthant_graph *graph,
                          const double *position, const int32_t *labels, image *out);

/* Label values as one channel, for palette_fill(); where there are more than 256, as red + 256
 * green + 65536 blue. */
orthant_status draw_labels(orthant_context *ctx, const int32_t *labels, int height, int width,
                           image *out);

#endif
