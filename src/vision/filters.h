/* Banks of small linear filters whose responses, beside the colours themselves, are the bands of a
 * texture. */
#ifndef VISION_FILTERS_H
#define VISION_FILTERS_H

#include "core/context.h"

#define FILTERS_MOST 24
#define FILTER_MOST_RADIUS 16

typedef struct filter {
    int radius;     /* the kernel has 2 radius + 1 rows and columns */
    float *weights; /* row-major */
} filter;

typedef struct filter_bank {
    const char *name;
    bool lab;          /* colours as CIE Lab, otherwise red, green, blue */
    int count, radius; /* the largest radius */
    filter filters[FILTERS_MOST];
} filter_bank;

/* Laplacian of a Gaussian on `size` x `size` pixels: a Gaussian that sums to 1 times (r^2 - 2 s^2)
 * / s^4, its mean removed. Gabor: the even one with a round envelope and a period of 2 s, on
 * 2 floor(2 s) + 1 pixels, its mean removed. `weights` takes (2 radius + 1)^2. */
void filter_laplacian(double sigma, int size, float *weights);
void filter_gabor(double sigma, double angle, float *weights);

/* "demo", "a", "b" or "texture"; NULL is "texture". */
orthant_status filter_bank_create(orthant_context *ctx, const char *name, filter_bank *bank);
void filter_bank_free(orthant_context *ctx, filter_bank *bank);

/* A plane with `margin` pixels on each side, the picture mirrored with its edge pixels repeated. */
typedef struct padded_plane {
    int height, width, margin;
    float *values; /* (height + 2 margin) x (width + 2 margin) */
} padded_plane;
orthant_status padded_plane_create(orthant_context *ctx, const float *plane, int height, int width,
                                   int margin, padded_plane *out);

/* The response at every pixel (height x width); margin >= radius. */
void filter_apply(const filter *f, const padded_plane *plane, float *response);

#endif
