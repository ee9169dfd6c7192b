/* Rules for labels, against the long way round: spreads by plain sums, symmetric read-outs against
 * the methods that they stand for. */
#include "expect.h"
#include "problem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/random.h"
#include "data/matrix.h"

enum { SAMPLES = 40, FEATURES = 20, RANK = 4 };

/* ------------------------------------------------------------------ spreads */

static orthant_result *fit_rmnd(test_problem *p)
{
    problem_make(
        p, (problem_shape){
               .samples = SAMPLES, .features = FEATURES, .precision = ORTHANT_DOUBLE, .seed = 41});
    orthant_model *model = problem_model(p, "rmnd", RANK, "8");
    orthant_result *result = problem_fit(p, model);
    orthant_model_free(model);
    return result;
}

/* Sum of |x - mean|^2 over the rows of the points, all of them or those of one label. */
static double scatter(const orthant_matrix *points, const int64_t *label, int64_t which)
{
    double total = 0;
    for (int64_t j = 0; j < orthant_matrix_columns(points); j++) {
        double sum = 0, squares = 0, count = 0;
        for (int64_t i = 0; i < orthant_matrix_rows(points); i++)
            if (!label || label[i] == which) {
                sum += orthant_matrix_get(points, i, j);
                count++;
            }
        for (int64_t i = 0; i < orthant_matrix_rows(points); i++)
            if (!label || label[i] == which)
                squares += pow(orthant_matrix_get(points, i, j) - sum / count, 2);
        total += squares;
    }
    return total;
}

static void expect_spread(const orthant_result *result, const char *rule,
                          const orthant_matrix *points)
{
    orthant_labels *labels = NULL;
    double spread = 0, within = 0;
    assert_int_equal(orthant_result_read_out(result, rule, RANK, 5, 1, &labels, &spread),
                     ORTHANT_OK);
    for (int64_t c = 0; c < RANK; c++)
        within += scatter(points, orthant_labels_values(labels), c);
    const double expected = within / scatter(points, NULL, 0);
    if (!(fabs(spread - expected) <= 1e-7 * expected))
        fail_msg("%s: the spread is told as %.12g and is %.12g", rule, spread, expected);
    orthant_labels_free(labels);
}

/* The rows of a factor at unit length. */
static orthant_matrix *unit_rows(const test_problem *p, const orthant_matrix *factor)
{
    const int64_t n = orthant_matrix_rows(factor), k = orthant_matrix_columns(factor);
    double *values = calloc((size_t)(n * k), sizeof *values);
    orthant_matrix *unit = NULL;
    assert_non_null(values);
    for (int64_t i = 0; i < n; i++) {
        double square = 0;
        for (int64_t j = 0; j < k; j++)
            square += pow(orthant_matrix_get(factor, i, j), 2);
        for (int64_t j = 0; j < k && square > 0; j++)
            values[i * k + j] = orthant_matrix_get(factor, i, j) / sqrt(square);
    }
    expect_ok(p->ctx, orthant_matrix_create(p->ctx, n, k, values, &unit));
    free(values);
    return unit;
}

static void test_spread_is_what_is_left_within(void **state)
{
    test_problem p;
    orthant_result *result = fit_rmnd(&p);
    const orthant_matrix *relation = orthant_result_factor(result, "relation");
    orthant_matrix *unit = unit_rows(&p, relation);
    (void)state;
    expect_spread(result, "kmeans:relation", relation);
    expect_spread(result, "kmeans-unit:relation", unit);
    orthant_matrix_free(unit);
    orthant_result_free(result);
    problem_free(&p);
}

/* "snmf:FACTOR" and "wnmf:FACTOR" are k-means on what those methods find, in 200 iterations, in the
 * product of the unit rows with themselves. */
static void test_symmetric_read_outs(void **state)
{
    static const char *const methods[] = {"snmf", "wnmf"};
    test_problem p;
    orthant_result *result = fit_rmnd(&p);
    orthant_matrix *unit = unit_rows(&p, orthant_result_factor(result, "relation")), *K = NULL;
    const int64_t rank = orthant_matrix_columns(unit);
    double values[SAMPLES * SAMPLES] = {0};
    (void)state;
    for (int64_t i = 0; i < SAMPLES; i++)
        for (int64_t j = 0; j < SAMPLES; j++)
            for (int64_t r = 0; r < rank; r++)
                values[i * SAMPLES + j] +=
                    orthant_matrix_get(unit, i, r) * orthant_matrix_get(unit, j, r);
    expect_ok(p.ctx, orthant_matrix_create(p.ctx, SAMPLES, SAMPLES, values, &K));
    for (int m = 0; m < 2; m++) {
        char rule[64];
        orthant_model *model = problem_model(&p, methods[m], rank, "200");
        expect_ok(p.ctx, orthant_model_set_similarity(model, K));
        if (m == 0)
            expect_ok(p.ctx, orthant_model_set(model, "rule", "half"));
        orthant_result *found = problem_fit(&p, model);
        snprintf(rule, sizeof rule, "%s:relation", methods[m]);
        expect_spread(result, rule, orthant_result_factor(found, "encoding"));
        orthant_result_free(found);
        orthant_model_free(model);
    }
    orthant_matrix_free(K);
    orthant_matrix_free(unit);
    orthant_result_free(result);
    problem_free(&p);
}

/* ------------------------------------------------------------------ no memory */

typedef struct budget {
    int64_t left; /* allocations until one fails, and no other */
} budget;

static void *allocate(void *user, size_t size, size_t alignment)
{
    budget *b = user;
    return b->left-- == 0 ? NULL : aligned_alloc(alignment, size);
}

static void release(void *user, void *memory)
{
    (void)user;
    free(memory);
}

/* best-of, whichever of its read-outs fails: the labels of an earlier one are not given out. */
static void test_best_of_without_memory(void **state)
{
    double values[SAMPLES * FEATURES];
    budget b = {-1};
    orthant_context *ctx = NULL;
    orthant_matrix *X = NULL;
    orthant_model *model = NULL;
    orthant_result *result = NULL;
    orthant_status status = ORTHANT_ERROR_MEMORY;
    int64_t n = 0;
    (void)state;
    for (int e = 0; e < SAMPLES * FEATURES; e++)
        values[e] = random_uniform(43, RANDOM_TEST, (uint64_t)e, 0);
    assert_int_equal(orthant_context_create(&ctx), ORTHANT_OK);
    expect_ok(ctx, orthant_context_set_allocator(ctx, allocate, release, &b));
    orthant_context_set_threads(ctx, 1);
    expect_ok(ctx, orthant_matrix_create(ctx, SAMPLES, FEATURES, values, &X));
    expect_ok(ctx, orthant_model_create(ctx, "rmnd", RANK, &model));
    expect_ok(ctx, orthant_model_set(model, "iterations", "3"));
    expect_ok(ctx, orthant_fit(model, X, &result));
    const size_t before = orthant_context_memory(ctx);
    for (; status == ORTHANT_ERROR_MEMORY && n < 1000; n++) {
        orthant_labels *labels = NULL;
        b.left = n;
        status = orthant_result_labels(result, "best-of", RANK, 2, 1, &labels);
        b.left = -1;
        assert_true((status == ORTHANT_OK) == (labels != NULL));
        if (status)
            assert_non_null(strstr(orthant_message(ctx), "out of memory"));
        orthant_labels_free(labels);
        assert_int_equal(orthant_context_memory(ctx), before);
    }
    assert_int_equal(status, ORTHANT_OK);
    assert_true(n > 20);
    orthant_result_free(result);
    orthant_model_free(model);
    orthant_matrix_free(X);
    orthant_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_spread_is_what_is_left_within),
        cmocka_unit_test(test_symmetric_read_outs),
        cmocka_unit_test(test_best_of_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
