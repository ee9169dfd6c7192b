/* Blocks of samples are compared with each other in rounds (tournament.h). Of two blocks the points
 * of lower_bounds.h give a candidate list, their codes shorten it, and the samples on it are
 * compared. First neighbours are guessed within each block, so that limits are tight early. */
#include "graph/pruning.h"

#include <math.h>
#include <stdlib.h>

#include "core/memory.h"
#include "core/parallel.h"
#include "graph/pairs.h"
#include "graph/rows.h"
#include "graph/tournament.h"

#define MOST_ORDERED 1024 /* blocks */

typedef struct neighbour {
    double distance;
    int32_t index;
} neighbour;

typedef struct search {
    pairs pairs; /* of the points */
    const orthant_matrix *samples;
    const lower_bounds *bounds;
    int64_t wanted;
    neighbour *heaps; /* n x wanted: the worst neighbour of a sample comes first */
    float *limits;    /* of each sample: pairs whose points are farther apart are pruned */
    float *squares;   /* of the points */
    float *residuals; /* lengths, the last coordinates of the points, scaled */
    float *distances; /* threads x block */
    int32_t *listed;  /* threads x 2 x block: candidates in a block, and how far their codes are */
    double rounding;  /* a sum of squares over the features is off by no more than this part */
    tournament tournament;
    bool guessing; /* the heaps hold what seems near by the points */
} search;

/* ---- the neighbours of a sample: a heap with the worst at the top ----
 *
 * Points, heaps and limits are numbered in the order of the points, neighbours as samples. */

static bool worse(neighbour a, neighbour b)
{
    return a.distance > b.distance || (a.distance >= b.distance && a.index > b.index);
}

/* The points of a neighbour at distance D are no farther apart than sqrt(D) and the slacks, and the
 * fast distance is off by no more than its error. Guesses are distances of points already. */
static void set_limit(search *s, int64_t i)
{
    const pairs *p = &s->pairs;
    const double worst = s->heaps[i * s->wanted].distance;
    const double reach = p->scale * (sqrt(worst) + s->bounds->slack[i] + s->bounds->most_slack);
    const double square = reach * reach;
    if (s->guessing)
        s->limits[i] = (float)worst;
    else
        s->limits[i] = isfinite(square)
                           ? nextafterf((float)(square + pairs_error(p, i, square)), INFINITY)
                           : INFINITY;
}

/* Sifts down from the hole. */
static void sink(neighbour *heap, int64_t count, int64_t hole, neighbour found)
{
    for (int64_t child; (child = 2 * hole + 1) < count; hole = child) {
        if (child + 1 < count && worse(heap[child + 1], heap[child]))
            child++;
        if (!worse(heap[child], found))
            break;
        heap[hole] = heap[child];
    }
    heap[hole] = found;
}

static void offer(search *s, int64_t i, neighbour found)
{
    neighbour *heap = s->heaps + i * s->wanted;
    if (!worse(heap[0], found))
        return;
    sink(heap, s->wanted, 0, found);
    set_limit(s, i);
}

static bool has(const search *s, int64_t i, int64_t j)
{
    for (int64_t c = 0; c < s->wanted; c++)
        if (s->heaps[i * s->wanted + c].index == s->bounds->order[j])
            return true;
    return false;
}

/* ---- two samples ---- */

/* Samples are asked for while the ones before them are compared. */
static void fetch(const search *s, int32_t sample)
{
    const kernels *ops = kernel_table(s->samples->precision);
    if (sample < INT32_MAX)
        ops->fetch(array_rows(ops, matrix_array(s->samples), sample, 1));
}

/* Offers each to the other, where they are not there already. Distances by kernels are off by
 * rounding, and prune; those of rows.h decide. */
static void compare(search *s, int64_t i, int64_t j)
{
    const kernels *ops = kernel_table(s->samples->precision);
    const array X = matrix_array(s->samples);
    const int32_t mine = s->bounds->order[i], theirs = s->bounds->order[j];
    const double my_worst = s->heaps[i * s->wanted].distance,
                 their_worst = s->heaps[j * s->wanted].distance;
    const double limit = my_worst > their_worst ? my_worst : their_worst;
    const bool here = has(s, i, j), there = has(s, j, i);
    if (here && there)
        return;
    if (ops->row_distance(array_rows(ops, X, mine, 1), array_rows(ops, X, theirs, 1)) >
        limit * (1 + s->rounding))
        return;
    const double distance = rows_distance(s->samples, mine, theirs, limit);
    if (!here)
        offer(s, i, (neighbour){distance, theirs});
    if (!there)
        offer(s, j, (neighbour){distance, mine});
}

/* ---- two blocks, or a block and itself ---- */

static int64_t keep_later(int64_t row, int64_t near, int32_t *candidates, float *distances)
{
    int64_t count = 0;
    for (int64_t c = 0; c < near; c++)
        if (candidates[c] > row) {
            candidates[count] = candidates[c];
            distances[count++] = distances[c];
        }
    return count;
}

/* Prunes the candidate list of sample i by the codes, which replace the lengths of the residuals in
 * the distance. Without a branch, which would be mispredicted. */
static int64_t prune_by_codes(const search *s, int64_t i, int64_t first, int64_t near,
                              int32_t *candidates, float *distances, int32_t *steps)
{
    const lower_bounds *bounds = s->bounds;
    const float *limits = s->limits + first, *residuals = s->residuals + first,
                *errors = bounds->code_error + first;
    const double mine = s->limits[i], my_residual = s->residuals[i],
                 my_error = bounds->code_error[i];
    const double step = s->pairs.scale * bounds->step;
    int64_t count = 0;
    s->pairs.ops->byte_distances(bounds->codes + i * BOUND_CODES,
                                 bounds->codes + first * BOUND_CODES, BOUND_CODES, candidates, near,
                                 steps);
    for (int64_t c = 0; c < near; c++) {
        const int32_t at = candidates[c];
        const double apart = sqrt((double)steps[c]) - (my_error + (double)errors[at]);
        const double coded = step * (apart > 0 ? apart : 0);
        const double residual = my_residual - (double)residuals[at];
        const double limit = mine > (double)limits[at] ? mine : (double)limits[at];
        const double distance = (double)distances[c] + (coded * coded - residual * residual);
        candidates[count] = at;
        distances[count] = (float)distance;
        count += distance <= limit;
    }
    return count;
}

static void compare_candidates(search *s, int64_t i, int64_t first, int64_t near,
                               const int32_t *candidates, const float *distances)
{
    for (int64_t c = 0; c < near; c++) {
        const double distance = (double)distances[c] * (1 - 0x1p-23); /* it was rounded */
        if (c + 1 < near)
            fetch(s, s->bounds->order[first + candidates[c + 1]]);
        if (distance <= (double)s->limits[i] ||
            distance <= (double)s->limits[first + candidates[c]])
            compare(s, i, first + candidates[c]);
    }
}

static void guess_candidates(search *s, int64_t i, int64_t first, int64_t near,
                             const int32_t *candidates, const float *distances)
{
    for (int64_t c = 0; c < near; c++) {
        offer(s, i, (neighbour){distances[c], s->bounds->order[first + candidates[c]]});
        offer(s, first + candidates[c], (neighbour){distances[c], s->bounds->order[i]});
    }
}

static void compare_blocks(search *s, int64_t block, int64_t other, int thread)
{
    const pairs *p = &s->pairs;
    float *distances = s->distances + thread * p->block;
    int32_t *candidates = s->listed + thread * 2 * p->block, *steps = candidates + p->block;
    const int64_t begin = pairs_first(p, block), first = pairs_first(p, other);
    pairs_prepare(p, block, other, thread);
    for (int64_t row = 0; row < pairs_count(p, block); row++) {
        const int64_t i = begin + row;
        int64_t near = pairs_near(p, block, row, other, thread, s->squares, s->limits[i], s->limits,
                                  candidates, distances);
        if (block == other)
            near = keep_later(row, near, candidates, distances);
        if (s->guessing) {
            guess_candidates(s, i, first, near, candidates, distances);
        } else {
            near = prune_by_codes(s, i, first, near, candidates, distances, steps);
            compare_candidates(s, i, first, near, candidates, distances);
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

/* ---- first limits: what is near in the own block ---- */

static void measure_guesses(void *user, int64_t block, int thread)
{
    search *s = user;
    const int64_t first = pairs_first(&s->pairs, block);
    const int64_t end = first + pairs_count(&s->pairs, block);
    (void)thread;
    for (int64_t i = first; i < end; i++) {
        neighbour *heap = s->heaps + i * s->wanted;
        for (int64_t c = 0; c < s->wanted; c++) {
            if (c + 1 < s->wanted || i + 1 < end)
                fetch(s, heap[c + 1].index);
            if (heap[c].index < INT32_MAX)
                heap[c].distance =
                    rows_distance(s->samples, s->bounds->order[i], heap[c].index, INFINITY);
        }
        for (int64_t c = s->wanted / 2 - 1; c >= 0; c--)
            sink(heap, s->wanted, c, heap[c]);
        set_limit(s, i);
    }
}

static void guess_neighbours(search *s)
{
    const pairs *p = &s->pairs;
    s->guessing = true;
    parallel_for_few(p->ctx, p->threads, p->blocks, compare_itself, s);
    s->guessing = false;
    parallel_for(p->ctx, p->blocks, measure_guesses, s);
}

/* ---- all of them ---- */

static int by_distance(const void *left, const void *right)
{
    const neighbour *a = left, *b = right;
    return worse(*a, *b) ? 1 : worse(*b, *a) ? -1 : 0;
}

static void list_block(void *user, int64_t block, int thread)
{
    search *s = user;
    const int64_t first = pairs_first(&s->pairs, block);
    (void)thread;
    for (int64_t i = first; i < first + pairs_count(&s->pairs, block); i++)
        qsort(s->heaps + i * s->wanted, (size_t)s->wanted, sizeof *s->heaps, by_distance);
}

static orthant_status new_scratch(search *s)
{
    orthant_context *ctx = s->pairs.ctx;
    const int64_t n = s->samples->rows, stride = s->bounds->points->stride;
    const float *points = s->bounds->points->values;
    s->heaps = memory_new(ctx, n * s->wanted, sizeof *s->heaps, "neighbours");
    s->limits = memory_new(ctx, n + PAIRS_TILE, sizeof *s->limits, "distances");
    s->squares = memory_new(ctx, n + PAIRS_TILE, sizeof *s->squares, "distances");
    s->residuals = memory_new(ctx, n, sizeof *s->residuals, "distances");
    s->listed =
        memory_new(ctx, s->pairs.threads * 2 * s->pairs.block, sizeof *s->listed, "distances");
    s->distances =
        memory_new(ctx, s->pairs.threads * s->pairs.block, sizeof *s->distances, "distances");
    if (!s->heaps || !s->limits || !s->squares || !s->residuals || !s->listed || !s->distances)
        return ORTHANT_ERROR_MEMORY;
    for (int64_t i = 0; i < n; i++) {
        s->squares[i] = (float)s->pairs.square[i];
        s->residuals[i] = (float)s->pairs.scale * points[i * stride + BOUND_COORDINATES - 1];
        s->limits[i] = INFINITY;
    }
    for (int64_t c = 0; c < n * s->wanted; c++)
        s->heaps[c] = (neighbour){INFINITY, INT32_MAX};
    return ORTHANT_OK;
}

/* Blocks whose means are near each other are compared first. The list of very many pairs of blocks
 * would take a large part of the memory of the samples. */
static orthant_status order_rounds(search *s)
{
    const pairs *p = &s->pairs;
    orthant_context *ctx = p->ctx;
    const kernels *ops = p->ops;
    const int64_t blocks = p->blocks, d = BOUND_COORDINATES;
    s->tournament = tournament_of(blocks);
    if (blocks > MOST_ORDERED)
        return ORTHANT_OK;
    double *means = memory_new(ctx, blocks * d, sizeof *means, "pairs of blocks");
    float *distances = memory_new(ctx, blocks * blocks / 2, sizeof *distances, "pairs of blocks");
    orthant_status status = means && distances ? ORTHANT_OK : ORTHANT_ERROR_MEMORY;
    for (int64_t i = 0, at = 0; i < blocks && !status; i++) {
        ops->column_sums(
            array_rows(ops, matrix_array(p->samples), pairs_first(p, i), pairs_count(p, i)),
            means + i * d);
        for (int64_t c = 0; c < d; c++)
            means[i * d + c] /= (double)pairs_count(p, i);
        for (int64_t j = 0; j < i; j++, at++)
            for (int64_t c = 0; c < d; c++) {
                const double apart = means[i * d + c] - means[j * d + c];
                distances[at] += (float)(apart * apart);
            }
    }
    if (!status)
        status = tournament_by_distance(ctx, blocks, distances, &s->tournament);
    memory_free(ctx, means);
    memory_free(ctx, distances);
    return status;
}

orthant_status pruned_neighbours(orthant_context *ctx, const orthant_matrix *samples,
                                 lower_bounds *bounds, int64_t count, const search_clock *clock,
                                 int32_t *nearest)
{
    search s = {.samples = samples, .bounds = bounds, .wanted = count};
    s.rounding =
        (double)(samples->columns + 8) * (samples->precision == ORTHANT_SINGLE ? 0x1p-24 : 0x1p-53);
    orthant_status status = lower_bounds_sort(bounds);
    if (!status)
        status =
            pairs_begin(ctx, bounds->points,
                        pairs_scratch_limit(samples, count * (int64_t)sizeof *s.heaps), &s.pairs);
    if (!status)
        status = new_scratch(&s);
    if (!status)
        status = order_rounds(&s);
    if (!status) {
        guess_neighbours(&s);
        status = tournament_run(ctx, s.pairs.threads, clock, &s.tournament, compare_itself,
                                compare_other, &s);
    }
    if (!status) {
        parallel_for(ctx, s.pairs.blocks, list_block, &s);
        for (int64_t i = 0; i < samples->rows; i++)
            for (int64_t c = 0; c < count; c++)
                nearest[bounds->order[i] * count + c] = s.heaps[i * count + c].index;
    }
    pairs_end(&s.pairs);
    tournament_free(ctx, &s.tournament);
    void *const owned[] = {s.heaps, s.limits, s.squares, s.residuals, s.listed, s.distances};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        memory_free(ctx, owned[i]);
    return status;
}
