/* A fit of a borrowed array takes memory for its factors and sums, not for the data: at most a
 * fifth of the array's size beside it. */
#include "fixture.h"

#include <stdlib.h>

#include "orthant/orthant.h"

#define FEATURES 1000

typedef struct fitted {
    const char *method, *parameter, *value;
} fitted;

static float *random_floats(int64_t count)
{
    float *values = malloc((size_t)count * sizeof *values);
    uint32_t state = 1;
    assert_non_null(values);
    for (int64_t i = 0; i < count; i++) {
        state = state * 1664525u + 1013904223u;
        values[i] = (float)(state >> 8) / 16777216.0f;
    }
    return values;
}

static void expect_little(orthant_context *ctx, const orthant_array *given, const fitted *fits,
                          int count)
{
    const int64_t bytes = given->rows * FEATURES * (int64_t)sizeof(float);
    orthant_matrix *X = NULL;
    expect_ok(ctx, orthant_matrix_wrap(ctx, given, NULL, NULL, &X));
    for (int i = 0; i < count; i++) {
        orthant_model *model = NULL;
        orthant_result *result = NULL;
        expect_ok(ctx, orthant_model_create(ctx, fits[i].method, 10, &model));
        expect_ok(ctx, orthant_model_set(model, "iterations", "2"));
        if (fits[i].parameter)
            expect_ok(ctx, orthant_model_set(model, fits[i].parameter, fits[i].value));
        orthant_context_reset_peak_memory(ctx);
        expect_ok(ctx, orthant_fit(model, X, &result));
        const int64_t taken = (int64_t)orthant_context_peak_memory(ctx);
        if (taken > bytes / 5)
            fail_msg("%s took %lld bytes for %lld of data", fits[i].method, (long long)taken,
                     (long long)bytes);
        orthant_result_free(result);
        orthant_model_free(model);
    }
    orthant_matrix_free(X);
}

static void test_additional_memory(void **state)
{
    static const fitted fits[] = {{"nmf", NULL, NULL},
                                  {"nmf", "solver", "mu"},
                                  {"nmf-kl", "solver", "mu"},
                                  {"kmeans", "restarts", "1"}};
    const int64_t rows = SANITIZED ? 5000 : 50000;
    float *values = random_floats(rows * FEATURES);
    orthant_array given = {.size = sizeof given,
                           .precision = ORTHANT_SINGLE,
                           .rows = rows,
                           .columns = FEATURES,
                           .values = values,
                           .row_stride = FEATURES,
                           .column_stride = 1};
    expect_little(*state, &given, fits, 4);
    /* The same memory by columns; small ones are copied, and k-means needs rows. */
    given.row_stride = 1;
    given.column_stride = rows;
    if (!SANITIZED)
        expect_little(*state, &given, fits, 3);
    free(values);
}

int main(void)
{
    const struct CMUnitTest tests[] = {fixture_test(test_additional_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
