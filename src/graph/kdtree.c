/* Building the balanced tree by selection of the median, and the search that prunes its ranges. */
#include "graph/kdtree.h"

#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "core/parallel.h"
#include "core/pieces.h"
#include "graph/select.h"
#include "kernel/kernel.h"

#define MOST_IN_LEAF 48
#define POINTS_OF_A_TASK 1024
#define TASKS_AT_A_TIME 128 /* between two messages of progress */
#define PROBES 64           /* points that tell how much is pruned */
#define MOST_COMPARED 0.1   /* of all points: with more, products of all pairs are faster */
#define SUBTREES_FROM 6     /* the level below which a task builds a whole subtree */

/* ---- building ---- */

/* While the tree is built, points stay in the caller's order and their numbers are sorted. */
typedef struct building {
    kdtree *tree;
    const double *point; /* in the caller's order */
    double *key;         /* of the point with each number: its coordinate along the axis at hand */
    int level;
} building;

static double key_of(const void *of, int64_t rank, int64_t axis)
{
    (void)axis;
    return ((const building *)of)->key[rank];
}

static void swap_numbers(void *of, int64_t a, int64_t b)
{
    const building *build = of;
    const int32_t index = build->tree->index[a];
    const double key = build->key[a];
    build->tree->index[a] = build->tree->index[b];
    build->tree->index[b] = index;
    build->key[a] = build->key[b];
    build->key[b] = key;
}

static int widest_axis(const building *build, int64_t begin, int64_t end)
{
    const int axes = build->tree->axes;
    double least[KDTREE_MOST_AXES], most[KDTREE_MOST_AXES];
    for (int a = 0; a < axes; a++) {
        least[a] = INFINITY;
        most[a] = -INFINITY;
    }
    for (int64_t i = begin; i < end; i++) {
        const double *point = build->point + (int64_t)build->tree->index[i] * axes;
        for (int a = 0; a < axes; a++) {
            least[a] = point[a] < least[a] ? point[a] : least[a];
            most[a] = point[a] > most[a] ? point[a] : most[a];
        }
    }
    int widest = 0;
    for (int a = 1; a < axes; a++)
        if (most[a] - least[a] > most[widest] - least[widest])
            widest = a;
    return widest;
}

static void cut_range(building *build, kdtree_range r)
{
    kdtree *tree = build->tree;
    const int axis = widest_axis(build, r.begin, r.end);
    for (int64_t i = r.begin; i < r.end; i++)
        build->key[i] = build->point[(int64_t)tree->index[i] * tree->axes + axis];
    select_rank(build, r.begin, r.end, kdtree_middle(r), axis, key_of, swap_numbers);
    tree->cut[r.cut] = (kdtree_cut){build->key[kdtree_middle(r)], axis};
}

static void cut_subtree(building *build, kdtree_range r, int level)
{
    if (level == build->tree->levels)
        return;
    cut_range(build, r);
    cut_subtree(build, kdtree_lower(r), level + 1);
    cut_subtree(build, kdtree_upper(r), level + 1);
}

static void cut_one(void *user, int64_t task, int thread)
{
    building *build = user;
    (void)thread;
    cut_range(build, kdtree_range_of(build->tree->count, build->level, task));
}

static void cut_all_below(void *user, int64_t task, int thread)
{
    building *build = user;
    (void)thread;
    cut_subtree(build, kdtree_range_of(build->tree->count, build->level, task), build->level);
}

static void copy_points(void *user, int64_t task, int thread)
{
    const building *build = user;
    kdtree *tree = build->tree;
    const int64_t axes = tree->axes, first = task * POINTS_OF_A_TASK;
    const int64_t end = smaller(first + POINTS_OF_A_TASK, tree->count);
    (void)thread;
    for (int64_t i = first; i < end; i++)
        for (int64_t a = 0; a < axes; a++)
            tree->point[a * tree->stride + i] = build->point[tree->index[i] * axes + a];
}

static orthant_status build_tree(orthant_context *ctx, const double *points, int64_t n, int axes,
                                 kdtree *tree)
{
    building build = {.tree = tree, .point = points};
    /* Vectors go beyond the last point, and axes begin in different sets of the cache. */
    *tree =
        (kdtree){.ctx = ctx, .count = n, .axes = axes, .stride = KERNEL_WHOLE(n) + 16, .slack = 1};
    while (pieces(n, INT64_C(1) << tree->levels) > MOST_IN_LEAF)
        tree->levels++;
    tree->cut =
        memory_new(ctx, (INT64_C(1) << tree->levels) - 1, sizeof *tree->cut, "cuts of a kd-tree");
    tree->point = memory_new(ctx, axes * tree->stride, sizeof *tree->point, "points of a kd-tree");
    tree->index = memory_new(ctx, n, sizeof *tree->index, "points of a kd-tree");
    build.key = memory_new(ctx, n, sizeof *build.key, "points of a kd-tree");
    const bool made = tree->cut && tree->point && tree->index && build.key;
    for (int64_t i = 0; i < n && made; i++)
        tree->index[i] = (int32_t)i;
    if (made) {
        for (; build.level < SUBTREES_FROM && build.level < tree->levels; build.level++)
            parallel_for(ctx, INT64_C(1) << build.level, cut_one, &build);
        parallel_for(ctx, INT64_C(1) << build.level, cut_all_below, &build);
        parallel_for(ctx, pieces(n, POINTS_OF_A_TASK), copy_points, &build);
    } else {
        kdtree_free(tree);
    }
    memory_free(ctx, build.key);
    return made ? ORTHANT_OK : ORTHANT_ERROR_MEMORY;
}

orthant_status kdtree_make(orthant_context *ctx, const double *points, int64_t n, kdtree *tree)
{
    return build_tree(ctx, points, n, 3, tree);
}

orthant_status kdtree_of_samples(orthant_context *ctx, const orthant_matrix *samples, kdtree *tree)
{
    double *points =
        memory_new(ctx, samples->rows * samples->columns, sizeof *points, "points of a kd-tree");
    if (!points)
        return ORTHANT_ERROR_MEMORY;
    kernel_table(samples->precision)->get_values(matrix_array(samples), points);
    const orthant_status status =
        build_tree(ctx, points, samples->rows, (int)samples->columns, tree);
    memory_free(ctx, points);
    return status;
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
    const kernels *ops;
    double point[KDTREE_MOST_AXES];
    int32_t self;
    int64_t count, found;
    double *distance; /* squared, ascending */
    int32_t *index;
    double worst;     /* what is farther does not count */
    int64_t compared; /* points so far */
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

static void search_leaf(search *s, kdtree_range r)
{
    const kdtree *tree = s->tree;
    double distance[KERNEL_WHOLE(MOST_IN_LEAF)];
    s->compared += r.end - r.begin;
    s->ops->plain_distances(
        (array){tree->point + r.begin, tree->axes, r.end - r.begin, tree->stride}, s->point,
        distance);
    for (int64_t i = r.begin; i < r.end; i++)
        if (distance[i - r.begin] <= s->worst)
            offer(s, distance[i - r.begin], tree->index[i]);
}

/* `off` is how far the range lies from the point along each axis, at least, and `bound` the sum of
 * the squares. */
static void search_range(search *s, kdtree_range r, int level, double *off, double bound)
{
    const kdtree *tree = s->tree;
    if (level == tree->levels) {
        search_leaf(s, r);
        return;
    }
    const kdtree_cut cut = tree->cut[r.cut];
    const double beyond = cut.at - s->point[cut.axis], kept = off[cut.axis];
    search_range(s, beyond > 0.0 ? kdtree_lower(r) : kdtree_upper(r), level + 1, off, bound);
    bound = kdtree_bound(bound, kept, beyond);
    if (!kdtree_reaches(tree->slack * bound, s->worst))
        return;
    off[cut.axis] = beyond;
    search_range(s, beyond > 0.0 ? kdtree_upper(r) : kdtree_lower(r), level + 1, off, bound);
    off[cut.axis] = kept;
}

/* Looks for the nearest of the i-th point of the tree; returns how many were compared. */
static int64_t search_point(const kdtree *tree, int64_t i, int64_t count, double *distance,
                            int32_t *index)
{
    double off[KDTREE_MOST_AXES] = {0};
    search s = {.tree = tree,
                .ops = kernel_table(ORTHANT_DOUBLE),
                .self = tree->index[i],
                .count = count,
                .distance = distance,
                .index = index,
                .worst = INFINITY};
    for (int a = 0; a < tree->axes; a++)
        s.point[a] = kdtree_coordinate(tree, i, a);
    search_range(&s, (kdtree_range){0, tree->count, 0}, 0, off, 0);
    return s.compared;
}

typedef struct seeking {
    const kdtree *tree;
    int64_t count, first_task;
    int32_t *nearest;
    double *distance; /* threads x count */
} seeking;

static void seek_points(void *user, int64_t task, int thread)
{
    const seeking *k = user;
    const kdtree *tree = k->tree;
    const int64_t first = (k->first_task + task) * POINTS_OF_A_TASK;
    const int64_t end = smaller(first + POINTS_OF_A_TASK, tree->count);
    for (int64_t i = first; i < end; i++)
        search_point(tree, i, k->count, k->distance + thread * k->count,
                     k->nearest + (int64_t)tree->index[i] * k->count);
}

orthant_status kdtree_neighbours(const kdtree *tree, int64_t count, const search_clock *clock,
                                 int32_t *nearest)
{
    orthant_context *ctx = tree->ctx;
    const int64_t tasks = pieces(tree->count, POINTS_OF_A_TASK);
    seeking k = {.tree = tree, .count = count, .nearest = nearest};
    k.distance =
        memory_new(ctx, parallel_threads(ctx) * count, sizeof *k.distance, "nearest points");
    if (!k.distance)
        return ORTHANT_ERROR_MEMORY;
    orthant_status status = search_tell(ctx, clock, 0, tasks, false);
    while (!status && k.first_task < tasks) {
        const int64_t now = smaller(TASKS_AT_A_TIME, tasks - k.first_task);
        parallel_for(ctx, now, seek_points, &k);
        k.first_task += now;
        status = search_tell(ctx, clock, k.first_task, tasks, false);
    }
    memory_free(ctx, k.distance);
    return status;
}

orthant_status kdtree_prunes(const kdtree *tree, int64_t count, bool *prunes)
{
    orthant_context *ctx = tree->ctx;
    double *distance = memory_new(ctx, count, sizeof *distance, "nearest points");
    int32_t *index = memory_new(ctx, count, sizeof *index, "nearest points");
    const bool made = distance && index;
    int64_t compared = 0;
    for (int64_t p = 0; p < PROBES && made; p++)
        compared += search_point(tree, p * tree->count / PROBES, count, distance, index);
    *prunes = made && (double)compared <= MOST_COMPARED * (double)(PROBES * tree->count);
    memory_free(ctx, distance);
    memory_free(ctx, index);
    return made ? ORTHANT_OK : ORTHANT_ERROR_MEMORY;
}
