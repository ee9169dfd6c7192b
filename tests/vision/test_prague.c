/* Mosaics of the Prague benchmark, where the research data are there. */
#include "fixture.h"

#include <stdio.h>
#include <stdlib.h>

#include "orthant/segmentation.h"
#include "vision/segment.h"

static const char *mosaic_path(const char *format, int number)
{
    static char path[600];
    char name[100];
    const char *folder = getenv("ORTHANT_DATA");
    snprintf(name, sizeof name, format, number);
    snprintf(path, sizeof path, "%s/Prague/%s", folder ? folder : "", name);
    return path;
}

static void check_mosaic(orthant_context *ctx, bool coloured, int number, int64_t segments,
                         double least)
{
    const segment_options options = {.segments = segments, .iterations = 100};
    image picture, regions;
    segmentation s;
    orthant_segmentation_scores scores = {.size = sizeof scores};
    expect_ok(
        ctx,
        image_read(ctx,
                   mosaic_path(coloured ? "colour/tm%d_1_1.png" : "grayscale/tm%d_1_1.png", number),
                   coloured ? 3 : 1, &picture));
    expect_ok(ctx, image_read(ctx, mosaic_path("grayscale/gt%d_1.png", number), 1, &regions));
    expect_ok(ctx, segment_pixels(ctx, &picture, &options, &s));
    int32_t *truth = malloc((size_t)s.count * sizeof *truth);
    assert_non_null(truth);
    for (int64_t i = 0; i < s.count; i++)
        truth[i] = regions.pixels[i];
    expect_ok(ctx,
              orthant_score_segmentation(ctx, s.labels, truth, s.height, s.width, NULL, &scores));
    if (scores.cs < 99.9 || scores.co < least)
        fail_msg("mosaic %d: CS %.1f, CO %.1f", number, scores.cs, scores.co);
    free(truth);
    segmentation_free(&s);
    image_free(ctx, &picture);
    image_free(ctx, &regions);
}

static void test_mosaics(void **state)
{
    check_mosaic(*state, true, 4, 6, 96.0);
    check_mosaic(*state, true, 19, 6, 96.0);
    check_mosaic(*state, false, 3, 5, 95.0);
}

int main(void)
{
    FILE *file = fopen(mosaic_path("colour/tm%d_1_1.png", 4), "rb");
    if (!file) {
        puts("skipped: no Prague mosaics; set ORTHANT_DATA");
        return 77;
    }
    fclose(file);
    const struct CMUnitTest tests[] = {fixture_test(test_mosaics)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
