/* Agglomeration of regions by Ward's rule. With a table of the costs of all pairs and each region's
 * cheapest partner a merge takes time in proportion to the regions. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "vision/regions.h"

typedef struct merging {
    int64_t count, dimensions;
    bool adjacent;
    double *mean;     /* count x dimensions */
    double *size;     /* 0: merged into another */
    double *cost;     /* count x count, infinite where there is no pair */
    uint8_t *touch;   /* count x count */
    int32_t *partner; /* the cheapest, -1: none */
} merging;

static void sum_features(merging *m, const int32_t *component, const orthant_matrix *features)
{
    for (int64_t i = 0; i < features->rows; i++) {
        const float *from = (const float *)features->values + i * features->stride;
        double *to = m->mean + component[i] * m->dimensions;
        for (int64_t j = 0; j < m->dimensions; j++)
            to[j] += (double)from[j];
        m->size[component[i]] += 1.0;
    }
    for (int64_t r = 0; r < m->count; r++)
        for (int64_t j = 0; j < m->dimensions; j++)
            m->mean[r * m->dimensions + j] /= m->size[r];
}

static void mark_touching(merging *m, const int32_t *component, int height, int width)
{
    for (int64_t p = 0; p < (int64_t)height * width; p++) {
        const int64_t a = component[p];
        const int64_t right = (p + 1) % width ? component[p + 1] : a;
        const int64_t below = p + width < (int64_t)height * width ? component[p + width] : a;
        m->touch[a * m->count + right] = m->touch[right * m->count + a] = 1;
        m->touch[a * m->count + below] = m->touch[below * m->count + a] = 1;
    }
}

static double union_cost(const merging *m, int64_t a, int64_t b)
{
    const double *p = m->mean + a * m->dimensions, *q = m->mean + b * m->dimensions;
    double square = 0.0;
    if (a == b || m->size[a] == 0.0 || m->size[b] == 0.0 ||
        (m->adjacent && !m->touch[a * m->count + b]))
        return INFINITY;
    for (int64_t j = 0; j < m->dimensions; j++)
        square += (p[j] - q[j]) * (p[j] - q[j]);
    return square * m->size[a] * m->size[b] / (m->size[a] + m->size[b]);
}

static void find_partner(merging *m, int64_t a)
{
    const double *row = m->cost + a * m->count;
    m->partner[a] = -1;
    for (int64_t b = 0; b < m->count; b++)
        if (row[b] < INFINITY && (m->partner[a] < 0 || row[b] < row[m->partner[a]]))
            m->partner[a] = (int32_t)b;
}

static void price_row(merging *m, int64_t a)
{
    for (int64_t b = 0; b < m->count; b++)
        m->cost[a * m->count + b] = m->cost[b * m->count + a] = union_cost(m, a, b);
}

/* `from` becomes part of `into`. */
static void join(merging *m, int64_t into, int64_t from)
{
    const double total = m->size[into] + m->size[from];
    for (int64_t j = 0; j < m->dimensions; j++)
        m->mean[into * m->dimensions + j] = (m->mean[into * m->dimensions + j] * m->size[into] +
                                             m->mean[from * m->dimensions + j] * m->size[from]) /
                                            total;
    m->size[into] = total;
    m->size[from] = 0.0;
    for (int64_t b = 0; b < m->count; b++)
        if (m->touch[from * m->count + b])
            m->touch[into * m->count + b] = m->touch[b * m->count + into] = 1;
    price_row(m, into);
    price_row(m, from);
    find_partner(m, into);
    m->partner[from] = -1;
    for (int64_t b = 0; b < m->count; b++) {
        if (b == into || m->size[b] == 0.0)
            continue;
        if (m->partner[b] == into || m->partner[b] == from)
            find_partner(m, b);
        else if (m->cost[b * m->count + into] < INFINITY &&
                 (m->partner[b] < 0 ||
                  m->cost[b * m->count + into] < m->cost[b * m->count + m->partner[b]]))
            m->partner[b] = (int32_t)into;
    }
}

/* The region whose cheapest merge is the cheapest of all; the first of equals. */
static int64_t cheapest(const merging *m)
{
    int64_t best = -1;
    double least = INFINITY;
    for (int64_t a = 0; a < m->count; a++)
        if (m->size[a] > 0.0 && m->partner[a] >= 0 &&
            m->cost[a * m->count + m->partner[a]] < least) {
            least = m->cost[a * m->count + m->partner[a]];
            best = a;
        }
    return best;
}

orthant_status regions_merge(orthant_context *ctx, const int32_t *component, int64_t count,
                             int height, int width, const orthant_matrix *features, bool adjacent,
                             region_merge *merges)
{
    merging m = {.count = count, .dimensions = features->columns, .adjacent = adjacent};
    orthant_status status = ORTHANT_ERROR_MEMORY;
    m.mean = memory_new(ctx, count * m.dimensions, sizeof *m.mean, "means of regions");
    m.size = memory_new(ctx, count, sizeof *m.size, "sizes of regions");
    m.cost = memory_new(ctx, count * count, sizeof *m.cost, "costs of merging regions");
    m.touch = memory_new(ctx, count * count, sizeof *m.touch, "borders of regions");
    m.partner = memory_new(ctx, count, sizeof *m.partner, "partners of regions");
    if (!m.mean || !m.size || !m.cost || !m.touch || !m.partner)
        goto done;
    sum_features(&m, component, features);
    mark_touching(&m, component, height, width);
    for (int64_t a = 0; a < count; a++)
        price_row(&m, a);
    for (int64_t a = 0; a < count; a++)
        find_partner(&m, a);
    for (int64_t step = 0; step < count - 1; step++) {
        /* A grid is connected, so there is a pair. */
        const int64_t a = cheapest(&m), b = m.partner[a];
        merges[step] = (region_merge){(int32_t)(a < b ? a : b), (int32_t)(a < b ? b : a),
                                      m.cost[a * count + b]};
        join(&m, merges[step].into, merges[step].from);
    }
    status = ORTHANT_OK;
done:
    memory_free(ctx, m.mean);
    memory_free(ctx, m.size);
    memory_free(ctx, m.cost);
    memory_free(ctx, m.touch);
    memory_free(ctx, m.partner);
    return status;
}

orthant_status regions_cut(orthant_context *ctx, const region_merge *merges, int64_t count,
                           int64_t segments, int32_t *label_of)
{
    int32_t *into = memory_new(ctx, count, sizeof *into, "merged regions");
    int32_t next = 0;
    if (!into)
        return ORTHANT_ERROR_MEMORY;
    for (int64_t r = 0; r < count; r++)
        into[r] = (int32_t)r;
    for (int64_t step = 0; step < count - segments; step++)
        into[merges[step].from] = merges[step].into;
    /* Regions are merged into lower ones, so that of a lower one is known. */
    for (int64_t r = 0; r < count; r++)
        label_of[r] = into[r] == r ? next++ : label_of[into[r]];
    memory_free(ctx, into);
    return ORTHANT_OK;
}
