/* The neighbour layout: neighbours stay together, groups stay apart, any number of threads gives
 * the same bits, and points in one place or in one line do no harm. */
#include "fixture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/random.h"
#include "graph/layout.h"

#define COORDINATES 6

static orthant_context *new_context(void)
{
    orthant_context *ctx = NULL;
    assert_int_equal(orthant_context_create(&ctx), ORTHANT_OK);
    return ctx;
}

/* `groups` of points, each a ball of width 0.1 around a corner; spread 0: all in one place. */
static orthant_matrix *make_points(orthant_context *ctx, int64_t n, int64_t groups, double spread)
{
    orthant_matrix *points = NULL;
    double *values = malloc((size_t)(n * COORDINATES) * sizeof *values);
    assert_non_null(values);
    for (int64_t i = 0; i < n; i++)
        for (int64_t c = 0; c < COORDINATES; c++)
            values[i * COORDINATES + c] =
                spread * ((double)(i % groups == c) +
                          0.1 * random_normal(3, RANDOM_TEST, (uint64_t)i, (uint64_t)c));
    assert_int_equal(orthant_matrix_create(ctx, n, COORDINATES, values, &points), ORTHANT_OK);
    free(values);
    return points;
}

static float *lay_out(orthant_context *ctx, int64_t n, int64_t groups, double spread, uint64_t seed)
{
    orthant_matrix *points = make_points(ctx, n, groups, spread);
    float *place = calloc((size_t)n * 2, sizeof *place);
    assert_non_null(place);
    for (int64_t i = 0; i < n; i++)
        for (int64_t c = 0; c < 2; c++)
            place[2 * i + c] = (float)orthant_matrix_get(points, i, c);
    assert_int_equal(layout_neighbours(ctx, points, seed, place), ORTHANT_OK);
    for (int64_t i = 0; i < 2 * n; i++)
        assert_true(isfinite(place[i]));
    orthant_matrix_free(points);
    return place;
}

static double away(const float *place, int64_t i, int64_t j)
{
    return hypot((double)(place[2 * i] - place[2 * j]),
                 (double)(place[2 * i + 1] - place[2 * j + 1]));
}

/* The nearest in the plane is of the same group. The places that it begins with tell two of the
 * four groups apart alone. */
static void expect_groups(int64_t n, int64_t step)
{
    orthant_context *ctx = new_context();
    const int64_t groups = 4;
    float *place = lay_out(ctx, n, groups, 1, 1);
    int64_t same = 0;
    for (int64_t i = 0; i < n; i += step) {
        int64_t nearest = i ? 0 : 1;
        for (int64_t j = 0; j < n; j++)
            if (j != i && away(place, i, j) < away(place, i, nearest))
                nearest = j;
        same += nearest % groups == i % groups;
    }
    assert_true(same >= n / step - n / step / 100);
    free(place);
    orthant_context_free(ctx);
}

static void keeps_groups_together(void **state)
{
    (void)state;
    expect_groups(800, 1);
}

static void many_points(void **state)
{
    (void)state;
    expect_groups(LAYOUT_EXACT + 2001, 29);
}

static void expect_same_bits(int64_t n)
{
    float *first = NULL;
    for (int threads = 1; threads <= 3; threads++) {
        orthant_context *ctx = new_context();
        assert_int_equal(orthant_context_set_threads(ctx, threads), ORTHANT_OK);
        float *place = lay_out(ctx, n, 5, 1, 7);
        if (!first)
            first = place;
        else {
            assert_memory_equal(first, place, (size_t)n * 2 * sizeof *place);
            free(place);
        }
        orthant_context_free(ctx);
    }
    free(first);
}

static void threads_do_not_matter(void **state)
{
    (void)state;
    expect_same_bits(3000);
    expect_same_bits(LAYOUT_EXACT + 1);
}

static void seeds_matter(void **state)
{
    orthant_context *ctx = new_context();
    float *one = lay_out(ctx, 100, 3, 1, 1), *other = lay_out(ctx, 100, 3, 1, 2);
    (void)state;
    assert_memory_not_equal(one, other, 200 * sizeof *one);
    free(one);
    free(other);
    orthant_context_free(ctx);
}

static void odd_shapes(void **state)
{
    orthant_context *ctx = new_context();
    (void)state;
    free(lay_out(ctx, LAYOUT_LEAST, 2, 1, 1));
    free(lay_out(ctx, 40, 1, 0, 1));
    free(lay_out(ctx, 16, 16, 1, 1));
    orthant_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keeps_groups_together),
        cmocka_unit_test(many_points),
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(seeds_matter),
        cmocka_unit_test(odd_shapes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
