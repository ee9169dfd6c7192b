/* Regions of a flooded relief. */
#ifndef VISION_WATERSHED_H
#define VISION_WATERSHED_H

#include "core/context.h"

/* Meyer's flooding with lines, 8-connected (F. Meyer, Un algorithme optimal pour la ligne de
 * partage des eaux, RFIA 1991): every regional minimum of `relief` (height x width, finite) is the
 * source of one region. region_of[p] is the pixel's region, 0 .. *regions - 1 in the order of their
 * first pixels, or -1 on a line. Pixels of one height are taken in the order in which the water
 * reached them, so plateaus split fairly and the result is the same on every machine. */
orthant_status watershed_flood(orthant_context *ctx, const float *relief, int height, int width,
                               int32_t *region_of, int64_t *regions);

#endif
