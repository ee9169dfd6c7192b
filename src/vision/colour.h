/* Colours as CIE Lab (D65, 2 degrees), where a distance is about what an eye sees. */
#ifndef VISION_COLOUR_H
#define VISION_COLOUR_H

#include "data/image.h"

/* L in 0 .. 100, a and b in about -86 .. 98 and -108 .. 94. */
void colour_to_lab(const unsigned char rgb[3], double lab[3]);

/* The planes L, a, b, one after the other (3 x height x width; memory_free). A grey picture has a =
 * b = 0. */
orthant_status colour_planes(orthant_context *ctx, const image *picture, float **planes);

/* .2989 R + .5870 G + .1140 B in 0 .. 1 (height x width; memory_free). */
orthant_status colour_grey(orthant_context *ctx, const image *picture, float **grey);

#endif
