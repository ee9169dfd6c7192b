/* The history of a fit: each objective is that of the factors as they were, the projected gradient
 * is that of plain loops, and a fit ends where its tolerance or the progress callback says. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include "problem.h"

#include <cmocka.h>

#define RANK 14 /* more than any table keeps in registers */

static problem_shape wide(orthant_precision precision)
{
    return (problem_shape){40, 210, precision, false, 8, 0.8};
}

static orthant_result *fit_for(const test_problem *p, const char *method, int64_t iterations,
                               const char *tolerance)
{
    char text[24];
    snprintf(text, sizeof text, "%d", (int)iterations);
    orthant_model *model = problem_model(p, method, RANK, text);
    assert_int_equal(orthant_model_set(model, "tolerance", tolerance), ORTHANT_OK);
    assert_int_equal(orthant_model_set(model, "final_encodings", "last"), ORTHANT_OK);
    orthant_result *result = problem_fit(p, model);
    orthant_model_free(model);
    return result;
}

static double objective_at(const orthant_result *result, int64_t iteration)
{
    assert_true(iteration < orthant_result_history_rows(result));
    assert_true(orthant_result_history(result, iteration, 0) == (double)iteration);
    return orthant_result_history(result, iteration, 2);
}

static void test_history(void **state)
{
    enum { ITERATIONS = 9 };
    static const char *const methods[] = {"nmf-kl", "cdnmf-kl"};
    (void)state;
    for (int which = 0; which < 4; which++) {
        const orthant_precision precision = which % 2 ? ORTHANT_SINGLE : ORTHANT_DOUBLE;
        const double near = precision == ORTHANT_SINGLE ? 1e-5 : 1e-12;
        test_problem p;
        problem_make(&p, wide(precision));
        orthant_result *all = fit_for(&p, methods[which / 2], ITERATIONS, "0");
        assert_int_equal(orthant_result_history_rows(all), ITERATIONS + 1);
        for (int64_t t = 0; t <= ITERATIONS; t++) {
            orthant_result *some = fit_for(&p, methods[which / 2], t, "0");
            const double loss = orthant_result_history(some, t, 3);
            assert_true(fabs(objective_at(all, t) / objective_at(some, t) - 1) < near);
            assert_true(fabs(orthant_result_history(all, t, 3) / loss - 1) < near);
            assert_true(fabs(problem_loss(&p, some, true) / loss - 1) < near);
            assert_true(t < ITERATIONS || factors_identical(all, some));
            orthant_result_free(some);
        }
        orthant_result_free(all);
        problem_free(&p);
    }
}

/* |projected gradient| beside |numerators|, of `mine` where `other` is held, by plain loops: adds
 * both squares. X's rows go with `mine`, or with `other` where it is transposed. */
static void add_gradient(const test_problem *p, const orthant_matrix *mine,
                         const orthant_matrix *other, bool transposed, double *projected,
                         double *whole)
{
    for (int64_t i = 0; i < orthant_matrix_rows(mine); i++) {
        double n[RANK] = {0}, d[RANK] = {0};
        for (int64_t l = 0; l < orthant_matrix_rows(other); l++) {
            double y = 0;
            for (int64_t j = 0; j < RANK; j++)
                y += orthant_matrix_get(mine, i, j) * orthant_matrix_get(other, l, j);
            const double x = orthant_matrix_get(p->X, transposed ? l : i, transposed ? i : l);
            for (int64_t j = 0; j < RANK; j++) {
                n[j] += x > 0 ? x / y * orthant_matrix_get(other, l, j) : 0;
                d[j] += orthant_matrix_get(other, l, j);
            }
        }
        for (int64_t j = 0; j < RANK; j++) {
            const double slope = d[j] - n[j];
            *projected += slope < 0 || orthant_matrix_get(mine, i, j) > 0 ? slope * slope : 0;
            *whole += n[j] * n[j];
        }
    }
}

static void test_gradient(void **state)
{
    test_problem p;
    double projected = 0, whole = 0;
    (void)state;
    problem_make(&p, (problem_shape){200, 2100, ORTHANT_DOUBLE, false, 8, 0.8});
    orthant_result *result = fit_for(&p, "nmf-kl", 3, "0");
    const orthant_matrix *W = orthant_result_factor(result, "basis"),
                         *S = orthant_result_factor(result, "encoding");
    add_gradient(&p, W, S, true, &projected, &whole);
    add_gradient(&p, S, W, false, &projected, &whole);
    assert_true(fabs(orthant_result_projected_gradient(result) / sqrt(projected / whole) - 1) <
                1e-9);
    orthant_result_free(result);
    problem_free(&p);
}

/* Data that keep three threads busy, cut into blocks that are no part of a panel of features. */
static void test_threads(void **state)
{
    test_problem p;
    (void)state;
    problem_make(&p, (problem_shape){200, 2100, ORTHANT_SINGLE, false, 8, 0.8});
    assert_int_equal(orthant_context_set_threads(p.ctx, 1), ORTHANT_OK);
    orthant_result *one = fit_for(&p, "nmf-kl", 12, "0");
    for (int threads = 2; threads <= 3; threads++) {
        assert_int_equal(orthant_context_set_threads(p.ctx, threads), ORTHANT_OK);
        orthant_result *many = fit_for(&p, "nmf-kl", 12, "0");
        assert_true(factors_identical(one, many));
        assert_true(orthant_result_projected_gradient(one) ==
                    orthant_result_projected_gradient(many));
        for (int64_t t = 0; t <= 12; t++)
            assert_true(objective_at(one, t) == objective_at(many, t));
        orthant_result_free(many);
    }
    orthant_result_free(one);
    problem_free(&p);
}

/* The first iteration that fell by less than the tolerance over ten is the last. */
static void test_tolerance(void **state)
{
    static const char *const tolerances[] = {"0.02", "0.005", "0.001"};
    test_problem p;
    (void)state;
    problem_make(&p, wide(ORTHANT_DOUBLE));
    orthant_result *all = fit_for(&p, "nmf-kl", 300, "0");
    for (int i = 0; i < 3; i++) {
        double tolerance;
        int64_t last = 10;
        assert_int_equal(sscanf(tolerances[i], "%lf", &tolerance), 1);
        while (objective_at(all, last - 10) - objective_at(all, last) >
               10 * tolerance * objective_at(all, last - 10))
            last++;
        orthant_result *stopped = fit_for(&p, "nmf-kl", 300, tolerances[i]),
                       *same = fit_for(&p, "nmf-kl", last, "0");
        assert_true(orthant_result_converged(stopped));
        assert_int_equal(orthant_result_iterations(stopped), last);
        assert_int_equal(orthant_result_history_rows(stopped), last + 1);
        assert_true(factors_identical(stopped, same));
        orthant_result_free(stopped);
        orthant_result_free(same);
    }
    orthant_result_free(all);
    problem_free(&p);
}

typedef struct told {
    int64_t count;
    double last;
} told;

static bool stop_after_seven(void *user, const orthant_progress *progress)
{
    told *t = user;
    assert_int_equal(progress->done, ++t->count);
    assert_true(progress->objective > 0);
    t->last = progress->objective;
    return progress->done < 7;
}

/* Every iteration is told once and in order; the one that the callback ends is the last. */
static void test_progress(void **state)
{
    test_problem p;
    told t = {0, 0};
    (void)state;
    problem_make(&p, wide(ORTHANT_DOUBLE));
    orthant_context_set_progress(p.ctx, stop_after_seven, &t);
    orthant_result *stopped = fit_for(&p, "nmf-kl", 100, "0");
    orthant_context_set_progress(p.ctx, NULL, NULL);
    assert_true(orthant_result_stopped(stopped));
    assert_int_equal(orthant_result_iterations(stopped), 7);
    assert_int_equal(t.count, 7);
    assert_true(t.last == objective_at(stopped, 7));
    orthant_result *same = fit_for(&p, "nmf-kl", 7, "0");
    assert_true(factors_identical(stopped, same));
    orthant_result_free(same);
    orthant_result_free(stopped);
    problem_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_history),  cmocka_unit_test(test_gradient),
        cmocka_unit_test(test_threads),  cmocka_unit_test(test_tolerance),
        cmocka_unit_test(test_progress),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
