/* A fit that was stopped and goes on from its checkpoint gives, to the bit, what one that was never
 * stopped gives: every method of the table, every solver, dense and sparse, with other threads. */
#include "fixture.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "files.h"
#include "problem.h"

#define RANK 4
#define ITERATIONS 23 /* more than the first steps of any solver, and than the window of a stop */

typedef struct stopper {
    int64_t after, calls;
} stopper;

static bool stop_after(void *user, const orthant_result *result)
{
    stopper *s = user;
    s->calls++;
    return orthant_result_iterations(result) != s->after;
}

static bool iterates(const char *method)
{
    return strcmp(method, "kmeans") && strcmp(method, "pca") && strcmp(method, "spectral");
}

typedef struct variation {
    const char *method, *parameters[2][2];
    const char *term;
} variation;

static orthant_model *model_of(const test_problem *p, const variation *v, int64_t iterations)
{
    char text[24];
    snprintf(text, sizeof text, "%d", (int)iterations);
    orthant_model *model = problem_model(p, v->method, RANK, text);
    for (int i = 0; i < 2 && v->parameters[i][0]; i++)
        expect_ok(p->ctx, orthant_model_set(model, v->parameters[i][0], v->parameters[i][1]));
    if (v->term)
        expect_ok(p->ctx, orthant_model_add_term(model, v->term, 0.3));
    return model;
}

/* Values that may be NaN, by their bits. */
static bool same(double a, double b)
{
    return !memcmp(&a, &b, sizeof a);
}

static bool histories_identical(const orthant_result *a, const orthant_result *b)
{
    if (orthant_result_history_rows(a) != orthant_result_history_rows(b) ||
        orthant_result_history_columns(a) != orthant_result_history_columns(b))
        return false;
    for (int64_t row = 0; row < orthant_result_history_rows(a); row++)
        for (int column = 0; column < orthant_result_history_columns(a); column++)
            if (column != 1 && !same(orthant_result_history(a, row, column),
                                     orthant_result_history(b, row, column)))
                return false;
    return true;
}

static bool labels_identical(const orthant_context *ctx, const orthant_result *a,
                             const orthant_result *b)
{
    orthant_labels *one = NULL, *two = NULL;
    expect_ok(ctx, orthant_result_labels(a, NULL, RANK, 2, 1, &one));
    expect_ok(ctx, orthant_result_labels(b, NULL, RANK, 2, 1, &two));
    const bool identical =
        !memcmp(orthant_labels_values(one), orthant_labels_values(two),
                (size_t)orthant_labels_count(one) * sizeof *orthant_labels_values(one));
    orthant_labels_free(one);
    orthant_labels_free(two);
    return identical;
}

static bool notes_identical(const orthant_result *a, const orthant_result *b)
{
    if (orthant_result_note_count(a) != orthant_result_note_count(b))
        return false;
    for (int i = 0; i < orthant_result_note_count(a); i++)
        if (strcmp(orthant_result_note(a, i), orthant_result_note(b, i)) != 0)
            return false;
    return true;
}

static void expect_same(const test_problem *p, const variation *v, const char *when,
                        const orthant_result *whole, const orthant_result *resumed)
{
    const char *wrong = !factors_identical(whole, resumed)          ? "factors"
                        : !histories_identical(whole, resumed)      ? "history"
                        : !labels_identical(p->ctx, whole, resumed) ? "labels"
                        : !notes_identical(whole, resumed)          ? "notes"
                        : !same(orthant_result_projected_gradient(whole),
                                orthant_result_projected_gradient(resumed))
                            ? "projected gradient"
                        : orthant_result_converged(whole) != orthant_result_converged(resumed)
                            ? "convergence"
                            : NULL;
    if (wrong)
        fail_msg("%s (%s=%s), %s: the %s differ", v->method,
                 v->parameters[0][0] ? v->parameters[0][0] : "",
                 v->parameters[0][0] ? v->parameters[0][1] : "", when, wrong);
}

/* Stopped after iteration `after`, and gone on with. */
static orthant_result *interrupted(const test_problem *p, const variation *v, int64_t after)
{
    const char *path = files_path("fit.checkpoint");
    stopper s = {after, 0};
    orthant_model *model = model_of(p, v, ITERATIONS);
    expect_ok(p->ctx, orthant_model_set_checkpoint(model, path, 1e9));
    expect_ok(p->ctx, orthant_model_set_iteration(model, stop_after, &s));
    orthant_result_free(problem_fit(p, model));
    assert_int_equal(!access(path, F_OK), iterates(v->method));
    if (iterates(v->method))
        expect_ok(p->ctx, orthant_model_set_resume(model, path));
    s = (stopper){-1, 0};
    expect_ok(p->ctx, orthant_context_set_threads(p->ctx, 3));
    orthant_result *result = problem_fit(p, model);
    if (s.calls != (iterates(v->method) ? ITERATIONS - after : 0))
        fail_msg("%s, stopped after %lld: %lld more iterations", v->method, (long long)after,
                 (long long)s.calls);
    expect_ok(p->ctx, orthant_context_set_threads(p->ctx, 1));
    expect_ok(p->ctx, orthant_checkpoint_remove(p->ctx, path));
    orthant_model_free(model);
    return result;
}

static void resume(const variation *v, orthant_precision precision, bool sparse)
{
    static const int64_t moments[] = {1, 6, 22};
    test_problem p;
    problem_make(&p, (problem_shape){61, 37, precision, sparse, 3, 0.7});
    expect_ok(p.ctx, orthant_context_set_threads(p.ctx, 1));
    orthant_model *model = model_of(&p, v, ITERATIONS);
    orthant_result *whole = problem_fit(&p, model);
    for (size_t i = 0; i < sizeof moments / sizeof *moments; i++) {
        orthant_result *resumed = interrupted(&p, v, moments[i]);
        expect_same(&p, v, sparse ? "sparse" : "dense", whole, resumed);
        orthant_result_free(resumed);
    }
    orthant_result_free(whole);
    orthant_model_free(model);
    problem_free(&p);
}

static void test_every_method(void **state)
{
    orthant_method_info info = {.size = sizeof info};
    (void)state;
    for (int i = 0; !orthant_method_info_at(i, &info); i++) {
        resume(&(variation){.method = info.name}, ORTHANT_SINGLE, false);
        resume(&(variation){.method = info.name}, ORTHANT_DOUBLE, true);
    }
}

static void test_variations(void **state)
{
    static const variation all[] = {
        {"nmf", {{"solver", "mu"}}, NULL},
        {"nmf", {{"solver", "emu"}}, NULL},
        {"nmf", {{"solver", "hals"}, {"init", "nndsvd"}}, NULL},
        {"nmf", {{"normalise", "basis"}, {"solver", "mu"}}, "sparsity"},
        {"nmf", {{NULL}}, "a-optimal"},
        {"nmf", {{"solver", "emu"}}, "smooth"},
        {"nmf", {{"solver", "hals"}}, "smooth-basis"},
        {"nmf", {{"solver", "hals"}}, "volume"},
        {"nmf-kl", {{"solver", "mu"}}, "volume"},
        {"gnmf", {{"solver", "emu"}}, NULL},
        {"gnmf", {{"solver", "hals"}}, NULL},
        {"tnmf", {{"solver", "emu"}}, NULL},
        {"nmf-kl", {{"solver", "mu"}}, NULL},
        {"nmf-kl", {{"solver", "emu"}}, NULL},
        {"nmf-kl", {{"solver", "newton"}}, NULL},
        {"nmf-kl", {{"solver", "newton"}}, "sparsity"},
        {"nmf-sc", {{"step", "adaptive"}, {"basis_sparseness", "0.4"}}, NULL},
        {"pnmf", {{"rule", "classic"}}, NULL},
        {"grpnmf", {{"exponent", "1"}}, NULL},
        {"grpnmf", {{"graph_weight", "0"}}, NULL},
        {"rica", {{"whiten", "no"}}, NULL},
        {"rmnd", {{"step", "paper"}, {"start", "random"}}, NULL},
        {"snmf", {{"rule", "half"}}, NULL},
        {"nsdr", {{"start", "random"}}, NULL},
        {"cnmf", {{"final_encodings", "minimal"}}, NULL},
        {"cnmf-kl", {{"final_encodings", "minimal"}}, NULL},
        {"ssnmf", {{"final_encodings", "minimal"}}, NULL},
    };
    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        resume(&all[i], ORTHANT_DOUBLE, false);
        resume(&all[i], ORTHANT_SINGLE, true);
    }
}

/* k-means stops where the progress callback says. */
typedef struct counter {
    int64_t calls, stop_at, iterations; /* calls that tell an iteration */
} counter;

static bool count_passes(void *user, const orthant_progress *progress)
{
    counter *c = user;
    if (!strcmp(progress->phase, "k-means"))
        c->calls++;
    c->iterations += !isnan(progress->objective);
    return c->calls != c->stop_at;
}

static void test_kmeans(void **state)
{
    const variation v = {.method = "kmeans", .parameters = {{"restarts", "4"}}};
    const char *path = files_path("kmeans.checkpoint");
    (void)state;
    for (int which = 0; which < 4; which++) {
        test_problem p;
        problem_make(&p, (problem_shape){700, which / 2 ? 12 : 50,
                                         which % 2 ? ORTHANT_SINGLE : ORTHANT_DOUBLE, which == 1, 3,
                                         0.7});
        expect_ok(p.ctx, orthant_context_set_threads(p.ctx, 1));
        orthant_model *model = model_of(&p, &v, 100);
        counter c = {0, -1, 0};
        orthant_context_set_progress(p.ctx, count_passes, &c);
        orthant_result *whole = problem_fit(&p, model);
        const int64_t all = c.calls, iterations = c.iterations;
        assert_true(iterations > 12);
        expect_ok(p.ctx, orthant_model_set_checkpoint(model, path, 1e9));
        /* from the first iteration on, while centres are chosen too */
        for (int64_t at = RANK + 1; at < all; at += at % 4 + 1) {
            c = (counter){0, at, 0};
            orthant_result_free(problem_fit(&p, model));
            assert_int_equal(access(path, F_OK), 0);
            const int64_t before = c.iterations;
            c = (counter){0, -1, 0};
            expect_ok(p.ctx, orthant_model_set_resume(model, path));
            expect_ok(p.ctx, orthant_context_set_threads(p.ctx, 2));
            orthant_result *resumed = problem_fit(&p, model);
            expect_ok(p.ctx, orthant_context_set_threads(p.ctx, 1));
            expect_same(&p, &v, "k-means", whole, resumed);
            assert_int_equal(c.iterations, iterations - before);
            expect_ok(p.ctx, orthant_model_set_resume(model, NULL));
            orthant_result_free(resumed);
        }
        expect_ok(p.ctx, orthant_checkpoint_remove(p.ctx, path));
        orthant_result_free(whole);
        orthant_model_free(model);
        problem_free(&p);
    }
}

/* Checkpoints at each iteration change nothing, and more iterations than were asked for at first
 * can be made from the last. */
static void test_goes_on_longer(void **state)
{
    const variation v = {.method = "nmf-kl"};
    const char *path = files_path("longer.checkpoint");
    test_problem p;
    (void)state;
    problem_make(&p, (problem_shape){61, 37, ORTHANT_SINGLE, false, 3, 0.7});
    orthant_model *whole_model = model_of(&p, &v, ITERATIONS), *model = model_of(&p, &v, 9);
    orthant_result *whole = problem_fit(&p, whole_model);
    expect_ok(p.ctx, orthant_model_set_checkpoint(model, path, 0));
    orthant_result_free(problem_fit(&p, model));
    expect_ok(p.ctx, orthant_model_set(model, "iterations", "23"));
    expect_ok(p.ctx, orthant_model_set_resume(model, path));
    orthant_result *longer = problem_fit(&p, model);
    expect_same(&p, &v, "longer", whole, longer);
    assert_true(orthant_result_seconds(longer) > 0);
    for (int64_t row = 1; row < orthant_result_history_rows(longer); row++)
        assert_true(orthant_result_history(longer, row, 1) >=
                    orthant_result_history(longer, row - 1, 1));
    expect_ok(p.ctx, orthant_model_set(model, "iterations", "5"));
    orthant_result *none = NULL;
    expect_failure(p.ctx, ORTHANT_ERROR_ARGUMENT, "holds iteration 23, beyond the 5",
                   orthant_fit(model, p.X, &none));
    orthant_result_free(longer);
    orthant_result_free(whole);
    orthant_model_free(model);
    orthant_model_free(whole_model);
    problem_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_method),
        cmocka_unit_test(test_variations),
        cmocka_unit_test(test_kmeans),
        cmocka_unit_test(test_goes_on_longer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
