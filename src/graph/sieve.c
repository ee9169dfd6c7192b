#include "graph/sieve.h"

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

typedef struct sieve {
    pairs pairs; /* of the outlines */
    const orthant_matrix *samples;
    const outline *o;
    int64_t wanted;
    neighbour *heaps; /* n x wanted: the worst neighbour of a sample comes first */
    float *limits;    /* of each sample: outlines farther apart than this do not matter */
    float *squares;   /* of the outlines */
    float *rests;     /* the outlines' last coordinates, scaled */
    float *distances; /* threads x block */
    int32_t *found;   /* threads x 2 x block: places in a block, and how far their details are */
    double rounding;  /* a sum of squares over the features is off by no more than this part */
    tournament tournament;
    bool guessing; /* the heaps hold what seems near by the outlines */
} sieve;

/* ---- the neighbours of a sample: a heap with the worst at the top ----
 *
 * Outlines, heaps and limits are numbered in the outlines' order, neighbours as samples. */

static bool worse(neighbour a, neighbour b)
{
    return a.distance > b.distance || (a.distance >= b.distance && a.index > b.index);
}

/* A neighbour at distance D is no farther than sqrt(D) and the slacks in the outlines, and the fast
 * distance no farther from that than its error. Guesses are distances of outlines already. */
static void set_limit(sieve *s, int64_t i)
{
    const pairs *p = &s->pairs;
    const double worst = s->heaps[i * s->wanted].distance;
    const double reach = p->scale * (sqrt(worst) + s->o->slack[i] + s->o->most_slack);
    const double square = reach * reach;
    if (s->guessing)
        s->limits[i] = (float)worst;
    else
        s->limits[i] = isfinite(square)
                           ? nextafterf((float)(square + pairs_error(p, i, square)), INFINITY)
                           : INFINITY;
}

/* Moves what is at the hole down to its place. */
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

static void offer(sieve *s, int64_t i, neighbour found)
{
    neighbour *heap = s->heaps + i * s->wanted;
    if (!worse(heap[0], found))
        return;
    sink(heap, s->wanted, 0, found);
    set_limit(s, i);
}

static bool has(const sieve *s, int64_t i, int64_t j)
{
    for (int64_t c = 0; c < s->wanted; c++)
        if (s->heaps[i * s->wanted + c].index == s->o->order[j])
            return true;
    return false;
}

/* ---- two samples ---- */

/* Samples are asked for while the ones before them are compared. */
static void fetch(const sieve *s, int32_t sample)
{
    const kernels *ops = kernel_table(s->samples->precision);
    if (sample < INT32_MAX)
        ops->fetch(array_rows(ops, matrix_array(s->samples), sample, 1));
}

/* Offers each to the other, where they are not there already. Distances by kernels are off by
 * rounding, and rule out; those of rows.h decide. */
static void compare(sieve *s, int64_t i, int64_t j)
{
    const kernels *ops = kernel_table(s->samples->precision);
    const array X = matrix_array(s->samples);
    const int32_t mine = s->o->order[i], theirs = s->o->order[j];
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

static int64_t later_ones(int64_t row, int64_t near, int32_t *found, float *distances)
{
    int64_t count = 0;
    for (int64_t c = 0; c < near; c++)
        if (found[c] > row) {
            found[count] = found[c];
            distances[count++] = distances[c];
        }
    return count;
}

/* Of samples near sample i by their outlines leaves those that are near by their details too: with
 * these in place of the rests in the distance. Without a jump, which no one could foretell. */
static int64_t look_closer(const sieve *s, int64_t i, int64_t first, int64_t near, int32_t *found,
                           float *distances, int32_t *steps)
{
    const outline *o = s->o;
    const float *limits = s->limits + first, *rests = s->rests + first, *blur = o->blur + first;
    const double mine = s->limits[i], my_rest = s->rests[i], my_blur = o->blur[i];
    const double step = s->pairs.scale * o->step;
    int64_t count = 0;
    s->pairs.ops->byte_distances(o->details + i * OUTLINE_DETAILS,
                                 o->details + first * OUTLINE_DETAILS, OUTLINE_DETAILS, found, near,
                                 steps);
    for (int64_t c = 0; c < near; c++) {
        const int32_t place = found[c];
        const double apart = sqrt((double)steps[c]) - (my_blur + (double)blur[place]);
        const double details = step * (apart > 0 ? apart : 0);
        const double rest = my_rest - (double)rests[place];
        const double limit = mine > (double)limits[place] ? mine : (double)limits[place];
        const double distance = (double)distances[c] + (details * details - rest * rest);
        found[count] = place;
        distances[count] = (float)distance;
        count += distance <= limit;
    }
    return count;
}

static void compare_all(sieve *s, int64_t i, int64_t first, int64_t near, const int32_t *found,
                        const float *distances)
{
    for (int64_t c = 0; c < near; c++) {
        const double distance = (double)distances[c] * (1 - 0x1p-23); /* it was rounded */
        if (c + 1 < near)
            fetch(s, s->o->order[first + found[c + 1]]);
        if (distance <= (double)s->limits[i] || distance <= (double)s->limits[first + found[c]])
            compare(s, i, first + found[c]);
    }
}

static void guess_all(sieve *s, int64_t i, int64_t first, int64_t near, const int32_t *found,
                      const float *distances)
{
    for (int64_t c = 0; c < near; c++) {
        offer(s, i, (neighbour){distances[c], s->o->order[first + found[c]]});
        offer(s, first + found[c], (neighbour){distances[c], s->o->order[i]});
    }
}

static void meet(sieve *s, int64_t block, int64_t other, int thread)
{
    const pairs *p = &s->pairs;
    float *distances = s->distances + thread * p->block;
    int32_t *found = s->found + thread * 2 * p->block, *steps = found + p->block;
    const int64_t begin = pairs_first(p, block), first = pairs_first(p, other);
    pairs_prepare(p, block, other, thread);
    for (int64_t row = 0; row < pairs_count(p, block); row++) {
        const int64_t i = begin + row;
        int64_t near = pairs_near(p, block, row, other, thread, s->squares, s->limits[i], s->limits,
                                  found, distances);
        if (block == other)
            near = later_ones(row, near, found, distances);
        if (s->guessing) {
            guess_all(s, i, first, near, found, distances);
        } else {
            near = look_closer(s, i, first, near, found, distances, steps);
            compare_all(s, i, first, near, found, distances);
        }
    }
}

static void meet_itself(void *user, int64_t block, int thread)
{
    meet(user, block, block, thread);
}

static void meet_other(void *user, int64_t task, int thread)
{
    sieve *s = user;
    int64_t block, other;
    if (tournament_meet(&s->tournament, task, &block, &other))
        meet(s, block, other, thread);
}

/* ---- first limits: what is near in the own block ---- */

static void settle_block(void *user, int64_t block, int thread)
{
    sieve *s = user;
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
                    rows_distance(s->samples, s->o->order[i], heap[c].index, INFINITY);
        }
        for (int64_t c = s->wanted / 2 - 1; c >= 0; c--)
            sink(heap, s->wanted, c, heap[c]);
        set_limit(s, i);
    }
}

static void guess_neighbours(sieve *s)
{
    const pairs *p = &s->pairs;
    s->guessing = true;
    parallel_for_few(p->ctx, p->threads, p->blocks, meet_itself, s);
    s->guessing = false;
    parallel_for(p->ctx, p->blocks, settle_block, s);
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
    const int64_t n = s->samples->rows, stride = s->o->points->stride;
    const float *points = s->o->points->values;
    s->heaps = memory_new(ctx, n * s->wanted, sizeof *s->heaps, "neighbours");
    s->limits = memory_new(ctx, n + PAIRS_TILE, sizeof *s->limits, "distances");
    s->squares = memory_new(ctx, n + PAIRS_TILE, sizeof *s->squares, "distances");
    s->rests = memory_new(ctx, n, sizeof *s->rests, "distances");
    s->found =
        memory_new(ctx, s->pairs.threads * 2 * s->pairs.block, sizeof *s->found, "distances");
    s->distances =
        memory_new(ctx, s->pairs.threads * s->pairs.block, sizeof *s->distances, "distances");
    if (!s->heaps || !s->limits || !s->squares || !s->rests || !s->found || !s->distances)
        return ORTHANT_ERROR_MEMORY;
    for (int64_t i = 0; i < n; i++) {
        s->squares[i] = (float)s->pairs.square[i];
        s->rests[i] = (float)s->pairs.scale * points[i * stride + OUTLINE_COORDINATES - 1];
        s->limits[i] = INFINITY;
    }
    for (int64_t c = 0; c < n * s->wanted; c++)
        s->heaps[c] = (neighbour){INFINITY, INT32_MAX};
    return ORTHANT_OK;
}

/* Blocks whose outlines' means are near each other meet first. The list of very many pairs would
 * take more than a part of the samples. */
static orthant_status order_meetings(sieve *s)
{
    const pairs *p = &s->pairs;
    orthant_context *ctx = p->ctx;
    const kernels *ops = p->ops;
    const int64_t blocks = p->blocks, d = OUTLINE_COORDINATES;
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
                const double way = means[i * d + c] - means[j * d + c];
                distances[at] += (float)(way * way);
            }
    }
    if (!status)
        status = tournament_by_distance(ctx, blocks, distances, &s->tournament);
    memory_free(ctx, means);
    memory_free(ctx, distances);
    return status;
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
        status = order_meetings(&s);
    if (!status) {
        guess_neighbours(&s);
        status = tournament_run(ctx, s.pairs.threads, &s.tournament, meet_itself, meet_other, &s);
    }
    if (!status) {
        parallel_for(ctx, s.pairs.blocks, list_block, &s);
        for (int64_t i = 0; i < samples->rows; i++)
            for (int64_t c = 0; c < count; c++)
                nearest[o->order[i] * count + c] = s.heaps[i * count + c].index;
    }
    pairs_end(&s.pairs);
    tournament_free(ctx, &s.tournament);
    void *const owned[] = {s.heaps, s.limits, s.squares, s.rests, s.found, s.distances};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        memory_free(ctx, owned[i]);
    return status;
}
