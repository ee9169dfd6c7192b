/* Points to labels: argmax and k-means. */
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

/* Every row of three entries in -2 ... 2, zeros stored, left out, or some of each. */
static void test_sparse_argmax_is_dense_argmax(void **state)
{
    enum { ROWS = 125 * 8 };
    static double dense[ROWS * 3], stored[ROWS * 3];
    static int64_t start[ROWS + 1], column[ROWS * 3];
    orthant_matrix *sparse = NULL, *full = NULL;
    orthant_labels *found = NULL, *expected = NULL;
    (void)state;
    for (int i = 0; i < ROWS; i++) {
        const int entry[3] = {i % 5 - 2, i / 5 % 5 - 2, i / 25 % 5 - 2};
        start[i + 1] = start[i];
        for (int j = 0; j < 3; j++) {
            dense[3 * i + j] = entry[j];
            if (entry[j] == 0 && !(i / 125 >> j & 1))
                continue;
            column[start[i + 1]] = j;
            stored[start[i + 1]++] = entry[j];
        }
    }
    expect_ok(ctx, orthant_matrix_create(ctx, ROWS, 3, dense, &full));
    expect_ok(ctx, orthant_matrix_create_csr(ctx, ROWS, 3, start, column, stored, &sparse));
    expect_ok(ctx, orthant_labels_argmax(ctx, full, &expected));
    expect_ok(ctx, orthant_labels_argmax(ctx, sparse, &found));
    for (int i = 0; i < ROWS; i++) {
        int64_t first = 0;
        for (int64_t j = 1; j < 3; j++)
            if (dense[3 * i + j] > dense[3 * i + first])
                first = j;
        assert_int_equal(orthant_labels_values(expected)[i], first);
        if (orthant_labels_values(found)[i] != first)
            fail_msg("(%g, %g, %g), zeros stored %d: argmax %d, expected %d", dense[3 * i],
                     dense[3 * i + 1], dense[3 * i + 2], i / 125,
                     (int)orthant_labels_values(found)[i], (int)first);
    }
    orthant_labels_free(found);
    orthant_labels_free(expected);
    orthant_matrix_free(sparse);
    orthant_matrix_free(full);
}

static void test_kmeans_labels(void **state)
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
        cmocka_unit_test_setup_teardown(test_sparse_argmax_is_dense_argmax, make, clear),
        cmocka_unit_test_setup_teardown(test_kmeans_labels, make, clear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
