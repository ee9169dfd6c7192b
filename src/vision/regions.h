/* A picture cut into regions, and what each of them is like. */
#ifndef VISION_REGIONS_H
#define VISION_REGIONS_H

#include "vision/segment.h"

typedef struct region_set {
    orthant_context *ctx;
    const image *picture;
    int64_t count;
    int32_t *region_of; /* height x width; -1 on a line */
    int64_t *size;      /* pixels of each region */
    double *position;   /* count x 2: mean row and column */
    double *lab;        /* count x 3: mean colour */
    float *planes;      /* 3 x height x width: L, a, b of the pixels */
} region_set;

/* By the options' nodes, superpixels and smoothing. */
orthant_status regions_make(orthant_context *ctx, const image *picture,
                            const segment_options *options, region_set *set);
void regions_free(region_set *set);

/* Means over each region of `plane` (height x width) into means[region * stride]. */
void regions_mean(const region_set *set, const float *plane, double *means, int64_t stride);

/* A label a region becomes a label a pixel. A pixel on a line takes the most frequent label of its
 * eight neighbours, ties to the lowest, as the regions have them; one on the picture's edge that of
 * the next pixel inwards; what has no labelled neighbour yet is asked again (GRPNMF, section 3). */
orthant_status regions_to_pixels(orthant_context *ctx, const int32_t *region_of, int height,
                                 int width, const int32_t *label_of_region, int32_t *labels);

#endif
