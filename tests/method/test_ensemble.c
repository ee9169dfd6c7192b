/* Labels that several starts agree on. */
#include "expect.h"

#include "method/starts.h"
#include "problem.h"

enum { STARTS = 6, RANK = 3, SAMPLES = 60 };

/* The labels of one start by itself. */
static orthant_labels *labels_of_start(const test_problem *p, orthant_model *model,
                                       const char *rule, int64_t start)
{
    orthant_labels *labels = NULL;
    expect_ok(p->ctx, start_set_seed(model, 7, start));
    orthant_result *one = problem_fit(p, model);
    expect_ok(p->ctx, orthant_result_labels(one, rule, RANK, 4, start_seed(7, start), &labels));
    orthant_result_free(one);
    expect_ok(p->ctx, start_set_seed(model, 7, 0));
    return labels;
}

/* Samples that every start puts together are together, and the kept fit is the best of all. */
static void check_method(const char *method, const char *rule, const char *each)
{
    test_problem p;
    orthant_result *best = NULL, *kept = NULL;
    orthant_labels *found = NULL, *again = NULL, *start[STARTS];
    problem_make(&p, (problem_shape){SAMPLES, 12, ORTHANT_DOUBLE, false, 3, 0});
    orthant_model *model = problem_model(&p, method, RANK, "5");
    expect_ok(p.ctx, orthant_model_set(model, "seed", "7"));
    for (int r = 0; r < STARTS; r++)
        start[r] = labels_of_start(&p, model, each, r);
    expect_ok(p.ctx, orthant_fit_starts(model, p.X, STARTS, &best));
    expect_ok(p.ctx, orthant_fit_ensemble(model, p.X, STARTS, rule, RANK, 4, &kept));
    assert_true(factors_identical(best, kept));
    assert_int_equal(orthant_result_start_count(kept), STARTS);
    expect_ok(p.ctx, orthant_result_labels(kept, rule, RANK, 5, 1, &found));
    expect_ok(p.ctx, orthant_result_labels(kept, rule, RANK, 5, 1, &again));
    assert_int_equal(orthant_labels_count(found), SAMPLES);
    const int64_t *label = orthant_labels_values(found);
    for (int64_t i = 0; i < SAMPLES; i++) {
        assert_true(label[i] >= 0 && label[i] < RANK);
        assert_int_equal(label[i], orthant_labels_values(again)[i]);
        for (int64_t j = 0; j < i; j++) {
            bool together = true;
            for (int r = 0; r < STARTS; r++)
                together &=
                    orthant_labels_values(start[r])[i] == orthant_labels_values(start[r])[j];
            assert_true(!together || label[i] == label[j]);
        }
    }
    for (int r = 0; r < STARTS; r++)
        orthant_labels_free(start[r]);
    orthant_labels_free(found);
    orthant_labels_free(again);
    orthant_result_free(best);
    orthant_result_free(kept);
    orthant_model_free(model);
    problem_free(&p);
}

static void test_methods(void **state)
{
    (void)state;
    check_method("nmf", "consensus", NULL);
    check_method("nmf", "consensus-argmax:encoding", "argmax:encoding");
    check_method("nlcf", "consensus", NULL);
    check_method("kmeans", "consensus", NULL);
    check_method("grpnmf", "consensus", NULL);
    check_method("snmf", "consensus-kmeans-unit:encoding", "kmeans-unit:encoding");
    check_method("rmnd", "consensus-kmeans:relation", "kmeans:relation");
    check_method("cf", "consensus", NULL);
}

static void test_refused(void **state)
{
    test_problem p;
    orthant_result *result = NULL;
    orthant_labels *labels = NULL;
    (void)state;
    problem_make(&p, (problem_shape){20, 10, ORTHANT_DOUBLE, false, 3, 0});
    orthant_model *model = problem_model(&p, "nmf", RANK, "5");
    expect_failure(p.ctx, ORTHANT_ERROR_ARGUMENT, "1 starts: expected 2",
                   orthant_fit_ensemble(model, p.X, 1, NULL, RANK, 4, &result));
    expect_failure(p.ctx, ORTHANT_ERROR_ARGUMENT, "no rule 'dice'",
                   orthant_fit_ensemble(model, p.X, 3, "consensus-dice", RANK, 4, &result));
    assert_null(result);
    expect_ok(p.ctx, orthant_fit_starts(model, p.X, 3, &result));
    expect_failure(p.ctx, ORTHANT_ERROR_ARGUMENT, "takes those of several starts",
                   orthant_result_labels(result, "consensus", RANK, 4, 1, &labels));
    assert_null(labels);
    orthant_result_free(result);
    orthant_model_free(model);
    problem_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_methods),
                                       cmocka_unit_test(test_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
