#include "golden_fit.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "golden.h"
#include "problem.h"

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

static const char *encoding_factor(const golden_case *row)
{
    return row->encoding_factor ? row->encoding_factor : "encoding";
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
    must(c, orthant_model_set_start(c->model, encoding_factor(row), c->encoding));
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

static void check_factor(const loaded_case *c, const orthant_result *result, const char *when,
                         const char *name, double tolerance)
{
    orthant_matrix *expected = factor_of(c, when, !strcmp(name, "basis"));
    const double difference = factor_difference(orthant_result_factor(result, name), expected);
    if (!(difference <= tolerance))
        fail_msg("%s as %s, %s %s: relative difference %g, allowed %g", c->row->name,
                 c->row->method, when, name, difference, tolerance);
    orthant_matrix_free(expected);
}

bool golden_fit_check(const golden_case *row, const char *device)
{
    static const struct {
        const char *count, *when;
    } stops[] = {{"1", "iter1"}, {"10", "iter10"}, {"100", "iter100"}};
    loaded_case c;
    bool accepted = true;
    load(&c, row);
    must(&c, orthant_context_set_device(c.ctx, device));
    for (int i = 0; i < 3 && accepted; i++) {
        orthant_result *result = NULL;
        const double amplification = golden_amplification(c.row->name, stops[i].count);
        const double tolerance = (i == 0 ? 1e-12 : 1e-9) * fmax(1, amplification);
        must(&c, orthant_model_set(c.model, "iterations", stops[i].count));
        const orthant_status status = orthant_fit(c.model, c.X, &result);
        if (strcmp(device, "cpu") != 0 && status == ORTHANT_ERROR_UNSUPPORTED) {
            print_message("%s as %s: refused: %s\n", row->name, row->method,
                          orthant_message(c.ctx));
            accepted = false;
            break;
        }
        must(&c, status);
        check_factor(&c, result, stops[i].when, "basis", tolerance);
        check_factor(&c, result, stops[i].when, encoding_factor(c.row), tolerance);
        if (i == 2)
            golden_check_objective(c.row->name, result, 100);
        orthant_result_free(result);
    }
    unload(&c);
    return accepted;
}
