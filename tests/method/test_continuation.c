/* nlcf+ and grpnmf+: a schedule of fits of nlcf and grpnmf, each from the factors of the one
 * before, and nothing else. */
#include "expect.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "files.h"
#include "fixture.h"
#include "problem.h"

#define RANK 4

typedef struct continued {
    const char *plus, *plain, *weight;
    double full;
    const char *first;    /* first_weight */
    const char *exponent; /* of the stages, or NULL */
} continued;

static const continued rows[] = {
    {"nlcf+", "nlcf", "local_weight", 0.5, "100", NULL},
    {"nlcf+", "nlcf", "local_weight", 0.5, "0.01", NULL},
    {"grpnmf+", "grpnmf", "graph_weight", 2, "0.001", "1"},
    {"grpnmf+", "grpnmf", "graph_weight", 2, "10", "0.25"},
};
enum { ROWS = sizeof rows / sizeof *rows, STAGES = 3 };

static orthant_model *model_of(const test_problem *p, const char *method, const continued *row,
                               double weight)
{
    char text[40];
    orthant_model *model = problem_model(p, method, RANK, "20");
    snprintf(text, sizeof text, "%.17g", weight);
    expect_ok(p->ctx, orthant_model_set(model, row->weight, text));
    expect_ok(p->ctx, orthant_model_set(model, "tolerance", "0"));
    return model;
}

static orthant_result *fit_plus(const test_problem *p, const continued *row, const char *stages)
{
    orthant_model *model = model_of(p, row->plus, row, row->full);
    expect_ok(p->ctx, orthant_model_set(model, "stages", stages));
    expect_ok(p->ctx, orthant_model_set(model, "stage_iterations", "7"));
    expect_ok(p->ctx, orthant_model_set(model, "first_weight", row->first));
    if (row->exponent)
        expect_ok(p->ctx, orthant_model_set(model, "stage_exponent", row->exponent));
    orthant_result *result = problem_fit(p, model);
    orthant_model_free(model);
    return result;
}

/* The same by hand, from fits of the plain method. */
static orthant_result *fit_by_hand(const test_problem *p, const continued *row)
{
    orthant_result *before = NULL;
    for (int s = 0; s <= STAGES; s++) {
        const double share = pow(strtod(row->first, NULL), 1 - (double)s / STAGES);
        orthant_model *model =
            model_of(p, row->plain, row, s < STAGES ? row->full * share : row->full);
        if (s < STAGES)
            expect_ok(p->ctx, orthant_model_set(model, "iterations", "7"));
        if (s < STAGES && row->exponent)
            expect_ok(p->ctx, orthant_model_set(model, "exponent", row->exponent));
        for (int i = 0; before && i < orthant_result_factor_count(before); i++) {
            const char *name = orthant_result_factor_name(before, i);
            expect_ok(p->ctx,
                      orthant_model_set_start(model, name, orthant_result_factor(before, name)));
        }
        orthant_result *next = problem_fit(p, model);
        orthant_result_free(before);
        before = next;
        orthant_model_free(model);
    }
    return before;
}

static void make(test_problem *p)
{
    problem_make(p, (problem_shape){60, 30, ORTHANT_DOUBLE, false, 3, 0});
}

static void test_a_schedule_of_fits(void **state)
{
    (void)state;
    test_problem p;
    make(&p);
    for (int i = 0; i < ROWS; i++) {
        orthant_result *plus = fit_plus(&p, &rows[i], "3"), *hand = fit_by_hand(&p, &rows[i]);
        assert_true(factors_identical(plus, hand));
        assert_int_equal(orthant_result_history_rows(plus), orthant_result_history_rows(hand));
        assert_true(orthant_result_objective(plus) == orthant_result_objective(hand));
        orthant_result_free(plus);
        orthant_result_free(hand);
    }
    problem_free(&p);
}

static void test_no_stages_is_the_plain_method(void **state)
{
    (void)state;
    test_problem p;
    make(&p);
    for (int i = 0; i < ROWS; i++) {
        orthant_model *model = model_of(&p, rows[i].plain, &rows[i], rows[i].full);
        orthant_result *plus = fit_plus(&p, &rows[i], "0"), *plain = problem_fit(&p, model);
        assert_true(factors_identical(plus, plain));
        orthant_result_free(plus);
        orthant_result_free(plain);
        orthant_model_free(model);
    }
    problem_free(&p);
}

/* The history is that of the fit at the full weight, and does not rise. */
static void test_history(void **state)
{
    (void)state;
    test_problem p;
    make(&p);
    for (int i = 0; i < ROWS; i++) {
        orthant_result *plus = fit_plus(&p, &rows[i], "3");
        assert_int_equal(orthant_result_history_rows(plus), 21);
        for (int64_t r = 1; r < 21; r++)
            assert_true(orthant_result_history(plus, r, 2) <=
                        orthant_result_history(plus, r - 1, 2) * (1 + 1e-12));
        orthant_result_free(plus);
    }
    problem_free(&p);
}

static bool stop_soon(void *user, const orthant_progress *progress)
{
    int *left = user;
    (void)progress;
    return (*left)-- > 0;
}

/* A fit that is stopped within a stage has a result, and no checkpoint: going on from it would
 * leave out the stages that are missing. */
static void test_stopped_in_a_stage(void **state)
{
    (void)state;
    test_problem p;
    make(&p);
    for (int within = 0; within < 2; within++) {
        int left = within ? 3 : 1000000;
        char path[600];
        snprintf(path, sizeof path, "%s/checkpoint-%d", files_folder(), within);
        orthant_model *model = model_of(&p, "nlcf+", &rows[0], rows[0].full);
        expect_ok(p.ctx, orthant_model_set_checkpoint(model, path, 0));
        orthant_context_set_progress(p.ctx, stop_soon, &left);
        orthant_result *result = problem_fit(&p, model);
        orthant_context_set_progress(p.ctx, NULL, NULL);
        assert_int_equal(orthant_result_stopped(result), within);
        assert_int_equal(access(path, F_OK), within ? -1 : 0);
        orthant_result_free(result);
        orthant_model_free(model);
    }
    problem_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_schedule_of_fits),
        cmocka_unit_test(test_no_stages_is_the_plain_method),
        cmocka_unit_test(test_history),
        cmocka_unit_test(test_stopped_in_a_stage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
