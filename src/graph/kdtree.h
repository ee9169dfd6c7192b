/* Exact neighbours of points in space by a kd-tree.
 *
 * The tree is balanced: each range of points is cut at its middle along its widest axis, down to
 * ranges of a few points. Distances and the bounds that spare a range are sums of three squares in
 * the same order, and rounding is monotone, so a range that holds a nearer point or an equally near
 * one of lower index is never spared: results are exact to the bit. */
#ifndef GRAPH_KDTREE_H
#define GRAPH_KDTREE_H

#include "core/context.h"

typedef struct kdtree_cut {
    double at;
    int axis;
} kdtree_cut;

typedef struct kdtree {
    orthant_context *ctx;
    int64_t count;
    int levels;      /* of cuts */
    kdtree_cut *cut; /* 2^levels - 1; the halves of cut c have cuts 2 c + 1 and 2 c + 2 */
    double *point;   /* count x 3, in the tree's order */
    int32_t *index;  /* of each of them in the caller's order */
} kdtree;

/* Points are n x 3 and finite, n < 2^31. They are copied. */
orthant_status kdtree_make(orthant_context *ctx, const double *points, int64_t n, kdtree *tree);
void kdtree_free(kdtree *tree);

/* The `count` nearest of each point, itself left out, nearest first, ties to the lower index: n x
 * count into `nearest`. 0 < count < n. */
orthant_status kdtree_neighbours(const kdtree *tree, int64_t count, int32_t *nearest);

/* Pairs of points that join the parts of a graph, given by the `neighbours` of each point, into
 * one: the shortest there are, as in a minimum spanning tree (Boruvka). *bridge (pairs of points)
 * is to be freed with memory_free; *parts is how many there were. */
orthant_status kdtree_bridges(const kdtree *tree, int64_t neighbours, const int32_t *nearest,
                              int64_t *parts, int64_t *bridges, int32_t **bridge);

/* ---- between kdtree.c and bridges.c ------------------------------------------------------- */

/* A range of the points, the cut in its middle, and the two halves. Below the last level the
 * numbers go on: ranges that are not cut have one, too. */
typedef struct kdtree_range {
    int64_t begin, end, cut;
} kdtree_range;

static inline int64_t kdtree_middle(kdtree_range r)
{
    return r.begin + (r.end - r.begin) / 2;
}

static inline kdtree_range kdtree_lower(kdtree_range r)
{
    return (kdtree_range){r.begin, kdtree_middle(r), 2 * r.cut + 1};
}

static inline kdtree_range kdtree_upper(kdtree_range r)
{
    return (kdtree_range){kdtree_middle(r), r.end, 2 * r.cut + 2};
}

static inline double kdtree_squares(double x, double y, double z)
{
    return x * x + y * y + z * z;
}

#endif
