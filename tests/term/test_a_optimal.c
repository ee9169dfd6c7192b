/* The a-optimal term: the parts that it gives the engine are half its gradient, by finite
 * differences; and its weight keeps every column of the encodings alive. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "core/random.h"
#include "loss/losses.h"
#include "method/fit.h"
#include "solver/solvers.h"
#include "term/terms.h"

#include <cmocka.h>

#include "problem.h"

#define SAMPLES 13
#define RANK 4

typedef struct setting {
    test_problem p;
    orthant_model *model;
    orthant_matrix *basis, *encoding, *numerator, *denominator;
    term t;
    problem asked;
    sweep s;
} setting;

static void prepare(setting *x, const loss *l)
{
    problem_make(&x->p, (problem_shape){SAMPLES, 7, ORTHANT_DOUBLE, false, 3, 0});
    x->model = problem_model(&x->p, "anp", RANK, "1");
    assert_int_equal(orthant_model_set(x->model, "gamma", "0.3"), ORTHANT_OK);
    orthant_matrix **made[] = {&x->basis, &x->encoding, &x->numerator, &x->denominator};
    for (int i = 0; i < 4; i++)
        assert_int_equal(
            matrix_new_factor(x->p.ctx, ORTHANT_DOUBLE, i ? SAMPLES : 7, RANK, made[i]),
            ORTHANT_OK);
    for (int64_t i = 0; i < SAMPLES; i++)
        for (int64_t j = 0; j < RANK; j++)
            matrix_set_value(x->encoding, i * x->encoding->stride + j,
                             random_uniform(5, RANDOM_TEST, (uint64_t)i, (uint64_t)j));
    x->t = (term){.kind = &term_a_optimal, .ctx = x->p.ctx, .weight = 1, .gain = 1};
    const fit f = {.ctx = x->p.ctx, .model = x->model, .samples = x->p.X};
    x->asked = fit_problem(&f);
    x->asked.loss = l;
    x->asked.solver = &solver_mu;
    x->asked.terms = &x->t;
    x->asked.term_count = 1;
    assert_int_equal(term_a_optimal.setup(&x->t, &x->asked), ORTHANT_OK);
    assert_int_equal(sweep_setup(&x->s, &x->asked, x->basis, x->encoding), ORTHANT_OK);
}

static void clear(setting *x)
{
    term_a_optimal.release(&x->t);
    sweep_release(&x->s);
    orthant_matrix_free(x->basis);
    orthant_matrix_free(x->encoding);
    orthant_matrix_free(x->numerator);
    orthant_matrix_free(x->denominator);
    orthant_model_free(x->model);
    problem_free(&x->p);
}

static double value_at(setting *x, int64_t position, double entry)
{
    double value;
    matrix_set_value(x->encoding, position, entry);
    sweep_sums(&x->s);
    sweep_term_values(&x->s, &value);
    return value;
}

static void check_gradient(const loss *l)
{
    setting x = {0};
    prepare(&x, l);
    sweep_sums(&x.s);
    sweep_basis_changed(&x.s);
    term_a_optimal.encoding(&x.t, &x.s, (block){0, SAMPLES, 0}, matrix_array(x.numerator),
                            matrix_array(x.denominator));
    for (int64_t i = 0; i < SAMPLES; i++)
        for (int64_t j = 0; j < RANK; j++) {
            const int64_t at = i * x.encoding->stride + j;
            const double entry = matrix_value(x.encoding, at), change = 1e-5;
            const double slope =
                (value_at(&x, at, entry + change) - value_at(&x, at, entry - change)) /
                (2 * change);
            const double positive = matrix_value(x.denominator, at),
                         negative = matrix_value(x.numerator, at);
            matrix_set_value(x.encoding, at, entry);
            assert_true(positive >= 0 && negative >= 0);
            assert_true(fabs(2 * (positive - negative) - slope) <= 1e-7 * (1 + fabs(slope)));
        }
    clear(&x);
}

/* Encodings whose columns do not meet: the trace is a sum over the columns. */
static void test_value(void **state)
{
    setting x = {0};
    double expected = 0, found = 0;
    (void)state;
    prepare(&x, &loss_frobenius);
    for (int64_t j = 0; j < RANK; j++) {
        double squares = 0;
        for (int64_t i = 0; i < SAMPLES; i++) {
            const double entry = i % RANK == j ? 0.1 * (double)(i + 1) : 0;
            matrix_set_value(x.encoding, i * x.encoding->stride + j, entry);
            squares += entry * entry;
        }
        expected += 1 / (squares + 0.3);
    }
    sweep_sums(&x.s);
    sweep_term_values(&x.s, &found);
    assert_true(fabs(found / expected - 1) < 1e-12);
    clear(&x);
}

static void test_half_gradient(void **state)
{
    (void)state;
    check_gradient(&loss_frobenius);
    check_gradient(&loss_kl); /* where S'S is formed for the term alone */
}

/* Where the weight is far too large for the plain rule, the safeguard acts, and says so. */
static void test_safeguard_acts(void **state)
{
    (void)state;
    int64_t acted = 0;
    for (int i = 0; i < 8; i++) {
        test_problem p;
        problem_make(&p,
                     (problem_shape){20 + 5 * i, 12, ORTHANT_DOUBLE, i % 2, 40 + (uint64_t)i, 0});
        orthant_model *model = problem_model(&p, "anp", 5, "60");
        assert_int_equal(orthant_model_set(model, "optimality_weight", "1e4"), ORTHANT_OK);
        assert_int_equal(orthant_model_set(model, "gamma", i < 4 ? "1e-6" : "0.1"), ORTHANT_OK);
        orthant_result *result = problem_fit(&p, model);
        const int last = orthant_result_history_columns(result) - 1;
        assert_string_equal(orthant_result_history_column(result, last), "step");
        for (int64_t r = 1; r < orthant_result_history_rows(result); r++) {
            const double before = orthant_result_history(result, r - 1, 2),
                         now = orthant_result_history(result, r, 2);
            assert_true(now <= before * (1 + 1e-12));
            acted += orthant_result_history(result, r, last) < 1;
        }
        orthant_result_free(result);
        orthant_model_free(model);
        problem_free(&p);
    }
    assert_true(acted > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_value),
        cmocka_unit_test(test_half_gradient),
        cmocka_unit_test(test_safeguard_acts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
