/* The Gaussian similarity of RMND, and what is refused as a similarity. */
#include "expect.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "data/matrix.h"
#include "golden.h"
#include "graph/similarity.h"
#include "problem.h"

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

static void expect_golden(int64_t neighbours, const char *file)
{
    orthant_matrix *X = golden_matrix(ctx, "pos_graph", "X.csv", true), *K = NULL;
    orthant_matrix *expected = golden_matrix(ctx, "pos_graph", file, false);
    expect_ok(ctx, orthant_similarity_gaussian(ctx, X, neighbours, 1, &K));
    assert_int_equal(orthant_matrix_is_sparse(K), neighbours != 0);
    assert_true(factor_difference(K, expected) < 1e-13);
    orthant_matrix_free(K);
    orthant_matrix_free(expected);
    orthant_matrix_free(X);
}

static void test_golden(void **state)
{
    (void)state;
    expect_golden(0, "out_gaussian.csv");
    expect_golden(8, "out_gaussian_knn8.csv");
}

/* t of (4.4) shows in any entry: k = exp(-d^2 / (2 scale t^2)). */
static void test_width(void **state)
{
    (void)state;
    int64_t rows, columns;
    double *t = golden_read("pos_graph", "out_t44.csv", &rows, &columns);
    double *distances = golden_read("pos_graph", "out_sqdist.csv", &rows, &columns);
    orthant_matrix *X = golden_matrix(ctx, "pos_graph", "X.csv", true), *K = NULL;
    expect_ok(ctx, orthant_similarity_gaussian(ctx, X, 0, 2.5, &K));
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < rows; j++) {
            const double expected = exp(-distances[i * rows + j] / (2 * 2.5 * t[0] * t[0]));
            assert_true(fabs(orthant_matrix_get(K, i, j) - expected) < 1e-12);
        }
    free(t);
    free(distances);
    orthant_matrix_free(K);
    orthant_matrix_free(X);
}

/* Dense and sparse samples, both precisions: the mirror image has the same bits, the diagonal is 1.
 */
static void test_symmetric_to_the_bit(void **state)
{
    (void)state;
    for (int variant = 0; variant < 8; variant++) {
        test_problem p;
        orthant_matrix *K = NULL;
        problem_make(&p, (problem_shape){71, 13, variant & 1 ? ORTHANT_DOUBLE : ORTHANT_SINGLE,
                                         variant & 2, 9, 0.4});
        expect_ok(p.ctx, orthant_similarity_gaussian(p.ctx, p.X, variant & 4 ? 6 : 0, 1, &K));
        for (int64_t i = 0; i < 71; i++) {
            assert_true(orthant_matrix_get(K, i, i) == 1);
            for (int64_t j = 0; j < i; j++)
                assert_true(orthant_matrix_get(K, i, j) == orthant_matrix_get(K, j, i));
        }
        orthant_matrix_free(K);
        problem_free(&p);
    }
}

/* Between the neighbours that are kept it is the similarity of all pairs; elsewhere it is 0. In
 * single precision that of all pairs comes from products. */
static void test_restricted(void **state)
{
    (void)state;
    for (int variant = 0; variant < 4; variant++) {
        const double rounding = variant & 1 ? 0 : 2e-6;
        test_problem p;
        orthant_matrix *all = NULL, *some = NULL;
        int64_t kept = 0;
        problem_make(&p, (problem_shape){350, 40, variant & 1 ? ORTHANT_DOUBLE : ORTHANT_SINGLE,
                                         variant & 2, 4, 0.5});
        expect_ok(p.ctx, orthant_similarity_gaussian(p.ctx, p.X, 0, 1, &all));
        expect_ok(p.ctx, orthant_similarity_gaussian(p.ctx, p.X, 7, 1, &some));
        for (int64_t i = 0; i < 350; i++) {
            int64_t neighbours = 0;
            for (int64_t j = 0; j < 350; j++) {
                const double value = orthant_matrix_get(some, i, j);
                if (value == 0)
                    continue;
                neighbours += j != i;
                assert_true(fabs(value - orthant_matrix_get(all, i, j)) <= rounding);
            }
            assert_true(neighbours >= 7);
            kept += neighbours;
        }
        assert_int_equal(kept + 350, orthant_matrix_nonzeros(some));
        assert_true(kept <= 350 * 14);
        orthant_matrix_free(some);
        orthant_matrix_free(all);
        problem_free(&p);
    }
}

/* Products of single precision against distances in double; a narrow similarity too, and samples
 * that are the same or nearly so. */
static void test_products(void **state)
{
    (void)state;
    for (int variant = 0; variant < 4; variant++) {
        const double scale = variant & 1 ? 0.01 : 1, offset = variant & 2 ? 1000 : 0;
        test_problem p, wide;
        orthant_matrix *K = NULL, *expected = NULL;
        problem_make(&p, (problem_shape){700, 90, ORTHANT_SINGLE, false, 6, 0});
        problem_make(&wide, (problem_shape){700, 90, ORTHANT_DOUBLE, false, 6, 0});
        for (int64_t i = 0; i < 700; i++)
            for (int64_t j = 0; j < 90; j++) {
                const int64_t from = i == 5 || i == 650 ? 4 : i;
                const float value =
                    (float)(matrix_value(p.X, from * p.X->stride + j) + (from == i ? offset : 0) +
                            (i == 650 && j == 3 ? 1.0 / 1024 : 0));
                matrix_set_value(p.X, i * p.X->stride + j, (double)value);
                matrix_set_value(wide.X, i * wide.X->stride + j, (double)value);
            }
        expect_ok(wide.ctx, orthant_similarity_gaussian(wide.ctx, wide.X, 0, scale, &expected));
        for (int threads = 1; threads <= 3; threads++) {
            orthant_matrix *before = K;
            expect_ok(p.ctx, orthant_context_set_threads(p.ctx, threads));
            expect_ok(p.ctx, orthant_similarity_gaussian(p.ctx, p.X, 0, scale, &K));
            if (before)
                assert_memory_equal(before->values, K->values, 700 * (size_t)K->stride * 4);
            orthant_matrix_free(before);
        }
        assert_true(orthant_matrix_get(K, 4, 5) == 1 && orthant_matrix_get(K, 5, 4) == 1);
        for (int64_t i = 0; i < 700; i++)
            for (int64_t j = 0; j < 700; j++) {
                const double value = orthant_matrix_get(K, i, j);
                assert_true(value == orthant_matrix_get(K, j, i));
                assert_true(fabs(value - orthant_matrix_get(expected, i, j)) < 2e-6);
            }
        orthant_matrix_free(K);
        orthant_matrix_free(expected);
        problem_free(&wide);
        problem_free(&p);
    }
}

static void test_duplicates(void **state)
{
    (void)state;
    const double values[] = {1, 2, 1, 2, 5, 5, 1, 2}, same[] = {3, 3, 3, 3};
    orthant_matrix *X = NULL, *K = NULL;
    expect_ok(ctx, orthant_matrix_create(ctx, 4, 2, values, &X));
    for (int64_t neighbours = 0; neighbours < 3; neighbours++) {
        expect_ok(ctx, orthant_similarity_gaussian(ctx, X, neighbours, 1, &K));
        assert_true(orthant_matrix_get(K, 0, 1) == 1);
        assert_true(orthant_matrix_get(K, 0, 2) < 1);
        orthant_matrix_free(K);
    }
    orthant_matrix_free(X);
    /* every sample the same: the width is 0 */
    expect_ok(ctx, orthant_matrix_create(ctx, 4, 1, same, &X));
    for (int64_t neighbours = 0; neighbours < 2; neighbours++) {
        expect_ok(ctx, orthant_similarity_gaussian(ctx, X, neighbours, 1, &K));
        assert_true(orthant_matrix_get(K, 0, 1) == 1);
        orthant_matrix_free(K);
    }
    orthant_matrix_free(X);
}

static void test_wrong_arguments(void **state)
{
    (void)state;
    const double values[] = {1, 2, 3, NAN};
    orthant_matrix *X = NULL, *K = NULL;
    expect_ok(ctx, orthant_matrix_create(ctx, 4, 1, values, &X));
    expect_failure(ctx, ORTHANT_ERROR_ARGUMENT, "from 1 to 3",
                   orthant_similarity_gaussian(ctx, X, 4, 1, &K));
    expect_failure(ctx, ORTHANT_ERROR_ARGUMENT, "scale 0",
                   orthant_similarity_gaussian(ctx, X, 0, 0, &K));
    expect_failure(ctx, ORTHANT_ERROR_DATA, "(4, 1)",
                   orthant_similarity_gaussian(ctx, X, 0, 1, &K));
    assert_null(K);
    orthant_matrix_free(X);
}

static void expect_refused(int64_t rows, int64_t columns, const double *values, const char *words)
{
    orthant_matrix *K = NULL, *sparse = NULL;
    int64_t start[9], column[16];
    for (int64_t i = 0; i <= rows; i++)
        start[i] = i * columns;
    for (int64_t e = 0; e < rows * columns; e++)
        column[e] = e % columns;
    expect_ok(ctx, orthant_matrix_create(ctx, rows, columns, values, &K));
    expect_ok(ctx, orthant_matrix_create_csr(ctx, rows, columns, start, column, values, &sparse));
    expect_failure(ctx, ORTHANT_ERROR_DATA, words, similarity_check(K, true, "K.npy", "snmf"));
    expect_failure(ctx, ORTHANT_ERROR_DATA, words, similarity_check(sparse, true, "K.npy", "snmf"));
    orthant_matrix_free(sparse);
    orthant_matrix_free(K);
}

static void test_refused(void **state)
{
    (void)state;
    const double wide[] = {1, 2, 3, 4, 5, 6}, negative[] = {1, 0.5, 0.5, -0.25},
                 infinite[] = {1, INFINITY, INFINITY, 1};
    const double asymmetric[] = {1, 0.5, 0.25, 0.5625, 1, 0.75, 0.375, 0.75, 1};
    expect_refused(2, 3, wide, "2 x 3");
    expect_refused(2, 2, negative, "(2, 2) is -0.25");
    expect_refused(2, 2, infinite, "(1, 2)");
    expect_refused(3, 3, asymmetric, "K.npy is not symmetric");
    assert_non_null(strstr(orthant_message(ctx), "(1, 3) is 0.25, entry (3, 1) is 0.375"));
}

/* What rounding leaves between the two halves is no asymmetry. */
static void test_rounding_is_forgiven(void **state)
{
    (void)state;
    const double values[] = {1, 0.1, 0.1 + 1e-15, 1};
    orthant_matrix *K = NULL;
    expect_ok(ctx, orthant_matrix_create(ctx, 2, 2, values, &K));
    expect_ok(ctx, similarity_check(K, true, "K", "snmf"));
    orthant_matrix_free(K);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_golden, make, clear),
        cmocka_unit_test_setup_teardown(test_width, make, clear),
        cmocka_unit_test_setup_teardown(test_symmetric_to_the_bit, make, clear),
        cmocka_unit_test_setup_teardown(test_restricted, make, clear),
        cmocka_unit_test_setup_teardown(test_products, make, clear),
        cmocka_unit_test_setup_teardown(test_duplicates, make, clear),
        cmocka_unit_test_setup_teardown(test_wrong_arguments, make, clear),
        cmocka_unit_test_setup_teardown(test_refused, make, clear),
        cmocka_unit_test_setup_teardown(test_rounding_is_forgiven, make, clear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
