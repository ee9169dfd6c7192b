/* The callback that watches a fit: what it sees after iteration j is, to the bit, what a fit of j
 * iterations gives; watching changes nothing; false stops. */
#include "fixture.h"

#include "problem.h"

#define LOOKED_AT 3

typedef struct watcher {
    int64_t calls;
    const orthant_result *expected; /* at iteration LOOKED_AT */
    bool identical, in_order;
    int64_t stop_at;
} watcher;

static bool watch(void *user, const orthant_result *result)
{
    watcher *w = user;
    w->calls++;
    w->in_order &= orthant_result_iterations(result) == w->calls &&
                   orthant_result_history_rows(result) == w->calls + 1;
    if (w->calls == LOOKED_AT && w->expected)
        w->identical = factors_identical(w->expected, result) &&
                       orthant_result_objective(w->expected) == orthant_result_objective(result);
    return w->calls != w->stop_at;
}

static orthant_method_info told(const char *method)
{
    orthant_method_info info = {.size = sizeof info};
    assert_int_equal(orthant_method_info_by_name(NULL, method, &info), ORTHANT_OK);
    return info;
}

static void watch_method(const char *method, bool sparse, const char *parameter, const char *value)
{
    test_problem p;
    problem_make(&p, (problem_shape){61, 37, ORTHANT_SINGLE, sparse, 3, 0.7});
    orthant_model *short_model = problem_model(&p, method, 4, "3"),
                  *model = problem_model(&p, method, 4, "7");
    if (parameter) {
        expect_ok(p.ctx, orthant_model_set(short_model, parameter, value));
        expect_ok(p.ctx, orthant_model_set(model, parameter, value));
    }
    orthant_result *expected = problem_fit(&p, short_model), *unwatched = problem_fit(&p, model);
    watcher w = {.expected = expected, .in_order = true};
    expect_ok(p.ctx, orthant_model_set_iteration(model, watch, &w));
    orthant_result *watched = problem_fit(&p, model);
    if (!factors_identical(unwatched, watched))
        fail_msg("%s: watching changed the factors", method);
    const orthant_method_info info = told(method);
    if (info.shows_factors && !(w.calls == 7 && w.in_order && w.identical))
        fail_msg("%s: %lld calls, %s, the factors of iteration %d %s", method, (long long)w.calls,
                 w.in_order ? "in order" : "out of order", LOOKED_AT,
                 w.identical ? "are right" : "differ");
    assert_true(info.shows_factors || w.calls == 0);
    assert_true(info.iterates || factors_identical(expected, unwatched));
    assert_true(info.iterates || !info.shows_factors);
    orthant_result_free(expected);
    orthant_result_free(unwatched);
    orthant_result_free(watched);
    orthant_model_free(short_model);
    orthant_model_free(model);
    problem_free(&p);
}

static void test_every_method(void **state)
{
    orthant_method_info info = {.size = sizeof info};
    (void)state;
    for (int i = 0; !orthant_method_info_at(i, &info); i++) {
        watch_method(info.name, false, NULL, NULL);
        watch_method(info.name, true, NULL, NULL);
    }
}

static void test_solvers(void **state)
{
    (void)state;
    watch_method("nmf", false, "solver", "mu");
    watch_method("nmf", false, "solver", "emu");
    watch_method("gnmf", false, "solver", "emu");
    watch_method("nmf-kl", false, "solver", "mu");
    watch_method("rica", false, "whiten", "no");
}

static void test_stops(void **state)
{
    test_problem p;
    (void)state;
    problem_make(&p, (problem_shape){61, 37, ORTHANT_DOUBLE, false, 3, 0.7});
    orthant_model *model = problem_model(&p, "nmf", 4, "50");
    watcher w = {.stop_at = 2};
    expect_ok(p.ctx, orthant_model_set_iteration(model, watch, &w));
    orthant_result *result = problem_fit(&p, model);
    assert_int_equal(orthant_result_iterations(result), 2);
    assert_true(orthant_result_stopped(result));
    orthant_result_free(result);
    expect_ok(p.ctx, orthant_model_set_iteration(model, NULL, NULL));
    result = problem_fit(&p, model);
    assert_int_equal(w.calls, 2);
    assert_int_equal(orthant_result_iterations(result), 50);
    orthant_result_free(result);
    orthant_model_free(model);
    problem_free(&p);
}

/* Labels can be read off the factors of the moment. */
static bool read_labels(void *user, const orthant_result *result)
{
    orthant_labels *labels = NULL;
    assert_int_equal(orthant_result_labels(result, NULL, 4, 1, 1, &labels), ORTHANT_OK);
    *(int64_t *)user += orthant_labels_count(labels);
    orthant_labels_free(labels);
    return true;
}

static void test_labels_within(void **state)
{
    test_problem p;
    int64_t labelled = 0;
    (void)state;
    problem_make(&p, (problem_shape){61, 37, ORTHANT_DOUBLE, false, 3, 0.7});
    orthant_model *model = problem_model(&p, "nmf", 4, "5");
    expect_ok(p.ctx, orthant_model_set_iteration(model, read_labels, &labelled));
    orthant_result *result = problem_fit(&p, model);
    assert_int_equal(labelled, 5 * 61);
    orthant_result_free(result);
    orthant_model_free(model);
    problem_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_method),
        cmocka_unit_test(test_solvers),
        cmocka_unit_test(test_stops),
        cmocka_unit_test(test_labels_within),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
