/* Tasks: each once, with any number of threads, without memory, and after a fork. */
#include "expect.h"

#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

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
            work few = {.threads = 2};
            parallel_for_few(ctx, 2, counts[c], visit, &few);
            for (int64_t i = 0; i < 1000; i++)
                assert_int_equal(few.visits[i], i < counts[c]);
            assert_int_equal(atomic_load(&few.wrong_thread), 0);
        }
    }
    orthant_context_free(ctx);
}

static void *allocate_nothing(void *user, size_t size, size_t alignment)
{
    int *asked = user;
    (void)size;
    (void)alignment;
    ++*asked;
    return NULL;
}

/* The pool comes from the context's allocator; without one the caller does the work. */
static void test_no_memory_for_threads(void **state)
{
    (void)state;
    orthant_context *ctx = NULL;
    int asked = 0;
    work w = {.threads = 4};
    assert_int_equal(orthant_context_create(&ctx), ORTHANT_OK);
    assert_int_equal(orthant_context_set_threads(ctx, 4), ORTHANT_OK);
    expect_ok(ctx, orthant_context_set_allocator(ctx, allocate_nothing, NULL, &asked));
    parallel_for(ctx, 1000, visit, &w);
    for (int i = 0; i < 1000; i++)
        assert_int_equal(w.visits[i], 1);
    assert_int_equal(asked, 1);
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

static void add(void *user, int64_t index, int thread)
{
    (void)thread;
    atomic_fetch_add((atomic_llong *)user, index);
}

/* Thousands of rounds in a row, with pauses that let the threads fall asleep in between. */
static void test_many_rounds(void **state)
{
    (void)state;
    orthant_context *ctx = NULL;
    atomic_llong total = 0;
    assert_int_equal(orthant_context_create(&ctx), ORTHANT_OK);
    assert_int_equal(orthant_context_set_threads(ctx, 3), ORTHANT_OK);
    for (int i = 0; i < 3000; i++) {
        parallel_for(ctx, 7, add, &total);
        if (i % 500 == 0)
            usleep(2000);
    }
    assert_int_equal(atomic_load(&total), 3000 * 21);
    orthant_context_free(ctx);
}

/* A forked child has none of its parent's threads, and must make its own. */
static void test_fork(void **state)
{
    (void)state;
    orthant_context *ctx = NULL;
    atomic_llong total = 0;
    int status = 1;
    assert_int_equal(orthant_context_create(&ctx), ORTHANT_OK);
    assert_int_equal(orthant_context_set_threads(ctx, 2), ORTHANT_OK);
    parallel_for(ctx, 10, add, &total);
    const pid_t child = fork();
    if (child == 0) {
        parallel_for(ctx, 10, add, &total);
        _exit(atomic_load(&total) == 90 ? 0 : 2);
    }
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    orthant_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_task_once), cmocka_unit_test(test_wrong_numbers_of_threads),
        cmocka_unit_test(test_many_rounds), cmocka_unit_test(test_no_memory_for_threads),
        cmocka_unit_test(test_fork)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
