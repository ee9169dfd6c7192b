/* Estimates of distances: how good they are, the order of points, and what tells that they are no
 * good. */
#include "fixture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/random.h"
#include "data/matrix.h"
#include "graph/candidates.h"
#include "graph/rows.h"

#define N 1500
#define M 220

static double uniform(int64_t i, int64_t j)
{
    return random_uniform(5, RANDOM_TEST, (uint64_t)i, (uint64_t)j);
}

/* Along some directions, the first of which are the widest, or along all of them. */
static orthant_matrix *make_samples(orthant_context *ctx, int64_t directions)
{
    orthant_matrix *samples = NULL;
    expect_ok(ctx, orthant_matrix_create(ctx, N, M, NULL, &samples));
    for (int64_t i = 0; i < N; i++)
        for (int64_t j = 0; j < M; j++) {
            double value = directions < M ? 3 : uniform(i, j);
            for (int64_t d = 0; d < directions && directions < M; d++)
                value += (uniform(i, d) - 0.5) * (uniform(N + d, j) - 0.5) / sqrt((double)(1 + d));
            matrix_set_value(samples, i * samples->stride + j, value);
        }
    return samples;
}

static lower_bounds make_bounds(orthant_context *ctx, const orthant_matrix *samples)
{
    lower_bounds bounds;
    expect_ok(ctx, lower_bounds_make(ctx, samples, false, NULL, &bounds));
    assert_non_null(bounds.points);
    return bounds;
}

/* Samples of 80 directions are all in their points and codes: estimates are off by what quantising
 * and rounding make. */
static void test_estimates(void **state)
{
    orthant_matrix *samples = make_samples(*state, 80);
    lower_bounds bounds = make_bounds(*state, samples);
    const kernels *ops = kernel_table(ORTHANT_SINGLE);
    const array points = matrix_array(bounds.points);
    int32_t listed[N], steps[N];
    float distances[N];
    for (int64_t i = 0; i < N; i += 100) {
        for (int32_t j = 0; j < N; j++)
            listed[j] = j;
        ops->listed_distances(array_rows(ops, points, i, 1), points, listed, N, distances);
        assert_int_equal(lower_bounds_estimate(&bounds, i, INFINITY, N, listed, distances, steps),
                         N);
        for (int64_t j = 0; j < N; j++) {
            const double off = bounds.slack[i] + bounds.slack[j] +
                               bounds.step * (double)(bounds.code_error[i] + bounds.code_error[j]);
            const double distance = sqrt(rows_distance(samples, i, j, INFINITY));
            assert_true(fabs(sqrt(fmax((double)distances[j], 0)) - distance) <= off);
            assert_true(j == i || off < 0.2 * distance);
        }
        /* A limit takes the others off the list. */
        const float limit = distances[i ? 0 : 1];
        int64_t within = 0;
        for (int64_t j = 0; j < N; j++)
            within += distances[j] <= limit;
        ops->listed_distances(array_rows(ops, points, i, 1), points, listed, N, distances);
        assert_int_equal(lower_bounds_estimate(&bounds, i, limit, N, listed, distances, steps),
                         within);
        for (int64_t e = 0; e < within; e++)
            assert_true(distances[e] <= limit && (e == 0 || listed[e - 1] < listed[e]));
    }
    lower_bounds_free(&bounds);
    orthant_matrix_free(samples);
}

static void test_arrange(void **state)
{
    orthant_matrix *samples = make_samples(*state, 8);
    lower_bounds bounds = make_bounds(*state, samples), before = make_bounds(*state, samples);
    int32_t order[N];
    for (int32_t i = 0; i < N; i++)
        order[i] = (int32_t)((i * 7 + 3) % N); /* 7 and N have no common divisor */
    expect_ok(*state, lower_bounds_arrange(&bounds, order));
    for (int64_t i = 0; i < N; i++) {
        const int64_t from = order[i];
        assert_int_equal(bounds.order[i], from);
        assert_memory_equal((float *)bounds.points->values + i * bounds.points->stride,
                            (float *)before.points->values + from * before.points->stride,
                            BOUND_COORDINATES * sizeof(float));
        assert_memory_equal(bounds.codes + i * BOUND_CODES, before.codes + from * BOUND_CODES,
                            BOUND_CODES);
        assert_true(bounds.code_error[i] == before.code_error[from]);
        assert_true(bounds.slack[i] == before.slack[from]);
    }
    lower_bounds_free(&bounds);
    lower_bounds_free(&before);
    orthant_matrix_free(samples);
}

/* All samples are one group. */
static double doubt(orthant_context *ctx, int64_t directions, int64_t count)
{
    orthant_matrix *samples = make_samples(ctx, directions);
    lower_bounds bounds = make_bounds(ctx, samples);
    const int64_t kept = count + count / 4 + 6;
    candidates lists;
    int32_t group[N];
    for (int32_t i = 0; i < N; i++)
        group[i] = i;
    expect_ok(ctx, candidates_begin(ctx, samples, &bounds, kept, N, &lists));
    candidates_estimate_group(&lists, group, N, 0);
    const double found = candidates_doubt(&lists, count);
    candidates_end(&lists);
    lower_bounds_free(&bounds);
    orthant_matrix_free(samples);
    return found;
}

static void test_doubt(void **state)
{
    static const int64_t counts[] = {1, 5, 40};
    for (int c = 0; c < 3; c++) {
        assert_true(doubt(*state, 20, counts[c]) < 0.002);
        assert_true(doubt(*state, M, counts[c]) > 0.03);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        fixture_test(test_estimates),
        fixture_test(test_arrange),
        fixture_test(test_doubt),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
