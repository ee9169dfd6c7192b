/* The research clouds: what they hold, and the table told from the objects on it. */
#include "fixture.h"

#include <stdio.h>
#include <stdlib.h>

#include "vision/cloud.h"
#include "vision/segment.h"

static char path[600];

static const char *scene_path(const char *name)
{
    const char *folder = getenv("ORTHANT_DATA");
    snprintf(path, sizeof path, "%s/pointclouds/%s", folder ? folder : "", name);
    return path;
}

static void test_files(void **state)
{
    static const struct {
        const char *name;
        int64_t count, kept, width;
        bool color, label;
    } files[] = {
        {"mOSD/learn0.pcd", 307200, 182292, 640, true, true},
        {"pcl/milk_cartoon_all_small_clorox.pcd", 307200, 241407, 640, true, false},
        {"pcl/region_growing_rgb_tutorial.pcd", 307200, 259847, 640, true, false},
        {"pcl/milk.pcd", 12575, 12575, 12575, true, false},
        {"pcl/table_scene_lms400_downsampled.pcd", 41049, 41049, 41049, false, false},
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        cloud c;
        expect_ok(*state, cloud_read(*state, scene_path(files[i].name), &c));
        assert_int_equal(c.count, files[i].count);
        assert_int_equal(c.kept, files[i].kept);
        assert_int_equal(c.width, files[i].width);
        assert_int_equal(c.color != NULL, files[i].color);
        assert_int_equal(c.label != NULL, files[i].label);
        cloud_free(&c);
    }
}

/* Labels 1 to 9 are the table, 20 and above the objects. */
static double right_share(const cloud *c, const segmentation *found)
{
    int64_t right = 0, counted = 0;
    for (int64_t i = 0; i < c->count; i++)
        if (found->labels[i] >= 0 && c->label[i] > 0) {
            right += found->labels[i] == (c->label[i] / 10 >= 2);
            counted++;
        }
    const double share = (double)right / (double)counted;
    return share < 0.5 ? 1.0 - share : share;
}

static void test_table_and_objects(void **state)
{
    cloud c;
    segmentation found;
    const segment_options options = {.segments = 2, .graph_weight = -1.0, .iterations = 200};
    orthant_context_set_precision(*state, ORTHANT_SINGLE);
    expect_ok(*state, cloud_read(*state, scene_path("mOSD/learn0.pcd"), &c));
    expect_ok(*state, segment_cloud(*state, &c, &options, &found));
    const double share = right_share(&c, &found);
    print_message("learn0: %.2f %% of the points on the right side\n", 100.0 * share);
    assert_true(share > 0.95);
    segmentation_free(&found);
    cloud_free(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {fixture_test(test_files),
                                       fixture_test(test_table_and_objects)};
    FILE *file = getenv("ORTHANT_DATA") ? fopen(scene_path("mOSD/learn0.pcd"), "rb") : NULL;
    if (!file) {
        printf("no pointclouds in $ORTHANT_DATA: skipped\n");
        return 77;
    }
    fclose(file);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
