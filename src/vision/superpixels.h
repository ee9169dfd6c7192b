/* A picture cut into regions, and what each of them is like. */
#ifndef VISION_SUPERPIXELS_H
#define VISION_SUPERPIXELS_H

#include "vision/segment.h"

typedef struct superpixels {
    orthant_context *ctx;
    const image *picture;
    int64_t count;
    int32_t *region_of; /* height x width; -1 on a line */
    int64_t *size;      /* pixels of each region */
    double *position;   /* count x 2: mean row and column */
    double *lab;        /* count x 3: mean colour */
    float *planes;      /* 3 x height x width: L, a, b of the pixels */
} superpixels;

/* By the options' nodes, superpixels and smoothing. */
orthant_status superpixels_make(orthant_context *ctx, const image *picture,
                                const segment_options *options, superpixels *set);
void superpixels_free(superpixels *set);

/* Means over each region of `plane` (height x width) into means[region * stride]. */
void superpixels_mean(const superpixels *set, const float *plane, double *means, int64_t stride);

#endif
