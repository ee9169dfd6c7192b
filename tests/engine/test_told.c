/* What a fit refuses, and what it says of starts that fail and of a scale that drifts. */
#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "problem.h"

#include <cmocka.h>

static const problem_shape small = {57, 33, ORTHANT_DOUBLE, false, 5, 0.6};

static orthant_result *fit_with(const test_problem *p, const char *method, int64_t rank,
                                const char *iterations, const char *name, const char *value)
{
    orthant_model *model = problem_model(p, method, rank, iterations);
    if (name)
        assert_int_equal(orthant_model_set(model, name, value), ORTHANT_OK);
    orthant_result *result = problem_fit(p, model);
    orthant_model_free(model);
    return result;
}

/* ------------------------------------------------------------------ starts that fail */

typedef struct allowance {
    long left; /* allocations that succeed */
} allowance;

static void *allocate(void *user, size_t size, size_t alignment)
{
    allowance *a = user;
    return a->left-- > 0 ? aligned_alloc(alignment, size) : NULL;
}

static void release(void *user, void *memory)
{
    (void)user;
    free(memory);
}

/* Whichever allocation of a fit fails, it is told: no start that was not made is gone on from. */
static void test_failed_starts_are_told(void **state)
{
    static const char *const kinds[] = {"kmeans", "nndsvd", "nndsvdar", "random"};
    (void)state;
    for (int kind = 0; kind < 4; kind++) {
        long failures = 0;
        for (orthant_status status = ORTHANT_ERROR_MEMORY; status; failures++) {
            allowance a = {LONG_MAX};
            orthant_context *ctx = NULL;
            orthant_matrix *X = NULL;
            orthant_model *model = NULL;
            orthant_result *result = NULL;
            double values[30 * 12];
            for (int i = 0; i < 360; i++)
                values[i] = 1 + i * 7919 % 101;
            assert_int_equal(orthant_context_create(&ctx), ORTHANT_OK);
            assert_int_equal(orthant_context_set_threads(ctx, 1), ORTHANT_OK);
            assert_int_equal(orthant_context_set_allocator(ctx, allocate, release, &a), ORTHANT_OK);
            assert_int_equal(orthant_matrix_create(ctx, 30, 12, values, &X), ORTHANT_OK);
            assert_int_equal(orthant_model_create(ctx, "nmf", 3, &model), ORTHANT_OK);
            assert_int_equal(orthant_model_set(model, "init", kinds[kind]), ORTHANT_OK);
            assert_int_equal(orthant_model_set(model, "iterations", "1"), ORTHANT_OK);
            a.left = failures;
            status = orthant_fit(model, X, &result);
            assert_true(status == (a.left < 0 ? ORTHANT_ERROR_MEMORY : ORTHANT_OK));
            assert_true((result == NULL) == (status != ORTHANT_OK));
            a.left = LONG_MAX;
            orthant_result_free(result);
            orthant_model_free(model);
            orthant_matrix_free(X);
            assert_int_equal(orthant_context_memory(ctx), 0);
            orthant_context_free(ctx);
        }
        assert_true(failures > 10);
    }
}

static bool stop_at_once(void *user, const orthant_progress *progress)
{
    (void)user;
    (void)progress;
    return false;
}

static void test_a_stopped_start_is_told(void **state)
{
    test_problem p;
    orthant_result *result = NULL;
    (void)state;
    problem_make(&p, small);
    orthant_model *model = problem_model(&p, "nmf", 4, "20");
    assert_int_equal(orthant_model_set(model, "init", "kmeans"), ORTHANT_OK);
    orthant_context_set_progress(p.ctx, stop_at_once, NULL);
    assert_int_equal(orthant_fit(model, p.X, &result), ORTHANT_STOPPED);
    assert_null(result);
    assert_non_null(strstr(orthant_message(p.ctx), "stopped during the k-means start"));
    orthant_context_set_progress(p.ctx, NULL, NULL);
    orthant_model_free(model);
    problem_free(&p);
}

/* A refusal names the methods that take mixed signs where signs are the reason, and only there. */
static void test_refused_entries(void **state)
{
    static const struct {
        const char *method;
        double entry;
        bool refused, advised;
    } cases[] = {{"nmf", -1, true, true},
                 {"nmf", NAN, true, false},
                 {"nmf", INFINITY, true, false},
                 {"cf", -1, false, false},
                 {"cf", NAN, true, false}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        orthant_context *ctx = NULL;
        orthant_matrix *X = NULL;
        orthant_model *model = NULL;
        orthant_result *result = NULL;
        double values[8 * 3];
        for (int e = 0; e < 24; e++)
            values[e] = e == 10 ? cases[i].entry : 1 + e % 5;
        assert_int_equal(orthant_context_create(&ctx), ORTHANT_OK);
        assert_int_equal(orthant_matrix_create(ctx, 8, 3, values, &X), ORTHANT_OK);
        assert_int_equal(orthant_model_create(ctx, cases[i].method, 2, &model), ORTHANT_OK);
        assert_int_equal(orthant_model_set(model, "iterations", "2"), ORTHANT_OK);
        assert_int_equal(orthant_fit(model, X, &result),
                         cases[i].refused ? ORTHANT_ERROR_DATA : ORTHANT_OK);
        const char *message = orthant_message(ctx);
        if (cases[i].refused) {
            assert_non_null(strstr(message, "entry (4, 2)"));
            assert_true((strstr(message, "Methods that take mixed signs: ") != NULL) ==
                        cases[i].advised);
            assert_true(!cases[i].advised || strstr(message, "cf"));
        }
        orthant_result_free(result);
        orthant_model_free(model);
        orthant_matrix_free(X);
        orthant_context_free(ctx);
    }
}

static double length_of(const orthant_matrix *matrix)
{
    double squares = 0;
    for (int64_t i = 0; i < orthant_matrix_rows(matrix); i++)
        for (int64_t j = 0; j < orthant_matrix_columns(matrix); j++)
            squares += pow(orthant_matrix_get(matrix, i, j), 2);
    return sqrt(squares);
}

/* The drift is told from a thousand times on, by its number, whichever way it goes. */
static void test_drift_is_told_by_its_size(void **state)
{
    static const struct {
        const char *method, *words;
    } cases[] = {{"tnmf", "the basis grew %lg times"}, {"anp", "the basis shrank %lg times"}};
    (void)state;
    for (int c = 0; c < 2; c++)
        for (int64_t iterations = 5; iterations <= 5000; iterations *= 10) {
            test_problem p;
            char text[24];
            double told = 0;
            problem_make(&p, small);
            snprintf(text, sizeof text, "%d", (int)iterations);
            orthant_result *start = fit_with(&p, cases[c].method, 4, "0", NULL, NULL),
                           *end = fit_with(&p, cases[c].method, 4, text,
                                           c ? "optimality_weight" : NULL, "1e9");
            const double ratio = length_of(orthant_result_factor(end, "basis")) /
                                 length_of(orthant_result_factor(start, "basis")),
                         drift = c ? 1 / ratio : ratio;
            for (int i = 0; i < orthant_result_note_count(end); i++) {
                const char *found = strstr(orthant_result_note(end, i), "the basis ");
                if (found)
                    assert_int_equal(sscanf(found, cases[c].words, &told), 1);
            }
            if (drift > 1000 ? !(fabs(told / drift - 1) < 0.01) : told != 0)
                fail_msg("%s, %d iterations: %g is told, %g is true", cases[c].method,
                         (int)iterations, told, drift);
            orthant_result_free(start);
            orthant_result_free(end);
            problem_free(&p);
        }
}

/* ------------------------------------------------------------------ the range of the data */

/* Data whose largest entry is `largest`. */
static void make_scaled(test_problem *p, orthant_precision precision, double largest)
{
    double values[40 * 15];
    memset(p, 0, sizeof *p);
    for (int i = 0; i < 600; i++)
        values[i] = largest * (1 + i * 7919 % 100) / 100;
    assert_int_equal(orthant_context_create(&p->ctx), ORTHANT_OK);
    orthant_context_set_precision(p->ctx, precision);
    assert_int_equal(orthant_matrix_create(p->ctx, 40, 15, values, &p->X), ORTHANT_OK);
}

/* What is left of the first objective after some iterations; the scale of the data is no part of
 * it. */
static double left_over(orthant_precision precision, double largest, const char *method,
                        const char *solver)
{
    test_problem p;
    make_scaled(&p, precision, largest);
    orthant_result *result = fit_with(&p, method, 5, "60", "solver", solver);
    const double left = orthant_result_objective(result) / orthant_result_history(result, 0, 2);
    assert_int_equal(orthant_result_dead_columns(result), 0);
    orthant_result_free(result);
    problem_free(&p);
    return left;
}

/* At both ends of the promised range every solver does what it does in the middle. */
static void test_solvers_at_the_edges_of_the_range(void **state)
{
    static const char *const pairs[][2] = {{"nmf", "mu"},     {"nmf", "emu"},
                                           {"nmf", "hals"},   {"nmf-kl", "mu"},
                                           {"nmf-kl", "emu"}, {"nmf-kl", "newton"}};
    (void)state;
    for (int i = 0; i < 6; i++)
        for (int d = 0; d < 2; d++) {
            const orthant_precision precision = d ? ORTHANT_DOUBLE : ORTHANT_SINGLE;
            const double most = d ? 1e30 : 1e12,
                         middle = left_over(precision, 1, pairs[i][0], pairs[i][1]);
            assert_true(middle < 0.8);
            for (int end = 0; end < 2; end++) {
                const double left = left_over(precision, end ? 0.999 * most : 1.001 / most,
                                              pairs[i][0], pairs[i][1]);
                if (!(fabs(left / middle - 1) <= (d ? 1e-6 : 0.02)))
                    fail_msg("%s by %s, %s precision, at %g: %g of the objective is left, not %g",
                             pairs[i][0], pairs[i][1], d ? "double" : "single",
                             end ? most : 1 / most, left, middle);
            }
        }
}

/* Every method takes such data, and refuses what lies beyond. */
static void test_methods_at_the_edges_of_the_range(void **state)
{
    orthant_method_info info = {.size = sizeof info};
    (void)state;
    for (int i = 0; !orthant_method_info_at(i, &info); i++)
        for (int e = 0; e < 8; e++) {
            const bool d = e % 2, large = e / 2 % 2, outside = e >= 4;
            const double most = (d ? 1e30 : 1e12) * (outside ? 1.001 : 0.999);
            int64_t label[40];
            test_problem p;
            orthant_result *result = NULL;
            make_scaled(&p, d ? ORTHANT_DOUBLE : ORTHANT_SINGLE, large ? most : 1 / most);
            for (int j = 0; j < 40; j++)
                label[j] = j % 3 ? -1 : j % 2;
            assert_int_equal(orthant_labels_create(p.ctx, 40, label, &p.labels), ORTHANT_OK);
            orthant_model *model = problem_model(&p, info.name, 4, "20");
            const orthant_status status = orthant_fit(model, p.X, &result);
            const char *message = orthant_message(p.ctx);
            if (outside) {
                assert_int_equal(status, ORTHANT_ERROR_DATA);
                assert_non_null(strstr(message, "scale the data by max"));
            } else if (status && !strstr(message, "take a larger ridge")) { /* nsdr has a scale */
                fail_msg("%s at %g: %s", info.name, large ? most : 1 / most, message);
            }
            assert_true(status || isfinite(orthant_result_objective(result)));
            orthant_result_free(result);
            orthant_model_free(model);
            problem_free(&p);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_failed_starts_are_told),
        cmocka_unit_test(test_a_stopped_start_is_told),
        cmocka_unit_test(test_refused_entries),
        cmocka_unit_test(test_drift_is_told_by_its_size),
        cmocka_unit_test(test_solvers_at_the_edges_of_the_range),
        cmocka_unit_test(test_methods_at_the_edges_of_the_range),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
