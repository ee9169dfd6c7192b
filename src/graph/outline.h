/* Samples in a few coordinates that keep most of their distances: along the directions in which the
 * samples spread most, and the length of what is left. With orthonormal directions Q and
 * r = |x - Q Q'x|
 *
 *     |x - y|^2 >= |Q'x - Q'y|^2 + (r_x - r_y)^2,
 *
 * the distance of the outlines: what is far apart there is far apart.
 *
 * What is left, d(x) = x - Q Q'x, has details: along the next directions, and the length of what
 * those leave. They are rounded to few bits, which moves them by `blur`, and
 *
 *     |x - y|^2 >= |Q'x - Q'y|^2 + (|details of x - details of y| - blur_x - blur_y)^2. */
#ifndef GRAPH_OUTLINE_H
#define GRAPH_OUTLINE_H

#include "data/matrix.h"

#define OUTLINE_COORDINATES 48
#define OUTLINE_DETAILS 64

typedef struct outline {
    orthant_context *ctx;
    orthant_matrix
        *points;   /* samples x coordinates, single precision; NULL: the directions are no good */
    double *slack; /* of each: how far rounding may have moved it */
    double most_slack;
    int8_t *details; /* samples x details, in steps */
    float *blur;     /* of each sample's details, in steps */
    double step;
    int32_t *order; /* which sample each belongs to; NULL: they are in the samples' order */
} outline;

/* Many dense samples of many features, whose squares need no care. */
bool outline_suits(const orthant_matrix *samples);
/* Of any dense samples but those whose squares overflow. */
orthant_status outline_make(orthant_context *ctx, const orthant_matrix *samples, outline *o);
/* Whether they leave few enough pairs of samples to be compared for `count` neighbours: a few
 * samples are compared with all. */
orthant_status outline_tells(const outline *o, const orthant_matrix *samples, int64_t count,
                             bool *tells);
/* Brings outlines that are near each other together. */
orthant_status outline_arrange(outline *o);
void outline_free(outline *o);

#endif
