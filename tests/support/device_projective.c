#include "device_projective.h"

#include "fixture.h"

#include <math.h>
#include <stdio.h>

#include "golden.h"
#include "orthant/device.h"
#include "problem.h"

typedef struct projective_case {
    const char *method, *weight, *exponent; /* NULL: the default */
} projective_case;

static const projective_case cases[] = {{"grpnmf", NULL, NULL},
                                        {"grpnmf", "0", NULL},
                                        {"grpnmf", "100", "1"},
                                        {"cluster-nmf", NULL, NULL},
                                        {"cluster-nmf", NULL, "1"}};

typedef struct projective_shape {
    int64_t samples, features, rank;
} projective_shape;

/* The last ones are not for plain loops. */
#define FEW_SHAPES 3
static const projective_shape shapes[] = {{61, 7, 3},   {130, 30, 5},  {9, 4, 1},     {1000, 3, 12},
                                          {700, 5, 25}, {14459, 3, 5}, {40000, 17, 8}};

static const char *name_of(const projective_case *c, const projective_shape *shape, bool single)
{
    static char text[160];
    snprintf(text, sizeof text, "%s, graph_weight %s, exponent %s, %s, %d x %d, k %d", c->method,
             c->weight ? c->weight : "10", c->exponent ? c->exponent : "0.25",
             single ? "single" : "double", (int)shape->samples, (int)shape->features,
             (int)shape->rank);
    return text;
}

static orthant_result *fit_on(const test_problem *p, const orthant_model *model, const char *device)
{
    expect_ok(p->ctx, orthant_context_set_device(p->ctx, device));
    return problem_fit(p, model);
}

static void compare(const char *name, const orthant_result *host, const orthant_result *device,
                    double tolerance)
{
    const double first = orthant_result_history(host, 0, 2);
    assert_int_equal(orthant_result_history_columns(host), orthant_result_history_columns(device));
    assert_int_equal(orthant_result_history_rows(host), orthant_result_history_rows(device));
    for (int64_t row = 0; row < orthant_result_history_rows(host); row++)
        for (int column = 2; column < orthant_result_history_columns(host); column++) {
            const double here = orthant_result_history(host, row, column),
                         there = orthant_result_history(device, row, column);
            if (!(fabs(here - there) <= tolerance * first))
                fail_msg("%s, iteration %d, %s: %.12g on the host, %.12g on the device", name,
                         (int)row, orthant_result_history_column(host, column), here, there);
        }
    const double apart = factor_difference(orthant_result_factor(device, "encoding"),
                                           orthant_result_factor(host, "encoding"));
    if (!(apart <= 100 * tolerance))
        fail_msg("%s: encodings differ by %g", name, apart);
}

static bool stop_after_seven(void *user, const orthant_result *result)
{
    int *calls = user;
    (*calls)++;
    return orthant_result_iterations(result) != 7;
}

/* Stopped and gone on with, it has the bits of one that was not. */
static void check_resumed(const test_problem *p, orthant_model *model, const char *name,
                          const orthant_result *whole)
{
    const char *path = files_path("projective.checkpoint");
    orthant_result *stopped = NULL, *resumed = NULL;
    int calls = 0;
    expect_ok(p->ctx, orthant_model_set_checkpoint(model, path, 1e9));
    expect_ok(p->ctx, orthant_model_set_iteration(model, stop_after_seven, &calls));
    expect_ok(p->ctx, orthant_fit(model, p->X, &stopped));
    assert_int_equal(calls, 7);
    expect_ok(p->ctx, orthant_model_set_iteration(model, NULL, NULL));
    expect_ok(p->ctx, orthant_model_set_resume(model, path));
    expect_ok(p->ctx, orthant_fit(model, p->X, &resumed));
    if (!factors_identical(whole, resumed))
        fail_msg("%s: a fit that goes on from its checkpoint differs", name);
    orthant_result_free(stopped);
    orthant_result_free(resumed);
    expect_ok(p->ctx, orthant_checkpoint_remove(p->ctx, path));
}

static void check_case(const projective_case *c, const projective_shape *shape, bool single,
                       const char *kind)
{
    test_problem p;
    const char *name = name_of(c, shape, single);
    problem_make(&p, (problem_shape){.samples = shape->samples,
                                     .features = shape->features,
                                     .precision = single ? ORTHANT_SINGLE : ORTHANT_DOUBLE,
                                     .seed = 11});
    /* With exponent 1 steps that raise the objective are taken again, and close to the end rounding
     * decides which these are. */
    orthant_model *model = problem_model(&p, c->method, shape->rank, c->exponent ? "12" : "25");
    if (c->weight)
        expect_ok(p.ctx, orthant_model_set(model, "graph_weight", c->weight));
    if (c->exponent)
        expect_ok(p.ctx, orthant_model_set(model, "exponent", c->exponent));
    orthant_result *host = fit_on(&p, model, "cpu"), *device = fit_on(&p, model, kind),
                   *again = fit_on(&p, model, kind);
    assert_int_equal(strncmp(orthant_result_device(device), kind, strlen(kind)), 0);
    compare(name, host, device, single ? 1e-5 : 1e-11);
    if (!factors_identical(device, again))
        fail_msg("%s: two runs on the device differ", name);
    check_resumed(&p, model, name, device);
    orthant_result_free(host);
    orthant_result_free(device);
    orthant_result_free(again);
    orthant_model_free(model);
    problem_free(&p);
}

void device_check_projective(const char *kind, bool large)
{
    const size_t count = large ? sizeof shapes / sizeof *shapes : FEW_SHAPES;
    for (size_t i = 0; i < count; i++)
        for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
            for (int single = 0; single < 2 && (!cases[c].exponent || shapes[i].rank > 1); single++)
                check_case(&cases[c], &shapes[i], single, kind);
}

/* ------------------------------------------------------------------ golden cases */

static void check_golden(const char *name, const char *method, const char *weight, bool has_graph,
                         const char *kind)
{
    static const char *const counts[] = {"1", "10", "100"};
    orthant_context *ctx = NULL;
    orthant_graph *graph = NULL;
    orthant_model *model = NULL;
    orthant_matrix *S = NULL;
    assert_int_equal(orthant_context_create(&ctx), ORTHANT_OK);
    orthant_context_set_precision(ctx, ORTHANT_DOUBLE);
    expect_ok(ctx, orthant_context_set_device(ctx, kind));
    orthant_matrix *X = golden_matrix(ctx, name, "X.csv", true),
                   *start = golden_matrix(ctx, name, "init_H.csv", false);
    expect_ok(ctx, orthant_model_create(ctx, method, orthant_matrix_columns(start), &model));
    expect_ok(ctx, orthant_model_set_start(model, "encoding", start));
    expect_ok(ctx, orthant_model_set(model, "tolerance", "0"));
    if (weight)
        expect_ok(ctx, orthant_model_set(model, "graph_weight", weight));
    if (has_graph) {
        S = golden_matrix(ctx, name, "S.csv", false);
        expect_ok(ctx, orthant_graph_from_matrix(ctx, S, &graph));
        expect_ok(ctx, orthant_model_set_graph(model, graph));
    }
    for (int i = 0; i < 3; i++) {
        orthant_result *result = NULL;
        char file[32];
        snprintf(file, sizeof file, "iter%s_H.csv", counts[i]);
        orthant_matrix *expected = golden_matrix(ctx, name, file, false);
        expect_ok(ctx, orthant_model_set(model, "iterations", counts[i]));
        expect_ok(ctx, orthant_fit(model, X, &result));
        const double apart = factor_difference(orthant_result_factor(result, "encoding"), expected),
                     allowed =
                         (i == 0 ? 1e-12 : 1e-9) * fmax(1, golden_amplification(name, counts[i]));
        if (!(apart <= allowed))
            fail_msg("%s, %s iterations: relative difference %g, allowed %g", name, counts[i],
                     apart, allowed);
        if (i == 2)
            golden_check_objective(name, result, 100);
        orthant_matrix_free(expected);
        orthant_result_free(result);
    }
    orthant_model_free(model);
    orthant_graph_free(graph);
    orthant_matrix_free(S);
    orthant_matrix_free(start);
    orthant_matrix_free(X);
    assert_int_equal(orthant_context_memory(ctx), 0);
    orthant_context_free(ctx);
}

void device_check_projective_golden(const char *kind)
{
    check_golden("pos_grpnmf_0", "grpnmf", "0", false, kind);
    check_golden("pos_grpnmf_0", "cluster-nmf", NULL, false, kind);
    check_golden("pos_grpnmf_1", "grpnmf", "1", true, kind);
    check_golden("pos_grpnmf_10", "grpnmf", NULL, true, kind);
}
