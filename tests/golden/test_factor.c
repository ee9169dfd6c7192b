/* The factor model against an independent reference: factors after 1, 10 and 100 iterations, and
 * the objective after each, in double precision. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "golden.h"
#include "orthant/orthant.h"

typedef struct golden_case {
    const char *name, *method;
    const char *parameters[3][2];
    const char *graph, *pooling;
    bool labels;
    const char *basis, *encoding;
    bool encoding_transposed; /* the file holds k x n */
} golden_case;

static const golden_case cases[] = {
    {.name = "pos_nmf_f", .method = "nmf"},
    {.name = "pos_nmf_kl", .method = "nmf-kl"},
    {.name = "pos_tnmf_ones",
     .method = "tnmf",
     .parameters = {{"pooling_weight", "10"}, {"epsilon", "1e-6"}}},
    {.name = "pos_tnmf_ones", .method = "tnmf", .pooling = "H.csv"},
    {.name = "pos_tnmf_grid", .method = "tnmf", .pooling = "H.csv"},
    {.name = "pos_tnmf_asym",
     .method = "tnmf",
     .parameters = {{"pooling_weight", "1"}},
     .pooling = "H.csv"},
    {.name = "pos_tnmf_ones_small", .method = "tnmf", .parameters = {{"pooling_weight", "0.01"}}},
    {.name = "pos_cdnmf_f_0.1",
     .method = "cdnmf",
     .parameters = {{"class_weight", "0.1"}},
     .labels = true},
    {.name = "pos_cdnmf_f_1", .method = "cdnmf", .labels = true},
    {.name = "pos_cdnmf_f_10",
     .method = "cdnmf",
     .parameters = {{"class_weight", "10"}},
     .labels = true},
    {.name = "pos_cdnmf_f_r2",
     .method = "cdnmf",
     .parameters = {{"basis_per_class", "2"}},
     .labels = true},
    {.name = "pos_cdnmf_kl_1",
     .method = "cdnmf-kl",
     .parameters = {{"class_weight", "1"}},
     .labels = true},
    {.name = "pos_cdnmf_kl_10", .method = "cdnmf-kl", .labels = true},
    {.name = "pos_cdnmf_kl_r2",
     .method = "cdnmf-kl",
     .parameters = {{"class_weight", "1"}, {"basis_per_class", "2"}},
     .labels = true},
    {.name = "pos_nlcf_0.01",
     .method = "nlcf",
     .parameters = {{"local_weight", "0.01"}},
     .basis = "U",
     .encoding = "V",
     .encoding_transposed = true},
    {.name = "pos_nlcf_0.1",
     .method = "nlcf",
     .parameters = {{"local_weight", "0.1"}},
     .basis = "U",
     .encoding = "V",
     .encoding_transposed = true},
    {.name = "pos_nlcf_1",
     .method = "nlcf",
     .parameters = {{"local_weight", "1"}},
     .basis = "U",
     .encoding = "V",
     .encoding_transposed = true},
    {.name = "pos_nlcfg_0.1_1",
     .method = "nlcf-g",
     .parameters = {{"local_weight", "0.1"}, {"graph_weight", "1"}},
     .graph = "G.csv",
     .basis = "U",
     .encoding = "V",
     .encoding_transposed = true},
    {.name = "pos_nlcfg_0.1_100",
     .method = "nlcf-g",
     .parameters = {{"local_weight", "0.1"}, {"graph_weight", "100"}},
     .graph = "G.csv",
     .basis = "U",
     .encoding = "V",
     .encoding_transposed = true},
    {.name = "pos_gnmf_1_UV",
     .method = "gnmf",
     .parameters = {{"graph_weight", "1"}},
     .graph = "G.csv",
     .basis = "U",
     .encoding = "V"},
    {.name = "pos_gnmf_100_UV", .method = "gnmf", .graph = "G.csv", .basis = "U", .encoding = "V"},
    {.name = "pos_gnmf_heat",
     .method = "gnmf",
     .parameters = {{"graph_weight", "10"}},
     .graph = "G.csv",
     .basis = "U",
     .encoding = "V"},
    {.name = "pos_sgnmf",
     .method = "gnmf",
     .parameters = {{"graph_weight", "10"}},
     .graph = "G.csv",
     .basis = "U",
     .encoding = "V"},
    {.name = "pos_sgnmf",
     .method = "sgnmf",
     .parameters = {{"graph_weight", "10"}},
     .graph = "G.csv",
     .labels = true,
     .basis = "U",
     .encoding = "V"},
    {.name = "pos_sgnmf",
     .method = "sgnmf",
     .parameters = {{"graph_weight", "10"}},
     .labels = true,
     .basis = "U",
     .encoding = "V"},
    {.name = "pos_nnsc_0.05",
     .method = "nnsc",
     .parameters = {{"sparsity_weight", "0.05"}},
     .basis = "A",
     .encoding_transposed = true},
    {.name = "pos_nnsc_0.5",
     .method = "nnsc",
     .parameters = {{"sparsity_weight", "0.5"}},
     .basis = "A",
     .encoding_transposed = true},
};

/* Everything that a case brings, so that one function can release it. */
typedef struct loaded_case {
    const golden_case *row;
    orthant_context *ctx;
    orthant_matrix *X, *basis, *encoding, *pooling, *graph_matrix;
    orthant_graph *graph;
    orthant_labels *labels;
    orthant_model *model;
} loaded_case;

static orthant_matrix *factor_of(const loaded_case *c, const char *when, bool basis)
{
    char file[64];
    const golden_case *row = c->row;
    const char *letter =
        basis ? (row->basis ? row->basis : "W") : (row->encoding ? row->encoding : "S");
    snprintf(file, sizeof file, "%s_%s.csv", when, letter);
    return golden_matrix(c->ctx, row->name, file, !basis && row->encoding_transposed);
}

static void must(const loaded_case *c, orthant_status status)
{
    if (status)
        fail_msg("%s: %s", c->row->name, orthant_message(c->ctx));
}

static void load_labels(loaded_case *c)
{
    int64_t rows, columns, values[64];
    double *numbers = golden_read(c->row->name, "labels.csv", &rows, &columns);
    assert_true(rows * columns <= 64);
    for (int64_t i = 0; i < rows * columns; i++)
        values[i] = (int64_t)numbers[i];
    must(c, orthant_labels_create(c->ctx, rows * columns, values, &c->labels));
    free(numbers);
}

static void load(loaded_case *c, const golden_case *row)
{
    memset(c, 0, sizeof *c);
    c->row = row;
    assert_int_equal(orthant_context_create(&c->ctx), ORTHANT_OK);
    orthant_context_set_precision(c->ctx, ORTHANT_DOUBLE);
    c->X = golden_matrix(c->ctx, row->name, "X.csv", true);
    c->basis = factor_of(c, "init", true);
    c->encoding = factor_of(c, "init", false);
    must(c, orthant_model_create(c->ctx, row->method, orthant_matrix_columns(c->basis), &c->model));
    for (int i = 0; i < 3 && row->parameters[i][0]; i++)
        must(c, orthant_model_set(c->model, row->parameters[i][0], row->parameters[i][1]));
    must(c, orthant_model_set(c->model, "tolerance", "0"));
    must(c, orthant_model_set_start(c->model, "basis", c->basis));
    must(c, orthant_model_set_start(c->model, "encoding", c->encoding));
    if (row->pooling) {
        c->pooling = golden_matrix(c->ctx, row->name, row->pooling, false);
        must(c, orthant_model_set_pooling(c->model, c->pooling));
    }
    if (row->graph) {
        c->graph_matrix = golden_matrix(c->ctx, row->name, row->graph, false);
        must(c, orthant_graph_from_matrix(c->ctx, c->graph_matrix, &c->graph));
        must(c, orthant_model_set_graph(c->model, c->graph));
    }
    if (row->labels) {
        load_labels(c);
        must(c, orthant_model_set_labels(c->model, c->labels));
    }
}

static void unload(loaded_case *c)
{
    orthant_model_free(c->model);
    orthant_labels_free(c->labels);
    orthant_graph_free(c->graph);
    orthant_matrix_free(c->graph_matrix);
    orthant_matrix_free(c->pooling);
    orthant_matrix_free(c->encoding);
    orthant_matrix_free(c->basis);
    orthant_matrix_free(c->X);
    assert_int_equal(orthant_context_memory(c->ctx), 0);
    orthant_context_free(c->ctx);
}

/* The largest difference over the reference's largest entry. */
static double relative_difference(const orthant_matrix *found, const orthant_matrix *expected)
{
    double largest = 0, difference = 0;
    assert_int_equal(orthant_matrix_rows(found), orthant_matrix_rows(expected));
    assert_int_equal(orthant_matrix_columns(found), orthant_matrix_columns(expected));
    for (int64_t i = 0; i < orthant_matrix_rows(found); i++)
        for (int64_t j = 0; j < orthant_matrix_columns(found); j++) {
            const double a = orthant_matrix_get(found, i, j),
                         b = orthant_matrix_get(expected, i, j);
            largest = fmax(largest, fabs(b));
            difference = fmax(difference, isfinite(a) ? fabs(a - b) : INFINITY);
        }
    assert_true(largest > 0);
    return difference / largest;
}

static void check_factor(const loaded_case *c, const orthant_result *result, const char *when,
                         const char *name, double tolerance)
{
    orthant_matrix *expected = factor_of(c, when, !strcmp(name, "basis"));
    const double difference = relative_difference(orthant_result_factor(result, name), expected);
    if (!(difference <= tolerance))
        fail_msg("%s as %s, %s %s: relative difference %g, allowed %g", c->row->name,
                 c->row->method, when, name, difference, tolerance);
    orthant_matrix_free(expected);
}

static void check_objective(const loaded_case *c, const orthant_result *result)
{
    int64_t rows, columns;
    double *expected = golden_read(c->row->name, "obj.csv", &rows, &columns);
    assert_int_equal(rows * columns, 101);
    assert_int_equal(orthant_result_history_rows(result), 101);
    for (int64_t i = 0; i <= 100; i++) {
        const double found = orthant_result_history(result, i, 2);
        /* Sums of the size of the first objective are what rounding is relative to. */
        const double allowed = 1e-9 * fabs(expected[i]) + 1e-13 * fabs(expected[0]);
        if (!(fabs(found - expected[i]) <= allowed))
            fail_msg("%s: objective %.17g after %d iterations, expected %.17g", c->row->name, found,
                     (int)i, expected[i]);
    }
    free(expected);
}

static void test_case(void **state)
{
    static const struct {
        const char *count, *when;
    } stops[] = {{"1", "iter1"}, {"10", "iter10"}, {"100", "iter100"}};
    loaded_case c;
    load(&c, *state);
    for (int i = 0; i < 3; i++) {
        orthant_result *result = NULL;
        const double amplification = golden_amplification(c.row->name, stops[i].count);
        const double tolerance = (i == 0 ? 1e-12 : 1e-9) * fmax(1, amplification);
        must(&c, orthant_model_set(c.model, "iterations", stops[i].count));
        must(&c, orthant_fit(c.model, c.X, &result));
        check_factor(&c, result, stops[i].when, "basis", tolerance);
        check_factor(&c, result, stops[i].when, "encoding", tolerance);
        if (i == 2)
            check_objective(&c, result);
        orthant_result_free(result);
    }
    unload(&c);
}

int main(void)
{
    enum { COUNT = sizeof cases / sizeof *cases };
    struct CMUnitTest tests[COUNT];
    char names[COUNT][64];
    for (int i = 0; i < COUNT; i++) {
        snprintf(names[i], sizeof names[i], "%s as %s", cases[i].name, cases[i].method);
        tests[i] =
            (struct CMUnitTest){names[i], test_case, NULL, NULL, (void *)(uintptr_t)&cases[i]};
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
