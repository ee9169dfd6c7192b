/* Building the balanced tree by selection of the median, and the search that prunes its ranges. */
#include "graph/kdtree.h"

#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "core/parallel.h"
#include "graph/select.h"

#define MOST_IN_LEAF 12
#define POINTS_OF_A_TASK 1024

/* ---- building ---- */

static double coordinate(const void *of, int64_t row, int64_t axis)
{
    return ((const kdtree *)of)->point[3 * row + axis];
}

static void swap_points(void *of, int64_t a, int64_t b)
{
    kdtree *tree = of;
    double point[3];
    const int32_t index = tree->index[a];
    memcpy(point, tree->point + 3 * a, sizeof point);
    memmove(tree->point + 3 * a, tree->point + 3 * b, sizeof point);
    memcpy(tree->point + 3 * b, point, sizeof point);
    tree->index[a] = tree->index[b];
    tree->index[b] = index;
}

static int widest_axis(const kdtree *tree, int64_t begin, int64_t end)
{
    double least[3] = {INFINITY, INFINITY, INFINITY}, most[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int64_t i = begin; i < end; i++)
        for (int a = 0; a < 3; a++) {
            const double value = tree->point[3 * i + a];
            least[a] = value < least[a] ? value : least[a];
            most[a] = value > most[a] ? value : most[a];
        }
    int widest = 0;
    for (int a = 1; a < 3; a++)
        if (most[a] - least[a] > most[widest] - least[widest])
            widest = a;
    return widest;
}

static void cut_range(kdtree *tree, kdtree_range r, int level)
{
    if (level == tree->levels)
        return;
    const int axis = widest_axis(tree, r.begin, r.end);
    select_rank(tree, r.begin, r.end, kdtree_middle(r), axis, coordinate, swap_points);
    tree->cut[r.cut] = (kdtree_cut){tree->point[3 * kdtree_middle(r) + axis], axis};
    cut_range(tree, kdtree_lower(r), level + 1);
    cut_range(tree, kdtree_upper(r), level + 1);
}

orthant_status kdtree_make(orthant_context *ctx, const double *points, int64_t n, kdtree *tree)
{
    *tree = (kdtree){.ctx = ctx, .count = n};
    while (n >> tree->levels > MOST_IN_LEAF)
        tree->levels++;
    tree->cut =
        memory_new(ctx, (INT64_C(1) << tree->levels) - 1, sizeof *tree->cut, "cuts of a kd-tree");
    tree->point = memory_new(ctx, 3 * n, sizeof *tree->point, "points of a kd-tree");
    tree->index = memory_new(ctx, n, sizeof *tree->index, "points of a kd-tree");
    if (!tree->cut || !tree->point || !tree->index) {
        kdtree_free(tree);
        return ORTHANT_ERROR_MEMORY;
    }
    memcpy(tree->point, points, (size_t)n * 3 * sizeof *points);
    for (int64_t i = 0; i < n; i++)
        tree->index[i] = (int32_t)i;
    cut_range(tree, (kdtree_range){0, n, 0}, 0);
    return ORTHANT_OK;
}

void kdtree_free(kdtree *tree)
{
    memory_free(tree->ctx, tree->cut);
    memory_free(tree->ctx, tree->point);
    memory_free(tree->ctx, tree->index);
    *tree = (kdtree){.ctx = tree->ctx};
}

/* ---- the nearest of a point ---- */

/* What is sought from `point`: the `count` nearest so far. */
typedef struct search {
    const kdtree *tree;
    const double *point;
    int32_t self;
    int64_t count, found;
    double *distance; /* squared, ascending */
    int32_t *index;
    double worst; /* what is farther does not count */
} search;

static bool comes_before(double distance, int32_t index, double other, int32_t other_index)
{
    return distance < other || (distance == other && index < other_index);
}

static void offer(search *s, double distance, int32_t index)
{
    int64_t to = s->found;
    if (index == s->self)
        return;
    if (s->found == s->count) {
        if (!comes_before(distance, index, s->distance[to - 1], s->index[to - 1]))
            return;
        to--;
    } else {
        s->found++;
    }
    for (; to > 0 && comes_before(distance, index, s->distance[to - 1], s->index[to - 1]); to--) {
        s->distance[to] = s->distance[to - 1];
        s->index[to] = s->index[to - 1];
    }
    s->distance[to] = distance;
    s->index[to] = index;
    if (s->found == s->count)
        s->worst = s->distance[s->count - 1];
}

/* `off` is how far the range lies from the point along each axis, at least. */
static void search_range(search *s, kdtree_range r, int level, double off[3])
{
    const kdtree *tree = s->tree;
    if (level == tree->levels) {
        for (int64_t i = r.begin; i < r.end; i++) {
            const double *p = tree->point + 3 * i;
            const double distance =
                kdtree_squares(p[0] - s->point[0], p[1] - s->point[1], p[2] - s->point[2]);
            if (distance <= s->worst)
                offer(s, distance, tree->index[i]);
        }
        return;
    }
    const kdtree_cut cut = tree->cut[r.cut];
    const double beyond = cut.at - s->point[cut.axis], kept = off[cut.axis];
    search_range(s, beyond > 0.0 ? kdtree_lower(r) : kdtree_upper(r), level + 1, off);
    off[cut.axis] = beyond;
    if (kdtree_squares(off[0], off[1], off[2]) <= s->worst)
        search_range(s, beyond > 0.0 ? kdtree_upper(r) : kdtree_lower(r), level + 1, off);
    off[cut.axis] = kept;
}

typedef struct seeking {
    const kdtree *tree;
    int64_t count;
    int32_t *nearest;
    double *distance; /* threads x count */
} seeking;

static void seek_points(void *user, int64_t task, int thread)
{
    const seeking *k = user;
    const int64_t first = task * POINTS_OF_A_TASK, left = k->tree->count - first;
    const int64_t end = first + (left < POINTS_OF_A_TASK ? left : POINTS_OF_A_TASK);
    for (int64_t i = first; i < end; i++) {
        const int32_t self = k->tree->index[i];
        double off[3] = {0.0, 0.0, 0.0};
        search s = {.tree = k->tree,
                    .point = k->tree->point + 3 * i,
                    .self = self,
                    .count = k->count,
                    .distance = k->distance + thread * k->count,
                    .index = k->nearest + (int64_t)self * k->count,
                    .worst = INFINITY};
        search_range(&s, (kdtree_range){0, k->tree->count, 0}, 0, off);
    }
}

orthant_status kdtree_neighbours(const kdtree *tree, int64_t count, int32_t *nearest)
{
    orthant_context *ctx = tree->ctx;
    seeking k = {.tree = tree, .count = count, .nearest = nearest};
    k.distance =
        memory_new(ctx, parallel_threads(ctx) * count, sizeof *k.distance, "nearest points");
    if (!k.distance)
        return ORTHANT_ERROR_MEMORY;
    parallel_for(ctx, (tree->count + POINTS_OF_A_TASK - 1) / POINTS_OF_A_TASK, seek_points, &k);
    memory_free(ctx, k.distance);
    return ORTHANT_OK;
}
