/* Golden cases that leave no kernel and no block of the sweep aside: tall, wide and sparse data,
 * the latter dense and as CSR, ranks above one vector and not a multiple of it. Factors after 1, 10
 * and 100 iterations and the objective after each, in double precision; the same bytes for 1, 2 and
 * 3 threads. Of the factors the weighted sums of tests/golden/README.md are compared. Emulated,
 * which ORTHANT_EMULATED says, and sanitized, fits end after 10 iterations: the other 90 take
 * minutes by the same instructions. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fixture.h"

#include <cmocka.h>

#include "golden.h"
#include "orthant/orthant.h"
#include "problem.h"

enum { TALL = 1, WIDE = 2, SPARSE = 4, EVERY = TALL | WIDE | SPARSE };

/* A form of data: what is in tests/golden/FOLDER, and how the library is given it. */
typedef struct data_form {
    const char *folder;
    int shape;
    bool csr;
} data_form;

static const data_form forms[] = {{"large_tall", TALL, false},
                                  {"large_wide", WIDE, false},
                                  {"large_sparse", SPARSE, false},
                                  {"large_sparse", SPARSE, true}};
enum { FORMS = sizeof forms / sizeof *forms };

typedef struct large_case {
    const char *name, *method;
    int shapes;
    const char *parameters[2][2];
    bool graph, labels, pooling;
    const char *factors[2]; /* NULL: basis and encoding */
    const char *starts[2];  /* files of the shape; NULL: as the factors */
} large_case;

static const large_case cases[] = {
    {.name = "nmf_f", .method = "nmf", .shapes = EVERY},
    {.name = "nmf_kl", .method = "nmf-kl", .shapes = EVERY},
    {.name = "tnmf",
     .method = "tnmf",
     .shapes = EVERY,
     .parameters = {{"pooling_weight", "1"}, {"epsilon", "1e-6"}},
     .pooling = true},
    {.name = "cdnmf_f",
     .method = "cdnmf",
     .shapes = EVERY,
     .parameters = {{"class_weight", "1"}},
     .labels = true},
    {.name = "cdnmf_kl",
     .method = "cdnmf-kl",
     .shapes = EVERY,
     .parameters = {{"class_weight", "1"}},
     .labels = true},
    {.name = "nlcf", .method = "nlcf", .shapes = EVERY, .parameters = {{"local_weight", "0.1"}}},
    {.name = "nlcfg",
     .method = "nlcf-g",
     .shapes = EVERY,
     .parameters = {{"local_weight", "0.1"}, {"graph_weight", "1"}},
     .graph = true},
    {.name = "gnmf",
     .method = "gnmf",
     .shapes = EVERY,
     .parameters = {{"graph_weight", "10"}},
     .graph = true},
    {.name = "cnmf_f",
     .method = "cnmf",
     .shapes = EVERY,
     .labels = true,
     .factors = {"basis", "auxiliary"}},
    {.name = "cnmf_kl",
     .method = "cnmf-kl",
     .shapes = EVERY,
     .labels = true,
     .factors = {"basis", "auxiliary"}},
    {.name = "nnsc", .method = "nnsc", .shapes = WIDE, .parameters = {{"sparsity_weight", "0.05"}}},
    {.name = "grpnmf",
     .method = "grpnmf",
     .shapes = EVERY,
     .parameters = {{"graph_weight", "1"}},
     .graph = true,
     .factors = {"encoding"}},
    {.name = "onmf", .method = "onmf", .shapes = EVERY},
    {.name = "cf",
     .method = "cf",
     .shapes = WIDE | SPARSE,
     .factors = {"weights", "encoding"},
     .starts = {"weights", "cf_encoding"}},
    {.name = "convex",
     .method = "convex-nmf",
     .shapes = WIDE | SPARSE,
     .factors = {"weights", "encoding"},
     .starts = {"weights", "cf_encoding"}},
};
enum { CASES = sizeof cases / sizeof *cases };

/* Everything that a case brings, so that one function can release it. */
typedef struct loaded_case {
    const data_form *form;
    const large_case *row;
    char folder[64]; /* of the case: large_tall/nmf_f */
    orthant_context *ctx;
    orthant_matrix *X, *graph_matrix, *pooling, *starts[2];
    orthant_graph *graph;
    orthant_labels *labels;
    orthant_model *model;
} loaded_case;

static void must(const loaded_case *c, orthant_status status)
{
    if (status)
        fail_msg("%s: %s", c->folder, orthant_message(c->ctx));
}

/* The index-th factor's name; NULL past the last. */
static const char *factor_name(const large_case *row, int index)
{
    static const char *const usual[] = {"basis", "encoding"};
    return index > 1 ? NULL : row->factors[0] ? row->factors[index] : usual[index];
}

/* The zeros of the data are left out. */
static orthant_matrix *as_csr(const loaded_case *c, const orthant_matrix *dense)
{
    const int64_t n = orthant_matrix_rows(dense), m = orthant_matrix_columns(dense);
    const size_t most = (size_t)(n * m);
    int64_t *start = calloc((size_t)n + 1, sizeof *start), *column = calloc(most, sizeof *column);
    double *value = calloc(most, sizeof *value);
    orthant_matrix *sparse = NULL;
    assert_true(start && column && value);
    for (int64_t i = 0, stored = 0; i < n; i++) {
        for (int64_t j = 0; j < m; j++) {
            const double x = orthant_matrix_get(dense, i, j);
            if (x == 0)
                continue;
            column[stored] = j;
            value[stored++] = x;
        }
        start[i + 1] = stored;
    }
    must(c, orthant_matrix_create_csr(c->ctx, n, m, start, column, value, &sparse));
    free(start);
    free(column);
    free(value);
    return sparse;
}

static void load_data(loaded_case *c)
{
    c->X = golden_matrix(c->ctx, c->form->folder, "X.npy", true);
    if (c->form->csr) {
        orthant_matrix *dense = c->X;
        c->X = as_csr(c, dense);
        orthant_matrix_free(dense);
    }
    assert_true(orthant_matrix_is_sparse(c->X) == c->form->csr);
}

static void load_needs(loaded_case *c)
{
    char path[1024];
    if (c->row->graph) {
        golden_path(c->form->folder, "graph.mtx", path, sizeof path);
        must(c, orthant_matrix_read(c->ctx, path, NULL, &c->graph_matrix, NULL));
        must(c, orthant_graph_from_matrix(c->ctx, c->graph_matrix, &c->graph));
        must(c, orthant_model_set_graph(c->model, c->graph));
    }
    if (c->row->labels) {
        golden_path(c->form->folder, "labels.npy", path, sizeof path);
        must(c, orthant_labels_read(c->ctx, path, &c->labels));
        must(c, orthant_model_set_labels(c->model, c->labels));
    }
    if (c->row->pooling) {
        c->pooling = golden_matrix(c->ctx, c->form->folder, "pooling.npy", false);
        must(c, orthant_model_set_pooling(c->model, c->pooling));
    }
}

static void load(loaded_case *c, const data_form *form, const large_case *row)
{
    memset(c, 0, sizeof *c);
    c->form = form;
    c->row = row;
    snprintf(c->folder, sizeof c->folder, "%s/%s", form->folder, row->name);
    assert_int_equal(orthant_context_create(&c->ctx), ORTHANT_OK);
    orthant_context_set_precision(c->ctx, ORTHANT_DOUBLE);
    load_data(c);
    for (int i = 0; factor_name(row, i); i++) {
        char file[64];
        snprintf(file, sizeof file, "%s.npy",
                 row->starts[i] ? row->starts[i] : factor_name(row, i));
        c->starts[i] = golden_matrix(c->ctx, form->folder, file, false);
    }
    must(c, orthant_model_create(c->ctx, row->method, orthant_matrix_columns(c->starts[0]),
                                 &c->model));
    for (int i = 0; factor_name(row, i); i++)
        must(c, orthant_model_set_start(c->model, factor_name(row, i), c->starts[i]));
    for (int i = 0; i < 2 && row->parameters[i][0]; i++)
        must(c, orthant_model_set(c->model, row->parameters[i][0], row->parameters[i][1]));
    must(c, orthant_model_set(c->model, "tolerance", "0"));
    load_needs(c);
}

static void unload(loaded_case *c)
{
    orthant_model_free(c->model);
    orthant_labels_free(c->labels);
    orthant_graph_free(c->graph);
    orthant_matrix_free(c->graph_matrix);
    orthant_matrix_free(c->pooling);
    orthant_matrix_free(c->starts[0]);
    orthant_matrix_free(c->starts[1]);
    orthant_matrix_free(c->X);
    assert_int_equal(orthant_context_memory(c->ctx), 0);
    orthant_context_free(c->ctx);
}

static orthant_result *fit_on(const loaded_case *c, int threads, const char *iterations)
{
    orthant_result *result = NULL;
    must(c, orthant_context_set_threads(c->ctx, threads));
    must(c, orthant_model_set(c->model, "iterations", iterations));
    must(c, orthant_fit(c->model, c->X, &result));
    return result;
}

/* Each row's sum with weights that differ from column to column, then each column's, into `sums`;
 * the largest modulus of an entry. */
static double weighted_sums(const orthant_matrix *factor, double *sums)
{
    const int64_t n = orthant_matrix_rows(factor), k = orthant_matrix_columns(factor);
    double largest = 0;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < k; j++) {
            const double value = orthant_matrix_get(factor, i, j);
            sums[i] += (1 + (double)j / (double)k) * value;
            sums[n + j] += (1 + (double)i / (double)n) * value;
            largest = fmax(largest, fabs(value));
        }
    return largest;
}

/* The sums stand in row `stop` of the case's file for the factor. */
static void check_factor(const loaded_case *c, const orthant_result *result, const char *name,
                         int stop, double tolerance)
{
    char file[64];
    const orthant_matrix *found = orthant_result_factor(result, name);
    const int64_t n = orthant_matrix_rows(found), count = n + orthant_matrix_columns(found);
    double *sums = calloc((size_t)count, sizeof *sums);
    assert_non_null(sums);
    const double allowed = tolerance * weighted_sums(found, sums);
    snprintf(file, sizeof file, "%s.npy", name);
    orthant_matrix *expected = golden_matrix(c->ctx, c->folder, file, false);
    assert_int_equal(orthant_matrix_columns(expected), count);
    for (int64_t i = 0; i < count; i++) {
        const double difference = fabs(sums[i] - orthant_matrix_get(expected, stop, i));
        if (!(difference <= allowed))
            fail_msg("%s as %s, stop %d: %s, the sum of %s %d differs by %g, allowed %g", c->folder,
                     c->form->csr ? "CSR" : "dense", stop, name, i < n ? "row" : "column",
                     (int)(i < n ? i : i - n), difference, allowed);
    }
    orthant_matrix_free(expected);
    free(sums);
}

static void check_case(const data_form *form, const large_case *row)
{
    static const char *const stops[] = {"1", "10", "100"};
    const int last = SANITIZED || getenv("ORTHANT_EMULATED") ? 1 : 2;
    loaded_case c;
    load(&c, form, row);
    for (int stop = 0; stop <= last; stop++) {
        const double amplification = golden_amplification(c.folder, stops[stop]),
                     tolerance = (stop == 0 ? 1e-12 : 1e-9) * fmax(1, amplification);
        orthant_result *one = fit_on(&c, 1, stops[stop]);
        for (int i = 0; factor_name(row, i); i++)
            check_factor(&c, one, factor_name(row, i), stop, tolerance);
        for (int threads = 2; stop == 1 && threads <= 3; threads++) {
            orthant_result *more = fit_on(&c, threads, stops[stop]);
            if (!factors_identical(one, more))
                fail_msg("%s: %d threads give other bytes than one", c.folder, threads);
            orthant_result_free(more);
        }
        if (stop == last)
            golden_check_objective(c.folder, one, atoi(stops[stop]));
        orthant_result_free(one);
    }
    unload(&c);
}

static void test_case(void **state)
{
    const large_case *row = *state;
    for (int f = 0; f < FORMS; f++)
        if (forms[f].shape & row->shapes)
            check_case(&forms[f], row);
}

int main(void)
{
    struct CMUnitTest tests[CASES];
    for (int i = 0; i < CASES; i++)
        tests[i] = (struct CMUnitTest){cases[i].method, test_case, NULL, NULL,
                                       (void *)(uintptr_t)&cases[i]};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
