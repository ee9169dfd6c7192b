/* Cuts by SLIC or watershed; means and places of the regions. */
#include "vision/superpixels.h"

#include "core/memory.h"
#include "vision/colour.h"
#include "vision/gradient.h"
#include "vision/slic.h"
#include "vision/watershed.h"

#define DEFAULT_SUPERPIXELS 400

/* ---- cutting ----------------------------------------------------------------------------------
 */

static orthant_status flood_gradient(superpixels *set, double smoothing)
{
    orthant_context *ctx = set->ctx;
    const int height = set->picture->height, width = set->picture->width;
    float *grey = NULL;
    float *gradient = memory_new(ctx, (int64_t)height * width, sizeof *gradient, "a gradient");
    orthant_status status = gradient ? colour_grey(ctx, set->picture, &grey) : ORTHANT_ERROR_MEMORY;
    if (!status)
        status = gradient_smooth(ctx, grey, height, width, smoothing);
    if (!status) {
        gradient_magnitude(ctx, grey, height, width, gradient);
        status = watershed_flood(ctx, gradient, height, width, set->region_of, &set->count);
    }
    memory_free(ctx, grey);
    memory_free(ctx, gradient);
    return status;
}

static orthant_status cut(superpixels *set, const segment_options *options)
{
    if (options->nodes == SEGMENT_WATERSHED)
        return flood_gradient(set, options->smoothing);
    return slic_segment(set->ctx, set->planes, set->picture->height, set->picture->width,
                        options->superpixels > 0 ? options->superpixels : DEFAULT_SUPERPIXELS,
                        set->region_of, &set->count);
}

/* ---- measuring --------------------------------------------------------------------------------
 */

void superpixels_mean(const superpixels *set, const float *plane, double *means, int64_t stride)
{
    const int64_t pixels = (int64_t)set->picture->height * set->picture->width;
    for (int64_t r = 0; r < set->count; r++)
        means[r * stride] = 0.0;
    for (int64_t p = 0; p < pixels; p++)
        if (set->region_of[p] >= 0)
            means[set->region_of[p] * stride] += (double)plane[p];
    for (int64_t r = 0; r < set->count; r++)
        means[r * stride] /= (double)set->size[r];
}

static void measure_places(superpixels *set)
{
    const int height = set->picture->height, width = set->picture->width;
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            const int32_t r = set->region_of[(int64_t)y * width + x];
            if (r < 0)
                continue;
            set->size[r]++;
            set->position[2 * r] += y;
            set->position[2 * r + 1] += x;
        }
    for (int64_t r = 0; r < set->count; r++) {
        set->position[2 * r] /= (double)set->size[r];
        set->position[2 * r + 1] /= (double)set->size[r];
    }
}

static orthant_status measure(superpixels *set)
{
    orthant_context *ctx = set->ctx;
    const int64_t pixels = (int64_t)set->picture->height * set->picture->width;
    set->size = memory_new(ctx, set->count, sizeof *set->size, "sizes of regions");
    set->position = memory_new(ctx, 2 * set->count, sizeof *set->position, "places of regions");
    set->lab = memory_new(ctx, 3 * set->count, sizeof *set->lab, "colours of regions");
    if (!set->size || !set->position || !set->lab)
        return ORTHANT_ERROR_MEMORY;
    measure_places(set);
    for (int c = 0; c < 3; c++)
        superpixels_mean(set, set->planes + c * pixels, set->lab + c, 3);
    return ORTHANT_OK;
}

orthant_status superpixels_make(orthant_context *ctx, const image *picture,
                                const segment_options *options, superpixels *set)
{
    *set = (superpixels){.ctx = ctx, .picture = picture};
    const int64_t pixels = (int64_t)picture->height * picture->width;
    set->region_of = memory_new(ctx, pixels, sizeof *set->region_of, "the regions of a picture");
    orthant_status status =
        set->region_of ? colour_planes(ctx, picture, &set->planes) : ORTHANT_ERROR_MEMORY;
    if (!status)
        status = cut(set, options);
    if (!status)
        status = measure(set);
    if (status)
        superpixels_free(set);
    return status;
}

void superpixels_free(superpixels *set)
{
    memory_free(set->ctx, set->region_of);
    memory_free(set->ctx, set->size);
    memory_free(set->ctx, set->position);
    memory_free(set->ctx, set->lab);
    memory_free(set->ctx, set->planes);
    *set = (superpixels){.ctx = set->ctx};
}
