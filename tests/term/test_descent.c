/* Fits with every term under every loss and solver: the objective never rises, or the solver that
 * has no use for the term refuses it by name. Walks the tables; terms made up here reach what no
 * shipped term does. */
#include <stdio.h>
#include <stdlib.h>

#include "fixture.h"

#include "solver/solvers.h"
#include "term_case.h"

/* More than the first ones, which are another solver's where there are terms. */
#define ITERATIONS "24"

static orthant_model *model_of(const test_problem *p, const loss *l, const solver *by)
{
    orthant_model *model = problem_model(p, "nmf", 4, ITERATIONS);
    char text[64] = "", number[32] = "";
    if (l->least < l->most)
        snprintf(number, sizeof number, ":%g", l->parameter);
    snprintf(text, sizeof text, "%s%s", l->name, number);
    expect_ok(p->ctx, orthant_model_set(model, "loss", text));
    expect_ok(p->ctx, orthant_model_set(model, "solver", by->name));
    return model;
}

/* A term that is in no table. */
static void add_kind(orthant_model *model, const term_kind *kind)
{
    model->terms[model->term_count++] = kind;
    expect_ok(model->ctx, parameter_add(model->ctx, &model->parameters, kind->parameters));
}

static void never_rises(const orthant_result *result, const char *name, const loss *l,
                        const solver *by)
{
    for (int64_t i = 1; i < orthant_result_history_rows(result); i++) {
        const double before = orthant_result_history(result, i - 1, 2),
                     now = orthant_result_history(result, i, 2);
        if (!(now <= before * (1 + 1e-9)))
            fail_msg("%s, %s, %s: iteration %d rose from %.17g to %.17g", name, l->name, by->name,
                     (int)i, before, now);
    }
    assert_true(orthant_result_objective(result) < orthant_result_history(result, 0, 2));
}

static bool accepts(const solver *by, const loss *l)
{
    return !by->accepts || by->accepts(l);
}

/* Fitted where the solver knows all that the term does; otherwise refused, and both are named. */
static void check_fit(const test_problem *p, const orthant_model *model, bool taken, const loss *l,
                      const solver *by)
{
    const char *name = model->terms[0]->name;
    if (taken) {
        orthant_result *result = problem_fit(p, model);
        never_rises(result, name, l, by);
        orthant_result_free(result);
        return;
    }
    char words[128];
    orthant_result *result = NULL;
    snprintf(words, sizeof words, "solver '%s' does not know the curvature of the term '%s'",
             by->name, name);
    expect_failure(p->ctx, ORTHANT_ERROR_ARGUMENT, words, orthant_fit(model, p->X, &result));
    assert_null(result);
}

/* A quadratic for each factor that the term acts on, and a solver that asks for it. */
static bool taken_by(const solver *by, const term_kind *kind)
{
    const bool encoding = !kind->encoding || kind->majorise,
               basis = !kind->basis || (kind->majorise_basis && by->majorises_basis);
    return !by->majorises || (encoding && basis);
}

typedef void (*fit_check)(const test_problem *p, const loss *l, const solver *by);

/* Every loss with every solver that accepts it, dense and CSR. */
static void each_fit(fit_check check)
{
    for (int l = 0; l < loss_count(); l++)
        for (int sparse = 0; sparse <= !loss_at(l)->positive; sparse++) {
            test_problem p;
            problem_make(&p, (problem_shape){50, 30, ORTHANT_DOUBLE, sparse, 6, 0.5});
            if (loss_at(l)->positive)
                problem_fill(&p);
            for (int v = 0; v < solver_count(); v++)
                if (accepts(solver_at(v), loss_at(l)))
                    check(&p, loss_at(l), solver_at(v));
            problem_free(&p);
        }
}

/* Times the weight that a term has by default: under the large ones a rule that is not proven to
 * descend rises where nothing watches it. */
static const double weights[] = {0.1, 1, 1000, 1e6};

static void check_shipped(const test_problem *p, const loss *l, const solver *by)
{
    for (int t = 0; t < term_kind_count(); t++)
        for (int w = 0; w < COUNT(weights); w++) {
            const term_kind *kind = term_kind_at(t);
            orthant_model *model = model_of(p, l, by);
            expect_ok(p->ctx, orthant_model_add_term(
                                  model, kind->name,
                                  weights[w] * strtod(kind->parameters[0].default_text, NULL)));
            check_fit(p, model, taken_by(by, kind), l, by);
            orthant_model_free(model);
        }
}

static void test_shipped_terms(void **state)
{
    (void)state;
    each_fit(check_shipped);
}

/* ------------------------------------------------------------------ a ridge on both factors */

static void ridge_basis(const term *t, const sweep *s, block b, array data_sums, array numerator,
                        array denominator)
{
    (void)data_sums;
    (void)numerator;
    s->ops->add(denominator, t->gain, sweep_rows(s, s->factors.W, b));
}

static void ridge_majorise_basis(const term *t, const sweep *s, block b, array data_sums,
                                 array numerator, array curvature)
{
    (void)b;
    (void)data_sums;
    (void)numerator;
    s->ops->add_constant(curvature, t->gain);
}

static void ridge_encoding(const term *t, const sweep *s, block b, array numerator,
                           array denominator)
{
    (void)numerator;
    s->ops->add(denominator, t->gain, sweep_rows(s, s->factors.last, b));
}

static void ridge_majorise(const term *t, const sweep *s, block b, array numerator, array curvature)
{
    (void)b;
    (void)numerator;
    s->ops->add_constant(curvature, t->gain);
}

static double basis_value(const term *t, const sweep *s)
{
    (void)t;
    return s->ops->dot(s->factors.W, s->factors.W);
}

static double encoding_value(const term *t, const sweep *s, block b)
{
    const array rows = sweep_rows(s, s->factors.S, b);
    (void)t;
    return s->ops->dot(rows, rows);
}

static const orthant_parameter_info ridge_parameters[] = {
    PARAMETER_NUMBER("ridge_weight", "0.8", 0, 1e12, "weight of the ridge"),
    PARAMETER_END,
};

/* With the basis part, the encodings' part, and their majorisers or not. */
static term_kind ridge(bool basis, bool encoding, bool majorise_basis, bool majorise)
{
    return (term_kind){.name = "ridge",
                       .title = "squares of the factors",
                       .parameters = ridge_parameters,
                       .basis = basis ? ridge_basis : NULL,
                       .encoding = encoding ? ridge_encoding : NULL,
                       .majorise_basis = majorise_basis ? ridge_majorise_basis : NULL,
                       .majorise = majorise ? ridge_majorise : NULL,
                       .rows_value = encoding ? encoding_value : NULL,
                       .whole_value = basis ? basis_value : NULL};
}

/* By hand which of the solvers that need a majoriser take it: on the basis hals alone does. */
static const struct {
    bool basis, encoding, majorise_basis, majorise;
    bool hals, newton;
} ridges[] = {
    {true, false, false, false, false, false}, /* would be left out silently */
    {true, false, true, false, true, false},   {false, true, false, false, false, false},
    {false, true, false, true, true, true},    {true, true, true, true, true, false},
    {true, true, true, false, false, false},   {true, true, false, true, false, false},
};

static void check_ridges(const test_problem *p, const loss *l, const solver *by)
{
    for (int i = 0; i < COUNT(ridges); i++) {
        const term_kind kind = ridge(ridges[i].basis, ridges[i].encoding, ridges[i].majorise_basis,
                                     ridges[i].majorise);
        const bool taken = by == &solver_hals     ? ridges[i].hals
                           : by == &solver_newton ? ridges[i].newton
                                                  : taken_by(by, &kind);
        orthant_model *model = model_of(p, l, by);
        add_kind(model, &kind);
        check_fit(p, model, taken, l, by);
        orthant_model_free(model);
    }
}

static void test_made_up_terms(void **state)
{
    (void)state;
    each_fit(check_ridges);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shipped_terms),
        cmocka_unit_test(test_made_up_terms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
