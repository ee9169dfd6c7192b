/* Connected regions of a grid of labels: finding them, dropping small ones, merging like ones. */
#ifndef VISION_REGIONS_H
#define VISION_REGIONS_H

#include "data/matrix.h"
#include "vision/spectral.h"

/* Components of equal labels, 4-connected, numbered in the order of their first pixels. Returns in
 * *size (memory_free) the pixels of each. Pixels of label -1 are in no component. */
orthant_status regions_components(orthant_context *ctx, const int32_t *labels, int height,
                                  int width, int32_t *component, int64_t *count, int64_t **size);

/* Pixels of label -1 take the label of the nearest labelled pixel, by steps up, down, left and
 * right; what was reached first wins. Nothing happens where no pixel has a label. */
orthant_status regions_fill(orthant_context *ctx, int32_t *labels, int height, int width);

/* Components of fewer than `least` pixels are given to their surroundings; the largest stays. */
orthant_status regions_drop_small(orthant_context *ctx, int32_t *labels, int height, int width,
                                  int64_t least);
/* Every label keeps its largest component alone. */
orthant_status regions_keep_largest(orthant_context *ctx, int32_t *labels, int height, int width);

/* The labels of a lattice's nodes whose windows of `radius` rows and columns to each side, clipped
 * to the picture, lie in one label; -1 for the others, but for labels that have no such node at
 * all: these keep all of theirs. */
orthant_status regions_inside(orthant_context *ctx, const int32_t *labels, int height, int width,
                              const lattice *nodes, int radius, int64_t count,
                              int32_t *node_labels);

/* How regions were merged, from all of them to one: step s joined `from` to `into`. */
typedef struct region_merge {
    int32_t into, from;
    double cost;
} region_merge;

/* Ward's rule: each time the pair whose union adds least to the squared distances of the features
 * from their region's mean, n_a n_b / (n_a + n_b) |mean_a - mean_b|^2; `adjacent`: only pairs that
 * share a border. `component` numbers the regions 0 .. count - 1; merges has count - 1 entries. */
orthant_status regions_merge(orthant_context *ctx, const int32_t *component, int64_t count,
                             int height, int width, const orthant_matrix *features, bool adjacent,
                             region_merge *merges);
/* Labels 0 .. segments - 1 of the regions after all merges but the last segments - 1. */
orthant_status regions_cut(orthant_context *ctx, const region_merge *merges, int64_t count,
                           int64_t segments, int32_t *label_of);

#endif
