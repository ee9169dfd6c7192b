/* Exact k nearest neighbours. Where lower bounds from a few coordinates of the samples prune most
 * pairs, by pruning (pruning.h). Otherwise in two steps: fast distances (pairs.h) of all pairs,
 * each computed once, leave a list of a few candidates more than k for each sample. Then the
 * candidates' distances are computed again from the samples in double and decide. Where the bound
 * on the fast distances cannot rule out a sample that was not kept (duplicates, ties, samples
 * nearer to each other than rounding shows), the sample is compared with all others. */
#include "graph/neighbours.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/device_search.h"
#include "core/memory.h"
#include "core/parallel.h"
#include "graph/approximate.h"
#include "graph/kdtree.h"
#include "graph/pairs.h"
#include "graph/rows.h"
#include "graph/pruning.h"
#include "graph/tournament.h"

#define BOUNDS_SHARE 100    /* searches that take as long as their bounds */
#define LARGEST 1e150       /* entry whose square does not overflow */
#define FEWEST_IN_TREE 2000 /* samples: below, products take no time */
#define FEWEST_ON_DEVICE 1000
#define MOST_PRUNED 32 /* neighbours: with more, limits are too wide to prune much */

typedef struct candidate {
    float distance;
    int32_t index;
} candidate;

typedef struct exact_candidate {
    double distance;
    int32_t index;
} exact_candidate;

typedef struct search {
    pairs pairs;
    int64_t wanted, kept;      /* neighbours, and candidates of a sample */
    candidate *heaps;          /* n x kept: the worst candidate of a sample comes first */
    float *distances, *limits; /* threads x block */
    exact_candidate *exact;    /* threads x kept */
    tournament tournament;
    int32_t *nearest; /* n x wanted */
} search;

/* ---- the candidates of a sample: a heap with the worst at the top ---- */

static bool worse(candidate a, candidate b)
{
    return a.distance > b.distance || (a.distance >= b.distance && a.index > b.index);
}

static void offer(candidate *heap, int64_t count, candidate found)
{
    if (!worse(heap[0], found))
        return;
    int64_t hole = 0;
    for (int64_t child; (child = 2 * hole + 1) < count; hole = child) {
        if (child + 1 < count && worse(heap[child + 1], heap[child]))
            child++;
        if (!worse(heap[child], found))
            break;
        heap[hole] = heap[child];
    }
    heap[hole] = found;
}

/* ---- fast distances of all pairs ---- */

/* Offers each sample of one block to each of the other, both ways; a pair of a block with itself
 * comes once. */
static void compare_blocks(search *s, int64_t block, int64_t other, int thread)
{
    const pairs *p = &s->pairs;
    float *distances = s->distances + thread * p->block, *limits = s->limits + thread * p->block;
    const int64_t rows = pairs_count(p, block), columns = pairs_count(p, other);
    const int64_t first_row = pairs_first(p, block), first_column = pairs_first(p, other);
    pairs_prepare(p, block, other, thread);
    for (int64_t j = 0; j < columns; j++)
        limits[j] = s->heaps[(first_column + j) * s->kept].distance;
    for (int64_t i = 0; i < rows; i++) {
        candidate *mine = s->heaps + (first_row + i) * s->kept;
        pairs_distances(p, block, i, other, thread, distances);
        for (int64_t j = block == other ? i + 1 : 0; j < columns; j++) {
            const float distance = distances[j];
            if (distance <= mine->distance)
                offer(mine, s->kept, (candidate){distance, (int32_t)(first_column + j)});
            if (distance <= limits[j]) {
                candidate *theirs = s->heaps + (first_column + j) * s->kept;
                offer(theirs, s->kept, (candidate){distance, (int32_t)(first_row + i)});
                limits[j] = theirs->distance;
            }
        }
    }
}

static void compare_itself(void *user, int64_t block, int thread)
{
    compare_blocks(user, block, block, thread);
}

static void compare_other(void *user, int64_t task, int thread)
{
    search *s = user;
    int64_t block, other;
    if (tournament_task(&s->tournament, task, &block, &other))
        compare_blocks(s, block, other, thread);
}

/* ---- exact distances decide ---- */

static int by_distance(const void *left, const void *right)
{
    const exact_candidate *a = left, *b = right;
    if (a->distance < b->distance || a->distance > b->distance)
        return a->distance < b->distance ? -1 : 1;
    return a->index < b->index ? -1 : a->index > b->index;
}

/* Compares sample i with all others in order; `limit` is no smaller than the last neighbour's
 * distance. */
static void search_all(const search *s, int64_t i, double limit, exact_candidate *list)
{
    const orthant_matrix *samples = s->pairs.samples;
    int64_t count = 0;
    for (int64_t j = 0; j < samples->rows; j++) {
        if (count == s->wanted && limit <= 0.0)
            break;
        const double distance = j == i ? INFINITY : rows_distance(samples, i, j, limit);
        /* Of equals the earlier ones stay. */
        if (distance > limit || (count == s->wanted && distance >= limit))
            continue;
        int64_t at = count < s->wanted ? count++ : count - 1;
        for (; at > 0 && list[at - 1].distance > distance; at--)
            list[at] = list[at - 1];
        list[at] = (exact_candidate){distance, (int32_t)j};
        if (count == s->wanted)
            limit = list[count - 1].distance;
    }
}

static void decide_block(void *user, int64_t block, int thread)
{
    const search *s = user;
    const pairs *p = &s->pairs;
    exact_candidate *list = s->exact + thread * s->kept;
    const int64_t first = pairs_first(p, block), end = first + pairs_count(p, block);
    for (int64_t i = first; i < end; i++) {
        const candidate *heap = s->heaps + i * s->kept;
        for (int64_t c = 0; c < s->kept; c++)
            list[c] = (exact_candidate){rows_distance(p->samples, i, heap[c].index, INFINITY),
                                        heap[c].index};
        qsort(list, (size_t)s->kept, sizeof *list, by_distance);
        const double last = list[s->wanted - 1].distance, scaled = last * p->scale * p->scale;
        const bool complete = s->kept == p->samples->rows - 1;
        if (!p->exact && !complete &&
            !((double)heap[0].distance > scaled + pairs_error(p, i, scaled)))
            search_all(s, i, last, list);
        for (int64_t c = 0; c < s->wanted; c++)
            s->nearest[i * s->wanted + c] = list[c].index;
    }
}

static orthant_status new_scratch(search *s)
{
    orthant_context *ctx = s->pairs.ctx;
    const int64_t n = s->pairs.samples->rows, threads = s->pairs.threads, block = s->pairs.block;
    int64_t candidates;
    if (!size_multiply(n, s->kept, &candidates))
        return fail(ctx, ORTHANT_ERROR_MEMORY,
                    "out of memory: the candidates of all samples do not fit");
    s->heaps = memory_new(ctx, candidates, sizeof *s->heaps, "candidates for neighbours");
    s->distances = memory_new(ctx, threads * block, sizeof *s->distances, "distances");
    s->limits = memory_new(ctx, threads * block, sizeof *s->limits, "distances");
    s->exact = memory_new(ctx, threads * s->kept, sizeof *s->exact, "exact distances");
    if (!s->heaps || !s->distances || !s->limits || !s->exact)
        return ORTHANT_ERROR_MEMORY;
    for (int64_t c = 0; c < candidates; c++)
        s->heaps[c] = (candidate){INFINITY, INT32_MAX};
    return ORTHANT_OK;
}

static orthant_status search_products(orthant_context *ctx, const orthant_matrix *samples,
                                      int64_t count, const search_clock *clock, int32_t *nearest)
{
    search s = {.wanted = count, .kept = count + count / 4 + 5, .nearest = nearest};
    if (s.kept > samples->rows - 1)
        s.kept = samples->rows - 1;
    orthant_status status = pairs_begin(
        ctx, samples, pairs_scratch_limit(samples, s.kept * (int64_t)sizeof *s.heaps), &s.pairs);
    if (status == ORTHANT_OK)
        status = new_scratch(&s);
    s.tournament = tournament_of(s.pairs.blocks);
    if (status == ORTHANT_OK)
        status = tournament_run(ctx, s.pairs.threads, clock, &s.tournament, compare_itself,
                                compare_other, &s);
    if (status == ORTHANT_OK)
        parallel_for_few(ctx, s.pairs.threads, s.pairs.blocks, decide_block, &s);
    pairs_end(&s.pairs);
    memory_free(ctx, s.heaps);
    memory_free(ctx, s.distances);
    memory_free(ctx, s.limits);
    memory_free(ctx, s.exact);
    return status;
}

static orthant_status search_exact(orthant_context *ctx, const orthant_matrix *samples,
                                   int64_t count, const search_clock *clock, int32_t *nearest)
{
    lower_bounds bounds = {.ctx = ctx};
    const search_step first = {clock, 0, BOUNDS_SHARE, true};
    bool prune = false;
    orthant_status status = ORTHANT_OK;
    if (count <= MOST_PRUNED && lower_bounds_suit(samples))
        status = lower_bounds_make(ctx, samples, true, &first, &bounds);
    if (status == ORTHANT_OK && bounds.points)
        status = lower_bounds_prune(&bounds, samples, count, &prune);
    if (status == ORTHANT_OK && prune)
        status = pruned_neighbours(ctx, samples, &bounds, count, clock, nearest);
    lower_bounds_free(&bounds);
    return status == ORTHANT_OK && !prune ? search_products(ctx, samples, count, clock, nearest)
                                          : status;
}

/* Few features, and no squares that overflow. */
static bool tree_suits(const orthant_matrix *samples, int64_t count)
{
    return !samples->sparse && samples->columns <= KDTREE_MOST_AXES &&
           samples->rows >= FEWEST_IN_TREE && count <= MOST_PRUNED &&
           matrix_largest(samples) < LARGEST;
}

static bool approximate_suits(const orthant_matrix *samples, int64_t count)
{
    const double largest = matrix_largest(samples);
    return count <= APPROXIMATE_MOST && largest > 1e-12 && largest < 1e12;
}

/* ---- on a device ---- */

/* Samples whose products take the host long enough, and of a size that single precision holds. */
static bool device_suits(const orthant_context *ctx, const orthant_matrix *samples, int64_t count,
                         orthant_search kind)
{
    return ctx->device_search && kind != ORTHANT_SEARCH_APPROXIMATE &&
           count <= ctx->device_search->most_neighbours && samples->rows >= FEWEST_ON_DEVICE &&
           approximate_suits(samples, 1);
}

/* The same neighbours as the host's. A device that cannot, for want of memory or by a fault, leaves
 * them to the host. */
static orthant_status search_on_device(orthant_context *ctx, const orthant_matrix *samples,
                                       int64_t count, const search_clock *clock, int32_t *nearest,
                                       bool *found)
{
    char reason[DEVICE_MESSAGE] = "";
    device_points points;
    *found = false;
    orthant_status status = search_tell(ctx, clock, 0, 1, true);
    if (status || !matrix_device_points(samples, &points))
        return status;
    *found = ctx->device_search->neighbours(ctx->device_number, &points, count, nearest, reason);
    if (!*found)
        log_note(ctx, "the neighbours are searched for on the CPU, as the device '%s' cannot: %s",
                 ctx->device_name, reason);
    return *found ? search_tell(ctx, clock, 1, 1, true) : ORTHANT_OK;
}

/* By the kd-tree, unless it prunes little. */
static orthant_status search_tree(orthant_context *ctx, const orthant_matrix *samples,
                                  int64_t count, bool exact, const search_clock *clock,
                                  int32_t *nearest, bool *found)
{
    kdtree tree = {.ctx = ctx};
    *found = false;
    orthant_status status = kdtree_of_samples(ctx, samples, &tree);
    tree.slack = exact ? 1 : KDTREE_APPROXIMATE;
    if (!status)
        status = kdtree_prunes(&tree, count, found);
    if (!status && *found)
        status = kdtree_neighbours(&tree, count, clock, nearest);
    kdtree_free(&tree);
    return status;
}

orthant_status neighbours_find(orthant_context *ctx, const orthant_matrix *samples, int64_t count,
                               orthant_search kind, const search_clock *clock, int32_t *nearest)
{
    bool found = false;
    if (tree_suits(samples, count)) {
        const orthant_status status = search_tree(
            ctx, samples, count, kind != ORTHANT_SEARCH_APPROXIMATE, clock, nearest, &found);
        if (status || found)
            return status;
    }
    if (device_suits(ctx, samples, count, kind)) {
        const orthant_status status = search_on_device(ctx, samples, count, clock, nearest, &found);
        if (status || found)
            return status;
    }
    if (kind == ORTHANT_SEARCH_EXACT ||
        (kind == ORTHANT_SEARCH_AUTO && samples->rows <= NEIGHBOURS_MOST_EXACT) ||
        !approximate_suits(samples, count))
        return search_exact(ctx, samples, count, clock, nearest);
    if (kind == ORTHANT_SEARCH_AUTO)
        log_note(ctx,
                 "%" PRId64 " samples: the search for their neighbours is approximate; search "
                 "exact takes longer and misses none",
                 samples->rows);
    return approximate_neighbours(ctx, samples, count, clock, nearest);
}
