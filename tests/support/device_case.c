#include "device_case.h"

#include "fixture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/context.h"
#include "device_kernel.h"
#include "device_points.h"
#include "device_projective.h"
#include "device_walk.h"
#include "golden_fit.h"
#include "golden_gram.h"
#include "golden_similarity.h"
#include "orthant/device.h"

static void test_verbs(void **state)
{
    device_each_case(*state, device_check_verbs);
}

/* ------------------------------------------------------------------ whole fits */

/* NULL where the device refuses it. */
static orthant_result *fit_on(const device_case *c, const test_problem *p, const char *device,
                              const orthant_model *model)
{
    orthant_result *result = NULL;
    expect_ok(p->ctx, orthant_context_set_device(p->ctx, device));
    const orthant_status status = orthant_fit(model, p->X, &result);
    if (status == ORTHANT_ERROR_UNSUPPORTED)
        device_case_refused(c, orthant_message(p->ctx));
    else
        expect_ok(p->ctx, status);
    return result;
}

/* All relative to the objective. */
static void compare_histories(const device_case *c, const orthant_result *host,
                              const orthant_result *device, double tolerance)
{
    const int columns = orthant_result_history_columns(host);
    assert_int_equal(columns, orthant_result_history_columns(device));
    assert_int_equal(orthant_result_history_rows(host), orthant_result_history_rows(device));
    for (int64_t row = 0; row < orthant_result_history_rows(host); row++)
        for (int column = 2; column < columns; column++) {
            char when[48];
            snprintf(when, sizeof when, "iteration %d", (int)row);
            device_compare_number(c, when, orthant_result_history_column(host, column),
                                  orthant_result_history(host, row, column),
                                  orthant_result_history(device, row, column),
                                  orthant_result_history(host, row, 2), tolerance);
        }
}

static void compare_descents(const device_case *c, const orthant_result *host,
                             const orthant_result *device)
{
    const double noise = device_case_single(c) ? 1e-5 : 1e-12;
    for (int64_t row = 1; row < orthant_result_history_rows(device); row++) {
        const double before = orthant_result_history(device, row - 1, 2),
                     now = orthant_result_history(device, row, 2);
        if (now > before + noise * orthant_result_history(device, 0, 2))
            fail_msg("%s: the objective rises from %.9g to %.9g in iteration %d",
                     device_case_name(c), before, now, (int)row);
    }
    /* both are minima that depend on the way there: the device's may not be the worse one */
    const double here = orthant_result_objective(host), there = orthant_result_objective(device),
                 first = orthant_result_history(host, 0, 2);
    if (there > here + NEAR * (first - here))
        fail_msg("%s: the objective is %.9g on the device, %.9g on the host, %.9g at first",
                 device_case_name(c), there, here, first);
}

/* What the device says of its factors is what plain loops find. */
static void check_loss(const device_case *c, const test_problem *p, const orthant_result *device)
{
    const int64_t last = orthant_result_history_rows(device) - 1;
    if (c->large) /* plain loops would take long */
        return;
    const double told = orthant_result_history(device, last, 3),
                 found = problem_loss(p, device, !strcmp(c->loss, "kl"));
    device_compare_number(
        c, "end", "the loss by plain loops", found, told,
        fmax(found, device_case_single(c) ? 1e-2 * orthant_result_history(device, 0, 3) : 0),
        device_case_single(c) ? 1e-4 : 1e-11);
}

/* The history is that of the CPU's fit in double precision: where extrapolated steps multiply what
 * rounding makes of them, the CPU's own in single precision is farther from it than the device's.
 */
static void compare_with_exact(const device_case *c, const orthant_result *device)
{
    device_case exact = *c;
    test_problem q;
    exact.precision = ORTHANT_DOUBLE;
    device_case_data(&exact, &q);
    orthant_model *model = device_case_model(&exact, &q, "25");
    orthant_result *host = fit_on(&exact, &q, "cpu", model);
    compare_histories(c, host, device, device_case_tolerance(c));
    orthant_result_free(host);
    orthant_model_free(model);
    problem_free(&q);
}

static void check_fit(const device_case *c)
{
    test_problem p;
    device_case_data(c, &p);
    orthant_model *model = device_case_model(c, &p, "25");
    orthant_result *device = fit_on(c, &p, c->kind, model);
    if (device) {
        orthant_result *host = fit_on(c, &p, "cpu", model), *again = fit_on(c, &p, c->kind, model);
        assert_string_equal(orthant_result_device(host), "cpu");
        assert_int_equal(strncmp(orthant_result_device(device), c->kind, strlen(c->kind)), 0);
        if (device_case_descends(c))
            compare_descents(c, host, device);
        else if (device_case_single(c))
            compare_with_exact(c, device);
        else
            compare_histories(c, host, device, device_case_tolerance(c));
        check_loss(c, &p, device);
        if (!factors_identical(device, again))
            fail_msg("%s: two runs on the device differ", device_case_name(c));
        orthant_result_free(host);
        orthant_result_free(again);
    }
    orthant_result_free(device);
    orthant_model_free(model);
    problem_free(&p);
}

static void test_fits(void **state)
{
    device_each_case(*state, check_fit);
}

/* With products that may be rounded the objective stays near. */
static void check_rounding(const device_case *c)
{
    test_problem p;
    if (!device_case_single(c) || strcmp(c->solver, "mu") != 0)
        return;
    device_case_data(c, &p);
    orthant_context_set_product_rounding(p.ctx, true);
    orthant_model *model = device_case_model(c, &p, "25");
    orthant_result *device = fit_on(c, &p, c->kind, model);
    if (device) {
        orthant_result *host = fit_on(c, &p, "cpu", model);
        compare_histories(c, host, device, NEAR);
        orthant_result_free(host);
    }
    orthant_result_free(device);
    orthant_model_free(model);
    problem_free(&p);
}

static void test_rounding(void **state)
{
    device_each_case(*state, check_rounding);
}

/* ------------------------------------------------------------------ who looks on, and checkpoints
 */

typedef struct watcher {
    const device_case *c;
    const test_problem *p;
    int64_t stop_after, calls;
} watcher;

static bool watch(void *user, const orthant_result *result)
{
    watcher *w = user;
    if (w->calls++ % 7 == 0)
        check_loss(w->c, w->p, result);
    return orthant_result_iterations(result) != w->stop_after;
}

/* The factors that a callback sees are those of the iteration; a fit that is stopped there and goes
 * on has the bits of one that was not. */
static void check_resumed(const device_case *c)
{
    test_problem p;
    const char *path = files_path("fit.checkpoint");
    device_case_data(c, &p);
    orthant_model *model = device_case_model(c, &p, "23");
    orthant_result *whole = fit_on(c, &p, c->kind, model);
    if (whole) {
        watcher w = {c, &p, 11, 0};
        expect_ok(p.ctx, orthant_model_set_checkpoint(model, path, 1e9));
        expect_ok(p.ctx, orthant_model_set_iteration(model, watch, &w));
        orthant_result *stopped = fit_on(c, &p, c->kind, model);
        assert_int_equal(w.calls, 11);
        assert_true(orthant_result_stopped(stopped));
        expect_ok(p.ctx, orthant_model_set_resume(model, path));
        w.stop_after = -1;
        orthant_result *resumed = fit_on(c, &p, c->kind, model);
        if (!factors_identical(whole, resumed))
            fail_msg("%s: a fit that goes on from its checkpoint differs", device_case_name(c));
        orthant_result_free(stopped);
        orthant_result_free(resumed);
        expect_ok(p.ctx, orthant_checkpoint_remove(p.ctx, path));
    }
    orthant_result_free(whole);
    orthant_model_free(model);
    problem_free(&p);
}

static void test_resumed(void **state)
{
    device_each_case(*state, check_resumed);
}

/* ------------------------------------------------------------------ iterations together */

static bool look_on(void *user, const orthant_result *result)
{
    const int64_t *stop_after = user;
    return orthant_result_iterations(result) != *stop_after;
}

static bool hear(void *user, const orthant_progress *told)
{
    const int64_t *stop_after = user;
    return strcmp(told->phase, "fit") != 0 || told->done != *stop_after;
}

/* All but the seconds. */
static bool histories_identical(const orthant_result *a, const orthant_result *b)
{
    if (orthant_result_history_rows(a) != orthant_result_history_rows(b))
        return false;
    for (int64_t row = 0; row < orthant_result_history_rows(a); row++)
        for (int column = 2; column < orthant_result_history_columns(a); column++)
            if (orthant_result_history(a, row, column) != orthant_result_history(b, row, column))
                return false;
    return true;
}

static void expect_identical(const device_case *c, const char *when, orthant_result *one_by_one,
                             orthant_result *together)
{
    if (!factors_identical(one_by_one, together) || !histories_identical(one_by_one, together) ||
        orthant_result_converged(one_by_one) != orthant_result_converged(together))
        fail_msg("%s, %s: %d iterations one by one, %d together differ", device_case_name(c), when,
                 (int)orthant_result_iterations(one_by_one),
                 (int)orthant_result_iterations(together));
    orthant_result_free(one_by_one);
    orthant_result_free(together);
}

/* Who looks on has them one by one; otherwise short iterations are made together, and undone beyond
 * where the fit ends. */
static void check_together(const device_case *c)
{
    test_problem p;
    int64_t stop_after = -1;
    const char *path = files_path("together.checkpoint");
    if (c->shape.samples * c->shape.features * c->shape.rank > 20000)
        return;
    device_case_data(c, &p);
    orthant_model *model = device_case_model(c, &p, "70"),
                  *looked_at = device_case_model(c, &p, "70");
    expect_ok(p.ctx, orthant_model_set_iteration(looked_at, look_on, &stop_after));
    orthant_result *one_by_one = fit_on(c, &p, c->kind, looked_at);
    if (one_by_one) {
        orthant_result *whole = fit_on(c, &p, c->kind, model);
        expect_identical(c, "to the end", one_by_one, whole);
        expect_ok(p.ctx, orthant_model_set(model, "tolerance", "1e-3"));
        expect_ok(p.ctx, orthant_model_set(looked_at, "tolerance", "1e-3"));
        expect_identical(c, "to the tolerance", fit_on(c, &p, c->kind, looked_at),
                         fit_on(c, &p, c->kind, model));
        expect_ok(p.ctx, orthant_model_set(model, "tolerance", "0"));
        expect_ok(p.ctx, orthant_model_set(looked_at, "tolerance", "0"));
        stop_after = 29;
        one_by_one = fit_on(c, &p, c->kind, looked_at);
        orthant_context_set_progress(p.ctx, hear, &stop_after);
        expect_ok(p.ctx, orthant_model_set_checkpoint(model, path, 1e9));
        expect_identical(c, "stopped", one_by_one, fit_on(c, &p, c->kind, model));
        stop_after = -1;
        expect_ok(p.ctx, orthant_model_set_resume(model, path));
        expect_identical(c, "gone on with", fit_on(c, &p, c->kind, looked_at),
                         fit_on(c, &p, c->kind, model));
        expect_ok(p.ctx, orthant_checkpoint_remove(p.ctx, path));
    }
    orthant_model_free(looked_at);
    orthant_model_free(model);
    problem_free(&p);
}

static void test_together(void **state)
{
    device_each_case(*state, check_together);
}

/* ------------------------------------------------------------------ X in pieces */

/* Whether they stay on the device or not, the bits are the same; and near the host's. */
static void check_pieces(const device_case *c)
{
    test_problem p;
    device_case_data(c, &p);
    p.ctx->device_strip_bytes = 1;
    orthant_model *model = device_case_model(c, &p, "12");
    orthant_result *there = fit_on(c, &p, c->kind, model), *host = fit_on(c, &p, "cpu", model);
    p.ctx->device_streams = true;
    orthant_result *streamed = fit_on(c, &p, c->kind, model);
    if (device_case_descends(c))
        compare_descents(c, host, there);
    else
        compare_histories(c, host, there, device_case_tolerance(c));
    if (!factors_identical(there, streamed))
        fail_msg("%s: copied piece by piece, the factors are others", device_case_name(c));
    orthant_result_free(host);
    orthant_result_free(there);
    orthant_result_free(streamed);
    orthant_model_free(model);
    problem_free(&p);
}

static void test_pieces(void **state)
{
    device_each_piece(*state, check_pieces);
}

/* ------------------------------------------------------------------ every term */

static void check_term(const device_case *c)
{
    device_check_verbs(c);
    check_fit(c);
    if (strcmp(c->solver, "mu") != 0 || device_case_single(c))
        return; /* what is kept between iterations does not depend on them */
    check_resumed(c);
    check_together(c);
}

static void test_terms(void **state)
{
    device_each_term(*state, check_term);
}

/* ------------------------------------------------------------------ golden cases */

static void test_golden(void **state)
{
    const device_run *run = *state;
    orthant_context *ctx = NULL;
    assert_int_equal(orthant_context_create(&ctx), ORTHANT_OK);
    for (size_t i = 0; i < sizeof factor_cases / sizeof *factor_cases; i++) {
        orthant_method_info info = {.size = sizeof info};
        expect_ok(ctx, orthant_method_info_by_name(ctx, factor_cases[i].method, &info));
        assert_int_equal(golden_fit_check(&factor_cases[i], run->kind), info.on_device);
    }
    orthant_context_free(ctx);
}

/* ------------------------------------------------------------------ beside fits */

static void test_neighbours(void **state)
{
    const device_run *run = *state;
    device_check_neighbours(run->kind, run->every);
}

static void test_kmeans(void **state)
{
    const device_run *run = *state;
    device_check_kmeans(run->kind, run->every);
}

/* ------------------------------------------------------------------ projective methods */

static void test_projective(void **state)
{
    const device_run *run = *state;
    device_check_projective(run->kind, run->every);
}

/* ------------------------------------------------------------------ methods of other shapes */

static void test_kernels(void **state)
{
    const device_run *run = *state;
    device_check_kernels(run->kind, run->every);
}

/* What the device takes of a method that it has it takes of all these cases but mixed signs. */
static void test_gram_golden(void **state)
{
    const device_run *run = *state;
    int taken = 0;
    for (int i = 0; i < GRAM_CASES; i++)
        taken += golden_gram_check(&gram_cases[i], run->kind);
    assert_int_equal(taken, 10);
}

static void test_similarity_golden(void **state)
{
    const device_run *run = *state;
    orthant_context *ctx = NULL;
    assert_int_equal(orthant_context_create(&ctx), ORTHANT_OK);
    for (size_t i = 0; i < sizeof similarity_cases / sizeof *similarity_cases; i++) {
        orthant_method_info info = {.size = sizeof info};
        expect_ok(ctx, orthant_method_info_by_name(ctx, similarity_cases[i].method, &info));
        if (!info.on_device)
            continue;
        golden_similarity_check(&similarity_cases[i], false, run->kind);
        golden_similarity_check(&similarity_cases[i], true, run->kind);
    }
    orthant_context_free(ctx);
}

/* ------------------------------------------------------------------ all */

bool device_is_there(const char *kind)
{
    orthant_context *ctx = NULL;
    int count = 0;
    if (orthant_context_create(&ctx))
        return false;
    const bool there = !orthant_device_count(ctx, kind, &count);
    if (!there)
        printf("SKIP: %s\n", orthant_message(ctx));
    orthant_context_free(ctx);
    return there;
}

int device_compare(const char *kind, bool large)
{
    device_run small = {kind, large, false}, whole = {kind, true, true};
    const struct CMUnitTest tests[] = {
        {"every verb", test_verbs, NULL, NULL, &small},
        {"whole fits", test_fits, NULL, NULL, &small},
        {"rounded products", test_rounding, NULL, NULL, &small},
        {"looked at, stopped, gone on with", test_resumed, NULL, NULL, &small},
        {"iterations together", test_together, NULL, NULL, &small},
        {"X in pieces", test_pieces, NULL, NULL, &small},
        {"every term", test_terms, NULL, NULL, &small},
        {"golden cases in double", test_golden, NULL, NULL, &small},
        {"neighbours", test_neighbours, NULL, NULL, &small},
        {"k-means", test_kmeans, NULL, NULL, &small},
        {"projective methods", test_projective, NULL, NULL, &small},
        {"methods of other shapes", test_kernels, NULL, NULL, &small},
        {"golden cases of inner products", test_gram_golden, NULL, NULL, &small},
        {"golden cases of similarities", test_similarity_golden, NULL, NULL, &small},
        {"every verb, large", test_verbs, NULL, NULL, &whole},
        {"whole fits, large", test_fits, NULL, NULL, &whole},
        {"rounded products, large", test_rounding, NULL, NULL, &whole}};
    enum { LARGE = 3, ALL = sizeof tests / sizeof *tests };
    return _cmocka_run_group_tests("device", tests, large ? ALL : ALL - LARGE, NULL, NULL);
}
