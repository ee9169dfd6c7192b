/* Pictures and clouds from arrays: segmented, cut into superpixels, scored, written; and features
 * of files: what a program with the public headers alone can do. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "orthant/orthant.h"

#include "fixture.h"

#define SIDE 40

/* Dark on the left, bright on the right. */
static void make_halves(unsigned char *pixels)
{
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++)
            pixels[y * SIDE + x] = (unsigned char)((x < SIDE / 2 ? 40 : 200) + (x * 3 + y * 5) % 7);
}

static void check_halves(const int32_t *labels)
{
    assert_true(labels[0] != labels[SIDE - 1]);
    for (int p = 0; p < SIDE * SIDE; p++)
        assert_int_equal(labels[p], labels[p % SIDE < SIDE / 2 ? 0 : SIDE - 1]);
}

static void test_segment_array(void **state)
{
    orthant_context *ctx = *state;
    unsigned char pixels[SIDE * SIDE];
    orthant_image *image = NULL;
    orthant_segmentation *found = NULL;
    orthant_segment_options options = ORTHANT_SEGMENT_DEFAULTS;
    orthant_segmentation_info info = {.size = sizeof info};
    char *text = NULL;
    make_halves(pixels);
    expect_ok(ctx, orthant_image_create(ctx, SIDE, SIDE, 1, 8, pixels, &image));
    assert_int_equal(orthant_image_height(image), SIDE);
    assert_memory_equal(orthant_image_pixels(image), pixels, sizeof pixels);
    options.segments = 2;
    options.superpixels = 64;
    expect_ok(ctx, orthant_segment_image(ctx, image, &options, &found));
    expect_ok(ctx, orthant_segmentation_describe(found, &info));
    assert_int_equal(info.segments, 2);
    assert_int_equal(info.count, SIDE * SIDE);
    check_halves(orthant_segmentation_labels(found));
    assert_non_null(orthant_segmentation_graph(found));
    assert_int_equal(orthant_graph_nodes(orthant_segmentation_graph(found)), info.nodes);
    assert_null(orthant_segmentation_snapshot(found, 0, NULL));
    orthant_segment_run run = {
        .size = sizeof run, .options = &options, .segmentation = found, .image = image};
    expect_ok(ctx, orthant_segment_run_describe(ctx, &run, &text));
    assert_non_null(strstr(text, "\"segments\": 2,"));
    orthant_text_free(ctx, text);
    run.draw = "overlay,dots";
    expect_failure(ctx, ORTHANT_ERROR_ARGUMENT, "draw 'dots'",
                   orthant_segment_run_describe(ctx, &run, &text));
    run.draw = "overlay,graph";
    expect_ok(ctx, orthant_segment_run_write(ctx, &run, files_path("halves")));
    run.image = NULL;
    expect_failure(ctx, ORTHANT_ERROR_ARGUMENT, "picture or its cloud",
                   orthant_segment_run_write(ctx, &run, files_path("nothing")));
    orthant_segmentation_free(found);
    orthant_image_free(image);
}

/* The labels that were written are a truth without a fault; one of another size is refused. */
static void test_score(void **state)
{
    orthant_context *ctx = *state;
    unsigned char pixels[SIDE * SIDE];
    orthant_image *image = NULL;
    orthant_segmentation *found = NULL;
    orthant_label_images *truth = NULL;
    orthant_segmentation_scores scores = {.size = sizeof scores};
    char text[64];
    int64_t height = 0, width = 0;
    make_halves(pixels);
    for (int p = 0; p < SIDE * SIDE; p++)
        pixels[p] = pixels[p] > 100;
    snprintf(text, sizeof text, "P5 %d %d 255\n", SIDE, SIDE);
    char *whole = malloc(strlen(text) + sizeof pixels);
    assert_non_null(whole);
    memcpy(whole, text, strlen(text));
    memcpy(whole + strlen(text), pixels, sizeof pixels);
    const char *path = files_write("truth.pgm", whole, strlen(text) + sizeof pixels);
    free(whole);
    expect_ok(ctx, orthant_label_images_read(ctx, path, &truth));
    assert_int_equal(orthant_label_images_count(truth), 1);
    const int32_t *labels = orthant_label_images_at(truth, 0, &height, &width);
    assert_true(height == SIDE && width == SIDE && labels[0] == 0 && labels[SIDE - 1] == 1);
    assert_null(orthant_label_images_at(truth, 1, NULL, NULL));
    make_halves(pixels);
    orthant_segment_options options = ORTHANT_SEGMENT_DEFAULTS;
    options.segments = 2;
    options.superpixels = 64;
    expect_ok(ctx, orthant_image_create(ctx, SIDE, SIDE, 1, 8, pixels, &image));
    expect_ok(ctx, orthant_segment_image(ctx, image, &options, &found));
    expect_ok(ctx, orthant_segmentation_score(found, truth, NULL, &scores));
    assert_true(scores.cs == 100 && scores.covering == 1);
    orthant_label_images_free(truth);
    expect_ok(ctx,
              orthant_label_images_read(ctx, files_write_text("small.csv", "0,1\n1,0\n"), &truth));
    expect_failure(ctx, ORTHANT_ERROR_DATA, "size of what was segmented",
                   orthant_segmentation_score(found, truth, NULL, &scores));
    orthant_label_images_free(truth);
    orthant_segmentation_free(found);
    orthant_image_free(image);
}

/* 16 bits tell shades apart that 8 bits do not. */
static void test_deep_and_superpixels(void **state)
{
    orthant_context *ctx = *state;
    uint16_t samples[SIDE * SIDE];
    int32_t labels[SIDE * SIDE];
    int64_t count = 0;
    orthant_image *image = NULL;
    orthant_segment_options options = ORTHANT_SEGMENT_DEFAULTS;
    for (int p = 0; p < SIDE * SIDE; p++)
        samples[p] = (uint16_t)(p % SIDE < SIDE / 2 ? 257 : 65535);
    expect_ok(ctx, orthant_image_create(ctx, SIDE, SIDE, 1, 16, samples, &image));
    assert_int_equal(orthant_image_pixels(image)[0], 1);
    assert_int_equal(orthant_image_pixels(image)[SIDE - 1], 255);
    options.superpixels = 16;
    expect_ok(ctx, orthant_image_superpixels(ctx, image, &options, labels, &count));
    assert_in_range(count, 4, 64);
    for (int p = 0; p < SIDE * SIDE; p++)
        assert_in_range(labels[p], 0, count - 1);
    options.nodes = "pixels";
    expect_failure(ctx, ORTHANT_ERROR_ARGUMENT, "no superpixels",
                   orthant_image_superpixels(ctx, image, &options, labels, &count));
    options.nodes = "hexagons";
    expect_failure(ctx, ORTHANT_ERROR_ARGUMENT, "nodes 'hexagons'",
                   orthant_image_superpixels(ctx, image, &options, labels, &count));
    options.nodes = NULL;
    options.smoothing = NAN;
    expect_failure(ctx, ORTHANT_ERROR_ARGUMENT, "smoothing",
                   orthant_image_superpixels(ctx, image, &options, labels, &count));
    orthant_image_free(image);
    expect_failure(ctx, ORTHANT_ERROR_ARGUMENT, "2 channels",
                   orthant_image_create(ctx, 2, 2, 2, 8, samples, &image));
    assert_null(image);
}

/* Two balls of points; one point has no position. */
static void test_cloud(void **state)
{
    orthant_context *ctx = *state;
    double position[3 * 60];
    orthant_cloud *cloud = NULL;
    orthant_segmentation *found = NULL;
    orthant_segment_options options = ORTHANT_SEGMENT_DEFAULTS;
    for (int i = 0; i < 60; i++)
        for (int c = 0; c < 3; c++)
            position[3 * i + c] = (i < 30 ? 0 : 10) + 0.1 * ((i * (3 + c) + 7 * c) % 11);
    position[3 * 59] = NAN;
    expect_ok(ctx, orthant_cloud_create(ctx, 60, position, NULL, NULL, &cloud));
    assert_int_equal(orthant_cloud_count(cloud), 60);
    options.segments = 2;
    options.features = "space";
    options.method = "kmeans";
    expect_ok(ctx, orthant_segment_cloud(ctx, cloud, &options, &found));
    const int32_t *label = orthant_segmentation_labels(found);
    for (int i = 0; i < 59; i++)
        assert_int_equal(label[i], label[i < 30 ? 0 : 30]);
    assert_true(label[0] != label[30]);
    assert_int_equal(label[59], -1);
    orthant_segmentation_free(found);
    orthant_cloud_free(cloud);
}

static void test_features(void **state)
{
    orthant_context *ctx = *state;
    const char *paths[2] = {
        files_write_text("a.pgm", "P2 4 4 9\n1 2 3 4 5 6 7 8 9 8 7 6 5 4 3 2\n"),
        files_write_text("b.pgm", "P2 4 4 9\n9 2 9 4 9 6 9 8 9 8 9 6 9 4 9 2\n")};
    orthant_feature_options options = {.size = sizeof options, .kind = "lab"};
    orthant_matrix *features = NULL;
    orthant_labels *labels = NULL;
    expect_ok(ctx, orthant_image_features(ctx, paths, 2, &options, &features, &labels));
    assert_int_equal(orthant_matrix_rows(features), 2);
    assert_int_equal(orthant_matrix_columns(features), 48);
    assert_null(labels);
    orthant_matrix_free(features);
    options.kind = "smell";
    expect_failure(ctx, ORTHANT_ERROR_ARGUMENT, "'smell'",
                   orthant_image_features(ctx, paths, 2, &options, &features, NULL));
    assert_null(features);
    paths[1] = "no such file";
    options.kind = "lab";
    expect_failure(ctx, ORTHANT_ERROR_IO, "no such file",
                   orthant_image_features(ctx, paths, 2, &options, &features, NULL));
}

static void test_null(void **state)
{
    orthant_context *ctx = *state;
    orthant_image *image = NULL;
    orthant_cloud *cloud = NULL;
    orthant_segmentation *found = NULL;
    orthant_matrix *features = NULL;
    int64_t count;
    char *text = "";
    const orthant_status wrong = ORTHANT_ERROR_ARGUMENT;
    assert_false(orthant_file_is_image(NULL) || orthant_file_is_cloud(NULL));
    assert_int_equal(orthant_image_read(ctx, NULL, &image), wrong);
    assert_int_equal(orthant_image_create(ctx, 1, 1, 1, 8, NULL, &image), wrong);
    assert_int_equal(orthant_cloud_read(NULL, "x", &cloud), wrong);
    assert_int_equal(orthant_cloud_create(ctx, 1, NULL, NULL, NULL, &cloud), wrong);
    assert_int_equal(orthant_segment_image(ctx, NULL, NULL, &found), wrong);
    assert_int_equal(orthant_segment_cloud(ctx, NULL, NULL, &found), wrong);
    assert_int_equal(orthant_segmentation_describe(NULL, NULL), wrong);
    assert_int_equal(orthant_segmentation_score(NULL, NULL, NULL, NULL), wrong);
    assert_int_equal(orthant_segment_run_write(ctx, NULL, "x"), wrong);
    assert_int_equal(orthant_segment_run_describe(ctx, NULL, &text), wrong);
    assert_null(text);
    assert_int_equal(orthant_image_superpixels(ctx, NULL, NULL, NULL, &count), wrong);
    assert_int_equal(orthant_image_features(ctx, NULL, 1, NULL, &features, NULL), wrong);
    assert_int_equal(orthant_label_images_read(ctx, NULL, NULL), wrong);
    assert_null(orthant_segmentation_labels(NULL));
    assert_null(orthant_segmentation_graph(NULL));
    assert_null(orthant_image_pixels(NULL));
    assert_null(orthant_cloud_positions(NULL));
    assert_int_equal(orthant_image_width(NULL) + orthant_image_channels(NULL), 0);
    orthant_image_free(NULL);
    orthant_cloud_free(NULL);
    orthant_segmentation_free(NULL);
    orthant_label_images_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        fixture_test(test_segment_array),
        fixture_test(test_score),
        fixture_test(test_deep_and_superpixels),
        fixture_test(test_cloud),
        fixture_test(test_features),
        fixture_test(test_null),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
