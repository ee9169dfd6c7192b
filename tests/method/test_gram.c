/* Methods on K = X X': descent on many small problems, the same factors from data and from a given
 * K, graphs with isolated nodes, and what grpnmf, onmf and cf tell beside their factors. */
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/random.h"
#include "orthant/orthant.h"
#include "problem.h"

#include <cmocka.h>

enum { PROBLEMS = 200, MOST = 48 };

typedef struct small_problem {
    orthant_context *ctx;
    int64_t n, m, rank;
    double values[MOST * MOST];
    orthant_matrix *X;
    orthant_graph *graph;
} small_problem;

static double uniform(uint64_t seed, uint64_t row, uint64_t column)
{
    return random_uniform(seed, RANDOM_TEST, row, column);
}

static void must(const small_problem *p, orthant_status status)
{
    if (status)
        fail_msg("%s", orthant_message(p->ctx));
}

static orthant_matrix *as_matrix(orthant_context *ctx, int64_t rows, int64_t columns,
                                 const double *values, bool sparse)
{
    orthant_matrix *matrix = NULL;
    int64_t start[MOST + 1] = {0}, column[MOST * MOST];
    double stored[MOST * MOST];
    for (int64_t i = 0; i < rows; i++) {
        start[i + 1] = start[i];
        for (int64_t j = 0; j < columns; j++)
            if (values[i * columns + j] != 0) {
                column[start[i + 1]] = j;
                stored[start[i + 1]++] = values[i * columns + j];
            }
    }
    const orthant_status status =
        sparse ? orthant_matrix_create_csr(ctx, rows, columns, start, column, stored, &matrix)
               : orthant_matrix_create(ctx, rows, columns, values, &matrix);
    if (status)
        fail_msg("%s", orthant_message(ctx));
    return matrix;
}

/* Many shapes; exact zeros, zero samples, duplicates; some samples have no neighbour. */
static void make(small_problem *p, uint64_t seed, orthant_precision precision, bool mixed,
                 bool sparse)
{
    memset(p, 0, sizeof *p);
    p->n = 1 + (int64_t)(uniform(seed, 0, 0) * 40);
    p->m = 1 + (int64_t)(uniform(seed, 0, 1) * 40);
    p->rank = 1 + (int64_t)(uniform(seed, 0, 2) * (double)(p->n < 6 ? p->n : 6));
    const double density = uniform(seed, 0, 3), scale = pow(10, 6 * uniform(seed, 0, 4) - 3);
    for (int64_t i = 0; i < p->n; i++)
        for (int64_t f = 0; f < p->m; f++) {
            const uint64_t row = (uint64_t)(i % 7 == 5 ? i - 1 : i), column = (uint64_t)f;
            if (i % 11 != 3 && uniform(seed, 1 + row, 2 * column) <= 0.1 + density)
                p->values[i * p->m + f] =
                    scale * (uniform(seed, 1 + row, 2 * column + 1) - (mixed ? 0.4 : 0));
        }
    p->values[0] = scale;
    double adjacency[MOST * MOST] = {0};
    for (int64_t i = 0; i < p->n; i++)
        for (int64_t j = 0; j < i; j++)
            if (i % 5 && j % 5 && uniform(seed, 100 + (uint64_t)i, (uint64_t)j) < 0.2)
                adjacency[i * p->n + j] = adjacency[j * p->n + i] = 1;
    assert_int_equal(orthant_context_create(&p->ctx), ORTHANT_OK);
    orthant_context_set_precision(p->ctx, precision);
    orthant_context_set_threads(p->ctx, 1);
    p->X = as_matrix(p->ctx, p->n, p->m, p->values, sparse);
    orthant_matrix *A = as_matrix(p->ctx, p->n, p->n, adjacency, true);
    must(p, orthant_graph_from_matrix(p->ctx, A, &p->graph));
    orthant_matrix_free(A);
}

static void free_problem(small_problem *p)
{
    orthant_graph_free(p->graph);
    orthant_matrix_free(p->X);
    assert_int_equal(orthant_context_memory(p->ctx), 0);
    orthant_context_free(p->ctx);
}

static orthant_model *new_model(const small_problem *p, const char *method, const char *iterations)
{
    orthant_model *model = NULL;
    must(p, orthant_model_create(p->ctx, method, p->rank, &model));
    must(p, orthant_model_set(model, "iterations", iterations));
    must(p, orthant_model_set(model, "tolerance", "0"));
    return model;
}

static double squares(const small_problem *p)
{
    double total = 0;
    for (int64_t e = 0; e < p->n * p->m; e++)
        total += p->values[e] * p->values[e];
    return total;
}

static void check_result(const small_problem *p, const orthant_result *result, const char *what,
                         bool monotone, double rounding)
{
    for (int f = 0; f < orthant_result_factor_count(result); f++) {
        const orthant_matrix *factor =
            orthant_result_factor(result, orthant_result_factor_name(result, f));
        for (int64_t i = 0; i < orthant_matrix_rows(factor); i++)
            for (int64_t j = 0; j < orthant_matrix_columns(factor); j++)
                if (!(orthant_matrix_get(factor, i, j) >= 0) ||
                    !isfinite(orthant_matrix_get(factor, i, j)))
                    fail_msg("%s: %s has %g", what, orthant_result_factor_name(result, f),
                             orthant_matrix_get(factor, i, j));
    }
    for (int64_t i = 0; i < orthant_result_history_rows(result); i++) {
        const double now = orthant_result_history(result, i, 2);
        assert_true(isfinite(now));
        if (monotone && i && !(now <= orthant_result_history(result, i - 1, 2) + rounding))
            fail_msg("%s, %d x %d, rank %d: rose from %.17g to %.17g in iteration %d", what,
                     (int)p->n, (int)p->m, (int)p->rank, orthant_result_history(result, i - 1, 2),
                     now, (int)i);
    }
}

typedef struct random_case {
    const char *method, *name, *value; /* a parameter, or NULL */
    bool mixed, monotone;
} random_case;

static const random_case random_cases[] = {
    {"cf", NULL, NULL, false, true},
    {"cf", NULL, NULL, true, true},
    {"convex-nmf", NULL, NULL, false, true},
    {"convex-nmf", NULL, NULL, true, true},
    {"onmf", NULL, NULL, false, false},
    {"pnmf", NULL, NULL, false, true},
    {"pnmf", "rule", "classic", false, false},
    {"grpnmf", "graph_weight", "0", false, true},
    {"grpnmf", NULL, NULL, false, true},
    {"grpnmf", NULL, NULL, true, true},
    {"grpnmf", "exponent", "1", false, true},
    {"grpnmf", "exponent", "1", true, true},
    {"grpnmf", "graph_weight", "1e5", false, true},
};

static void test_random_problems(void **state)
{
    const random_case *row = *state;
    for (uint64_t seed = 0; seed < PROBLEMS; seed++) {
        small_problem p;
        const bool single = seed % 4 == 3;
        make(&p, seed, single ? ORTHANT_SINGLE : ORTHANT_DOUBLE, row->mixed, seed % 3 == 2);
        orthant_model *model = new_model(&p, row->method, "40");
        if (row->name)
            must(&p, orthant_model_set(model, row->name, row->value));
        if (!strcmp(row->method, "grpnmf"))
            must(&p, orthant_model_set_graph(model, p.graph));
        orthant_result *result = NULL;
        must(&p, orthant_fit(model, p.X, &result));
        check_result(&p, result, row->method, row->monotone,
                     (single ? 1e-5 : 1e-12) *
                         (squares(&p) + orthant_result_history(result, 0, 2)));
        orthant_result_free(result);
        orthant_model_free(model);
        free_problem(&p);
    }
}

/* ------------------------------------------------------------------ the kernel view */

/* Fits the data dense and sparse, and K dense and sparse; all give the same factors. */
static void compare_views(const char *method, int64_t n, int64_t m, bool mixed)
{
    small_problem p;
    double K[MOST * MOST] = {0};
    make(&p, 3, ORTHANT_DOUBLE, mixed, false);
    orthant_matrix_free(p.X);
    p.n = n;
    p.m = m;
    p.rank = 3;
    for (int64_t i = 0; i < n; i++)
        for (int64_t f = 0; f < m; f++)
            p.values[i * m + f] =
                (i + f) % 4 == 0 ? 0 : uniform(9, (uint64_t)i, (uint64_t)f) - (mixed ? 0.4 : 0);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++)
            for (int64_t f = 0; f < m; f++)
                K[i * n + j] += p.values[i * m + f] * p.values[j * m + f];
    p.X = as_matrix(p.ctx, n, m, p.values, false);
    orthant_matrix *sparse = as_matrix(p.ctx, n, m, p.values, true),
                   *kernel = as_matrix(p.ctx, n, n, K, false),
                   *sparse_kernel = as_matrix(p.ctx, n, n, K, true);
    orthant_model *model = new_model(&p, method, "30");
    orthant_result *first = NULL;
    for (int view = 0; view < 4; view++) {
        orthant_result *result = NULL;
        must(&p, orthant_model_set_similarity(model, view == 2   ? kernel
                                                     : view == 3 ? sparse_kernel
                                                                 : NULL));
        if (!strcmp(method, "grpnmf"))
            must(&p, orthant_model_set(model, "graph_weight", "0"));
        must(&p, orthant_fit(model, view == 1 ? sparse : p.X, &result));
        for (int f = 0; first && f < orthant_result_factor_count(first); f++) {
            const char *name = orthant_result_factor_name(first, f);
            const double difference = factor_difference(orthant_result_factor(result, name),
                                                        orthant_result_factor(first, name));
            if (!(difference <= 1e-10))
                fail_msg("%s, %d x %d: view %d of %s differs by %g", method, (int)n, (int)m, view,
                         name, difference);
        }
        if (first) {
            assert_true(fabs(orthant_result_objective(result) - orthant_result_objective(first)) <=
                        1e-10 * squares(&p));
            orthant_result_free(result);
        } else {
            first = result;
        }
    }
    orthant_result_free(first);
    orthant_model_free(model);
    orthant_matrix_free(sparse);
    orthant_matrix_free(kernel);
    orthant_matrix_free(sparse_kernel);
    free_problem(&p);
}

static void test_kernel_view(void **state)
{
    static const char *const methods[] = {"cf", "convex-nmf", "grpnmf"};
    (void)state;
    for (int i = 0; i < 3; i++)
        for (int mixed = 0; mixed < 2; mixed++) {
            compare_views(methods[i], 40, 17, mixed); /* K through tiles */
            compare_views(methods[i], 21, 34, mixed); /* K stored */
        }
}

/* Several tiles of rows and columns, and blocks with remainders. */
static void test_split_in_tiles(void **state)
{
    (void)state;
    test_problem p, q;
    problem_make(&p, (problem_shape){333, 70, ORTHANT_DOUBLE, false, 8, 0.5});
    problem_make(&q, (problem_shape){333, 70, ORTHANT_DOUBLE, true, 8, 0.5});
    double *values = calloc(333 * 333, sizeof *values);
    assert_non_null(values);
    for (int64_t i = 0; i < 333; i++)
        for (int64_t j = 0; j < 333; j++)
            for (int64_t f = 0; f < 70; f++)
                values[i * 333 + j] +=
                    (orthant_matrix_get(p.X, i, f) - 0.3) * (orthant_matrix_get(p.X, j, f) - 0.3);
    orthant_matrix *K = NULL, *shifted = NULL;
    assert_int_equal(orthant_matrix_create(p.ctx, 333, 333, values, &K), ORTHANT_OK);
    for (int64_t i = 0; i < 333; i++)
        for (int64_t f = 0; f < 70; f++)
            values[i * 70 + f] = orthant_matrix_get(p.X, i, f) - 0.3;
    assert_int_equal(orthant_matrix_create(p.ctx, 333, 70, values, &shifted), ORTHANT_OK);
    static const char *const methods[] = {"cf", "convex-nmf"};
    for (int i = 0; i < 2; i++) {
        orthant_model *model = problem_model(&p, methods[i], 5, "10");
        orthant_result *tiles = NULL, *given = NULL;
        assert_int_equal(orthant_fit(model, shifted, &tiles), ORTHANT_OK);
        assert_int_equal(orthant_model_set_similarity(model, K), ORTHANT_OK);
        assert_int_equal(orthant_fit(model, shifted, &given), ORTHANT_OK);
        assert_true(factor_difference(orthant_result_factor(tiles, "encoding"),
                                      orthant_result_factor(given, "encoding")) < 1e-10);
        orthant_result_free(tiles);
        orthant_result_free(given);
        orthant_model_free(model);
    }
    orthant_matrix_free(K);
    orthant_matrix_free(shifted);
    free(values);
    problem_free(&p);
    problem_free(&q);
}

/* ------------------------------------------------------------------ grpnmf */

/* The fused narrow rows and the general ones are one rule: a feature of zeros more than the narrow
 * path takes changes nothing. */
static void test_narrow_equals_wide(void **state)
{
    (void)state;
    small_problem p;
    make(&p, 21, ORTHANT_DOUBLE, false, false);
    orthant_matrix_free(p.X);
    orthant_graph_free(p.graph);
    p.graph = NULL;
    p.n = 45;
    p.rank = 2;
    double wide[MOST * MOST] = {0};
    for (int64_t i = 0; i < p.n; i++)
        for (int64_t f = 0; f < 3; f++)
            p.values[i * 3 + f] = wide[i * 40 + f] = uniform(4, (uint64_t)i, (uint64_t)f);
    orthant_matrix *narrow = as_matrix(p.ctx, p.n, 3, p.values, false);
    p.X = as_matrix(p.ctx, p.n, 40, wide, false);
    for (int fast = 0; fast < 2; fast++) {
        orthant_model *model = new_model(&p, "grpnmf", "50");
        orthant_result *a = NULL, *b = NULL;
        must(&p, orthant_model_set(model, "exponent", fast ? "1" : "0.25"));
        must(&p, orthant_fit(model, narrow, &a));
        must(&p, orthant_fit(model, p.X, &b));
        assert_true(factor_difference(orthant_result_factor(a, "encoding"),
                                      orthant_result_factor(b, "encoding")) < 1e-10);
        for (int64_t i = 0; i <= 50; i++)
            assert_true(fabs(orthant_result_history(a, i, 2) - orthant_result_history(b, i, 2)) <=
                        1e-10 * orthant_result_history(a, 0, 2));
        orthant_result_free(a);
        orthant_result_free(b);
        orthant_model_free(model);
    }
    orthant_matrix_free(narrow);
    free_problem(&p);
}

static bool has_note(const orthant_result *result, const char *words)
{
    for (int i = 0; i < orthant_result_note_count(result); i++)
        if (strstr(orthant_result_note(result, i), words))
            return true;
    return false;
}

static void test_grpnmf_tells(void **state)
{
    (void)state;
    test_problem p;
    problem_make(&p, (problem_shape){60, 12, ORTHANT_DOUBLE, false, 2, 0.8});
    /* The last is a weight below 1 of data so small that it is a large one. */
    static const char *const weights[] = {"0", "1e6", "0.5"};
    for (int i = 0; i < 3; i++) {
        const bool flat = i > 0;
        if (i == 2)
            problem_scale(&p, 1e-3);
        orthant_model *model = problem_model(&p, "grpnmf", 3, "400");
        assert_int_equal(orthant_model_set(model, "graph_weight", weights[i]), ORTHANT_OK);
        assert_int_equal(orthant_model_set(model, "neighbours", "20"), ORTHANT_OK);
        orthant_result *result = problem_fit(&p, model);
        assert_int_equal(orthant_result_history_columns(result), flat ? 5 : 4);
        assert_int_equal(has_note(result, "same label"), flat);
        orthant_result_free(result);
        orthant_model_free(model);
    }
    problem_free(&p);
}

/* 200 iterations with exponent 1 end below 500 with 1/4, from the same start. */
static void test_acceleration(void **state)
{
    (void)state;
    test_problem p;
    problem_make(&p, (problem_shape){200, 20, ORTHANT_DOUBLE, false, 6, 0.7});
    double ends[2];
    for (int fast = 0; fast < 2; fast++) {
        orthant_model *model = problem_model(&p, "grpnmf", 4, fast ? "200" : "500");
        assert_int_equal(orthant_model_set(model, "exponent", fast ? "1" : "0.25"), ORTHANT_OK);
        assert_int_equal(orthant_model_set(model, "graph_weight", "1"), ORTHANT_OK);
        orthant_result *result = problem_fit(&p, model);
        ends[fast] = orthant_result_objective(result);
        if (fast)
            assert_string_equal(orthant_result_history_column(result, 5), "step");
        orthant_result_free(result);
        orthant_model_free(model);
    }
    if (!(ends[1] <= ends[0]))
        fail_msg("exponent 1 ends at %.17g, 1/4 at %.17g", ends[1], ends[0]);
    problem_free(&p);
}

/* ------------------------------------------------------------------ onmf, pnmf, cf */

static void test_onmf_tells_how_orthogonal(void **state)
{
    (void)state;
    test_problem p;
    problem_make(&p, (problem_shape){60, 20, ORTHANT_DOUBLE, false, 2, 0.8});
    orthant_model *model = problem_model(&p, "onmf", 4, "500");
    orthant_result *result = problem_fit(&p, model);
    const orthant_matrix *G = orthant_result_factor(result, "encoding");
    double residual = 0;
    char words[64];
    for (int64_t a = 0; a < 4; a++)
        for (int64_t b = 0; b < 4; b++) {
            double total = a == b ? -1 : 0;
            for (int64_t i = 0; i < 60; i++)
                total += orthant_matrix_get(G, i, a) * orthant_matrix_get(G, i, b);
            residual += total * total;
        }
    snprintf(words, sizeof words, "|G'G - I| = %.3g", sqrt(residual));
    assert_true(has_note(result, words));
    assert_true(sqrt(residual) < 0.5);
    orthant_result_free(result);
    orthant_model_free(model);
    problem_free(&p);
}

static void test_pnmf_encoding(void **state)
{
    (void)state;
    test_problem p;
    problem_make(&p, (problem_shape){30, 20, ORTHANT_DOUBLE, false, 2, 0.8});
    orthant_model *model = problem_model(&p, "pnmf", 3, "25");
    orthant_result *result = problem_fit(&p, model), *refused = NULL;
    const orthant_matrix *W = orthant_result_factor(result, "basis"),
                         *T = orthant_result_factor(result, "encoding");
    for (int64_t i = 0; i < 30; i++)
        for (int64_t j = 0; j < 3; j++) {
            double total = 0;
            for (int64_t f = 0; f < 20; f++)
                total += orthant_matrix_get(p.X, i, f) * orthant_matrix_get(W, f, j);
            assert_true(fabs(total - orthant_matrix_get(T, i, j)) <= 1e-12 * (1 + total));
        }
    assert_int_equal(orthant_model_set_start(model, "encoding", T), ORTHANT_OK);
    assert_int_equal(orthant_fit(model, p.X, &refused), ORTHANT_ERROR_ARGUMENT);
    assert_non_null(strstr(orthant_message(p.ctx), "'basis'"));
    orthant_result_free(result);
    orthant_model_free(model);
    problem_free(&p);
}

/* W D and V / D are the same model: labels must not change. */
static void test_labels_of_concepts_have_no_scale(void **state)
{
    (void)state;
    test_problem p;
    problem_make(&p, (problem_shape){80, 30, ORTHANT_DOUBLE, false, 2, 0.8});
    const double scale[4] = {1, 64, 0.25, 1024};
    double W[320], V[320];
    orthant_labels *labels[2] = {NULL};
    for (int turn = 0; turn < 2; turn++) {
        orthant_matrix *weights = NULL, *encoding = NULL;
        for (int64_t i = 0; i < 320; i++) {
            const double factor = turn ? scale[i % 4] : 1;
            W[i] = factor * uniform(1, (uint64_t)i, 0);
            V[i] = uniform(1, (uint64_t)i, 1) / factor;
        }
        assert_int_equal(orthant_matrix_create(p.ctx, 80, 4, W, &weights), ORTHANT_OK);
        assert_int_equal(orthant_matrix_create(p.ctx, 80, 4, V, &encoding), ORTHANT_OK);
        orthant_model *model = problem_model(&p, "cf", 4, "100");
        assert_int_equal(orthant_model_set_start(model, "weights", weights), ORTHANT_OK);
        assert_int_equal(orthant_model_set_start(model, "encoding", encoding), ORTHANT_OK);
        orthant_result *result = problem_fit(&p, model);
        assert_int_equal(orthant_result_labels(result, NULL, 4, 5, 1, &labels[turn]), ORTHANT_OK);
        orthant_result_free(result);
        orthant_model_free(model);
        orthant_matrix_free(weights);
        orthant_matrix_free(encoding);
    }
    for (int64_t i = 0; i < 80; i++)
        assert_int_equal(orthant_labels_values(labels[0])[i], orthant_labels_values(labels[1])[i]);
    assert_int_equal(orthant_labels_classes(labels[0]), 4);
    orthant_labels_free(labels[0]);
    orthant_labels_free(labels[1]);
    problem_free(&p);
}

int main(void)
{
    enum { RANDOM = sizeof random_cases / sizeof *random_cases };
    const struct CMUnitTest fixed[] = {
        cmocka_unit_test(test_kernel_view),
        cmocka_unit_test(test_split_in_tiles),
        cmocka_unit_test(test_narrow_equals_wide),
        cmocka_unit_test(test_grpnmf_tells),
        cmocka_unit_test(test_acceleration),
        cmocka_unit_test(test_onmf_tells_how_orthogonal),
        cmocka_unit_test(test_pnmf_encoding),
        cmocka_unit_test(test_labels_of_concepts_have_no_scale),
    };
    enum { FIXED = sizeof fixed / sizeof *fixed };
    struct CMUnitTest tests[RANDOM + FIXED];
    char names[RANDOM][64];
    for (int i = 0; i < RANDOM; i++) {
        const random_case *row = &random_cases[i];
        snprintf(names[i], sizeof names[i], "%s %s%s%s%s", row->method, row->mixed ? "mixed " : "",
                 row->name ? row->name : "", row->name ? "=" : "", row->name ? row->value : "");
        tests[i] =
            (struct CMUnitTest){names[i], test_random_problems, NULL, NULL, (void *)(uintptr_t)row};
    }
    memcpy(tests + RANDOM, fixed, sizeof fixed);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
