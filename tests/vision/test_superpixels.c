/* Region graphs, and whole pictures from pixels to segments. */
#include "fixture.h"

#include <math.h>
#include <stdlib.h>

#include "core/memory.h"
#include "core/random.h"
#include "graph/regions.h"
#include "vision/region_features.h"
#include "vision/segment.h"
#include "vision/slic.h"
#include "vision/superpixels.h"

enum { HEIGHT = 90, WIDTH = 120, PIXELS = HEIGHT * WIDTH };

/* Three noisy colours: a disc on two halves. */
static int true_label(int p)
{
    const int y = p / WIDTH - 45, x = p % WIDTH - 60;
    return y * y + x * x < 625 ? 2 : x < 0 ? 0 : 1;
}

static void draw_scene(unsigned char *pixels)
{
    static const int colour[3][3] = {{200, 60, 50}, {60, 110, 190}, {230, 200, 80}};
    for (int p = 0; p < PIXELS; p++)
        for (int c = 0; c < 3; c++)
            pixels[3 * p + c] =
                (unsigned char)(colour[true_label(p)][c] +
                                (int)random_below(1, RANDOM_TEST, (uint64_t)p, (uint64_t)c, 25) -
                                12);
}

static const segment_options plain = {
    .nodes = SEGMENT_SLIC, .segments = 3, .seed = 1, .graph_weight = -1, .smallest = -1};

/* Share of pixels whose segment's most frequent true label is their own. */
static double agreement(const int32_t *labels, int64_t segments)
{
    int64_t table[64][3] = {{0}}, right = 0;
    assert_in_range(segments, 1, 64);
    for (int p = 0; p < PIXELS; p++)
        table[labels[p]][true_label(p)]++;
    for (int64_t s = 0; s < segments; s++) {
        int64_t most = 0;
        for (int t = 0; t < 3; t++)
            most = table[s][t] > most ? table[s][t] : most;
        right += most;
    }
    return (double)right / PIXELS;
}

static void neighbours_meet_over_lines_and_sides(void **state)
{
    orthant_context *ctx = *state;
    orthant_graph *graph = NULL;
    const int32_t with_lines[9] = {0, -1, 1, 0, -1, 1, 2, 2, 2};
    const int32_t without[6] = {0, 0, 1, 3, 2, 2};
    expect_ok(ctx, graph_of_regions(ctx, with_lines, 3, 3, 3, NULL, 0, &graph));
    assert_int_equal(orthant_graph_edges(graph), 3);
    assert_true(orthant_graph_edge(graph, 0, 1) == 1.0 && orthant_graph_edge(graph, 1, 0) == 1.0);
    orthant_graph_free(graph);
    expect_ok(ctx, graph_of_regions(ctx, without, 2, 3, 4, NULL, 0, &graph));
    assert_int_equal(orthant_graph_edges(graph), 5);
    assert_true(orthant_graph_edge(graph, 1, 3) == 0.0);
    orthant_graph_free(graph);
}

static void colours_weigh_edges(void **state)
{
    orthant_context *ctx = *state;
    orthant_graph *graph = NULL;
    const int32_t row[4] = {0, 1, 2, 3};
    const double colour[8] = {0, 0, 3, 4, 3, 4.5, 3, 14.5}; /* distances 5, 0.5, 10 */
    expect_ok(ctx, graph_of_regions(ctx, row, 1, 4, 4, colour, 2, &graph));
    assert_true(fabs(orthant_graph_edge(graph, 0, 1) - (exp(-10 * 4.5 / 9.5) + 1e-5)) <= 1e-12);
    assert_true(fabs(orthant_graph_edge(graph, 2, 1) - (1 + 1e-5)) <= 1e-12);
    assert_true(fabs(orthant_graph_edge(graph, 2, 3) - (exp(-10) + 1e-5)) <= 1e-12);
    orthant_graph_free(graph);
}

static void slic_regions_are_connected_and_numbered(void **state)
{
    static unsigned char pixels[3 * PIXELS];
    orthant_context *ctx = *state;
    const image picture = {HEIGHT, WIDTH, 3, pixels, NULL};
    superpixels set;
    draw_scene(pixels);
    segment_options options = plain;
    options.superpixels = 100;
    expect_ok(ctx, superpixels_make(ctx, &picture, &options, &set));
    assert_in_range(set.count, 60, 160);
    int64_t next = 0, total = 0;
    for (int p = 0; p < PIXELS; p++)
        if (set.region_of[p] == next)
            next++;
        else
            assert_in_range(set.region_of[p], 0, next - 1);
    assert_int_equal(next, set.count);
    for (int64_t r = 0; r < set.count; r++)
        total += set.size[r];
    assert_int_equal(total, PIXELS);
    superpixels_free(&set);
}

static void finds_three_colours(void **state)
{
    static const char *const methods[] = {"grpnmf", "gnmf", "nmf", "kmeans"};
    static unsigned char pixels[3 * PIXELS];
    orthant_context *ctx = *state;
    const image picture = {HEIGHT, WIDTH, 3, pixels, NULL};
    draw_scene(pixels);
    for (int nodes = SEGMENT_WATERSHED; nodes <= SEGMENT_SLIC; nodes++)
        for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
            segment_options options = plain;
            segmentation found;
            options.nodes = (segment_nodes)nodes;
            options.method = methods[m];
            expect_ok(ctx, segment_superpixels(ctx, &picture, &options, &found));
            assert_in_range(found.segments, 2, 8);
            assert_true(found.nodes > 50 && found.edges >= found.nodes);
            /* Without a basis that the graph smooths, a watershed's small regions are noisy. */
            const double least = strcmp(methods[m], "grpnmf") ? 0.80 : 0.95;
            if (agreement(found.labels, found.segments) < least)
                fail_msg("%s on nodes %d: %.3f right", methods[m], nodes,
                         agreement(found.labels, found.segments));
            segmentation_free(&found);
        }
}

/* Edges between regions of different labels. */
static int64_t cut_edges(const segmentation *s)
{
    const orthant_matrix *a = s->graph->adjacency;
    int32_t *label = calloc((size_t)s->nodes, sizeof *label);
    int64_t cut = 0;
    for (int64_t p = 0; p < s->count; p++)
        if (s->node_of[p] >= 0)
            label[s->node_of[p]] = s->labels[p];
    for (int64_t i = 0; i < a->rows; i++)
        for (int64_t e = a->row_start[i]; e < a->row_start[i + 1]; e++)
            cut += label[i] != label[a->column[e]];
    free(label);
    return cut;
}

static void a_heavier_graph_cuts_fewer_edges(void **state)
{
    static unsigned char pixels[3 * PIXELS];
    orthant_context *ctx = *state;
    const image picture = {HEIGHT, WIDTH, 3, pixels, NULL};
    int64_t before = INT64_MAX;
    draw_scene(pixels);
    for (double weight = 0; weight <= 1000; weight = weight > 0 ? 10 * weight : 10) {
        segment_options options = plain;
        segmentation found;
        options.nodes = SEGMENT_WATERSHED;
        options.graph_weight = weight;
        options.finish = "none";
        expect_ok(ctx, segment_superpixels(ctx, &picture, &options, &found));
        const int64_t cut = cut_edges(&found);
        segmentation_free(&found);
        assert_true(cut <= before);
        before = cut;
    }
}

/* The groups stand in the order in which they are asked for, whichever that is. */
static void groups_in_any_order(void **state)
{
    static unsigned char pixels[3 * PIXELS];
    static const char *const lists[] = {"histogram,lab", "lab,histogram"};
    orthant_context *ctx = *state;
    const image picture = {HEIGHT, WIDTH, 3, pixels, NULL};
    orthant_matrix *features[2] = {NULL, NULL};
    draw_scene(pixels);
    for (int i = 0; i < 2; i++) {
        superpixels set;
        segment_options options = plain;
        options.features = lists[i];
        expect_ok(ctx, superpixels_make(ctx, &picture, &options, &set));
        expect_ok(ctx, region_features(&set, &options, &features[i]));
        superpixels_free(&set);
    }
    const int64_t rows = orthant_matrix_rows(features[0]);
    const int64_t columns = orthant_matrix_columns(features[0]);
    assert_true(rows > 1 && columns > 3);
    assert_int_equal(orthant_matrix_rows(features[1]), rows);
    assert_int_equal(orthant_matrix_columns(features[1]), columns);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++)
            assert_true(orthant_matrix_get(features[0], i, j) ==
                        orthant_matrix_get(features[1], i, (j + 3) % columns));
    orthant_matrix_free(features[0]);
    orthant_matrix_free(features[1]);
}

static void threads_change_nothing(void **state)
{
    static unsigned char pixels[3 * PIXELS];
    orthant_context *ctx = *state;
    const image picture = {HEIGHT, WIDTH, 3, pixels, NULL};
    segmentation one, four;
    segment_options options = plain;
    options.features = "lab,gabor,space,rgb,histogram";
    options.feature_weights = "1,0.2,0.1";
    draw_scene(pixels);
    expect_ok(ctx, orthant_context_set_threads(ctx, 1));
    expect_ok(ctx, segment_superpixels(ctx, &picture, &options, &one));
    expect_ok(ctx, orthant_context_set_threads(ctx, 4));
    expect_ok(ctx, segment_superpixels(ctx, &picture, &options, &four));
    assert_memory_equal(one.labels, four.labels, PIXELS * sizeof *one.labels);
    assert_true(one.objective == four.objective);
    segmentation_free(&one);
    segmentation_free(&four);
}

/* The last snapshot, taken where the fit ends, is the result; pieces of a fit are the fit. */
static void snapshots_show_the_way(void **state)
{
    static unsigned char pixels[3 * PIXELS];
    orthant_context *ctx = *state;
    const image picture = {HEIGHT, WIDTH, 3, pixels, NULL};
    segmentation whole, pieces;
    segment_options options = plain;
    static const char *const exact[] = {"tolerance=0"};
    draw_scene(pixels);
    options.iterations = 60;
    options.parameters = exact;
    options.parameter_count = 1;
    expect_ok(ctx, segment_superpixels(ctx, &picture, &options, &whole));
    options.snapshots = "2,20,60";
    expect_ok(ctx, segment_superpixels(ctx, &picture, &options, &pieces));
    assert_int_equal(pieces.snapshot_count, 3);
    assert_int_equal(pieces.snapshots[1].iteration, 20);
    assert_int_equal(pieces.iterations, 60);
    assert_memory_equal(pieces.snapshots[2].labels, pieces.labels, PIXELS * sizeof(int32_t));
    assert_memory_equal(whole.labels, pieces.labels, PIXELS * sizeof(int32_t));
    assert_true(fabs(whole.objective - (pieces.objective)) <= 1e-6 * whole.objective);
    segmentation_free(&whole);
    segmentation_free(&pieces);
}

static void counts_the_segments(void **state)
{
    static unsigned char pixels[3 * PIXELS];
    orthant_context *ctx = *state;
    const image picture = {HEIGHT, WIDTH, 3, pixels, NULL};
    segmentation found;
    segment_options options = plain;
    draw_scene(pixels);
    options.segments = 0;
    expect_ok(ctx, segment_superpixels(ctx, &picture, &options, &found));
    assert_true(found.estimated);
    assert_int_equal(found.segments, 3);
    assert_non_null(strstr(found.evidence, "after 3"));
    segmentation_free(&found);
}

static void odd_pictures_have_clear_answers(void **state)
{
    static unsigned char pixels[3 * PIXELS];
    orthant_context *ctx = *state;
    const image flat = {HEIGHT, WIDTH, 3, pixels, NULL}, point = {1, 1, 3, pixels, NULL};
    segmentation found;
    segment_options options = plain;
    expect_ok(ctx, segment_superpixels(ctx, &flat, &options, &found)); /* all black */
    assert_int_equal(found.segments, 1);
    segmentation_free(&found);
    expect_failure(ctx, ORTHANT_ERROR_DATA, "1 region, fewer than the 3 segments",
                   segment_superpixels(ctx, &point, &options, &found));
    options.segments = 0;
    expect_ok(ctx, segment_superpixels(ctx, &point, &options, &found));
    assert_int_equal(found.segments, 1);
    segmentation_free(&found);
    options.features = "lab,smell";
    expect_failure(ctx, ORTHANT_ERROR_ARGUMENT, "features 'smell'",
                   segment_superpixels(ctx, &flat, &options, &found));
    options.features = NULL;
    options.method = "pca";
    expect_failure(ctx, ORTHANT_ERROR_ARGUMENT, "these do: grpnmf",
                   segment_superpixels(ctx, &flat, &options, &found));
    options.method = NULL;
    options.snapshots = "9,3";
    expect_failure(ctx, ORTHANT_ERROR_ARGUMENT, "rising order",
                   segment_superpixels(ctx, &flat, &options, &found));
    expect_failure(ctx, ORTHANT_ERROR_UNSUPPORTED, "20000 x 20000",
                   segment_check_size(ctx, "x.png", 20000, 20000));
}

typedef struct failing {
    int left; /* allocations until the one that fails */
} failing;

static void *allocate(void *user, size_t size, size_t alignment)
{
    failing *plan = user;
    return plan->left-- == 0 ? NULL : aligned_alloc(alignment, size);
}

static void release(void *user, void *memory)
{
    (void)user;
    free(memory);
}

/* Each allocation in turn is made to fail: nothing stays behind. */
static void survives_a_lack_of_memory(void **state)
{
    static unsigned char pixels[3 * PIXELS];
    const image picture = {30, 40, 3, pixels, NULL};
    segment_options options = plain;
    orthant_status status = ORTHANT_ERROR_MEMORY;
    int count = 0;
    (void)state;
    for (int p = 0; p < 30 * 40; p++)
        pixels[3 * p + (p % 40) / 14] = 200;
    options.features = "lab,gabor,histogram";
    options.finish = "regions";
    options.superpixels = 40;
    options.iterations = 5;
    options.snapshots = "2";
    for (; status != ORTHANT_OK && count < 2000; count++) {
        failing plan = {count};
        orthant_context *ctx = NULL;
        segmentation found;
        assert_int_equal(orthant_context_create(&ctx), ORTHANT_OK);
        expect_ok(ctx, orthant_context_set_allocator(ctx, allocate, release, &plan));
        /* Without memory for threads it goes on with one. */
        expect_ok(ctx, orthant_context_set_threads(ctx, 1));
        status = segment_superpixels(ctx, &picture, &options, &found);
        if (status == ORTHANT_OK)
            segmentation_free(&found);
        else
            assert_int_equal(status, ORTHANT_ERROR_MEMORY);
        assert_int_equal(orthant_context_memory(ctx), 0);
        orthant_context_free(ctx);
    }
    assert_in_range(count, 50, 1999);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        fixture_test(neighbours_meet_over_lines_and_sides),
        fixture_test(colours_weigh_edges),
        fixture_test(slic_regions_are_connected_and_numbered),
        fixture_test(finds_three_colours),
        fixture_test(a_heavier_graph_cuts_fewer_edges),
        fixture_test(groups_in_any_order),
        fixture_test(threads_change_nothing),
        fixture_test(snapshots_show_the_way),
        fixture_test(counts_the_segments),
        fixture_test(odd_pictures_have_clear_answers),
        fixture_test(survives_a_lack_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
