/* PCA and RICA against an independent reference, in double precision. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "golden.h"
#include "problem.h"

typedef struct golden_problem {
    orthant_context *ctx;
    orthant_matrix *X;
    orthant_model *model;
} golden_problem;

static void must(const golden_problem *g, orthant_status status)
{
    if (status)
        fail_msg("%s", orthant_message(g->ctx));
}

static golden_problem load(const char *name, const char *method, int64_t rank)
{
    golden_problem g = {0};
    assert_int_equal(orthant_context_create(&g.ctx), ORTHANT_OK);
    orthant_context_set_precision(g.ctx, ORTHANT_DOUBLE);
    g.X = golden_matrix(g.ctx, name, "X.csv", true);
    must(&g, orthant_model_create(g.ctx, method, rank, &g.model));
    return g;
}

static void unload(golden_problem *g)
{
    orthant_model_free(g->model);
    orthant_matrix_free(g->X);
    assert_int_equal(orthant_context_memory(g->ctx), 0);
    orthant_context_free(g->ctx);
}

static void check_factor(const golden_problem *g, const orthant_result *result, const char *name,
                         const char *file, bool transposed)
{
    orthant_matrix *expected = golden_matrix(g->ctx, "pos_pca", file, transposed);
    const double difference = factor_difference(orthant_result_factor(result, name), expected);
    if (!(difference <= 1e-9))
        fail_msg("%s differs by %g", name, difference);
    orthant_matrix_free(expected);
}

static void test_pca(void **state)
{
    int64_t rows, columns;
    golden_problem g = load("pos_pca", "pca", 4);
    orthant_result *result = NULL;
    double *eigenvalues = golden_read("pos_pca", "out_eigenvalues.csv", &rows, &columns), left;
    (void)state;
    must(&g, orthant_fit(g.model, g.X, &result));
    check_factor(&g, result, "basis", "out_basis.csv", false);
    check_factor(&g, result, "encoding", "out_scores.csv", false);
    left = orthant_result_history(result, 0, 2);
    for (int j = 0; j < 4; j++)
        left -= eigenvalues[j] * (double)orthant_matrix_rows(g.X);
    assert_true(fabs(orthant_result_objective(result) - left) <=
                1e-9 * orthant_result_history(result, 0, 2));
    assert_true(orthant_result_converged(result));
    free(eigenvalues);
    orthant_result_free(result);
    unload(&g);
}

/* The reference descends along the gradient: L-BFGS starts at the same objective and ends no
 * higher. */
static void test_rica(void **state)
{
    int64_t rows, columns;
    golden_problem g = load("pos_rica", "rica", 4);
    orthant_result *result = NULL;
    double *objective = golden_read("pos_rica", "obj.csv", &rows, &columns);
    orthant_matrix *H = golden_matrix(g.ctx, "pos_rica", "H.csv", false),
                   *W = golden_matrix(g.ctx, "pos_rica", "init_W.csv", false);
    (void)state;
    must(&g, orthant_model_set(g.model, "pooling_weight", "0.1"));
    must(&g, orthant_model_set(g.model, "epsilon", "0.01"));
    must(&g, orthant_model_set(g.model, "whiten", "no"));
    must(&g, orthant_model_set(g.model, "iterations", "100"));
    must(&g, orthant_model_set(g.model, "tolerance", "0"));
    must(&g, orthant_model_set_pooling(g.model, H));
    must(&g, orthant_model_set_start(g.model, "basis", W));
    must(&g, orthant_fit(g.model, g.X, &result));
    assert_int_equal(rows * columns, 101);
    assert_true(fabs(orthant_result_history(result, 0, 2) - objective[0]) <= 1e-9 * objective[0]);
    for (int64_t i = 1; i <= 100; i++)
        assert_true(orthant_result_history(result, i, 2) <=
                    orthant_result_history(result, i - 1, 2));
    if (!(orthant_result_objective(result) <= objective[100]))
        fail_msg("rica ends at %.17g, the reference at %.17g", orthant_result_objective(result),
                 objective[100]);
    free(objective);
    orthant_matrix_free(H);
    orthant_matrix_free(W);
    orthant_result_free(result);
    unload(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pca),
        cmocka_unit_test(test_rica),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
