/* Relative error and explained variance of every method that tells them, against plain loops over
 * its factors; dense and sparse, whatever the loss. */
#include "fixture.h"

#include <math.h>
#include <string.h>

#include "orthant/fit.h"
#include "orthant/method.h"

enum { N = 40, M = 12, K = 3 };

static void fill(double *values)
{
    for (int i = 0; i < N * M; i++)
        values[i] = i * 7 % 5 < 2 ? 0 : (i * 37 % 101) / 25.0 + (i / M % K == i % K ? 3 : 0);
}

static orthant_matrix *sparse_of(orthant_context *ctx, const double *values)
{
    int64_t start[N + 1] = {0}, column[N * M], stored = 0;
    double entry[N * M];
    orthant_matrix *samples = NULL;
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < M; j++)
            if (values[i * M + j] != 0) {
                column[stored] = j;
                entry[stored++] = values[i * M + j];
            }
        start[i + 1] = stored;
    }
    expect_ok(ctx, orthant_matrix_create_csr(ctx, N, M, start, column, entry, &samples));
    return samples;
}

/* |X - S W'| / |X|. */
static double error_of(const orthant_result *result, const double *values)
{
    const orthant_matrix *W = orthant_result_factor(result, "basis"),
                         *S = orthant_result_factor(result, "encoding");
    double left = 0, all = 0;
    for (int64_t i = 0; i < N; i++)
        for (int64_t j = 0; j < M; j++) {
            double fitted = 0;
            for (int64_t l = 0; l < K; l++)
                fitted += orthant_matrix_get(S, i, l) * orthant_matrix_get(W, j, l);
            left += pow(values[i * M + j] - fitted, 2);
            all += pow(values[i * M + j], 2);
        }
    return sqrt(left / all);
}

static void fit_one(orthant_context *ctx, const char *method, const orthant_matrix *samples,
                    const double *values)
{
    int64_t label[N];
    orthant_labels *known = NULL;
    orthant_model *model = NULL;
    orthant_result *result = NULL;
    for (int i = 0; i < N; i++)
        label[i] = i % 4 ? -1 : i / 4 % K;
    expect_ok(ctx, orthant_labels_create(ctx, N, label, &known));
    expect_ok(ctx, orthant_model_create(ctx, method, K, &model));
    expect_ok(ctx, orthant_model_set(model, "iterations", "30"));
    expect_ok(ctx, orthant_model_set_labels(model, known));
    expect_ok(ctx, orthant_fit(model, samples, &result));
    const double error = orthant_result_relative_error(result),
                 explained = orthant_result_explained_variance(result);
    if (isnan(error)) {
        assert_true(isnan(explained));
    } else {
        assert_true(fabs(explained - (1 - error * error)) < 1e-12);
        assert_true(error > 0.01 && error < 1);
        if (orthant_result_factor(result, "basis") && orthant_result_factor(result, "encoding"))
            assert_true(fabs(error - error_of(result, values)) < 1e-9);
    }
    orthant_result_free(result);
    orthant_model_free(model);
    orthant_labels_free(known);
}

static void test_every_method(void **state)
{
    orthant_context *ctx = *state;
    double values[N * M];
    orthant_method_info info = {.size = sizeof info};
    orthant_matrix *dense = NULL;
    fill(values);
    expect_ok(ctx, orthant_matrix_create(ctx, N, M, values, &dense));
    orthant_matrix *sparse = sparse_of(ctx, values);
    for (int i = 0; !orthant_method_info_at(i, &info); i++) {
        fit_one(ctx, info.name, dense, values);
        fit_one(ctx, info.name, sparse, values);
    }
    orthant_matrix_free(sparse);
    orthant_matrix_free(dense);
}

/* Those that people compare by it tell it. */
static void test_who_tells(void **state)
{
    orthant_context *ctx = *state;
    static const char *const tell[] = {"nmf",   "nmf-kl", "nnsc", "cnmf",
                                       "ssnmf", "nmf-sc", "pnmf", "kmeans"};
    double values[N * M];
    orthant_matrix *samples = NULL;
    fill(values);
    expect_ok(ctx, orthant_matrix_create(ctx, N, M, values, &samples));
    for (size_t i = 0; i < sizeof tell / sizeof *tell; i++) {
        orthant_model *model = NULL;
        orthant_result *result = NULL;
        orthant_labels *known = NULL;
        const int64_t label[N] = {0};
        expect_ok(ctx, orthant_labels_create(ctx, N, label, &known));
        expect_ok(ctx, orthant_model_create(ctx, tell[i], K, &model));
        expect_ok(ctx, orthant_model_set_labels(model, known));
        expect_ok(ctx, orthant_model_set(model, "iterations", "5"));
        expect_ok(ctx, orthant_fit(model, samples, &result));
        assert_true(!isnan(orthant_result_relative_error(result)));
        orthant_result_free(result);
        orthant_model_free(model);
        orthant_labels_free(known);
    }
    orthant_matrix_free(samples);
}

int main(void)
{
    const struct CMUnitTest tests[] = {fixture_test(test_every_method),
                                       fixture_test(test_who_tells)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
