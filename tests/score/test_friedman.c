/* Friedman and Nemenyi against the golden case, and by hand. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "golden.h"
#include "orthant/orthant.h"

static void near(double found, double expected, double relative)
{
    if (!(fabs(found - expected) <= relative * fabs(expected)))
        fail_msg("found %.17g, expected %.17g", found, expected);
}

static void test_golden(void **state)
{
    orthant_context *ctx = NULL;
    orthant_friedman outcome = {.size = sizeof outcome};
    int64_t rows, methods, one, count;
    double *scores = golden_read("friedman", "scores.csv", &rows, &methods);
    double *ranks = golden_read("friedman", "out_mean_rank.csv", &one, &count);
    double *values = golden_read("friedman", "out_chi2_p_F_pF.csv", &one, &count);
    double *difference = golden_read("friedman", "out_cd.csv", &one, &count), found[16];
    (void)state;
    assert_int_equal(orthant_context_create(&ctx), ORTHANT_OK);
    assert_int_equal(orthant_score_friedman(ctx, scores, rows, methods, 0.05, found, &outcome),
                     ORTHANT_OK);
    for (int64_t j = 0; j < methods; j++)
        near(found[j], ranks[j], 1e-12);
    near(outcome.chi2, values[0], 1e-12);
    near(outcome.chi2_p, values[1], 1e-9);
    near(outcome.f, values[2], 1e-12);
    near(outcome.f_p, values[3], 1e-9);
    near(outcome.critical_difference, difference[0], 1e-9);
    free(scores);
    free(ranks);
    free(values);
    free(difference);
    orthant_context_free(ctx);
}

/* Two methods, four rows, one tie: ranks 1.5 and 1, 2 thrice; chi2 = 3^2 / (4 - 1) with the tie
 * taken out. */
static void test_ties(void **state)
{
    static const double scores[] = {5, 5, 3, 1, 8, 2, 9, 4}, equal[] = {1, 1, 1, 1};
    orthant_context *ctx = NULL;
    orthant_friedman outcome = {.size = sizeof outcome};
    double ranks[2];
    (void)state;
    assert_int_equal(orthant_context_create(&ctx), ORTHANT_OK);
    assert_int_equal(orthant_score_friedman(ctx, scores, 4, 2, 0.05, ranks, &outcome), ORTHANT_OK);
    assert_true(ranks[0] == 1.125 && ranks[1] == 1.875);
    near(outcome.chi2, 3, 1e-12);
    near(outcome.chi2_p, erfc(sqrt(1.5)), 1e-9); /* one degree of freedom: a normal's two tails */
    near(outcome.critical_difference, 1.9599639845400543 * 0.5, 1e-9);
    assert_int_equal(orthant_score_friedman(ctx, equal, 2, 2, 0.05, ranks, &outcome), ORTHANT_OK);
    assert_true(outcome.chi2 == 0 && outcome.chi2_p == 1);
    assert_int_equal(orthant_score_friedman(ctx, scores, 1, 2, 0.05, ranks, &outcome),
                     ORTHANT_ERROR_ARGUMENT);
    assert_int_equal(orthant_score_friedman(ctx, scores, 4, 2, 0, ranks, &outcome),
                     ORTHANT_ERROR_ARGUMENT);
    orthant_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_golden), cmocka_unit_test(test_ties)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
