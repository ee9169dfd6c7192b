/* Clusters of new samples: the nearest centre, the largest entry, the nearest mean code. */
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

static orthant_matrix *matrix(int64_t rows, int64_t columns, const double *values)
{
    orthant_matrix *made = NULL;
    expect_ok(ctx, orthant_matrix_create(ctx, rows, columns, values, &made));
    return made;
}

static void expect_values(orthant_labels *labels, const int64_t *expected, int64_t count)
{
    assert_int_equal(orthant_labels_count(labels), count);
    for (int64_t i = 0; i < count; i++)
        assert_int_equal(orthant_labels_values(labels)[i], expected[i]);
    orthant_labels_free(labels);
}

/* Three centres on a line, of which the first two are equally near to a point between them; more
 * points than a task has, dense and sparse. */
static void test_nearest(void **state)
{
    enum { POINTS = 200 };
    const double centres[] = {0, 0, 2, 0, 9, 0};
    double points[2 * POINTS] = {0};
    int64_t expected[POINTS], start[POINTS + 1], column[POINTS] = {0};
    double stored[POINTS];
    (void)state;
    start[0] = 0;
    for (int i = 0; i < POINTS; i++) {
        points[2 * i] = stored[i] = i % 10 + 1;
        expected[i] = i % 10 + 1 <= 1 ? 0 : i % 10 + 1 <= 5 ? 1 : 2;
        start[i + 1] = i + 1;
    }
    orthant_matrix *X = matrix(POINTS, 2, points), *C = matrix(3, 2, centres), *sparse = NULL;
    orthant_labels *labels = NULL;
    expect_ok(ctx, orthant_labels_nearest(ctx, X, C, &labels));
    expect_values(labels, expected, POINTS);
    expect_ok(ctx, orthant_matrix_create_csr(ctx, POINTS, 2, start, column, stored, &sparse));
    expect_ok(ctx, orthant_labels_nearest(ctx, sparse, C, &labels));
    expect_values(labels, expected, POINTS);
    orthant_matrix *other = matrix(2, 3, centres);
    expect_failure(ctx, ORTHANT_ERROR_ARGUMENT, "centres have 3 columns, the points 2",
                   orthant_labels_nearest(ctx, X, other, &labels));
    orthant_matrix_free(other);
    orthant_matrix_free(sparse);
    orthant_matrix_free(X);
    orthant_matrix_free(C);
}

typedef struct prediction {
    const char *rule;
    const double *scale;
    int64_t expected[3];
} prediction;

/* Clusters 7 and 4 of the fit: (1 0), (3 0) and (0 2), (0 4); a sample has none. */
static void test_rules(void **state)
{
    static const double stretched[] = {10, 1};
    static const prediction cases[] = {
        {"argmax:encoding", NULL, {1, 0, 1}},
        {"argmax:encoding", stretched, {1, 0, 1}},
        {"argmax-scaled:encoding", stretched, {0, 0, 1}},
        /* means (20 0) and (0 3), of (5 0.6), (10 0), (0 9) */
        {"kmeans-scaled:encoding", stretched, {4, 7, 4}},
        /* means (2 0) and (0 3) */
        {"kmeans:encoding", NULL, {7, 7, 4}},
        {"kmeans", NULL, {7, 7, 4}},
        /* at unit length (1 0) and (0 1) */
        {"kmeans-unit:encoding", NULL, {4, 7, 4}},
    };
    const double of_fit[] = {1, 0, 3, 0, 0, 2, 0, 4, 50, 50}, new_codes[] = {0.5, 0.6, 1, 0, 0, 9};
    const int64_t clusters[] = {7, 7, 4, 4, -1};
    orthant_matrix *encoding = matrix(5, 2, of_fit), *codes = matrix(3, 2, new_codes);
    orthant_labels *found = NULL, *labels = NULL;
    (void)state;
    expect_ok(ctx, orthant_labels_create(ctx, 5, clusters, &found));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        expect_ok(ctx, orthant_labels_predict(ctx, codes, encoding, found, cases[i].rule,
                                              cases[i].scale, &labels));
        expect_values(labels, cases[i].expected, 3);
    }
    expect_ok(ctx,
              orthant_labels_predict(ctx, codes, NULL, NULL, "argmax:encoding", NULL, &labels));
    expect_values(labels, cases[0].expected, 3);
    expect_failure(
        ctx, ORTHANT_ERROR_ARGUMENT, "need the encoding of the fit and its clusters",
        orthant_labels_predict(ctx, codes, NULL, NULL, "kmeans:encoding", NULL, &labels));
    expect_failure(
        ctx, ORTHANT_ERROR_ARGUMENT, "the rule 'kmeans:core' gives new samples no clusters",
        orthant_labels_predict(ctx, codes, encoding, found, "kmeans:core", NULL, &labels));
    expect_failure(ctx, ORTHANT_ERROR_ARGUMENT, "the rule 'best-of' gives",
                   orthant_labels_predict(ctx, codes, encoding, found, "best-of", NULL, &labels));
    expect_failure(ctx, ORTHANT_ERROR_ARGUMENT,
                   "the encoding is of 3 samples and 2 parts, for 5 clusters",
                   orthant_labels_predict(ctx, codes, codes, found, "kmeans", NULL, &labels));
    assert_null(labels);
    orthant_labels_free(found);
    orthant_matrix_free(encoding);
    orthant_matrix_free(codes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_nearest, make, clear),
        cmocka_unit_test_setup_teardown(test_rules, make, clear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
