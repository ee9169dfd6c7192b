/* Every method that promises never to rise, on 200 small random problems each: many shapes and
 * scales, exact zeros, zero samples, zero features, equal samples, and signs where it takes them.
 */
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/random.h"

#include <cmocka.h>

#include "problem.h"

#define PROBLEMS 200
#define MOST_SAMPLES 40
#define MOST_FEATURES 24

static double draw(int trial, int64_t i, int64_t j)
{
    return random_uniform(99 + (uint64_t)trial, RANDOM_TEST, (uint64_t)i, (uint64_t)j);
}

/* n x m values; returns their sum of squares. */
static double fill(double *values, int trial, int64_t n, int64_t m, bool signs)
{
    const double scale = pow(10, trial % 7 - 3), density = 0.1 + 0.9 * draw(trial, -1, 0);
    double squares = 0;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < m; j++) {
            const bool zero = draw(trial, i, j) > density || i == n / 2 || (m > 3 && j == m / 2);
            double value = zero ? 0 : scale * (draw(trial, j, i + 1000) + (signs ? -0.5 : 0));
            if (i > 0 && i % 5 == 0)
                value = values[(i - 1) * m + j]; /* equal samples */
            values[i * m + j] = value;
            squares += value * value;
        }
    if (squares == 0)
        values[0] = scale;
    return squares == 0 ? scale * scale : squares;
}

/* Dense on even trials, sparse on odd ones. */
static orthant_matrix *matrix_of(orthant_context *ctx, const double *values, int trial, int64_t n,
                                 int64_t m)
{
    orthant_matrix *X = NULL;
    int64_t start[MOST_SAMPLES + 1] = {0}, column[MOST_SAMPLES * MOST_FEATURES];
    double stored[MOST_SAMPLES * MOST_FEATURES];
    for (int64_t i = 0; i < n; i++) {
        start[i + 1] = start[i];
        for (int64_t j = 0; j < m; j++)
            if (values[i * m + j] != 0) {
                column[start[i + 1]] = j;
                stored[start[i + 1]++] = values[i * m + j];
            }
    }
    assert_int_equal(trial % 2 ? orthant_matrix_create_csr(ctx, n, m, start, column, stored, &X)
                               : orthant_matrix_create(ctx, n, m, values, &X),
                     ORTHANT_OK);
    return X;
}

static void check_history(const orthant_method_info *info, const orthant_result *result, int trial,
                          double squares)
{
    const double rounding = 1e-12 * (squares + fabs(orthant_result_history(result, 0, 2)));
    for (int64_t i = 0; i < orthant_result_history_rows(result); i++) {
        const double now = orthant_result_history(result, i, 2);
        assert_true(isfinite(now));
        if (i > 0 && !(now <= orthant_result_history(result, i - 1, 2) + rounding))
            fail_msg("%s, problem %d: rose from %.17g to %.17g in iteration %" PRId64, info->name,
                     trial, orthant_result_history(result, i - 1, 2), now, i);
    }
    for (int f = 0; f < orthant_result_factor_count(result); f++) {
        const orthant_matrix *factor =
            orthant_result_factor(result, orthant_result_factor_name(result, f));
        for (int64_t i = 0; i < orthant_matrix_rows(factor); i++)
            for (int64_t j = 0; j < orthant_matrix_columns(factor); j++)
                if (!isfinite(orthant_matrix_get(factor, i, j)))
                    fail_msg("%s, problem %d: an entry is not finite", info->name, trial);
    }
}

static void try_problem(const orthant_method_info *info, int trial)
{
    const int64_t n = 8 + (int64_t)(draw(trial, -2, 0) * (MOST_SAMPLES - 8)),
                  m = 1 + (int64_t)(draw(trial, -3, 0) * (MOST_FEATURES - 1));
    const int64_t rank = strstr(info->needs, "labels") ? 4 + trial % 4 : 1 + trial % 8;
    double values[MOST_SAMPLES * MOST_FEATURES];
    int64_t known[MOST_SAMPLES];
    orthant_context *ctx = NULL;
    orthant_labels *labels = NULL;
    orthant_model *model = NULL;
    orthant_result *result = NULL;
    assert_int_equal(orthant_context_create(&ctx), ORTHANT_OK);
    orthant_context_set_precision(ctx, ORTHANT_DOUBLE);
    const double squares = fill(values, trial, n, m, info->mixed_signs && trial % 4 > 1);
    orthant_matrix *X = matrix_of(ctx, values, trial, n, m);
    for (int64_t i = 0; i < n; i++)
        known[i] = draw(trial, i, -4) < 0.3 ? -1 : (int64_t)(draw(trial, i, -5) * 4);
    known[0] = 0;
    char seed[16];
    snprintf(seed, sizeof seed, "%d", trial);
    if (orthant_labels_create(ctx, n, known, &labels) ||
        orthant_model_create(ctx, info->name, rank, &model) ||
        orthant_model_set(model, "iterations", "30") ||
        orthant_model_set(model, "tolerance", "0") || orthant_model_set(model, "seed", seed) ||
        orthant_model_set_labels(model, labels) || orthant_fit(model, X, &result))
        fail_msg("%s, problem %d: %s", info->name, trial, orthant_message(ctx));
    check_history(info, result, trial, squares);
    orthant_result_free(result);
    orthant_model_free(model);
    orthant_labels_free(labels);
    orthant_matrix_free(X);
    assert_int_equal(orthant_context_memory(ctx), 0);
    orthant_context_free(ctx);
}

static void test_method(void **state)
{
    const orthant_method_info *info = *state;
    for (int trial = 0; trial < PROBLEMS; trial++)
        try_problem(info, trial);
}

int main(void)
{
    enum { MOST = 64 };
    static orthant_method_info infos[MOST];
    static struct CMUnitTest tests[MOST];
    int made = 0;
    for (int m = 0; m < orthant_method_count() && m < MOST; m++) {
        infos[m].size = sizeof infos[m];
        orthant_method_info_at(m, &infos[m]);
        if (strstr(infos[m].promises, "monotone"))
            tests[made++] = (struct CMUnitTest){infos[m].name, test_method, NULL, NULL, &infos[m]};
    }
    return _cmocka_run_group_tests("random problems", tests, (size_t)made, NULL, NULL);
}
