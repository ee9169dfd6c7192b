/* Inside of the pictures, clouds and segmentations that are given out. */
#ifndef VISION_HANDLES_H
#define VISION_HANDLES_H

#include "orthant/vision.h"
#include "vision/cloud.h"
#include "vision/segment.h"

struct orthant_image {
    orthant_context *ctx;
    char *name; /* in messages */
    image inner;
};

struct orthant_cloud {
    orthant_context *ctx;
    cloud inner;
};

struct orthant_segmentation {
    orthant_context *ctx;
    char *name; /* of what was segmented, in messages */
    segmentation inner;
};

/* The options of a caller, checked; `given` may be NULL. */
orthant_status segment_options_take(orthant_context *ctx, const char *function,
                                    const orthant_segment_options *given, segment_options *own);

#endif
