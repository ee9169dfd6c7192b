/* An entrywise loss that is written as a rule: numerators, denominators, sums and value by plain
 * loops, in both precisions. The rules are made up here: Itakura and Saito's divergence, and the
 * Kullback-Leibler divergence, whose iterates are those of the built-in one. */
#include <math.h>
#include <stdlib.h>

#include "fixture.h"

#include "core/random.h"
#include "loss/entrywise.h"
#include "problem.h"
#include "solver/solvers.h"

static inline double itakura_p(double own, double x, double y)
{
    (void)own;
    return x / (y * y);
}

static inline double itakura_q(double own, double x, double y)
{
    (void)own;
    (void)x;
    return 1 / y;
}

static inline double itakura_value(double own, double x, double y)
{
    (void)own;
    return x / y - log(x / y) - 1;
}

ENTRYWISE_RULES(itakura, itakura_p, itakura_q, itakura_value)

static inline double divergence_p(double own, double x, double y)
{
    (void)own;
    return x / y;
}

static inline double divergence_q(double own, double x, double y)
{
    (void)own;
    (void)x;
    (void)y;
    return 1;
}

static inline double divergence_value(double own, double x, double y)
{
    (void)own;
    return (x > 0 ? x * log(x / y) : 0) - x + y;
}

ENTRYWISE_RULES(divergence, divergence_p, divergence_q, divergence_value)

static const loss itakura = {
    .name = "itakura", .exponent = 0.5, .gain = 2, .rule = itakura_rule, ENTRYWISE_FUNCTIONS};
static const loss divergence = {.name = "divergence",
                                .exponent = 1,
                                .degree = 1,
                                .gain = 2,
                                .rule = divergence_rule,
                                ENTRYWISE_FUNCTIONS};

typedef struct rule_case {
    const loss *loss;
    double (*p)(double own, double x, double y), (*q)(double own, double x, double y),
        (*value)(double own, double x, double y);
} rule_case;

static const rule_case rules[] = {
    {&itakura, itakura_p, itakura_q, itakura_value},
    {&divergence, divergence_p, divergence_q, divergence_value},
};

/* ------------------------------------------------------------------ a problem */

typedef struct setting {
    test_problem p;
    orthant_matrix *basis, *encoding;
    orthant_matrix *numerator, *denominator; /* of the encodings */
    problem asked;
    sweep s;
} setting;

typedef struct rule_shape {
    int64_t samples, features, rank;
} rule_shape;

/* One block and many; ranks that the kernels treat as narrow and that they do not. */
static const rule_shape shapes[] = {{1, 1, 1}, {13, 7, 3}, {150, 70, 8}, {150, 133, 37}};
#define COUNT(table) ((int)(sizeof(table) / sizeof *(table)))

static double at(const orthant_matrix *a, int64_t row, int64_t column)
{
    return orthant_matrix_get(a, row, column);
}

static void draw(orthant_matrix *a, uint64_t seed)
{
    for (int64_t i = 0; i < a->rows; i++)
        for (int64_t j = 0; j < a->columns; j++)
            matrix_set_value(a, i * a->stride + j,
                             0.1 + random_uniform(seed, RANDOM_TEST, (uint64_t)i, (uint64_t)j));
}

/* Itakura and Saito's value has no zeros: entries from 0.1 on in their place. */
static void prepare_as(setting *x, const loss *l, rule_shape shape, orthant_precision precision,
                       int threads, bool sparse)
{
    *x = (setting){0};
    problem_make(&x->p, (problem_shape){shape.samples, shape.features, precision, sparse, 3, 0});
    orthant_context *ctx = x->p.ctx;
    if (l == &itakura)
        draw(x->p.X, 9);
    expect_ok(ctx, orthant_context_set_threads(ctx, threads));
    orthant_matrix **made[] = {&x->basis, &x->encoding, &x->numerator, &x->denominator};
    for (int i = 0; i < COUNT(made); i++)
        expect_ok(ctx, matrix_new_factor(ctx, precision, i ? shape.samples : shape.features,
                                         shape.rank, made[i]));
    draw(x->basis, 4);
    draw(x->encoding, 5);
    x->asked = (problem){
        .ctx = ctx, .samples = x->p.X, .rank = shape.rank, .loss = l, .solver = &solver_mu};
    expect_ok(ctx, sweep_setup(&x->s, &x->asked, x->basis, x->encoding));
    sweep_start(&x->s);
}

static void prepare(setting *x, const loss *l, rule_shape shape, orthant_precision precision,
                    int threads)
{
    prepare_as(x, l, shape, precision, threads, false);
}

static void prepare_csr(setting *x, const loss *l, rule_shape shape)
{
    prepare_as(x, l, shape, ORTHANT_DOUBLE, 1, true);
}

static void clear(setting *x)
{
    sweep_release(&x->s);
    orthant_matrix_free(x->basis);
    orthant_matrix_free(x->encoding);
    orthant_matrix_free(x->numerator);
    orthant_matrix_free(x->denominator);
    problem_free(&x->p);
}

static double fitted(const setting *x, int64_t sample, int64_t feature)
{
    double y = 0;
    for (int64_t k = 0; k < x->basis->columns; k++)
        y += at(x->encoding, sample, k) * at(x->basis, feature, k);
    return y;
}

static double tolerance(const setting *x)
{
    return x->basis->precision == ORTHANT_DOUBLE ? 1e-11 : 1e-4;
}

/* ------------------------------------------------------------------ against plain loops */

/* Of a factor's row: sums over the other's rows of weight times entry. */
static void check_row(const setting *x, const rule_case *c, bool basis, int64_t row, int64_t column,
                      double numerator, double denominator)
{
    const orthant_matrix *other = basis ? x->encoding : x->basis;
    double first = 0, second = 0;
    for (int64_t i = 0; i < other->rows; i++) {
        const int64_t sample = basis ? i : row, feature = basis ? row : i;
        const double entry = at(x->p.X, sample, feature), y = fitted(x, sample, feature);
        first += c->p(c->loss->parameter, entry, y) * at(other, i, column);
        second += c->q(c->loss->parameter, entry, y) * at(other, i, column);
    }
    if (!(fabs(numerator - first) <= tolerance(x) * first &&
          fabs(denominator - second) <= tolerance(x) * second))
        fail_msg("%s, rank %d, %s (%d, %d): %.9g and %.9g, by plain loops %.9g and %.9g",
                 c->loss->name, (int)x->basis->columns, basis ? "basis" : "encoding", (int)row,
                 (int)column, numerator, denominator, first, second);
}

static double encode(const sweep *s, void *user, strip x, block b)
{
    const setting *own = user;
    s->problem->loss->encoding(s, x, b, sweep_rows(s, s->factors.S, b),
                               sweep_rows(s, matrix_array(own->numerator), b),
                               sweep_rows(s, matrix_array(own->denominator), b));
    return 0;
}

static void check_encoding(setting *x, const rule_case *c)
{
    sweep_over_samples(&x->s, encode, x);
    for (int64_t i = 0; i < x->encoding->rows; i += 1 + i % 3)
        for (int64_t k = 0; k < x->encoding->columns; k++)
            check_row(x, c, false, i, k, at(x->numerator, i, k), at(x->denominator, i, k));
}

static void basis_block(void *user, block f)
{
    const setting *x = user;
    const rule_case *c = x->s.problem->loss == &itakura ? &rules[0] : &rules[1];
    const sweep *s = &x->s;
    const array D = sweep_array(s, f, SCRATCH_DENOMINATOR);
    double first, second;
    s->problem->loss->basis(s, f, sweep_rows(s, s->factors.W, f), D);
    for (int64_t i = 0; i < f.rows; i++)
        for (int64_t k = 0; k < D.columns; k++) {
            const array row = array_rows(s->ops, s->sums.A, f.first + i, 1);
            s->ops->get_values(array_columns(s->ops, row, k, 1), &first);
            s->ops->get_values(array_columns(s->ops, array_rows(s->ops, D, i, 1), k, 1), &second);
            check_row(x, c, true, f.first + i, k, first, second);
        }
}

static double rows_value(const sweep *s, void *user, strip x, block b)
{
    (void)user;
    return s->problem->loss->rows_value(s, x, b);
}

static void check_value(setting *x, const rule_case *c)
{
    double expected = 0;
    for (int64_t i = 0; i < x->p.X->rows; i++)
        for (int64_t j = 0; j < x->p.X->columns; j++)
            expected += c->value(c->loss->parameter, at(x->p.X, i, j), fitted(x, i, j));
    const double found = c->loss->value(&x->s), rows = sweep_over_samples(&x->s, rows_value, NULL);
    if (!(fabs(found - expected) <= tolerance(x) * expected &&
          fabs(rows - expected) <= tolerance(x) * expected))
        fail_msg("%s, rank %d: %.9g from the sums, %.9g from blocks, by plain loops %.9g",
                 c->loss->name, (int)x->basis->columns, found, rows, expected);
}

static void test_plain_loops(void **state)
{
    (void)state;
    for (int r = 0; r < COUNT(rules); r++)
        for (int i = 0; i < COUNT(shapes); i++)
            for (int single = 0; single < 2; single++) {
                setting x;
                prepare(&x, rules[r].loss, shapes[i], single ? ORTHANT_SINGLE : ORTHANT_DOUBLE, 1);
                check_encoding(&x, &rules[r]);
                sweep_over_features(&x.s, basis_block, &x);
                check_value(&x, &rules[r]);
                clear(&x);
            }
}

/* ------------------------------------------------------------------ iterations */

static void iterate(setting *x, int iterations)
{
    for (int i = 1; i <= iterations; i++)
        sweep_run(&x->s, &(sweep_step){&solver_mu, i, 1, 0});
}

/* The rule with all its weights, and the quotient with sums of columns. */
static void test_same_as_the_built_in(void **state)
{
    (void)state;
    for (int i = 1; i < COUNT(shapes); i++) {
        setting rule, own;
        prepare(&rule, &divergence, shapes[i], ORTHANT_DOUBLE, 1);
        prepare(&own, &loss_kl, shapes[i], ORTHANT_DOUBLE, 1);
        iterate(&rule, 20);
        iterate(&own, 20);
        assert_true(factor_difference(rule.basis, own.basis) < 1e-11);
        assert_true(factor_difference(rule.encoding, own.encoding) < 1e-11);
        const double found = divergence.value(&rule.s), expected = loss_kl.value(&own.s);
        assert_true(fabs(found - expected) <= 1e-11 * expected);
        clear(&rule);
        clear(&own);
    }
}

static void test_descent(void **state)
{
    (void)state;
    for (int i = 1; i < COUNT(shapes); i++) {
        setting x;
        prepare(&x, &itakura, shapes[i], ORTHANT_DOUBLE, 1);
        double before = itakura.value(&x.s);
        const double first = before;
        for (int step = 0; step < 20; step++) {
            iterate(&x, 1);
            const double now = itakura.value(&x.s);
            if (!(now <= before))
                fail_msg("rank %d: step %d rose from %.17g to %.17g", (int)shapes[i].rank, step,
                         before, now);
            before = now;
        }
        assert_true(before < 0.9 * first);
        clear(&x);
    }
}

static void test_threads(void **state)
{
    const rule_shape shape = {150, 1700, 5};
    (void)state;
    for (int single = 0; single < 2; single++) {
        const orthant_precision precision = single ? ORTHANT_SINGLE : ORTHANT_DOUBLE;
        setting alone, shared;
        prepare(&alone, &itakura, shape, precision, 1);
        prepare(&shared, &itakura, shape, precision, 3);
        assert_int_equal(shared.s.plan.strips.threads, 3);
        iterate(&alone, 3);
        iterate(&shared, 3);
        assert_true(factor_difference(alone.basis, shared.basis) == 0);
        assert_true(factor_difference(alone.encoding, shared.encoding) == 0);
        assert_true(itakura.value(&alone.s) == itakura.value(&shared.s));
        clear(&alone);
        clear(&shared);
    }
}

/* CSR data go through the same rules, a tile at a time: the same iterates as dense ones have. */
static void test_csr(void **state)
{
    (void)state;
    for (int i = 1; i < COUNT(shapes); i++) {
        setting dense, sparse;
        prepare(&dense, &divergence, shapes[i], ORTHANT_DOUBLE, 1);
        prepare_csr(&sparse, &divergence, shapes[i]);
        iterate(&dense, 5);
        iterate(&sparse, 5);
        assert_true(factor_difference(dense.basis, sparse.basis) < 1e-12);
        assert_true(factor_difference(dense.encoding, sparse.encoding) < 1e-12);
        const double found = divergence.value(&sparse.s), expected = divergence.value(&dense.s);
        assert_true(fabs(found - expected) <= 1e-12 * expected);
        clear(&dense);
        clear(&sparse);
    }
}

/* Solvers that know other losses do not take it. */
static void test_solvers(void **state)
{
    (void)state;
    for (int r = 0; r < COUNT(rules); r++)
        for (int v = 0; v < solver_count(); v++) {
            const solver *by = solver_at(v);
            assert_int_equal(!by->accepts || by->accepts(rules[r].loss), !by->majorises);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plain_loops), cmocka_unit_test(test_same_as_the_built_in),
        cmocka_unit_test(test_descent),     cmocka_unit_test(test_threads),
        cmocka_unit_test(test_csr),         cmocka_unit_test(test_solvers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
