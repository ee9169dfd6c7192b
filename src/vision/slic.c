#include "vision/slic.h"

#include <math.h>
#include <vl/slic.h>

#include "core/memory.h"

/* The weight of a distance in the picture beside one in Lab, m = 10 of the paper; VLFeat wants m^2.
 */
#define COMPACTNESS 10.0f
#define SMALLEST_SIDE 2

/* Numbers the 4-connected pieces of one label; `stack` has room for all pixels. */
static int64_t number_pieces(const vl_uint32 *label, int height, int width, int32_t *region_of,
                             int32_t *stack)
{
    const int64_t pixels = (int64_t)height * width;
    int64_t regions = 0;
    for (int64_t p = 0; p < pixels; p++)
        region_of[p] = -1;
    for (int64_t first = 0; first < pixels; first++) {
        int64_t count = 1;
        if (region_of[first] >= 0)
            continue;
        stack[0] = (int32_t)first;
        region_of[first] = (int32_t)regions;
        while (count) {
            const int64_t p = stack[--count], x = p % width;
            const int64_t near[4] = {p >= width ? p - width : p, x ? p - 1 : p,
                                     x < width - 1 ? p + 1 : p, p + width < pixels ? p + width : p};
            for (int j = 0; j < 4; j++)
                if (region_of[near[j]] < 0 && label[near[j]] == label[first]) {
                    region_of[near[j]] = (int32_t)regions;
                    stack[count++] = (int32_t)near[j];
                }
        }
        regions++;
    }
    return regions;
}

orthant_status slic_segment(orthant_context *ctx, const float *planes, int height, int width,
                            int64_t count, int32_t *region_of, int64_t *regions)
{
    const int64_t pixels = (int64_t)height * width;
    const double side = round(sqrt((double)pixels / (double)count));
    const vl_size region = side < SMALLEST_SIDE ? SMALLEST_SIDE : (vl_size)side;
    orthant_status status = ORTHANT_ERROR_MEMORY;
    vl_uint32 *label = memory_new(ctx, pixels, sizeof *label, "superpixels");
    int32_t *stack = memory_new(ctx, pixels, sizeof *stack, "superpixels");
    if (label && stack) {
        vl_slic_segment(label, planes, (vl_size)width, (vl_size)height, 3, region,
                        COMPACTNESS * COMPACTNESS, region * region / 4);
        *regions = number_pieces(label, height, width, region_of, stack);
        status = ORTHANT_OK;
    }
    memory_free(ctx, stack);
    memory_free(ctx, label);
    return status;
}
