/* A bank of Gabor filters: how strongly a texture of each scale and orientation is there. */
#ifndef VISION_GABOR_H
#define VISION_GABOR_H

#include "core/context.h"

#define GABOR_SCALES 5
#define GABOR_ORIENTATIONS 8
#define GABOR_FILTERS (GABOR_SCALES * GABOR_ORIENTATIONS)
#define GABOR_RADIUS 19 /* kernels are 39 x 39 */

/* Filter `filter` = scale * GABOR_ORIENTATIONS + orientation at a row and a column offset from its
 * middle: real and imaginary part. */
void gabor_kernel(int filter, int row, int column, double value[2]);

/* Called for each filter in turn with the modulus of its response to `plane` (height x width; zeros
 * outside of the picture). Tasks of one thread share `modulus`; different filters come from
 * different threads. */
typedef void (*gabor_receiver)(void *user, int filter, const float *modulus);
orthant_status gabor_responses(orthant_context *ctx, const float *plane, int height, int width,
                               gabor_receiver receive, void *user);

#endif
