/* Each allocation on every path to a graph made to fail in turn. */
#include "fixture.h"

#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "graph/kdtree.h"
#include "graph/lower_bounds.h"
#include "graph/pruning.h"
#include "orthant/graph.h"

static const search_clock no_limit = {0};

static void *allocate(void *user, size_t size, size_t alignment)
{
    int *left = user;
    return (*left)-- > 0 ? aligned_alloc(alignment, size) : NULL;
}

static void release(void *user, void *memory)
{
    (void)user;
    free(memory);
}

/* Samples in two groups far from each other, so that their graph has two parts. Many of them
 * spread in all directions, as lower bounds need it. */
static orthant_status make_samples(orthant_context *ctx, int64_t n, int64_t m, bool sparse,
                                   orthant_matrix **samples)
{
    double *values = malloc((size_t)(n * m) * sizeof *values);
    assert_non_null(values);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < m; j++)
            values[i * m + j] =
                sparse && (i + j) % 3
                    ? 0
                    : (double)(n < 100 ? (i * 7 + j * 5) % 11 : (i * i * 31 + j * j * i) % 1009) +
                          (i < n / 2 ? 0 : 50000);
    orthant_status status = orthant_matrix_create(ctx, n, m, values, samples);
    free(values);
    return status;
}

static orthant_status by_neighbours(orthant_context *ctx, orthant_edge_weight weight, int64_t n,
                                    int64_t m)
{
    static const int64_t classes[] = {0, 0, 1, 1, -1, 2, 2, 0, 1, -1, 0, 2};
    orthant_matrix *samples = NULL;
    orthant_labels *labels = NULL;
    orthant_graph *graph = NULL, *known = NULL;
    orthant_status status = make_samples(ctx, n, m, false, &samples);
    if (!status)
        status = orthant_graph_neighbours(ctx, samples, 2, weight, 0, &graph);
    if (!status && n == 12) {
        status = orthant_labels_create(ctx, 12, classes, &labels);
        if (!status)
            status = orthant_graph_with_labels(ctx, graph, labels, &known);
    }
    if (!status)
        status = orthant_graph_components(graph) < 0 ? ORTHANT_ERROR_MEMORY : ORTHANT_OK;
    if (!status)
        status = orthant_graph_write(ctx, graph, files_path("graph.mtx"));
    orthant_graph_free(graph);
    graph = NULL;
    if (!status)
        status = orthant_graph_read(ctx, files_path("graph.mtx"), &graph);
    orthant_graph_free(graph);
    orthant_graph_free(known);
    orthant_labels_free(labels);
    orthant_matrix_free(samples);
    return status;
}

static orthant_status binary(orthant_context *ctx)
{
    return by_neighbours(ctx, ORTHANT_EDGE_BINARY, 12, 5);
}

static orthant_status heat(orthant_context *ctx)
{
    return by_neighbours(ctx, ORTHANT_EDGE_HEAT, 12, 5);
}

static orthant_status cosine(orthant_context *ctx)
{
    return by_neighbours(ctx, ORTHANT_EDGE_COSINE, 12, 5);
}

/* By lower bounds, which only many more samples have by themselves. */
/* With entries that are not known. */
static orthant_status of_known(orthant_context *ctx)
{
    orthant_graph_options options = ORTHANT_GRAPH_DEFAULTS;
    orthant_matrix *samples = NULL;
    orthant_graph *graph = NULL;
    options.neighbours = 2;
    options.weight = ORTHANT_EDGE_HEAT;
    options.missing = "nan";
    orthant_status status = make_samples(ctx, 12, 5, false, &samples);
    if (!status)
        status = orthant_graph_build(ctx, samples, &options, &graph);
    orthant_graph_free(graph);
    orthant_matrix_free(samples);
    return status;
}

static orthant_status by_lower_bounds(orthant_context *ctx)
{
    enum { SAMPLES = 300, FEATURES = 96, COUNT = 3 };
    int32_t nearest[SAMPLES * COUNT];
    orthant_matrix *samples = NULL;
    lower_bounds bounds = {.ctx = ctx};
    bool prune = false;
    orthant_status status = make_samples(ctx, SAMPLES, FEATURES, false, &samples);
    if (!status)
        status = lower_bounds_make(ctx, samples, true, NULL, &bounds);
    assert_true(status || bounds.points);
    if (!status)
        status = lower_bounds_prune(&bounds, samples, COUNT, &prune);
    if (!status)
        status = pruned_neighbours(ctx, samples, &bounds, COUNT, &no_limit, nearest);
    lower_bounds_free(&bounds);
    orthant_matrix_free(samples);
    return status;
}

/* Trees on the points of lower bounds, or on random signs, and rounds of neighbour descent. */
static orthant_status approximately(orthant_context *ctx, int64_t features, bool sparse)
{
    enum { SAMPLES = 300, MOST = 96 };
    static double values[SAMPLES * MOST];
    int64_t start[SAMPLES + 1], column[SAMPLES * 4];
    orthant_graph_options options = ORTHANT_GRAPH_DEFAULTS;
    orthant_matrix *samples = NULL;
    orthant_graph *graph = NULL;
    orthant_status status = ORTHANT_OK;
    options.search = ORTHANT_SEARCH_APPROXIMATE;
    options.weight = ORTHANT_EDGE_HEAT;
    for (int64_t i = 0; i <= SAMPLES; i++)
        start[i] = 4 * i;
    for (int64_t e = 0; e < SAMPLES * 4; e++) {
        column[e] = e % 4 * (features / 4) + (e / 4 * 7) % (features / 4);
        values[e] = 1 + (double)(e % 5);
    }
    if (sparse)
        status = orthant_matrix_create_csr(ctx, SAMPLES, features, start, column, values, &samples);
    else
        status = make_samples(ctx, SAMPLES, features, false, &samples);
    if (!status)
        status = orthant_graph_build(ctx, samples, &options, &graph);
    assert_true(status || orthant_graph_edges(graph) >= SAMPLES * 5 / 2);
    assert_true(!status || !graph);
    orthant_graph_free(graph);
    orthant_matrix_free(samples);
    return status;
}

static orthant_status approximately_dense(orthant_context *ctx)
{
    return approximately(ctx, 96, false);
}

static orthant_status approximately_few(orthant_context *ctx)
{
    return approximately(ctx, 20, false);
}

static orthant_status approximately_sparse(orthant_context *ctx)
{
    return approximately(ctx, 96, true);
}

static orthant_status similarity(orthant_context *ctx)
{
    orthant_matrix *samples = NULL, *all = NULL, *few = NULL;
    orthant_status status = make_samples(ctx, 50, 5, false, &samples);
    if (!status)
        status = orthant_similarity_gaussian(ctx, samples, 0, 1, &all);
    assert_true(!status || !all);
    if (!status)
        status = orthant_similarity_gaussian(ctx, samples, 3, 1, &few);
    assert_true(!status || !few);
    orthant_matrix_free(few);
    orthant_matrix_free(all);
    orthant_matrix_free(samples);
    return status;
}

static orthant_status points_in_space(orthant_context *ctx)
{
    double points[60];
    int32_t nearest[40], *bridge = NULL;
    int64_t parts = 0, bridges = 0;
    kdtree tree = {0};
    for (int i = 0; i < 60; i++)
        points[i] = (i * 13 % 17) + (i < 30 ? 0 : 900);
    orthant_status status = kdtree_make(ctx, points, 20, &tree);
    if (!status)
        status = kdtree_neighbours(&tree, 2, NULL, nearest);
    if (!status)
        status = kdtree_bridges(&tree, 2, nearest, &parts, &bridges, &bridge);
    memory_free(ctx, bridge);
    kdtree_free(&tree);
    return status;
}

static void exhaust(orthant_status (*way)(orthant_context *), int at_least)
{
    for (int n = 0; n < 1000; n++) {
        orthant_context *ctx = NULL;
        int left = n;
        assert_int_equal(orthant_context_create(&ctx), ORTHANT_OK);
        expect_ok(ctx, orthant_context_set_threads(ctx, 1));
        expect_ok(ctx, orthant_context_set_allocator(ctx, allocate, release, &left));
        const orthant_status status = way(ctx);
        if (status != ORTHANT_OK && status != ORTHANT_ERROR_MEMORY)
            fail_msg("allocation %d: %s: %s", n, orthant_status_name(status), orthant_message(ctx));
        if (status == ORTHANT_ERROR_MEMORY)
            assert_non_null(strstr(orthant_message(ctx), "out of memory"));
        assert_int_equal(orthant_context_memory(ctx), 0);
        orthant_context_free(ctx);
        if (status == ORTHANT_OK) {
            assert_true(n > at_least);
            return;
        }
    }
    fail_msg("never enough");
}

static void test_neighbours(void **state)
{
    (void)state;
    exhaust(binary, 10);
    exhaust(heat, 10);
    exhaust(cosine, 10);
    exhaust(of_known, 10);
}

static void test_lower_bounds(void **state)
{
    (void)state;
    exhaust(by_lower_bounds, 20);
}

static void test_approximate(void **state)
{
    (void)state;
    exhaust(approximately_dense, 20);
    exhaust(approximately_few, 15);
    exhaust(approximately_sparse, 15);
}

static void test_similarity(void **state)
{
    (void)state;
    exhaust(similarity, 4);
}

static void test_points(void **state)
{
    (void)state;
    exhaust(points_in_space, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_neighbours),  cmocka_unit_test(test_lower_bounds),
        cmocka_unit_test(test_approximate), cmocka_unit_test(test_similarity),
        cmocka_unit_test(test_points),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
