/* A survey of ranks with every allocation of its context made to fail in turn: an error, nothing
 * leaks. */
#include <stdlib.h>

#include "fixture.h"
#include "orthant/orthant.h"

/* Counts down to the allocation that fails. */
static long left;

static void *allocate(void *user, size_t size, size_t alignment)
{
    (void)user;
    return left-- > 0 ? aligned_alloc(alignment, size) : NULL;
}

static void release(void *user, void *memory)
{
    (void)user;
    free(memory);
}

static orthant_status do_all(orthant_context *ctx)
{
    static const char *const list[][2] = {
        {"rank", "2:3"}, {"repeats", "2"}, {"iterations", "3"}, {"method", "gnmf"}};
    double values[24 * 8];
    orthant_matrix *samples = NULL;
    orthant_ranks *survey = NULL;
    char *text = NULL, *table = NULL;
    for (int i = 0; i < 24 * 8; i++)
        values[i] = 1 + (i * 7) % 5 + (i % 8 == i / 8 % 3 ? 9 : 0);
    orthant_status status = orthant_matrix_create(ctx, 24, 8, values, &samples);
    if (!status)
        status = orthant_ranks_create(ctx, &survey);
    for (size_t i = 0; i < sizeof list / sizeof *list && !status; i++)
        status = orthant_ranks_set(survey, list[i][0], list[i][1]);
    if (!status)
        status = orthant_ranks_run(survey, "data", samples, NULL);
    if (!status)
        status = orthant_ranks_describe(survey, &text);
    if (!status)
        status = orthant_ranks_tables(survey, "md", &table);
    orthant_text_free(ctx, table);
    orthant_text_free(ctx, text);
    orthant_ranks_free(survey);
    orthant_matrix_free(samples);
    return status;
}

static void test_each_allocation(void **state)
{
    long failures = 0;
    (void)state;
    for (;; failures++) {
        orthant_context *ctx = NULL;
        assert_int_equal(orthant_context_create(&ctx), ORTHANT_OK);
        assert_int_equal(orthant_context_set_threads(ctx, 2), ORTHANT_OK);
        assert_int_equal(orthant_context_set_allocator(ctx, allocate, release, NULL), ORTHANT_OK);
        left = failures;
        const orthant_status status = do_all(ctx);
        const size_t held = orthant_context_memory(ctx);
        orthant_context_free(ctx);
        assert_int_equal(held, 0);
        if (!status)
            break;
        assert_int_equal(status, ORTHANT_ERROR_MEMORY);
        assert_true(failures < 100000);
    }
    /* It came to its end when none failed, so no failure went unseen. */
    assert_int_equal(left, 0);
    assert_true(failures > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_each_allocation)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
