/* Pixels on lines take a label from their neighbours, pass by pass. */
#include "vision/lines.h"

#include "core/memory.h"
#include "vision/grid.h"

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

orthant_status lines_fill(orthant_context *ctx, const int32_t *region_of, int height, int width,
                          const int32_t *label_of_region, int32_t *labels)
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
