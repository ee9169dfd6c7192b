/* Draws the problems and fits them. */
#include "problem.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/random.h"

#include <cmocka.h>

void problem_make(test_problem *p, problem_shape shape)
{
    const double density = shape.density > 0 ? shape.density : 0.6;
    const size_t count = (size_t)(shape.samples * shape.features);
    double *values = calloc(count, sizeof *values), *stored = calloc(count, sizeof *stored);
    int64_t *start = calloc((size_t)shape.samples + 1, sizeof *start),
            *column = calloc(count, sizeof *column);
    int64_t *label = calloc((size_t)shape.samples, sizeof *label);
    memset(p, 0, sizeof *p);
    for (int64_t i = 0; i < shape.samples; i++) {
        start[i + 1] = start[i];
        label[i] = i % 2 ? -1 : (i / 2) % 4;
        for (int64_t j = 0; j < shape.features; j++) {
            const double u =
                random_uniform(shape.seed, RANDOM_TEST, (uint64_t)i, (uint64_t)(2 * j));
            /* one sample is all zero, and parts of the features go with the classes */
            if (i == shape.samples / 3 || u > density)
                continue;
            const double value =
                random_uniform(shape.seed, RANDOM_TEST, (uint64_t)i, (uint64_t)(2 * j + 1)) *
                ((i / 2) % 4 == j % 4 ? 3 : 1);
            values[i * shape.features + j] = value;
            column[start[i + 1]] = j;
            stored[start[i + 1]++] = value;
        }
    }
    assert_int_equal(orthant_context_create(&p->ctx), ORTHANT_OK);
    orthant_context_set_precision(p->ctx, shape.precision);
    assert_int_equal(
        shape.sparse ? orthant_matrix_create_csr(p->ctx, shape.samples, shape.features, start,
                                                 column, stored, &p->X)
                     : orthant_matrix_create(p->ctx, shape.samples, shape.features, values, &p->X),
        ORTHANT_OK);
    assert_int_equal(orthant_labels_create(p->ctx, shape.samples, label, &p->labels), ORTHANT_OK);
    free(values);
    free(stored);
    free(start);
    free(column);
    free(label);
}

void problem_free(test_problem *p)
{
    orthant_labels_free(p->labels);
    orthant_matrix_free(p->X);
    assert_int_equal(orthant_context_memory(p->ctx), 0);
    orthant_context_free(p->ctx);
}

/* X again, dense, with other entries. */
static void change_entries(test_problem *p, double scale, double zero)
{
    const int64_t rows = orthant_matrix_rows(p->X), columns = orthant_matrix_columns(p->X);
    double *values = calloc((size_t)(rows * columns), sizeof *values);
    for (int64_t i = 0; i < rows * columns; i++) {
        const double x = orthant_matrix_get(p->X, i / columns, i % columns);
        values[i] = x == 0 ? zero : scale * x;
    }
    orthant_matrix_free(p->X);
    assert_int_equal(orthant_matrix_create(p->ctx, rows, columns, values, &p->X), ORTHANT_OK);
    free(values);
}

void problem_scale(test_problem *p, double scale)
{
    change_entries(p, scale, 0);
}

void problem_fill(test_problem *p)
{
    change_entries(p, 1, 0.1);
}

orthant_model *problem_model(const test_problem *p, const char *method, int64_t rank,
                             const char *iterations)
{
    orthant_model *model = NULL;
    if (orthant_model_create(p->ctx, method, rank, &model) ||
        orthant_model_set(model, "iterations", iterations) ||
        orthant_model_set(model, "tolerance", "0") || orthant_model_set_labels(model, p->labels))
        fail_msg("%s: %s", method, orthant_message(p->ctx));
    return model;
}

orthant_result *problem_fit(const test_problem *p, const orthant_model *model)
{
    orthant_result *result = NULL;
    if (orthant_fit(model, p->X, &result))
        fail_msg("%s: %s", orthant_model_method(model), orthant_message(p->ctx));
    return result;
}

double problem_loss(const test_problem *p, const orthant_result *result, bool kl)
{
    const orthant_matrix *W = orthant_result_factor(result, "basis"),
                         *S = orthant_result_factor(result, "encoding");
    double total = 0;
    for (int64_t i = 0; i < orthant_matrix_rows(p->X); i++)
        for (int64_t f = 0; f < orthant_matrix_columns(p->X); f++) {
            const double x = orthant_matrix_get(p->X, i, f);
            double y = 0;
            for (int64_t j = 0; j < orthant_matrix_columns(W); j++)
                y += orthant_matrix_get(W, f, j) * orthant_matrix_get(S, i, j);
            total += kl ? (x > 0 ? x * log(x / y) : 0) - x + y : (x - y) * (x - y);
        }
    return total;
}

double factor_difference(const orthant_matrix *a, const orthant_matrix *b)
{
    double largest = 0, difference = 0;
    assert_int_equal(orthant_matrix_rows(a), orthant_matrix_rows(b));
    assert_int_equal(orthant_matrix_columns(a), orthant_matrix_columns(b));
    for (int64_t i = 0; i < orthant_matrix_rows(a); i++)
        for (int64_t j = 0; j < orthant_matrix_columns(a); j++) {
            const double x = orthant_matrix_get(a, i, j), y = orthant_matrix_get(b, i, j);
            largest = fmax(largest, fabs(y));
            difference = fmax(difference, isfinite(x) && isfinite(y) ? fabs(x - y) : INFINITY);
        }
    return largest > 0 ? difference / largest : difference;
}

bool factors_identical(const orthant_result *a, const orthant_result *b)
{
    for (int f = 0; f < orthant_result_factor_count(a); f++) {
        const char *name = orthant_result_factor_name(a, f);
        const orthant_matrix *x = orthant_result_factor(a, name),
                             *y = orthant_result_factor(b, name);
        for (int64_t i = 0; i < orthant_matrix_rows(x); i++)
            for (int64_t j = 0; j < orthant_matrix_columns(x); j++) {
                const double u = orthant_matrix_get(x, i, j), v = orthant_matrix_get(y, i, j);
                if (memcmp(&u, &v, sizeof u))
                    return false;
            }
    }
    return orthant_result_factor_count(a) == orthant_result_factor_count(b);
}
