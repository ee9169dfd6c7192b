/* Random projection trees (Dasgupta and Freund 2008): points are halved along random directions,
 * over and over, until few are left together. Points that are near to each other mostly end up in
 * the same leaf; several trees miss different ones. */
#ifndef GRAPH_PROJECTION_TREE_H
#define GRAPH_PROJECTION_TREE_H

#include "data/matrix.h"
#include "graph/search_clock.h"

#define PROJECTION_MOST 256 /* coordinates of a point */

typedef struct projection_tree {
    orthant_context *ctx;
    const orthant_matrix *points; /* n x coordinates, single precision */
    int64_t leaves, most;         /* how many there are, and points of a leaf at most */
    int32_t *order;               /* the points, leaf after leaf */
    float *key;                   /* beside them, along the direction at hand */
    int level, levels;
    uint64_t number; /* which of several trees */
} projection_tree;

/* A low-dimensional image of any samples for such trees, by random signs (Achlioptas 2003): each
 * coordinate is the sum of a sample's features, with a random sign for each. */
orthant_status projection_by_signs(orthant_context *ctx, const orthant_matrix *samples,
                                   const search_step *at, orthant_matrix **points);

/* For trees with at most `most` points in a leaf. */
orthant_status projection_tree_begin(orthant_context *ctx, const orthant_matrix *points,
                                     int64_t most, projection_tree *tree);
void projection_tree_end(projection_tree *tree);
/* Grows the tree with that number; ORTHANT_STOPPED as search_run(). */
orthant_status projection_tree_grow(projection_tree *tree, uint64_t number, const search_step *at);
/* The points of a leaf: order[*begin] .. order[*end - 1]. */
void projection_tree_leaf(const projection_tree *tree, int64_t leaf, int64_t *begin, int64_t *end);

#endif
