/* Each range is cut at the median of its points along the direction between two of them. */
#include "graph/projection_tree.h"

#include "core/memory.h"
#include "core/parallel.h"
#include "core/pieces.h"
#include "core/random.h"
#include "graph/kdtree.h"
#include "graph/select.h"

#define SIGNS 32 /* coordinates by random signs: bits of a word */
#define ROWS_OF_A_TASK 256
#define SUBTREES_FROM 6 /* the level below which a task grows a whole subtree */
#define SEED 1

/* ---- points by random signs ---- */

typedef struct projecting {
    const orthant_matrix *samples;
    const uint32_t *signs; /* of each feature */
    orthant_matrix *points;
} projecting;

static void project_rows(void *user, int64_t task, int thread)
{
    const projecting *p = user;
    const orthant_matrix *X = p->samples;
    const int64_t first = task * ROWS_OF_A_TASK, end = smaller(first + ROWS_OF_A_TASK, X->rows);
    (void)thread;
    for (int64_t i = first; i < end; i++) {
        double sums[SIGNS] = {0};
        const int64_t begin = X->sparse ? X->row_start[i] : i * X->stride;
        const int64_t stop = X->sparse ? X->row_start[i + 1] : begin + X->columns;
        for (int64_t e = begin; e < stop; e++) {
            const double value = matrix_value(X, e);
            const uint32_t signs = p->signs[X->sparse ? X->column[e] : e - begin];
            for (int c = 0; c < SIGNS && (value < 0 || value > 0); c++)
                sums[c] += signs >> c & 1 ? value : -value;
        }
        for (int c = 0; c < SIGNS; c++)
            matrix_set_value(p->points, i * p->points->stride + c, sums[c]);
    }
}

orthant_status projection_by_signs(orthant_context *ctx, const orthant_matrix *samples,
                                   const search_step *at, orthant_matrix **points)
{
    const int64_t n = samples->rows, m = samples->columns;
    uint32_t *signs = memory_new(ctx, m, sizeof *signs, "a random projection");
    if (!signs)
        return ORTHANT_ERROR_MEMORY;
    for (int64_t f = 0; f < m; f++)
        signs[f] =
            (uint32_t)random_below(SEED, RANDOM_NEIGHBOURS, (uint64_t)f, 0, UINT64_C(1) << SIGNS);
    orthant_status status = matrix_new_dense(ctx, ORTHANT_SINGLE, n, SIGNS, points);
    projecting p = {samples, signs, *points};
    if (!status)
        status = search_run(ctx, at, pieces(n, ROWS_OF_A_TASK), project_rows, &p);
    memory_free(ctx, signs);
    return status;
}

/* ---- trees ---- */

static double key_of(const void *of, int64_t rank, int64_t axis)
{
    (void)axis;
    return (double)((const projection_tree *)of)->key[rank];
}

static void swap_points(void *of, int64_t a, int64_t b)
{
    const projection_tree *tree = of;
    const int32_t index = tree->order[a];
    const float key = tree->key[a];
    tree->order[a] = tree->order[b];
    tree->order[b] = index;
    tree->key[a] = tree->key[b];
    tree->key[b] = key;
}

/* A point of the range, drawn by the tree, the range and `which`. */
static array draw_point(const projection_tree *tree, kdtree_range r, uint64_t which)
{
    const uint64_t drawn = random_below(SEED, RANDOM_NEIGHBOURS, 2 * tree->number + which + 1,
                                        (uint64_t)r.cut + 1, (uint64_t)(r.end - r.begin));
    return array_rows(kernel_table(ORTHANT_SINGLE), matrix_array(tree->points),
                      tree->order[r.begin + (int64_t)drawn], 1);
}

static void cut_range(projection_tree *tree, kdtree_range r)
{
    const kernels *ops = kernel_table(ORTHANT_SINGLE);
    const array points = matrix_array(tree->points);
    float line[PROJECTION_MOST] = {0}; /* the difference goes over the rows' padding too */
    const array direction = {line, 1, points.columns, points.stride};
    ops->copy_columns(direction, draw_point(tree, r, 0));
    ops->add(direction, -1, draw_point(tree, r, 1));
    ops->listed_dots(direction, points, tree->order + r.begin, r.end - r.begin,
                     tree->key + r.begin);
    select_rank(tree, r.begin, r.end, kdtree_middle(r), 0, key_of, swap_points);
}

static void cut_subtree(projection_tree *tree, kdtree_range r, int level)
{
    if (level == tree->levels)
        return;
    cut_range(tree, r);
    cut_subtree(tree, kdtree_lower(r), level + 1);
    cut_subtree(tree, kdtree_upper(r), level + 1);
}

static void cut_one(void *user, int64_t task, int thread)
{
    projection_tree *tree = user;
    (void)thread;
    cut_range(tree, kdtree_range_of(tree->points->rows, tree->level, task));
}

static void cut_all_below(void *user, int64_t task, int thread)
{
    projection_tree *tree = user;
    (void)thread;
    cut_subtree(tree, kdtree_range_of(tree->points->rows, tree->level, task), tree->level);
}

orthant_status projection_tree_begin(orthant_context *ctx, const orthant_matrix *points,
                                     int64_t most, projection_tree *tree)
{
    const int64_t n = points->rows;
    *tree = (projection_tree){.ctx = ctx, .points = points, .most = most};
    while (pieces(n, INT64_C(1) << tree->levels) > most)
        tree->levels++;
    tree->leaves = INT64_C(1) << tree->levels;
    tree->order = memory_new(ctx, n, sizeof *tree->order, "projection trees");
    tree->key = memory_new(ctx, n, sizeof *tree->key, "projection trees");
    for (int64_t i = 0; i < n && tree->order; i++)
        tree->order[i] = (int32_t)i;
    return tree->order && tree->key ? ORTHANT_OK : ORTHANT_ERROR_MEMORY;
}

void projection_tree_end(projection_tree *tree)
{
    memory_free(tree->ctx, tree->order);
    memory_free(tree->ctx, tree->key);
    tree->order = NULL;
    tree->key = NULL;
}

orthant_status projection_tree_grow(projection_tree *tree, uint64_t number, const search_step *at)
{
    orthant_status status = ORTHANT_OK;
    tree->number = number;
    for (tree->level = 0; tree->level < SUBTREES_FROM && tree->level < tree->levels && !status;
         tree->level++)
        status = search_run(tree->ctx, at, INT64_C(1) << tree->level, cut_one, tree);
    return status ? status
                  : search_run(tree->ctx, at, INT64_C(1) << tree->level, cut_all_below, tree);
}

void projection_tree_leaf(const projection_tree *tree, int64_t leaf, int64_t *begin, int64_t *end)
{
    const kdtree_range r = kdtree_range_of(tree->points->rows, tree->levels, leaf);
    *begin = r.begin;
    *end = r.end;
}
