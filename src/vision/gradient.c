/* Gaussian smoothing and central differences. */
#include "vision/gradient.h"

#include <math.h>

#include "core/memory.h"
#include "core/parallel.h"

#define LARGEST_RADIUS 64

typedef struct plane_work {
    const float *from;
    float *to;
    int height, width;
    int radius;
    float weight[LARGEST_RADIUS + 1]; /* of the distance */
} plane_work;

static int clamp(int value, int most)
{
    return value < 0 ? 0 : value > most ? most : value;
}

/* ---- Gaussian ----------------------------------------------------------------------------------
 */

static void smooth_along_row(void *user, int64_t row, int thread)
{
    const plane_work *w = user;
    const float *from = w->from + row * w->width;
    float *to = w->to + row * w->width;
    (void)thread;
    for (int x = 0; x < w->width; x++) {
        float sum = w->weight[0] * from[x];
        for (int d = 1; d <= w->radius; d++)
            sum += w->weight[d] *
                   (from[clamp(x - d, w->width - 1)] + from[clamp(x + d, w->width - 1)]);
        to[x] = sum;
    }
}

static void smooth_across_rows(void *user, int64_t row, int thread)
{
    const plane_work *w = user;
    const int y = (int)row;
    float *to = w->to + row * w->width;
    (void)thread;
    for (int x = 0; x < w->width; x++)
        to[x] = w->weight[0] * w->from[row * w->width + x];
    for (int d = 1; d <= w->radius; d++) {
        const float *above = w->from + (int64_t)clamp(y - d, w->height - 1) * w->width;
        const float *below = w->from + (int64_t)clamp(y + d, w->height - 1) * w->width;
        for (int x = 0; x < w->width; x++)
            to[x] += w->weight[d] * (above[x] + below[x]);
    }
}

orthant_status gradient_smooth(orthant_context *ctx, float *plane, int height, int width,
                               double sigma)
{
    plane_work w = {.height = height, .width = width};
    double sum = 0.0;
    if (!(sigma > 0.0))
        return ORTHANT_OK;
    w.radius = clamp((int)ceil(3.0 * sigma), LARGEST_RADIUS);
    float *rows = memory_new(ctx, (int64_t)height * width, sizeof *rows, "a smoothed picture");
    if (!rows)
        return ORTHANT_ERROR_MEMORY;
    for (int d = 0; d <= w.radius; d++)
        sum += (d ? 2.0 : 1.0) * exp(-0.5 * d * d / (sigma * sigma));
    for (int d = 0; d <= w.radius; d++)
        w.weight[d] = (float)(exp(-0.5 * d * d / (sigma * sigma)) / sum);
    w.from = plane;
    w.to = rows;
    parallel_for(ctx, height, smooth_along_row, &w);
    w.from = rows;
    w.to = plane;
    parallel_for(ctx, height, smooth_across_rows, &w);
    memory_free(ctx, rows);
    return ORTHANT_OK;
}

/* ---- Sobel ------------------------------------------------------------------------------------
 */

static void differences_of_row(void *user, int64_t row, int thread)
{
    const plane_work *w = user;
    const int y = (int)row;
    const float *above = w->from + (int64_t)clamp(y - 1, w->height - 1) * w->width;
    const float *here = w->from + row * w->width;
    const float *below = w->from + (int64_t)clamp(y + 1, w->height - 1) * w->width;
    float *to = w->to + row * w->width;
    (void)thread;
    for (int x = 0; x < w->width; x++) {
        const int l = clamp(x - 1, w->width - 1), r = clamp(x + 1, w->width - 1);
        const float gx = above[r] - above[l] + 2 * (here[r] - here[l]) + below[r] - below[l];
        const float gy = below[l] - above[l] + 2 * (below[x] - above[x]) + below[r] - above[r];
        to[x] = sqrtf(gx * gx + gy * gy);
    }
}

void gradient_magnitude(orthant_context *ctx, const float *plane, int height, int width,
                        float *magnitude)
{
    plane_work w = {.from = plane, .to = magnitude, .height = height, .width = width};
    parallel_for(ctx, height, differences_of_row, &w);
}
