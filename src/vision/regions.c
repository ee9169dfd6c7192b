#include "vision/regions.h"

#include <inttypes.h>

#include "core/memory.h"
#include "vision/colour.h"
#include "vision/gradient.h"
#include "vision/grid.h"
#include "vision/slic.h"
#include "vision/watershed.h"

#define DEFAULT_SUPERPIXELS 600

/* ---- cutting ----------------------------------------------------------------------------------
 */

static orthant_status flood_gradient(region_set *set, double smoothing)
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

static orthant_status cut(region_set *set, const segment_options *options)
{
    if (options->nodes == SEGMENT_WATERSHED)
        return flood_gradient(set, options->smoothing);
    return slic_segment(set->ctx, set->planes, set->picture->height, set->picture->width,
                        options->superpixels > 0 ? options->superpixels : DEFAULT_SUPERPIXELS,
                        set->region_of, &set->count);
}

/* ---- measuring --------------------------------------------------------------------------------
 */

void regions_mean(const region_set *set, const float *plane, double *means, int64_t stride)
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

static void measure_places(region_set *set)
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

static orthant_status measure(region_set *set)
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
        regions_mean(set, set->planes + c * pixels, set->lab + c, 3);
    return ORTHANT_OK;
}

orthant_status regions_make(orthant_context *ctx, const image *picture,
                            const segment_options *options, region_set *set)
{
    *set = (region_set){.ctx = ctx, .picture = picture};
    const int64_t pixels = (int64_t)picture->height * picture->width;
    set->region_of = memory_new(ctx, pixels, sizeof *set->region_of, "the regions of a picture");
    orthant_status status =
        set->region_of ? colour_planes(ctx, picture, &set->planes) : ORTHANT_ERROR_MEMORY;
    if (!status)
        status = cut(set, options);
    if (!status)
        status = measure(set);
    if (status)
        regions_free(set);
    return status;
}

void regions_free(region_set *set)
{
    memory_free(set->ctx, set->region_of);
    memory_free(set->ctx, set->size);
    memory_free(set->ctx, set->position);
    memory_free(set->ctx, set->lab);
    memory_free(set->ctx, set->planes);
    *set = (region_set){.ctx = set->ctx};
}

/* ---- back to pixels ---------------------------------------------------------------------------
 */

/* The most frequent label around, ties to the lowest; -1 where there is none. */
static int32_t vote(const grid *g, const int32_t *labels, int64_t pixel)
{
    int64_t near[8];
    int32_t best = -1;
    int best_count = 0;
    const int neighbours = grid_neighbours(g, pixel, near);
    for (int i = 0; i < neighbours; i++) {
        const int32_t label = labels[near[i]];
        int count = 0;
        for (int j = 0; j < neighbours; j++)
            count += labels[near[j]] == label;
        if (label >= 0 && (count > best_count || (count == best_count && label < best))) {
            best = label;
            best_count = count;
        }
    }
    return best;
}

static bool on_edge(const grid *g, int64_t pixel)
{
    const int64_t y = pixel / g->width, x = pixel % g->width;
    return y == 0 || x == 0 || y == g->height - 1 || x == g->width - 1;
}

/* Nearer to the middle by one row or column, or both in a corner. */
static int64_t next_inwards(const grid *g, int64_t pixel)
{
    const int64_t y = pixel / g->width, x = pixel % g->width;
    const int64_t down = (y == 0 && g->height > 1) - (y == g->height - 1 && y > 0);
    const int64_t right = (x == 0 && g->width > 1) - (x == g->width - 1 && x > 0);
    return pixel + down * g->width + right;
}

/* One pass over the pixels in open[]: votes count the labels as they were before it. Returns how
 * many stay open. */
static int64_t fill_pass(const grid *g, int32_t *open, int64_t count, int32_t *votes,
                         int32_t *labels, bool first)
{
    int64_t left = 0;
    for (int64_t i = 0; i < count; i++)
        votes[i] = first && on_edge(g, open[i]) ? -1 : vote(g, labels, open[i]);
    for (int64_t i = 0; i < count; i++)
        labels[open[i]] = votes[i];
    for (int64_t i = 0; i < count; i++) {
        if (labels[open[i]] < 0 && first && on_edge(g, open[i]))
            labels[open[i]] = labels[next_inwards(g, open[i])];
        if (labels[open[i]] < 0)
            open[left++] = open[i];
    }
    return left;
}

orthant_status regions_to_pixels(orthant_context *ctx, const int32_t *region_of, int height,
                                 int width, const int32_t *label_of_region, int32_t *labels)
{
    const grid g = grid_of(height, width);
    int64_t count = 0, before;
    for (int64_t p = 0; p < g.pixels; p++) {
        labels[p] = region_of[p] < 0 ? -1 : label_of_region[region_of[p]];
        count += region_of[p] < 0;
    }
    int32_t *open = memory_new(ctx, 2 * count, sizeof *open, "pixels on lines");
    if (!open)
        return ORTHANT_ERROR_MEMORY;
    int32_t *votes = open + count;
    count = 0;
    for (int64_t p = 0; p < g.pixels; p++)
        if (region_of[p] < 0)
            open[count++] = (int32_t)p;
    count = fill_pass(&g, open, count, votes, labels, true);
    do {
        before = count;
        count = fill_pass(&g, open, count, votes, labels, false);
    } while (count && count < before);
    memory_free(ctx, open);
    return ORTHANT_OK;
}
