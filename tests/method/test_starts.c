/* The best of several starts: which one is kept, and what is told of the others. */
#include "expect.h"

#include <math.h>

#include "problem.h"

enum { STARTS = 5, RANK = 4 };

static orthant_model *make_model(const test_problem *p)
{
    return problem_model(p, "nmf", RANK, "8");
}

/* The lowest of all is kept, the first is that of a plain fit, and the model is as before. */
static void test_lowest(void **state)
{
    test_problem p;
    orthant_result *best = NULL;
    char seed[32];
    (void)state;
    problem_make(&p, (problem_shape){60, 20, ORTHANT_DOUBLE, false, 3, 0});
    orthant_model *model = make_model(&p);
    expect_ok(p.ctx, orthant_model_set(model, "seed", "7"));
    orthant_result *plain = problem_fit(&p, model);
    assert_int_equal(orthant_result_start_count(plain), 1);
    assert_true(orthant_result_start_objective(plain, 0) == orthant_result_objective(plain));
    expect_ok(p.ctx, orthant_fit_starts(model, p.X, STARTS, &best));
    assert_int_equal(orthant_result_start_count(best), STARTS);
    assert_true(orthant_result_start_objective(best, 0) == orthant_result_objective(plain));
    double lowest = INFINITY, highest = 0;
    for (int i = 0; i < STARTS; i++) {
        lowest = fmin(lowest, orthant_result_start_objective(best, i));
        highest = fmax(highest, orthant_result_start_objective(best, i));
    }
    assert_true(orthant_result_objective(best) == lowest);
    assert_true(highest > lowest);
    assert_true(isnan(orthant_result_start_objective(best, STARTS)));
    assert_true(isnan(orthant_result_start_objective(best, -1)));
    assert_true(isnan(orthant_result_start_objective(NULL, 0)));
    assert_int_equal(orthant_result_start_count(NULL), 0);
    expect_ok(p.ctx, orthant_model_get(model, "seed", seed, sizeof seed));
    assert_string_equal(seed, "7");
    orthant_result_free(best);
    expect_ok(p.ctx, orthant_fit_starts(model, p.X, 1, &best));
    assert_true(factors_identical(best, plain));
    orthant_result_free(best);
    orthant_result_free(plain);
    orthant_model_free(model);
    problem_free(&p);
}

static bool stop_in_second(void *user, const orthant_result *result)
{
    int *begun = user;
    *begun += orthant_result_iterations(result) == 1;
    return *begun < 2;
}

/* A start that is stopped is the last, and counts. */
static void test_stopped(void **state)
{
    test_problem p;
    orthant_result *best = NULL;
    int begun = 0;
    (void)state;
    problem_make(&p, (problem_shape){60, 20, ORTHANT_DOUBLE, false, 3, 0});
    orthant_model *model = make_model(&p);
    expect_ok(p.ctx, orthant_model_set_iteration(model, stop_in_second, &begun));
    expect_ok(p.ctx, orthant_fit_starts(model, p.X, STARTS, &best));
    assert_int_equal(orthant_result_start_count(best), 2);
    assert_true(orthant_result_start_objective(best, 0) < orthant_result_start_objective(best, 1));
    assert_true(orthant_result_objective(best) == orthant_result_start_objective(best, 0));
    orthant_result_free(best);
    orthant_model_free(model);
    problem_free(&p);
}

static void test_refused(void **state)
{
    test_problem p;
    orthant_result *best = NULL;
    (void)state;
    problem_make(&p, (problem_shape){20, 10, ORTHANT_DOUBLE, false, 3, 0});
    orthant_model *model = make_model(&p);
    expect_failure(p.ctx, ORTHANT_ERROR_ARGUMENT, "0 starts",
                   orthant_fit_starts(model, p.X, 0, &best));
    expect_failure(p.ctx, ORTHANT_ERROR_ARGUMENT, "10001 starts",
                   orthant_fit_starts(model, p.X, 10001, &best));
    expect_ok(p.ctx, orthant_model_set_checkpoint(model, "never", 10));
    expect_failure(p.ctx, ORTHANT_ERROR_ARGUMENT, "share one checkpoint",
                   orthant_fit_starts(model, p.X, 2, &best));
    assert_null(best);
    orthant_model_free(model);
    problem_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_lowest),
                                       cmocka_unit_test(test_stopped),
                                       cmocka_unit_test(test_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
