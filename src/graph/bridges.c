/* Boruvka's rounds: every part but the largest is joined to what is nearest outside of it, until
 * one is left. A range of the tree whose points are all of the seeker's own part is pruned. */
#include <math.h>

#include "core/memory.h"
#include "graph/kdtree.h"

/* The shortest edge that leaves a part, of those found so far. */
typedef struct leaving_edge {
    double distance; /* squared */
    int32_t from, to;
} leaving_edge;

typedef struct joining {
    const kdtree *tree;
    int64_t parts;
    int32_t *parent; /* of each point (the caller's order) in its part's tree; a root is its own */
    int32_t *part;   /* the root of each point, in the tree's order */
    int32_t *range_part; /* of each range: the root of all its points, or -1 where they differ */
    int32_t *size;       /* of a root's part */
    leaving_edge *best;  /* of a root's part */
} joining;

static int32_t root_of(int32_t *parent, int32_t i)
{
    while (parent[i] != i)
        i = parent[i] = parent[parent[i]];
    return i;
}

/* The lower root stays; false where they were one part already. */
static bool unite(joining *j, int32_t a, int32_t b)
{
    a = root_of(j->parent, a);
    b = root_of(j->parent, b);
    if (a == b)
        return false;
    j->parent[a > b ? a : b] = a > b ? b : a;
    j->parts--;
    return true;
}

static int32_t mark_ranges(joining *j, kdtree_range r, int level)
{
    int32_t part;
    if (level == j->tree->levels) {
        part = j->part[r.begin];
        for (int64_t i = r.begin + 1; i < r.end; i++)
            part = j->part[i] == part ? part : -1;
    } else {
        const int32_t lower = mark_ranges(j, kdtree_lower(r), level + 1);
        const int32_t upper = mark_ranges(j, kdtree_upper(r), level + 1);
        part = lower == upper ? lower : -1;
    }
    return j->range_part[r.cut] = part;
}

/* Marks the parts as they are now and returns the largest. */
static int32_t begin_round(joining *j)
{
    const int64_t n = j->tree->count;
    int32_t largest = 0;
    for (int64_t i = 0; i < n; i++) {
        j->size[i] = 0;
        j->best[i] = (leaving_edge){INFINITY, -1, -1};
    }
    for (int64_t i = 0; i < n; i++) {
        j->part[i] = root_of(j->parent, j->tree->index[i]);
        j->size[j->part[i]]++;
    }
    for (int32_t i = 1; i < n; i++)
        if (j->size[i] > j->size[largest])
            largest = i;
    mark_ranges(j, (kdtree_range){0, n, 0}, 0);
    return largest;
}

static double squared_distance(const kdtree *tree, int64_t i, int64_t j)
{
    double total = 0;
    for (int64_t a = 0; a < 3; a++) {
        const double apart = kdtree_coordinate(tree, j, a) - kdtree_coordinate(tree, i, a);
        total += apart * apart;
    }
    return total;
}

/* From point `at` (the tree's order) to what is nearer than the best of its part. */
static void seek_out(const joining *j, int64_t at, kdtree_range r, int level, double off[3],
                     double bound)
{
    const kdtree *tree = j->tree;
    leaving_edge *best = &j->best[j->part[at]];
    if (j->range_part[r.cut] == j->part[at])
        return;
    if (level == tree->levels) {
        for (int64_t i = r.begin; i < r.end; i++) {
            const double distance = squared_distance(tree, at, i);
            if (j->part[i] != j->part[at] && distance < best->distance)
                *best = (leaving_edge){distance, tree->index[at], tree->index[i]};
        }
        return;
    }
    const kdtree_cut cut = tree->cut[r.cut];
    const double beyond = cut.at - kdtree_coordinate(tree, at, cut.axis), kept = off[cut.axis];
    seek_out(j, at, beyond > 0.0 ? kdtree_lower(r) : kdtree_upper(r), level + 1, off, bound);
    bound = kdtree_bound(bound, kept, beyond);
    if (!kdtree_reaches(bound, best->distance))
        return;
    off[cut.axis] = beyond;
    seek_out(j, at, beyond > 0.0 ? kdtree_upper(r) : kdtree_lower(r), level + 1, off, bound);
    off[cut.axis] = kept;
}

static void run_round(joining *j, int64_t *bridges, int32_t *bridge)
{
    const int64_t n = j->tree->count;
    const int32_t largest = begin_round(j);
    for (int64_t i = 0; i < n; i++) {
        double off[3] = {0.0, 0.0, 0.0};
        if (j->part[i] != largest)
            seek_out(j, i, (kdtree_range){0, n, 0}, 0, off, 0);
    }
    for (int64_t i = 0; i < n; i++)
        if (j->best[i].from >= 0 && unite(j, j->best[i].from, j->best[i].to)) {
            bridge[2 * *bridges] = j->best[i].from;
            bridge[2 * *bridges + 1] = j->best[i].to;
            ++*bridges;
        }
}

orthant_status kdtree_bridges(const kdtree *tree, int64_t neighbours, const int32_t *nearest,
                              int64_t *parts, int64_t *bridges, int32_t **bridge)
{
    orthant_context *ctx = tree->ctx;
    const int64_t n = tree->count;
    joining j = {.tree = tree, .parts = n};
    orthant_status status = ORTHANT_ERROR_MEMORY;
    *bridges = *parts = 0;
    *bridge = NULL;
    j.parent = memory_new(ctx, n, sizeof *j.parent, "parts of a graph");
    j.part = memory_new(ctx, n, sizeof *j.part, "parts of a graph");
    j.size = memory_new(ctx, n, sizeof *j.size, "parts of a graph");
    j.best = memory_new(ctx, n, sizeof *j.best, "parts of a graph");
    j.range_part =
        memory_new(ctx, (INT64_C(2) << tree->levels) - 1, sizeof *j.range_part, "parts of a graph");
    if (!j.parent || !j.part || !j.size || !j.best || !j.range_part)
        goto done;
    for (int32_t i = 0; i < n; i++)
        j.parent[i] = i;
    for (int64_t e = 0; e < n * neighbours; e++)
        unite(&j, (int32_t)(e / neighbours), nearest[e]);
    *parts = j.parts;
    *bridge = memory_new(ctx, 2 * (j.parts - 1), sizeof **bridge, "bridges of a graph");
    if (!*bridge)
        goto done;
    while (j.parts > 1)
        run_round(&j, bridges, *bridge);
    status = ORTHANT_OK;
done:
    memory_free(ctx, j.parent);
    memory_free(ctx, j.part);
    memory_free(ctx, j.size);
    memory_free(ctx, j.best);
    memory_free(ctx, j.range_part);
    return status;
}
