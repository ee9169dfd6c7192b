/* What every term owes the engine, for each row of the table of terms under each loss:
 *
 *   parts       both are nonnegative, and their difference is half the gradient of the value, for
 *               both factors; a term without parts for a factor does not depend on it
 *   majoriser   touches the term at the last factors and is nowhere below it, all rows moved
 *
 * A new term needs no line here. Values: test_value.c; fits: test_descent.c. */
#include <math.h>

#include "fixture.h"

#include "core/random.h"
#include "term_case.h"

/* ------------------------------------------------------------------ the parts */

/* What a term adds for a factor: numerator and denominator, or numerator and curvature. */
typedef struct parts {
    term_setting *x;
    bool basis, majorises;
    double base; /* that it is added to */
    orthant_matrix *first, *second;
    orthant_matrix *seen, *none; /* the factor as a task sees it; NaN throughout */
} parts;

static orthant_matrix *factor_of(const term_setting *x, bool basis)
{
    return basis ? x->basis : x->encoding;
}

static void fill(orthant_matrix *a, double value)
{
    for (int64_t i = 0; i < a->rows; i++)
        for (int64_t j = 0; j < a->columns; j++)
            term_set(a, i, j, value);
}

/* Rows of other blocks may be new already, or not: a task must not read them. */
static array own_rows_alone(const parts *p, const sweep *s, block b, array factor)
{
    const array seen = matrix_array(p->seen);
    fill(p->seen, NAN);
    s->ops->copy(sweep_rows(s, seen, b), sweep_rows(s, factor, b));
    return seen;
}

/* The block's rows of both, in place. */
static void start_parts(const parts *p, const sweep *s, block b, array *first, array *second)
{
    *first = sweep_rows(s, matrix_array(p->first), b);
    *second = sweep_rows(s, matrix_array(p->second), b);
    s->ops->add_constant(*first, p->base);
    s->ops->add_constant(*second, p->base);
}

static double encoding_parts(const sweep *s, void *user, strip x, block b)
{
    const parts *p = user;
    const term *t = &p->x->t;
    array first, second, N = sweep_array(s, b, SCRATCH_NUMERATOR),
                         D = sweep_array(s, b, SCRATCH_DENOMINATOR);
    sweep view = *s;
    /* an update reads the last encodings, of other samples where the term says so; new ones never
     */
    fill(p->none, NAN);
    view.factors.S = matrix_array(p->none);
    view.factors.last = s->plan.keeps_last ? s->factors.S : own_rows_alone(p, s, b, s->factors.S);
    if (p->majorises)
        s->problem->loss->linear(&view, x, b, N);
    else
        s->problem->loss->encoding(&view, x, b, sweep_rows(s, view.factors.last, b), N, D);
    start_parts(p, s, b, &first, &second);
    if (p->majorises && t->kind->majorise)
        t->kind->majorise(t, &view, b, first, second);
    else if (!p->majorises && t->kind->encoding)
        t->kind->encoding(t, &view, b, first, second);
    return 0;
}

static void basis_parts(void *user, block f)
{
    const parts *p = user;
    const sweep *s = &p->x->s;
    const term *t = &p->x->t;
    const array data_sums = sweep_rows(s, s->sums.XS, f);
    array first, second;
    sweep view = *s;
    view.factors.W = own_rows_alone(p, s, f, s->factors.W);
    start_parts(p, s, f, &first, &second);
    if (p->majorises && t->kind->majorise_basis)
        t->kind->majorise_basis(t, &view, f, data_sums, first, second);
    else if (!p->majorises && t->kind->basis)
        t->kind->basis(t, &view, f, data_sums, first, second);
}

/* The basis step follows the sums of new encodings, for which no term has been prepared. */
static void make_state(term_setting *x, bool basis)
{
    if (basis)
        term_draw(x->encoding, 6);
    sweep_sums(&x->s);
    sweep_basis_changed(&x->s);
    if (!basis)
        return;
    term_draw(x->encoding, 5);
    sweep_sums(&x->s);
}

static parts parts_of(term_setting *x, bool basis, bool majorises, double base)
{
    orthant_context *ctx = x->p.ctx;
    const orthant_matrix *factor = factor_of(x, basis);
    parts p = {.x = x, .basis = basis, .majorises = majorises, .base = base};
    orthant_matrix **made[] = {&p.first, &p.second, &p.seen, &p.none};
    for (int i = 0; i < COUNT(made); i++)
        expect_ok(
            ctx, matrix_new_factor(ctx, factor->precision, factor->rows, factor->columns, made[i]));
    make_state(x, basis);
    if (basis)
        sweep_over_features(&x->s, basis_parts, &p);
    else
        sweep_over_samples(&x->s, encoding_parts, &p);
    return p;
}

static void clear_parts(parts *p)
{
    orthant_matrix_free(p->first);
    orthant_matrix_free(p->second);
    orthant_matrix_free(p->seen);
    orthant_matrix_free(p->none);
}

/* Added to what is there, and both nonnegative; of a majoriser the curvature alone is. */
static void check_added(const term_case *c, term_setting *x, const parts *p)
{
    parts again = parts_of(x, p->basis, p->majorises, 3);
    for (int64_t i = 0; i < p->first->rows; i++)
        for (int64_t j = 0; j < p->first->columns; j++) {
            const double first = term_at(p->first, i, j), second = term_at(p->second, i, j);
            if (!(second >= 0) || !(p->majorises || first >= 0))
                fail_case(c, "parts %g and %g at (%d, %d)", first, second, (int)i, (int)j);
            if (!(fabs(term_at(again.first, i, j) - 3 - first) <= 1e-12 * (3 + fabs(first)) &&
                  fabs(term_at(again.second, i, j) - 3 - second) <= 1e-12 * (3 + second)))
                fail_case(c, "parts are not added at (%d, %d)", (int)i, (int)j);
        }
    clear_parts(&again);
}

/* Between both sides; at zero, where a term need not be defined below, from two steps upwards. */
static double slope(term_setting *x, orthant_matrix *factor, int64_t row, int64_t column)
{
    const double here = term_at(factor, row, column), step = 3e-6;
    const double offsets[] = {here > step ? -step : 0, step, 2 * step};
    double value[3];
    for (int i = 0; i < (here > step ? 2 : 3); i++) {
        term_set(factor, row, column, here + offsets[i]);
        value[i] = term_value_now(x);
    }
    term_set(factor, row, column, here);
    return here > step ? (value[1] - value[0]) / (2 * step)
                       : (4 * value[1] - 3 * value[0] - value[2]) / (2 * step);
}

#define ENTRIES 40

static void check_slopes(const term_case *c, term_setting *x, const parts *p)
{
    orthant_matrix *factor = factor_of(x, p->basis);
    const double value = term_value_now(x);
    for (uint64_t e = 0; e < ENTRIES; e++) {
        const int64_t row = (int64_t)random_below(8, RANDOM_TEST, e, 0, (uint64_t)factor->rows),
                      column =
                          (int64_t)random_below(8, RANDOM_TEST, e, 1, (uint64_t)factor->columns);
        const double expected = slope(x, factor, row, column),
                     found = 2 *
                             (term_at(p->second, row, column) - term_at(p->first, row, column)) *
                             x->t.weight / x->t.gain;
        if (!(fabs(found - expected) <= 1e-6 * (1 + fabs(expected)) + 1e-9 * value))
            fail_case(c, "%s (%d, %d): the parts' slope is %.9g, the value's %.9g",
                      p->basis ? "basis" : "encoding", (int)row, (int)column, found, expected);
    }
}

static void check_parts(const term_case *c)
{
    term_setting x;
    term_prepare(&x, c, 1);
    for (int basis = 0; basis < 2; basis++) {
        parts p = parts_of(&x, basis, false, 0);
        check_added(c, &x, &p);
        check_slopes(c, &x, &p);
        clear_parts(&p);
    }
    term_clear(&x);
}

static void test_parts(void **state)
{
    (void)state;
    term_each_case(term_shapes, TERM_SHAPES, check_parts);
}

/* ------------------------------------------------------------------ the majoriser */

/* The weighted quadratic with half the gradient curvature .* s - numerator. */
static double quadratic(const term_setting *x, const parts *p)
{
    const orthant_matrix *factor = factor_of(x, p->basis);
    double total = 0;
    for (int64_t i = 0; i < factor->rows; i++)
        for (int64_t j = 0; j < factor->columns; j++) {
            const double s = term_at(factor, i, j);
            total += (term_at(p->second, i, j) * s - 2 * term_at(p->first, i, j)) * s;
        }
    return total * x->t.weight / x->t.gain;
}

static void check_touches(const term_case *c, term_setting *x, const parts *p)
{
    const orthant_matrix *factor = factor_of(x, p->basis);
    parts slopes = parts_of(x, p->basis, false, 0);
    for (int64_t i = 0; i < factor->rows; i++)
        for (int64_t j = 0; j < factor->columns; j++) {
            const double curved = term_at(p->second, i, j) * term_at(factor, i, j),
                         plus = term_at(slopes.second, i, j), minus = term_at(slopes.first, i, j);
            if (!(fabs(curved - term_at(p->first, i, j) - (plus - minus)) <=
                  1e-12 * (curved + plus + minus)))
                fail_case(c, "%s (%d, %d): the majoriser's slope is %.17g, the parts' %.17g",
                          p->basis ? "basis" : "encoding", (int)i, (int)j,
                          curved - term_at(p->first, i, j), plus - minus);
        }
    clear_parts(&slopes);
}

/* All rows moved: a little, far, to zero, each in its own way; or one row alone. */
static void move(orthant_matrix *factor, uint64_t way)
{
    const int64_t only = way % 4 == 3 ? (int64_t)(way % (uint64_t)factor->rows) : -1;
    for (int64_t i = 0; i < factor->rows; i++)
        for (int64_t j = 0; j < factor->columns; j++) {
            const double u = random_uniform(way, RANDOM_TEST, (uint64_t)i, (uint64_t)j),
                         here = term_at(factor, i, j),
                         to = way % 4 == 0   ? here * (0.9 + 0.2 * u) + 0.01 * u
                              : way % 4 == 1 ? 20 * fmax(u - 0.3, 0)
                                             : fmax(2 * u - 1, 0);
            if (only < 0 || i == only)
                term_set(factor, i, j, to);
        }
}

static void check_above(const term_case *c, term_setting *x, const parts *p)
{
    orthant_matrix *factor = factor_of(x, p->basis), *kept = NULL;
    const double value = term_value_now(x), quadratic_value = quadratic(x, p);
    expect_ok(x->p.ctx,
              matrix_new_factor(x->p.ctx, factor->precision, factor->rows, factor->columns, &kept));
    x->s.ops->copy(matrix_array(kept), matrix_array(factor));
    for (uint64_t way = 0; way < 24; way++) {
        move(factor, way);
        const double moved = term_value_now(x), above = quadratic(x, p), rise = moved - value,
                     bound = above - quadratic_value;
        if (!(rise <= bound + 1e-11 * (moved + value + fabs(above) + fabs(quadratic_value))))
            fail_case(c, "%s, way %d: the term rises by %.17g, its majoriser by %.17g",
                      p->basis ? "basis" : "encoding", (int)way, rise, bound);
        x->s.ops->copy(matrix_array(factor), matrix_array(kept));
    }
    orthant_matrix_free(kept);
}

static void check_majoriser(const term_case *c)
{
    term_setting x;
    term_prepare(&x, c, 1);
    for (int basis = 0; basis < 2; basis++) {
        if (basis ? !c->kind->majorise_basis : !c->kind->majorise)
            continue;
        parts p = parts_of(&x, basis, true, 0);
        check_added(c, &x, &p);
        check_touches(c, &x, &p);
        check_above(c, &x, &p);
        clear_parts(&p);
    }
    term_clear(&x);
}

static void test_majoriser(void **state)
{
    (void)state;
    term_each_case(term_shapes, TERM_SHAPES, check_majoriser);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parts),
        cmocka_unit_test(test_majoriser),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
