/* cnmf: what labels do, at their extremes. nmf-sc: the sparseness that was asked for. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "problem.h"

#define SAMPLES 24
#define FEATURES 15
#define RANK 3

static orthant_result *fit_with_labels(test_problem *p, const char *method, const int64_t *values,
                                       const char *iterations)
{
    orthant_labels_free(p->labels);
    p->labels = NULL;
    assert_int_equal(orthant_labels_create(p->ctx, SAMPLES, values, &p->labels), ORTHANT_OK);
    orthant_model *model = problem_model(p, method, RANK, iterations);
    if (!strcmp(method, "nmf"))
        assert_int_equal(orthant_model_set(model, "solver", "mu"), ORTHANT_OK);
    orthant_result *result = problem_fit(p, model);
    orthant_model_free(model);
    return result;
}

static bool has_note(const orthant_result *result, const char *words)
{
    for (int i = 0; i < orthant_result_note_count(result); i++)
        if (strstr(orthant_result_note(result, i), words))
            return true;
    return false;
}

/* Rows of one class are one row of Z, the others their own; the loss is that of the factors. */
static void check_constraint(const test_problem *p, const orthant_result *result,
                             const int64_t *label, int64_t classes, bool kl)
{
    const orthant_matrix *Z = orthant_result_factor(result, "auxiliary"),
                         *S = orthant_result_factor(result, "encoding");
    int64_t next = classes;
    for (int64_t i = 0; i < SAMPLES; i++) {
        const int64_t row = label[i] >= 0 ? label[i] / 10 : next++;
        for (int64_t j = 0; j < RANK; j++)
            assert_true(orthant_matrix_get(S, i, j) == orthant_matrix_get(Z, row, j));
    }
    assert_int_equal(orthant_matrix_rows(Z), next);
    const double loss = orthant_result_objective(result), direct = problem_loss(p, result, kl);
    assert_true(fabs(loss - direct) <= 1e-9 * orthant_result_history(result, 0, 2));
    for (int64_t i = 1; i < orthant_result_history_rows(result); i++)
        assert_true(orthant_result_history(result, i, 2) <=
                    orthant_result_history(result, i - 1, 2) * (1 + 1e-12));
}

/* One class only, every sample labelled, a class with a single sample, sparse and dense. */
static void test_label_patterns(void **state)
{
    (void)state;
    for (int pattern = 0; pattern < 4; pattern++)
        for (int variant = 0; variant < 4; variant++) {
            test_problem p;
            int64_t label[SAMPLES], classes = pattern == 0 ? 1 : 3;
            for (int64_t i = 0; i < SAMPLES; i++)
                label[i] = pattern == 0   ? (i % 3 ? -1 : 0)
                           : pattern == 1 ? 10 * (i % 3)
                           : pattern == 2 ? (i < 2   ? 10 * i
                                             : i % 2 ? -1
                                                     : 20)
                                          : (i > 20  ? 10 * (i - 21)
                                             : i % 2 ? -1
                                                     : 10);
            problem_make(&p, (problem_shape){SAMPLES, FEATURES, ORTHANT_DOUBLE, variant & 1, 8, 0});
            orthant_result *result =
                fit_with_labels(&p, variant & 2 ? "cnmf-kl" : "cnmf", label, "40");
            check_constraint(&p, result, label, classes, variant & 2);
            assert_false(has_note(result, "plain NMF"));
            orthant_result_free(result);
            problem_free(&p);
        }
}

/* Samples of several chunks, whose first blocks are the classes: the loss is that of the factors,
 * with any number of threads. */
static void test_chunks(void **state)
{
    (void)state;
    for (int variant = 0; variant < 4; variant++) {
        test_problem p;
        orthant_result *found[2];
        problem_make(&p, (problem_shape){80000, 5, ORTHANT_DOUBLE, variant & 1, 8, 0});
        orthant_model *model = problem_model(&p, variant & 2 ? "cnmf-kl" : "cnmf", RANK, "2");
        for (int i = 0; i < 2; i++) {
            assert_int_equal(orthant_context_set_threads(p.ctx, 1 + 2 * i), ORTHANT_OK);
            found[i] = problem_fit(&p, model);
        }
        const double loss = orthant_result_objective(found[0]),
                     direct = problem_loss(&p, found[0], variant & 2);
        assert_true(fabs(loss - direct) <= 1e-9 * orthant_result_history(found[0], 0, 2));
        assert_true(factors_identical(found[0], found[1]));
        orthant_result_free(found[0]);
        orthant_result_free(found[1]);
        orthant_model_free(model);
        problem_free(&p);
    }
}

/* With one labelled sample a class nothing is bound: the same factors as nmf from the same start.
 */
static void test_one_label_a_class_is_nmf(void **state)
{
    static const char *const names[][2] = {{"cnmf", "nmf"}, {"cnmf-kl", "nmf-kl"}};
    (void)state;
    for (int k = 0; k < 2; k++) {
        test_problem p;
        int64_t label[SAMPLES];
        for (int64_t i = 0; i < SAMPLES; i++)
            label[i] = i < 3 ? 10 * i : -1;
        problem_make(&p, (problem_shape){SAMPLES, FEATURES, ORTHANT_DOUBLE, false, 8, 0});
        orthant_result *bound = fit_with_labels(&p, names[k][0], label, "30");
        orthant_result *free = fit_with_labels(&p, names[k][1], label, "30");
        assert_true(has_note(bound, "plain NMF"));
        assert_true(factor_difference(orthant_result_factor(bound, "encoding"),
                                      orthant_result_factor(free, "encoding")) <= 1e-12);
        assert_true(factor_difference(orthant_result_factor(bound, "basis"),
                                      orthant_result_factor(free, "basis")) <= 1e-12);
        orthant_result_free(bound);
        orthant_result_free(free);
        problem_free(&p);
    }
}

static void test_no_known_label_is_refused(void **state)
{
    test_problem p;
    int64_t label[SAMPLES];
    orthant_result *result = NULL;
    (void)state;
    for (int64_t i = 0; i < SAMPLES; i++)
        label[i] = -1;
    problem_make(&p, (problem_shape){SAMPLES, FEATURES, ORTHANT_SINGLE, false, 8, 0});
    orthant_labels_free(p.labels);
    assert_int_equal(orthant_labels_create(p.ctx, SAMPLES, label, &p.labels), ORTHANT_OK);
    orthant_model *model = problem_model(&p, "cnmf", RANK, "2");
    assert_int_equal(orthant_fit(model, p.X, &result), ORTHANT_ERROR_ARGUMENT);
    assert_non_null(strstr(orthant_message(p.ctx), "no sample has a label"));
    orthant_model_free(model);
    problem_free(&p);
}

/* A start of the encoding is taken by the classes' means, one of the auxiliary factor as it is. */
static void test_starts(void **state)
{
    test_problem p;
    orthant_matrix *S = NULL;
    double values[SAMPLES * RANK];
    (void)state;
    problem_make(&p, (problem_shape){SAMPLES, FEATURES, ORTHANT_DOUBLE, false, 8, 0});
    for (int i = 0; i < SAMPLES * RANK; i++)
        values[i] = 1 + i % 7;
    assert_int_equal(orthant_matrix_create(p.ctx, SAMPLES, RANK, values, &S), ORTHANT_OK);
    orthant_model *model = problem_model(&p, "cnmf", RANK, "0");
    assert_int_equal(orthant_model_set_start(model, "encoding", S), ORTHANT_OK);
    orthant_result *result = problem_fit(&p, model);
    const int64_t *label = orthant_labels_values(p.labels);
    double mean = 0, count = 0;
    for (int64_t i = 0; i < SAMPLES; i++)
        if (label[i] == 2) {
            mean += values[i * RANK + 1];
            count++;
        }
    assert_true(fabs(orthant_matrix_get(orthant_result_factor(result, "auxiliary"), 2, 1) -
                     mean / count) <= 1e-12);
    assert_true(orthant_matrix_get(orthant_result_factor(result, "encoding"), 1, 1) == values[4]);
    orthant_result_free(result);
    assert_int_equal(orthant_model_set_start(model, "auxiliary", S), ORTHANT_OK);
    assert_int_equal(orthant_fit(model, p.X, &result), ORTHANT_ERROR_ARGUMENT);
    assert_non_null(strstr(orthant_message(p.ctx), "auxiliary"));
    orthant_model_free(model);
    orthant_matrix_free(S);
    problem_free(&p);
}

/* ------------------------------------------------------------------ nmf-sc */

static double sparseness(const orthant_matrix *factor, int64_t j, double *length)
{
    const double root = sqrt((double)orthant_matrix_rows(factor));
    double sum = 0, squares = 0;
    for (int64_t i = 0; i < orthant_matrix_rows(factor); i++) {
        sum += orthant_matrix_get(factor, i, j);
        squares += orthant_matrix_get(factor, i, j) * orthant_matrix_get(factor, i, j);
    }
    *length = sqrt(squares);
    return squares > 0 ? (root - sum / *length) / (root - 1) : NAN;
}

static void check_sparseness(const orthant_result *result, const char *name, double wanted,
                             double tolerance)
{
    const orthant_matrix *factor = orthant_result_factor(result, name);
    double length;
    for (int64_t j = 0; j < RANK; j++) {
        const double found = sparseness(factor, j, &length);
        if (wanted >= 0 && length > 0 && !(fabs(found - wanted) <= tolerance))
            fail_msg("%s: sparseness %g, expected %g", name, found, wanted);
        if (!strcmp(name, "encoding"))
            assert_true(fabs(length - 1) <= tolerance);
    }
}

static void test_sparseness_is_held(void **state)
{
    static const double wanted[] = {-1, 0, 0.3, 0.8, 1};
    (void)state;
    for (int e = 0; e < 5; e++)
        for (int b = 0; b < 5; b++)
            for (int variant = 0; variant < 4; variant++) {
                test_problem p;
                char text[2][16];
                snprintf(text[0], 16, "%g", wanted[e]);
                snprintf(text[1], 16, "%g", wanted[b]);
                problem_make(&p, (problem_shape){SAMPLES, FEATURES,
                                                 variant & 1 ? ORTHANT_DOUBLE : ORTHANT_SINGLE,
                                                 variant & 2, 20, 0});
                orthant_model *model = problem_model(&p, "nmf-sc", RANK, "25");
                assert_int_equal(orthant_model_set(model, "encoding_sparseness", text[0]), 0);
                assert_int_equal(orthant_model_set(model, "basis_sparseness", text[1]), 0);
                assert_int_equal(
                    orthant_model_set(model, "step", (e + b) % 2 ? "adaptive" : "restart"), 0);
                orthant_result *result = problem_fit(&p, model);
                const double tolerance = variant & 1 ? 1e-9 : 1e-4;
                check_sparseness(result, "encoding", wanted[e], tolerance);
                check_sparseness(result, "basis", wanted[b], tolerance);
                for (int64_t i = 1; i < orthant_result_history_rows(result); i++)
                    assert_true(orthant_result_history(result, i, 2) <=
                                orthant_result_history(result, i - 1, 2) +
                                    (variant & 1 ? 1e-12 : 1e-5) *
                                        orthant_result_history(result, 0, 2));
                orthant_result_free(result);
                orthant_model_free(model);
                problem_free(&p);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_label_patterns),
        cmocka_unit_test(test_chunks),
        cmocka_unit_test(test_one_label_a_class_is_nmf),
        cmocka_unit_test(test_no_known_label_is_refused),
        cmocka_unit_test(test_starts),
        cmocka_unit_test(test_sparseness_is_held),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
