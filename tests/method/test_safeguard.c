/* The safeguard of the factor model: what may rise is watched, and normalising the basis is no way
 * to rise. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "objective.h"
#include "problem.h"

#include <cmocka.h>

static bool has_note(const orthant_result *result, const char *words)
{
    for (int i = 0; i < orthant_result_note_count(result); i++)
        if (strstr(orthant_result_note(result, i), words))
            return true;
    return false;
}

static orthant_model *normalised_model(const test_problem *p, const char *term, double weight,
                                       const char *iterations)
{
    orthant_model *model = problem_model(p, "nmf-kl", 4, iterations);
    assert_int_equal(orthant_model_set(model, "normalise", "basis"), ORTHANT_OK);
    assert_int_equal(orthant_model_add_term(model, term, weight), ORTHANT_OK);
    return model;
}

/* With unit columns throughout, the first objective included, no iteration rises, both factors
 * move, and the fit ends far below its start. */
static void test_normalised_fits_descend(void **state)
{
    static const char *const terms[] = {"topographic", "graph", "a-optimal"};
    static const double weights[] = {0.3, 0.1, 1};
    (void)state;
    for (int t = 0; t < 3; t++) {
        test_problem p;
        problem_make(&p, (problem_shape){60, 40, ORTHANT_DOUBLE, t % 2 == 1, 4, 0.7});
        orthant_model *model = normalised_model(&p, terms[t], weights[t], "200"),
                      *none = normalised_model(&p, terms[t], weights[t], "0");
        orthant_result *end = problem_fit(&p, model), *start = problem_fit(&p, none);
        const double first = orthant_result_history(end, 0, 2);
        assert_true(fabs(plain_objective(none, p.X, p.labels, start) / first - 1) < 1e-9);
        for (int64_t i = 1; i < orthant_result_history_rows(end); i++)
            assert_true(orthant_result_history(end, i, 2) <=
                        orthant_result_history(end, i - 1, 2) + 1e-11 * first);
        if (!(orthant_result_objective(end) < 0.7 * first))
            fail_msg("%s: from %g to %g", terms[t], first, orthant_result_objective(end));
        assert_true(factor_difference(orthant_result_factor(end, "basis"),
                                      orthant_result_factor(start, "basis")) > 0.1);
        for (int64_t k = 0; k < 4; k++) {
            double squares = 0;
            for (int64_t j = 0; j < 40; j++)
                squares += pow(orthant_matrix_get(orthant_result_factor(end, "basis"), j, k), 2);
            assert_true(fabs(squares - 1) < 1e-9);
        }
        orthant_result_free(end);
        orthant_result_free(start);
        orthant_model_free(model);
        orthant_model_free(none);
        problem_free(&p);
    }
}

/* Equal columns of the encodings and a tiny ridge: the term's value is so large that no step shows
 * in it. What stands still has not converged. */
static void test_refused_steps_are_no_convergence(void **state)
{
    test_problem p;
    orthant_matrix *S = NULL;
    double ones[60 * 4];
    (void)state;
    problem_make(&p, (problem_shape){60, 40, ORTHANT_SINGLE, false, 4, 0.7});
    for (int i = 0; i < 60 * 4; i++)
        ones[i] = 1;
    assert_int_equal(orthant_matrix_create(p.ctx, 60, 4, ones, &S), ORTHANT_OK);
    orthant_model *model = problem_model(&p, "anp", 4, "100");
    assert_int_equal(orthant_model_set(model, "tolerance", "1e-5"), ORTHANT_OK);
    assert_int_equal(orthant_model_set(model, "gamma", "1e-12"), ORTHANT_OK);
    assert_int_equal(orthant_model_set(model, "optimality_weight", "1e12"), ORTHANT_OK);
    assert_int_equal(orthant_model_set_start(model, "encoding", S), ORTHANT_OK);
    orthant_result *result = problem_fit(&p, model);
    assert_true(orthant_result_history(result, 1, 2) == orthant_result_history(result, 0, 2));
    assert_false(orthant_result_converged(result));
    assert_true(has_note(result, "no step lowered the objective"));
    orthant_result_free(result);
    orthant_model_free(model);
    orthant_matrix_free(S);
    problem_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_normalised_fits_descend),
        cmocka_unit_test(test_refused_steps_are_no_convergence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
