/* Exact neighbours of points of few coordinates by a kd-tree.
 *
 * The tree is balanced: each range of points is cut at its middle along its widest axis, down to
 * ranges of a few points. A range is pruned where a lower bound of its distance, less what rounding
 * may have added, is above that of the neighbours found, so that one with a nearer point or an
 * equally near one of lower index is searched. The distances have the bits of rows_distance():
 * results are those of a comparison of all pairs. */
#ifndef GRAPH_KDTREE_H
#define GRAPH_KDTREE_H

#include "data/matrix.h"
#include "graph/search_clock.h"

#define KDTREE_MOST_AXES 16
#define KDTREE_APPROXIMATE 2.25 /* slack */

typedef struct kdtree_cut {
    double at;
    int axis;
} kdtree_cut;

typedef struct kdtree {
    orthant_context *ctx;
    int64_t count;
    int axes;        /* coordinates of a point */
    int levels;      /* of cuts */
    kdtree_cut *cut; /* 2^levels - 1; the halves of cut c have cuts 2 c + 1 and 2 c + 2 */
    int64_t stride;  /* of an axis */
    double *point;   /* axes x stride: the coordinates along each axis, in the tree's order */
    int32_t *index;  /* of each of them in the caller's order */
    double slack;    /* 1: exact; above, ranges count as so many times farther (squared) than they
                        may be, and a few neighbours are missed */
} kdtree;

/* Points are n x 3 and finite, n < 2^31. They are copied. */
orthant_status kdtree_make(orthant_context *ctx, const double *points, int64_t n, kdtree *tree);
/* Of dense, finite samples with at most KDTREE_MOST_AXES features. */
orthant_status kdtree_of_samples(orthant_context *ctx, const orthant_matrix *samples, kdtree *tree);
void kdtree_free(kdtree *tree);

/* The `count` nearest of each point, itself left out, nearest first, ties to the lower index: n x
 * count into `nearest`. 0 < count < n. `clock`: NULL where nobody is to be told. */
orthant_status kdtree_neighbours(const kdtree *tree, int64_t count, const search_clock *clock,
                                 int32_t *nearest);

/* Whether a search for so many neighbours compares few enough of the points: estimated by a few of
 * them. */
orthant_status kdtree_prunes(const kdtree *tree, int64_t count, bool *prunes);

/* Of points in space: pairs that join the parts of a graph, given by the `neighbours` of each
 * point, into one: the shortest there are, as in a minimum spanning tree (Boruvka). *bridge (pairs
 * of points) is to be freed with memory_free; *parts is how many there were. */
orthant_status kdtree_bridges(const kdtree *tree, int64_t neighbours, const int32_t *nearest,
                              int64_t *parts, int64_t *bridges, int32_t **bridge);

/* ---- between kdtree.c, bridges.c and projection_tree.c
 * ------------------------------------------------------- */

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

/* The `number`-th range of a level, found from the root. */
static inline kdtree_range kdtree_range_of(int64_t points, int level, int64_t number)
{
    kdtree_range r = {0, points, 0};
    for (int bit = level - 1; bit >= 0; bit--)
        r = number >> bit & 1 ? kdtree_upper(r) : kdtree_lower(r);
    return r;
}

static inline double kdtree_coordinate(const kdtree *tree, int64_t i, int64_t axis)
{
    return tree->point[axis * tree->stride + i];
}

/* A bound on the squared distance of a range, the sum of the squares of how far it lies off along
 * each axis, when `beyond` replaces `off` along one. Rounding leaves it above the truth by far less
 * than KDTREE_ROUNDING of itself. */
#define KDTREE_ROUNDING 0x1p-40
static inline double kdtree_bound(double bound, double off, double beyond)
{
    return bound + (beyond * beyond - off * off);
}

static inline bool kdtree_reaches(double bound, double distance)
{
    return bound * (1.0 - KDTREE_ROUNDING) <= distance;
}

#endif
