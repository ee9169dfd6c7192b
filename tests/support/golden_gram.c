#include "golden_gram.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "golden.h"
#include "orthant/device.h"
#include "problem.h"

const gram_case gram_cases[GRAM_CASES] = {
    {"pos_grpnmf_0", "grpnmf", {{"graph_weight", "0"}}, {{"H", "encoding"}}, false},
    {"pos_grpnmf_0", "grpnmf", {{"graph_weight", "0"}}, {{"H", "encoding"}}, true},
    {"pos_grpnmf_1", "grpnmf", {{"graph_weight", "1"}}, {{"H", "encoding"}}, true},
    {"pos_grpnmf_10", "grpnmf", {{NULL, NULL}}, {{"H", "encoding"}}, true},
    {"pos_grpnmf_plus",
     "grpnmf+",
     {{"first_weight", "0.01"}, {"stages", "2"}, {"stage_iterations", "5"}},
     {{"H", "encoding"}},
     true},
    {"pos_grpnmf_mixed", "grpnmf", {{"graph_weight", "1"}}, {{"H", "encoding"}}, true},
    {"pos_grpnmf_0", "cluster-nmf", {{NULL, NULL}}, {{"H", "encoding"}}, false},
    {"pos_cluster_mixed", "cluster-nmf", {{NULL, NULL}}, {{"H", "encoding"}}, false},
    {"pos_kernel", "kernel-nmf", {{NULL, NULL}}, {{"W", "weights"}, {"G", "encoding"}}, false},
    {"pos_pnmf_third", "pnmf", {{NULL, NULL}}, {{"W", "basis"}}, false},
    {"pos_pnmf_norm", "pnmf", {{"rule", "classic"}}, {{"W", "basis"}}, false},
    {"pos_convex", "convex-nmf", {{NULL, NULL}}, {{"W", "weights"}, {"G", "encoding"}}, false},
    {"pos_convex_mixed",
     "convex-nmf",
     {{NULL, NULL}},
     {{"W", "weights"}, {"G", "encoding"}},
     false},
    {"pos_onmf", "onmf", {{NULL, NULL}}, {{"F", "basis"}, {"G", "encoding"}}, false},
    {"pos_cf", "cf", {{NULL, NULL}}, {{"W", "weights"}, {"V", "encoding"}}, false},
    {"pos_cf_mixed", "cf", {{NULL, NULL}}, {{"W", "weights"}, {"V", "encoding"}}, false},
};

orthant_matrix *gram_case_factor(orthant_context *ctx, const gram_case *row, const char *when,
                                 int index)
{
    char file[64];
    snprintf(file, sizeof file, "%s_%s.csv", when, row->factors[index][0]);
    return golden_matrix(ctx, row->name, file, false);
}

int gram_case_factors(const gram_case *row)
{
    return row->factors[1][0] ? 2 : 1;
}

static void must(orthant_context *ctx, const gram_case *row, orthant_status status)
{
    if (status)
        fail_msg("%s: %s", row->name, orthant_message(ctx));
}

static void check_factors(orthant_context *ctx, const gram_case *row, const orthant_result *result,
                          const char *when, double tolerance)
{
    for (int i = 0; i < gram_case_factors(row); i++) {
        orthant_matrix *expected = gram_case_factor(ctx, row, when, i);
        const double difference =
            factor_difference(orthant_result_factor(result, row->factors[i][1]), expected);
        if (!(difference <= tolerance))
            fail_msg("%s, %s %s: relative difference %g, allowed %g", row->name, when,
                     row->factors[i][1], difference, tolerance);
        orthant_matrix_free(expected);
    }
}

bool golden_gram_check(const gram_case *row, const char *device)
{
    static const struct {
        const char *count, *when;
    } stops[] = {{"1", "iter1"}, {"10", "iter10"}, {"100", "iter100"}};
    orthant_context *ctx = NULL;
    bool accepted = true;
    assert_int_equal(orthant_context_create(&ctx), ORTHANT_OK);
    orthant_context_set_precision(ctx, ORTHANT_DOUBLE);
    must(ctx, row, orthant_context_set_device(ctx, device));
    orthant_matrix *X = golden_matrix(ctx, row->name, "X.csv", true), *starts[2] = {NULL},
                   *S = NULL;
    orthant_graph *graph = NULL;
    orthant_model *model = NULL;
    for (int i = 0; i < gram_case_factors(row); i++)
        starts[i] = gram_case_factor(ctx, row, "init", i);
    must(ctx, row,
         orthant_model_create(ctx, row->method, orthant_matrix_columns(starts[0]), &model));
    for (int i = 0; i < gram_case_factors(row); i++)
        must(ctx, row, orthant_model_set_start(model, row->factors[i][1], starts[i]));
    for (int i = 0; i < 3 && row->parameters[i][0]; i++)
        must(ctx, row, orthant_model_set(model, row->parameters[i][0], row->parameters[i][1]));
    must(ctx, row, orthant_model_set(model, "tolerance", "0"));
    if (row->graph) {
        S = golden_matrix(ctx, row->name, "S.csv", false);
        must(ctx, row, orthant_graph_from_matrix(ctx, S, &graph));
        must(ctx, row, orthant_model_set_graph(model, graph));
    }
    for (int i = 0; i < 3 && accepted; i++) {
        orthant_result *result = NULL;
        const double amplification = golden_amplification(row->name, stops[i].count);
        must(ctx, row, orthant_model_set(model, "iterations", stops[i].count));
        const orthant_status status = orthant_fit(model, X, &result);
        if (strcmp(device, "cpu") != 0 && status == ORTHANT_ERROR_UNSUPPORTED) {
            print_message("%s as %s: refused: %s\n", row->name, row->method, orthant_message(ctx));
            accepted = false;
            break;
        }
        must(ctx, row, status);
        check_factors(ctx, row, result, stops[i].when,
                      (i == 0 ? 1e-12 : 1e-9) * fmax(1, amplification));
        if (i == 2)
            golden_check_objective(row->name, result, 100);
        orthant_result_free(result);
    }
    orthant_model_free(model);
    orthant_graph_free(graph);
    orthant_matrix_free(S);
    orthant_matrix_free(starts[0]);
    orthant_matrix_free(starts[1]);
    orthant_matrix_free(X);
    assert_int_equal(orthant_context_memory(ctx), 0);
    orthant_context_free(ctx);
    return accepted;
}
