/* What segmentation criteria refuse, how long they take, and what they do without memory. */
#include "fixture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "core/random.h"
#include "orthant/segmentation.h"

static void test_what_cannot_be_scored(void **state)
{
    const int32_t labels[] = {1, 2};
    orthant_segmentation_scores s = {.size = sizeof s};
    orthant_segmentation_options options = {.size = sizeof options, .threshold = 0.5};
    expect_failure(*state, ORTHANT_ERROR_ARGUMENT, "threshold 0.5",
                   orthant_score_segmentation(*state, labels, labels, 1, 2, &options, &s));
    options.threshold = NAN;
    expect_failure(*state, ORTHANT_ERROR_ARGUMENT, "threshold",
                   orthant_score_segmentation(*state, labels, labels, 1, 2, &options, &s));
    options.threshold = 1.01;
    expect_failure(*state, ORTHANT_ERROR_ARGUMENT, "threshold 1.01",
                   orthant_score_segmentation(*state, labels, labels, 1, 2, &options, &s));
    expect_failure(*state, ORTHANT_ERROR_ARGUMENT, "0 x 2",
                   orthant_score_segmentation(*state, labels, labels, 0, 2, NULL, &s));
    expect_failure(*state, ORTHANT_ERROR_ARGUMENT, "pixels",
                   orthant_score_segmentation(*state, labels, labels, INT64_MAX / 2, 3, NULL, &s));
    expect_failure(*state, ORTHANT_ERROR_ARGUMENT, "NULL",
                   orthant_score_segmentation(*state, labels, NULL, 1, 2, NULL, &s));
}

/* Tiles of `side` pixels, shifted: the regions of two over-segmentations. */
static void tile(int32_t *labels, int64_t side, int64_t shift)
{
    for (int64_t y = 0; y < 512; y++)
        for (int64_t x = 0; x < 512; x++)
            labels[512 * y + x] = (int32_t)((y + shift) / side * 1024 + (x + shift) / side);
}

/* What bounds the time is ten times what it takes, so that a busy machine passes. */
static void test_a_picture_in_time(void **state)
{
    int32_t *found = malloc(sizeof *found * 512 * 512), *truth = malloc(sizeof *truth * 512 * 512);
    assert_true(found && truth);
    const struct {
        int64_t found, truth;
    } sides[] = {{170, 100}, {4, 170}, {4, 5}, {8, 7}, {1, 1}, {0, 0}};
    for (size_t i = 0; i < sizeof sides / sizeof *sides; i++) {
        if (sides[i].found > 0) {
            tile(found, sides[i].found, 2);
            tile(truth, sides[i].truth, 0);
        } else {
            /* Nothing in common, thousands of regions each. */
            for (int64_t j = 0; j < 512 * 512; j++) {
                found[j] = (int32_t)random_below(1, RANDOM_TEST, (uint64_t)j, 0, 3000);
                truth[j] = (int32_t)random_below(1, RANDOM_TEST, (uint64_t)j, 1, 3000);
            }
        }
        const clock_t start = clock();
        orthant_segmentation_scores s = {.size = sizeof s};
        expect_ok(*state, orthant_score_segmentation(*state, found, truth, 512, 512, NULL, &s));
        const double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
        printf("%6.0f found, %6.0f true regions: %.3f s\n", s.regions_found, s.regions_true,
               seconds);
        /* A step for each pair of regions would take minutes. */
        assert_true(seconds < 5.0);
        assert_true(fabs(s.ms - s.co + s.c_weighted / 2) < 1e-8);
    }
    free(found);
    free(truth);
}

static void *allocate(void *user, size_t size, size_t alignment)
{
    int *left = user; /* until one fails, and no other: each has to be looked at */
    return (*left)-- != 0 ? aligned_alloc(alignment, size) : NULL;
}

static void release(void *user, void *memory)
{
    (void)user;
    free(memory);
}

static void test_no_memory(void **state)
{
    (void)state;
    const int32_t truth[] = {0, 0, 1, 1, 2, 2}, found[] = {0, 0, 0, 1, 1, 1};
    const orthant_segmentation_options options = {.size = sizeof options, .components = true};
    orthant_status status = ORTHANT_ERROR_MEMORY;
    int n = 0;
    for (; n < 1000 && status != ORTHANT_OK; n++) {
        orthant_context *ctx = NULL;
        orthant_segmentation_scores s = {.size = sizeof s};
        int left = n;
        assert_int_equal(orthant_context_create(&ctx), ORTHANT_OK);
        expect_ok(ctx, orthant_context_set_allocator(ctx, allocate, release, &left));
        status = orthant_score_segmentation(ctx, found, truth, 2, 3, &options, &s);
        if (status != ORTHANT_OK) {
            assert_int_equal(status, ORTHANT_ERROR_MEMORY);
            assert_non_null(strstr(orthant_message(ctx), "out of memory"));
            assert_true(s.pixels == 0 && s.co == 0.0);
        }
        assert_int_equal(orthant_context_memory(ctx), 0);
        orthant_context_free(ctx);
    }
    assert_int_equal(status, ORTHANT_OK);
    assert_true(n > 20);
}

/* A program of an earlier header knows fewer criteria: it gets these, and nothing is written behind
 * them. */
static void test_shorter_struct(void **state)
{
    const int32_t labels[4] = {0, 0, 1, 1};
    orthant_segmentation_scores s = {.size = offsetof(orthant_segmentation_scores, os), .os = -7};
    expect_ok(*state, orthant_score_segmentation(*state, labels, labels, 2, 2, NULL, &s));
    assert_true(s.cs == 100 && s.os == -7);
    assert_true(orthant_criterion_value(&s, 0) == 100 && orthant_criterion_value(&s, 1) == 0);
    s.size = 0;
    expect_failure(*state, ORTHANT_ERROR_ARGUMENT, "size is 0",
                   orthant_score_segmentation(*state, labels, labels, 2, 2, NULL, &s));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        fixture_test(test_what_cannot_be_scored),
        fixture_test(test_a_picture_in_time),
        fixture_test(test_shorter_struct),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
