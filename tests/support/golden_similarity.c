#include "golden_similarity.h"

#include "expect.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "golden.h"
#include "orthant/device.h"
#include "problem.h"

typedef struct loaded_case {
    const similarity_case *row;
    orthant_context *ctx;
    orthant_matrix *K, *starts[SIMILARITY_FACTORS];
    orthant_model *model;
} loaded_case;

static orthant_matrix *factor_of(const loaded_case *c, const char *when, int factor)
{
    char file[64];
    snprintf(file, sizeof file, "%s_%s.csv", when, c->row->factors[factor].letter);
    return golden_matrix(c->ctx, c->row->name, file, c->row->factors[factor].transposed);
}

/* The zeros of a neighbour similarity left out. */
static orthant_matrix *to_sparse(orthant_context *ctx, orthant_matrix *dense)
{
    const int64_t n = orthant_matrix_rows(dense);
    int64_t start[65] = {0}, *column = calloc((size_t)(n * n), sizeof *column), count = 0;
    double *values = calloc((size_t)(n * n), sizeof *values);
    orthant_matrix *sparse = NULL;
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < n; j++)
            if (orthant_matrix_get(dense, i, j) != 0) {
                column[count] = j;
                values[count++] = orthant_matrix_get(dense, i, j);
            }
        start[i + 1] = count;
    }
    expect_ok(ctx, orthant_matrix_create_csr(ctx, n, n, start, column, values, &sparse));
    free(column);
    free(values);
    orthant_matrix_free(dense);
    return sparse;
}

static void load(loaded_case *c, const similarity_case *row, bool sparse)
{
    *c = (loaded_case){.row = row};
    assert_int_equal(orthant_context_create(&c->ctx), ORTHANT_OK);
    orthant_context_set_precision(c->ctx, ORTHANT_DOUBLE);
    c->K = golden_matrix(c->ctx, row->name, "X.csv", false);
    if (sparse)
        c->K = to_sparse(c->ctx, c->K);
    expect_ok(c->ctx, orthant_model_create(c->ctx, row->method, 4, &c->model));
    expect_ok(c->ctx, orthant_model_set_similarity(c->model, c->K));
    expect_ok(c->ctx, orthant_model_set(c->model, "tolerance", "0"));
    for (int i = 0; i < 2 && row->parameters[i][0]; i++)
        expect_ok(c->ctx,
                  orthant_model_set(c->model, row->parameters[i][0], row->parameters[i][1]));
    for (int i = 0; i < SIMILARITY_FACTORS && row->factors[i].name; i++) {
        c->starts[i] = factor_of(c, "init", i);
        expect_ok(c->ctx, orthant_model_set_start(c->model, row->factors[i].name, c->starts[i]));
    }
}

static void unload(loaded_case *c)
{
    orthant_model_free(c->model);
    for (int i = 0; i < SIMILARITY_FACTORS; i++)
        orthant_matrix_free(c->starts[i]);
    orthant_matrix_free(c->K);
    assert_int_equal(orthant_context_memory(c->ctx), 0);
    orthant_context_free(c->ctx);
}

static void check_objective(const loaded_case *c, const orthant_result *result, double tolerance)
{
    int64_t rows, columns;
    double *expected = golden_read(c->row->name, "obj.csv", &rows, &columns);
    assert_int_equal(rows * columns, 101);
    for (int64_t i = 0; i <= 100; i++) {
        const double found = orthant_result_history(result, i, 2);
        if (!(fabs(found - expected[i]) <= tolerance * fabs(expected[i]) + 1e-13 * expected[0]))
            fail_msg("%s: objective %.17g after %d iterations, expected %.17g", c->row->name, found,
                     (int)i, expected[i]);
    }
    free(expected);
}

void golden_similarity_check(const similarity_case *row, bool sparse, const char *device)
{
    static const char *const counts[] = {"1", "10", "100"};
    loaded_case c;
    load(&c, row, sparse);
    expect_ok(c.ctx, orthant_context_set_device(c.ctx, device));
    for (int i = 0; i < 3; i++) {
        char when[16];
        orthant_result *result = NULL;
        const double amplification = fmax(1, golden_amplification(row->name, counts[i]));
        const double allowed = (i == 0 ? 1e-12 : 1e-9) * amplification;
        snprintf(when, sizeof when, "iter%s", counts[i]);
        expect_ok(c.ctx, orthant_model_set(c.model, "iterations", counts[i]));
        expect_ok(c.ctx, orthant_fit(c.model, c.K, &result));
        for (int f = 0; f < SIMILARITY_FACTORS && row->factors[f].name && !row->objective_only;
             f++) {
            orthant_matrix *expected = factor_of(&c, when, f);
            const double difference =
                factor_difference(orthant_result_factor(result, row->factors[f].name), expected);
            if (!(difference <= allowed))
                fail_msg("%s, %s %s: relative difference %g, allowed %g", row->name, when,
                         row->factors[f].name, difference, allowed);
            orthant_matrix_free(expected);
        }
        if (i == 2)
            check_objective(&c, result, 1e-9 * amplification);
        orthant_result_free(result);
    }
    unload(&c);
}
