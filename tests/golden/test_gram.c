/* Projective, orthogonal, concept and convex factorisations against an independent reference, in
 * double precision: factors after 1, 10 and 100 iterations and the objective after each through the
 * library, the factors after 100 through the command. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "files.h"
#include "golden.h"
#include "orthant/orthant.h"
#include "problem.h"

typedef struct gram_case {
    const char *name, *method;
    const char *parameters[3][2];
    const char *factors[2][2]; /* letter in the files, our name */
    bool graph;                /* S.csv */
} gram_case;

static const gram_case cases[] = {
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
enum { CASES = sizeof cases / sizeof *cases };

static orthant_matrix *factor_of(orthant_context *ctx, const gram_case *row, const char *when,
                                 int index)
{
    char file[64];
    snprintf(file, sizeof file, "%s_%s.csv", when, row->factors[index][0]);
    return golden_matrix(ctx, row->name, file, false);
}

static int factor_count(const gram_case *row)
{
    return row->factors[1][0] ? 2 : 1;
}

static void must(orthant_context *ctx, const gram_case *row, orthant_status status)
{
    if (status)
        fail_msg("%s: %s", row->name, orthant_message(ctx));
}

static orthant_context *new_context(void)
{
    orthant_context *ctx = NULL;
    assert_int_equal(orthant_context_create(&ctx), ORTHANT_OK);
    orthant_context_set_precision(ctx, ORTHANT_DOUBLE);
    return ctx;
}

/* ------------------------------------------------------------------ through the library */

static void check_factors(orthant_context *ctx, const gram_case *row, const orthant_result *result,
                          const char *when, double tolerance)
{
    for (int i = 0; i < factor_count(row); i++) {
        orthant_matrix *expected = factor_of(ctx, row, when, i);
        const double difference =
            factor_difference(orthant_result_factor(result, row->factors[i][1]), expected);
        if (!(difference <= tolerance))
            fail_msg("%s, %s %s: relative difference %g, allowed %g", row->name, when,
                     row->factors[i][1], difference, tolerance);
        orthant_matrix_free(expected);
    }
}

static void test_library(void **state)
{
    static const struct {
        const char *count, *when;
    } stops[] = {{"1", "iter1"}, {"10", "iter10"}, {"100", "iter100"}};
    const gram_case *row = *state;
    orthant_context *ctx = new_context();
    orthant_matrix *X = golden_matrix(ctx, row->name, "X.csv", true), *starts[2] = {NULL},
                   *S = NULL;
    orthant_graph *graph = NULL;
    orthant_model *model = NULL;
    for (int i = 0; i < factor_count(row); i++)
        starts[i] = factor_of(ctx, row, "init", i);
    must(ctx, row,
         orthant_model_create(ctx, row->method, orthant_matrix_columns(starts[0]), &model));
    for (int i = 0; i < factor_count(row); i++)
        must(ctx, row, orthant_model_set_start(model, row->factors[i][1], starts[i]));
    for (int i = 0; i < 3 && row->parameters[i][0]; i++)
        must(ctx, row, orthant_model_set(model, row->parameters[i][0], row->parameters[i][1]));
    must(ctx, row, orthant_model_set(model, "tolerance", "0"));
    if (row->graph) {
        S = golden_matrix(ctx, row->name, "S.csv", false);
        must(ctx, row, orthant_graph_from_matrix(ctx, S, &graph));
        must(ctx, row, orthant_model_set_graph(model, graph));
    }
    for (int i = 0; i < 3; i++) {
        orthant_result *result = NULL;
        const double amplification = golden_amplification(row->name, stops[i].count);
        must(ctx, row, orthant_model_set(model, "iterations", stops[i].count));
        must(ctx, row, orthant_fit(model, X, &result));
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
}

/* ------------------------------------------------------------------ through the command */

static void append(char *text, size_t size, const char *format, ...)
{
    const size_t length = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + length, size - length, format, arguments);
    va_end(arguments);
    assert_true(strlen(text) + 1 < size);
}

/* Writes a matrix as .npy in the folder. */
static void put(orthant_context *ctx, orthant_matrix *matrix, const char *as)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s.npy", files_folder(), as);
    if (orthant_matrix_write(ctx, matrix, path))
        fail_msg("%s", orthant_message(ctx));
    orthant_matrix_free(matrix);
}

static void prepare(orthant_context *ctx, const gram_case *row, char *command, size_t size)
{
    orthant_matrix *first = factor_of(ctx, row, "init", 0);
    snprintf(command, size, "%s fit %s/X.npy -m %s -k %d", getenv("ORTHANT_COMMAND"),
             files_folder(), row->method, (int)orthant_matrix_columns(first));
    orthant_matrix_free(first);
    put(ctx, golden_matrix(ctx, row->name, "X.csv", true), "X");
    for (int i = 0; i < factor_count(row); i++) {
        put(ctx, factor_of(ctx, row, "init", i), row->factors[i][1]);
        append(command, size, " --start %s=%s/%s.npy", row->factors[i][1], files_folder(),
               row->factors[i][1]);
    }
    for (int i = 0; i < 3 && row->parameters[i][0]; i++)
        append(command, size, " -p %s=%s", row->parameters[i][0], row->parameters[i][1]);
    if (row->graph) {
        put(ctx, golden_matrix(ctx, row->name, "S.csv", false), "G");
        append(command, size, " --graph %s/G.npy", files_folder());
    }
    append(command, size,
           " --iterations 100 --tolerance 0 --precision double --quiet --force -o %s/run",
           files_folder());
    append(command, size, " > /dev/null");
}

static void test_command(void **state)
{
    const gram_case *row = *state;
    char command[4096], path[512];
    orthant_context *ctx = new_context();
    prepare(ctx, row, command, sizeof command);
    const int status = system(command);
    if (!WIFEXITED(status) || WEXITSTATUS(status))
        fail_msg("%s: exit %d", command, status);
    for (int i = 0; i < factor_count(row); i++) {
        orthant_matrix *found = NULL, *expected = factor_of(ctx, row, "iter100", i);
        snprintf(path, sizeof path, "%s/run/%s.npy", files_folder(), row->factors[i][1]);
        must(ctx, row, orthant_matrix_read(ctx, path, NULL, &found, NULL));
        const double difference = factor_difference(found, expected);
        if (!(difference <= 1e-9 * fmax(1, golden_amplification(row->name, "100"))))
            fail_msg("%s: %s differs by %g", row->name, row->factors[i][1], difference);
        orthant_matrix_free(found);
        orthant_matrix_free(expected);
    }
    orthant_context_free(ctx);
}

int main(void)
{
    struct CMUnitTest tests[2 * CASES];
    char names[2 * CASES][64];
    for (int i = 0; i < 2 * CASES; i++) {
        const gram_case *row = &cases[i / 2];
        snprintf(names[i], sizeof names[i], "%s through the %s", row->name,
                 i % 2 ? "command" : "library");
        tests[i] = (struct CMUnitTest){names[i], i % 2 ? test_command : test_library, NULL, NULL,
                                       (void *)(uintptr_t)row};
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
