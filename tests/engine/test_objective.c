/* The told objective is that of the factors as they are, by plain loops in double precision: at the
 * start, after some iterations, for every loss, term, storage, precision and number of columns. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "fixture.h"

#include "core/random.h"
#include "objective.h"
#include "problem.h"

#include <cmocka.h>

/* A factor model of the loss with one term, or none for -1. */
static orthant_model *model_of(const test_problem *p, bool kl, int term, int64_t rank,
                               const char *iterations)
{
    orthant_model *model = problem_model(p, kl ? "nmf-kl" : "nmf", rank, iterations);
    if (term >= 0)
        assert_int_equal(orthant_model_add_term(model, orthant_term_name(term), 0.5), ORTHANT_OK);
    return model;
}

static void check_told(const test_problem *p, orthant_model *model, double near)
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
 * whose sums are formed on the way. Sanitized, with every third term. */
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
            test_problem p;
            problem_make(&p, (problem_shape){shapes[shape].samples, shapes[shape].features,
                                             precision, form / 2 == 1, 11, 0.7});
            for (size_t r = 0; r < sizeof ranks / sizeof *ranks; r++)
                for (int term = -1; term < orthant_term_count(); term += SANITIZED ? 3 : 1)
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
        test_problem p;
        problem_make(&p, (problem_shape){90, 150, ORTHANT_DOUBLE, false, 11, 0.7});
        orthant_model *model = problem_model(&p, "cnmf", 5 + 4 * (i % 5), "0");
        assert_int_equal(orthant_model_set(model, "loss", kl ? "kl" : "frobenius"), ORTHANT_OK);
        check_told(&p, model, 1e-10);
        problem_free(&p);
    }
}

/* ------------------------------------------------------------------ nearly exact fits */

enum { SAMPLES = 150, FEATURES = 100, RANK = 5 };

/* What single precision has to tell apart: a small residual of large data. */
typedef enum kind {
    FLAT,       /* 100 and a little structure and noise */
    LOW_RANK,   /* five parts, nothing else */
    CLUSTERS,   /* five points, each with its samples close by */
    SPARSE_RANK /* five parts on features of their own */
} kind;

static double draw(int64_t i, int64_t j, int64_t salt)
{
    return random_uniform(17, RANDOM_TEST, (uint64_t)(i * 1000 + j), (uint64_t)salt);
}

static double entry(kind which, int64_t i, int64_t j)
{
    const int64_t part = j % RANK;
    double sum = 0;
    for (int64_t r = 0; r < RANK; r++)
        sum += draw(i, r, 1) * draw(j, r, 2);
    switch (which) {
    case FLAT: return 100 + 0.3 * sum + 0.1 * draw(i, j, 3);
    case LOW_RANK: return 100 * sum;
    case CLUSTERS: return 10 * draw(j, i % RANK, 2) + 0.01 * draw(i, j, 3);
    default: return draw(i, part, 4) < 0.5 ? 100 * draw(i, part, 1) * draw(j, part, 2) : 0;
    }
}

static void make_nearly_exact(test_problem *p, kind which, orthant_precision precision)
{
    static double values[SAMPLES * FEATURES], stored[SAMPLES * FEATURES];
    static int64_t start[SAMPLES + 1], column[SAMPLES * FEATURES];
    memset(p, 0, sizeof *p);
    for (int64_t i = 0; i < SAMPLES; i++) {
        start[i + 1] = start[i];
        for (int64_t j = 0; j < FEATURES; j++)
            if ((values[i * FEATURES + j] = entry(which, i, j)) != 0) {
                column[start[i + 1]] = j;
                stored[start[i + 1]++] = values[i * FEATURES + j];
            }
    }
    assert_int_equal(orthant_context_create(&p->ctx), ORTHANT_OK);
    orthant_context_set_precision(p->ctx, precision);
    assert_int_equal(
        which == SPARSE_RANK
            ? orthant_matrix_create_csr(p->ctx, SAMPLES, FEATURES, start, column, stored, &p->X)
            : orthant_matrix_create(p->ctx, SAMPLES, FEATURES, values, &p->X),
        ORTHANT_OK);
}

static bool says_limit(const orthant_result *result)
{
    for (int i = 0; i < orthant_result_note_count(result); i++)
        if (strstr(orthant_result_note(result, i), "at the limit of "))
            return true;
    return false;
}

/* Told to a thousandth, or said to be at the limit. */
static orthant_result *fit_nearly_exact(const test_problem *p, kind which, const char *method,
                                        const char *solver)
{
    orthant_model *model = problem_model(p, method, RANK, "300");
    assert_int_equal(orthant_model_set(model, "tolerance", "1e-5"), ORTHANT_OK);
    assert_int_equal(orthant_model_set(model, "solver", solver), ORTHANT_OK);
    orthant_result *result = problem_fit(p, model);
    const double told = orthant_result_objective(result),
                 plain = plain_objective(model, p->X, NULL, result);
    if (!(fabs(told - plain) <= 1e-3 * plain) && !says_limit(result))
        fail_msg("%s by %s of data %d: %.9g is told, %.9g is true", method, solver, which, told,
                 plain);
    if (says_limit(result))
        assert_false(orthant_result_converged(result));
    orthant_model_free(model);
    return result;
}

/* Single precision does not rise by more than rounding, and is called converged only near where
 * double ends. */
static void check_nearly_exact(kind which, const char *method, const char *solver)
{
    test_problem p[2];
    orthant_result *ends[2];
    for (int d = 0; d < 2; d++) {
        make_nearly_exact(&p[d], which, d ? ORTHANT_DOUBLE : ORTHANT_SINGLE);
        ends[d] = fit_nearly_exact(&p[d], which, method, solver);
    }
    const double end = orthant_result_objective(ends[0]),
                 in_double = orthant_result_objective(ends[1]);
    for (int64_t i = 1; i < orthant_result_history_rows(ends[0]) && !says_limit(ends[0]); i++)
        if (orthant_result_history(ends[0], i, 2) >
            1.0001 * orthant_result_history(ends[0], i - 1, 2))
            fail_msg("%s by %s of data %d rises in iteration %d", method, solver, which, (int)i);
    if (orthant_result_converged(ends[0]) && !(end <= 1.02 * in_double))
        fail_msg("%s by %s of data %d: converged at %g in single precision, at %g in double",
                 method, solver, which, end, in_double);
    for (int d = 0; d < 2; d++) {
        orthant_result_free(ends[d]);
        problem_free(&p[d]);
    }
}

static void test_nearly_exact_fits(void **state)
{
    (void)state;
    for (kind which = FLAT; which <= SPARSE_RANK; which++) {
        check_nearly_exact(which, "nmf", "mu");
        check_nearly_exact(which, "nmf", "hals");
        check_nearly_exact(which, "nlcf", "mu");
        check_nearly_exact(which, "nlcf", "hals");
        check_nearly_exact(which, "nmf-kl", "mu");
        check_nearly_exact(which, "nmf-kl", "newton");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_start_and_steps),
        cmocka_unit_test(test_start_of_merged_samples),
        cmocka_unit_test(test_nearly_exact_fits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
