/* Neighbours of samples with missing entries:
 *
 *     d^2(x, y) = m / c * sum over the c features that are known in both of (x - y)^2
 *
 * so that pairs that have much in common and pairs that have little are measured alike. Bounds and
 * products that prune the search of complete samples do not hold here: all pairs are compared. */
#include "graph/known.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "core/parallel.h"

#define ROWS_OF_A_TASK 16

/* ---- the samples ---- */

static orthant_status refuse_infinite(const orthant_matrix *samples, int64_t row, int64_t column)
{
    return fail(samples->ctx, ORTHANT_ERROR_DATA,
                "data: entry (%" PRId64 ", %" PRId64 ") is infinite; a graph needs finite entries, "
                "or NaN where one is not known",
                row + 1, column + 1);
}

static orthant_status copy_dense(known_rows *rows)
{
    const orthant_matrix *samples = rows->samples;
    const int64_t n = samples->rows, m = samples->columns;
    int64_t count;
    if (!size_multiply(n, m, &count))
        return fail(rows->ctx, ORTHANT_ERROR_MEMORY, "the samples in double precision");
    rows->dense = memory_new(rows->ctx, count, sizeof *rows->dense, "the samples' known entries");
    rows->known = memory_new(rows->ctx, count, sizeof *rows->known, "the samples' known entries");
    if (!rows->dense || !rows->known)
        return ORTHANT_ERROR_MEMORY;
    for (int64_t i = 0; i < n; i++)
        for (int64_t l = 0; l < m; l++) {
            const double value = matrix_value(samples, i * samples->stride + l);
            if (isinf(value))
                return refuse_infinite(samples, i, l);
            rows->dense[i * m + l] = isnan(value) ? 0 : value;
            rows->known[i * m + l] = isnan(value) ? 0 : 1;
        }
    return ORTHANT_OK;
}

orthant_status known_rows_make(orthant_context *ctx, const orthant_matrix *samples,
                               const char *missing, known_rows *rows)
{
    *rows = (known_rows){.ctx = ctx, .samples = samples};
    const bool nan = !strcmp(missing, "nan");
    if (!nan && strcmp(missing, "zeros") != 0)
        return fail(ctx, ORTHANT_ERROR_ARGUMENT, "missing = '%s': expected none, nan or zeros",
                    missing);
    if (nan && samples->sparse)
        return fail(
            ctx, ORTHANT_ERROR_ARGUMENT,
            "missing = 'nan' is for dense data; of sparse ones missing = 'zeros' counts the "
            "stored entries alone");
    if (!nan && !samples->sparse)
        return fail(ctx, ORTHANT_ERROR_ARGUMENT,
                    "missing = 'zeros' is for sparse data; in dense ones missing entries are NaN");
    return nan ? copy_dense(rows) : matrix_check(samples, false, "data", "graph");
}

void known_rows_free(known_rows *rows)
{
    memory_free(rows->ctx, rows->dense);
    memory_free(rows->ctx, rows->known);
    rows->dense = rows->known = NULL;
}

/* ---- two of them ---- */

/* What a pair has in common: how many features, and sums over these. */
typedef struct common {
    int64_t count;
    double differences, products, squares[2];
} common;

static void add_feature(common *c, double x, double y)
{
    c->count++;
    c->differences += (x - y) * (x - y);
    c->products += x * y;
    c->squares[0] += x * x;
    c->squares[1] += y * y;
}

/* Columns of both rows rise. */
static common compare_sparse(const orthant_matrix *samples, int64_t i, int64_t j)
{
    common c = {0};
    int64_t e = samples->row_start[i], f = samples->row_start[j];
    while (e < samples->row_start[i + 1] && f < samples->row_start[j + 1]) {
        const int32_t left = samples->column[e], right = samples->column[f];
        if (left == right)
            add_feature(&c, matrix_value(samples, e), matrix_value(samples, f));
        e += left <= right;
        f += right <= left;
    }
    return c;
}

static double scaled(const known_rows *rows, double differences, int64_t count)
{
    return count ? differences * ((double)rows->samples->columns / (double)count) : INFINITY;
}

/* Two sums at once and no branch, as the search spends its time here. */
static double dense_distance(const known_rows *rows, int64_t i, int64_t j)
{
    const int64_t m = rows->samples->columns;
    const double *x = rows->dense + i * m, *y = rows->dense + j * m;
    const double *has_x = rows->known + i * m, *has_y = rows->known + j * m;
    double even = 0, odd = 0, even_count = 0, odd_count = 0;
    for (int64_t l = 0; l + 1 < m; l += 2) {
        const double both = has_x[l] * has_y[l], next = has_x[l + 1] * has_y[l + 1];
        even += (x[l] - y[l]) * (x[l] - y[l]) * both;
        odd += (x[l + 1] - y[l + 1]) * (x[l + 1] - y[l + 1]) * next;
        even_count += both;
        odd_count += next;
    }
    if (m % 2) {
        const double both = has_x[m - 1] * has_y[m - 1];
        even += (x[m - 1] - y[m - 1]) * (x[m - 1] - y[m - 1]) * both;
        even_count += both;
    }
    return scaled(rows, even + odd, (int64_t)(even_count + odd_count));
}

double known_distance(const known_rows *rows, int64_t i, int64_t j)
{
    if (rows->dense)
        return dense_distance(rows, i, j);
    const common c = compare_sparse(rows->samples, i, j);
    return scaled(rows, c.differences, c.count);
}

double known_cosine(const known_rows *rows, int64_t i, int64_t j)
{
    const int64_t m = rows->samples->columns;
    common c = {0};
    if (!rows->dense)
        c = compare_sparse(rows->samples, i, j);
    for (int64_t l = 0; rows->dense && l < m; l++)
        if (rows->known[i * m + l] * rows->known[j * m + l] > 0)
            add_feature(&c, rows->dense[i * m + l], rows->dense[j * m + l]);
    const double lengths = sqrt(c.squares[0]) * sqrt(c.squares[1]);
    return lengths > 0 ? c.products / lengths : 0;
}

/* ---- the search ---- */

typedef struct known_search {
    const known_rows *rows;
    int64_t wanted;
    int32_t *nearest; /* n x wanted; -1 where there are no more */
    double *distance; /* beside it */
    double *sum;      /* n: of the squared distances of a sample */
    int64_t *pairs;   /* n: how many those are */
} known_search;

/* Of equals the earlier ones stay. */
static void insert(const known_search *s, int64_t i, int64_t j, double distance)
{
    int32_t *nearest = s->nearest + i * s->wanted;
    double *list = s->distance + i * s->wanted;
    int64_t at = s->wanted;
    for (; at > 0 && (nearest[at - 1] < 0 || distance < list[at - 1]); at--)
        if (at < s->wanted) {
            nearest[at] = nearest[at - 1];
            list[at] = list[at - 1];
        }
    if (at < s->wanted) {
        nearest[at] = (int32_t)j;
        list[at] = distance;
    }
}

static void search_rows(void *user, int64_t task, int thread)
{
    const known_search *s = user;
    const int64_t n = s->rows->samples->rows, first = task * ROWS_OF_A_TASK;
    const int64_t end = first + ROWS_OF_A_TASK < n ? first + ROWS_OF_A_TASK : n;
    (void)thread;
    for (int64_t i = first; i < end; i++)
        for (int64_t j = 0; j < n; j++) {
            const double distance = known_distance(s->rows, i, j);
            if (isinf(distance))
                continue;
            s->sum[i] += distance;
            s->pairs[i]++;
            if (j != i)
                insert(s, i, j, distance);
        }
}

/* A graph of the others alone would leave the sample out without a word. */
static orthant_status check_all_found(const known_search *s)
{
    const int64_t n = s->rows->samples->rows;
    for (int64_t i = 0; i < n; i++) {
        int64_t found = 0;
        while (found < s->wanted && s->nearest[i * s->wanted + found] >= 0)
            found++;
        if (found < s->wanted)
            return fail(s->rows->ctx, ORTHANT_ERROR_DATA,
                        "sample %" PRId64 " has a known feature in common with %" PRId64
                        " other samples, which is too few for %" PRId64
                        " neighbours; leave it out, or take fewer neighbours",
                        i + 1, found, s->wanted);
    }
    return ORTHANT_OK;
}

orthant_status known_neighbours(known_rows *rows, int64_t count, const search_clock *clock,
                                int32_t *nearest)
{
    orthant_context *ctx = rows->ctx;
    const int64_t n = rows->samples->rows;
    known_search s = {.rows = rows, .wanted = count, .nearest = nearest};
    orthant_status status = ORTHANT_ERROR_MEMORY;
    double total = 0, pairs = 0;
    s.distance = memory_new(ctx, n * count, sizeof *s.distance, "distances of neighbours");
    s.sum = memory_new(ctx, n, sizeof *s.sum, "distances of samples");
    s.pairs = memory_new(ctx, n, sizeof *s.pairs, "distances of samples");
    if (!s.distance || !s.sum || !s.pairs)
        goto done;
    for (int64_t e = 0; e < n * count; e++)
        nearest[e] = -1;
    const int64_t tasks = (n + ROWS_OF_A_TASK - 1) / ROWS_OF_A_TASK;
    const search_step step = {clock, 0, tasks, false};
    status = search_run(ctx, clock ? &step : NULL, tasks, search_rows, &s);
    if (!status)
        status = check_all_found(&s);
    for (int64_t i = 0; i < n && !status; i++) {
        total += s.sum[i];
        pairs += (double)s.pairs[i];
    }
    rows->mean_square_distance = pairs > 0 ? total / pairs : 0;
done:
    memory_free(ctx, s.distance);
    memory_free(ctx, s.sum);
    memory_free(ctx, s.pairs);
    return status;
}
