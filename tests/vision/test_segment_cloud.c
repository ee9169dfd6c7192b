/* Points to segments: two coloured boxes on a floor, with noise; and every small or odd cloud. */
#include "fixture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/random.h"
#include "vision/cloud.h"
#include "vision/eigen3.h"
#include "vision/normals.h"
#include "vision/segment.h"

typedef struct scene {
    cloud points;
    int32_t *truth;
} scene;

static double noise(int64_t i, int what)
{
    return random_normal(11, RANDOM_TEST, (uint64_t)i, (uint64_t)what);
}

/* A point on the floor z = 0, or on one of two boxes of height 0.3: on its top or on a side. */
static void place(int64_t i, double *p, float *normal, int32_t *truth)
{
    const double u = random_uniform(5, RANDOM_TEST, (uint64_t)i, 0);
    const double v = random_uniform(5, RANDOM_TEST, (uint64_t)i, 1);
    const double part = random_uniform(5, RANDOM_TEST, (uint64_t)i, 2);
    *truth = part < 0.6 ? 0 : 1;
    normal[0] = normal[1] = normal[2] = 0.0f;
    if (part < 0.6) {
        p[0] = 2.0 * u;
        p[1] = v;
        p[2] = 0.0;
        normal[2] = 1.0f;
        return;
    }
    const double left = part < 0.8 ? 0.2 : 1.3;
    const bool top = fmod(part * 10.0, 1.0) < 0.3;
    p[0] = left + 0.4 * u;
    p[1] = top ? 0.3 + 0.4 * v : 0.3;
    p[2] = top ? 0.3 : 0.3 * v;
    normal[top ? 2 : 1] = top ? 1.0f : -1.0f;
}

/* Boxes are red, the floor is greenish; colours and normals are so noisy that single points are
 * often on the wrong side. */
static void make_scene(orthant_context *ctx, int64_t n, scene *s)
{
    expect_ok(ctx, cloud_begin(ctx, "boxes", n, CLOUD_COLOR | CLOUD_NORMAL, &s->points));
    s->truth = malloc((size_t)n * sizeof *s->truth);
    for (int64_t i = 0; i < n; i++) {
        place(i, s->points.position + 3 * i, s->points.normal + 3 * i, &s->truth[i]);
        const double floor_color[3] = {90, 170, 100}, box_color[3] = {200, 60, 60};
        for (int c = 0; c < 3; c++) {
            const double color = (s->truth[i] ? box_color : floor_color)[c] + 60.0 * noise(i, c);
            cloud_put(&s->points, i, CLOUD_RED + (cloud_role)c, color);
            s->points.normal[3 * i + c] += (float)(0.5 * noise(i, 3 + c));
        }
    }
    expect_ok(ctx, cloud_end(&s->points));
}

static void free_scene(scene *s)
{
    cloud_free(&s->points);
    free(s->truth);
}

/* The share of points on the right side of two. */
static double right_share(const scene *s, const segmentation *found)
{
    int64_t right = 0, counted = 0;
    for (int64_t i = 0; i < s->points.count; i++)
        if (found->labels[i] >= 0) {
            right += found->labels[i] == s->truth[i];
            counted++;
        }
    const double share = (double)right / (double)counted;
    return share < 0.5 ? 1.0 - share : share;
}

static double share_with(orthant_context *ctx, const scene *s, const char *method,
                         const char *features, double lambda)
{
    const segment_options options = {
        .method = method, .segments = 2, .features = features, .graph_weight = lambda};
    segmentation found;
    expect_ok(ctx, segment_cloud(ctx, &s->points, &options, &found));
    const double share = right_share(s, &found);
    assert_int_equal(found.segments, 2);
    assert_int_equal(found.nodes, s->points.kept);
    assert_int_equal(found.edges > 0, lambda != 0.0);
    segmentation_free(&found);
    return share;
}

static void test_graph_helps(void **state)
{
    scene s;
    make_scene(*state, 6000, &s);
    static const char *const features[] = {"color", "color,normals", "normals,color"};
    for (int f = 0; f < 3; f++) {
        const double without = share_with(*state, &s, "grpnmf", features[f], 0.0);
        const double with = share_with(*state, &s, "grpnmf", features[f], 500.0);
        print_message("%s: %.3f without the graph, %.3f with it\n", features[f], without, with);
        assert_true(with > without + 0.02);
        assert_true(with > 0.95);
    }
    free_scene(&s);
}

static void test_other_methods(void **state)
{
    scene s;
    make_scene(*state, 3000, &s);
    assert_true(share_with(*state, &s, "kmeans", "color", 0.0) > 0.8);
    assert_true(share_with(*state, &s, "nmf", "color", 0.0) > 0.8);
    assert_true(share_with(*state, &s, "gnmf", "color", 10.0) > 0.8);
    free_scene(&s);
}

static void test_any_number_of_threads(void **state)
{
    scene s;
    segmentation one, three;
    const segment_options options = {.segments = 3, .graph_weight = -1.0, .iterations = 40};
    make_scene(*state, 5000, &s);
    expect_ok(*state, orthant_context_set_threads(*state, 1));
    expect_ok(*state, segment_cloud(*state, &s.points, &options, &one));
    expect_ok(*state, orthant_context_set_threads(*state, 3));
    expect_ok(*state, segment_cloud(*state, &s.points, &options, &three));
    assert_memory_equal(one.labels, three.labels, 5000 * sizeof *one.labels);
    assert_true(one.objective == three.objective);
    segmentation_free(&one);
    segmentation_free(&three);
    free_scene(&s);
}

/* Every fifth point is missing: it has no label, and the others have those of a cloud without it.
 */
static void test_missing_points(void **state)
{
    scene s;
    segmentation found;
    const segment_options options = {.segments = 2, .graph_weight = -1.0};
    make_scene(*state, 3000, &s);
    for (int64_t i = 0; i < 3000; i += 5)
        s.points.position[3 * i + i % 3] = i % 2 ? NAN : INFINITY;
    s.points.kept = 0;
    int32_t *keep = s.points.keep;
    expect_ok(*state, cloud_end(&s.points));
    assert_int_equal(s.points.kept, 2400);
    expect_ok(*state, segment_cloud(*state, &s.points, &options, &found));
    assert_int_equal(found.count, 3000);
    for (int64_t i = 0; i < 3000; i++)
        assert_true(i % 5 == 0 ? found.labels[i] == -1
                               : found.labels[i] == 0 || found.labels[i] == 1);
    assert_true(right_share(&s, &found) > 0.8);
    segmentation_free(&found);
    int32_t *again = s.points.keep;
    s.points.keep = keep;
    free_scene(&s);
    s.points = (cloud){.ctx = *state, .keep = again};
    cloud_free(&s.points);
}

static orthant_status segment_text(orthant_context *ctx, const char *points, int64_t segments,
                                   segmentation *found)
{
    char text[4096];
    cloud c;
    int count = 0;
    for (const char *p = points; *p; p++)
        count += *p == '\n';
    snprintf(text, sizeof text, "FIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nPOINTS %d\nDATA ascii\n%s",
             count, points);
    const segment_options options = {.segments = segments, .graph_weight = -1.0};
    expect_ok(ctx, cloud_read(ctx, files_write_text("small.pcd", text), &c));
    const orthant_status status = segment_cloud(ctx, &c, &options, found);
    cloud_free(&c);
    return status;
}

static void test_small_clouds(void **state)
{
    segmentation found;
    expect_ok(*state, segment_text(*state, "1 2 3\n", 1, &found));
    assert_int_equal(found.labels[0], 0);
    assert_int_equal(found.segments, 1);
    segmentation_free(&found);
    expect_failure(*state, ORTHANT_ERROR_ARGUMENT, "2 segments of 1 points",
                   segment_text(*state, "1 2 3\n", 2, &found));
    expect_failure(*state, ORTHANT_ERROR_ARGUMENT, "4 segments of 2 points with finite",
                   segment_text(*state, "1 2 3\nnan 2 3\n1 1 1\n", 4, &found));
    expect_failure(*state, ORTHANT_ERROR_DATA, "none of its 2 points has finite",
                   segment_text(*state, "nan 2 3\n1 nan 1\n", 1, &found));
    expect_ok(*state, segment_text(*state, "0 0 0\n1 1 1\n", 2, &found));
    assert_true(found.labels[0] >= 0 && found.labels[1] >= 0);
    segmentation_free(&found);
    /* all points are one: a label each, and no number that is not finite */
    expect_ok(*state, segment_text(*state, "1 1 1\n1 1 1\n1 1 1\n1 1 1\n", 2, &found));
    for (int i = 0; i < 4; i++)
        assert_true(found.labels[i] >= 0 && found.labels[i] < found.segments);
    assert_true(isfinite(found.objective));
    segmentation_free(&found);
}

static void test_options(void **state)
{
    static const struct {
        segment_options options;
        orthant_status status;
        const char *words;
    } cases[] = {
        {{.segments = 2, .features = "colr"}, ORTHANT_ERROR_ARGUMENT, "did you mean 'color'"},
        {{.segments = 2, .features = "space,space"}, ORTHANT_ERROR_ARGUMENT, "stands twice"},
        {{.segments = 2, .features = "space", .feature_weights = "-1"},
         ORTHANT_ERROR_ARGUMENT,
         "expected a number"},
        {{.segments = 2, .features = "space", .feature_weights = "1,2"},
         ORTHANT_ERROR_ARGUMENT,
         "left over"},
        {{.segments = 2, .features = "space,color", .feature_weights = "1"},
         ORTHANT_ERROR_ARGUMENT,
         "no weight for the feature 'color'"},
        {{.segments = 2, .features = "space", .feature_weights = "0"},
         ORTHANT_ERROR_ARGUMENT,
         "all feature weights are 0"},
        {{.segments = 2, .method = "cdnmf"}, ORTHANT_ERROR_ARGUMENT, "these do: grpnmf"},
        {{.segments = 2, .neighbours = -3}, ORTHANT_ERROR_ARGUMENT, "-3 neighbours"},
    };
    scene s;
    segmentation found;
    make_scene(*state, 100, &s);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        expect_failure(*state, cases[i].status, cases[i].words,
                       segment_cloud(*state, &s.points, &cases[i].options, &found));
    unsigned char *color = s.points.color;
    s.points.color = NULL;
    const segment_options colored = {.segments = 2, .features = "color"};
    expect_failure(*state, ORTHANT_ERROR_DATA, "no colours; use features = 'space,normals'",
                   segment_cloud(*state, &s.points, &colored, &found));
    s.points.color = color;
    free_scene(&s);
}

static void test_eigen3(void **state)
{
    (void)state;
    const double matrix[6] = {4.0, 1.0, -2.0, 3.0, 0.5, 5.0};
    double values[3], vectors[3][3];
    eigen3(matrix, values, vectors);
    const double full[3][3] = {{4, 1, -2}, {1, 3, 0.5}, {-2, 0.5, 5}};
    assert_true(values[0] <= values[1] && values[1] <= values[2]);
    for (int e = 0; e < 3; e++)
        for (int i = 0; i < 3; i++) {
            double product = 0.0, inner = 0.0;
            for (int j = 0; j < 3; j++) {
                product += full[i][j] * vectors[e][j];
                inner += vectors[e][j] * vectors[i][j];
            }
            assert_true(fabs(product - values[e] * vectors[e][i]) < 1e-13);
            assert_true(fabs(inner - (i == e)) < 1e-14);
        }
}

/* The plane z = 0.5 x + 2 seen from the origin below: the normal points down. */
static void test_normals(void **state)
{
    enum { N = 9 };
    double points[3 * N];
    int32_t nearest[N * (N - 1)];
    float normals[3 * N], curvature[N];
    const double origin[3] = {0.0, 0.0, 0.0};
    for (int i = 0; i < N; i++) {
        points[3 * i] = i % 3;
        points[3 * i + 1] = (double)(i / 3);
        points[3 * i + 2] = 0.5 * points[3 * i] + 2.0;
        for (int e = 0; e < N - 1; e++)
            nearest[i * (N - 1) + e] = e < i ? e : e + 1;
    }
    normals_find(*state, points, N, nearest, N - 1, N - 1, origin, normals, curvature);
    for (int i = 0; i < N; i++) {
        assert_true(fabs((double)normals[3 * i] - 0.5 / sqrt(1.25)) < 1e-6);
        assert_true(fabs((double)normals[3 * i + 1]) < 1e-6);
        assert_true(fabs((double)normals[3 * i + 2] + 1.0 / sqrt(1.25)) < 1e-6);
        assert_true((double)curvature[i] < 1e-12);
    }
    /* no neighbours: towards the viewpoint */
    normals_find(*state, points, N, NULL, 0, 0, origin, normals, NULL);
    assert_true((double)normals[2] == -1.0);
}

/* What a snapshot shows is what a fit of so many iterations ends with. */
static void test_snapshots(void **state)
{
    scene s;
    segmentation all, some;
    make_scene(*state, 1500, &s);
    segment_options options = {
        .segments = 3, .graph_weight = -1.0, .iterations = 30, .snapshots = "1,12"};
    expect_ok(*state, segment_cloud(*state, &s.points, &options, &all));
    assert_int_equal(all.snapshot_count, 2);
    assert_int_equal(all.iterations, 30);
    for (int i = 0; i < all.snapshot_count; i++) {
        options.iterations = all.snapshots[i].iteration;
        options.snapshots = NULL;
        expect_ok(*state, segment_cloud(*state, &s.points, &options, &some));
        assert_memory_equal(all.snapshots[i].labels, some.labels,
                            (size_t)all.count * sizeof *some.labels);
        segmentation_free(&some);
    }
    assert_int_equal(all.snapshots[1].iteration, 12);
    segmentation_free(&all);
    options.snapshots = "9,3";
    expect_failure(*state, ORTHANT_ERROR_ARGUMENT, "rising order",
                   segment_cloud(*state, &s.points, &options, &all));
    options.snapshots = "2";
    options.method = "kmeans";
    expect_failure(*state, ORTHANT_ERROR_ARGUMENT, "kmeans has none",
                   segment_cloud(*state, &s.points, &options, &all));
    free_scene(&s);
}

/* Balls of clearly different colours, side by side. */
static void make_balls(orthant_context *ctx, int64_t n, int balls, cloud *points)
{
    static const double color[5][3] = {
        {230, 30, 30}, {30, 200, 40}, {30, 40, 220}, {240, 230, 40}, {20, 20, 20}};
    expect_ok(ctx, cloud_begin(ctx, "balls", n, CLOUD_COLOR, points));
    for (int64_t i = 0; i < n; i++)
        for (int c = 0; c < 3; c++) {
            points->position[3 * i + c] = 0.1 * noise(i, c) + (c == 0 ? (double)(i % balls) : 0.0);
            cloud_put(points, i, CLOUD_RED + (cloud_role)c,
                      color[i % balls][c] + 8.0 * noise(i, 3 + c));
        }
    expect_ok(ctx, cloud_end(points));
}

static void test_counts_segments(void **state)
{
    for (int balls = 2; balls <= 5; balls++) {
        const segment_options options = {
            .features = "color", .graph_weight = -1.0, .iterations = 60};
        segmentation found;
        cloud points;
        int64_t wrong = 0;
        make_balls(*state, 2000, balls, &points);
        expect_ok(*state, segment_cloud(*state, &points, &options, &found));
        assert_true(found.estimated);
        assert_int_equal(found.segments, balls);
        assert_non_null(strstr(found.evidence, "energy left after 1, 2, ... directions"));
        for (int64_t i = balls; i < points.count; i++)
            wrong += found.labels[i] != found.labels[i % balls];
        assert_in_range(wrong, 0, points.count / 100);
        segmentation_free(&found);
        cloud_free(&points);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        fixture_test(test_graph_helps),
        fixture_test(test_other_methods),
        fixture_test(test_any_number_of_threads),
        fixture_test(test_missing_points),
        fixture_test(test_small_clouds),
        fixture_test(test_options),
        fixture_test(test_eigen3),
        fixture_test(test_normals),
        fixture_test(test_snapshots),
        fixture_test(test_counts_segments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
