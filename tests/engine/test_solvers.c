/* The accelerated solvers: they descend with every set of terms, end where nothing can be gained,
 * and are never behind the multiplicative rule. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include "problem.h"

#include <cmocka.h>

static const char *const terms[] = {"topographic", "class", "local", "graph", "sparsity"};
static const double weights[] = {3, 1, 0.5, 2, 0.1};
#define TERMS 5

static orthant_model *model_with(const test_problem *p, const char *method, const char *solver,
                                 int set, const char *iterations)
{
    orthant_model *model = problem_model(p, method, 4, iterations);
    assert_int_equal(orthant_model_set(model, "solver", solver), ORTHANT_OK);
    for (int t = 0; t < TERMS; t++)
        if (set & 1 << t)
            assert_int_equal(orthant_model_add_term(model, terms[t], weights[t]), ORTHANT_OK);
    return model;
}

static orthant_result *fit_by(const test_problem *p, const char *method, const char *solver,
                              int set, const char *iterations)
{
    orthant_model *model = model_with(p, method, solver, set, iterations);
    orthant_result *result = problem_fit(p, model);
    orthant_model_free(model);
    return result;
}

static void never_rises(const orthant_result *result, const char *what, int set)
{
    const double first = orthant_result_history(result, 0, 2);
    for (int64_t i = 1; i < orthant_result_history_rows(result); i++)
        if (!(orthant_result_history(result, i, 2) <=
              orthant_result_history(result, i - 1, 2) + 1e-11 * first))
            fail_msg("%s with the terms %d rose in iteration %d", what, set, (int)i);
    for (int f = 0; f < orthant_result_factor_count(result); f++) {
        const orthant_matrix *factor =
            orthant_result_factor(result, orthant_result_factor_name(result, f));
        for (int64_t i = 0; i < orthant_matrix_rows(factor); i++)
            for (int64_t j = 0; j < orthant_matrix_columns(factor); j++)
                assert_true(orthant_matrix_get(factor, i, j) >= 0);
    }
}

/* Dense and sparse, every set of terms. The problems have many minima, so the multiplicative rule
 * may find a better one now and then, but not often and not by much. */
static void test_descent_with_any_terms(void **state)
{
    int ahead = 0, all = 0;
    (void)state;
    for (int set = 0; set < 1 << TERMS; set++)
        for (int sparse = 0; sparse < 2; sparse++, all++) {
            test_problem p;
            problem_make(&p, (problem_shape){50, 30, ORTHANT_DOUBLE, sparse, 6, 0.5});
            orthant_result *hals = fit_by(&p, "nmf", "hals", set, "30"),
                           *mu = fit_by(&p, "nmf", "mu", set, "30");
            const double ratio = orthant_result_objective(hals) / orthant_result_objective(mu);
            never_rises(hals, "hals", set);
            ahead += ratio <= 1;
            if (!(ratio <= 1.05))
                fail_msg("hals with the terms %d ends %g times as high as mu", set, ratio);
            orthant_result_free(hals);
            orthant_result_free(mu);
            problem_free(&p);
        }
    if (5 * ahead < 4 * all)
        fail_msg("hals is ahead in %d of %d", ahead, all);
}

/* The same for the KL loss: of data with many zeros and with few, the terms that leave the basis
 * alone. */
static void test_newton_with_any_terms(void **state)
{
    const int local = 1 << 2;
    int ahead = 0, all = 0;
    (void)state;
    for (int set = 0; set < 1 << TERMS; set++)
        for (int kind = 0; kind < 3 && !(set & local); kind++, all++) {
            test_problem p;
            problem_make(
                &p, (problem_shape){50, 30, ORTHANT_DOUBLE, kind == 2, 6, kind == 0 ? 0.9 : 0.3});
            orthant_result *newton = fit_by(&p, "nmf-kl", "newton", set, "30"),
                           *mu = fit_by(&p, "nmf-kl", "mu", set, "30");
            const double ratio = orthant_result_objective(newton) / orthant_result_objective(mu);
            never_rises(newton, "newton", set);
            ahead += ratio <= 1;
            if (!(ratio <= 1.05))
                fail_msg("newton with the terms %d ends %g times as high as mu", set, ratio);
            orthant_result_free(newton);
            orthant_result_free(mu);
            problem_free(&p);
        }
    if (5 * ahead < 4 * all)
        fail_msg("newton is ahead in %d of %d", ahead, all);
}

/* However X is stored, and however its rows are gone through. */
static void test_newton_on_any_storage(void **state)
{
    (void)state;
    for (int64_t features = 9; features <= 200; features += 191) {
        test_problem dense, sparse;
        problem_make(&dense, (problem_shape){70, features, ORTHANT_DOUBLE, false, 4, 0.3});
        problem_make(&sparse, (problem_shape){70, features, ORTHANT_DOUBLE, true, 4, 0.3});
        orthant_result *first = fit_by(&dense, "nmf-kl", "newton", 0, "20"),
                       *second = fit_by(&sparse, "nmf-kl", "newton", 0, "20");
        const double loss = orthant_result_objective(first);
        assert_true(fabs(loss - orthant_result_objective(second)) <= 1e-8 * loss);
        assert_true(fabs(loss - problem_loss(&dense, first, true)) <= 1e-10 * loss);
        orthant_result_free(first);
        orthant_result_free(second);
        problem_free(&dense);
        problem_free(&sparse);
    }
}

/* No iterate leaves an entry of X without what fits it: the loss would be infinite. */
static void test_newton_fits_every_entry(void **state)
{
    (void)state;
    for (int i = 0; i < 60; i++) {
        const char iterations[] = {(char)('1' + i % 6), 0};
        test_problem p;
        problem_make(&p, (problem_shape){120, 20, ORTHANT_DOUBLE, i % 2, 1 + (uint64_t)i, 0.8});
        orthant_result *result = fit_by(&p, "nmf-kl", "newton", 0, iterations);
        const double loss = problem_loss(&p, result, true);
        if (!(fabs(loss - orthant_result_objective(result)) <= 1e-9 * loss && isfinite(loss)))
            fail_msg("the loss is %g, said to be %g", loss, orthant_result_objective(result));
        orthant_result_free(result);
        problem_free(&p);
    }
}

/* X in other units, as far as single precision goes: roots of these scales are exact. */
static void test_newton_in_any_units(void **state)
{
    const double scales[] = {1, 0x1p-36, 0x1p36};
    double first = 0;
    (void)state;
    for (int i = 0; i < 24; i++) {
        const double scale = scales[i % 3];
        test_problem p;
        problem_make(&p, (problem_shape){60, 40, ORTHANT_SINGLE, false, 1 + (uint64_t)i / 3, 0.7});
        problem_scale(&p, scale);
        orthant_result *result = fit_by(&p, "nmf-kl", "newton", 0, "60");
        const double loss = orthant_result_objective(result) / scale;
        first = scale == 1 ? loss : first;
        if (!(fabs(loss - first) <= 1e-3 * first))
            fail_msg("of %g times the data the loss is %g, not %g, times as much", scale,
                     loss * scale / first, scale);
        assert_true(orthant_result_projected_gradient(result) < 0.05);
        orthant_result_free(result);
        problem_free(&p);
    }
}

static void test_extrapolation_with_any_terms(void **state)
{
    (void)state;
    for (int set = 0; set < 1 << TERMS; set++)
        for (int loss = 0; loss < 2; loss++) {
            test_problem p;
            problem_make(&p, (problem_shape){50, 30, ORTHANT_DOUBLE, set % 2, 6, 0.5});
            orthant_result *emu = fit_by(&p, loss ? "nmf-kl" : "nmf", "emu", set, "30");
            never_rises(emu, loss ? "emu, kl" : "emu", set);
            orthant_result_free(emu);
            problem_free(&p);
        }
}

/* Far ahead on plain problems, in objective and in the projected gradient. */
static void test_ahead_of_the_multiplicative_rule(void **state)
{
    static const char *const pairs[][2] = {
        {"nmf", "hals"}, {"nmf-kl", "emu"}, {"nmf-kl", "newton"}};
    (void)state;
    for (int i = 0; i < 3; i++) {
        test_problem p;
        problem_make(&p, (problem_shape){200, 80, ORTHANT_DOUBLE, false, 3, 0.7});
        orthant_result *fast = fit_by(&p, pairs[i][0], pairs[i][1], 0, "60"),
                       *mu = fit_by(&p, pairs[i][0], "mu", 0, "60");
        assert_true(orthant_result_objective(fast) < orthant_result_objective(mu));
        assert_true(orthant_result_projected_gradient(fast) <
                    orthant_result_projected_gradient(mu));
        orthant_result_free(fast);
        orthant_result_free(mu);
        problem_free(&p);
    }
}

static void test_ends_stationary(void **state)
{
    test_problem p;
    (void)state;
    problem_make(&p, (problem_shape){60, 25, ORTHANT_DOUBLE, false, 9, 0.7});
    for (int set = 0; set <= 4;
         set += 4) { /* plain, and local: a penalty on S alone has no minimum */
        orthant_result *hals = fit_by(&p, "nmf", "hals", set, "4000");
        if (!(orthant_result_projected_gradient(hals) < 1e-6))
            fail_msg("terms %d: the projected gradient is %g", set,
                     orthant_result_projected_gradient(hals));
        orthant_result_free(hals);
    }
    orthant_result *newton = fit_by(&p, "nmf-kl", "newton", 0, "4000");
    if (!(orthant_result_projected_gradient(newton) < 1e-6))
        fail_msg("newton: the projected gradient is %g", orthant_result_projected_gradient(newton));
    orthant_result_free(newton);
    problem_free(&p);
}

/* The same bits with any number of threads, also where sums are formed in the basis step. */
static void test_threads(void **state)
{
    (void)state;
    for (int kind = 0; kind < 5; kind++) {
        const bool sparse = kind % 2 == 1, newton = kind > 1;
        test_problem p;
        problem_make(&p,
                     (problem_shape){600, 1500, ORTHANT_SINGLE, sparse, 2, kind == 4 ? 0.9 : 0.3});
        orthant_result *first = NULL;
        for (int threads = 1; threads <= 3; threads++) {
            assert_int_equal(orthant_context_set_threads(p.ctx, threads), ORTHANT_OK);
            orthant_result *result = newton ? fit_by(&p, "nmf-kl", "newton", 9, "15")
                                            : fit_by(&p, "nmf", "hals", 9, "15");
            if (first) {
                const char *names[] = {"basis", "encoding"};
                for (int f = 0; f < 2; f++)
                    assert_true(factor_difference(orthant_result_factor(first, names[f]),
                                                  orthant_result_factor(result, names[f])) == 0);
                orthant_result_free(result);
            } else {
                first = result;
            }
        }
        orthant_result_free(first);
        problem_free(&p);
    }
}

static void refused(const test_problem *p, orthant_model *model, const char *words)
{
    orthant_result *result = NULL;
    assert_int_equal(orthant_fit(model, p->X, &result), ORTHANT_ERROR_ARGUMENT);
    assert_null(result);
    assert_non_null(strstr(orthant_message(p->ctx), words));
    orthant_model_free(model);
}

static void test_refusals(void **state)
{
    test_problem p;
    (void)state;
    problem_make(&p, (problem_shape){30, 12, ORTHANT_DOUBLE, false, 6, 0.7});
    refused(&p, model_with(&p, "nmf-kl", "hals", 0, "5"), "frobenius");
    refused(&p, model_with(&p, "nnsc", "hals", 0, "5"), "'nnsc'");
    refused(&p, model_with(&p, "anp", "hals", 0, "5"), "'a-optimal'");
    refused(&p, model_with(&p, "nnsc", "emu", 0, "5"), "'nnsc'");
    refused(&p, model_with(&p, "nmf", "newton", 0, "5"), "the loss kl");
    refused(&p, model_with(&p, "nmf-kl", "newton", 4, "5"), "'local'");
    for (int i = 0; i < 2; i++) {
        orthant_model *model = model_with(&p, i ? "nmf-kl" : "nmf", i ? "newton" : "emu", 0, "5");
        assert_int_equal(orthant_model_set(model, "normalise", "basis"), ORTHANT_OK);
        refused(&p, model, "normalise");
    }
    problem_free(&p);
}

/* Plain nmf takes coordinate descent by itself; from given factors it is the papers' rule. */
static void test_the_default(void **state)
{
    test_problem p;
    (void)state;
    problem_make(&p, (problem_shape){60, 25, ORTHANT_DOUBLE, false, 9, 0.7});
    orthant_result *by_default = fit_by(&p, "nmf", "auto", 0, "10"),
                   *hals = fit_by(&p, "nmf", "hals", 0, "10");
    assert_true(orthant_result_objective(by_default) == orthant_result_objective(hals));
    orthant_model *model = model_with(&p, "nmf", "auto", 0, "10"),
                  *plain = model_with(&p, "nmf", "mu", 0, "10");
    const orthant_matrix *start = orthant_result_factor(hals, "basis");
    assert_int_equal(orthant_model_set_start(model, "basis", start), ORTHANT_OK);
    assert_int_equal(orthant_model_set_start(plain, "basis", start), ORTHANT_OK);
    orthant_result *given = problem_fit(&p, model), *mu = problem_fit(&p, plain);
    assert_true(orthant_result_objective(given) == orthant_result_objective(mu));
    orthant_result *results[] = {by_default, hals, given, mu};
    for (int i = 0; i < 4; i++)
        orthant_result_free(results[i]);
    orthant_model_free(model);
    orthant_model_free(plain);
    problem_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_descent_with_any_terms),
        cmocka_unit_test(test_newton_with_any_terms),
        cmocka_unit_test(test_newton_on_any_storage),
        cmocka_unit_test(test_newton_fits_every_entry),
        cmocka_unit_test(test_newton_in_any_units),
        cmocka_unit_test(test_extrapolation_with_any_terms),
        cmocka_unit_test(test_ahead_of_the_multiplicative_rule),
        cmocka_unit_test(test_ends_stationary),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_the_default),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
