#include "graph/sieve.h"

#include <math.h>
#include <stdlib.h>

#include "core/memory.h"
#include "core/parallel.h"
#include "graph/pairs.h"
#include "graph/rows.h"
#include "graph/tournament.h"

#define STEP 16 /* distances that are looked at together */

typedef struct neighbour {
    double distance;
    int32_t index;
} neighbour;

typedef struct sieve {
    pairs pairs; /* of the outlines */
    const orthant_matrix *samples;
    const outline *o;
    int64_t wanted;
    neighbour *heaps; /* n x wanted: the worst neighbour of a sample comes first */
    float *limits;    /* of each sample: outlines farther apart than this do not matter */
    float *distances; /* threads x block */
    double rounding;  /* a sum of squares over the features is off by no more than this part */
    int64_t round;
} sieve;

/* ---- the neighbours of a sample: a heap with the worst at the top ----
 *
 * Outlines, heaps and limits are numbered in the outlines' order, neighbours as samples. */

static bool worse(neighbour a, neighbour b)
{
    return a.distance > b.distance || (a.distance >= b.distance && a.index > b.index);
}

/* A neighbour at distance D is no farther than sqrt(D) and the slacks in the outlines, and the fast
 * distance no farther from that than its error. */
static void set_limit(sieve *s, int64_t i)
{
    const pairs *p = &s->pairs;
    const double worst = s->heaps[i * s->wanted].distance;
    const double reach = p->scale * (sqrt(worst) + s->o->slack[i] + s->o->most_slack);
    const double square = reach * reach;
    s->limits[i] = isfinite(square)
                       ? nextafterf((float)(square + pairs_error(p, i, square)), INFINITY)
                       : INFINITY;
}

static void offer(sieve *s, int64_t i, neighbour found)
{
    neighbour *heap = s->heaps + i * s->wanted;
    if (!worse(heap[0], found))
        return;
    int64_t hole = 0;
    for (int64_t child; (child = 2 * hole + 1) < s->wanted; hole = child) {
        if (child + 1 < s->wanted && worse(heap[child + 1], heap[child]))
            child++;
        if (!worse(heap[child], found))
            break;
        heap[hole] = heap[child];
    }
    heap[hole] = found;
    set_limit(s, i);
}

static bool has(const sieve *s, int64_t i, int64_t j)
{
    for (int64_t c = 0; c < s->wanted; c++)
        if (s->heaps[i * s->wanted + c].index == s->o->order[j])
            return true;
    return false;
}

/* What no neighbour that either of the two would take is beyond. */
static double worst_of(const sieve *s, int64_t i, int64_t j)
{
    const double mine = s->heaps[i * s->wanted].distance, theirs = s->heaps[j * s->wanted].distance;
    return mine > theirs ? mine : theirs;
}

/* Offers each to the other, or to one of them. Distances by kernels are off by rounding, and rule
 * out; those of rows.h decide. */
static void compare(sieve *s, int64_t i, int64_t j, bool to_first, bool to_second)
{
    const kernels *k = kernel_table(s->samples->precision);
    const array X = matrix_array(s->samples);
    const int32_t mine = s->o->order[i], theirs = s->o->order[j];
    const double limit = worst_of(s, i, j);
    if (k->row_distance(array_rows(k, X, mine, 1), array_rows(k, X, theirs, 1)) >
        limit * (1 + s->rounding))
        return;
    const double distance = rows_distance(s->samples, mine, theirs, limit);
    if (to_first)
        offer(s, i, (neighbour){distance, theirs});
    if (to_second)
        offer(s, j, (neighbour){distance, mine});
}

/* ---- a block with itself: the first neighbours of its samples ---- */

/* The samples whose outlines are nearest, of the block's: a start that makes the limits tight. */
static void begin_sample(sieve *s, int64_t first, int64_t row, int64_t count,
                         const float *distances)
{
    neighbour *heap = s->heaps + (first + row) * s->wanted;
    int64_t found = 0;
    for (int64_t j = 0; j < count; j++) {
        if (j == row || (found == s->wanted && distances[j] >= heap[found - 1].distance))
            continue;
        int64_t place = found < s->wanted ? found++ : found - 1;
        for (; place > 0 && heap[place - 1].distance > distances[j]; place--)
            heap[place] = heap[place - 1];
        heap[place] = (neighbour){distances[j], s->o->order[first + j]};
    }
    for (int64_t c = 0; c < found; c++)
        heap[c].distance =
            rows_distance(s->samples, s->o->order[first + row], heap[c].index, INFINITY);
    for (int64_t c = 1; c < found; c++) /* worst first makes a heap */
        for (int64_t at = c; at > 0 && worse(heap[at], heap[at - 1]); at--) {
            const neighbour better = heap[at - 1];
            heap[at - 1] = heap[at];
            heap[at] = better;
        }
    /* Too few: the places that are left are the worst. */
    for (int64_t c = s->wanted - 1; c >= 0 && found < s->wanted; c--)
        heap[c] = c >= s->wanted - found ? heap[c - (s->wanted - found)]
                                         : (neighbour){INFINITY, INT32_MAX};
    set_limit(s, first + row);
}

static void meet_itself(void *user, int64_t block, int thread)
{
    sieve *s = user;
    const pairs *p = &s->pairs;
    const int64_t first = pairs_first(p, block), count = pairs_count(p, block);
    float *distances = s->distances + thread * p->block;
    pairs_prepare(p, block, block, thread);
    for (int64_t i = 0; i < count; i++) {
        pairs_distances(p, block, i, block, thread, distances);
        begin_sample(s, first, i, count, distances);
    }
    for (int64_t i = 0; i < count; i++) {
        pairs_distances(p, block, i, block, thread, distances);
        for (int64_t j = i + 1; j < count; j++) {
            const int64_t a = first + i, b = first + j;
            if (distances[j] > s->limits[a] && distances[j] > s->limits[b])
                continue;
            const bool here = has(s, a, b), there = has(s, b, a);
            if (!here || !there)
                compare(s, a, b, !here, !there);
        }
    }
}

/* ---- a block with another ---- */

/* Whether one of some distances is within a limit of either side. */
static bool some_near(const float *distances, float mine, const float *theirs, int64_t count)
{
    int near = 0;
    if (count == STEP)
        for (int64_t j = 0; j < STEP; j++) /* of a constant length: by vectors */
            near |= (distances[j] <= mine) | (distances[j] <= theirs[j]);
    else
        for (int64_t j = 0; j < count; j++)
            near |= (distances[j] <= mine) | (distances[j] <= theirs[j]);
    return near != 0;
}

static void meet_other(void *user, int64_t task, int thread)
{
    sieve *s = user;
    const pairs *p = &s->pairs;
    int64_t block, other;
    if (!tournament_pair(p->blocks, s->round, task, &block, &other))
        return;
    float *distances = s->distances + thread * p->block;
    const int64_t rows = pairs_count(p, block), columns = pairs_count(p, other);
    const int64_t first_row = pairs_first(p, block), first_column = pairs_first(p, other);
    const float *theirs = s->limits + first_column;
    pairs_prepare(p, block, other, thread);
    for (int64_t i = 0; i < rows; i++) {
        const float *mine = s->limits + first_row + i;
        pairs_distances(p, block, i, other, thread, distances);
        for (int64_t first = 0; first < columns; first += STEP) {
            const int64_t end = columns - first < STEP ? columns : first + STEP;
            if (!some_near(distances + first, *mine, theirs + first, end - first))
                continue;
            for (int64_t j = first; j < end; j++)
                if (distances[j] <= *mine || distances[j] <= theirs[j])
                    compare(s, first_row + i, first_column + j, true, true);
        }
    }
}

/* ---- all of them ---- */

static int by_distance(const void *left, const void *right)
{
    const neighbour *a = left, *b = right;
    return worse(*a, *b) ? 1 : worse(*b, *a) ? -1 : 0;
}

static void list_block(void *user, int64_t block, int thread)
{
    sieve *s = user;
    const int64_t first = pairs_first(&s->pairs, block);
    (void)thread;
    for (int64_t i = first; i < first + pairs_count(&s->pairs, block); i++)
        qsort(s->heaps + i * s->wanted, (size_t)s->wanted, sizeof *s->heaps, by_distance);
}

static orthant_status make_room(sieve *s)
{
    orthant_context *ctx = s->pairs.ctx;
    const int64_t n = s->samples->rows;
    s->heaps = memory_new(ctx, n * s->wanted, sizeof *s->heaps, "neighbours");
    s->limits = memory_new(ctx, n, sizeof *s->limits, "distances");
    s->distances =
        memory_new(ctx, s->pairs.threads * s->pairs.block, sizeof *s->distances, "distances");
    return s->heaps && s->limits && s->distances ? ORTHANT_OK : ORTHANT_ERROR_MEMORY;
}

orthant_status sieve_neighbours(orthant_context *ctx, const orthant_matrix *samples, outline *o,
                                int64_t count, int32_t *nearest)
{
    sieve s = {.samples = samples, .o = o, .wanted = count};
    s.rounding =
        (double)(samples->columns + 8) * (samples->precision == ORTHANT_SINGLE ? 0x1p-24 : 0x1p-53);
    orthant_status status = outline_arrange(o);
    if (!status)
        status = pairs_begin(ctx, o->points, pairs_room(samples, count * (int64_t)sizeof *s.heaps),
                             &s.pairs);
    if (!status)
        status = make_room(&s);
    if (!status)
        status = tournament_run(ctx, s.pairs.threads, s.pairs.blocks, &s.round, meet_itself,
                                meet_other, &s);
    if (!status) {
        parallel_for(ctx, s.pairs.blocks, list_block, &s);
        for (int64_t i = 0; i < samples->rows; i++)
            for (int64_t c = 0; c < count; c++)
                nearest[o->order[i] * count + c] = s.heaps[i * count + c].index;
    }
    pairs_end(&s.pairs);
    void *const owned[] = {s.heaps, s.limits, s.distances};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        memory_free(ctx, owned[i]);
    return status;
}
