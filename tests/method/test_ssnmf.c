/* ssnmf: its objective by plain loops, what labels do and what their absence does, the bits of any
 * number of threads. Its updates are held by the golden cases. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "problem.h"

#define RANK 5

enum { OBJECTIVE = 2, LOSS, LABELS }; /* columns of the history */

/* Labels 10, 20, ... of every `apart`-th sample; 0: of none. */
static void take_labels(test_problem *p, int64_t samples, int64_t classes, int64_t apart)
{
    int64_t *values = malloc((size_t)samples * sizeof *values);
    assert_non_null(values);
    for (int64_t i = 0; i < samples; i++)
        values[i] = apart && i % apart == 0 ? 10 * (1 + i / apart % classes) : -1;
    orthant_labels_free(p->labels);
    p->labels = NULL;
    assert_int_equal(orthant_labels_create(p->ctx, samples, values, &p->labels), ORTHANT_OK);
    free(values);
}

static orthant_result *fit(test_problem *p, const char *method, const char *name, const char *value,
                           const char *iterations)
{
    orthant_model *model = problem_model(p, method, RANK, iterations);
    assert_int_equal(orthant_model_set(model, name, value), ORTHANT_OK);
    orthant_result *result = problem_fit(p, model);
    orthant_model_free(model);
    return result;
}

/* Sum over labelled samples of |y - B s|^2; their classes are label / 10 - 1. */
static double label_error(const test_problem *p, const orthant_result *result)
{
    const orthant_matrix *B = orthant_result_factor(result, "label_basis"),
                         *S = orthant_result_factor(result, "encoding");
    const int64_t *label = orthant_labels_values(p->labels);
    double total = 0;
    for (int64_t i = 0; i < orthant_matrix_rows(S); i++)
        for (int64_t c = 0; c < orthant_matrix_rows(B) && label[i] >= 0; c++) {
            double rest = label[i] / 10 - 1 == c;
            for (int64_t j = 0; j < RANK; j++)
                rest -= orthant_matrix_get(B, c, j) * orthant_matrix_get(S, i, j);
            total += rest * rest;
        }
    return total;
}

static void check_falls(const orthant_result *result, double noise)
{
    for (int64_t i = 1; i < orthant_result_history_rows(result); i++) {
        const double before = orthant_result_history(result, i - 1, OBJECTIVE),
                     now = orthant_result_history(result, i, OBJECTIVE);
        if (!(now <= before * (1 + noise)))
            fail_msg("iteration %d: the objective rose from %.17g to %.17g", (int)i, before, now);
    }
}

static void check_objective(const test_problem *p, const orthant_result *result, double weight,
                            double tolerance)
{
    const int64_t last = orthant_result_history_rows(result) - 1;
    const double loss = problem_loss(p, result, false), labels = weight * label_error(p, result);
    assert_true(fabs(orthant_result_history(result, last, LOSS) - loss) <= tolerance * loss);
    assert_true(fabs(orthant_result_history(result, last, LABELS) - labels) <= tolerance * labels);
    assert_true(fabs(orthant_result_objective(result) - loss - labels) <=
                tolerance * (loss + labels));
}

/* Few and many classes, all samples labelled and few, weights from nothing to all: of the largest
 * the labels' error is a difference that rounding would hide. */
static void test_objective(void **state)
{
    static const char *const weights[] = {"0", "0.1", "1", "1e4", "1e9"};
    (void)state;
    for (int w = 0; w < 5; w++)
        for (int variant = 0; variant < 16; variant++) {
            test_problem p;
            const bool single = variant & 1;
            problem_make(&p, (problem_shape){60, 21, single ? ORTHANT_SINGLE : ORTHANT_DOUBLE,
                                             variant & 2, 8, 0});
            take_labels(&p, 60, variant & 4 ? 3 : 15, variant & 8 ? 1 : 4);
            orthant_result *result = fit(&p, "ssnmf", "label_weight", weights[w], "80");
            check_falls(result, single ? 1e-5 : 1e-12);
            check_objective(&p, result, strtod(weights[w], NULL), single ? 1e-3 : 1e-8);
            orthant_result_free(result);
            problem_free(&p);
        }
}

/* More labelled samples than a piece has, in several chunks: any number of threads, dense and CSR.
 */
static void test_threads(void **state)
{
    (void)state;
    for (int variant = 0; variant < 4; variant++) {
        test_problem p;
        orthant_result *found[3];
        problem_make(&p, (problem_shape){50000, 6, variant & 1 ? ORTHANT_SINGLE : ORTHANT_DOUBLE,
                                         variant & 2, 8, 0});
        take_labels(&p, 50000, 40, 3);
        for (int i = 0; i < 3; i++) {
            assert_int_equal(orthant_context_set_threads(p.ctx, 1 + i), ORTHANT_OK);
            found[i] = fit(&p, "ssnmf", "label_weight", "3", "4");
            assert_true(factors_identical(found[0], found[i]));
            assert_true(orthant_result_objective(found[0]) == orthant_result_objective(found[i]));
        }
        check_objective(&p, found[0], 3, variant & 1 ? 1e-4 : 1e-9);
        for (int i = 0; i < 3; i++)
            orthant_result_free(found[i]);
        problem_free(&p);
    }
}

static bool has_note(const orthant_result *result, const char *words)
{
    for (int i = 0; i < orthant_result_note_count(result); i++)
        if (strstr(orthant_result_note(result, i), words))
            return true;
    return false;
}

static bool same_factor(const orthant_result *a, const orthant_result *b, const char *name)
{
    const orthant_matrix *x = orthant_result_factor(a, name), *y = orthant_result_factor(b, name);
    for (int64_t i = 0; i < orthant_matrix_rows(x); i++)
        for (int64_t j = 0; j < orthant_matrix_columns(x); j++)
            if (orthant_matrix_get(x, i, j) != orthant_matrix_get(y, i, j))
                return false;
    return true;
}

/* Without any label, and with a weight of 0, the bits of plain multiplicative updates. */
static void test_nothing_known_is_nmf(void **state)
{
    (void)state;
    for (int variant = 0; variant < 8; variant++) {
        test_problem p;
        const bool none = variant & 4;
        problem_make(&p, (problem_shape){200, 30, variant & 1 ? ORTHANT_SINGLE : ORTHANT_DOUBLE,
                                         variant & 2, 8, 0});
        take_labels(&p, 200, 4, none ? 0 : 2);
        orthant_result *plain = fit(&p, "nmf", "solver", "mu", "30"),
                       *result = fit(&p, "ssnmf", "label_weight", none ? "7" : "0", "30");
        assert_true(same_factor(plain, result, "basis"));
        assert_true(same_factor(plain, result, "encoding"));
        assert_true(orthant_result_objective(plain) == orthant_result_objective(result));
        assert_true(has_note(result, "no sample has a label") == none);
        assert_true((orthant_result_factor(result, "label_basis") == NULL) == none);
        orthant_result_free(plain);
        orthant_result_free(result);
        problem_free(&p);
    }
}

/* What the labels are worth: with a large weight B S' tells the class of every labelled sample. */
static void test_labels_are_fitted(void **state)
{
    test_problem p;
    (void)state;
    problem_make(&p, (problem_shape){60, 21, ORTHANT_DOUBLE, false, 8, 0.9});
    take_labels(&p, 60, 4, 2);
    orthant_result *free = fit(&p, "ssnmf", "label_weight", "0", "300"),
                   *bound = fit(&p, "ssnmf", "label_weight", "1e4", "300");
    assert_int_equal(orthant_matrix_rows(orthant_result_factor(bound, "label_basis")), 4);
    assert_true(label_error(&p, free) > 1);
    assert_true(label_error(&p, bound) < 0.1);
    orthant_result_free(free);
    orthant_result_free(bound);
    problem_free(&p);
}

/* A start of B is taken, and refused where its shape or its signs are wrong. */
static void test_starts(void **state)
{
    test_problem p;
    double values[4 * RANK];
    orthant_matrix *B = NULL, *wrong = NULL;
    orthant_result *result = NULL;
    (void)state;
    problem_make(&p, (problem_shape){60, 21, ORTHANT_DOUBLE, false, 8, 0});
    take_labels(&p, 60, 4, 2);
    for (int i = 0; i < 4 * RANK; i++)
        values[i] = 1 + i % 7;
    assert_int_equal(orthant_matrix_create(p.ctx, 4, RANK, values, &B), ORTHANT_OK);
    assert_int_equal(orthant_matrix_create(p.ctx, 3, RANK, values, &wrong), ORTHANT_OK);
    orthant_model *model = problem_model(&p, "ssnmf", RANK, "0");
    assert_int_equal(orthant_model_set_start(model, "label_basis", B), ORTHANT_OK);
    result = problem_fit(&p, model);
    assert_true(factor_difference(orthant_result_factor(result, "label_basis"), B) == 0);
    orthant_result_free(result);
    assert_int_equal(orthant_model_set_start(model, "label_basis", wrong), ORTHANT_OK);
    assert_int_equal(orthant_fit(model, p.X, &result), ORTHANT_ERROR_ARGUMENT);
    assert_non_null(
        strstr(orthant_message(p.ctx), "the start of 'label_basis' is 3 x 5; expected 4 x 5"));
    orthant_matrix_free(B);
    values[3] = -1;
    assert_int_equal(orthant_matrix_create(p.ctx, 4, RANK, values, &B), ORTHANT_OK);
    assert_int_equal(orthant_model_set_start(model, "label_basis", B), ORTHANT_OK);
    assert_int_equal(orthant_fit(model, p.X, &result), ORTHANT_ERROR_ARGUMENT);
    assert_non_null(strstr(orthant_message(p.ctx), "entry (1, 4) is -1"));
    orthant_model_free(model);
    orthant_matrix_free(B);
    orthant_matrix_free(wrong);
    problem_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_objective),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_nothing_known_is_nmf),
        cmocka_unit_test(test_labels_are_fitted),
        cmocka_unit_test(test_starts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
