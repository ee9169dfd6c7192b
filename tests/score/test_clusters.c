/* Silhouettes against scikit-learn and plain loops, cohesion, sizes, and what is refused. */
#include "fixture.h"

#include <math.h>
#include <stdlib.h>

#include "orthant/fit.h"
#include "orthant/score.h"

#define POINTS 30

static void make_points(orthant_context *ctx, orthant_matrix **points)
{
    double values[2 * POINTS];
    for (int i = 0; i < POINTS; i++) {
        values[2 * i] = i * 37 % 101 / 10.0 + i % 3 * 4;
        values[2 * i + 1] = i * 53 % 89 / 9.0;
    }
    expect_ok(ctx, orthant_matrix_create(ctx, POINTS, 2, values, points));
}

static orthant_cluster_scores scores_of(orthant_context *ctx, const orthant_matrix *points,
                                        int64_t n, const int64_t *label)
{
    orthant_labels *labels = NULL;
    orthant_cluster_scores scores = {.size = sizeof scores};
    expect_ok(ctx, orthant_labels_create(ctx, n, label, &labels));
    expect_ok(ctx, orthant_score_clusters(ctx, points, labels, &scores));
    orthant_labels_free(labels);
    return scores;
}

/* silhouette_score of scikit-learn 1.9.1. */
static void test_silhouettes_of_scikit_learn(void **state)
{
    orthant_context *ctx = *state;
    orthant_matrix *points = NULL;
    int64_t label[POINTS];
    make_points(ctx, &points);
    for (int i = 0; i < POINTS; i++)
        label[i] = i % 3;
    orthant_cluster_scores scores = scores_of(ctx, points, POINTS, label);
    assert_true(fabs(scores.silhouette - 0.013575398192957352) < 1e-14);
    assert_true(fabs(scores.cohesion - 0.4176634981149059) < 1e-14);
    assert_true(scores.exact);
    assert_int_equal(scores.clusters, 3);
    assert_int_equal(scores.smallest, 10);
    assert_int_equal(scores.largest, 10);
    label[0] = 9; /* by itself: it counts 0 */
    scores = scores_of(ctx, points, POINTS, label);
    assert_true(fabs(scores.silhouette - -0.031850009265782984) < 1e-14);
    assert_int_equal(scores.smallest, 1);
    label[0] = -1; /* left out */
    scores = scores_of(ctx, points, POINTS, label);
    assert_int_equal(scores.samples, POINTS - 1);
    assert_int_equal(scores.smallest, 9);
    orthant_matrix_free(points);
}

static void test_one_cluster_and_equal_points(void **state)
{
    orthant_context *ctx = *state;
    orthant_matrix *points = NULL;
    int64_t label[POINTS] = {0};
    make_points(ctx, &points);
    orthant_cluster_scores scores = scores_of(ctx, points, POINTS, label);
    assert_true(isnan(scores.silhouette));
    assert_true(fabs(scores.cohesion) < 1e-12);
    orthant_matrix_free(points);
    expect_ok(ctx, orthant_matrix_create(ctx, POINTS, 2, NULL, &points));
    label[3] = label[4] = 1;
    scores = scores_of(ctx, points, POINTS, label);
    assert_true(scores.silhouette == 0 && scores.cohesion == 1);
    orthant_matrix_free(points);
}

/* Above 4,000 samples distances to the centres take the place of those to all points. */
static void test_many_samples(void **state)
{
    orthant_context *ctx = *state;
    enum { N = 5003, CLUSTERS = 4 };
    orthant_matrix *points = NULL;
    double *values = malloc(2 * N * sizeof *values), centre[CLUSTERS][2] = {{0}}, sum = 0;
    int64_t *label = malloc(N * sizeof *label), size[CLUSTERS] = {0};
    assert_true(values && label);
    for (int i = 0; i < N; i++) {
        label[i] = i % CLUSTERS;
        values[2 * i] = i * 37 % 1009 / 400.0 + i % 2 * 3;
        values[2 * i + 1] = i * 53 % 997 / 400.0 + i % CLUSTERS / 2 * 3;
        size[label[i]]++;
        centre[label[i]][0] += values[2 * i];
        centre[label[i]][1] += values[2 * i + 1];
    }
    for (int i = 0; i < N; i++) {
        double own = 0, other = INFINITY;
        for (int l = 0; l < CLUSTERS; l++) {
            const double d = hypot(values[2 * i] - centre[l][0] / (double)size[l],
                                   values[2 * i + 1] - centre[l][1] / (double)size[l]);
            if (l == label[i])
                own = d;
            else
                other = fmin(other, d);
        }
        sum += (other - own) / fmax(own, other);
    }
    expect_ok(ctx, orthant_matrix_create(ctx, N, 2, values, &points));
    expect_ok(ctx, orthant_context_set_threads(ctx, 1));
    const orthant_cluster_scores scores = scores_of(ctx, points, N, label);
    assert_false(scores.exact);
    assert_true(fabs(scores.silhouette - sum / N) < 1e-12);
    expect_ok(ctx, orthant_context_set_threads(ctx, 3));
    assert_true(scores_of(ctx, points, N, label).silhouette == scores.silhouette);
    orthant_matrix_free(points);
    free(values);
    free(label);
}

static void test_sizes(void **state)
{
    orthant_context *ctx = *state;
    const int64_t label[] = {7, -3, 7, -1, 7, 0};
    int64_t sizes[4] = {9, 9, 9, 9};
    orthant_labels *labels = NULL;
    expect_ok(ctx, orthant_labels_create(ctx, 6, label, &labels));
    expect_ok(ctx, orthant_labels_sizes(labels, 4, sizes));
    assert_true(sizes[0] == 1 && sizes[1] == 1 && sizes[2] == 3 && sizes[3] == 9);
    sizes[1] = 9;
    expect_ok(ctx, orthant_labels_sizes(labels, 1, sizes));
    assert_true(sizes[0] == 1 && sizes[1] == 9);
    orthant_labels_free(labels);
}

static void test_refusals(void **state)
{
    orthant_context *ctx = *state;
    const int64_t none[] = {-1, -1, -1};
    orthant_cluster_scores scores = {.size = sizeof scores};
    orthant_labels *labels = NULL;
    orthant_matrix *points = NULL;
    expect_ok(ctx, orthant_labels_create(ctx, 3, none, &labels));
    expect_ok(ctx, orthant_matrix_create(ctx, 2, 2, NULL, &points));
    expect_failure(ctx, ORTHANT_ERROR_ARGUMENT, "3 labels, but 2 points",
                   orthant_score_clusters(ctx, points, labels, &scores));
    orthant_matrix_free(points);
    expect_ok(ctx, orthant_matrix_create(ctx, 3, 2, NULL, &points));
    expect_failure(ctx, ORTHANT_ERROR_ARGUMENT, "no sample of 3 has a cluster",
                   orthant_score_clusters(ctx, points, labels, &scores));
    orthant_matrix_free(points);
    orthant_labels_free(labels);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        fixture_test(test_silhouettes_of_scikit_learn),
        fixture_test(test_one_cluster_and_equal_points),
        fixture_test(test_many_samples),
        fixture_test(test_sizes),
        fixture_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
