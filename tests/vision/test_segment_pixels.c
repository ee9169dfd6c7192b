/* Texture segmentation of mosaics made here, of pictures with nothing in them, and of what must be
 * refused. */
#include "fixture.h"

#include <math.h>
#include <stdlib.h>

#include "core/random.h"
#include "orthant/segmentation.h"
#include "vision/segment.h"

#define SIDE 192

typedef struct mosaic {
    image picture;
    int32_t *truth;
} mosaic;

static double noise(int texture, int y, int x)
{
    return random_normal(11, RANDOM_TEST, (uint64_t)(texture * 4096 + y), (uint64_t)x);
}

/* Gratings of three directions, fine noise and coarse noise, all of one mean. */
static double texture_at(int texture, int y, int x)
{
    switch (texture) {
    case 0: return 30.0 * sin(2.0 * M_PI * x / 6.0) + 8.0 * noise(0, y, x);
    case 1: return 30.0 * sin(2.0 * M_PI * y / 6.0) + 8.0 * noise(1, y, x);
    case 2: return 25.0 * noise(2, y, x);
    case 3: return 30.0 * sin(2.0 * M_PI * (x + y) / 12.0) + 8.0 * noise(3, y, x);
    default: return 25.0 * noise(4, y / 4, x / 4) + 4.0 * noise(5, y, x);
    }
}

/* Cells of the nearest of K points. */
static int cell_at(int textures, int y, int x)
{
    static const int points[5][2] = {{40, 40}, {45, 150}, {150, 140}, {150, 45}, {98, 96}};
    int best = 0;
    int64_t least = INT64_MAX;
    for (int k = 0; k < textures; k++) {
        const int64_t dy = y - points[k][0], dx = x - points[k][1];
        if (dy * dy + dx * dx < least) {
            least = dy * dy + dx * dx;
            best = k;
        }
    }
    return best;
}

static mosaic make_mosaic(int textures, int channels)
{
    mosaic m = {{SIDE, SIDE, channels, malloc((size_t)(SIDE * SIDE * channels)), NULL},
                malloc(SIDE * SIDE * sizeof(int32_t))};
    assert_true(m.picture.pixels && m.truth);
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++) {
            const int cell = cell_at(textures, y, x);
            const double value = fmin(fmax(128.0 + texture_at(cell, y, x), 0.0), 255.0);
            m.truth[y * SIDE + x] = cell;
            for (int c = 0; c < channels; c++)
                m.picture.pixels[(y * SIDE + x) * channels + c] = (unsigned char)value;
        }
    return m;
}

static void free_mosaic(mosaic *m)
{
    free(m->picture.pixels);
    free(m->truth);
}

static double recall(orthant_context *ctx, const mosaic *m, const segmentation *s)
{
    orthant_segmentation_scores scores = {.size = sizeof scores};
    expect_ok(ctx, orthant_score_segmentation(ctx, s->labels, m->truth, SIDE, SIDE, NULL, &scores));
    return scores.co;
}

static void test_mosaics(void **state)
{
    static const char *const methods[] = {"grpnmf", "fseg", "kmeans", "onmf", "convex-nmf", "nmf"};
    /* What is found does not depend on the sanitizers: here and below they see a part. */
    for (int k = 3; k <= 5; k += SANITIZED ? 2 : 1) {
        mosaic m = make_mosaic(k, 1);
        for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
            const segment_options options = {
                .method = methods[i], .segments = k, .window = 25, .iterations = i ? 60 : 0};
            segmentation s;
            expect_ok(*state, segment_pixels(*state, &m.picture, &options, &s));
            assert_int_equal(s.segments, k);
            assert_false(s.estimated);
            assert_true(s.count == SIDE * SIDE && s.height == SIDE && s.width == SIDE);
            assert_true(s.nodes == 64 * 64 && s.edges == 0);
            const double co = recall(*state, &m, &s);
            /* Less where a broad segment takes the strips between others. */
            if (co < 96.0)
                fail_msg("%s, %d textures: CO %.1f", methods[i], k, co);
            segmentation_free(&s);
        }
        free_mosaic(&m);
    }
}

/* The published way: labels as the factors give them. */
static void test_published(void **state)
{
    static const char *const methods[] = {"grpnmf", "fseg", "kmeans"};
    mosaic m = make_mosaic(4, 1);
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        const segment_options options = {.method = methods[i],
                                         .segments = 4,
                                         .window = 25,
                                         .bank = "a",
                                         .binning = "width",
                                         .finish = "none"};
        segmentation s;
        expect_ok(*state, segment_pixels(*state, &m.picture, &options, &s));
        const double co = recall(*state, &m, &s);
        if (co < 88.0)
            fail_msg("%s: CO %.1f", methods[i], co);
        segmentation_free(&s);
    }
    free_mosaic(&m);
}

static void test_estimate(void **state)
{
    for (int k = SANITIZED ? 5 : 3; k <= 5; k++) {
        mosaic m = make_mosaic(k, 3);
        const segment_options options = {.window = 25};
        segmentation s;
        expect_ok(*state, segment_pixels(*state, &m.picture, &options, &s));
        if (s.segments != k)
            fail_msg("%d textures, found %d: %s", k, (int)s.segments, s.evidence);
        assert_true(s.estimated);
        assert_non_null(strstr(s.evidence, "energy"));
        segmentation_free(&s);
        free_mosaic(&m);
    }
}

/* With the bank and the window of FSEG's Python program its rule counts the textures; the share of
 * its MATLAB program, which is of another bank, counts fewer. */
static void test_counting_rules(void **state)
{
    for (int k = SANITIZED ? 5 : 3; k <= 5; k++) {
        mosaic m = make_mosaic(k, 3);
        segment_options options = {.bank = "a",
                                   .binning = "width",
                                   .window = 25,
                                   .finish = "none",
                                   .method = "kmeans",
                                   .counting = "mean"};
        segmentation by_mean, by_share;
        expect_ok(*state, segment_pixels(*state, &m.picture, &options, &by_mean));
        options.counting = NULL;
        expect_ok(*state, segment_pixels(*state, &m.picture, &options, &by_share));
        if (by_mean.wanted != k || by_share.wanted >= by_mean.wanted)
            fail_msg("%d textures: mean %d, share %d", k, (int)by_mean.wanted,
                     (int)by_share.wanted);
        segmentation_free(&by_mean);
        segmentation_free(&by_share);
        free_mosaic(&m);
    }
}

/* One texture is in two places: two segments of three cells. */
static void test_textures(void **state)
{
    mosaic m = make_mosaic(2, 1);
    const segment_options options = {.window = 25, .segments = 2, .finish = "textures"};
    segmentation s;
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++) {
            const int cell = x / 64 == 1;
            m.truth[y * SIDE + x] = cell;
            m.picture.pixels[y * SIDE + x] = (unsigned char)(128.0 + texture_at(cell, y, x));
        }
    expect_ok(*state, segment_pixels(*state, &m.picture, &options, &s));
    const double co = recall(*state, &m, &s);
    if (co < 92.0)
        fail_msg("CO %.1f", co);
    segmentation_free(&s);
    free_mosaic(&m);
}

static void test_threads(void **state)
{
    mosaic m = make_mosaic(4, 3);
    segmentation first = {0};
    for (int threads = 1; threads <= 3; threads++) {
        const segment_options options = {.iterations = 20};
        segmentation s;
        expect_ok(*state, orthant_context_set_threads(*state, threads));
        expect_ok(*state, segment_pixels(*state, &m.picture, &options, &s));
        if (threads == 1) {
            first = s;
            continue;
        }
        assert_memory_equal(first.labels, s.labels, (size_t)s.count * sizeof *s.labels);
        assert_true(first.objective == s.objective);
        assert_string_equal(first.evidence, s.evidence);
        segmentation_free(&s);
    }
    segmentation_free(&first);
    free_mosaic(&m);
}

/* Pictures that have no textures: one segment, or what there is. */
static void test_plain(void **state)
{
    unsigned char pixels[40 * 30 * 3];
    static const int sizes[][2] = {{40, 30}, {1, 1}, {1, 30}, {40, 1}};
    memset(pixels, 77, sizeof pixels);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int64_t k = 0; k <= 1; k++) {
            const image picture = {sizes[i][0], sizes[i][1], 3, pixels, NULL};
            const segment_options options = {.segments = k};
            segmentation s;
            expect_ok(*state, segment_pixels(*state, &picture, &options, &s));
            assert_int_equal(s.segments, 1);
            for (int64_t p = 0; p < s.count; p++)
                assert_int_equal(s.labels[p], 0);
            segmentation_free(&s);
        }
    const image plain = {40, 30, 1, pixels, NULL};
    const segment_options four = {.segments = 4};
    segmentation s;
    expect_ok(*state, segment_pixels(*state, &plain, &four, &s));
    assert_int_equal(s.segments, 1);
    segmentation_free(&s);
    /* Half black, half white, smaller than the window. */
    for (int i = 0; i < 30 * 30; i++)
        pixels[i] = i % 30 < 15 ? 0 : 255;
    const image halves = {30, 30, 1, pixels, NULL};
    const segment_options two = {.segments = 2, .window = 7};
    expect_ok(*state, segment_pixels(*state, &halves, &two, &s));
    assert_int_equal(s.segments, 2);
    assert_true(s.labels[0] == 0 && s.labels[29] == 1 && s.labels[29 * 30] == 0);
    segmentation_free(&s);
}

static void test_refusals(void **state)
{
    unsigned char pixels[12] = {0};
    const image tiny = {2, 2, 3, pixels, NULL};
    /* Refused by its size: nothing of it is read. */
    const image huge = {20000, 20000, 3, pixels, NULL};
    const segment_options five = {.segments = 5}, many = {.segments = 100000};
    const segment_options bank = {.bank = "c"}, bins = {.bins = 1}, window = {.window = -3};
    const segment_options method = {.method = "tnmf"}, binning = {.binning = "log"};
    const segment_options finish = {.finish = "later"}, plain = {0};
    segmentation s;
    expect_failure(*state, ORTHANT_ERROR_DATA, "cannot have 5 segments",
                   segment_pixels(*state, &tiny, &five, &s));
    assert_null(s.labels);
    expect_failure(*state, ORTHANT_ERROR_UNSUPPORTED, "20000 x 20000",
                   segment_pixels(*state, &huge, &plain, &s));
    expect_failure(*state, ORTHANT_ERROR_ARGUMENT, "expected 1 to",
                   segment_pixels(*state, &tiny, &many, &s));
    expect_failure(*state, ORTHANT_ERROR_ARGUMENT, "bank 'c'",
                   segment_pixels(*state, &tiny, &bank, &s));
    expect_failure(*state, ORTHANT_ERROR_ARGUMENT, "1 bins",
                   segment_pixels(*state, &tiny, &bins, &s));
    expect_failure(*state, ORTHANT_ERROR_ARGUMENT, "window of -3",
                   segment_pixels(*state, &tiny, &window, &s));
    expect_failure(*state, ORTHANT_ERROR_ARGUMENT, "'tnmf' cannot segment",
                   segment_pixels(*state, &tiny, &method, &s));
    expect_failure(*state, ORTHANT_ERROR_ARGUMENT, "width and population",
                   segment_pixels(*state, &tiny, &binning, &s));
    expect_failure(*state, ORTHANT_ERROR_ARGUMENT, "finish 'later'",
                   segment_pixels(*state, &tiny, &finish, &s));
    const char *const pair = "exponent=0.5";
    const segment_options graph = {.graph_weight = 10.0};
    const segment_options unused = {.method = "kmeans", .parameters = &pair, .parameter_count = 1};
    expect_failure(*state, ORTHANT_ERROR_ARGUMENT, "no graph",
                   segment_pixels(*state, &tiny, &graph, &s));
    expect_failure(*state, ORTHANT_ERROR_ARGUMENT, "no parameters",
                   segment_pixels(*state, &tiny, &unused, &s));
}

/* The method's own parameters reach it, and a wrong one is refused in its words. */
static void test_parameters(void **state)
{
    const char *const slow = "exponent=0.25", *const wrong = "exponent=7";
    mosaic m = make_mosaic(3, 1);
    segment_options options = {.segments = 3, .window = 25, .iterations = 5};
    segmentation fast, paper, none;
    expect_ok(*state, segment_pixels(*state, &m.picture, &options, &fast));
    options.parameters = &slow;
    options.parameter_count = 1;
    expect_ok(*state, segment_pixels(*state, &m.picture, &options, &paper));
    assert_true(paper.objective > fast.objective);
    options.parameters = &wrong;
    expect_failure(*state, ORTHANT_ERROR_ARGUMENT, "exponent",
                   segment_pixels(*state, &m.picture, &options, &none));
    options.method = "fseg";
    expect_failure(*state, ORTHANT_ERROR_ARGUMENT, "encoding_ridge and basis_ridge",
                   segment_pixels(*state, &m.picture, &options, &none));
    const char *const heavy = "encoding_ridge=1000";
    options.parameters = &heavy;
    expect_ok(*state, segment_pixels(*state, &m.picture, &options, &none));
    options.parameter_count = 0;
    segmentation_free(&fast);
    expect_ok(*state, segment_pixels(*state, &m.picture, &options, &fast));
    assert_true(none.objective > 1.5 * fast.objective);
    segmentation_free(&none);
    segmentation_free(&fast);
    segmentation_free(&paper);
    free_mosaic(&m);
}

/* Parts at chosen iterations; with the published finish these are the labels of shorter fits. */
static void test_snapshots(void **state)
{
    mosaic m = make_mosaic(3, 1);
    segment_options options = {
        .segments = 3, .window = 25, .iterations = 20, .snapshots = "1,8", .finish = "none"};
    segmentation all, some;
    expect_ok(*state, segment_pixels(*state, &m.picture, &options, &all));
    assert_int_equal(all.snapshot_count, 2);
    assert_int_equal(all.iterations, 20);
    options.snapshots = NULL;
    options.iterations = all.snapshots[1].iteration;
    assert_int_equal(options.iterations, 8);
    expect_ok(*state, segment_pixels(*state, &m.picture, &options, &some));
    int32_t pair[3] = {-1, -1, -1}; /* the snapshot's numbers are the parts' own */
    for (int64_t p = 0; p < all.count; p++) {
        int32_t *same = &pair[all.snapshots[1].labels[p]];
        *same = *same < 0 ? some.labels[p] : *same;
        assert_int_equal(*same, some.labels[p]);
    }
    segmentation_free(&some);
    segmentation_free(&all);
    options.snapshots = "2";
    options.method = "fseg";
    expect_failure(*state, ORTHANT_ERROR_ARGUMENT, "fseg has none",
                   segment_pixels(*state, &m.picture, &options, &all));
    free_mosaic(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        fixture_test(test_mosaics),    fixture_test(test_published),
        fixture_test(test_estimate),   fixture_test(test_counting_rules),
        fixture_test(test_textures),   fixture_test(test_threads),
        fixture_test(test_plain),      fixture_test(test_refusals),
        fixture_test(test_parameters), fixture_test(test_snapshots)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
