/* Labels from encodings. */
#include "expect.h"

#include "orthant/labels.h"
#include "orthant/matrix.h"

static orthant_context *ctx;

static int make(void **state)
{
    (void)state;
    return orthant_context_create(&ctx) != ORTHANT_OK;
}

static int clear(void **state)
{
    (void)state;
    const size_t left = orthant_context_memory(ctx);
    orthant_context_free(ctx);
    return left != 0;
}

static void expect_labels(const orthant_matrix *encoding, const int64_t *expected)
{
    orthant_labels *labels = NULL;
    expect_ok(ctx, orthant_labels_argmax(ctx, encoding, &labels));
    assert_int_equal(orthant_labels_count(labels), orthant_matrix_rows(encoding));
    for (int64_t i = 0; i < orthant_labels_count(labels); i++)
        assert_int_equal(orthant_labels_values(labels)[i], expected[i]);
    orthant_labels_free(labels);
}

static void test_argmax(void **state)
{
    (void)state;
    const double values[] = {1, 3, 2, 5, 5, 1, 0, 0, 0, -1, -3, -2, 0, 0, 4};
    const int64_t expected[] = {1, 0, 0, 0, 2};
    for (int precision = 0; precision < 2; precision++) {
        orthant_matrix *encoding = NULL;
        orthant_context_set_precision(ctx, (orthant_precision)precision);
        expect_ok(ctx, orthant_matrix_create(ctx, 5, 3, values, &encoding));
        expect_labels(encoding, expected);
        orthant_matrix_free(encoding);
    }
}

static void test_argmax_of_a_sparse_encoding(void **state)
{
    (void)state;
    /* (0 0 2), (0 0 0), (-1 0 -1), (-3 -1 -2), (0 0 0) with a stored zero at the end */
    const int64_t start[] = {0, 1, 1, 3, 6, 7}, column[] = {2, 0, 2, 0, 1, 2, 2};
    const double values[] = {2, -1, -1, -3, -1, -2, 0};
    const int64_t expected[] = {2, 0, 1, 1, 0};
    orthant_matrix *encoding = NULL;
    expect_ok(ctx, orthant_matrix_create_csr(ctx, 5, 3, start, column, values, &encoding));
    expect_labels(encoding, expected);
    orthant_matrix_free(encoding);
}

static void test_kmeans_read_out(void **state)
{
    (void)state;
    const double values[] = {0, 0, 0, 1, 9, 9, 9, 8, 1, 0};
    orthant_matrix *points = NULL;
    orthant_labels *labels = NULL, *again = NULL;
    double inertia = 0.0;
    expect_ok(ctx, orthant_matrix_create(ctx, 5, 2, values, &points));
    expect_ok(ctx, orthant_labels_kmeans(ctx, points, 2, 5, 3, &labels, &inertia));
    const int64_t *found = orthant_labels_values(labels);
    assert_true(found[0] == found[1] && found[0] == found[4]);
    assert_true(found[2] == found[3] && found[0] != found[2]);
    /* 4/3 around (1/3, 1/3), 1/2 around (9, 8.5) */
    assert_true(inertia > 4.0 / 3.0 + 0.5 - 1e-12 && inertia < 4.0 / 3.0 + 0.5 + 1e-12);
    expect_ok(ctx, orthant_labels_kmeans(ctx, points, 2, 5, 3, &again, NULL));
    assert_memory_equal(found, orthant_labels_values(again), 5 * sizeof *found);
    orthant_labels_free(again);
    orthant_labels_free(labels);
    expect_failure(ctx, ORTHANT_ERROR_ARGUMENT, "6 clusters of 5 samples",
                   orthant_labels_kmeans(ctx, points, 6, 5, 3, &labels, &inertia));
    assert_null(labels);
    orthant_matrix_free(points);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_argmax, make, clear),
        cmocka_unit_test_setup_teardown(test_argmax_of_a_sparse_encoding, make, clear),
        cmocka_unit_test_setup_teardown(test_kmeans_read_out, make, clear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
