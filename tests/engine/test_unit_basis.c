/* A basis of unit columns: penalties on the encodings are penalties on |w_k| s_jk, the objective
 * does not rise, and where the scale of the start lies does not matter. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "fixture.h"
#include "objective.h"
#include "problem.h"

#include <cmocka.h>

#define RANK 4

static orthant_model *unit_model(const test_problem *p, const char *method, const char *solver,
                                 const char *iterations)
{
    orthant_model *model = problem_model(p, method, RANK, iterations);
    assert_int_equal(orthant_model_set(model, "normalise", "basis"), ORTHANT_OK);
    assert_int_equal(orthant_model_set(model, "solver", solver), ORTHANT_OK);
    return model;
}

static void check_unit_columns(const orthant_result *result)
{
    const orthant_matrix *W = orthant_result_factor(result, "basis");
    for (int64_t k = 0; k < RANK; k++) {
        double squares = 0;
        for (int64_t j = 0; j < orthant_matrix_rows(W); j++)
            squares += pow(orthant_matrix_get(W, j, k), 2);
        assert_true(squares == 0 || fabs(squares - 1) < 1e-9); /* or a dead column */
    }
}

static void check_descent(const char *name, const orthant_result *result)
{
    const double first = orthant_result_history(result, 0, 2);
    for (int64_t i = 1; i < orthant_result_history_rows(result); i++) {
        const double before = orthant_result_history(result, i - 1, 2),
                     now = orthant_result_history(result, i, 2);
        if (!(now <= before + 1e-11 * first))
            fail_msg("%s: from %.17g to %.17g in iteration %d", name, before, now, (int)i);
    }
}

/* ------------------------------------------------------------------ descent */

typedef struct penalty {
    const char *term;
    double weight;
} penalty;

static const penalty penalties[] = {{"topographic", 1}, {"class", 1},  {"sparsity", 1},
                                    {"ridge", 1},       {"smooth", 1}, {"orthogonal", 0.5}};

static void check_fit(const test_problem *p, penalty with, const char *method, const char *solver)
{
    orthant_model *model = unit_model(p, method, solver, "120");
    expect_ok(p->ctx, orthant_model_add_term(model, with.term, with.weight));
    orthant_result *result = problem_fit(p, model);
    check_descent(with.term, result);
    check_unit_columns(result);
    const double plain = plain_objective(model, p->X, p->labels, result);
    assert_true(fabs(orthant_result_objective(result) / plain - 1) < 1e-9);
    orthant_result_free(result);
    orthant_model_free(model);
}

/* The multiplicative rule and coordinate descent, and the divergence with its safeguard. */
static void test_every_penalty_descends(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= (SANITIZED ? 2 : 8); seed++) {
        test_problem p;
        problem_make(&p, (problem_shape){50, 30, ORTHANT_DOUBLE, seed % 2 == 1, seed, 0.7});
        for (size_t i = 0; i < sizeof penalties / sizeof *penalties; i++)
            for (double scale = 0.01; scale < 200; scale *= 100) {
                const penalty with = {penalties[i].term, penalties[i].weight * scale};
                check_fit(&p, with, "nmf", "mu");
                check_fit(&p, with, "nmf", "hals");
                check_fit(&p, with, "nmf-kl", "mu");
            }
        problem_free(&p);
    }
}

/* The rule leads to a stationary point of the objective over unit columns. */
static void test_ends_are_stationary(void **state)
{
    static const char *const methods[] = {"tnmf+", "cdnmf+"};
    (void)state;
    for (int i = 0; i < 2; i++) {
        test_problem p;
        problem_make(&p, (problem_shape){50, 30, ORTHANT_DOUBLE, false, 3, 0.9});
        orthant_model *model = unit_model(&p, methods[i], "hals", SANITIZED ? "2000" : "20000");
        orthant_result *result = problem_fit(&p, model);
        const double left = orthant_result_projected_gradient(result);
        if (!(left < 1e-4))
            fail_msg("%s: %g is left of the gradient", methods[i], left);
        orthant_result_free(result);
        orthant_model_free(model);
        problem_free(&p);
    }
}

/* ------------------------------------------------------------------ the scale of the start */

/* Columns of W times 4^k, those of S over it. */
static orthant_matrix *start_of(orthant_context *ctx, int64_t rows, bool basis, bool scaled)
{
    orthant_matrix *start = NULL;
    double values[64 * RANK];
    for (int64_t i = 0; i < rows; i++)
        for (int k = 0; k < RANK; k++)
            values[i * RANK + k] = (1.1 + sin((double)(7 * i + 3 * k + basis))) *
                                   (scaled ? pow(4, basis ? k : -k) : 1);
    assert_int_equal(orthant_matrix_create(ctx, rows, RANK, values, &start), ORTHANT_OK);
    return start;
}

/* The largest difference of the objectives, beside the first one. */
static double difference(const char *method, const char *normalise)
{
    test_problem p;
    orthant_result *result[2];
    double largest = 0;
    problem_make(&p, (problem_shape){50, 30, ORTHANT_DOUBLE, false, 5, 0.8});
    for (int scaled = 0; scaled < 2; scaled++) {
        orthant_model *model = problem_model(&p, method, RANK, "50");
        orthant_matrix *W = start_of(p.ctx, 30, true, scaled),
                       *S = start_of(p.ctx, 50, false, scaled);
        expect_ok(p.ctx, orthant_model_set(model, "normalise", normalise));
        expect_ok(p.ctx, orthant_model_set_start(model, "basis", W));
        expect_ok(p.ctx, orthant_model_set_start(model, "encoding", S));
        result[scaled] = problem_fit(&p, model);
        orthant_model_free(model);
        orthant_matrix_free(W);
        orthant_matrix_free(S);
    }
    for (int64_t i = 0; i < orthant_result_history_rows(result[0]); i++)
        largest = fmax(largest, fabs(orthant_result_history(result[0], i, 2) -
                                     orthant_result_history(result[1], i, 2)));
    largest /= orthant_result_history(result[0], 0, 2);
    orthant_result_free(result[0]);
    orthant_result_free(result[1]);
    problem_free(&p);
    return largest;
}

static void test_no_scale_drifts(void **state)
{
    static const char *const methods[] = {"tnmf+", "cdnmf+", "cdnmf-kl+"};
    (void)state;
    for (int i = 0; i < 3; i++) {
        assert_true(difference(methods[i], "basis") < 1e-10);
        assert_true(difference(methods[i], "none") > 1e-4); /* as the papers' */
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_penalty_descends),
        cmocka_unit_test(test_ends_are_stationary),
        cmocka_unit_test(test_no_scale_drifts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
