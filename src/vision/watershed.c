/* Meyer's flooding: minima are labelled, then pixels join in the order of their height. */
#include "vision/watershed.h"

#include "core/memory.h"
#include "vision/grid.h"

enum { UNSEEN = -2, LINE = -1 };

/* ---- the queue: a binary heap by height, then by arrival ---------------------------------------
 */

typedef struct drop {
    float height;
    uint32_t arrival;
    int32_t pixel;
} drop;

typedef struct flood {
    const float *relief;
    grid grid;
    int32_t *region_of;
    drop *heap;
    int64_t waiting;
    uint32_t arrivals;
    unsigned char *queued;
} flood;

static bool before(drop a, drop b)
{
    return a.height < b.height || (a.height == b.height && a.arrival < b.arrival);
}

static void heap_add(flood *f, int64_t pixel)
{
    const drop added = {f->relief[pixel], f->arrivals++, (int32_t)pixel};
    int64_t at = f->waiting++;
    while (at > 0 && before(added, f->heap[(at - 1) / 2])) {
        f->heap[at] = f->heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    f->heap[at] = added;
}

static int64_t heap_take(flood *f)
{
    const int64_t pixel = f->heap[0].pixel;
    const drop last = f->heap[--f->waiting];
    int64_t at = 0;
    for (int64_t child = 1; child < f->waiting; child = 2 * at + 1) {
        if (child + 1 < f->waiting && before(f->heap[child + 1], f->heap[child]))
            child++;
        if (!before(f->heap[child], last))
            break;
        f->heap[at] = f->heap[child];
        at = child;
    }
    f->heap[at] = last;
    return pixel;
}

/* ---- minima -----------------------------------------------------------------------------------
 */

/* Collects the plateau of `first` into stack[0 .. returned - 1] and marks it queued; *lowest tells
 * whether it has no lower neighbour. */
static int64_t collect_plateau(flood *f, int64_t first, int32_t *stack, bool *lowest)
{
    const float level = f->relief[first];
    int64_t count = 1;
    *lowest = true;
    stack[0] = (int32_t)first;
    f->queued[first] = 1;
    for (int64_t i = 0; i < count; i++) {
        int64_t near[8];
        const int neighbours = grid_neighbours(&f->grid, stack[i], near);
        for (int j = 0; j < neighbours; j++) {
            if (f->relief[near[j]] < level)
                *lowest = false;
            if (f->relief[near[j]] == level && !f->queued[near[j]]) {
                f->queued[near[j]] = 1;
                stack[count++] = (int32_t)near[j];
            }
        }
    }
    return count;
}

/* `queued` marks every pixel of a plateau that was looked at. Returns how many minima there are. */
static int64_t label_minima(flood *f, int32_t *stack)
{
    int64_t regions = 0;
    for (int64_t p = 0; p < f->grid.pixels; p++)
        f->region_of[p] = UNSEEN;
    for (int64_t p = 0; p < f->grid.pixels; p++) {
        bool lowest;
        if (f->queued[p])
            continue;
        const int64_t count = collect_plateau(f, p, stack, &lowest);
        for (int64_t i = 0; lowest && i < count; i++)
            f->region_of[stack[i]] = (int32_t)regions;
        regions += lowest;
    }
    return regions;
}

/* ---- flooding ---------------------------------------------------------------------------------
 */

static void queue_neighbours(flood *f, int64_t pixel)
{
    int64_t near[8];
    const int neighbours = grid_neighbours(&f->grid, pixel, near);
    for (int j = 0; j < neighbours; j++)
        if (f->region_of[near[j]] == UNSEEN && !f->queued[near[j]]) {
            f->queued[near[j]] = 1;
            heap_add(f, near[j]);
        }
}

/* The one region among the neighbours, or LINE where regions meet. */
static int32_t region_around(const flood *f, int64_t pixel)
{
    int64_t near[8];
    int32_t region = LINE;
    const int neighbours = grid_neighbours(&f->grid, pixel, near);
    for (int j = 0; j < neighbours; j++) {
        const int32_t other = f->region_of[near[j]];
        if (other < 0 || other == region)
            continue;
        if (region != LINE)
            return LINE;
        region = other;
    }
    return region;
}

static void run_flood(flood *f)
{
    for (int64_t p = 0; p < f->grid.pixels; p++)
        f->queued[p] = 0;
    for (int64_t p = 0; p < f->grid.pixels; p++)
        if (f->region_of[p] >= 0)
            queue_neighbours(f, p);
    while (f->waiting) {
        const int64_t pixel = heap_take(f);
        f->region_of[pixel] = region_around(f, pixel);
        if (f->region_of[pixel] >= 0)
            queue_neighbours(f, pixel);
    }
    /* A pixel between lines alone was never reached. */
    for (int64_t p = 0; p < f->grid.pixels; p++)
        if (f->region_of[p] == UNSEEN)
            f->region_of[p] = LINE;
}

orthant_status watershed_flood(orthant_context *ctx, const float *relief, int height, int width,
                               int32_t *region_of, int64_t *regions)
{
    flood f = {.relief = relief, .grid = grid_of(height, width), .region_of = region_of};
    orthant_status status = ORTHANT_ERROR_MEMORY;
    int32_t *stack = memory_new(ctx, f.grid.pixels, sizeof *stack, "plateaus of a gradient");
    f.queued = memory_new(ctx, f.grid.pixels, 1, "pixels of a watershed");
    if (stack && f.queued) {
        *regions = label_minima(&f, stack);
        status = ORTHANT_OK;
    }
    memory_free(ctx, stack);
    if (!status) {
        f.heap = memory_new(ctx, f.grid.pixels, sizeof *f.heap, "the queue of a watershed");
        status = f.heap ? ORTHANT_OK : ORTHANT_ERROR_MEMORY;
    }
    if (!status)
        run_flood(&f);
    memory_free(ctx, f.heap);
    memory_free(ctx, f.queued);
    return status;
}
