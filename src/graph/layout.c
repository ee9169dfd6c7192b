/* Weights of the edges, and rounds of attraction and repulsion. */
#include "graph/layout.h"

#include <math.h>

#include "core/memory.h"
#include "core/parallel.h"
#include "core/random.h"
#include "graph/joins.h"
#include "graph/neighbours.h"
#include "graph/rows.h"

#define ROUNDS 300
#define REPELLING 8 /* points, drawn in each round */
#define REPULSION \
    2.5f          /* beside attraction: of UMAP, which draws 5 for an edge that moves both ends */
#define STEP 0.4f /* of the first round; attraction alone is stable below 0.5 */
#define MOMENTUM 0.7f
#define MOST_FORCE 4.0f /* of a point that repels */
#define START_SPREAD 5.0
#define BLOCK 1024 /* points of a task */
#define WIDTH_STEPS 60
#define ENOUGH 1e-5 /* by which weights may miss their sum, as in UMAP */

typedef struct layout {
    orthant_context *ctx;
    const orthant_matrix *points;
    int64_t n, neighbours;
    uint64_t seed;
    int32_t *nearest; /* n x neighbours, by the points' own numbers */
    joins edges;
    float *weight;         /* of each edge; divided by the sum of its point's */
    double *first, *width; /* of each point: the distance of its nearest, and s */
    int64_t *order, *rank; /* the point at each position, and the position of each point */
    float *from, *to;      /* (n + BLOCK) x 2 places by position, before and after a round; behind
                              the n-th the first follow again */
    float *speed;          /* n x 2 */
    int64_t shift[REPELLING];
    int64_t every, first_edge; /* of a point, that it feels in the round */
    float step;
} layout;

static int64_t block_end(const layout *l, int64_t block)
{
    const int64_t end = (block + 1) * BLOCK;
    return end < l->n ? end : l->n;
}

static int64_t blocks(const layout *l)
{
    return (l->n + BLOCK - 1) / BLOCK;
}

/* ---- weights ----------------------------------------------------------------------------------
 */

static double edge_distance(const layout *l, int64_t i, int64_t j)
{
    return sqrt(rows_distance(l->points, i, j, INFINITY));
}

/* The width at which the weights of a point's neighbours sum to log2 of their number. */
static void find_width(void *user, int64_t block, int thread)
{
    const layout *l = user;
    double distance[LAYOUT_NEIGHBOURS];
    (void)thread;
    for (int64_t i = block * BLOCK; i < block_end(l, block); i++) {
        const double wanted = log2((double)l->neighbours);
        double low = 0, high = INFINITY, width = 1;
        for (int64_t k = 0; k < l->neighbours; k++)
            distance[k] = edge_distance(l, i, l->nearest[i * l->neighbours + k]);
        for (int s = 0; s < WIDTH_STEPS; s++) {
            double sum = 0;
            for (int64_t k = 0; k < l->neighbours; k++)
                sum += exp(-(distance[k] - distance[0]) / width);
            if (fabs(sum - wanted) < ENOUGH)
                break;
            *(sum > wanted ? &high : &low) = width;
            width = isinf(high) ? 2 * width : (low + high) / 2;
        }
        l->first[i] = distance[0];
        l->width[i] = width;
    }
}

static double seen_from(const layout *l, int64_t i, double distance)
{
    const double beyond = distance - l->first[i];
    return beyond <= 0 ? 1 : exp(-beyond / l->width[i]);
}

static void weigh_edges(void *user, int64_t block, int thread)
{
    const layout *l = user;
    (void)thread;
    for (int64_t i = block * BLOCK; i < block_end(l, block); i++) {
        double sum = 0;
        for (int64_t e = l->edges.start[i]; e < l->edges.start[i + 1]; e++) {
            const int64_t j = l->edges.joined[e];
            const double distance = edge_distance(l, i, j);
            const double p = seen_from(l, i, distance), q = seen_from(l, j, distance);
            l->weight[e] = (float)(p + q - p * q);
            sum += (double)l->weight[e];
        }
        for (int64_t e = l->edges.start[i]; e < l->edges.start[i + 1] && sum > 0; e++)
            l->weight[e] = (float)((double)l->weight[e] / sum);
    }
}

/* ---- rounds -----------------------------------------------------------------------------------
 */

static void attract(const layout *l, int64_t position, float force[2])
{
    const int64_t i = l->order[position];
    const float x = l->from[2 * position], y = l->from[2 * position + 1];
    float right = 0, up = 0;
    for (int64_t e = l->edges.start[i] + l->first_edge; e < l->edges.start[i + 1]; e += l->every) {
        const float *other = l->from + 2 * (int64_t)l->edges.joined[e];
        const float dx = other[0] - x, dy = other[1] - y;
        const float pull = (float)(2 * l->every) * l->weight[e] / (1 + dx * dx + dy * dy);
        right += pull * dx;
        up += pull * dy;
    }
    force[0] += right;
    force[1] += up;
}

static inline float cut(float force)
{
    const float below = force > MOST_FORCE ? MOST_FORCE : force;
    return below < -MOST_FORCE ? -MOST_FORCE : below;
}

/* The points of a block by as many that lie one behind the other. */
static void repel(const float *restrict own, const float *restrict other, int64_t count,
                  float *restrict force)
{
#pragma omp simd
    for (int64_t p = 0; p < count; p++) {
        const float dx = own[2 * p] - other[2 * p], dy = own[2 * p + 1] - other[2 * p + 1];
        const float square = dx * dx + dy * dy;
        const float push = 2 / ((0.001f + square) * (1 + square));
        force[2 * p] += REPULSION / REPELLING * cut(push * dx);
        force[2 * p + 1] += REPULSION / REPELLING * cut(push * dy);
    }
}

static void move_points(void *user, int64_t block, int thread)
{
    const layout *l = user;
    const int64_t first = block * BLOCK, count = block_end(l, block) - first;
    float force[2 * BLOCK] = {0};
    (void)thread;
    for (int64_t p = 0; p < count; p++)
        attract(l, first + p, force + 2 * p);
    for (int d = 0; d < REPELLING; d++)
        repel(l->from + 2 * first, l->from + 2 * ((first + l->shift[d]) % l->n), count, force);
    for (int64_t c = 0; c < 2 * count; c++) {
        const int64_t at = 2 * first + c;
        l->speed[at] = MOMENTUM * l->speed[at] + l->step * force[c];
        l->to[at] = l->from[at] + l->speed[at];
    }
}

static void repeat_first(const layout *l, float *place)
{
    for (int64_t c = 0; c < 2 * BLOCK; c++)
        place[2 * l->n + c] = place[c];
}

static void run_rounds(layout *l)
{
    repeat_first(l, l->from);
    for (int round = 0; round < ROUNDS; round++) {
        l->first_edge = round % l->every;
        l->step = STEP * (1 - (float)round / ROUNDS);
        for (int d = 0; d < REPELLING; d++)
            l->shift[d] = 1 + (int64_t)random_below(l->seed, RANDOM_LAYOUT, (uint64_t)round,
                                                    (uint64_t)d, (uint64_t)(l->n - 1));
        parallel_for(l->ctx, blocks(l), move_points, l);
        float *last = l->from;
        l->from = l->to;
        l->to = last;
        repeat_first(l, l->from);
    }
}

/* ---- where they begin --------------------------------------------------------------------------
 */

static void permute(layout *l)
{
    for (int64_t i = 0; i < l->n; i++)
        l->order[i] = i;
    for (int64_t i = l->n - 1; i > 0; i--) {
        const int64_t j =
            (int64_t)random_below(l->seed, RANDOM_LAYOUT, UINT64_MAX, (uint64_t)i, (uint64_t)i + 1);
        const int64_t kept = l->order[i];
        l->order[i] = l->order[j];
        l->order[j] = kept;
    }
    for (int64_t i = 0; i < l->n; i++)
        l->rank[l->order[i]] = i;
    for (int64_t e = 0; e < l->edges.start[l->n]; e++)
        l->edges.joined[e] = (int32_t)l->rank[l->edges.joined[e]];
}

/* Points in one place would stay together for ever. */
static float apart(const layout *l, int64_t i, int coordinate)
{
    return 0.01f * ((float)random_uniform(l->seed, RANDOM_LAYOUT, UINT64_MAX - 1,
                                          (uint64_t)(2 * i + coordinate)) -
                    0.5f);
}

/* Around 0, with a spread at which points feel each other. */
static void start(layout *l, const float *place)
{
    for (int c = 0; c < 2; c++) {
        double mean = 0, square = 0;
        for (int64_t i = 0; i < l->n; i++)
            mean += (double)place[2 * i + c];
        mean /= (double)l->n;
        for (int64_t i = 0; i < l->n; i++)
            square += ((double)place[2 * i + c] - mean) * ((double)place[2 * i + c] - mean);
        const double scale = square > 0 ? START_SPREAD / sqrt(square / (double)l->n) : 0;
        for (int64_t i = 0; i < l->n; i++)
            l->from[2 * l->rank[i] + c] =
                (float)(scale * ((double)place[2 * i + c] - mean)) + apart(l, i, c);
    }
}

/* ---- the whole --------------------------------------------------------------------------------
 */

static orthant_status allocate(layout *l)
{
    orthant_context *ctx = l->ctx;
    l->nearest = memory_new(ctx, l->n * l->neighbours, sizeof *l->nearest, "neighbours");
    l->first = memory_new(ctx, l->n, sizeof *l->first, "distances of neighbours");
    l->width = memory_new(ctx, l->n, sizeof *l->width, "widths of neighbours' weights");
    l->order = memory_new(ctx, l->n, sizeof *l->order, "an order of points");
    l->rank = memory_new(ctx, l->n, sizeof *l->rank, "an order of points");
    l->from = memory_new(ctx, 2 * (l->n + BLOCK), sizeof *l->from, "places of points");
    l->to = memory_new(ctx, 2 * (l->n + BLOCK), sizeof *l->to, "places of points");
    l->speed = memory_new(ctx, 2 * l->n, sizeof *l->speed, "speeds of points");
    return l->nearest && l->first && l->width && l->order && l->rank && l->from && l->to && l->speed
               ? ORTHANT_OK
               : ORTHANT_ERROR_MEMORY;
}

static orthant_status find_edges(layout *l)
{
    orthant_context *ctx = l->ctx;
    orthant_status status = neighbours_find(
        ctx, l->points, l->neighbours,
        l->n > LAYOUT_EXACT ? ORTHANT_SEARCH_APPROXIMATE : ORTHANT_SEARCH_EXACT, NULL, l->nearest);
    if (!status)
        status = joins_make(ctx, l->n, l->neighbours, l->nearest, 0, NULL, &l->edges);
    if (status)
        return status;
    l->weight = memory_new(ctx, l->edges.start[l->n], sizeof *l->weight, "weights of edges");
    if (!l->weight)
        return ORTHANT_ERROR_MEMORY;
    parallel_for(ctx, blocks(l), find_width, l);
    parallel_for(ctx, blocks(l), weigh_edges, l);
    return ORTHANT_OK;
}

orthant_status layout_neighbours(orthant_context *ctx, const orthant_matrix *points, uint64_t seed,
                                 float *place)
{
    const int64_t n = points->rows;
    layout l = {.ctx = ctx,
                .points = points,
                .n = n,
                .seed = seed,
                .every = n > LAYOUT_EXACT ? 2 : 1,
                .neighbours = n - 1 < LAYOUT_NEIGHBOURS ? n - 1 : LAYOUT_NEIGHBOURS};
    orthant_status status = allocate(&l);
    if (!status)
        status = find_edges(&l);
    if (!status) {
        permute(&l);
        start(&l, place);
        run_rounds(&l);
    }
    for (int64_t i = 0; i < 2 * n && !status; i++)
        place[i] = l.from[2 * l.rank[i / 2] + i % 2];
    joins_free(ctx, &l.edges);
    void *const owned[] = {l.nearest, l.weight, l.first, l.width, l.order,
                           l.rank,    l.from,   l.to,    l.speed};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        memory_free(ctx, owned[i]);
    return status;
}
