/* Hash tables keep candidates from being listed twice; sorted lists keep what is nearest. */
#include "graph/candidates.h"

#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "core/parallel.h"
#include "core/pieces.h"
#include "graph/rows.h"

#define TABLE (2 * CANDIDATES_MOST) /* a power of two */
#define FETCHED 128                 /* features of a sample that are asked for */
#define AHEAD 6                     /* points that are asked for before they are read */
#define PROBES 1000                 /* lists that tell how good estimates are */

/* ---- which there are ---- */

/* Marks j as seen in this round; false where it was. */
static bool mark(candidate_scratch *scratch, uint32_t j)
{
    const uint64_t key = (uint64_t)scratch->round << 32 | j;
    uint32_t at = (j * UINT32_C(2654435761)) >> 16 & (TABLE - 1);
    while (scratch->seen[at] >> 32 == scratch->round) {
        if (scratch->seen[at] == key)
            return false;
        at = (at + 1) & (TABLE - 1);
    }
    scratch->seen[at] = key;
    return true;
}

void candidates_clear(const candidates *c, int64_t i, int thread)
{
    candidate_scratch *scratch = &c->scratch[thread];
    const nearest_entry *mine = candidates_of(c, i);
    if (++scratch->round == 0) {
        memset(scratch->seen, 0, TABLE * sizeof *scratch->seen);
        scratch->round = 1;
    }
    mark(scratch, (uint32_t)i);
    for (int64_t e = 0; e < c->kept; e++)
        mark(scratch, mine[e].index & ~CANDIDATES_FRESH);
}

int64_t candidates_list(const candidates *c, uint32_t j, int64_t count, int thread)
{
    candidate_scratch *scratch = &c->scratch[thread];
    if (count < CANDIDATES_MOST && mark(scratch, j))
        scratch->listed[count++] = (int32_t)j;
    return count;
}

/* ---- comparing samples ---- */

static bool comes_before(float distance, uint32_t index, const nearest_entry *other)
{
    return distance < other->distance ||
           (distance <= other->distance && index < (other->index & ~CANDIDATES_FRESH));
}

/* Whether it came in: it is near enough and not there yet. Two estimates of one distance may differ
 * by rounding, so it is looked for everywhere. */
static bool offer(const candidates *c, int64_t i, float distance, uint32_t index)
{
    nearest_entry *mine = candidates_of(c, i);
    int64_t at = c->kept - 1;
    if (!comes_before(distance, index, &mine[at]))
        return false;
    for (int64_t e = 0; e < c->kept; e++)
        if ((mine[e].index & ~CANDIDATES_FRESH) == index)
            return false;
    while (at > 0 && comes_before(distance, index, &mine[at - 1]))
        at--;
    memmove(mine + at + 1, mine + at, (size_t)(c->kept - 1 - at) * sizeof *mine);
    mine[at] = (nearest_entry){distance, index | CANDIDATES_FRESH};
    return true;
}

/* The sample with that number. */
static int64_t sample_of(const candidates *c, int64_t i)
{
    return c->bounds->order ? c->bounds->order[i] : i;
}

static float fast_distance(const candidates *c, int64_t i, int32_t j, const double *row)
{
    const orthant_matrix *X = c->samples;
    if (!X->sparse) {
        const kernels *ops = kernel_table(X->precision);
        const array rows = matrix_array(X);
        return (float)ops->row_distance(array_rows(ops, rows, sample_of(c, i), 1),
                                        array_rows(ops, rows, sample_of(c, j), 1));
    }
    double dot = 0;
    for (int64_t e = X->row_start[j]; e < X->row_start[j + 1]; e++)
        dot += matrix_value(X, e) * row[X->column[e]];
    return (float)fmax(c->squares[i] + c->squares[j] - 2 * dot, 0);
}

/* Writes sample i into the thread's row of zeros, or zeros again. */
static void spread(const candidates *c, int64_t i, double *row, bool clear)
{
    const orthant_matrix *X = c->samples;
    for (int64_t e = X->row_start[i]; e < X->row_start[i + 1]; e++)
        row[X->column[e]] = clear ? 0 : matrix_value(X, e);
}

/* The begin of a sample: the hardware goes on from there. */
static void fetch_sample(const candidates *c, int32_t j)
{
    const kernels *ops = kernel_table(c->samples->precision);
    array sample = matrix_array(c->samples);
    sample = array_rows(ops, sample, sample_of(c, j), 1);
    sample.stride = smaller(sample.stride, FETCHED);
    ops->fetch(sample);
}

static int64_t compare_listed(const candidates *c, int64_t i, int64_t count,
                              candidate_scratch *scratch)
{
    int64_t came = 0;
    if (scratch->row)
        spread(c, i, scratch->row, false);
    for (int64_t e = 0; e < count; e++) {
        const int32_t j = scratch->listed[e];
        if (e + 1 < count && !c->samples->sparse)
            fetch_sample(c, scratch->listed[e + 1]);
        if (j != i)
            came += offer(c, i, fast_distance(c, i, j, scratch->row), (uint32_t)j);
    }
    if (scratch->row)
        spread(c, i, scratch->row, true);
    return came;
}

int64_t candidates_compare(const candidates *c, int64_t i, int64_t count, int thread)
{
    return compare_listed(c, i, count, &c->scratch[thread]);
}

void candidates_compare_group(const candidates *c, const int32_t *group, int64_t count, int thread)
{
    candidate_scratch *scratch = &c->scratch[thread];
    memcpy(scratch->listed, group, (size_t)count * sizeof *group);
    for (int64_t row = 0; row < count; row++)
        compare_listed(c, group[row], count, scratch);
}

/* ---- estimates ---- */

/* Offers those whose codes are near enough as well as their points. */
static int64_t offer_estimates(const candidates *c, int64_t i, int64_t count, float limit,
                               candidate_scratch *scratch)
{
    int64_t came = 0;
    count = lower_bounds_estimate(c->bounds, i, limit, count, scratch->listed, scratch->distances,
                                  scratch->steps);
    for (int64_t e = 0; e < count; e++)
        if (scratch->listed[e] != i)
            came += offer(c, i, scratch->distances[e], (uint32_t)scratch->listed[e]);
    return came;
}

int64_t candidates_estimate(const candidates *c, int64_t i, int64_t count, int thread)
{
    const kernels *ops = kernel_table(ORTHANT_SINGLE);
    const array points = matrix_array(c->bounds->points);
    const array mine = array_rows(ops, points, i, 1);
    const float limit = candidates_of(c, i)[c->kept - 1].distance;
    candidate_scratch *scratch = &c->scratch[thread];
    int32_t *listed = scratch->listed;
    float *distances = scratch->distances;
    int64_t near = 0;
    ops->listed_distances(mine, points, listed, count, distances);
    for (int64_t e = 0; e < count; e++) {
        const float distance = distances[e];
        listed[near] = listed[e];
        distances[near] = distance;
        near += distance <= limit;
    }
    return offer_estimates(c, i, near, limit, scratch);
}

/* Where the parts of a thread's group lie; rows of the products are a tile long. */
typedef struct group_parts {
    array points, products;
    float *squares, *limits;
    void *work;
} group_parts;

static group_parts parts_of(const candidates *c, int64_t count, int thread)
{
    const int64_t most = KERNEL_WHOLE(c->group), width = BOUND_COORDINATES;
    float *start = c->scratch[thread].group, *squares = start + most * width;
    float *products = squares + 2 * most;
    return (group_parts){.points = {start, count, width, width},
                         .squares = squares,
                         .limits = squares + most,
                         .products = {products, count, count, KERNEL_WHOLE(count)},
                         .work = products + most * most};
}

static int64_t group_floats(int64_t group)
{
    const int64_t most = KERNEL_WHOLE(group);
    return most * (BOUND_COORDINATES + 2 + most + KERNEL_FEATURES);
}

/* The points of the group, and their products with each other. */
static void multiply(const candidates *c, const int32_t *group, const group_parts *g)
{
    const kernels *ops = kernel_table(ORTHANT_SINGLE);
    const array all = matrix_array(c->bounds->points);
    const int64_t count = g->points.rows;
    for (int64_t r = 0; r < count; r++) {
        const array point = array_rows(ops, g->points, r, 1);
        if (r + AHEAD < count)
            ops->fetch(array_rows(ops, all, group[r + AHEAD], 1));
        ops->copy_columns(point, array_rows(ops, all, group[r], 1));
        g->squares[r] = (float)ops->dot(point, point);
        g->limits[r] = -INFINITY;
    }
    ops->row_products(g->products, g->points, g->points, g->work);
}

void candidates_estimate_group(const candidates *c, const int32_t *group, int64_t count, int thread)
{
    const kernels *ops = kernel_table(ORTHANT_SINGLE);
    const group_parts g = parts_of(c, count, thread);
    candidate_scratch *scratch = &c->scratch[thread];
    multiply(c, group, &g);
    for (int64_t row = 0; row < count; row++) {
        const int64_t i = group[row];
        const float limit = candidates_of(c, i)[c->kept - 1].distance;
        const int64_t near =
            ops->list_near(array_rows(ops, g.products, row, 1), count, (double)g.squares[row],
                           g.squares, (double)limit, g.limits, scratch->listed, scratch->distances);
        for (int64_t e = 0; e < near; e++)
            scratch->listed[e] = group[scratch->listed[e]];
        offer_estimates(c, i, near, limit, scratch);
    }
}

double candidates_doubt(const candidates *c, int64_t count)
{
    const int64_t n = c->samples->rows, probes = smaller(n, PROBES), last = c->kept / 8 + 1;
    int64_t late = 0;
    for (int64_t p = 0; p < probes; p++) {
        const int64_t i = p * n / probes;
        const nearest_entry *mine = candidates_of(c, i);
        double *distances = c->scratch[0].squares;
        for (int64_t e = 0; e < c->kept; e++)
            distances[e] = rows_distance(c->samples, sample_of(c, i),
                                         sample_of(c, mine[e].index & ~CANDIDATES_FRESH), INFINITY);
        for (int64_t e = c->kept - last; e < c->kept; e++) {
            int64_t nearer = 0;
            for (int64_t other = 0; other < c->kept; other++)
                nearer += distances[other] <= distances[e];
            late += nearer <= count; /* itself counted in */
        }
    }
    return (double)late / (double)(probes * count);
}

/* ---- the end ---- */

void candidates_finish(const candidates *c, int64_t i, int64_t count, int32_t *nearest, int thread)
{
    const int64_t sample = sample_of(c, i);
    const nearest_entry *mine = candidates_of(c, i);
    double *distances = c->scratch[thread].squares;
    int32_t *to = nearest + sample * count;
    for (int64_t e = 0, found = 0; e < c->kept; e++) {
        const int32_t j = (int32_t)sample_of(c, mine[e].index & ~CANDIDATES_FRESH);
        const double limit = found < count ? INFINITY : distances[count - 1];
        if (e + 1 < c->kept && !c->samples->sparse)
            fetch_sample(c, (int32_t)(mine[e + 1].index & ~CANDIDATES_FRESH));
        const double distance = rows_distance(c->samples, sample, j, limit);
        if (found == count && (distance > limit || (distance >= limit && j > to[count - 1])))
            continue;
        int64_t at = found < count ? found++ : count - 1;
        for (; at > 0 &&
               (distance < distances[at - 1] || (distance <= distances[at - 1] && j < to[at - 1]));
             at--) {
            distances[at] = distances[at - 1];
            to[at] = to[at - 1];
        }
        distances[at] = distance;
        to[at] = j;
    }
}

/* ---- scratch ---- */

static orthant_status new_scratch(candidates *c)
{
    orthant_context *ctx = c->ctx;
    const bool sparse = c->samples->sparse;
    c->scratch = memory_new(ctx, c->threads, sizeof *c->scratch, "candidates for neighbours");
    for (int t = 0; t < c->threads && c->scratch; t++) {
        candidate_scratch *s = &c->scratch[t];
        s->listed = memory_new(ctx, CANDIDATES_MOST, sizeof *s->listed, "candidates");
        s->distances = memory_new(ctx, CANDIDATES_MOST, sizeof *s->distances, "candidates");
        s->steps = memory_new(ctx, CANDIDATES_MOST, sizeof *s->steps, "candidates");
        s->seen = memory_new(ctx, TABLE, sizeof *s->seen, "candidates");
        s->squares = memory_new(ctx, c->kept, sizeof *s->squares, "candidates");
        s->row = sparse ? memory_new(ctx, c->samples->columns, sizeof *s->row, "candidates") : NULL;
        s->group = memory_new(ctx, c->bounds->points ? group_floats(c->group) : 0, sizeof *s->group,
                              "candidates");
        if (!s->group || !s->listed || !s->distances || !s->steps || !s->seen || !s->squares ||
            (sparse && !s->row))
            return ORTHANT_ERROR_MEMORY;
    }
    return c->scratch ? ORTHANT_OK : ORTHANT_ERROR_MEMORY;
}

void candidates_empty(const candidates *c)
{
    for (int64_t e = 0; e < c->samples->rows * c->kept; e++)
        c->entries[e] = (nearest_entry){INFINITY, ~CANDIDATES_FRESH};
}

orthant_status candidates_begin(orthant_context *ctx, const orthant_matrix *samples,
                                const lower_bounds *bounds, int64_t kept, int64_t group,
                                candidates *c)
{
    const int64_t n = samples->rows;
    *c = (candidates){.ctx = ctx,
                      .samples = samples,
                      .bounds = bounds,
                      .kept = kept,
                      .group = group,
                      .threads = parallel_threads(ctx)};
    c->entries = memory_new(ctx, n * kept, sizeof *c->entries, "nearest samples");
    if (samples->sparse)
        c->squares = memory_new(ctx, n, sizeof *c->squares, "lengths of the samples");
    if (!c->entries || (samples->sparse && !c->squares))
        return ORTHANT_ERROR_MEMORY;
    candidates_empty(c);
    if (samples->sparse)
        matrix_row_squares(samples, c->squares);
    return new_scratch(c);
}

void candidates_end(candidates *c)
{
    for (int t = 0; t < c->threads && c->scratch; t++) {
        candidate_scratch *s = &c->scratch[t];
        void *const owned[] = {s->listed,  s->distances, s->steps, s->seen,
                               s->squares, s->row,       s->group};
        for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
            memory_free(c->ctx, owned[i]);
    }
    memory_free(c->ctx, c->scratch);
    memory_free(c->ctx, c->entries);
    memory_free(c->ctx, c->squares);
    c->scratch = NULL;
    c->entries = NULL;
    c->squares = NULL;
}
