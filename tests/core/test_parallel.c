#include "expect.h"

#include <stdatomic.h>

#include "core/parallel.h"

typedef struct work {
    int visits[1000];
    int threads;
    atomic_int wrong_thread;
} work;

static void visit(void *user, int64_t index, int thread)
{
    work *w = user;
    w->visits[index]++;
    if (thread < 0 || thread >= w->threads)
        atomic_fetch_add(&w->wrong_thread, 1);
}

static void test_every_task_once(void **state)
{
    (void)state;
    orthant_context *ctx = NULL;
    assert_int_equal(orthant_context_create(&ctx), ORTHANT_OK);
    for (int threads = 0; threads <= 5; threads++) {
        assert_int_equal(orthant_context_set_threads(ctx, threads), ORTHANT_OK);
        assert_true(orthant_context_threads(ctx) >= 1);
        if (threads > 0)
            assert_int_equal(orthant_context_threads(ctx), threads);
        static const int64_t counts[] = {0, 1, 2, 3, 1000};
        for (size_t c = 0; c < 5; c++) {
            work w = {.threads = parallel_threads(ctx)};
            parallel_for(ctx, counts[c], visit, &w);
            for (int64_t i = 0; i < 1000; i++)
                assert_int_equal(w.visits[i], i < counts[c]);
            assert_int_equal(atomic_load(&w.wrong_thread), 0);
        }
    }
    orthant_context_free(ctx);
}

static void test_wrong_numbers_of_threads(void **state)
{
    (void)state;
    orthant_context *ctx = NULL;
    assert_int_equal(orthant_context_create(&ctx), ORTHANT_OK);
    expect_failure(ctx, ORTHANT_ERROR_ARGUMENT, "threads = -1",
                   orthant_context_set_threads(ctx, -1));
    expect_failure(ctx, ORTHANT_ERROR_ARGUMENT, "1024", orthant_context_set_threads(ctx, 1025));
    orthant_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_task_once),
                                       cmocka_unit_test(test_wrong_numbers_of_threads)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
