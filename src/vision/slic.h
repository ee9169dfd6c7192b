/* Superpixels of about one size. */
#ifndef VISION_SLIC_H
#define VISION_SLIC_H

#include "core/context.h"

/* SLIC (R. Achanta et al., SLIC superpixels compared to state-of-the-art superpixel methods, TPAMI
 * 2012), with the objective and the grid of VLFeat's. `planes` are L, a, b (3 x height x width);
 * about `count` regions come out, each 4-connected, numbered in the order of their first pixels;
 * there are no lines. */
orthant_status slic_segment(orthant_context *ctx, const float *planes, int height, int width,
                            int64_t count, int32_t *region_of, int64_t *regions);

#endif
