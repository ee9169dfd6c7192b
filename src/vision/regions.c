/* Flood fill, and the merging of small components into their neighbours. */
#include "vision/regions.h"

#include <math.h>
#include <string.h>

#include "core/memory.h"

/* ---- components ---- */

/* The pixel's neighbours above, left, right and below; returns how many. */
static int four_neighbours(int64_t pixel, int height, int width, int64_t near[4])
{
    const int64_t y = pixel / width, x = pixel % width;
    int count = 0;
    if (y > 0)
        near[count++] = pixel - width;
    if (x > 0)
        near[count++] = pixel - 1;
    if (x < width - 1)
        near[count++] = pixel + 1;
    if (y < height - 1)
        near[count++] = pixel + width;
    return count;
}

/* Numbers the component of `seed`; returns its pixels, which are in `queue`. */
static int64_t flood(const int32_t *labels, int height, int width, int64_t seed, int32_t number,
                     int32_t *component, int32_t *queue)
{
    int64_t end = 1;
    queue[0] = (int32_t)seed;
    component[seed] = number;
    for (int64_t i = 0; i < end; i++) {
        int64_t near[4];
        const int found = four_neighbours(queue[i], height, width, near);
        for (int j = 0; j < found; j++)
            if (component[near[j]] < 0 && labels[near[j]] == labels[seed]) {
                component[near[j]] = number;
                queue[end++] = (int32_t)near[j];
            }
    }
    return end;
}

orthant_status regions_components(orthant_context *ctx, const int32_t *labels, int height,
                                  int width, int32_t *component, int64_t *count, int64_t **size)
{
    const int64_t pixels = (int64_t)height * width;
    int64_t capacity = 64;
    int32_t *queue = memory_new(ctx, pixels, sizeof *queue, "connected regions");
    *size = memory_new(ctx, capacity, sizeof **size, "connected regions");
    *count = 0;
    orthant_status status = ORTHANT_ERROR_MEMORY;
    if (!queue || !*size)
        goto done;
    memset(component, -1, (size_t)pixels * sizeof *component);
    for (int64_t p = 0; p < pixels; p++) {
        if (component[p] >= 0 || labels[p] < 0)
            continue;
        if (*count == capacity) {
            int64_t *more =
                memory_resize(ctx, *size, 2 * capacity, sizeof *more, "connected regions");
            if (!more)
                goto done;
            *size = more;
            capacity *= 2;
        }
        (*size)[*count] = flood(labels, height, width, p, (int32_t)*count, component, queue);
        (*count)++;
    }
    status = ORTHANT_OK;
done:
    memory_free(ctx, queue);
    if (status) {
        memory_free(ctx, *size);
        *size = NULL;
    }
    return status;
}

orthant_status regions_fill(orthant_context *ctx, int32_t *labels, int height, int width)
{
    const int64_t pixels = (int64_t)height * width;
    int64_t end = 0, near[4];
    int32_t *queue = memory_new(ctx, pixels, sizeof *queue, "regions to fill");
    if (!queue)
        return ORTHANT_ERROR_MEMORY;
    for (int64_t p = 0; p < pixels; p++) {
        bool border = false;
        const int found = labels[p] >= 0 ? four_neighbours(p, height, width, near) : 0;
        for (int j = 0; j < found; j++)
            border = border || labels[near[j]] < 0;
        if (border)
            queue[end++] = (int32_t)p;
    }
    for (int64_t i = 0; i < end; i++) {
        const int found = four_neighbours(queue[i], height, width, near);
        for (int j = 0; j < found; j++)
            if (labels[near[j]] < 0) {
                labels[near[j]] = labels[queue[i]];
                queue[end++] = (int32_t)near[j];
            }
    }
    memory_free(ctx, queue);
    return ORTHANT_OK;
}

/* ---- dropping ---- */

typedef struct component_map {
    int32_t *of; /* a pixel's component */
    int64_t count, *size;
} component_map;

static orthant_status map_components(orthant_context *ctx, const int32_t *labels, int height,
                                     int width, component_map *map)
{
    *map = (component_map){0};
    map->of = memory_new(ctx, (int64_t)height * width, sizeof *map->of, "connected regions");
    return map->of
               ? regions_components(ctx, labels, height, width, map->of, &map->count, &map->size)
               : ORTHANT_ERROR_MEMORY;
}

static void free_map(orthant_context *ctx, component_map *map)
{
    memory_free(ctx, map->of);
    memory_free(ctx, map->size);
}

/* Components whose size was set to 0 are given away. */
static orthant_status drop_empty(orthant_context *ctx, const component_map *map, int32_t *labels,
                                 int height, int width)
{
    for (int64_t p = 0; p < (int64_t)height * width; p++)
        if (map->of[p] >= 0 && map->size[map->of[p]] == 0)
            labels[p] = -1;
    return regions_fill(ctx, labels, height, width);
}

orthant_status regions_drop_small(orthant_context *ctx, int32_t *labels, int height, int width,
                                  int64_t least)
{
    component_map map;
    orthant_status status = map_components(ctx, labels, height, width, &map);
    if (!status) {
        int64_t largest = 0;
        for (int64_t i = 0; i < map.count; i++)
            largest = map.size[i] > map.size[largest] ? i : largest;
        for (int64_t i = 0; i < map.count; i++)
            if (i != largest && map.size[i] < least)
                map.size[i] = 0;
        status = drop_empty(ctx, &map, labels, height, width);
    }
    free_map(ctx, &map);
    return status;
}

orthant_status regions_keep_largest(orthant_context *ctx, int32_t *labels, int height, int width)
{
    const int64_t pixels = (int64_t)height * width;
    component_map map;
    int64_t *largest = NULL;
    int32_t most = 0;
    orthant_status status = map_components(ctx, labels, height, width, &map);
    if (status)
        goto done;
    for (int64_t p = 0; p < pixels; p++)
        most = labels[p] > most ? labels[p] : most;
    largest = memory_new(ctx, (int64_t)most + 1, sizeof *largest, "largest regions");
    if (!largest) {
        status = ORTHANT_ERROR_MEMORY;
        goto done;
    }
    for (int64_t p = 0; p < pixels; p++)
        if (labels[p] >= 0 && map.size[map.of[p]] > largest[labels[p]])
            largest[labels[p]] = map.size[map.of[p]];
    /* Of equals the first in scanning order stays: it marks its label with -1. */
    for (int64_t p = 0; p < pixels; p++) {
        const int32_t label = labels[p], c = map.of[p];
        if (label < 0 || map.size[c] <= 0)
            continue;
        if (map.size[c] == largest[label]) {
            largest[label] = -1;
            map.size[c] = -1;
        } else {
            map.size[c] = 0;
        }
    }
    status = drop_empty(ctx, &map, labels, height, width);
done:
    memory_free(ctx, largest);
    free_map(ctx, &map);
    return status;
}

static bool alone(const int32_t *labels, int height, int width, int64_t pixel, int radius)
{
    const int y = (int)(pixel / width), x = (int)(pixel % width);
    const int top = y > radius ? y - radius : 0, left = x > radius ? x - radius : 0;
    const int bottom = height - y > radius ? y + radius : height - 1;
    const int right = width - x > radius ? x + radius : width - 1;
    for (int i = top; i <= bottom; i++)
        for (int j = left; j <= right; j++)
            if (labels[(int64_t)i * width + j] != labels[pixel])
                return false;
    return true;
}

/* The pixel on which a node lies. */
static int64_t pixel_of(const lattice *nodes, int64_t node, int height, int width)
{
    const int y = lattice_place(nodes, (int)(node / nodes->columns), height);
    return (int64_t)y * width + lattice_place(nodes, (int)(node % nodes->columns), width);
}

orthant_status regions_inside(orthant_context *ctx, const int32_t *labels, int height, int width,
                              const lattice *nodes, int radius, int64_t count, int32_t *node_labels)
{
    bool *found = memory_new(ctx, count, sizeof *found, "labels with inner windows");
    if (!found)
        return ORTHANT_ERROR_MEMORY;
    for (int64_t i = 0; i < lattice_nodes(nodes); i++) {
        const int64_t p = pixel_of(nodes, i, height, width);
        const bool inside = alone(labels, height, width, p, radius);
        node_labels[i] = inside ? labels[p] : -1;
        found[labels[p]] |= inside;
    }
    for (int64_t i = 0; i < lattice_nodes(nodes); i++) {
        const int32_t label = labels[pixel_of(nodes, i, height, width)];
        if (!found[label])
            node_labels[i] = label;
    }
    memory_free(ctx, found);
    return ORTHANT_OK;
}
