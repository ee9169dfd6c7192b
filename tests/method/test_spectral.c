/* Spectral clustering: eigenvectors beside a reference, and graphs that fall apart. */
#include "expect.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/random.h"
#include "kernel/eigen.h"
#include "golden.h"
#include "orthant/orthant.h"

static orthant_context *ctx;

static int make(void **state)
{
    (void)state;
    if (orthant_context_create(&ctx) != ORTHANT_OK)
        return 1;
    orthant_context_set_precision(ctx, ORTHANT_DOUBLE);
    return 0;
}

static int clear(void **state)
{
    (void)state;
    const size_t left = orthant_context_memory(ctx);
    orthant_context_free(ctx);
    return left != 0;
}

static orthant_result *run(const orthant_matrix *K, int64_t rank, const char *rows)
{
    orthant_model *model = NULL;
    orthant_result *result = NULL;
    expect_ok(ctx, orthant_model_create(ctx, "spectral", rank, &model));
    expect_ok(ctx, orthant_model_set(model, "rows", rows));
    expect_ok(ctx, orthant_model_set_similarity(model, K));
    expect_ok(ctx, orthant_fit(model, K, &result));
    orthant_model_free(model);
    return result;
}

static double value(const orthant_result *result, const char *factor, int64_t i, int64_t j)
{
    return orthant_matrix_get(orthant_result_factor(result, factor), i, j);
}

/* Gram-Schmidt on the columns, twice for all digits. */
static void orthonormalise(double *columns, int64_t n, int64_t count)
{
    for (int64_t v = 0; v < count; v++)
        for (int round = 0; round < 2; round++) {
            double *mine = columns + v * n, square = 0;
            for (int64_t w = 0; w < v; w++) {
                double dot = 0;
                for (int64_t i = 0; i < n; i++)
                    dot += mine[i] * columns[w * n + i];
                for (int64_t i = 0; i < n; i++)
                    mine[i] -= dot * columns[w * n + i];
            }
            for (int64_t i = 0; i < n; i++)
                square += mine[i] * mine[i];
            for (int64_t i = 0; i < n; i++)
                mine[i] /= sqrt(square);
        }
}

/* Eigenvalues, and the projector on the columns of E^-1/2 V: what does not hang on signs. */
static void test_golden(void **state)
{
    (void)state;
    int64_t n, columns;
    orthant_matrix *K = golden_matrix(ctx, "pos_ncut", "W.csv", false);
    double *eigenvalues = golden_read("pos_ncut", "out_eigenvalues.csv", &n, &columns);
    double *projector = golden_read("pos_ncut", "out_projector.csv", &n, &columns);
    double *found = calloc((size_t)(4 * n), sizeof *found);
    orthant_result *result = run(K, 4, "degree");
    double cut = 4;
    for (int64_t v = 0; v < 4; v++) {
        assert_true(fabs(value(result, "eigenvalues", v, 0) - eigenvalues[v]) < 1e-12);
        cut -= eigenvalues[v];
        for (int64_t i = 0; i < n; i++)
            found[v * n + i] = value(result, "encoding", i, v);
    }
    assert_true(fabs(orthant_result_objective(result) - cut) < 1e-12);
    orthonormalise(found, n, 4);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) {
            double total = 0;
            for (int64_t v = 0; v < 4; v++)
                total += found[v * n + i] * found[v * n + j];
            assert_true(fabs(total - projector[i * n + j]) < 1e-11);
        }
    free(found);
    free(eigenvalues);
    free(projector);
    orthant_result_free(result);
    orthant_matrix_free(K);
}

/* ---- rings: their eigenvalues are known ---- */

enum { RING = 600 };

static orthant_matrix *ring(int64_t parts, int64_t isolated)
{
    const int64_t each = RING / parts, n = RING + isolated;
    int64_t *start = calloc((size_t)n + 1, sizeof *start),
            *column = calloc(2 * RING, sizeof *column);
    double *ones = calloc(2 * RING, sizeof *ones);
    orthant_matrix *K = NULL;
    for (int64_t i = 0; i < n; i++) {
        start[i + 1] = start[i] + (i < RING ? 2 : 0);
        if (i >= RING)
            continue;
        const int64_t first = i / each * each;
        column[2 * i] = first + (i - first + 1) % each;
        column[2 * i + 1] = first + (i - first + each - 1) % each;
        ones[2 * i] = ones[2 * i + 1] = 1;
    }
    expect_ok(ctx, orthant_matrix_create_csr(ctx, n, n, start, column, ones, &K));
    free(start);
    free(column);
    free(ones);
    return K;
}

/* cos(2 pi j / n), each twice but the first: degenerate pairs, by Lanczos. */
static void test_ring_by_lanczos(void **state)
{
    (void)state;
    orthant_matrix *K = ring(1, 0);
    orthant_result *result = run(K, 5, "none");
    const double pi = acos(-1.0);
    const int order[] = {0, 1, 1, 2, 2};
    for (int v = 0; v < 5; v++)
        assert_true(fabs(value(result, "eigenvalues", v, 0) - cos(2 * pi * order[v] / RING)) <
                    1e-9);
    /* B v = lambda v, and v'v = I */
    for (int v = 0; v < 5; v++)
        for (int w = 0; w <= v; w++) {
            double dot = 0;
            for (int64_t i = 0; i < RING; i++)
                dot += value(result, "encoding", i, v) * value(result, "encoding", i, w);
            assert_true(fabs(dot - (v == w)) < 1e-9);
        }
    for (int64_t i = 0; i < RING; i++) {
        const double next = value(result, "encoding", (i + 1) % RING, 3),
                     last = value(result, "encoding", (i + RING - 1) % RING, 3);
        assert_true(fabs(0.5 * (next + last) - value(result, "eigenvalues", 3, 0) *
                                                   value(result, "encoding", i, 3)) < 1e-7);
    }
    orthant_result_free(result);
    orthant_matrix_free(K);
}

/* Labels of the parts are told apart without error, again and again to the bit. */
static void test_unconnected_parts(void **state)
{
    (void)state;
    orthant_matrix *K = ring(4, 3);
    orthant_result *first = run(K, 4, "unit"), *again = run(K, 4, "unit");
    orthant_labels *labels = NULL;
    for (int v = 0; v < 4; v++)
        assert_true(value(first, "eigenvalues", v, 0) == 1);
    expect_ok(ctx, orthant_result_labels(first, NULL, 4, 5, 1, &labels));
    const int64_t *found = orthant_labels_values(labels);
    for (int64_t i = 0; i < RING; i++) {
        assert_int_equal(found[i], found[i / 150 * 150]);
        for (int v = 0; v < 4; v++)
            assert_true(value(first, "encoding", i, v) == value(again, "encoding", i, v));
    }
    for (int64_t part = 1; part < 4; part++)
        for (int64_t other = 0; other < part; other++)
            assert_int_not_equal(found[part * 150], found[other * 150]);
    for (int64_t i = RING; i < RING + 3; i++) /* isolated */
        for (int v = 0; v < 4; v++)
            assert_true(value(first, "encoding", i, v) == 0);
    assert_int_equal(orthant_result_note_count(first), 1);
    assert_non_null(strstr(orthant_result_note(first, 0), "4 parts"));
    orthant_labels_free(labels);
    orthant_result_free(first);
    orthant_result_free(again);
    orthant_matrix_free(K);
}

/* More vectors than parts: those within the parts come by Lanczos. More parts than vectors: the
 * largest. */
static void test_numbers_of_parts(void **state)
{
    (void)state;
    orthant_matrix *K = ring(2, 0);
    orthant_result *result = run(K, 4, "unit");
    const double pi = acos(-1.0);
    assert_true(value(result, "eigenvalues", 1, 0) == 1);
    for (int v = 2; v < 4; v++)
        assert_true(fabs(value(result, "eigenvalues", v, 0) - cos(2 * pi / 300)) < 1e-9);
    orthant_result_free(result);
    orthant_matrix_free(K);
    K = ring(6, 0);
    result = run(K, 2, "unit");
    assert_true(value(result, "eigenvalues", 1, 0) == 1);
    assert_non_null(strstr(orthant_result_note(result, 0), "6 parts"));
    orthant_result_free(result);
    orthant_matrix_free(K);
}

static void test_no_convergence_is_told(void **state)
{
    (void)state;
    orthant_matrix *K = ring(1, 0);
    orthant_model *model = NULL;
    orthant_result *result = NULL;
    expect_ok(ctx, orthant_model_create(ctx, "spectral", 12, &model));
    expect_ok(ctx, orthant_model_set(model, "eigen_restarts", "1"));
    expect_ok(ctx, orthant_model_set_similarity(model, K));
    expect_failure(ctx, ORTHANT_ERROR_NUMERIC, "of 11 eigenvectors",
                   orthant_fit(model, K, &result));
    assert_null(result);
    assert_non_null(strstr(orthant_message(ctx), "eigen_restarts"));
    orthant_model_free(model);
    orthant_matrix_free(K);
}

static bool never(void *user, const orthant_progress *progress)
{
    (void)user;
    return strcmp(progress->phase, "eigenvectors") != 0;
}

static void test_can_be_stopped(void **state)
{
    (void)state;
    orthant_matrix *K = ring(1, 0);
    orthant_model *model = NULL;
    orthant_result *result = NULL;
    expect_ok(ctx, orthant_model_create(ctx, "spectral", 12, &model));
    expect_ok(ctx, orthant_model_set_similarity(model, K));
    orthant_context_set_progress(ctx, never, NULL);
    expect_failure(ctx, ORTHANT_STOPPED, "stopped", orthant_fit(model, K, &result));
    orthant_model_free(model);
    orthant_matrix_free(K);
}

/* A graph in place of the similarity, and a start that makes no sense. */
static void test_graph_and_start(void **state)
{
    (void)state;
    double values[80];
    orthant_matrix *X = NULL, *start = NULL;
    orthant_model *model = NULL;
    orthant_result *result = NULL;
    for (int i = 0; i < 40; i++) {
        values[2 * i] = (i % 2 ? 50 : -50) + random_uniform(1, RANDOM_TEST, (uint64_t)i, 0);
        values[2 * i + 1] = random_uniform(1, RANDOM_TEST, (uint64_t)i, 1);
    }
    expect_ok(ctx, orthant_matrix_create(ctx, 40, 2, values, &X));
    expect_ok(ctx, orthant_matrix_create(ctx, 40, 2, values, &start));
    expect_ok(ctx, orthant_model_create(ctx, "spectral", 2, &model));
    expect_ok(ctx, orthant_model_set(model, "similarity", "graph"));
    expect_ok(ctx, orthant_fit(model, X, &result));
    for (int64_t i = 2; i < 40; i++) /* two parts, each by itself on an axis */
        for (int v = 0; v < 2; v++)
            assert_true(fabs(value(result, "encoding", i, v) -
                             value(result, "encoding", i % 2, v)) < 1e-12);
    orthant_result_free(result);
    expect_ok(ctx, orthant_model_set_start(model, "encoding", start));
    expect_failure(ctx, ORTHANT_ERROR_ARGUMENT, "takes no start", orthant_fit(model, X, &result));
    orthant_model_free(model);
    orthant_matrix_free(start);
    orthant_matrix_free(X);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_golden, make, clear),
        cmocka_unit_test_setup_teardown(test_ring_by_lanczos, make, clear),
        cmocka_unit_test_setup_teardown(test_unconnected_parts, make, clear),
        cmocka_unit_test_setup_teardown(test_numbers_of_parts, make, clear),
        cmocka_unit_test_setup_teardown(test_no_convergence_is_told, make, clear),
        cmocka_unit_test_setup_teardown(test_can_be_stopped, make, clear),
        cmocka_unit_test_setup_teardown(test_graph_and_start, make, clear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
