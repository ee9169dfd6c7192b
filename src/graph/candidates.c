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

/* ---- comparing them ---- */

/* Those whose points and codes are near enough; their bounds stay in the scratch. */
static int64_t prune(const candidates *c, int64_t i, int64_t count, candidate_scratch *scratch)
{
    const kernels *ops = kernel_table(ORTHANT_SINGLE);
    const array points = matrix_array(c->bounds->points);
    const array mine = array_rows(ops, points, i, 1);
    const double limit =
        lower_bounds_limit(c->bounds, i, (double)candidates_of(c, i)[c->kept - 1].distance);
    int32_t *listed = scratch->listed;
    int64_t near = 0;
    for (int64_t e = 0; e < count; e++) {
        const int32_t j = listed[e];
        if (e + AHEAD < count)
            ops->fetch(array_rows(ops, points, listed[e + AHEAD], 1));
        const double distance = ops->row_distance(mine, array_rows(ops, points, j, 1));
        listed[near] = j;
        scratch->distances[near] = (float)distance;
        near += distance <= limit;
    }
    return lower_bounds_shorten(c->bounds, i, limit, near, listed, scratch->distances,
                                scratch->steps);
}

static bool comes_before(float distance, uint32_t index, const nearest_entry *other)
{
    return distance < other->distance ||
           (distance <= other->distance && index < (other->index & ~CANDIDATES_FRESH));
}

/* Whether it came in: it is near enough and not there yet. */
static bool offer(const candidates *c, int64_t i, float distance, uint32_t index)
{
    nearest_entry *mine = candidates_of(c, i);
    int64_t at = c->kept - 1;
    if (!comes_before(distance, index, &mine[at]))
        return false;
    while (at > 0 && comes_before(distance, index, &mine[at - 1]))
        at--;
    if (at > 0 && (mine[at - 1].index & ~CANDIDATES_FRESH) == index)
        return false;
    memmove(mine + at + 1, mine + at, (size_t)(c->kept - 1 - at) * sizeof *mine);
    mine[at] = (nearest_entry){distance, index | CANDIDATES_FRESH};
    return true;
}

static float fast_distance(const candidates *c, int64_t i, int32_t j, const double *row)
{
    const orthant_matrix *X = c->samples;
    if (!X->sparse) {
        const kernels *ops = kernel_table(X->precision);
        const array rows = matrix_array(X);
        return (float)ops->row_distance(array_rows(ops, rows, i, 1), array_rows(ops, rows, j, 1));
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
    sample = array_rows(ops, sample, j, 1);
    sample.stride = smaller(sample.stride, FETCHED);
    ops->fetch(sample);
}

/* Looks at the samples themselves. */
static int64_t compare_samples(const candidates *c, int64_t i, int64_t count,
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
    candidate_scratch *scratch = &c->scratch[thread];
    if (c->bounds->points && isfinite(candidates_of(c, i)[c->kept - 1].distance))
        count = prune(c, i, count, scratch);
    return compare_samples(c, i, count, scratch);
}

/* ---- a group of samples ---- */

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

void candidates_multiply(const candidates *c, const int32_t *group, int64_t count, int thread)
{
    const kernels *ops = kernel_table(ORTHANT_SINGLE);
    const group_parts g = parts_of(c, count, thread);
    const array all = matrix_array(c->bounds->points);
    for (int64_t r = 0; r < count; r++) {
        const array point = array_rows(ops, g.points, r, 1);
        if (r + AHEAD < count)
            ops->fetch(array_rows(ops, all, group[r + AHEAD], 1));
        ops->copy_columns(point, array_rows(ops, all, group[r], 1));
        g.squares[r] = (float)ops->dot(point, point);
        g.limits[r] = -INFINITY;
    }
    ops->row_products(g.products, g.points, g.points, g.work);
}

/* The first samples of an empty list: those of the group whose points are nearest. */
static void fill_from_group(const candidates *c, const int32_t *group, int64_t count, int64_t row,
                            int thread)
{
    const group_parts g = parts_of(c, count, thread);
    candidate_scratch *scratch = &c->scratch[thread];
    const float *products = (const float *)g.products.data + row * g.products.stride;
    int64_t found = 0;
    for (int64_t o = 0; o < count; o++) {
        const float distance = g.squares[o] - 2 * products[o];
        if (o == row || (found == c->kept && distance >= scratch->distances[found - 1]))
            continue;
        int64_t at = found < c->kept ? found++ : found - 1;
        for (; at > 0 && scratch->distances[at - 1] > distance; at--) {
            scratch->distances[at] = scratch->distances[at - 1];
            scratch->listed[at] = scratch->listed[at - 1];
        }
        scratch->distances[at] = distance;
        scratch->listed[at] = group[o];
    }
    compare_samples(c, group[row], found, scratch);
}

/* The others of the group whose points and codes are near enough. */
static int64_t prune_group(const candidates *c, const int32_t *group, int64_t count, int64_t row,
                           int thread)
{
    const kernels *ops = kernel_table(ORTHANT_SINGLE);
    const group_parts g = parts_of(c, count, thread);
    candidate_scratch *scratch = &c->scratch[thread];
    const int64_t i = group[row];
    const double limit =
        lower_bounds_limit(c->bounds, i, (double)candidates_of(c, i)[c->kept - 1].distance);
    /* Products lose digits where squares are much larger than their distance. */
    const double margin = (double)g.squares[row] * BOUND_COORDINATES * 0x1p-21;
    const int64_t near =
        ops->list_near(array_rows(ops, g.products, row, 1), count, (double)g.squares[row],
                       g.squares, limit + margin, g.limits, scratch->listed, scratch->distances);
    for (int64_t e = 0; e < near; e++)
        scratch->listed[e] = group[scratch->listed[e]];
    return lower_bounds_shorten(c->bounds, i, limit + margin, near, scratch->listed,
                                scratch->distances, scratch->steps);
}

void candidates_compare_group(const candidates *c, const int32_t *group, int64_t count, int64_t row,
                              int thread)
{
    candidate_scratch *scratch = &c->scratch[thread];
    const int64_t i = group[row];
    const nearest_entry *last = candidates_of(c, i) + c->kept - 1;
    if (c->bounds->points && !isfinite(last->distance))
        fill_from_group(c, group, count, row, thread);
    if (c->bounds->points && isfinite(last->distance))
        count = prune_group(c, group, count, row, thread);
    else
        memcpy(scratch->listed, group, (size_t)count * sizeof *group);
    compare_samples(c, i, count, scratch);
}

void candidates_sort(const candidates *c, int64_t i, int thread)
{
    nearest_entry *mine = candidates_of(c, i);
    double *squares = c->scratch[thread].squares;
    for (int64_t e = 0; e < c->kept; e++) {
        const uint32_t index = mine[e].index & ~CANDIDATES_FRESH;
        const double distance = rows_distance(c->samples, i, (int64_t)index, INFINITY);
        int64_t at = e;
        for (; at > 0 && (distance < squares[at - 1] ||
                          (distance <= squares[at - 1] && index < mine[at - 1].index));
             at--) {
            squares[at] = squares[at - 1];
            mine[at] = mine[at - 1];
        }
        squares[at] = distance;
        mine[at] = (nearest_entry){(float)distance, index};
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
    for (int64_t e = 0; e < n * kept; e++)
        c->entries[e] = (nearest_entry){INFINITY, ~CANDIDATES_FRESH};
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
