/* The labels of regions as labels of pixels. */
#ifndef VISION_LINES_H
#define VISION_LINES_H

#include "core/context.h"

/* One label per region becomes one label per pixel. A pixel on a line takes the most frequent label
 * of its eight neighbours, ties to the lowest, as the regions have them; one on the picture's edge
 * that of the next pixel inwards; what has no labelled neighbour yet is asked again (GRPNMF,
 * section 3). */
orthant_status lines_fill(orthant_context *ctx, const int32_t *region_of, int height, int width,
                          const int32_t *label_of_region, int32_t *labels);

#endif
