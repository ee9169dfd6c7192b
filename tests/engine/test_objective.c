/* The told objective is that of the factors as they are, by plain loops in double precision: at the
 * start, after some iterations, for every loss, term, storage, precision and number of columns. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "objective.h"
#include "problem.h"

#include <cmocka.h>

/* A factor model of the loss with one term, or none for -1. */
static orthant_model *model_of(const problem *p, bool kl, int term, int64_t rank,
                               const char *iterations)
{
    orthant_model *model = problem_model(p, kl ? "nmf-kl" : "nmf", rank, iterations);
    if (term >= 0)
        assert_int_equal(orthant_model_add_term(model, orthant_term_name(term), 0.5), ORTHANT_OK);
    return model;
}

static void check_told(const problem *p, orthant_model *model, double near)
{
    orthant_result *result = problem_fit(p, model);
    const double told = orthant_result_objective(result),
                 plain = plain_objective(model, p->X, p->labels, result);
    if (!(fabs(told - plain) <= near * plain))
        fail_msg("%lld x %lld, rank %lld, %s%s%s: %.12g is told, %.12g is true",
                 (long long)orthant_matrix_rows(p->X), (long long)orthant_matrix_columns(p->X),
                 (long long)orthant_model_rank(model), orthant_model_method(model),
                 orthant_model_term_count(model) ? " with " : "",
                 orthant_model_term_count(model) ? orthant_model_term(model, 0) : "", told, plain);
    orthant_result_free(result);
    orthant_model_free(model);
}

/* Ranks that leave columns over in vectors of every width, of data whose sums are kept and of data
 * whose sums are formed on the way. */
static void test_start_and_steps(void **state)
{
    static const int64_t ranks[] = {1, 4, 5, 9, 14, 24};
    static const struct {
        int64_t samples, features;
    } shapes[] = {{60, 150}, {150, 40}};
    (void)state;
    for (size_t shape = 0; shape < 2; shape++)
        for (int form = 0; form < 4; form++) {
            const orthant_precision precision = form % 2 ? ORTHANT_SINGLE : ORTHANT_DOUBLE;
            problem p;
            problem_make(&p, (problem_shape){shapes[shape].samples, shapes[shape].features,
                                             precision, form / 2 == 1, 11, 0.7});
            for (size_t r = 0; r < sizeof ranks / sizeof *ranks; r++)
                for (int term = -1; term < orthant_term_count(); term++)
                    for (int kl = 0; kl < 2; kl++) {
                        const double near = form % 2 ? 2e-5 : 1e-10;
                        if (ranks[r] < 4 && term >= 0)
                            continue; /* four classes */
                        check_told(&p, model_of(&p, kl, term, ranks[r], "0"), near);
                        check_told(&p, model_of(&p, kl, term, ranks[r], "3"), near);
                    }
            problem_free(&p);
        }
}

/* Sums of classes stand for their samples: the first objective of cnmf is that of the factors. */
static void test_start_of_merged_samples(void **state)
{
    (void)state;
    for (int i = 0; i < 10; i++) {
        const bool kl = i >= 5;
        problem p;
        problem_make(&p, (problem_shape){90, 150, ORTHANT_DOUBLE, false, 11, 0.7});
        orthant_model *model = problem_model(&p, "cnmf", 5 + 4 * (i % 5), "0");
        assert_int_equal(orthant_model_set(model, "loss", kl ? "kl" : "frobenius"), ORTHANT_OK);
        check_told(&p, model, 1e-10);
        problem_free(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_start_and_steps),
        cmocka_unit_test(test_start_of_merged_samples),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
