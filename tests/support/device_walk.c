#include "device_walk.h"

#include "fixture.h"

#include <math.h>
#include <stdio.h>

#include "term/terms.h"

#define SPARSITY_WEIGHT 3 /* under which extrapolated steps rise, and are repeated */
#define OTHER_WEIGHT 0.3

/* The first ones are for devices of plain loops too. */
#define FEW_SHAPES 2
static const device_shape small_shapes[] = {{61, 47, 5},  {9, 7, 1},    {70, 130, 17},
                                            {40, 400, 3}, {70, 50, 33}, {75, 72, 70}};
static const device_shape large_shapes[] = {{5000, 784, 10},  {3000, 2000, 64}, {777, 1999, 130},
                                            {20000, 100, 50}, {1025, 900, 32},  {900, 1101, 100},
                                            {5501, 772, 50},  {7003, 601, 25}};
static const device_shape term_shapes_small[] = {{61, 47, 5}, {50, 70, 9}, {70, 50, 33}};

static const char *const solvers[][2] = {
    {"frobenius", "mu"}, {"kl", "mu"}, {"frobenius", "emu"}, {"kl", "emu"}, {"frobenius", "hals"}};
#define SOLVERS (sizeof solvers / sizeof *solvers)

bool device_case_single(const device_case *c)
{
    return c->precision == ORTHANT_SINGLE;
}

bool device_case_descends(const device_case *c)
{
    return !strcmp(c->solver, "hals");
}

double device_case_tolerance(const device_case *c)
{
    return device_case_single(c) ? 1e-5 : 1e-12;
}

const char *device_case_name(const device_case *c)
{
    static char text[160];
    snprintf(text, sizeof text, "%s %s%s%s, %s %s, %d x %d, k %d", c->loss, c->solver,
             c->term ? " + " : "", c->term ? c->term : "",
             device_case_single(c) ? "single" : "double", c->sparse ? "CSR" : "dense",
             (int)c->shape.samples, (int)c->shape.features, (int)c->shape.rank);
    return text;
}

void device_case_data(const device_case *c, test_problem *p)
{
    const problem_shape of = {.samples = c->shape.samples,
                              .features = c->shape.features,
                              .precision = c->precision,
                              .sparse = c->sparse,
                              .seed = 7};
    problem_make(p, of);
}

orthant_model *device_case_model(const device_case *c, const test_problem *p,
                                 const char *iterations)
{
    orthant_model *model =
        problem_model(p, !strcmp(c->loss, "kl") ? "nmf-kl" : "nmf", c->shape.rank, iterations);
    expect_ok(p->ctx, orthant_model_set(model, "solver", c->solver));
    if (c->term)
        expect_ok(p->ctx, orthant_model_add_term(model, c->term, c->weight));
    return model;
}

void device_each_case(const device_run *run, void (*check)(const device_case *c))
{
    const int all = run->large ? sizeof large_shapes / sizeof *large_shapes
                               : sizeof small_shapes / sizeof *small_shapes,
              count = run->every ? all : FEW_SHAPES;
    for (int i = 0; i < count; i += SANITIZED ? 2 : 1)
        for (size_t s = 0; s < SOLVERS; s++)
            for (int kind = 0; kind < 8; kind++) {
                if (run->large && kind != 1 && kind != 2 && kind != 7)
                    continue;
                const device_case c = {.kind = run->kind,
                                       .loss = solvers[s][0],
                                       .solver = solvers[s][1],
                                       .precision = kind & 1 ? ORTHANT_SINGLE : ORTHANT_DOUBLE,
                                       .sparse = kind & 2,
                                       .term = kind & 4 ? "sparsity" : NULL,
                                       .weight = SPARSITY_WEIGHT,
                                       .large = run->large,
                                       .shape = (run->large ? large_shapes : small_shapes)[i]};
                check(&c);
            }
}

void device_each_term(const device_run *run, void (*check)(const device_case *c))
{
    const int shapes = run->every ? sizeof term_shapes_small / sizeof *term_shapes_small : 1;
    for (int i = 0; i < shapes; i++)
        for (int t = 0; t < term_kind_count(); t++)
            for (size_t s = 0; s < SOLVERS; s++)
                for (int kind = 0; kind < 4; kind++) {
                    const device_case c = {.kind = run->kind,
                                           .loss = solvers[s][0],
                                           .solver = solvers[s][1],
                                           .precision = kind & 1 ? ORTHANT_SINGLE : ORTHANT_DOUBLE,
                                           .sparse = kind & 2,
                                           .term = term_kind_at(t)->name,
                                           .weight = OTHER_WEIGHT,
                                           .shape = term_shapes_small[i]};
                    if (!device_case_descends(&c))
                        check(&c);
                }
}

void device_each_piece(const device_run *run, void (*check)(const device_case *c))
{
    static const device_shape shapes[] = {{400, 37, 4}, {900, 130, 20}};
    static const char *const terms[] = {NULL, "local", "graph"};
    for (int i = 0; i < (run->every ? 2 : 1); i++)
        for (size_t s = 0; s < SOLVERS; s++)
            for (int single = 0; single < 2; single++)
                for (size_t t = 0; t < sizeof terms / sizeof *terms; t++) {
                    const device_case c = {.kind = run->kind,
                                           .loss = solvers[s][0],
                                           .solver = solvers[s][1],
                                           .precision = single ? ORTHANT_SINGLE : ORTHANT_DOUBLE,
                                           .term = terms[t],
                                           .weight = OTHER_WEIGHT,
                                           .shape = shapes[i]};
                    if (!terms[t] || !device_case_descends(&c))
                        check(&c);
                }
}

void device_case_refused(const device_case *c, const char *message)
{
    if (!device_case_descends(c))
        fail_msg("%s: refused: %s", device_case_name(c), message);
    print_message("%s: refused: %s\n", device_case_name(c), message);
}

void device_compare_number(const device_case *c, const char *when, const char *what, double host,
                           double device, double scale, double tolerance)
{
    if (!(fabs(host - device) <= tolerance * scale))
        fail_msg("%s, %s: %s is %.9g on the device, %.9g on the host: %.3g of %.3g apart",
                 device_case_name(c), when, what, device, host, fabs(host - device) / scale, scale);
}
