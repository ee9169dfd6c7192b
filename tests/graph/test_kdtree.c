/* The kd-tree against counting by hand: exact, ties to the lower index, parts joined by the
 * shortest pairs; and, where it is installed, against FLANN's. */
#include "fixture.h"

#include <math.h>
#include <stdlib.h>

#include "core/memory.h"
#include "core/random.h"
#include "graph/joins.h"
#include "graph/kdtree.h"

#ifdef HAVE_FLANN
#include <flann/flann.h>
#endif

typedef enum cloud_shape { SHAPE_RANDOM, SHAPE_GRID, SHAPE_ONE_POINT, SHAPE_LINE } cloud_shape;

/* A grid has many ties, some points twice. */
static double *make_points(int64_t n, cloud_shape shape)
{
    double *points = malloc((size_t)n * 3 * sizeof *points);
    assert_non_null(points);
    for (int64_t i = 0; i < 3 * n; i++) {
        const double u = random_uniform(7, RANDOM_TEST, (uint64_t)i / 3, (uint64_t)i % 3);
        points[i] = shape == SHAPE_RANDOM      ? u
                    : shape == SHAPE_GRID      ? floor(6.0 * u)
                    : shape == SHAPE_ONE_POINT ? 0.5
                                               : (i % 3 == 1 ? u : 0.25);
    }
    return points;
}

static double squared(const double *points, int64_t i, int64_t j)
{
    const double x = points[3 * j] - points[3 * i], y = points[3 * j + 1] - points[3 * i + 1],
                 z = points[3 * j + 2] - points[3 * i + 2];
    return x * x + y * y + z * z;
}

/* The nearest after (distance, index), by looking at all. */
static int32_t next_nearest(const double *points, int64_t n, int64_t i, double *distance,
                            int32_t last)
{
    int32_t best = -1;
    double least = INFINITY;
    for (int32_t j = 0; j < n; j++) {
        const double d = squared(points, i, j);
        if (j != i && (d > *distance || (d == *distance && j > last)) && d < least) {
            least = d;
            best = j;
        }
    }
    *distance = least;
    return best;
}

static void check_all(orthant_context *ctx, int64_t n, int64_t count, cloud_shape shape)
{
    double *points = make_points(n, shape);
    int32_t *nearest = malloc((size_t)(n * count) * sizeof *nearest);
    kdtree tree;
    expect_ok(ctx, kdtree_make(ctx, points, n, &tree));
    expect_ok(ctx, kdtree_neighbours(&tree, count, NULL, nearest));
    for (int64_t i = 0; i < n; i++) {
        double distance = -1.0;
        int32_t last = -1;
        for (int64_t e = 0; e < count; e++) {
            last = next_nearest(points, n, i, &distance, last);
            if (nearest[i * count + e] != last)
                fail_msg("shape %d, n %d: neighbour %d of %d is %d, expected %d", (int)shape,
                         (int)n, (int)e, (int)i, nearest[i * count + e], last);
        }
    }
    kdtree_free(&tree);
    free(nearest);
    free(points);
}

static void test_exact(void **state)
{
    for (int shape = SHAPE_RANDOM; shape <= SHAPE_LINE; shape++) {
        check_all(*state, 2, 1, (cloud_shape)shape);
        check_all(*state, 13, 12, (cloud_shape)shape);
        check_all(*state, 600, 8, (cloud_shape)shape);
    }
}

/* Most of the neighbours are found; what is found in place of others is no nearer than they are. */
static void test_approximate(void **state)
{
    enum { N = 4000, COUNT = 8 };
    double *points = make_points(N, SHAPE_RANDOM);
    static int32_t exact[N * COUNT], some[N * COUNT];
    int64_t missed = 0;
    kdtree tree;
    expect_ok(*state, kdtree_make(*state, points, N, &tree));
    expect_ok(*state, kdtree_neighbours(&tree, COUNT, NULL, exact));
    tree.slack = KDTREE_APPROXIMATE;
    expect_ok(*state, kdtree_neighbours(&tree, COUNT, NULL, some));
    for (int64_t e = 0; e < (int64_t)N * COUNT; e++) {
        missed += exact[e] != some[e];
        assert_true(squared(points, e / COUNT, some[e]) >= squared(points, e / COUNT, exact[e]));
    }
    assert_in_range(missed, 1, N * COUNT / 10);
    kdtree_free(&tree);
    free(points);
}

static void test_any_number_of_threads(void **state)
{
    const int64_t n = 5000, count = 8;
    double *points = make_points(n, SHAPE_RANDOM);
    int32_t *one = malloc((size_t)(n * count) * sizeof *one),
            *four = malloc((size_t)(n * count) * sizeof *four);
    kdtree tree;
    expect_ok(*state, kdtree_make(*state, points, n, &tree));
    expect_ok(*state, orthant_context_set_threads(*state, 1));
    expect_ok(*state, kdtree_neighbours(&tree, count, NULL, one));
    expect_ok(*state, orthant_context_set_threads(*state, 4));
    expect_ok(*state, kdtree_neighbours(&tree, count, NULL, four));
    assert_memory_equal(one, four, (size_t)(n * count) * sizeof *one);
    kdtree_free(&tree);
    free(one);
    free(four);
    free(points);
}

/* Three clumps on a line at 0, 10 and 30: the bridges are the two short gaps, from edge to edge. */
static void test_bridges(void **state)
{
    enum { CLUMP = 20, N = 3 * CLUMP, COUNT = 3 };
    const double at[3] = {0.0, 10.0, 30.0};
    double points[3 * N] = {0};
    int32_t nearest[N * COUNT], *bridge = NULL;
    int64_t parts, bridges;
    kdtree tree;
    joins lists = {0};
    orthant_graph *graph = NULL;
    for (int i = 0; i < N; i++)
        points[3 * i] = at[i / CLUMP] + 0.1 * (i % CLUMP);
    expect_ok(*state, kdtree_make(*state, points, N, &tree));
    expect_ok(*state, kdtree_neighbours(&tree, COUNT, NULL, nearest));
    expect_ok(*state, kdtree_bridges(&tree, COUNT, nearest, &parts, &bridges, &bridge));
    assert_int_equal(parts, 3);
    assert_int_equal(bridges, 2);
    for (int64_t b = 0; b < bridges; b++) {
        const int32_t low = bridge[2 * b] < bridge[2 * b + 1] ? bridge[2 * b] : bridge[2 * b + 1];
        const int32_t high = bridge[2 * b] < bridge[2 * b + 1] ? bridge[2 * b + 1] : bridge[2 * b];
        assert_true(low == CLUMP - 1 || low == 2 * CLUMP - 1);
        assert_int_equal(high, low + 1);
    }
    expect_ok(*state, joins_make(*state, N, COUNT, nearest, bridges, bridge, &lists));
    expect_ok(*state, joins_to_graph(*state, ORTHANT_DOUBLE, N, &lists, &graph));
    assert_int_equal(orthant_graph_components(graph), 1);
    assert_true(orthant_graph_edge(graph, CLUMP - 1, CLUMP) == 1.0);
    assert_true(orthant_graph_edge(graph, CLUMP, CLUMP - 1) == 1.0);
    assert_true(orthant_graph_edge(graph, 0, N - 1) == 0.0);
    orthant_graph_free(graph);
    joins_free(*state, &lists);
    memory_free(*state, bridge);
    kdtree_free(&tree);
}

/* Four points in the largest clump, three in one beside it, which reaches it from its first point,
 * the first of all: that bridge and no other. */
static void test_bridge_from_the_first_point(void **state)
{
    enum { N = 7, COUNT = 2 };
    const double at[N] = {10.0, 10.2, 10.4, 0.0, 0.2, 0.4, 0.6};
    double points[3 * N] = {0};
    int32_t nearest[N * COUNT], *bridge = NULL;
    int64_t parts, bridges;
    kdtree tree;
    for (int i = 0; i < N; i++)
        points[3 * i] = at[i];
    expect_ok(*state, kdtree_make(*state, points, N, &tree));
    expect_ok(*state, kdtree_neighbours(&tree, COUNT, NULL, nearest));
    expect_ok(*state, kdtree_bridges(&tree, COUNT, nearest, &parts, &bridges, &bridge));
    assert_int_equal(parts, 2);
    assert_int_equal(bridges, 1);
    assert_true(bridge[0] == 0 && bridge[1] == N - 1);
    memory_free(*state, bridge);
    kdtree_free(&tree);
}

/* Duplicates make parts of themselves: 40 places with 10 points each and 3 neighbours. */
static void test_bridges_of_duplicates(void **state)
{
    enum { PLACES = 40, SAME = 10, N = PLACES * SAME, COUNT = 3 };
    static double points[3 * N];
    static int32_t nearest[N * COUNT];
    int32_t *bridge = NULL;
    int64_t parts, bridges;
    kdtree tree;
    for (int i = 0; i < 3 * N; i++)
        points[i] = random_uniform(3, RANDOM_TEST, (uint64_t)(i / 3 / SAME), (uint64_t)i % 3);
    expect_ok(*state, kdtree_make(*state, points, N, &tree));
    expect_ok(*state, kdtree_neighbours(&tree, COUNT, NULL, nearest));
    expect_ok(*state, kdtree_bridges(&tree, COUNT, nearest, &parts, &bridges, &bridge));
    assert_true(parts >= PLACES);
    assert_int_equal(bridges, parts - 1);
    memory_free(*state, bridge);
    kdtree_free(&tree);
}

/* FLANN breaks ties by its tree's order, so distances are compared, not indices. */
static void test_against_flann(void **state)
{
#ifdef HAVE_FLANN
    const int64_t n = 4000, count = 8;
    double *points = make_points(n, SHAPE_RANDOM);
    int32_t *nearest = malloc((size_t)(n * count) * sizeof *nearest);
    int *index = malloc((size_t)(n * (count + 1)) * sizeof *index);
    double *distance = malloc((size_t)(n * (count + 1)) * sizeof *distance);
    struct FLANNParameters parameters = DEFAULT_FLANN_PARAMETERS;
    float speedup;
    kdtree tree;
    parameters.algorithm = FLANN_INDEX_KDTREE_SINGLE;
    parameters.checks = FLANN_CHECKS_UNLIMITED;
    parameters.cores = 1;
    parameters.random_seed = 1;
    flann_index_t flann = flann_build_index_double(points, (int)n, 3, &speedup, &parameters);
    assert_non_null(flann);
    assert_int_equal(flann_find_nearest_neighbors_index_double(
                         flann, points, (int)n, index, distance, (int)count + 1, &parameters),
                     0);
    expect_ok(*state, kdtree_make(*state, points, n, &tree));
    expect_ok(*state, kdtree_neighbours(&tree, count, NULL, nearest));
    for (int64_t i = 0; i < n; i++)
        for (int64_t e = 0; e < count; e++)
            assert_true(squared(points, i, nearest[i * count + e]) ==
                        distance[i * (count + 1) + e + 1]);
    flann_free_index_double(flann, &parameters);
    kdtree_free(&tree);
    free(distance);
    free(index);
    free(nearest);
    free(points);
#else
    (void)state;
    print_message("without FLANN: not compared with its kd-tree\n");
    skip();
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        fixture_test(test_exact),
        fixture_test(test_approximate),
        fixture_test(test_any_number_of_threads),
        fixture_test(test_bridges),
        fixture_test(test_bridges_of_duplicates),
        fixture_test(test_bridge_from_the_first_point),

        fixture_test(test_against_flann),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
