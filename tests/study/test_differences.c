/* Differences of methods on the same draws, by hand and beside SciPy's quantiles of Student's t. */
#include <math.h>
#include <string.h>

#include "fixture.h"
#include "score/tails.h"
#include "study/differences.h"

static void expect_near(double value, double expected, double relative)
{
    if (!(fabs(value - expected) <= relative * fabs(expected)))
        fail_msg("%.15g, expected %.15g", value, expected);
}

/* scipy.stats.t.ppf(1 - alpha / 2, freedom) */
static void test_quantiles(void **state)
{
    static const double known[][3] = {
        {1, 0.05, 12.706204736174698}, {2, 0.05, 4.302652729749462},
        {5, 0.05, 2.5705818356363146}, {11, 0.05, 2.200985160091639},
        {30, 0.05, 2.042272456301238}, {1000, 0.05, 1.9623390808264074},
        {11, 0.01, 3.105806515539281},
    };
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        expect_near(student_quantile(known[i][0], known[i][1]), known[i][2], 1e-9);
}

static void test_pairs(void **state)
{
    static const study_row rows[] = {
        {"a", "best", 2, 0, 1, {0.5}},   {"a", "best", 2, 1, 2, {0.75}},
        {"a", "best", 3, 0, 3, {0.25}},  {"b", "best", 2, 0, 1, {0.5}},
        {"b", "other", 2, 0, 1, {0.75}}, /* rows in another order: +0.25 */
        {"a", "other", 3, 0, 3, {0.45}}, /* +0.2 */
        {"a", "other", 2, 0, 1, {0.6}},  /* +0.1 */
        {"a", "other", 2, 1, 2, {0.7}},  /* -0.05 */
        {"a", "other", 3, 1, 9, {1}},    /* no such draw of the best */
        {"a", "once", 2, 0, 1, {0.25}},  {"a", "once", 2, 1, 7, {0.25}}, /* another seed */
        {"a", "once", 3, 0, 3, {NAN}},   {"c", "apart", 2, 0, 1, {1}},
    };
    static const char *const method[] = {"best", "once", "other", "apart", "unknown"};
    orthant_context *ctx = *state;
    study_results results;
    study_differences found;
    results_begin(ctx, &results);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        expect_ok(ctx, results_add(&results, &rows[i]));
    expect_ok(ctx, differences_make(ctx, &results, MEASURE_ACCURACY, "best", method, 5, &found));
    assert_int_equal(found.count, 2);
    assert_string_equal(found.difference[0].method, "once");
    assert_int_equal(found.difference[0].draws, 1);
    assert_int_equal(found.difference[0].better, 0);
    assert_true(found.difference[0].mean == -0.25 && isnan(found.difference[0].half));
    assert_string_equal(found.difference[1].method, "other");
    assert_int_equal(found.difference[1].draws, 4);
    assert_int_equal(found.difference[1].better, 3);
    expect_near(found.difference[1].mean, 0.125, 1e-12);
    expect_near(found.difference[1].half, 0.2104990371149258, 1e-9);
    differences_free(&found);
    results_free(&results);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_quantiles), fixture_test(test_pairs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
