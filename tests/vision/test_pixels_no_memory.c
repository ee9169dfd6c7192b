/* Each allocation on the way from a picture to its segments made to fail in turn. */
#include "fixture.h"

#include <stdlib.h>

#include "core/random.h"
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

static void exhaust(const segment_options *options)
{
    unsigned char pixels[24 * 24 * 3];
    const image picture = {24, 24, 3, pixels, NULL};
    for (int i = 0; i < 24 * 24 * 3; i++)
        pixels[i] = (unsigned char)((i / 3 % 24 < 12 ? 0 : 128) +
                                    random_below(3, RANDOM_TEST, 0, (uint64_t)i, 100));
    for (int n = 0; n < 1000; n++) {
        orthant_context *ctx = NULL;
        segmentation s;
        int left = n;
        assert_int_equal(orthant_context_create(&ctx), ORTHANT_OK);
        expect_ok(ctx, orthant_context_set_threads(ctx, 1));
        expect_ok(ctx, orthant_context_set_allocator(ctx, allocate, release, &left));
        const orthant_status status = segment_pixels(ctx, &picture, options, &s);
        if (status != ORTHANT_OK && status != ORTHANT_ERROR_MEMORY)
            fail_msg("allocation %d: %s: %s", n, orthant_status_name(status), orthant_message(ctx));
        if (status == ORTHANT_ERROR_MEMORY)
            assert_non_null(strstr(orthant_message(ctx), "out of memory"));
        segmentation_free(&s);
        assert_int_equal(orthant_context_memory(ctx), 0);
        orthant_context_free(ctx);
        if (status == ORTHANT_OK) {
            assert_true(n > 30);
            return;
        }
    }
    fail_msg("1000 allocations were not enough");
}

static void test_methods(void **state)
{
    static const char *const methods[] = {"grpnmf", "fseg", "kmeans", "convex-nmf", "onmf"};
    (void)state;
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        const segment_options options = {
            .method = methods[i], .segments = 2, .window = 9, .iterations = 2};
        exhaust(&options);
    }
}

static void test_counted(void **state)
{
    const segment_options options = {.method = "fseg", .window = 9};
    (void)state;
    exhaust(&options);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_methods),
                                       cmocka_unit_test(test_counted)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
