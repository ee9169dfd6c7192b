/* Blocks: zeroed, aligned, counted, limited; sizes that overflow. */
#include "expect.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/memory.h"

static orthant_context *ctx;

static int make(void **state)
{
    (void)state;
    return orthant_context_create(&ctx) != ORTHANT_OK;
}

static int clear(void **state)
{
    (void)state;
    const size_t left = orthant_context_memory(ctx);
    orthant_context_free(ctx);
    return left != 0;
}

static void test_blocks_are_zeroed_aligned_and_counted(void **state)
{
    (void)state;
    unsigned char *block = memory_new(ctx, 100, 3, "a test");
    assert_non_null(block);
    assert_int_equal((uintptr_t)block % MEMORY_ALIGNMENT, 0);
    for (int i = 0; i < 300; i++)
        assert_int_equal(block[i], 0);
    const size_t held = orthant_context_memory(ctx);
    assert_true(held >= 300 && held <= 300 + 2 * MEMORY_ALIGNMENT);
    memory_free(ctx, block);
    assert_int_equal(orthant_context_memory(ctx), 0);
    assert_int_equal(orthant_context_peak_memory(ctx), held);
    orthant_context_reset_peak_memory(ctx);
    assert_int_equal(orthant_context_peak_memory(ctx), 0);
    memory_free(ctx, NULL);
}

static void test_nothing_is_a_valid_block(void **state)
{
    (void)state;
    void *block = memory_new(ctx, 0, 8, "nothing");
    assert_non_null(block);
    memory_free(ctx, block);
}

static void test_sizes_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    assert_null(memory_new(ctx, INT64_MAX, 16, "the moon"));
    assert_non_null(strstr(orthant_message(ctx), "the moon"));
    assert_null(memory_new(ctx, INT64_MAX, 1, "the sun"));
    assert_null(memory_new(ctx, -1, 1, "less than nothing"));
    assert_non_null(strstr(orthant_message(ctx), "less than nothing"));
    assert_int_equal(orthant_context_memory(ctx), 0);
}

static void test_the_limit_refuses_before_it_allocates(void **state)
{
    (void)state;
    assert_true(orthant_context_memory_limit(ctx) > 1 << 20);
    orthant_context_set_memory_limit(ctx, 1000);
    assert_int_equal(orthant_context_memory_limit(ctx), 1000);
    char *held = memory_new(ctx, 500, 1, "the first half");
    assert_non_null(held);
    const size_t taken = orthant_context_memory(ctx);
    assert_int_equal(memory_left(ctx), 1000 - taken);
    char expected[200];
    snprintf(expected, sizeof expected,
             "out of memory: 576 bytes for the second half; the memory limit is 1000 bytes, of "
             "which %zu are in use",
             taken);
    assert_null(memory_new(ctx, 500, 1, "the second half"));
    assert_string_equal(orthant_message(ctx), expected);
    assert_null(memory_resize(ctx, held, 900, 1, "more"));
    assert_int_equal(orthant_context_memory(ctx), taken);
    assert_int_equal(memory_check(ctx, 1000 - (int64_t)taken, "all of it"), ORTHANT_OK);
    assert_int_equal(memory_check(ctx, 1001 - (int64_t)taken, "all of it"), ORTHANT_ERROR_MEMORY);
    memory_free(ctx, held);
    held = memory_new(ctx, 1000 - 64 - 64, 1, "nearly all of it");
    assert_non_null(held);
    memory_free(ctx, held);
    orthant_context_set_memory_limit(ctx, 0);
    assert_true(orthant_context_memory_limit(ctx) > 1 << 20);
}

static void test_a_refusal_names_the_file(void **state)
{
    (void)state;
    assert_null(memory_new(ctx, INT64_MAX / 4, 1, "the moon"));
    assert_int_equal(memory_name_file(ctx, "moon.npy", ORTHANT_ERROR_MEMORY), ORTHANT_ERROR_MEMORY);
    assert_int_equal(strncmp(orthant_message(ctx), "moon.npy: out of memory: ", 25), 0);
    /* Once is enough, and other failures are left alone. */
    memory_name_file(ctx, "sun.npy", ORTHANT_ERROR_MEMORY);
    assert_int_equal(strncmp(orthant_message(ctx), "moon.npy: out of memory: ", 25), 0);
    memory_name_file(ctx, "sun.npy", ORTHANT_ERROR_DATA);
    assert_int_equal(strncmp(orthant_message(ctx), "moon.npy: out of memory: ", 25), 0);
}

static void test_resizing_keeps_contents(void **state)
{
    (void)state;
    int *numbers = memory_new(ctx, 4, sizeof *numbers, "numbers");
    for (int i = 0; i < 4; i++)
        numbers[i] = i + 1;
    numbers = memory_resize(ctx, numbers, 1000, sizeof *numbers, "numbers");
    assert_non_null(numbers);
    for (int i = 0; i < 1000; i++)
        assert_int_equal(numbers[i], i < 4 ? i + 1 : 0);
    numbers = memory_resize(ctx, numbers, 2, sizeof *numbers, "numbers");
    assert_int_equal(numbers[1], 2);
    assert_null(memory_resize(ctx, numbers, INT64_MAX, sizeof *numbers, "numbers"));
    assert_int_equal(numbers[0], 1);
    memory_free(ctx, numbers);
}

static void test_multiplication_is_checked(void **state)
{
    (void)state;
    int64_t product = 0;
    assert_true(size_multiply(INT64_C(3037000499), INT64_C(3037000499), &product));
    assert_true(product == INT64_C(9223372030926249001));
    assert_false(size_multiply(INT64_C(3037000500), INT64_C(3037000500), &product));
    assert_false(size_multiply(-1, 5, &product));
    assert_true(size_multiply(0, INT64_MAX, &product));
    assert_int_equal(product, 0);
}

static void *allocate_never(void *user, size_t size, size_t alignment)
{
    (void)size;
    (void)alignment;
    ++*(int *)user;
    return NULL;
}

static void release_never(void *user, void *memory)
{
    (void)user;
    (void)memory;
}

static void test_an_allocator_that_fails(void **state)
{
    (void)state;
    int calls = 0;
    assert_int_equal(orthant_context_set_allocator(ctx, allocate_never, release_never, &calls),
                     ORTHANT_OK);
    assert_null(memory_new(ctx, 10, 8, "a test"));
    assert_non_null(strstr(orthant_message(ctx), "out of memory: 80 bytes for a test"));
    assert_null(memory_text(ctx, "text"));
    assert_int_equal(calls, 2);
    assert_int_equal(orthant_context_set_allocator(ctx, NULL, NULL, NULL), ORTHANT_OK);
    void *block = memory_new(ctx, 1, 1, "a test");
    expect_failure(ctx, ORTHANT_ERROR_ARGUMENT, "before",
                   orthant_context_set_allocator(ctx, allocate_never, release_never, &calls));
    memory_free(ctx, block);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_blocks_are_zeroed_aligned_and_counted, make, clear),
        cmocka_unit_test_setup_teardown(test_nothing_is_a_valid_block, make, clear),
        cmocka_unit_test_setup_teardown(test_sizes_that_do_not_fit_are_refused, make, clear),
        cmocka_unit_test_setup_teardown(test_the_limit_refuses_before_it_allocates, make, clear),
        cmocka_unit_test_setup_teardown(test_a_refusal_names_the_file, make, clear),
        cmocka_unit_test_setup_teardown(test_resizing_keeps_contents, make, clear),
        cmocka_unit_test_setup_teardown(test_multiplication_is_checked, make, clear),
        cmocka_unit_test_setup_teardown(test_an_allocator_that_fails, make, clear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
