/* Colours as CIE Lab (D65, 2 degrees), where a distance is about what an eye sees. */
#ifndef VISION_COLOUR_H
#define VISION_COLOUR_H

#include "data/image.h"

/* The planes L in 0 .. 100, a in about -86 .. 98 and b in about -108 .. 94, one after the other
 * (3 x height x width; memory_free), within 2e-4. A grey picture has a = b = 0. */
orthant_status colour_planes(orthant_context *ctx, const image *picture, float **planes);

/* .2989 R + .5870 G + .1140 B in 0 .. 1 (height x width; memory_free). */
orthant_status colour_grey(orthant_context *ctx, const image *picture, float **grey);

#endif
