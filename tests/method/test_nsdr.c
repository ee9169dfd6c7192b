/* NSDR: the update beside a reference, and the matrix it works on beside a plain computation. */
#include "expect.h"

#include <lapacke.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "golden.h"
#include "method/nsdr.h"
#include "problem.h"

static void test_golden(void **state)
{
    (void)state;
    static const int stops[] = {1, 10, 100};
    orthant_context *ctx = NULL;
    int64_t rows, columns;
    nsdr s;
    assert_int_equal(orthant_context_create(&ctx), ORTHANT_OK);
    orthant_context_set_precision(ctx, ORTHANT_DOUBLE);
    double *M = golden_read("pos_nsdr", "M.csv", &rows, &columns);
    double *objective = golden_read("pos_nsdr", "obj.csv", &rows, &columns);
    orthant_matrix *given = golden_matrix(ctx, "pos_nsdr", "init_F.csv", false), *F = NULL;
    expect_ok(ctx, matrix_new_factor(ctx, ORTHANT_DOUBLE, 40, 4, &F));
    for (int64_t i = 0; i < 40; i++)
        for (int64_t j = 0; j < 4; j++)
            matrix_set_value(F, i * F->stride + j, orthant_matrix_get(given, i, j));
    expect_ok(ctx, nsdr_setup(&s, ctx, M, F, 1000));
    nsdr_refresh(&s);
    for (int done = 0, stop = 0; done <= 100; done++) {
        double cut, penalty;
        nsdr_objective(&s, &cut, &penalty);
        assert_true(fabs(cut + penalty - objective[done]) <=
                    1e-9 * objective[done] + 1e-13 * objective[0]);
        if (stop < 3 && done == stops[stop]) {
            char file[32], count[16];
            snprintf(file, sizeof file, "iter%d_F.csv", done);
            snprintf(count, sizeof count, "%d", done);
            orthant_matrix *expected = golden_matrix(ctx, "pos_nsdr", file, false);
            const double allowed =
                (stop ? 1e-9 : 1e-12) * fmax(1, golden_amplification("pos_nsdr", count));
            assert_true(factor_difference(F, expected) <= allowed);
            orthant_matrix_free(expected);
            stop++;
        }
        nsdr_step(&s);
    }
    nsdr_release(&s);
    orthant_matrix_free(F);
    orthant_matrix_free(given);
    free(M);
    free(objective);
    assert_int_equal(orthant_context_memory(ctx), 0);
    orthant_context_free(ctx);
}

/* Xc'(Xc Xc' + beta I)^-1 Xc the long way: features by features. */
static void linear_fit(const orthant_matrix *X, double beta, double *fit)
{
    enum { N = 23, M = 7 };
    double centred[M][N], square[M * M], right[M * N];
    for (int f = 0; f < M; f++) {
        double mean = 0;
        for (int i = 0; i < N; i++)
            mean += orthant_matrix_get(X, i, f) / N;
        for (int i = 0; i < N; i++)
            right[f * N + i] = centred[f][i] = orthant_matrix_get(X, i, f) - mean;
    }
    for (int f = 0; f < M; f++)
        for (int g = 0; g < M; g++) {
            square[f * M + g] = f == g ? beta : 0;
            for (int i = 0; i < N; i++)
                square[f * M + g] += centred[f][i] * centred[g][i];
        }
    assert_int_equal(LAPACKE_dposv(LAPACK_ROW_MAJOR, 'U', M, N, square, M, right, N), 0);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            fit[i * N + j] = 0;
            for (int f = 0; f < M; f++)
                fit[i * N + j] += centred[f][i] * right[f * N + j];
        }
}

static void test_matrix(void **state)
{
    (void)state;
    enum { N = 23 };
    for (int sparse = 0; sparse < 2; sparse++) {
        test_problem p;
        orthant_graph *graph = NULL;
        double M[N * N], fit[N * N], degree[N] = {0};
        problem_make(&p, (problem_shape){N, 7, ORTHANT_DOUBLE, sparse, 3, 0.7});
        expect_ok(p.ctx, orthant_graph_neighbours(p.ctx, p.X, 3, ORTHANT_EDGE_HEAT, 0, &graph));
        expect_ok(p.ctx, nsdr_matrix(p.ctx, p.X, graph, 0.75, 2.5, M));
        linear_fit(p.X, 2.5, fit);
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++)
                degree[i] += orthant_graph_edge(graph, i, j);
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++) {
                const double laplacian =
                    (i == j) - orthant_graph_edge(graph, i, j) / sqrt(degree[i] * degree[j]);
                const double expected = laplacian + 0.75 * ((i == j) - 1.0 / N - fit[i * N + j]);
                assert_true(fabs(M[i * N + j] - expected) < 1e-12);
            }
        orthant_graph_free(graph);
        problem_free(&p);
    }
}

/* Two clouds far apart: the indicators say which is which. */
static void test_labels(void **state)
{
    (void)state;
    orthant_context *ctx = NULL;
    orthant_matrix *X = NULL;
    orthant_model *model = NULL;
    orthant_result *result = NULL;
    orthant_labels *labels = NULL;
    double values[60];
    assert_int_equal(orthant_context_create(&ctx), ORTHANT_OK);
    for (int i = 0; i < 30; i++) {
        values[2 * i] = (i % 2 ? 5 : -5) + 0.1 * (i * 7 % 10);
        values[2 * i + 1] = 0.1 * (i * 3 % 10);
    }
    expect_ok(ctx, orthant_matrix_create(ctx, 30, 2, values, &X));
    expect_ok(ctx, orthant_model_create(ctx, "nsdr", 2, &model));
    expect_ok(ctx, orthant_fit(model, X, &result));
    expect_ok(ctx, orthant_result_labels(result, NULL, 2, 1, 1, &labels));
    for (int i = 2; i < 30; i++)
        assert_int_equal(orthant_labels_values(labels)[i], orthant_labels_values(labels)[i % 2]);
    assert_int_not_equal(orthant_labels_values(labels)[0], orthant_labels_values(labels)[1]);
    orthant_labels_free(labels);
    orthant_result_free(result);
    orthant_model_free(model);
    orthant_matrix_free(X);
    orthant_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_golden),
        cmocka_unit_test(test_matrix),
        cmocka_unit_test(test_labels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
