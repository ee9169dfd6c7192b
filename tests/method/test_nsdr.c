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
    nsdr_matrix kept = {.n = 40};
    assert_int_equal(orthant_context_create(&ctx), ORTHANT_OK);
    orthant_context_set_precision(ctx, ORTHANT_DOUBLE);
    double *M = golden_read("pos_nsdr", "M.csv", &rows, &columns);
    double *objective = golden_read("pos_nsdr", "obj.csv", &rows, &columns);
    orthant_matrix *given = golden_matrix(ctx, "pos_nsdr", "init_F.csv", false), *F = NULL;
    expect_ok(ctx, matrix_new_factor(ctx, ORTHANT_DOUBLE, 40, 4, &F));
    for (int64_t i = 0; i < 40; i++)
        for (int64_t j = 0; j < 4; j++)
            matrix_set_value(F, i * F->stride + j, orthant_matrix_get(given, i, j));
    kept.ctx = ctx;
    expect_ok(ctx, matrix_new_dense(ctx, ORTHANT_DOUBLE, 40, 40, &kept.entries));
    for (int64_t e = 0; e < 40 * 40; e++)
        matrix_set_value(kept.entries, e / 40 * kept.entries->stride + e % 40, M[e]);
    expect_ok(ctx, nsdr_setup(&s, &kept, F, 1000));
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
    nsdr_matrix_release(&kept);
    orthant_matrix_free(F);
    orthant_matrix_free(given);
    free(M);
    free(objective);
    assert_int_equal(orthant_context_memory(ctx), 0);
    orthant_context_free(ctx);
}

enum { N = 23, MOST = 30 }; /* samples, features */

/* Xc'(Xc Xc' + beta I)^-1 Xc the long way: features by features. */
static void linear_fit(const orthant_matrix *X, double beta, double *fit)
{
    const int m = (int)X->columns;
    double centred[MOST][N], square[MOST * MOST], right[MOST * N];
    for (int f = 0; f < m; f++) {
        double mean = 0;
        for (int i = 0; i < N; i++)
            mean += orthant_matrix_get(X, i, f) / N;
        for (int i = 0; i < N; i++)
            right[f * N + i] = centred[f][i] = orthant_matrix_get(X, i, f) - mean;
    }
    for (int f = 0; f < m; f++)
        for (int g = 0; g < m; g++) {
            square[f * m + g] = f == g ? beta : 0;
            for (int i = 0; i < N; i++)
                square[f * m + g] += centred[f][i] * centred[g][i];
        }
    assert_int_equal(LAPACKE_dposv(LAPACK_ROW_MAJOR, 'U', m, N, square, m, right, N), 0);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            fit[i * N + j] = 0;
            for (int f = 0; f < m; f++)
                fit[i * N + j] += centred[f][i] * right[f * N + j];
        }
}

static void expected_matrix(const orthant_matrix *X, const orthant_graph *graph, double *expected)
{
    double degree[N] = {0}, fit[N * N];
    linear_fit(X, 2.5, fit);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            degree[i] += orthant_graph_edge(graph, i, j);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            expected[i * N + j] = (i == j) -
                                  orthant_graph_edge(graph, i, j) / sqrt(degree[i] * degree[j]) +
                                  0.75 * ((i == j) - 1.0 / N - fit[i * N + j]);
}

/* M+ F and M- F are nonnegative, their difference is M F; of entries each is that of one sign. */
static void check_split(const nsdr_matrix *M, const double *expected, double rounding)
{
    orthant_context *ctx = M->ctx;
    orthant_matrix *F = NULL;
    nsdr s;
    expect_ok(ctx, matrix_new_factor(ctx, M->edges->precision, N, 3, &F));
    for (int64_t e = 0; e < N * 3; e++)
        matrix_set_value(F, e / 3 * F->stride + e % 3, (double)(e * 7 % 11));
    expect_ok(ctx, nsdr_setup(&s, M, F, 10));
    nsdr_refresh(&s);
    double plus[N * 3], minus[N * 3];
    s.p.k->get_values(s.plus_F, plus);
    s.p.k->get_values(s.minus_F, minus);
    for (int e = 0; e < N * 3; e++) {
        double above = 0, below = 0;
        for (int j = 0; j < N; j++) {
            const double term = expected[e / 3 * N + j] * matrix_value(F, j * F->stride + e % 3);
            above += fmax(term, 0);
            below += fmax(-term, 0);
        }
        assert_true(plus[e] >= 0 && minus[e] >= 0);
        assert_true(fabs(plus[e] - minus[e] - (above - below)) < rounding * 100);
        if (M->entries)
            assert_true(fabs(plus[e] - above) < rounding * 100);
    }
    nsdr_release(&s);
    orthant_matrix_free(F);
}

/* As entries, of the features' and of the samples' matrix, and as a sum: the same M. */
static void test_matrix(void **state)
{
    (void)state;
    for (int variant = 0; variant < 16; variant++) {
        const bool single = variant & 1, sparse = variant & 2, wide = variant & 4;
        const nsdr_options options = {.weight = 0.75, .ridge = 2.5, .as_sum = variant & 8};
        const double rounding = single ? 2e-6 : 1e-12;
        test_problem p;
        orthant_graph *graph = NULL;
        nsdr_matrix M;
        double expected[N * N], unit[N] = {0}, column[N];
        if (wide && options.as_sum)
            continue;
        problem_make(&p, (problem_shape){N, wide ? MOST : 7,
                                         single ? ORTHANT_SINGLE : ORTHANT_DOUBLE, sparse, 3, 0.7});
        expect_ok(p.ctx, orthant_graph_neighbours(p.ctx, p.X, 3, ORTHANT_EDGE_HEAT, 0, &graph));
        expect_ok(p.ctx, nsdr_matrix_make(&M, p.ctx, p.X, graph, &options, NULL));
        expected_matrix(p.X, graph, expected);
        for (int i = 0; i < N; i++) {
            unit[i] = 1;
            nsdr_negative_product(&M, unit, column);
            unit[i] = 0;
            for (int j = 0; j < N; j++) {
                assert_true(fabs(column[j] + expected[i * N + j]) < rounding);
                if (M.entries)
                    assert_true(fabs(orthant_matrix_get(M.entries, i, j) - expected[i * N + j]) <
                                rounding);
            }
        }
        check_split(&M, expected, rounding);
        nsdr_matrix_release(&M);
        orthant_graph_free(graph);
        problem_free(&p);
    }
}

/* Enough samples and features for several blocks and threads: both ways fall to the same objective
 * from the same start, and have the same bits for 1, 2 and 3 threads. */
static void test_ways(void **state)
{
    (void)state;
    static const char *const ways[] = {"entries", "factors"};
    double last[2] = {0};
    for (int way = 0; way < 2; way++) {
        orthant_result *first = NULL;
        test_problem p;
        problem_make(&p, (problem_shape){600, 150, ORTHANT_SINGLE, false, 8, 0});
        for (int threads = 1; threads <= 3; threads++) {
            expect_ok(p.ctx, orthant_context_set_threads(p.ctx, threads));
            orthant_model *model = problem_model(&p, "nsdr", 4, "60");
            expect_ok(p.ctx, orthant_model_set(model, "split", ways[way]));
            expect_ok(p.ctx, orthant_model_set(model, "similarity", "knn:6"));
            orthant_result *result = problem_fit(&p, model);
            for (int64_t i = 1; i < orthant_result_history_rows(result); i++)
                assert_true(orthant_result_history(result, i, 2) <=
                            orthant_result_history(result, i - 1, 2) * (1 + 1e-6));
            last[way] = orthant_result_objective(result);
            orthant_model_free(model);
            if (first)
                assert_true(factors_identical(first, result));
            orthant_result_free(first);
            first = result;
        }
        orthant_result_free(first);
        problem_free(&p);
    }
    assert_true(fabs(last[1] - last[0]) < 0.02 * last[0]);
}

static void test_refused(void **state)
{
    (void)state;
    test_problem p;
    orthant_result *result = NULL;
    problem_make(&p, (problem_shape){30, 40, ORTHANT_SINGLE, false, 8, 0});
    orthant_model *model = problem_model(&p, "nsdr", 4, "5");
    expect_ok(p.ctx, orthant_model_set(model, "split", "factors"));
    expect_failure(p.ctx, ORTHANT_ERROR_ARGUMENT, "not 40 of 30 samples",
                   orthant_fit(model, p.X, &result));
    expect_ok(p.ctx, orthant_model_set(model, "split", "auto"));
    expect_ok(p.ctx, orthant_model_set(model, "similarity", "knn:4"));
    expect_ok(p.ctx, orthant_model_set(model, "neighbours", "7"));
    expect_failure(p.ctx, ORTHANT_ERROR_ARGUMENT, "'knn:4' and neighbours = 7",
                   orthant_fit(model, p.X, &result));
    assert_null(result);
    orthant_model_free(model);
    problem_free(&p);
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
        cmocka_unit_test(test_golden),  cmocka_unit_test(test_matrix), cmocka_unit_test(test_ways),
        cmocka_unit_test(test_refused), cmocka_unit_test(test_labels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
