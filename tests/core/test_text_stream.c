/* A page in memory: all that was written, or an error. */
#include "expect.h"

#include <stdlib.h>

#include "core/text_stream.h"

/* Counts down to the allocations that fail. */
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

static orthant_status write_lines(orthant_context *ctx, text_stream *stream)
{
    const orthant_status status = text_stream_open(ctx, stream);
    for (int i = 0; i < 20000 && !status; i++)
        fprintf(stream->file, "line %d\n", i);
    return status ? status : text_stream_close(stream);
}

static void test_holds_what_was_written(void **state)
{
    orthant_context *ctx = NULL;
    text_stream stream;
    char *at;
    (void)state;
    left = 1000;
    assert_int_equal(orthant_context_create(&ctx), ORTHANT_OK);
    expect_ok(ctx, write_lines(ctx, &stream));
    at = stream.text;
    for (int i = 0; i < 20000; i++) {
        char line[32];
        const int length = snprintf(line, sizeof line, "line %d\n", i);
        assert_memory_equal(at, line, (size_t)length);
        at += length;
    }
    assert_int_equal(at - stream.text, stream.length);
    text_stream_free(&stream);
    assert_int_equal(orthant_context_memory(ctx), 0);
    orthant_context_free(ctx);
}

static void test_every_allocation_may_fail(void **state)
{
    long failures = 0;
    orthant_status status = ORTHANT_ERROR_MEMORY;
    (void)state;
    for (; status; failures++) {
        orthant_context *ctx = NULL;
        text_stream stream;
        assert_int_equal(orthant_context_create(&ctx), ORTHANT_OK);
        expect_ok(ctx, orthant_context_set_allocator(ctx, allocate, release, NULL));
        left = failures;
        status = write_lines(ctx, &stream);
        if (status)
            expect_failure(ctx, ORTHANT_ERROR_MEMORY, "out of memory", status);
        text_stream_free(&stream);
        assert_int_equal(orthant_context_memory(ctx), 0);
        orthant_context_free(ctx);
    }
    assert_true(failures > 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_holds_what_was_written),
        cmocka_unit_test(test_every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
