/* Starts, stopping, notes, labels of a result. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <lapacke.h>

#include "data/matrix.h"
#include "method/fit.h"

#include <cmocka.h>

#include "problem.h"

static const problem_shape small = {57, 33, ORTHANT_DOUBLE, false, 5, 0.6};

static orthant_result *fit_with(const test_problem *p, const char *method, int64_t rank,
                                const char *iterations, const char *name, const char *value)
{
    orthant_model *model = problem_model(p, method, rank, iterations);
    if (name)
        assert_int_equal(orthant_model_set(model, name, value), ORTHANT_OK);
    orthant_result *result = problem_fit(p, model);
    orthant_model_free(model);
    return result;
}

static double mean_of(const orthant_matrix *X)
{
    double total = 0;
    for (int64_t i = 0; i < orthant_matrix_rows(X); i++)
        for (int64_t j = 0; j < orthant_matrix_columns(X); j++)
            total += orthant_matrix_get(X, i, j);
    return total / (double)(orthant_matrix_rows(X) * orthant_matrix_columns(X));
}

/* W S' starts at the mean of X, and entries are uniform: never zero, never above twice the scale's
 * mean. */
static void test_random_start(void **state)
{
    test_problem p;
    (void)state;
    problem_make(&p, small);
    orthant_result *a = fit_with(&p, "nmf", 4, "0", NULL, NULL),
                   *b = fit_with(&p, "nmf", 4, "0", "seed", "2");
    const orthant_matrix *W = orthant_result_factor(a, "basis"),
                         *S = orthant_result_factor(a, "encoding");
    double total = 0;
    for (int64_t i = 0; i < 57; i++)
        for (int64_t j = 0; j < 33; j++)
            for (int64_t k = 0; k < 4; k++)
                total += orthant_matrix_get(S, i, k) * orthant_matrix_get(W, j, k);
    assert_true(fabs(total / (57 * 33) / mean_of(p.X) - 1) < 0.2);
    assert_true(orthant_matrix_get(W, 0, 0) > 0 &&
                orthant_matrix_get(W, 0, 0) != orthant_matrix_get(S, 0, 0));
    assert_false(factors_identical(a, b));
    orthant_result_free(a);
    orthant_result_free(b);
    problem_free(&p);
}

/* NNDSVD by LAPACK's full SVD, written out: the leading pair, and each next pair's larger half. */
static void expected_nndsvd(const test_problem *p, int64_t rank, double *basis, double *encoding)
{
    enum { N = 57, M = 33 };
    static double x[N * M], u[N * M], vt[M * M], sigma[M], superb[M];
    orthant_matrix_copy_values(p->X, x);
    assert_int_equal(
        LAPACKE_dgesvd(LAPACK_ROW_MAJOR, 'S', 'S', N, M, x, M, sigma, u, M, vt, M, superb), 0);
    for (int64_t k = 0; k < rank; k++) {
        double parts[4] = {0};
        for (int i = 0; i < N; i++)
            parts[u[i * M + k] > 0 ? 0 : 1] += pow(u[i * M + k], 2);
        for (int j = 0; j < M; j++)
            parts[vt[k * M + j] > 0 ? 2 : 3] += pow(vt[k * M + j], 2);
        const bool plus = parts[0] * parts[2] >= parts[1] * parts[3];
        const double a = sqrt(parts[plus ? 0 : 1]), b = sqrt(parts[plus ? 2 : 3]),
                     scale = sqrt(sigma[k] * a * b);
        for (int i = 0; i < N; i++)
            encoding[i * rank + k] = fmax((plus ? 1 : -1) * u[i * M + k], 0) / a * scale;
        for (int j = 0; j < M; j++)
            basis[j * rank + k] = fmax((plus ? 1 : -1) * vt[k * M + j], 0) / b * scale;
    }
}

/* The same draws as the random start, without the scale that brings W S' to the mean of X. */
static void test_uniform(void **state)
{
    enum { RANK = 4 };
    test_problem p;
    (void)state;
    problem_make(&p, small);
    orthant_result *plain = fit_with(&p, "nmf", RANK, "0", "init", "random");
    orthant_result *uniform = fit_with(&p, "nmf", RANK, "0", "init", "uniform");
    const double scale = sqrt(mean_of(p.X) / RANK) / 0.5;
    static const char *const names[] = {"basis", "encoding"};
    for (int which = 0; which < 2; which++) {
        const orthant_matrix *scaled = orthant_result_factor(plain, names[which]);
        const orthant_matrix *factor = orthant_result_factor(uniform, names[which]);
        double least = 1, largest = 0;
        for (int64_t i = 0; i < orthant_matrix_rows(factor); i++)
            for (int64_t k = 0; k < RANK; k++) {
                const double value = orthant_matrix_get(factor, i, k);
                assert_true(fabs(value * scale - orthant_matrix_get(scaled, i, k)) <= 1e-6 * scale);
                least = fmin(least, value);
                largest = fmax(largest, value);
            }
        assert_true(least > 0 && least < 0.1 && largest > 0.9 && largest <= 1);
    }
    orthant_result_free(plain);
    orthant_result_free(uniform);
    problem_free(&p);
}

static void test_nndsvd(void **state)
{
    enum { RANK = 5 };
    double basis[33 * RANK], encoding[57 * RANK];
    (void)state;
    for (int sparse = 0; sparse < 2; sparse++) {
        test_problem p;
        problem_shape shape = small;
        shape.sparse = sparse;
        problem_make(&p, shape);
        expected_nndsvd(&p, RANK, basis, encoding);
        orthant_result *plain = fit_with(&p, "nmf", RANK, "0", "init", "nndsvd");
        orthant_result *filled = fit_with(&p, "nmf", RANK, "0", "init", "nndsvda");
        orthant_result *random = fit_with(&p, "nmf", RANK, "0", "init", "nndsvdar");
        const double mean = mean_of(p.X);
        for (int i = 0; i < 57; i++)
            for (int k = 0; k < RANK; k++) {
                const double expected = encoding[i * RANK + k];
                const double found =
                    orthant_matrix_get(orthant_result_factor(plain, "encoding"), i, k);
                const double a =
                    orthant_matrix_get(orthant_result_factor(filled, "encoding"), i, k);
                const double r =
                    orthant_matrix_get(orthant_result_factor(random, "encoding"), i, k);
                assert_true(fabs(found - expected) < 1e-4);
                assert_true(found == 0 ? fabs(a - mean) < 1e-12 && r > 0 && r < mean / 100
                                       : a == found && r == found);
            }
        for (int j = 0; j < 33; j++)
            for (int k = 0; k < RANK; k++)
                assert_true(fabs(orthant_matrix_get(orthant_result_factor(plain, "basis"), j, k) -
                                 basis[j * RANK + k]) < 1e-4);
        orthant_result_free(plain);
        orthant_result_free(filled);
        orthant_result_free(random);
        problem_free(&p);
    }
}

static void test_nndsvd_refuses_too_high_a_rank(void **state)
{
    test_problem p;
    orthant_result *result = NULL;
    (void)state;
    problem_make(&p, (problem_shape){40, 6, ORTHANT_SINGLE, false, 5, 0.6});
    orthant_model *model = problem_model(&p, "nmf", 8, "2");
    assert_int_equal(orthant_model_set(model, "init", "nndsvd"), ORTHANT_OK);
    assert_int_equal(orthant_fit(model, p.X, &result), ORTHANT_ERROR_ARGUMENT);
    assert_non_null(strstr(orthant_message(p.ctx), "random"));
    orthant_model_free(model);
    problem_free(&p);
}

/* The k-means start is better than a random one: centres and memberships. */
static void test_kmeans_start(void **state)
{
    test_problem p;
    (void)state;
    problem_make(&p, small);
    orthant_result *a = fit_with(&p, "nmf", 4, "0", "init", "kmeans"),
                   *b = fit_with(&p, "nmf", 4, "0", NULL, NULL);
    const orthant_matrix *S = orthant_result_factor(a, "encoding");
    for (int64_t i = 0; i < 57; i++) {
        double total = 0;
        for (int64_t k = 0; k < 4; k++)
            total += orthant_matrix_get(S, i, k);
        assert_true(fabs(total - (1 + 4 * 0.2)) < 1e-12);
    }
    assert_true(orthant_result_objective(a) > 0 && orthant_result_objective(b) > 0);
    orthant_result_free(a);
    orthant_result_free(b);
    problem_free(&p);
}

/* Going on from a run's factors is the same as never having stopped. */
static void test_start_from_factors(void **state)
{
    test_problem p;
    (void)state;
    problem_make(&p, small);
    orthant_result *whole = fit_with(&p, "gnmf", 4, "12", NULL, NULL),
                   *half = fit_with(&p, "gnmf", 4, "5", NULL, NULL);
    orthant_model *model = problem_model(&p, "gnmf", 4, "7");
    assert_int_equal(orthant_model_set_start(model, "basis", orthant_result_factor(half, "basis")),
                     ORTHANT_OK);
    assert_int_equal(
        orthant_model_set_start(model, "encoding", orthant_result_factor(half, "encoding")),
        ORTHANT_OK);
    orthant_result *rest = problem_fit(&p, model);
    assert_true(factors_identical(whole, rest));
    assert_int_equal(
        orthant_model_set_start(model, "weights", orthant_result_factor(half, "basis")),
        ORTHANT_ERROR_ARGUMENT);
    assert_int_equal(
        orthant_model_set_start(model, "basis", orthant_result_factor(half, "encoding")),
        ORTHANT_OK);
    orthant_result *wrong = NULL;
    assert_int_equal(orthant_fit(model, p.X, &wrong), ORTHANT_ERROR_ARGUMENT);
    assert_non_null(strstr(orthant_message(p.ctx), "57 x 4; expected 33 x 4"));
    orthant_model_free(model);
    orthant_result_free(whole);
    orthant_result_free(half);
    orthant_result_free(rest);
    problem_free(&p);
}

static void test_tolerance(void **state)
{
    test_problem p;
    (void)state;
    problem_make(&p, small);
    orthant_result *a = fit_with(&p, "nmf", 4, "2000", "tolerance", "1e-3");
    const int64_t last = orthant_result_iterations(a);
    assert_true(orthant_result_converged(a) && last >= 10 && last < 2000);
    assert_int_equal(orthant_result_history_rows(a), last + 1);
    /* the rule held at the end and not one iteration before */
    const double now = orthant_result_history(a, last, 2),
                 ten = orthant_result_history(a, last - 10, 2);
    const double before = orthant_result_history(a, last - 1, 2),
                 eleven = orthant_result_history(a, last - 11, 2);
    assert_true((ten - now) / 10 <= 1e-3 * ten && (eleven - before) / 10 > 1e-3 * eleven);
    orthant_result *b = fit_with(&p, "nmf", 4, "30", NULL, NULL);
    assert_false(orthant_result_converged(b));
    assert_int_equal(orthant_result_iterations(b), 30);
    orthant_result_free(a);
    orthant_result_free(b);
    problem_free(&p);
}

static bool stop_after_seven(void *user, const orthant_progress *progress)
{
    int *calls = user;
    assert_true(progress->done == ++*calls && progress->total == 100 && progress->objective > 0);
    return progress->done < 7;
}

static void test_progress_and_time_limit(void **state)
{
    test_problem p;
    int calls = 0;
    (void)state;
    problem_make(&p, small);
    orthant_context_set_progress(p.ctx, stop_after_seven, &calls);
    orthant_result *a = fit_with(&p, "nmf", 4, "100", NULL, NULL);
    assert_true(orthant_result_stopped(a) && orthant_result_iterations(a) == 7);
    orthant_context_set_progress(p.ctx, NULL, NULL);
    orthant_result *b = fit_with(&p, "nmf", 4, "7", NULL, NULL);
    assert_true(factors_identical(a, b));
    orthant_result *c = fit_with(&p, "nmf", 4, "100000000", "time_limit", "0.05");
    assert_true(orthant_result_stopped(c) && orthant_result_seconds(c) < 5);
    orthant_result_free(a);
    orthant_result_free(b);
    orthant_result_free(c);
    problem_free(&p);
}

/* A penalty on S alone lets the scale drift to W; normalise=basis holds it. */
static void test_drift_is_told_and_held(void **state)
{
    test_problem p;
    (void)state;
    problem_make(&p, small);
    orthant_result *free_scale = fit_with(&p, "tnmf", 4, "3000", NULL, NULL);
    bool told = false;
    for (int i = 0; i < orthant_result_note_count(free_scale); i++)
        told |= strstr(orthant_result_note(free_scale, i), "drift") != NULL;
    assert_true(told);
    orthant_result *held = fit_with(&p, "tnmf", 4, "50", "normalise", "basis");
    const orthant_matrix *W = orthant_result_factor(held, "basis");
    for (int64_t k = 0; k < 4; k++) {
        double squares = 0;
        for (int64_t j = 0; j < 33; j++)
            squares += pow(orthant_matrix_get(W, j, k), 2);
        assert_true(fabs(squares - 1) < 1e-9);
    }
    orthant_result_free(free_scale);
    orthant_result_free(held);
    problem_free(&p);
}

static bool has_note(const orthant_result *result, const char *words)
{
    for (int i = 0; i < orthant_result_note_count(result); i++)
        if (strstr(orthant_result_note(result, i), words))
            return true;
    return false;
}

/* The start of a fit of rank 3 has column 1 of the basis, column 2 of the encoding, or both zero.
 */
static orthant_result *fit_with_zeros(const test_problem *p, bool basis, bool encoding)
{
    orthant_matrix *W = NULL, *S = NULL;
    double start[57 * 3];
    for (int i = 0; i < 57 * 3; i++)
        start[i] = basis && i % 3 == 1 ? 0 : 1 + i % 5;
    assert_int_equal(orthant_matrix_create(p->ctx, 33, 3, start, &W), ORTHANT_OK);
    for (int i = 0; i < 57 * 3; i++)
        start[i] = encoding && i % 3 == 2 ? 0 : 1 + i % 7;
    assert_int_equal(orthant_matrix_create(p->ctx, 57, 3, start, &S), ORTHANT_OK);
    orthant_model *model = problem_model(p, "nmf", 3, "0");
    assert_int_equal(orthant_model_set_start(model, "basis", W), ORTHANT_OK);
    assert_int_equal(orthant_model_set_start(model, "encoding", S), ORTHANT_OK);
    orthant_result *result = problem_fit(p, model);
    orthant_model_free(model);
    orthant_matrix_free(W);
    orthant_matrix_free(S);
    return result;
}

static void test_dead_columns_are_counted(void **state)
{
    static const struct {
        bool basis, encoding;
        int64_t dead;
        const char *note;
    } cases[] = {
        {false, false, 0, NULL},
        {true, false, 1, "1 of 3 columns died (all zero): 1 of the basis"},
        {false, true, 1, "1 of 3 columns died (all zero): 1 of the encoding"},
        {true, true, 2, "2 of 3 columns died (all zero): 1 of the basis, 1 of the encoding"}};
    test_problem p;
    (void)state;
    problem_make(&p, small);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        orthant_result *result = fit_with_zeros(&p, cases[i].basis, cases[i].encoding);
        assert_int_equal(orthant_result_dead_columns(result), cases[i].dead);
        assert_true(cases[i].note ? has_note(result, cases[i].note)
                                  : orthant_result_note_count(result) == 0);
        orthant_result_free(result);
    }
    problem_free(&p);
}

/* No step leaves encodings that are all zero, so that the objective stands: that is no fit. */
static void test_a_collapsed_fit_has_not_converged(void **state)
{
    test_problem p;
    orthant_matrix *S = NULL;
    static const double zeros[57 * 3];
    (void)state;
    problem_make(&p, small);
    assert_int_equal(orthant_matrix_create(p.ctx, 57, 3, zeros, &S), ORTHANT_OK);
    orthant_model *model = problem_model(&p, "nmf", 3, "100");
    assert_int_equal(orthant_model_set(model, "tolerance", "1e-5"), ORTHANT_OK);
    assert_int_equal(orthant_model_set_start(model, "encoding", S), ORTHANT_OK);
    orthant_result *result = problem_fit(&p, model);
    assert_false(orthant_result_converged(result));
    assert_int_equal(orthant_result_dead_columns(result), 3);
    assert_true(has_note(result, "the fit collapsed: every entry of the encoding is zero"));
    orthant_result_free(result);
    orthant_model_free(model);
    orthant_matrix_free(S);
    problem_free(&p);
}

/* The objective of the history is the objective of the factors, computed the long way; also where
 * the fit is exact. */
static void test_objective_of_an_exact_fit(void **state)
{
    (void)state;
    for (int precision = 0; precision < 2; precision++) {
        orthant_context *ctx = NULL;
        orthant_matrix *X = NULL;
        orthant_model *model = NULL;
        orthant_result *result = NULL;
        double values[40 * 20];
        for (int i = 0; i < 40; i++)
            for (int j = 0; j < 20; j++)
                values[i * 20 + j] = (1 + i % 7) * (2 + j % 5);
        assert_int_equal(orthant_context_create(&ctx), ORTHANT_OK);
        orthant_context_set_precision(ctx, precision ? ORTHANT_DOUBLE : ORTHANT_SINGLE);
        assert_int_equal(orthant_matrix_create(ctx, 40, 20, values, &X), ORTHANT_OK);
        assert_int_equal(orthant_model_create(ctx, "nmf", 1, &model), ORTHANT_OK);
        assert_int_equal(orthant_fit(model, X, &result), ORTHANT_OK);
        const orthant_matrix *W = orthant_result_factor(result, "basis"),
                             *S = orthant_result_factor(result, "encoding");
        double residual = 0, squares = 0;
        for (int i = 0; i < 40; i++)
            for (int j = 0; j < 20; j++) {
                residual += pow(values[i * 20 + j] -
                                    orthant_matrix_get(S, i, 0) * orthant_matrix_get(W, j, 0),
                                2);
                squares += pow(values[i * 20 + j], 2);
            }
        assert_true(orthant_result_objective(result) >= 0);
        assert_true(fabs(orthant_result_objective(result) - residual) <=
                    (precision ? 1e-24 : 1e-11) * squares);
        orthant_result_free(result);
        orthant_model_free(model);
        orthant_matrix_free(X);
        orthant_context_free(ctx);
    }
}

static void test_labels_of_a_result(void **state)
{
    test_problem p;
    orthant_labels *by_rule = NULL, *by_argmax = NULL;
    (void)state;
    problem_make(&p, small);
    orthant_result *result = fit_with(&p, "nlcf", 4, "50", NULL, NULL);
    assert_int_equal(orthant_result_labels(result, NULL, 4, 3, 1, &by_rule), ORTHANT_OK);
    assert_int_equal(orthant_result_labels(result, "argmax", 4, 3, 1, &by_argmax), ORTHANT_OK);
    assert_memory_equal(orthant_labels_values(by_rule), orthant_labels_values(by_argmax),
                        57 * sizeof(int64_t));
    orthant_labels_free(by_rule);
    orthant_labels_free(by_argmax);
    assert_int_equal(orthant_result_labels(result, "kmeans", 4, 3, 1, &by_rule), ORTHANT_OK);
    assert_int_equal(orthant_labels_count(by_rule), 57);
    orthant_labels_free(by_rule);
    assert_int_equal(orthant_result_labels(result, "median", 4, 3, 1, &by_rule),
                     ORTHANT_ERROR_ARGUMENT);
    assert_null(by_rule);
    assert_int_equal(orthant_result_labels(result, "argmax:core", 4, 3, 1, &by_rule),
                     ORTHANT_ERROR_ARGUMENT);
    assert_int_equal(orthant_result_labels(result, "argmax:basis", 4, 3, 1, &by_rule),
                     ORTHANT_ERROR_ARGUMENT);
    orthant_result_free(result);
    problem_free(&p);
}

/* Fits three classes that anyone can tell apart and takes the labels of the method's rule. */
static double accuracy_of(const char *method, const char *name, const char *value,
                          double scale_of_first)
{
    enum { N = 60, M = 12 };
    double values[N * M], basis[M * 3];
    int64_t truth[N];
    orthant_context *ctx = NULL;
    orthant_matrix *X = NULL, *start = NULL;
    orthant_labels *known = NULL, *found = NULL;
    orthant_model *model = NULL;
    orthant_result *result = NULL;
    orthant_scores scores = {.size = sizeof scores};
    for (int i = 0; i < N; i++) {
        truth[i] = i % 3;
        for (int j = 0; j < M; j++)
            values[i * M + j] = (j % 3 == i % 3 ? (i % 3 == 0 ? 20 : 4) : 0.1) +
                                (i * 7919 + j * 104729) % 101 / 200.0;
    }
    for (int j = 0; j < M; j++)
        for (int c = 0; c < 3; c++)
            basis[j * 3 + c] = (j % 3 == c ? 1 : 0.1) * (c == 0 ? scale_of_first : 1);
    assert_int_equal(orthant_context_create(&ctx), ORTHANT_OK);
    assert_int_equal(orthant_matrix_create(ctx, N, M, values, &X), ORTHANT_OK);
    assert_int_equal(orthant_matrix_create(ctx, M, 3, basis, &start), ORTHANT_OK);
    assert_int_equal(orthant_labels_create(ctx, N, truth, &known), ORTHANT_OK);
    assert_int_equal(orthant_model_create(ctx, method, 3, &model), ORTHANT_OK);
    assert_int_equal(orthant_model_set(model, name, value), ORTHANT_OK);
    assert_int_equal(orthant_model_set_labels(model, known), ORTHANT_OK);
    if (scale_of_first > 0)
        assert_int_equal(orthant_model_set_start(model, "basis", start), ORTHANT_OK);
    assert_int_equal(orthant_fit(model, X, &result), ORTHANT_OK);
    assert_int_equal(orthant_result_labels(result, NULL, 3, 10, 1, &found), ORTHANT_OK);
    assert_int_equal(orthant_score_labels(ctx, found, known, &scores), ORTHANT_OK);
    orthant_labels_free(found);
    orthant_result_free(result);
    orthant_model_free(model);
    orthant_labels_free(known);
    orthant_matrix_free(start);
    orthant_matrix_free(X);
    orthant_context_free(ctx);
    return scores.accuracy;
}

/* Columns of the encoding at scales of their own must not decide the labels: a penalty on them lets
 * the scale drift, coordinate descent leaves each column where it started. */
static void test_labels_are_scale_free(void **state)
{
    (void)state;
    assert_true(accuracy_of("cdnmf", "class_weight", "100", 0) == 1);
    assert_true(accuracy_of("nmf", "solver", "hals", 1e-4) == 1);
    assert_true(accuracy_of("nmf", "solver", "hals", 1e4) == 1);
}

/* Data far from 1 work or are refused; nothing in between. */
static void test_scales_of_the_data(void **state)
{
    const double scales[] = {1e-40, 1e-20, 1e-8, 1e8, 1e20, 1e35};
    (void)state;
    for (int s = 0; s < 6; s++)
        for (int m = 0; m < 2; m++) {
            orthant_context *ctx = NULL;
            orthant_matrix *X = NULL;
            orthant_model *model = NULL;
            orthant_result *result = NULL;
            double values[30 * 12];
            for (int i = 0; i < 360; i++)
                values[i] = scales[s] * (i * 7919 % 101) / 100;
            assert_int_equal(orthant_context_create(&ctx), ORTHANT_OK);
            assert_int_equal(orthant_matrix_create(ctx, 30, 12, values, &X), ORTHANT_OK);
            assert_int_equal(orthant_model_create(ctx, m ? "nmf-kl" : "nmf", 3, &model),
                             ORTHANT_OK);
            const orthant_status status = orthant_fit(model, X, &result);
            if (scales[s] == 1e-8 || scales[s] == 1e8) {
                assert_int_equal(status, ORTHANT_OK);
                const double first = orthant_result_history(result, 0, 2);
                assert_true(orthant_result_objective(result) < 0.9 * first &&
                            orthant_result_objective(result) > 0);
            } else {
                assert_int_equal(status, ORTHANT_ERROR_DATA);
            }
            orthant_result_free(result);
            orthant_model_free(model);
            orthant_matrix_free(X);
            orthant_context_free(ctx);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_start),
        cmocka_unit_test(test_uniform),
        cmocka_unit_test(test_nndsvd),
        cmocka_unit_test(test_nndsvd_refuses_too_high_a_rank),
        cmocka_unit_test(test_kmeans_start),
        cmocka_unit_test(test_start_from_factors),
        cmocka_unit_test(test_tolerance),
        cmocka_unit_test(test_progress_and_time_limit),
        cmocka_unit_test(test_drift_is_told_and_held),
        cmocka_unit_test(test_dead_columns_are_counted),
        cmocka_unit_test(test_a_collapsed_fit_has_not_converged),
        cmocka_unit_test(test_objective_of_an_exact_fit),
        cmocka_unit_test(test_labels_of_a_result),
        cmocka_unit_test(test_labels_are_scale_free),
        cmocka_unit_test(test_scales_of_the_data),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
