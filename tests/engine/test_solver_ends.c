/* No solver ends far above the multiplicative rule, whatever the loss and the terms: all that the
 * tables have, alone and in pairs, on real data. */
#include "fixture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "loss/losses.h"
#include "method/method.h"
#include "term/terms.h"

#define NEAR 1.03 /* times the objective of mu */

typedef struct data {
    orthant_context *ctx;
    const char *name;
    orthant_matrix *X;
    orthant_labels *truth;
    int64_t rank;
    const char *iterations;
} data;

/* The first `samples` rows, or all for 0, in single precision. */
static void load(data *d, const char *path, int64_t samples)
{
    const orthant_read_options options = ORTHANT_READ_DEFAULTS;
    orthant_matrix *whole = NULL;
    orthant_labels *all = NULL;
    orthant_context_set_precision(d->ctx, ORTHANT_SINGLE);
    expect_ok(d->ctx, orthant_matrix_read(d->ctx, path, &options, &whole, &all));
    const int64_t n = samples ? samples : orthant_matrix_rows(whole),
                  m = orthant_matrix_columns(whole);
    double *values = calloc((size_t)(n * m), sizeof *values);
    assert_non_null(values);
    for (int64_t i = 0; i < n * m; i++)
        values[i] = orthant_matrix_get(whole, i / m, i % m);
    expect_ok(d->ctx, orthant_matrix_create(d->ctx, n, m, values, &d->X));
    expect_ok(d->ctx, orthant_labels_create(d->ctx, n, orthant_labels_values(all), &d->truth));
    free(values);
    orthant_matrix_free(whole);
    orthant_labels_free(all);
}

static void unload(data *d)
{
    orthant_matrix_free(d->X);
    orthant_labels_free(d->truth);
}

/* A combination: terms by their index, -1 for none, at `times` their default weights. */
typedef struct combination {
    char loss[32];
    int terms[2];
    double times;
} combination;

/* The word of "a|b|c" at an index; false past the end. */
static bool word_at(const char *choices, int index, char word[16])
{
    while (choices && index-- > 0)
        if ((choices = strchr(choices, '|')))
            choices++;
    if (!choices)
        return false;
    snprintf(word, 16, "%.*s", (int)strcspn(choices, "|"), choices);
    return true;
}

static const char *choices_of(const char *name)
{
    for (int i = 0; factor_parameters[i].name; i++)
        if (!strcmp(factor_parameters[i].name, name))
            return factor_parameters[i].choices;
    fail_msg("the factor model has no parameter '%s'", name);
    return NULL;
}

/* The objective that the solver ends at; NaN where the combination is refused. */
static double end_of(const data *d, const combination *c, const char *solver)
{
    orthant_model *model = NULL;
    orthant_result *result = NULL;
    double end = NAN;
    expect_ok(d->ctx, orthant_model_create(d->ctx, "nmf", d->rank, &model));
    expect_ok(d->ctx, orthant_model_set(model, "loss", c->loss));
    expect_ok(d->ctx, orthant_model_set(model, "solver", solver));
    expect_ok(d->ctx, orthant_model_set(model, "iterations", d->iterations));
    expect_ok(d->ctx, orthant_model_set(model, "tolerance", "0"));
    expect_ok(d->ctx, orthant_model_set_labels(model, d->truth));
    for (int t = 0; t < 2; t++)
        if (c->terms[t] >= 0) {
            const term_kind *kind = term_kind_at(c->terms[t]);
            const double weight = c->times * strtod(kind->parameters[0].default_text, NULL);
            expect_ok(d->ctx, orthant_model_add_term(model, kind->name, weight));
        }
    const orthant_status status = orthant_fit(model, d->X, &result);
    if (!status)
        end = orthant_result_objective(result);
    else
        assert_int_equal(status, ORTHANT_ERROR_ARGUMENT);
    orthant_result_free(result);
    orthant_model_free(model);
    return end;
}

/* Every solver beside mu; how many there are. */
static int check_solvers(const data *d, const combination *c)
{
    char solver[16];
    int compared = 0;
    const double mu = end_of(d, c, "mu");
    assert_true(isfinite(mu));
    for (int i = 0; word_at(choices_of("solver"), i, solver); i++) {
        if (!strcmp(solver, "mu"))
            continue;
        const double end = end_of(d, c, solver);
        compared += !isnan(end);
        if (end > NEAR * mu)
            fail_msg("%s, %s, terms %d and %d at %g times their weights: %s ends at %g, mu at %g",
                     d->name, c->loss, c->terms[0], c->terms[1], c->times, solver, end, mu);
    }
    return compared;
}

/* Of the table, the parameter at its default; false where the zeros of the data are refused. */
static bool name_loss(const loss *l, combination *c)
{
    if (l->least < l->most)
        snprintf(c->loss, sizeof c->loss, "%s:%g", l->name, l->parameter);
    else
        snprintf(c->loss, sizeof c->loss, "%s", l->name);
    return !l->positive;
}

/* The loss alone, with each term, and where asked with each two; the losses that have no other
 * solvers than mu and emu alone. */
static void check_combinations(const data *d, double times, bool pairs)
{
    combination c = {.times = times};
    for (int l = 0; l < loss_count(); l++)
        for (int a = -1;
             name_loss(loss_at(l), &c) &&
             a < (loss_at(l)->quadratic || loss_at(l)->constant_q ? term_kind_count() : 0);
             a++)
            for (int b = -1; b < (pairs ? a : 0); b++) {
                c.terms[0] = a;
                c.terms[1] = b;
                assert_true(check_solvers(d, &c) >= 2); /* auto and emu at least */
            }
}

static void test_digits(void **state)
{
    data d = {.ctx = *state, .name = "digits", .rank = 10, .iterations = "40"};
    load(&d, fixture_path("data/digits/digits-images-idx3-ubyte.gz"), 300);
    check_combinations(&d, 1, !SANITIZED); /* where fits end does not depend on the sanitizers */
    if (!SANITIZED)
        check_combinations(&d, 30, false);
    unload(&d);
}

static void test_faces(void **state)
{
    static const struct {
        const char *file;
        int64_t rank;
    } faces[] = {{"Yale/Yale_32x32.mat", 15}, {"ORL/ORL_32x32.mat", 40}};
    const char *folder = getenv("ORTHANT_DATA");
    if (SANITIZED) {
        print_message("skipped: minutes under the sanitizers; the release build runs it\n");
        skip();
    }
    if (!folder) {
        print_message("skipped: the research data are not here; ORTHANT_DATA names their folder\n");
        skip();
    }
    for (size_t i = 0; i < sizeof faces / sizeof *faces; i++) {
        data d = {.ctx = *state, .name = faces[i].file, .rank = faces[i].rank, .iterations = "30"};
        char path[512];
        snprintf(path, sizeof path, "%s/%s", folder, faces[i].file);
        load(&d, path, 0);
        check_combinations(&d, 1, false);
        unload(&d);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {fixture_test(test_digits), fixture_test(test_faces)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
