/* Adjacency of a picture's regions, from the pixels at their borders. */
#include "graph/regions.h"

#include <math.h>
#include <stdlib.h>

#include "core/memory.h"

#define COLOUR_DECAY 10.0
#define COLOUR_FLOOR 1e-5

/* Neighbours are counted first and written after that, by the same walk over the pixels. */
typedef struct adjacency_lists {
    int64_t *end;   /* of each region's neighbours so far; or their number */
    int32_t *other; /* NULL while they are counted */
} adjacency_lists;

static void add_neighbour(adjacency_lists *m, int32_t a, int32_t b)
{
    if (m->other)
        m->other[m->end[a]] = b;
    m->end[a]++;
}

static void add_edge(adjacency_lists *m, int32_t a, int32_t b)
{
    add_neighbour(m, a, b);
    add_neighbour(m, b, a);
}

/* All pairs of regions around a line pixel. */
static void add_across(adjacency_lists *m, const int32_t *region_of, int height, int width, int y,
                       int x)
{
    int32_t around[8];
    int count = 0;
    for (int v = y > 0 ? y - 1 : 0; v <= y + 1 && v < height; v++)
        for (int u = x > 0 ? x - 1 : 0; u <= x + 1 && u < width; u++) {
            const int32_t region = region_of[(int64_t)v * width + u];
            int known = 0;
            while (known < count && around[known] != region)
                known++;
            if (region >= 0 && known == count)
                around[count++] = region;
        }
    for (int i = 0; i < count; i++)
        for (int j = 0; j < i; j++)
            add_edge(m, around[i], around[j]);
}

static void walk(adjacency_lists *m, const int32_t *region_of, int height, int width)
{
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            const int64_t p = (int64_t)y * width + x;
            const int32_t here = region_of[p];
            const int32_t right = x < width - 1 ? region_of[p + 1] : -1;
            const int32_t below = y < height - 1 ? region_of[p + width] : -1;
            if (here < 0) {
                add_across(m, region_of, height, width, y, x);
                continue;
            }
            if (right >= 0 && right != here)
                add_edge(m, here, right);
            if (below >= 0 && below != here)
                add_edge(m, here, below);
        }
}

static int compare_regions(const void *a, const void *b)
{
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

/* Sorts each row of neighbours and drops what stands in it twice; start[] closes up. Returns how
 * many are left. */
static int64_t close_rows(int64_t regions, int64_t *start, int32_t *other)
{
    int64_t kept = 0, first = 0;
    for (int64_t i = 0; i < regions; i++) {
        const int64_t end = start[i + 1], row = kept;
        qsort(other + first, (size_t)(end - first), sizeof *other, compare_regions);
        for (int64_t e = first; e < end; e++)
            if (kept == row || other[kept - 1] != other[e])
                other[kept++] = other[e];
        start[i] = row;
        first = end;
    }
    start[regions] = kept;
    return kept;
}

static double colour_distance(const double *colour, int channels, int64_t a, int64_t b)
{
    double sum = 0.0;
    for (int c = 0; c < channels; c++) {
        const double d = colour[a * channels + c] - colour[b * channels + c];
        sum += d * d;
    }
    return sqrt(sum);
}

static void weigh_by_colour(orthant_matrix *adjacency, const double *colour, int channels)
{
    double least = INFINITY, most = -INFINITY;
    for (int64_t i = 0; i < adjacency->rows; i++)
        for (int64_t e = adjacency->row_start[i]; e < adjacency->row_start[i + 1]; e++) {
            const double d = colour_distance(colour, channels, i, adjacency->column[e]);
            least = fmin(least, d);
            most = fmax(most, d);
        }
    const double scale = most > least ? 1.0 / (most - least) : 0.0;
    for (int64_t i = 0; i < adjacency->rows; i++)
        for (int64_t e = adjacency->row_start[i]; e < adjacency->row_start[i + 1]; e++) {
            const double d = colour_distance(colour, channels, i, adjacency->column[e]);
            matrix_set_value(adjacency, e, exp(-COLOUR_DECAY * scale * (d - least)) + COLOUR_FLOOR);
        }
}

/* start[i] .. start[i + 1] - 1 are the neighbours of region i in the order of the walk. */
static orthant_status collect(orthant_context *ctx, const int32_t *region_of, int height, int width,
                              int64_t regions, int64_t *start, int32_t **other)
{
    adjacency_lists m = {.end = start + 1};
    int64_t total = 0;
    walk(&m, region_of, height, width);
    for (int64_t i = 1; i <= regions; i++) {
        const int64_t count = start[i];
        start[i] = total;
        total += count;
    }
    *other = memory_new(ctx, total, sizeof **other, "neighbours of regions");
    if (!*other)
        return ORTHANT_ERROR_MEMORY;
    m.other = *other;
    walk(&m, region_of, height, width);
    return ORTHANT_OK;
}

orthant_status graph_of_regions(orthant_context *ctx, const int32_t *region_of, int height,
                                int width, int64_t regions, const double *colour, int channels,
                                orthant_graph **graph)
{
    orthant_matrix *adjacency = NULL;
    int32_t *other = NULL;
    *graph = NULL;
    int64_t *start = memory_new(ctx, regions + 1, sizeof *start, "neighbours of regions");
    orthant_status status = start ? collect(ctx, region_of, height, width, regions, start, &other)
                                  : ORTHANT_ERROR_MEMORY;
    if (!status)
        status = matrix_new_sparse(ctx, ctx->precision, regions, regions,
                                   close_rows(regions, start, other), &adjacency);
    if (!status) {
        for (int64_t i = 0; i <= regions; i++)
            adjacency->row_start[i] = start[i];
        for (int64_t e = 0; e < start[regions]; e++) {
            adjacency->column[e] = other[e];
            matrix_set_value(adjacency, e, 1.0);
        }
        if (colour)
            weigh_by_colour(adjacency, colour, channels);
        status = graph_around(ctx, adjacency, graph);
    }
    memory_free(ctx, other);
    memory_free(ctx, start);
    return status;
}
