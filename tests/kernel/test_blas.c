/* Who is inside the BLAS has it to one thread, and the program has its number back after the last.
 */
#include "expect.h"

#include <pthread.h>

#include "kernel/blas.h"

extern int openblas_get_num_threads(void);
extern void openblas_set_num_threads(int threads);

static void test_one_thread_inside(void **state)
{
    (void)state;
    for (int before = 1; before <= 3; before++) {
        openblas_set_num_threads(before);
        if (openblas_get_num_threads() != before)
            skip(); /* a build without threads */
        blas_enter();
        assert_int_equal(openblas_get_num_threads(), 1);
        blas_enter();
        blas_leave();
        assert_int_equal(openblas_get_num_threads(), 1);
        blas_leave();
        assert_int_equal(openblas_get_num_threads(), before);
    }
}

/* Others come and go while this one is inside. */
static void *come_and_go(void *user)
{
    int *wrong = user;
    for (int i = 0; i < 2000; i++) {
        blas_enter();
        *wrong += openblas_get_num_threads() != 1;
        blas_leave();
    }
    return NULL;
}

static void test_from_several_threads(void **state)
{
    enum { THREADS = 4 };
    pthread_t threads[THREADS];
    int wrong[THREADS] = {0};
    (void)state;
    openblas_set_num_threads(2);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, come_and_go, &wrong[i]), 0);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(wrong[i], 0);
    openblas_set_num_threads(2);
    blas_end_threads();
    assert_int_equal(openblas_get_num_threads(), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_one_thread_inside),
                                       cmocka_unit_test(test_from_several_threads)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
