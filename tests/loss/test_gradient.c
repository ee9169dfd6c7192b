/* Every loss of the table: its numerators and denominators are the parts of its value's gradient,
 * for both factors, by finite differences. */
#include <math.h>

#include "fixture.h"

#include "core/random.h"
#include "loss/losses.h"
#include "problem.h"
#include "solver/solvers.h"

enum { SAMPLES = 23, FEATURES = 9, RANK = 3 };

typedef struct setting {
    test_problem p;
    orthant_matrix *basis, *encoding, *N, *D;
    problem asked;
    sweep s;
} setting;

static void fill(orthant_matrix *a, uint64_t seed)
{
    for (int64_t i = 0; i < a->rows; i++)
        for (int64_t j = 0; j < a->columns; j++)
            matrix_set_value(a, i * a->stride + j,
                             0.2 + random_uniform(seed, RANDOM_TEST, (uint64_t)i, (uint64_t)j));
}

/* Every row of the table, and more values of its parameters. */
static const char *const more[] = {"beta:-1",   "beta:-0.5", "beta:0",  "beta:0.3", "beta:1",
                                   "beta:1.5",  "beta:1.7",  "beta:2",  "beta:2.5", "beta:3",
                                   "huber:0.2", "huber:0.7", "huber:50"};
enum { MORE = (int)(sizeof more / sizeof *more) };

static loss nth_loss(int index)
{
    loss made;
    if (index < loss_count())
        return *loss_at(index);
    assert_int_equal(loss_make(NULL, more[index - loss_count()], &made), ORTHANT_OK);
    return made;
}

static void prepare(setting *x, const loss *l)
{
    *x = (setting){0};
    problem_make(&x->p, (problem_shape){SAMPLES, FEATURES, ORTHANT_DOUBLE, false, 3, 0});
    if (l->positive)
        problem_fill(&x->p);
    orthant_matrix **made[] = {&x->basis, &x->encoding, &x->N, &x->D};
    for (int i = 0; i < 4; i++) {
        assert_int_equal(
            matrix_new_factor(x->p.ctx, ORTHANT_DOUBLE, i ? SAMPLES : FEATURES, RANK, made[i]),
            ORTHANT_OK);
        fill(*made[i], (uint64_t)i);
    }
    x->asked = (problem){
        .ctx = x->p.ctx, .samples = x->p.X, .rank = RANK, .loss = l, .solver = &solver_mu};
    assert_int_equal(sweep_setup(&x->s, &x->asked, x->basis, x->encoding), ORTHANT_OK);
    sweep_start(&x->s);
}

static void clear(setting *x)
{
    orthant_matrix *made[] = {x->basis, x->encoding, x->N, x->D};
    sweep_release(&x->s);
    for (int i = 0; i < 4; i++)
        orthant_matrix_free(made[i]);
    problem_free(&x->p);
}

static double value_at(setting *x, orthant_matrix *factor, int64_t at, double entry)
{
    matrix_set_value(factor, at, entry);
    sweep_start(&x->s);
    return x->asked.loss->value(&x->s);
}

/* The slope of the value is (2 / gain) (D - N). */
static void check_slopes(setting *x, orthant_matrix *factor, array N, array D)
{
    for (int64_t i = 0; i < N.rows; i++)
        for (int64_t j = 0; j < RANK; j++) {
            const int64_t at = i * factor->stride + j;
            const double entry = matrix_value(factor, at), change = 1e-5,
                         part = ((const double *)D.data)[i * D.stride + j] -
                                ((const double *)N.data)[i * N.stride + j],
                         slope = (value_at(x, factor, at, entry + change) -
                                  value_at(x, factor, at, entry - change)) /
                                 (2 * change);
            matrix_set_value(factor, at, entry);
            if (!(fabs(2 / x->asked.loss->gain * part - slope) <= 1e-7 * (1 + fabs(slope))))
                fail_msg("%s: entry (%d, %d): part %g, slope %g", x->asked.loss->name, (int)i,
                         (int)j, 2 / x->asked.loss->gain * part, slope);
        }
}

static void test_encodings(void **state)
{
    (void)state;
    for (int i = 0; i < loss_count() + MORE; i++) {
        const loss l = nth_loss(i);
        setting x;
        prepare(&x, &l);
        const block b = {0, 8, 0};
        const array N = array_rows(x.s.ops, matrix_array(x.N), 0, b.rows),
                    D = array_rows(x.s.ops, matrix_array(x.D), 0, b.rows);
        const strip all = {.data = x.p.X, .rows = SAMPLES};
        x.asked.loss->encoding(&x.s, all, b, sweep_rows(&x.s, x.s.factors.S, b), N, D);
        check_slopes(&x, x.encoding, N, D);
        clear(&x);
    }
}

static void test_basis(void **state)
{
    (void)state;
    for (int i = 0; i < loss_count() + MORE; i++) {
        const loss l = nth_loss(i);
        setting x;
        prepare(&x, &l);
        const block f = {0, FEATURES, 0};
        const array N = array_rows(x.s.ops, matrix_array(x.N), 0, f.rows),
                    D = array_rows(x.s.ops, matrix_array(x.D), 0, f.rows);
        x.s.ops->copy(N, sweep_rows(&x.s, x.s.sums.A, f));
        x.asked.loss->basis(&x.s, f, sweep_rows(&x.s, x.s.factors.W, f), D);
        check_slopes(&x, x.basis, N, D);
        clear(&x);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_encodings),
                                       cmocka_unit_test(test_basis)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
