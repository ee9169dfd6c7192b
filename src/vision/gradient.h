/* How steep a picture is. */
#ifndef VISION_GRADIENT_H
#define VISION_GRADIENT_H

#include "core/context.h"

/* Blurs `plane` (height x width) in place with a Gaussian of standard deviation `sigma` pixels; the
 * picture's edge is repeated. Nothing happens for sigma 0. */
orthant_status gradient_smooth(orthant_context *ctx, float *plane, int height, int width,
                               double sigma);

/* sqrt(gx^2 + gy^2) of Sobel's 3 x 3 differences, the picture's edge repeated. */
void gradient_magnitude(orthant_context *ctx, const float *plane, int height, int width,
                        float *magnitude);

#endif
