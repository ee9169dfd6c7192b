/* k-means: the golden case, a falling inertia, exact ties, empty clusters, the same bits for any
 * number of threads. */
#include "expect.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/random.h"
#include "golden.h"
#include "kmeans_case.h"

static orthant_context *ctx;

static int make(void **state)
{
    (void)state;
    if (orthant_context_create(&ctx))
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

/* Five blobs, far from the origin. */
static double blobs(int64_t i, int64_t j)
{
    return 50.0 + 4.0 * uniform(1000000 + i % 5, j) + uniform(i, j);
}

static double counts(int64_t i, int64_t j)
{
    return uniform(i, j) < 0.1 ? 1.0 + floor(5.0 * uniform(j, i)) : 0.0;
}

/* A third of the points each lack a feature that the others have. */
static double lacking(int64_t i, int64_t j)
{
    return i % 3 == j % 3 ? 0.0 : 10.0 + uniform(i, j);
}

static void test_golden(void **state)
{
    (void)state;
    int64_t k, m, rows, columns;
    double *start = golden_read("pos_lloyd", "C0.csv", &k, &m);
    double *labels = golden_read("pos_lloyd", "out_labels.csv", &rows, &columns);
    double *inertia = golden_read("pos_lloyd", "out_inertia.csv", &rows, &columns);
    double *centres = golden_read("pos_lloyd", "out_centres.csv", &k, &m);
    for (int precision = 1; precision >= 0; precision--) {
        orthant_context_set_precision(ctx, (orthant_precision)precision);
        orthant_matrix *X = golden_matrix(ctx, "pos_lloyd", "X.csv", true);
        const double tolerance = precision ? 1e-12 : 1e-5;
        kmeans_outcome outcome;
        assert_int_equal(X->columns, m);
        expect_ok(ctx, kmeans_run(ctx, X, k, 1, 300, 0, start, &outcome));
        assert_true(outcome.converged);
        check_outcome(X, k, &outcome);
        for (int64_t i = 0; i < X->rows; i++)
            assert_int_equal(outcome.label[i], (int64_t)labels[i]);
        for (int64_t e = 0; e < k * m; e++)
            assert_true(fabs(outcome.centres[e] - centres[e]) < tolerance);
        assert_true(fabs(outcome.inertia - inertia[0]) < tolerance);
        kmeans_free(ctx, &outcome);
        orthant_matrix_free(X);
    }
    free(start);
    free(labels);
    free(inertia);
    free(centres);
}

/* The same outcome, bit for bit, for 1, 2 and 3 threads. */
static void check_threads(const orthant_matrix *points, int64_t k, int64_t iterations)
{
    kmeans_outcome first = {0};
    for (int threads = 1; threads <= 3; threads++) {
        kmeans_outcome outcome;
        expect_ok(ctx, orthant_context_set_threads(ctx, threads));
        expect_ok(ctx, kmeans_run(ctx, points, k, 3, iterations, 11, NULL, &outcome));
        if (threads == 1) {
            check_outcome(points, k, &outcome);
            first = outcome;
            continue;
        }
        assert_int_equal(outcome.iterations, first.iterations);
        assert_memory_equal(outcome.label, first.label, (size_t)points->rows * sizeof(int64_t));
        assert_memory_equal(outcome.centres, first.centres,
                            (size_t)(k * points->columns) * sizeof(double));
        assert_memory_equal(outcome.history, first.history,
                            (size_t)(first.iterations + 1) * sizeof(double));
        kmeans_free(ctx, &outcome);
    }
    kmeans_free(ctx, &first);
}

static void test_all_kinds_of_points(void **state)
{
    (void)state;
    for (int kind = 0; kind < 4; kind++) {
        orthant_context_set_precision(ctx, kind % 2 ? ORTHANT_DOUBLE : ORTHANT_SINGLE);
        orthant_matrix *points = make_points(ctx, kind / 2 ? counts : uniform, 900, 70, kind / 2);
        check_threads(points, 9, 300);
        check_threads(points, 9, 2);
        orthant_matrix_free(points);
        points = make_points(ctx, blobs, 1000, 300, kind / 2);
        check_threads(points, 5, 300);
        orthant_matrix_free(points);
    }
}

/* Few entries, of all sizes: no two centres are equally far from a point but by chance. */
static double scattered(int64_t i, int64_t j)
{
    return uniform(j, i) < 0.3 ? 1.0 + uniform(i, j) : 0.0;
}

/* Plain Lloyd from the same centres: every distance in double, sums in the order of the points. */
static void plain_lloyd(const orthant_matrix *points, int64_t k, double *centres, int64_t *label)
{
    const int64_t n = points->rows, m = points->columns;
    double *row = malloc((size_t)m * sizeof *row), *sums = NULL;
    int64_t *size = malloc((size_t)k * sizeof *size);
    bool changed = true;
    for (int64_t i = 0; i < n; i++)
        label[i] = -1;
    while (changed) {
        changed = false;
        free(sums);
        sums = calloc((size_t)(k * m), sizeof *sums);
        memset(size, 0, (size_t)k * sizeof *size);
        for (int64_t i = 0; i < n; i++) {
            double nearest = INFINITY;
            int64_t found = 0;
            matrix_copy_row(points, i, row);
            for (int64_t c = 0; c < k; c++) {
                double distance = 0;
                for (int64_t l = 0; l < m; l++)
                    distance += (row[l] - centres[c * m + l]) * (row[l] - centres[c * m + l]);
                found = distance < nearest ? c : found;
                nearest = fmin(nearest, distance);
            }
            changed = changed || label[i] != found;
            label[i] = found;
            size[found]++;
            for (int64_t l = 0; l < m; l++)
                sums[found * m + l] += row[l];
        }
        for (int64_t e = 0; e < k * m && changed; e++)
            centres[e] = size[e / m] ? sums[e] / (double)size[e / m] : centres[e];
    }
    free(row);
    free(sums);
    free(size);
}

static void compare_with_plain_lloyd(const orthant_matrix *points, int64_t k)
{
    const int64_t m = points->columns;
    double *centres = malloc((size_t)(k * m) * sizeof *centres);
    int64_t label[700];
    kmeans_outcome outcome;
    for (int64_t i = 0; i < k; i++)
        matrix_copy_row(points, 20 * i, centres + i * m);
    expect_ok(ctx, kmeans_run(ctx, points, k, 1, 1000, 0, centres, &outcome));
    plain_lloyd(points, k, centres, label);
    if (memcmp(outcome.label, label, sizeof label) != 0)
        fail_msg("%lld features, %lld clusters: other labels", (long long)m, (long long)k);
    for (int64_t e = 0; e < k * m; e++)
        assert_true(fabs(outcome.centres[e] - centres[e]) < 1e-11);
    kmeans_free(ctx, &outcome);
    free(centres);
}

/* Points in groups (up to 31 features), points with bounds, sparse points. */
static void test_labels_are_those_of_plain_lloyd(void **state)
{
    static const int64_t clusters[] = {1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 33};
    static const int64_t features[] = {1, 2, 13, 31, 32, 45};
    (void)state;
    for (size_t f = 0; f < sizeof features / sizeof *features; f++)
        for (int kind = 0; kind < 4; kind++) {
            orthant_context_set_precision(ctx, kind % 2 ? ORTHANT_DOUBLE : ORTHANT_SINGLE);
            if (kind / 2 && features[f] != 13)
                continue;
            orthant_matrix *points =
                make_points(ctx, kind / 2 ? scattered : uniform, 700, features[f], kind / 2);
            for (size_t c = 0; c < sizeof clusters / sizeof *clusters; c++)
                compare_with_plain_lloyd(points, clusters[c]);
            orthant_matrix_free(points);
        }
}

/* The points that k-means++ takes: the c-th draws of the first start, in a pass for each. */
static int64_t *plain_seeding(const orthant_matrix *points, int64_t k, uint64_t seed)
{
    const int64_t n = points->rows, m = points->columns;
    const int candidates = 2 + (int)log((double)k);
    int64_t *chosen = malloc((size_t)k * sizeof *chosen);
    double *least = malloc((size_t)n * sizeof *least), *centre = malloc((size_t)m * sizeof *centre);
    assert_true(chosen && least && centre);
    for (int64_t i = 0; i < n; i++)
        least[i] = INFINITY;
    for (int64_t t = 0; t < k; t++) {
        double total = 0, best = INFINITY;
        for (int64_t i = 0; i < n && t; i++)
            total += least[i];
        for (int c = 0; c < (t ? candidates : 1); c++) {
            const uint64_t draw = (uint64_t)(t * 64 + c);
            int64_t point = 0;
            double reached = 0, left = 0;
            const double goal = t ? total * random_uniform(seed, RANDOM_KMEANS, 0, draw) : 0;
            for (int64_t i = 0; i < n && reached < goal; i++)
                if (least[i] > 0) {
                    reached += least[i];
                    point = i;
                }
            if (!t)
                point = (int64_t)random_below(seed, RANDOM_KMEANS, 0, draw, (uint64_t)n);
            matrix_copy_row(points, point, centre);
            for (int64_t i = 0; i < n; i++)
                left += fmin(least[i], distance(points, i, centre));
            chosen[t] = left < best ? point : chosen[t];
            best = fmin(best, left);
        }
        matrix_copy_row(points, chosen[t], centre);
        for (int64_t i = 0; i < n; i++)
            least[i] = fmin(least[i], distance(points, i, centre));
    }
    free(least);
    free(centre);
    return chosen;
}

/* k-means++ with one candidate after the other measured by plain loops: the same first centres. */
static void test_starts_are_those_of_plain_seeding(void **state)
{
    (void)state;
    for (int single = 0; single < 2; single++) {
        orthant_context_set_precision(ctx, single ? ORTHANT_SINGLE : ORTHANT_DOUBLE);
        orthant_matrix *points = make_points(ctx, uniform, 601, 7, false);
        for (int64_t k = 1; k <= 60; k += k < 10 ? 1 : 10) {
            kmeans_outcome outcome;
            int64_t *chosen = plain_seeding(points, k, 3);
            expect_ok(ctx, kmeans_run(ctx, points, k, 1, 0, 3, NULL, &outcome));
            for (int64_t c = 0; c < k; c++)
                for (int64_t l = 0; l < 7; l++)
                    assert_true(outcome.centres[c * 7 + l] ==
                                orthant_matrix_get(points, chosen[c], l));
            free(chosen);
            kmeans_free(ctx, &outcome);
        }
        orthant_matrix_free(points);
    }
}

static void test_finds_the_blobs(void **state)
{
    (void)state;
    orthant_context_set_precision(ctx, ORTHANT_SINGLE);
    orthant_matrix *points = make_points(ctx, blobs, 500, 20, false);
    kmeans_outcome outcome;
    expect_ok(ctx, kmeans_run(ctx, points, 5, 10, 300, 1, NULL, &outcome));
    assert_true(outcome.converged);
    for (int64_t i = 5; i < 500; i++)
        assert_int_equal(outcome.label[i], outcome.label[i % 5]);
    kmeans_free(ctx, &outcome);
    orthant_matrix_free(points);
}

static void test_a_feature_that_a_cluster_lacks_is_zero(void **state)
{
    (void)state;
    orthant_matrix *points = make_points(ctx, lacking, 999, 6, false);
    kmeans_outcome outcome;
    expect_ok(ctx, kmeans_run(ctx, points, 3, 5, 300, 1, NULL, &outcome));
    for (int64_t i = 0; i < 3; i++)
        for (int64_t j = i; j < 6; j += 3)
            assert_true(outcome.centres[outcome.label[i] * 6 + j] == 0.0);
    kmeans_free(ctx, &outcome);
    orthant_matrix_free(points);
}

static void test_more_restarts_are_no_worse(void **state)
{
    (void)state;
    orthant_matrix *points = make_points(ctx, uniform, 300, 3, false);
    double last = INFINITY;
    for (int restarts = 1; restarts <= 16; restarts *= 4) {
        kmeans_outcome outcome;
        expect_ok(ctx, kmeans_run(ctx, points, 12, restarts, 300, 2, NULL, &outcome));
        check_outcome(points, 12, &outcome);
        assert_true(outcome.inertia <= last);
        last = outcome.inertia;
        kmeans_free(ctx, &outcome);
    }
    orthant_matrix_free(points);
}

static void test_empty_cluster_takes_the_farthest_point(void **state)
{
    (void)state;
    const double values[] = {0, 1, 2, 10, 30}, start[] = {1, 500, 600};
    orthant_matrix *points = NULL;
    kmeans_outcome outcome;
    expect_ok(ctx, orthant_matrix_create(ctx, 5, 1, values, &points));
    expect_ok(ctx, kmeans_run(ctx, points, 3, 1, 300, 0, start, &outcome));
    assert_true(outcome.converged);
    check_outcome(points, 3, &outcome);
    const int64_t expected[] = {0, 0, 0, 2, 1};
    for (int i = 0; i < 5; i++)
        assert_int_equal(outcome.label[i], expected[i]);
    assert_true(fabs(outcome.inertia - 2.0) < 1e-13);
    /* 1 + 0 + 1 + 81 + 841 with the given centres, less the two that leave. */
    assert_true(fabs(outcome.history[0] - 2.0) < 1e-13);
    kmeans_free(ctx, &outcome);
    orthant_matrix_free(points);
}

static double few(int64_t i, int64_t j)
{
    return uniform(i % 3, j);
}

static void test_fewer_different_points_than_clusters(void **state)
{
    (void)state;
    for (int sparse = 0; sparse < 2; sparse++) {
        orthant_matrix *points = make_points(ctx, few, 30, 4, sparse);
        kmeans_outcome outcome;
        expect_ok(ctx, kmeans_run(ctx, points, 7, 3, 300, 0, NULL, &outcome));
        assert_true(outcome.converged);
        check_outcome(points, 7, &outcome);
        assert_true(outcome.inertia < 1e-14);
        kmeans_free(ctx, &outcome);
        expect_ok(ctx, kmeans_run(ctx, points, 30, 1, 300, 0, NULL, &outcome));
        check_outcome(points, 30, &outcome);
        kmeans_free(ctx, &outcome);
        expect_ok(ctx, kmeans_run(ctx, points, 1, 2, 300, 0, NULL, &outcome));
        check_outcome(points, 1, &outcome);
        kmeans_free(ctx, &outcome);
        orthant_matrix_free(points);
    }
}

static void test_ties_go_to_the_lower_centre(void **state)
{
    (void)state;
    const double values[] = {-4, 0, 4}, start[] = {2, -2};
    orthant_matrix *points = NULL;
    kmeans_outcome outcome;
    expect_ok(ctx, orthant_matrix_create(ctx, 3, 1, values, &points));
    expect_ok(ctx, kmeans_run(ctx, points, 2, 1, 0, 0, start, &outcome));
    assert_int_equal(outcome.iterations, 0);
    assert_false(outcome.converged);
    assert_int_equal(outcome.label[0], 1);
    assert_int_equal(outcome.label[1], 0);
    assert_int_equal(outcome.label[2], 0);
    kmeans_free(ctx, &outcome);
    orthant_matrix_free(points);
}

static double on_a_line(int64_t i, int64_t j)
{
    static const double place[] = {-30, -4, 0, 4, 30};
    return j == 0 ? place[i] : 0;
}

/* A point without length, whose products are exact, as near to the second centre as to the third.
 */
static void test_a_tie_at_the_origin(void **state)
{
    (void)state;
    for (int kind = 0; kind < 4; kind++) {
        const int64_t m = kind / 2 ? 40 : 1;
        double start[3 * 40] = {0};
        static const int64_t expected[] = {2, 2, 1, 1, 0};
        orthant_matrix *points = make_points(ctx, on_a_line, 5, m, kind % 2);
        kmeans_outcome outcome;
        start[0] = 30;
        start[m] = 4;
        start[2 * m] = -4;
        expect_ok(ctx, kmeans_run(ctx, points, 3, 1, 0, 0, start, &outcome));
        for (int i = 0; i < 5; i++)
            assert_int_equal(outcome.label[i], expected[i]);
        kmeans_free(ctx, &outcome);
        orthant_matrix_free(points);
    }
}

static double huge(int64_t i, int64_t j)
{
    return (i % 2 ? 3e38 : -3e38) * (0.9 + 0.1 * uniform(i, j));
}

static void test_products_that_overflow(void **state)
{
    (void)state;
    orthant_context_set_precision(ctx, ORTHANT_SINGLE);
    orthant_matrix *points = make_points(ctx, huge, 40, 6, false);
    kmeans_outcome outcome;
    expect_ok(ctx, kmeans_run(ctx, points, 2, 2, 300, 0, NULL, &outcome));
    for (int64_t i = 2; i < 40; i++)
        assert_int_equal(outcome.label[i], outcome.label[i % 2]);
    assert_true(outcome.label[0] != outcome.label[1]);
    kmeans_free(ctx, &outcome);
    orthant_matrix_free(points);
}

static void test_arguments_that_are_refused(void **state)
{
    (void)state;
    const double values[] = {1, 2, NAN};
    orthant_matrix *points = NULL;
    kmeans_outcome outcome;
    expect_ok(ctx, orthant_matrix_create(ctx, 2, 1, values, &points));
    expect_failure(ctx, ORTHANT_ERROR_ARGUMENT, "3 clusters of 2 samples",
                   kmeans_run(ctx, points, 3, 1, 10, 0, NULL, &outcome));
    expect_failure(ctx, ORTHANT_ERROR_ARGUMENT, "0 clusters",
                   kmeans_run(ctx, points, 0, 1, 10, 0, NULL, &outcome));
    expect_failure(ctx, ORTHANT_ERROR_ARGUMENT, "0 restarts",
                   kmeans_run(ctx, points, 1, 0, 10, 0, NULL, &outcome));
    assert_null(outcome.label);
    orthant_matrix_free(points);
    expect_ok(ctx, orthant_matrix_create(ctx, 3, 1, values, &points));
    expect_failure(ctx, ORTHANT_ERROR_DATA, "(3, 1) is nan",
                   kmeans_run(ctx, points, 1, 1, 10, 0, NULL, &outcome));
    orthant_matrix_free(points);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_golden, make, clear),
        cmocka_unit_test_setup_teardown(test_all_kinds_of_points, make, clear),
        cmocka_unit_test_setup_teardown(test_labels_are_those_of_plain_lloyd, make, clear),
        cmocka_unit_test_setup_teardown(test_starts_are_those_of_plain_seeding, make, clear),
        cmocka_unit_test_setup_teardown(test_finds_the_blobs, make, clear),
        cmocka_unit_test_setup_teardown(test_a_feature_that_a_cluster_lacks_is_zero, make, clear),
        cmocka_unit_test_setup_teardown(test_more_restarts_are_no_worse, make, clear),
        cmocka_unit_test_setup_teardown(test_empty_cluster_takes_the_farthest_point, make, clear),
        cmocka_unit_test_setup_teardown(test_fewer_different_points_than_clusters, make, clear),
        cmocka_unit_test_setup_teardown(test_ties_go_to_the_lower_centre, make, clear),
        cmocka_unit_test_setup_teardown(test_a_tie_at_the_origin, make, clear),
        cmocka_unit_test_setup_teardown(test_products_that_overflow, make, clear),
        cmocka_unit_test_setup_teardown(test_arguments_that_are_refused, make, clear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
