/* k-means that is stopped, by its caller or at the deadline: there is a result all the same. */
#include "kmeans_case.h"

#include <math.h>

static orthant_context *ctx;

static int make(void **state)
{
    (void)state;
    if (orthant_context_create(&ctx))
        return 1;
    orthant_context_set_precision(ctx, ORTHANT_DOUBLE);
    return 0;
}

static int clear(void **state)
{
    (void)state;
    const size_t left = orthant_context_memory(ctx);
    orthant_context_free(ctx);
    return left != 0;
}

static bool stop_at_second(void *user, const orthant_progress *progress)
{
    int *calls = user;
    assert_string_equal(progress->phase, "k-means");
    return isnan(progress->objective) || ++*calls < 2;
}

/* At the call of that number, whatever is told. */
static bool stop_at(void *user, const orthant_progress *progress)
{
    (void)progress;
    return --*(int *)user != 0;
}

static void test_stops_with_a_result(void **state)
{
    (void)state;
    int calls = 0;
    orthant_matrix *points = make_points(ctx, uniform, 400, 4, false);
    kmeans_outcome outcome;
    orthant_context_set_progress(ctx, stop_at_second, &calls);
    /* Starts side by side all end, at whatever iteration they are. */
    orthant_context_set_threads(ctx, 3);
    expect_ok(ctx, kmeans_run(ctx, points, 8, 10, 300, 0, NULL, &outcome));
    check_outcome(points, 8, &outcome);
    kmeans_free(ctx, &outcome);
    calls = 0;
    orthant_context_set_threads(ctx, 1);
    expect_ok(ctx, kmeans_run(ctx, points, 8, 10, 300, 0, NULL, &outcome));
    assert_true(outcome.stopped);
    assert_false(outcome.converged);
    assert_int_equal(calls, 2);
    assert_int_equal(outcome.iterations, 2);
    check_outcome(points, 8, &outcome);
    kmeans_free(ctx, &outcome);
    orthant_matrix_free(points);
}

/* Centres that are not chosen yet cost no further pass, and there is a result all the same. */
static void test_stops_while_centres_are_chosen(void **state)
{
    (void)state;
    orthant_matrix *points = make_points(ctx, uniform, 400, 4, false);
    kmeans_outcome first, outcome;
    orthant_context_set_threads(ctx, 1);
    for (int threads = 1; threads <= 3; threads += 2)
        for (int left = 1; left <= 8; left++) {
            int calls = left;
            orthant_context_set_threads(ctx, threads);
            orthant_context_set_progress(ctx, stop_at, &calls);
            expect_ok(ctx, kmeans_run(ctx, points, 8, 1, 300, 0, NULL, &outcome));
            assert_true(outcome.stopped);
            assert_false(outcome.converged);
            assert_int_equal(calls, 0);
            assert_int_equal(outcome.iterations, 0);
            check_outcome(points, 8, &outcome);
            kmeans_free(ctx, &outcome);
        }
    /* In a later start: what the first one found. */
    int calls = -1;
    orthant_context_set_threads(ctx, 1);
    orthant_context_set_progress(ctx, stop_at, &calls);
    expect_ok(ctx, kmeans_run(ctx, points, 8, 1, 300, 0, NULL, &first));
    assert_false(first.stopped);
    calls = -1 - calls + 3;
    expect_ok(ctx, kmeans_run(ctx, points, 8, 10, 300, 0, NULL, &outcome));
    assert_true(outcome.stopped);
    assert_int_equal(outcome.iterations, first.iterations);
    assert_memory_equal(outcome.label, first.label, 400 * sizeof *first.label);
    kmeans_free(ctx, &first);
    kmeans_free(ctx, &outcome);
    orthant_context_set_progress(ctx, NULL, NULL);
    orthant_matrix_free(points);
}

/* Threads beside the caller's look at the deadline themselves. */
static void test_deadline(void **state)
{
    (void)state;
    orthant_matrix *points = make_points(ctx, uniform, 400, 4, false);
    kmeans_outcome outcome;
    orthant_context_set_progress(ctx, NULL, NULL);
    orthant_context_set_threads(ctx, 3);
    ctx->deadline = clock_seconds() + 0.2;
    expect_ok(ctx, kmeans_run(ctx, points, 8, 1000000, 300, 0, NULL, &outcome));
    assert_true(outcome.stopped);
    assert_true(clock_seconds() - ctx->deadline < 10);
    ctx->deadline = 0;
    check_outcome(points, 8, &outcome);
    kmeans_free(ctx, &outcome);
    orthant_matrix_free(points);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_stops_with_a_result, make, clear),
        cmocka_unit_test_setup_teardown(test_stops_while_centres_are_chosen, make, clear),
        cmocka_unit_test_setup_teardown(test_deadline, make, clear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
