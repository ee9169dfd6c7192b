/* What a fit takes at its peak. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include "core/memory.h"
#include "data/matrix.h"
#include "engine/fit.h"
#include "problem.h"

#include <cmocka.h>

/* What a fit takes above the data and the factors, as a part of these: less than a fifth. That
 * counts the graph which it builds, and the search for neighbours. */
static void check_peak_memory(problem_shape shape, int64_t rank)
{
    static const char *const methods[] = {"nmf",  "nmf-kl", "tnmf", "cdnmf", "cdnmf-kl",
                                          "nlcf", "nlcf-g", "gnmf", "sgnmf", "nnsc"};
    problem p;
    problem_make(&p, shape);
    orthant_context_set_threads(p.ctx, 2);
    const double factors =
        (double)((shape.samples + shape.features) * matrix_padded(shape.precision, rank)) *
        (double)precision_size(shape.precision);
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        const size_t data = orthant_context_memory(p.ctx);
        orthant_context_reset_peak_memory(p.ctx);
        orthant_model *model = problem_model(&p, methods[i], rank, "1");
        orthant_result *result = problem_fit(&p, model);
        orthant_model_free(model);
        const double whole = (double)data + factors;
        const double share = (double)orthant_context_peak_memory(p.ctx) / whole - 1;
        const bool graph = strstr(methods[i], "gnmf") || strstr(methods[i], "-g");
        assert_true(graph == (result->graph_bytes > 0));
        if (!(share < 0.2))
            fail_msg("%s takes %.1f %% above data and factors", methods[i], 100 * share);
        orthant_result_free(result);
    }
    problem_free(&p);
}

static void test_peak_memory(void **state)
{
    (void)state;
    check_peak_memory((problem_shape){3000, 300, ORTHANT_SINGLE, false, 5, 0.6}, 10);
    /* the sums X S would be as large as the basis, or nearly as large as the data */
    check_peak_memory((problem_shape){3000, 8000, ORTHANT_SINGLE, true, 5, 0.005}, 30);
    check_peak_memory((problem_shape){300, 3000, ORTHANT_SINGLE, false, 5, 0.6}, 60);
    /* the last encodings would be a sixth of the whole, and the graph a tenth */
    check_peak_memory((problem_shape){4000, 9000, ORTHANT_SINGLE, true, 5, 0.0052}, 30);
    /* blocks of the search would be a third */
    check_peak_memory((problem_shape){165, 1024, ORTHANT_SINGLE, false, 5, 0.6}, 15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_peak_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
