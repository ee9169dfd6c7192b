/* The pixels of a picture as a grid of neighbours. */
#ifndef VISION_GRID_H
#define VISION_GRID_H

#include <stdint.h>

typedef struct grid {
    int height, width;
    int64_t pixels;
} grid;

static inline grid grid_of(int height, int width)
{
    return (grid){height, width, (int64_t)height * width};
}

/* The pixel's neighbours, at most eight, row by row; returns how many. */
static inline int grid_neighbours(const grid *g, int64_t pixel, int64_t near[8])
{
    const int y = (int)(pixel / g->width), x = (int)(pixel % g->width);
    const int top = y > 0 ? -1 : 0, bottom = y < g->height - 1 ? 1 : 0;
    const int left = x > 0 ? -1 : 0, right = x < g->width - 1 ? 1 : 0;
    int count = 0;
    for (int dy = top; dy <= bottom; dy++)
        for (int dx = left; dx <= right; dx++)
            if (dy || dx)
                near[count++] = pixel + (int64_t)dy * g->width + dx;
    return count;
}

#endif
