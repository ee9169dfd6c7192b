/* Normals of a cloud's surface. */
#ifndef VISION_NORMALS_H
#define VISION_NORMALS_H

#include "core/context.h"

/* Of each of n points (n x 3): the direction in which it and its `count` neighbours (n x count
 * indices, of which the first `used` are taken) spread least, of unit length and turned towards the
 * viewpoint; n x 3 into `normals`. Where all neighbours are one point it is the direction of the
 * viewpoint. `curvature`, the least of the three variances over their sum, may be NULL. */
void normals_find(orthant_context *ctx, const double *points, int64_t n, const int32_t *nearest,
                  int64_t count, int64_t used, const double viewpoint[3], float *normals,
                  float *curvature);

/* A file's own normals (of all points) in place of those that were found, brought to unit length;
 * where one is zero or not finite the found one stays. */
void normals_take(const float *given, const int32_t *keep, int64_t kept, float *normals);

#endif
