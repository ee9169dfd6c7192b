/* The a-optimal term under weights that are far too large for the plain rule. Its value and parts:
 * test_value.c and test_contract.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "problem.h"

/* The safeguard acts, and says so. */
static void test_safeguard_acts(void **state)
{
    (void)state;
    int64_t acted = 0;
    for (int i = 0; i < 8; i++) {
        test_problem p;
        problem_make(&p,
                     (problem_shape){20 + 5 * i, 12, ORTHANT_DOUBLE, i % 2, 40 + (uint64_t)i, 0});
        orthant_model *model = problem_model(&p, "anp", 5, "60");
        assert_int_equal(orthant_model_set(model, "optimality_weight", "1e4"), ORTHANT_OK);
        assert_int_equal(orthant_model_set(model, "gamma", i < 4 ? "1e-6" : "0.1"), ORTHANT_OK);
        orthant_result *result = problem_fit(&p, model);
        const int last = orthant_result_history_columns(result) - 1;
        assert_string_equal(orthant_result_history_column(result, last), "step");
        for (int64_t r = 1; r < orthant_result_history_rows(result); r++) {
            const double before = orthant_result_history(result, r - 1, 2),
                         now = orthant_result_history(result, r, 2);
            assert_true(now <= before * (1 + 1e-12));
            acted += orthant_result_history(result, r, last) < 1;
        }
        orthant_result_free(result);
        orthant_model_free(model);
        problem_free(&p);
    }
    assert_true(acted > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_safeguard_acts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
