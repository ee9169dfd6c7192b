/* A search looks at its clock inside of its steps: batches of tasks, each of which is run once. */
#include "fixture.h"

#include <stdatomic.h>

#include "core/random.h"
#include "data/matrix.h"
#include "graph/approximate.h"
#include "graph/search_clock.h"

#define TASKS 1000
#define SAMPLES 6000
#define NEIGHBOURS 5

typedef struct told {
    int count, most; /* tells, and the one that says stop */
} told;

static bool tell(void *user, const orthant_progress *progress)
{
    told *t = user;
    assert_true(progress->done >= 0 && progress->done <= progress->total);
    return ++t->count != t->most;
}

static void count_run(void *user, int64_t task, int thread)
{
    atomic_int *runs = user;
    (void)thread;
    atomic_fetch_add(&runs[task], 1);
}

static void test_batches(void **state)
{
    orthant_context *ctx = *state;
    const search_clock clock = {.begun = clock_seconds()};
    const search_step at = {&clock, 2, 5, false};
    static atomic_int runs[TASKS];
    int64_t run = 0;
    told t = {0, 0};
    orthant_context_set_progress(ctx, tell, &t);
    expect_ok(ctx, search_run(ctx, &at, TASKS, count_run, runs));
    assert_in_range(t.count, SEARCH_BATCHES - 3, SEARCH_BATCHES);
    expect_ok(ctx, search_run(ctx, NULL, TASKS, count_run, runs));
    for (int64_t i = 0; i < TASKS; i++)
        assert_int_equal(atomic_exchange(&runs[i], 0), 2);
    t = (told){0, 4};
    expect_failure(ctx, ORTHANT_STOPPED, "stopped while looking for neighbours",
                   search_run(ctx, &at, TASKS, count_run, runs));
    for (int64_t i = 0; i < TASKS; i++)
        run += atomic_load(&runs[i]);
    assert_int_equal(t.count, 4);
    assert_int_equal(run, 3 * ((TASKS + SEARCH_BATCHES - 1) / SEARCH_BATCHES));
    orthant_context_set_progress(ctx, NULL, NULL);
}

/* Far more often than it has trees and rounds, on points and on bounds. */
static void test_approximate(void **state)
{
    static const int64_t features[] = {12, 200};
    orthant_context *ctx = *state;
    const search_clock clock = {.begun = clock_seconds()};
    int32_t *nearest = test_calloc(SAMPLES * NEIGHBOURS, sizeof *nearest);
    for (int f = 0; f < 2; f++) {
        orthant_matrix *samples = NULL;
        told t = {0, 0};
        expect_ok(ctx, orthant_matrix_create(ctx, SAMPLES, features[f], NULL, &samples));
        for (int64_t i = 0; i < SAMPLES; i++)
            for (int64_t j = 0; j < features[f]; j++)
                matrix_set_value(samples, i * samples->stride + j,
                                 random_uniform(3, RANDOM_TEST, (uint64_t)i, (uint64_t)j));
        orthant_context_set_progress(ctx, tell, &t);
        expect_ok(ctx, approximate_neighbours(ctx, samples, NEIGHBOURS, &clock, nearest));
        assert_true(t.count > 100);
        for (int most = 1; most < 100; most += 7) {
            t = (told){0, most};
            expect_failure(ctx, ORTHANT_STOPPED, "stopped while looking for neighbours",
                           approximate_neighbours(ctx, samples, NEIGHBOURS, &clock, nearest));
            assert_int_equal(t.count, most);
        }
        orthant_context_set_progress(ctx, NULL, NULL);
        orthant_matrix_free(samples);
    }
    test_free(nearest);
}

int main(void)
{
    const struct CMUnitTest tests[] = {fixture_test(test_batches), fixture_test(test_approximate)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
