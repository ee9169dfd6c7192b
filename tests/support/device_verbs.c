/* Every verb of a device, beside the host's function of the same name: factors, sums and values. */
#include "device_walk.h"

#include "fixture.h"

#include <math.h>

#include "core/random.h"
#include "engine/sweep_device.h"
#include "engine/term.h"
#include "loss/losses.h"
#include "method/fit.h"
#include "orthant/device.h"
#include "solver/solvers.h"
#include "term/terms.h"

typedef struct side {
    orthant_model *model;
    orthant_graph *near, *classes; /* neighbours; and all members of a class */
    orthant_matrix *pooling;
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

/* What the term needs, with weights and sizes of its own. */
static void make_needs(const device_case *c, const test_problem *p, side *s)
{
    orthant_context *ctx = p->ctx;
    if (!strcmp(c->term, "graph")) {
        expect_ok(ctx, orthant_graph_neighbours(ctx, p->X, 3, ORTHANT_EDGE_COSINE, 0, &s->near));
        expect_ok(ctx, graph_with_classes(ctx, s->near, p->labels, 1, &s->classes));
    }
    if (!strcmp(c->term, "topographic")) {
        expect_ok(ctx, matrix_new_dense(ctx, c->precision, c->shape.rank + 2, c->shape.rank,
                                        &s->pooling));
        fill(s->pooling, 5);
        s->model->pooling = s->pooling;
    }
}

static void describe_side(const device_case *c, const test_problem *p, side *s)
{
    *s = (side){.model = device_case_model(c, p, "1")};
    if (c->term)
        make_needs(c, p, s);
    const fit f = {.ctx = p->ctx, .model = s->model, .samples = p->X, .graph = s->classes};
    s->problem = fit_problem(&f);
    s->problem.loss = loss_find(c->loss);
    s->problem.solver = solver_find(c->solver);
    s->problem.terms = s->terms;
    s->problem.term_count = c->term ? 1 : 0;
    if (!c->term)
        return;
    s->terms[0] = (term){.kind = term_kind_find(c->term),
                         .ctx = p->ctx,
                         .weight = c->weight,
                         .gain = c->weight * s->problem.loss->gain};
}

static void make_side(const device_case *c, const test_problem *p, bool on_device, side *s)
{
    describe_side(c, p, s);
    s->problem.on_device = on_device;
    if (c->term && s->terms[0].kind->setup)
        expect_ok(p->ctx, s->terms[0].kind->setup(&s->terms[0], &s->problem));
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
    if (s->terms[0].kind && s->terms[0].kind->release)
        s->terms[0].kind->release(&s->terms[0]);
    orthant_matrix_free(s->basis);
    orthant_matrix_free(s->encoding);
    orthant_matrix_free(s->pooling);
    orthant_graph_free(s->near);
    orthant_graph_free(s->classes);
    orthant_model_free(s->model);
}

static double entry(const device_case *c, array a, int64_t i, int64_t j)
{
    return device_case_single(c) ? (double)((const float *)a.data)[i * a.stride + j]
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
    if (worst > device_case_tolerance(c) * largest)
        fail_msg("%s, %s: %s(%d, %d) is %.9g on the device, %.9g on the host: %.3g apart, largest "
                 "%.3g",
                 device_case_name(c), when, what, (int)at_row, (int)at_column,
                 entry(c, device, at_row, at_column), entry(c, host, at_row, at_column), worst,
                 largest);
}

/* By the sums' rounding the host's quadratic loss is relative to |X|^2 in single precision. */
static double loss_scale(const device_case *c, const side *host, double value)
{
    const bool rounded = device_case_single(c) && !strcmp(c->loss, "frobenius");
    return fmax(fabs(value), rounded ? 0.1 * host->sweep.data_squares : 0);
}

static void compare_values(const device_case *c, const char *when, const side *host,
                           const side *device)
{
    double here[2] = {0}, there[2] = {0};
    sweep_measure(&host->sweep, here);
    sweep_measure(&device->sweep, there);
    device_compare_number(c, when, "the loss", here[0], there[0], loss_scale(c, host, here[0]),
                          device_case_tolerance(c));
    device_compare_number(c, when, "the term", here[1], there[1], fabs(here[1]),
                          device_case_tolerance(c));
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
    compare_array(c, when, "X'S", a->sums.XS, a->plan.keeps_products ? b->sums.XS : b->sums.A);
    for (int64_t j = 0; a->plan.keeps_columns && j < c->shape.rank; j++)
        device_compare_number(c, when, "a column's sum", a->sums.columns[j], b->sums.columns[j],
                              fabs(a->sums.columns[j]), device_case_tolerance(c));
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
    device_compare_number(c, "end", "the projected gradient",
                          sweep_projected_gradient(&host->sweep),
                          sweep_projected_gradient(&device->sweep), 1, device_case_tolerance(c));
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
        device_compare_number(c, "descent", "the objective", objective_of(host),
                              objective_of(device), begin, NEAR);
    }
}

void device_check_verbs(const device_case *c)
{
    test_problem p;
    side host, device, asked;
    device_case_data(c, &p);
    expect_ok(p.ctx, orthant_context_set_device(p.ctx, c->kind));
    describe_side(c, &p, &asked);
    if (sweep_device_accepts(&asked.problem)) {
        device_case_refused(c, orthant_message(p.ctx));
        free_side(&asked);
        problem_free(&p);
        return;
    }
    free_side(&asked);
    make_side(c, &p, false, &host);
    make_side(c, &p, true, &device);
    if (device_case_descends(c))
        compare_descent(c, &host, &device);
    else
        compare_ratios(c, &host, &device);
    expect_ok(p.ctx, sweep_check(&device.sweep));
    free_side(&host);
    free_side(&device);
    problem_free(&p);
}
