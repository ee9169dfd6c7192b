/* Each allocation on the way from a file of points to its pictures made to fail in turn. */
#include "fixture.h"

#include <stdlib.h>

#include "vision/cloud.h"
#include "vision/segment.h"

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

static orthant_status run(orthant_context *ctx, const char *path, const char *out)
{
    const segment_options options = {.segments = 2, .graph_weight = -1.0, .iterations = 2};
    cloud points = {0};
    segmentation found = {0};
    image picture = {0};
    orthant_status status = cloud_read(ctx, path, &points);
    if (status == ORTHANT_OK)
        status = segment_cloud(ctx, &points, &options, &found);
    if (status == ORTHANT_OK)
        status = cloud_render(ctx, &points, found.labels, 20, 20, &picture);
    if (status == ORTHANT_OK)
        status = cloud_write_ply(ctx, &points, found.labels, out);
    image_free(ctx, &picture);
    segmentation_free(&found);
    cloud_free(&points);
    return status;
}

static void exhaust(const char *path)
{
    const char *out = files_path("out.ply");
    for (int n = 0; n < 1000; n++) {
        orthant_context *ctx = NULL;
        int left = n;
        assert_int_equal(orthant_context_create(&ctx), ORTHANT_OK);
        expect_ok(ctx, orthant_context_set_threads(ctx, 1));
        expect_ok(ctx, orthant_context_set_allocator(ctx, allocate, release, &left));
        const orthant_status status = run(ctx, path, out);
        if (status != ORTHANT_OK && status != ORTHANT_ERROR_MEMORY)
            fail_msg("allocation %d: %s: %s", n, orthant_status_name(status), orthant_message(ctx));
        if (status == ORTHANT_ERROR_MEMORY)
            assert_non_null(strstr(orthant_message(ctx), "out of memory"));
        assert_int_equal(orthant_context_memory(ctx), 0);
        orthant_context_free(ctx);
        if (status == ORTHANT_OK) {
            assert_true(n > 30);
            return;
        }
    }
    fail_msg("never enough memory");
}

static void test_no_memory(void **state)
{
    (void)state;
    exhaust(files_write_text("a.pcd",
                             "FIELDS x y z rgb normal_x normal_y normal_z label\n"
                             "SIZE 4 4 4 4 4 4 4 4\nTYPE F F F U F F F I\nPOINTS 5\nDATA ascii\n"
                             "0 0 0 255 0 0 1 1\n1 0 0 255 0 0 1 1\n0 1 0 65280 0 0 1 2\n"
                             "5 5 5 255 1 0 0 1\n5 5 6 255 0 1 0 -7\n"));
    exhaust(files_write_text("a.ply", "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\n"
                                      "property float y\nproperty float z\nend_header\n"
                                      "0 0 0\n1 0 0\n0 1 0\n1 1 1\n"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_no_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
