/* How many threads the program gave OpenBLAS does not decide the bits of any method that calls
 * LAPACK. */
#include "expect.h"
#include "problem.h"

extern int openblas_get_num_threads(void);
extern void openblas_set_num_threads(int threads);

typedef struct way {
    const char *method, *init; /* init: NULL where the method has none */
} way;

static orthant_result *fit_with(const test_problem *p, way w, int threads)
{
    orthant_model *model = problem_model(p, w.method, 24, "2");
    if (w.init)
        expect_ok(p->ctx, orthant_model_set(model, "init", w.init));
    openblas_set_num_threads(threads);
    orthant_result *result = problem_fit(p, model);
    assert_int_equal(openblas_get_num_threads(), threads);
    orthant_model_free(model);
    return result;
}

static void test_same_bits(void **state)
{
    static const way ways[] = {
        {"pca", NULL}, {"nsdr", NULL}, {"spectral", NULL}, {"anp", NULL}, {"nmf", "nndsvd"}};
    test_problem p;
    (void)state;
    problem_make(&p, (problem_shape){.samples = 900, .features = 300, .precision = ORTHANT_DOUBLE});
    openblas_set_num_threads(3);
    if (openblas_get_num_threads() == 3) /* not a build without threads */
        for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
            orthant_result *one = fit_with(&p, ways[i], 1), *three = fit_with(&p, ways[i], 3);
            if (!factors_identical(one, three))
                fail_msg("%s: three threads of OpenBLAS give other bits than one", ways[i].method);
            orthant_result_free(one);
            orthant_result_free(three);
        }
    problem_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_bits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
