#include "device_case.h"

#include "fixture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/random.h"
#include "engine/sweep_device.h"
#include "engine/term.h"
#include "golden_fit.h"
#include "loss/losses.h"
#include "orthant/device.h"
#include "problem.h"
#include "solver/solvers.h"
#include "term/terms.h"

#define TERM_WEIGHT 3 /* under which extrapolated steps rise, and are repeated */
#define NEAR 1e-2     /* of the first objective: descents stop after another number of passes */

typedef struct shape {
    int64_t samples, features, rank;
} shape;

static const shape small_shapes[] = {{61, 47, 5},  {70, 130, 17}, {40, 400, 3},
                                     {70, 50, 33}, {9, 7, 1},     {75, 72, 70}};
static const shape large_shapes[] = {{5000, 784, 10},  {3000, 2000, 64}, {777, 1999, 130},
                                     {20000, 100, 50}, {1025, 900, 32},  {900, 1101, 100}};

typedef struct device_case {
    const char *kind, *loss, *solver;
    bool term, sparse, large;
    orthant_precision precision;
    shape shape;
} device_case;

/* What a test is given, as its state. */
typedef struct device_run {
    const char *kind;
    bool large;
} device_run;

static bool is_single(const device_case *c)
{
    return c->precision == ORTHANT_SINGLE;
}

static const char *name_of(const device_case *c)
{
    static char text[160];
    snprintf(text, sizeof text, "%s %s%s, %s %s, %d x %d, k %d", c->loss, c->solver,
             c->term ? " + sparsity" : "", is_single(c) ? "single" : "double",
             c->sparse ? "CSR" : "dense", (int)c->shape.samples, (int)c->shape.features,
             (int)c->shape.rank);
    return text;
}

static bool by_coordinates(const device_case *c)
{
    return !strcmp(c->solver, "hals");
}

static void make_data(const device_case *c, test_problem *p)
{
    const problem_shape of = {.samples = c->shape.samples,
                              .features = c->shape.features,
                              .precision = c->precision,
                              .sparse = c->sparse,
                              .seed = 7};
    problem_make(p, of);
}

/* Calls `check` for every case of the shapes; of large ones for some. */
static void each_case(const device_run *run, void (*check)(const device_case *c))
{
    static const char *const solvers[][2] = {{"frobenius", "mu"},
                                             {"kl", "mu"},
                                             {"frobenius", "emu"},
                                             {"kl", "emu"},
                                             {"frobenius", "hals"}};
    const int count = run->large ? sizeof large_shapes / sizeof *large_shapes
                                 : sizeof small_shapes / sizeof *small_shapes;
    for (int i = 0; i < count; i += SANITIZED ? 2 : 1)
        for (size_t s = 0; s < sizeof solvers / sizeof *solvers; s++)
            for (int kind = 0; kind < 8; kind++) {
                if (run->large && kind != 1 && kind != 2 && kind != 7)
                    continue;
                const device_case c = {.kind = run->kind,
                                       .loss = solvers[s][0],
                                       .solver = solvers[s][1],
                                       .precision = kind & 1 ? ORTHANT_SINGLE : ORTHANT_DOUBLE,
                                       .sparse = kind & 2,
                                       .term = kind & 4,
                                       .large = run->large,
                                       .shape = (run->large ? large_shapes : small_shapes)[i]};
                check(&c);
            }
}

/* Multiplicative updates of both losses on dense data are what every device has. */
static void tell_refused(const device_case *c, const char *message)
{
    if (!strcmp(c->solver, "mu") && !c->term && !c->sparse)
        fail_msg("%s: refused: %s", name_of(c), message);
    print_message("%s: refused: %s\n", name_of(c), message);
}

/* ------------------------------------------------------------------ every verb */

typedef struct side {
    problem problem;
    term terms[1];
    sweep sweep;
    orthant_matrix *basis, *encoding;
} side;

static void fill(orthant_matrix *matrix, uint64_t seed)
{
    for (int64_t i = 0; i < matrix->rows; i++)
        for (int64_t j = 0; j < matrix->columns; j++)
            matrix_set_value(matrix, i * matrix->stride + j,
                             0.1 + random_uniform(seed, RANDOM_TEST, (uint64_t)i, (uint64_t)j) / 2);
}

static void describe_side(const device_case *c, const test_problem *p, side *s)
{
    *s = (side){.problem = {.ctx = p->ctx,
                            .samples = p->X,
                            .rank = c->shape.rank,
                            .loss = loss_find(c->loss),
                            .solver = solver_find(c->solver),
                            .terms = s->terms,
                            .term_count = c->term}};
    s->terms[0] = (term){.kind = term_kind_find("sparsity"),
                         .ctx = p->ctx,
                         .weight = TERM_WEIGHT,
                         .gain = TERM_WEIGHT * s->problem.loss->gain};
}

static void make_side(const device_case *c, const test_problem *p, bool on_device, side *s)
{
    describe_side(c, p, s);
    s->problem.on_device = on_device;
    expect_ok(p->ctx,
              matrix_new_factor(p->ctx, c->precision, c->shape.features, c->shape.rank, &s->basis));
    expect_ok(p->ctx, matrix_new_factor(p->ctx, c->precision, c->shape.samples, c->shape.rank,
                                        &s->encoding));
    fill(s->basis, 3);
    fill(s->encoding, 4);
    expect_ok(p->ctx, sweep_setup(&s->sweep, &s->problem, s->basis, s->encoding));
    expect_ok(p->ctx, sweep_guard(&s->sweep));
    sweep_start(&s->sweep);
}

static void free_side(side *s)
{
    sweep_release(&s->sweep);
    orthant_matrix_free(s->basis);
    orthant_matrix_free(s->encoding);
}

static double tolerance_of(const device_case *c)
{
    return is_single(c) ? 1e-5 : 1e-12;
}

static double entry(const device_case *c, array a, int64_t i, int64_t j)
{
    return is_single(c) ? (double)((const float *)a.data)[i * a.stride + j]
                        : ((const double *)a.data)[i * a.stride + j];
}

/* Relative to the host's largest entry. */
static void compare_array(const device_case *c, const char *when, const char *what, array host,
                          array device)
{
    double largest = 0, worst = -1;
    int64_t at_row = 0, at_column = 0;
    for (int64_t i = 0; host.data && i < host.rows; i++)
        for (int64_t j = 0; j < host.columns; j++) {
            const double a = entry(c, host, i, j), b = entry(c, device, i, j),
                         apart = isfinite(b) ? fabs(a - b) : INFINITY;
            largest = fmax(largest, fabs(a));
            if (apart > worst) {
                worst = apart;
                at_row = i;
                at_column = j;
            }
        }
    if (worst > tolerance_of(c) * largest)
        fail_msg("%s, %s: %s(%d, %d) is %.9g on the device, %.9g on the host: %.3g apart, largest "
                 "%.3g",
                 name_of(c), when, what, (int)at_row, (int)at_column,
                 entry(c, device, at_row, at_column), entry(c, host, at_row, at_column), worst,
                 largest);
}

static void compare_number(const device_case *c, const char *when, const char *what, double host,
                           double device, double scale, double tolerance)
{
    if (!(fabs(host - device) <= tolerance * scale))
        fail_msg("%s, %s: %s is %.9g on the device, %.9g on the host: %.3g of %.3g apart",
                 name_of(c), when, what, device, host, fabs(host - device) / scale, scale);
}

/* By the sums' rounding the host's quadratic loss is relative to |X|^2 in single precision. */
static double loss_scale(const device_case *c, const side *host, double value)
{
    const bool rounded = is_single(c) && !strcmp(c->loss, "frobenius");
    return fmax(fabs(value), rounded ? 0.1 * host->sweep.data_squares : 0);
}

static void compare_values(const device_case *c, const char *when, const side *host,
                           const side *device)
{
    double here[2] = {0}, there[2] = {0};
    sweep_measure(&host->sweep, here);
    sweep_measure(&device->sweep, there);
    compare_number(c, when, "the loss", here[0], there[0], loss_scale(c, host, here[0]),
                   tolerance_of(c));
    compare_number(c, when, "the term", here[1], there[1], fabs(here[1]), tolerance_of(c));
}

static double objective_of(const side *s)
{
    double values[2] = {0};
    sweep_measure(&s->sweep, values);
    return values[0] + values[1];
}

/* Factors and sums, one by one, and the values. */
static void compare_sides(const device_case *c, const char *when, const side *host, side *device)
{
    const sweep *a = &host->sweep, *b = &device->sweep;
    sweep_device_fetch(&device->sweep);
    expect_ok(a->ctx, sweep_check(&device->sweep));
    compare_array(c, when, "W", a->factors.W, b->factors.W);
    compare_array(c, when, "S", a->factors.S, b->factors.S);
    compare_array(c, when, "sums", a->sums.A, b->sums.A);
    compare_array(c, when, "S'S", a->sums.B, b->sums.B);
    for (int64_t j = 0; a->plan.keeps_columns && j < c->shape.rank; j++)
        compare_number(c, when, "a column's sum", a->sums.columns[j], b->sums.columns[j],
                       fabs(a->sums.columns[j]), tolerance_of(c));
    if (a->plan.extrapolates) {
        compare_array(c, when, "updated W", a->factors.updated_basis, b->factors.updated_basis);
        compare_array(c, when, "updated S", a->factors.updated_encoding,
                      b->factors.updated_encoding);
    }
    compare_values(c, when, host, device);
}

static void step_both(side *host, side *device, const sweep_step *t)
{
    sweep_run(&host->sweep, t);
    sweep_run(&device->sweep, t);
}

/* Steps of the multiplicative rules, and back. */
static void compare_ratios(const device_case *c, side *host, side *device)
{
    const solver *by = solver_find(c->solver);
    compare_sides(c, "start", host, device);
    step_both(host, device, &(sweep_step){by, 1, 1, 0});
    compare_sides(c, "first step", host, device);
    sweep_keep(&host->sweep);
    sweep_keep(&device->sweep);
    step_both(host, device, &(sweep_step){by, 2, 1, 0.5});
    compare_sides(c, "second step", host, device);
    sweep_go_back(&host->sweep);
    sweep_go_back(&device->sweep);
    compare_sides(c, "back", host, device);
    step_both(host, device, &(sweep_step){by, 2, 0.5, 0});
    compare_sides(c, "step with exponent 1/2", host, device);
    step_both(host, device, &(sweep_step){by, 3, 0.25, 0});
    compare_sides(c, "step with exponent 1/4", host, device);
    compare_number(c, "end", "the projected gradient", sweep_projected_gradient(&host->sweep),
                   sweep_projected_gradient(&device->sweep), 1, tolerance_of(c));
}

/* The first basis step of a cautious descent is one pass; how many passes others make depends on
 * which rows stop together. */
static void compare_descent(const device_case *c, side *host, side *device)
{
    const solver *by = solver_find(c->solver);
    const sweep_step first = {by, 1, 1, 0};
    const double begin = objective_of(host);
    compare_sides(c, "start", host, device);
    if (by->is_cautious(&host->sweep)) {
        sweep_basis(&host->sweep, &first);
        sweep_basis(&device->sweep, &first);
        sweep_device_fetch(&device->sweep);
        compare_array(c, "first step", "W", host->sweep.factors.W, device->sweep.factors.W);
    }
    for (int i = 1; i <= 6; i++) {
        const sweep_step t = {by, i, 1, 0};
        step_both(host, device, &t);
        compare_number(c, "descent", "the objective", objective_of(host), objective_of(device),
                       begin, NEAR);
    }
}

static void check_verbs(const device_case *c)
{
    test_problem p;
    side host, device, asked;
    make_data(c, &p);
    expect_ok(p.ctx, orthant_context_set_device(p.ctx, c->kind));
    describe_side(c, &p, &asked);
    if (sweep_device_accepts(&asked.problem)) {
        tell_refused(c, orthant_message(p.ctx));
        problem_free(&p);
        return;
    }
    make_side(c, &p, false, &host);
    make_side(c, &p, true, &device);
    if (by_coordinates(c))
        compare_descent(c, &host, &device);
    else
        compare_ratios(c, &host, &device);
    expect_ok(p.ctx, sweep_check(&device.sweep));
    free_side(&host);
    free_side(&device);
    problem_free(&p);
}

static void test_verbs(void **state)
{
    each_case(*state, check_verbs);
}

/* ------------------------------------------------------------------ whole fits */

static orthant_model *make_model(const device_case *c, const test_problem *p,
                                 const char *iterations)
{
    orthant_model *model =
        problem_model(p, !strcmp(c->loss, "kl") ? "nmf-kl" : "nmf", c->shape.rank, iterations);
    expect_ok(p->ctx, orthant_model_set(model, "solver", c->solver));
    if (c->term)
        expect_ok(p->ctx, orthant_model_add_term(model, "sparsity", TERM_WEIGHT));
    return model;
}

/* NULL where the device refuses it. */
static orthant_result *fit_on(const device_case *c, const test_problem *p, const char *device,
                              const orthant_model *model)
{
    orthant_result *result = NULL;
    expect_ok(p->ctx, orthant_context_set_device(p->ctx, device));
    const orthant_status status = orthant_fit(model, p->X, &result);
    if (status == ORTHANT_ERROR_UNSUPPORTED)
        tell_refused(c, orthant_message(p->ctx));
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
            compare_number(c, when, orthant_result_history_column(host, column),
                           orthant_result_history(host, row, column),
                           orthant_result_history(device, row, column),
                           orthant_result_history(host, row, 2), tolerance);
        }
}

static void compare_descents(const device_case *c, const orthant_result *host,
                             const orthant_result *device)
{
    const double noise = is_single(c) ? 1e-5 : 1e-12;
    for (int64_t row = 1; row < orthant_result_history_rows(device); row++) {
        const double before = orthant_result_history(device, row - 1, 2),
                     now = orthant_result_history(device, row, 2);
        if (now > before + noise * orthant_result_history(device, 0, 2))
            fail_msg("%s: the objective rises from %.9g to %.9g in iteration %d", name_of(c),
                     before, now, (int)row);
    }
    /* both are minima that depend on the way there: the device's may not be the worse one */
    const double here = orthant_result_objective(host), there = orthant_result_objective(device),
                 first = orthant_result_history(host, 0, 2);
    if (there > here + NEAR * (first - here))
        fail_msg("%s: the objective is %.9g on the device, %.9g on the host, %.9g at first",
                 name_of(c), there, here, first);
}

/* What the device says of its factors is what plain loops find. */
static void check_loss(const device_case *c, const test_problem *p, const orthant_result *device)
{
    const int64_t last = orthant_result_history_rows(device) - 1;
    if (c->large) /* plain loops would take long */
        return;
    const double told = orthant_result_history(device, last, 3),
                 found = problem_loss(p, device, !strcmp(c->loss, "kl"));
    compare_number(c, "end", "the loss by plain loops", found, told,
                   fmax(found, is_single(c) ? 1e-2 * orthant_result_history(device, 0, 3) : 0),
                   is_single(c) ? 1e-4 : 1e-11);
}

static void check_fit(const device_case *c)
{
    test_problem p;
    make_data(c, &p);
    orthant_model *model = make_model(c, &p, "25");
    orthant_result *device = fit_on(c, &p, c->kind, model);
    if (device) {
        orthant_result *host = fit_on(c, &p, "cpu", model), *again = fit_on(c, &p, c->kind, model);
        assert_string_equal(orthant_result_device(host), "cpu");
        assert_int_equal(strncmp(orthant_result_device(device), c->kind, strlen(c->kind)), 0);
        if (by_coordinates(c))
            compare_descents(c, host, device);
        else
            compare_histories(c, host, device, tolerance_of(c));
        check_loss(c, &p, device);
        if (!factors_identical(device, again))
            fail_msg("%s: two runs on the device differ", name_of(c));
        orthant_result_free(host);
        orthant_result_free(again);
    }
    orthant_result_free(device);
    orthant_model_free(model);
    problem_free(&p);
}

static void test_fits(void **state)
{
    each_case(*state, check_fit);
}

/* With products that may be rounded the objective stays near. */
static void check_rounding(const device_case *c)
{
    test_problem p;
    if (!is_single(c) || strcmp(c->solver, "mu") != 0)
        return;
    make_data(c, &p);
    orthant_context_set_product_rounding(p.ctx, true);
    orthant_model *model = make_model(c, &p, "25");
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
    each_case(*state, check_rounding);
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
    make_data(c, &p);
    orthant_model *model = make_model(c, &p, "23");
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
            fail_msg("%s: a fit that goes on from its checkpoint differs", name_of(c));
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
    const device_run *run = *state, small = {run->kind, false};
    each_case(&small, check_resumed);
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
        fail_msg("%s, %s: %d iterations one by one, %d together differ", name_of(c), when,
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
    make_data(c, &p);
    orthant_model *model = make_model(c, &p, "150"), *looked_at = make_model(c, &p, "150");
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
    each_case(*state, check_together);
}

/* ------------------------------------------------------------------ golden cases */

static void test_golden(void **state)
{
    const device_run *run = *state;
    int accepted = 0;
    for (size_t i = 0; i < sizeof factor_cases / sizeof *factor_cases; i++)
        accepted += golden_fit_check(&factor_cases[i], run->kind);
    assert_true(accepted >= 2);
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
    device_run small = {kind, false}, whole = {kind, true};
    const struct CMUnitTest tests[] = {
        {"every verb", test_verbs, NULL, NULL, &small},
        {"whole fits", test_fits, NULL, NULL, &small},
        {"rounded products", test_rounding, NULL, NULL, &small},
        {"looked at, stopped, gone on with", test_resumed, NULL, NULL, &small},
        {"iterations together", test_together, NULL, NULL, &small},
        {"golden cases in double", test_golden, NULL, NULL, &small},
        {"every verb, large", test_verbs, NULL, NULL, &whole},
        {"whole fits, large", test_fits, NULL, NULL, &whole},
        {"rounded products, large", test_rounding, NULL, NULL, &whole}};
    enum { LARGE = 3, ALL = sizeof tests / sizeof *tests };
    return _cmocka_run_group_tests("device", tests, large ? ALL : ALL - LARGE, NULL, NULL);
}
