/* What a setting brought, by hand. */
#include <math.h>

#include "fixture.h"
#include "study/gains.h"

static void test_pairs(void **state)
{
    static const study_row rows[] = {
        {"z", "nmf", 5, 0, 1, {0.5}},
        {"z", "nmf", 5, 1, 2, {0.25}},
        {"z", "nmf init=nndsvd", 5, 0, 1, {0.75}},
        {"z", "nmf init=nndsvd", 5, 1, 2, {0.75}},
        {"z", "nmf scale=unit", 5, 0, 1, {1}},
        {"z", "nmf scale=unit", 5, 1, 3, {0}}, /* another seed: no pair */
        {"z", "nmf scale=unit", 9, 0, 1, {0}}, /* no plain run */
        {"z", "nmf-kl init=kmeans", 5, 0, 1, {0}},
        {"a", "nmf init=nndsvd", 5, 0, 1, {0.125}},
        {"a", "nmf", 5, 0, 1, {0.25}},
        {"a", "nmf init=kmeans", 5, 0, 1, {NAN}},
    };
    orthant_context *ctx = *state;
    study_results results;
    study_gains gains;
    results_begin(ctx, &results);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        expect_ok(ctx, results_add(&results, &rows[i]));
    expect_ok(ctx, gains_make(ctx, &results, MEASURE_ACCURACY, &gains));
    assert_int_equal(gains.count, 3);
    assert_string_equal(gains.gain[0].setting, "scale=unit");
    assert_true(gains.gain[0].mean == 0.5 && gains.gain[0].pairs == 1);
    assert_true(isnan(gains.gain[0].error));
    assert_string_equal(gains.gain[1].setting, "init=nndsvd");
    assert_string_equal(gains.gain[1].method, "nmf");
    /* 0.25 and 0.5: a mean of 0.375, each 0.125 away. */
    assert_true(gains.gain[1].mean == 0.375 && fabs(gains.gain[1].error - 0.125) < 1e-15);
    assert_string_equal(gains.gain[2].dataset, "a");
    assert_true(gains.gain[2].mean == -0.125);
    gains_free(&gains);
    results_free(&results);
}

int main(void)
{
    const struct CMUnitTest tests[] = {fixture_test(test_pairs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
