/* Loss and every term by plain loops. */
#include "objective.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct plain {
    orthant_context *ctx;
    const orthant_matrix *samples;
    const orthant_labels *labels;
    int64_t n, m, k;
    double *X, *W, *S; /* n x m, m x k, n x k */
} plain;

static double *values_of(const orthant_matrix *matrix)
{
    const int64_t rows = orthant_matrix_rows(matrix), columns = orthant_matrix_columns(matrix);
    double *values = calloc((size_t)(rows * columns), sizeof *values);
    assert_non_null(values);
    for (int64_t i = 0; i < rows * columns; i++)
        values[i] = orthant_matrix_get(matrix, i / columns, i % columns);
    return values;
}

/* A beta divergence, as it is written in books; a fit of nothing counts as 1e-12. */
static double beta_of(double b, double x, double fit)
{
    const double y = fmax(fit, 1e-12);
    return b == 0   ? x / y - log(x / y) - 1
           : b == 1 ? (x > 0 ? x * log(x / y) : 0) - x + y
                    : (pow(x, b) + (b - 1) * pow(y, b) - b * x * pow(y, b - 1)) / (b * (b - 1));
}

static double entry_loss(const char *name, double x, double y)
{
    const double r = fabs(x - y), parameter = strchr(name, ':') ? atof(strchr(name, ':') + 1) : 0;
    if (!strcmp(name, "kl") || !strcmp(name, "is"))
        return beta_of(!strcmp(name, "kl"), x, y);
    if (!strncmp(name, "beta:", 5))
        return beta_of(parameter, x, y);
    if (!strncmp(name, "huber:", 6))
        return r < parameter ? r * r / 2 : parameter * (r - parameter / 2);
    return !strcmp(name, "l1") ? r : r * r;
}

static double loss_of(const plain *p, const char *name)
{
    double total = 0;
    for (int64_t i = 0; i < p->n; i++)
        for (int64_t f = 0; f < p->m; f++) {
            const double x = p->X[i * p->m + f];
            double y = 0;
            for (int64_t j = 0; j < p->k; j++)
                y += p->W[f * p->k + j] * p->S[i * p->k + j];
            total += entry_loss(name, x, y);
        }
    return total;
}

/* ---- of either factor, rows x k ---- */

static double sum_of(const double *a, int64_t rows, int64_t k)
{
    double total = 0;
    for (int64_t e = 0; e < rows * k; e++)
        total += a[e];
    return total;
}

static double squares_of(const double *a, int64_t rows, int64_t k)
{
    double total = 0;
    for (int64_t e = 0; e < rows * k; e++)
        total += a[e] * a[e];
    return total;
}

/* Differences of rows that follow each other. */
static double steps_of(const double *a, int64_t rows, int64_t k)
{
    double total = 0;
    for (int64_t e = k; e < rows * k; e++)
        total += pow(a[e] - a[e - k], 2);
    return total;
}

/* Products of different columns. */
static double products_of(const double *a, int64_t rows, int64_t k)
{
    double total = 0;
    for (int64_t e = 0; e < rows * k; e++)
        for (int64_t j = 0; j < k; j++)
            total += j == e % k ? 0 : a[e] * a[e / k * k + j];
    return total;
}

/* ---- of both ---- */

/* One unit that pools all: k units of ones. */
static double topographic_of(const plain *p)
{
    double total = 0;
    for (int64_t i = 0; i < p->n; i++) {
        double pooled = 1e-6;
        for (int64_t j = 0; j < p->k; j++)
            pooled += p->S[i * p->k + j] * p->S[i * p->k + j];
        total += (double)p->k * sqrt(pooled);
    }
    return total;
}

static double local_of(const plain *p)
{
    double total = 0;
    for (int64_t i = 0; i < p->n; i++)
        for (int64_t j = 0; j < p->k; j++) {
            double apart = 0;
            for (int64_t f = 0; f < p->m; f++)
                apart += pow(p->W[f * p->k + j] - p->X[i * p->m + f], 2);
            total += p->S[i * p->k + j] * apart;
        }
    return total;
}

/* Classes are numbered by their labels' order. */
static double class_of(const plain *p)
{
    double total = 0;
    int64_t seen[1024], classes = 0;
    for (int64_t i = 0; i < p->n; i++) {
        const int64_t label = orthant_labels_values(p->labels)[i];
        int64_t at = 0;
        while (at < classes && seen[at] < label)
            at++;
        if (label < 0 || (at < classes && seen[at] == label))
            continue;
        memmove(seen + at + 1, seen + at, (size_t)(classes - at) * sizeof *seen);
        seen[at] = label;
        assert_true(++classes < 1024);
    }
    for (int64_t i = 0; i < p->n; i++)
        for (int64_t j = 0; j < p->k; j++) {
            const int64_t label = orthant_labels_values(p->labels)[i];
            total += label >= 0 && (j >= classes || seen[j] != label) ? p->S[i * p->k + j] : 0;
        }
    return total;
}

static double graph_of(const plain *p)
{
    orthant_graph *graph = NULL;
    double total = 0;
    assert_int_equal(
        orthant_graph_neighbours(p->ctx, p->samples, 5, ORTHANT_EDGE_BINARY, 0, &graph),
        ORTHANT_OK);
    for (int64_t i = 0; i < p->n; i++)
        for (int64_t l = 0; l < i; l++) {
            const double edge = orthant_graph_edge(graph, i, l);
            for (int64_t j = 0; j < p->k && edge != 0; j++)
                total += edge * pow(p->S[i * p->k + j] - p->S[l * p->k + j], 2);
        }
    orthant_graph_free(graph);
    return total;
}

/* The trace of (S'S + 0.01 I)^-1: Gauss and Jordan without pivots, the matrix is definite. */
static double a_optimal_of(const plain *p)
{
    const int64_t k = p->k;
    double *a = calloc((size_t)(k * k), sizeof *a), trace = 0;
    assert_non_null(a);
    for (int64_t i = 0; i < p->n; i++)
        for (int64_t j = 0; j < k; j++)
            for (int64_t l = 0; l < k; l++)
                a[j * k + l] += p->S[i * k + j] * p->S[i * k + l];
    for (int64_t j = 0; j < k; j++)
        a[j * k + j] += 0.01;
    for (int64_t j = 0; j < k; j++) { /* in place: column j becomes that of the inverse */
        const double pivot = a[j * k + j];
        a[j * k + j] = 1;
        for (int64_t l = 0; l < k; l++)
            a[j * k + l] /= pivot;
        for (int64_t i = 0; i < k; i++) {
            const double factor = a[i * k + j];
            if (i == j)
                continue;
            a[i * k + j] = 0;
            for (int64_t l = 0; l < k; l++)
                a[i * k + l] -= factor * a[j * k + l];
        }
    }
    for (int64_t j = 0; j < k; j++)
        trace += a[j * k + j];
    free(a);
    return trace;
}

/* log det(W'W / 0.1 + I): the logarithms of the pivots of Gauss. */
static double volume_of(const plain *p)
{
    const int64_t k = p->k;
    double *a = calloc((size_t)(k * k), sizeof *a), total = 0;
    assert_non_null(a);
    for (int64_t f = 0; f < p->m; f++)
        for (int64_t e = 0; e < k * k; e++)
            a[e] += p->W[f * k + e / k] * p->W[f * k + e % k] / 0.1;
    for (int64_t j = 0; j < k; j++)
        a[j * k + j] += 1;
    for (int64_t j = 0; j < k; j++) {
        total += log(a[j * k + j]);
        for (int64_t i = j + 1; i < k; i++)
            for (int64_t l = k - 1; l >= j; l--)
                a[i * k + l] -= a[i * k + j] / a[j * k + j] * a[j * k + l];
    }
    free(a);
    return total;
}

static double term_of(const plain *p, const char *name)
{
    static const struct {
        const char *encoding, *basis; /* the term on either factor */
        double (*value)(const double *a, int64_t rows, int64_t k);
    } of_factors[] = {{"sparsity", "sparsity-basis", sum_of},
                      {"ridge", "ridge-basis", squares_of},
                      {"smooth", "smooth-basis", steps_of},
                      {"orthogonal", "orthogonal-basis", products_of}};
    static const struct {
        const char *name;
        double (*value)(const plain *p);
    } terms[] = {{"topographic", topographic_of},
                 {"local", local_of},
                 {"class", class_of},
                 {"graph", graph_of},
                 {"a-optimal", a_optimal_of},
                 {"volume", volume_of}};
    for (size_t t = 0; t < sizeof of_factors / sizeof *of_factors; t++) {
        if (!strcmp(of_factors[t].encoding, name))
            return of_factors[t].value(p->S, p->n, p->k);
        if (!strcmp(of_factors[t].basis, name))
            return of_factors[t].value(p->W, p->m, p->k);
    }
    for (size_t t = 0; t < sizeof terms / sizeof *terms; t++)
        if (!strcmp(terms[t].name, name))
            return terms[t].value(p);
    fail_msg("the term '%s' has no plain loop", name);
    return NAN;
}

double plain_objective(const orthant_model *model, const orthant_matrix *samples,
                       const orthant_labels *labels, const orthant_result *result)
{
    const orthant_matrix *W = orthant_result_factor(result, "basis"),
                         *S = orthant_result_factor(result, "encoding");
    orthant_context *ctx = NULL;
    char loss[64];
    assert_int_equal(orthant_context_create(&ctx), ORTHANT_OK);
    assert_int_equal(orthant_model_get(model, "loss", loss, sizeof loss), ORTHANT_OK);
    const plain p = {ctx,
                     samples,
                     labels,
                     orthant_matrix_rows(samples),
                     orthant_matrix_columns(samples),
                     orthant_matrix_columns(W),
                     values_of(samples),
                     values_of(W),
                     values_of(S)};
    double total = loss_of(&p, loss);
    for (int t = 0; t < orthant_model_term_count(model); t++)
        total += orthant_model_term_weight(model, t) * term_of(&p, orthant_model_term(model, t));
    free(p.X);
    free(p.W);
    free(p.S);
    orthant_context_free(ctx);
    return total;
}
