/* nnsc: its iterates written out, where X S is kept and where it is formed anew in each pass;
 * columns that a step would kill. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/random.h"

#include <cmocka.h>

#include "problem.h"

#define RANK 5
#define SPARSITY 0.1

/* ------------------------------------------------------------------ the method written out */

typedef struct plain {
    int64_t n, m;
    double *x, *w, *s;                /* n x m, m x k, n x k */
    double *a, *slope, *step, *trial; /* m x k */
    double b[RANK * RANK];
} plain;

static double entry(uint64_t which, int64_t i, int64_t j)
{
    return random_uniform(7 + which, RANDOM_TEST, (uint64_t)i, (uint64_t)j);
}

/* C = A'B for A of `rows` x `left` and B of `rows` x k. */
static void transposed_product(const double *a, const double *b, int64_t rows, int64_t left,
                               double *c)
{
    memset(c, 0, (size_t)(left * RANK) * sizeof *c);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t l = 0; l < left; l++)
            for (int64_t j = 0; j < RANK; j++)
                c[l * RANK + j] += a[i * left + l] * b[i * RANK + j];
}

/* To unit length; returns how many columns had no positive entry. */
static int normalise(double *w, int64_t m, const double *step)
{
    int saved = 0;
    for (int64_t j = 0; j < RANK; j++) {
        double square = 0;
        int64_t top = 0;
        for (int64_t i = 0; i < m; i++) {
            square += w[i * RANK + j] * w[i * RANK + j];
            top = step[i * RANK + j] > step[top * RANK + j] ? i : top;
        }
        saved += !(square > 0);
        for (int64_t i = 0; i < m; i++)
            w[i * RANK + j] = square > 0 ? w[i * RANK + j] / sqrt(square) : i == top;
    }
    return saved;
}

static void plain_make(plain *q, const test_problem *p, double scale)
{
    q->n = orthant_matrix_rows(p->X);
    q->m = orthant_matrix_columns(p->X);
    q->x = calloc((size_t)(q->n * q->m), sizeof(double));
    q->s = calloc((size_t)(q->n * RANK), sizeof(double));
    q->w = calloc((size_t)(5 * q->m * RANK), sizeof(double));
    q->a = q->w + q->m * RANK;
    q->slope = q->a + q->m * RANK;
    q->step = q->slope + q->m * RANK;
    q->trial = q->step + q->m * RANK;
    orthant_matrix_copy_values(p->X, q->x);
    for (int64_t i = 0; i < q->m; i++)
        for (int64_t j = 0; j < RANK; j++)
            q->w[i * RANK + j] = entry(0, i, j);
    normalise(q->w, q->m, q->w);
    /* The last column serves the zero sample alone: a step of 1 has no positive entry there. */
    for (int64_t i = 0; i < q->n; i++)
        for (int64_t j = 0; j < RANK; j++)
            q->s[i * RANK + j] = scale * (j < RANK - 1 ? entry(1, i, j) : i == q->n / 3 ? 5 : 0);
}

static void plain_free(plain *q)
{
    free(q->x);
    free(q->s);
    free(q->w);
}

static double value_of(const plain *q, const double *w)
{
    double gram[RANK * RANK], value = 0;
    transposed_product(w, w, q->m, RANK, gram);
    for (int j = 0; j < RANK * RANK; j++)
        value += gram[j] * q->b[j];
    for (int64_t i = 0; i < q->m * RANK; i++)
        value -= 2 * w[i] * q->a[i];
    return value;
}

/* One iteration; adds to the halvings and to the columns saved in the step that was taken. */
static void plain_iterate(plain *q, int *halvings, int *saved)
{
    const int64_t entries = q->m * RANK;
    double gram[RANK * RANK], mu = 1;
    transposed_product(q->x, q->s, q->n, q->m, q->a);
    transposed_product(q->s, q->s, q->n, RANK, q->b);
    for (int64_t i = 0; i < entries; i++) {
        q->slope[i] = -q->a[i];
        for (int64_t l = 0; l < RANK; l++)
            q->slope[i] += q->w[i / RANK * RANK + l] * q->b[l * RANK + i % RANK];
    }
    for (;; mu /= 2, ++*halvings) {
        for (int64_t i = 0; i < entries; i++) {
            q->step[i] = q->w[i] - mu * q->slope[i];
            q->trial[i] = fmax(q->step[i], 0);
        }
        const int columns = normalise(q->trial, q->m, q->step);
        if (value_of(q, q->trial) <= value_of(q, q->w)) {
            memcpy(q->w, q->trial, (size_t)entries * sizeof(double));
            *saved += columns;
            break;
        }
    }
    transposed_product(q->w, q->w, q->m, RANK, gram);
    for (int64_t i = 0; i < q->n; i++) {
        double up[RANK] = {0}, down[RANK];
        for (int64_t f = 0; f < q->m; f++)
            for (int64_t j = 0; j < RANK; j++)
                up[j] += q->x[i * q->m + f] * q->w[f * RANK + j];
        for (int64_t j = 0; j < RANK; j++) {
            down[j] = SPARSITY;
            for (int64_t l = 0; l < RANK; l++)
                down[j] += q->s[i * RANK + l] * gram[l * RANK + j];
        }
        for (int64_t j = 0; j < RANK; j++)
            q->s[i * RANK + j] *= up[j] / down[j];
    }
}

/* ------------------------------------------------------------------ tests */

static double difference(const orthant_matrix *found, const double *expected)
{
    double most = 0;
    for (int64_t i = 0; i < orthant_matrix_rows(found); i++)
        for (int64_t j = 0; j < RANK; j++)
            most = fmax(most, fabs(orthant_matrix_get(found, i, j) - expected[i * RANK + j]));
    return most;
}

static orthant_result *fit_from(const test_problem *p, const plain *q, const char *iterations)
{
    orthant_matrix *W = NULL, *S = NULL;
    orthant_model *model = problem_model(p, "nnsc", RANK, iterations);
    assert_int_equal(orthant_matrix_create(p->ctx, q->m, RANK, q->w, &W), ORTHANT_OK);
    assert_int_equal(orthant_matrix_create(p->ctx, q->n, RANK, q->s, &S), ORTHANT_OK);
    assert_int_equal(orthant_model_set_start(model, "basis", W), ORTHANT_OK);
    assert_int_equal(orthant_model_set_start(model, "encoding", S), ORTHANT_OK);
    orthant_result *result = problem_fit(p, model);
    orthant_model_free(model);
    orthant_matrix_free(W);
    orthant_matrix_free(S);
    return result;
}

/* `scale` of the starting encodings decides how many trials the first search takes. */
static void check_iterates(problem_shape shape, double scale, int *halvings, int *saved)
{
    test_problem p;
    plain q;
    problem_make(&p, shape);
    plain_make(&q, &p, scale);
    orthant_context_set_threads(p.ctx, 1);
    orthant_result *one = fit_from(&p, &q, "1"), *many = fit_from(&p, &q, "6");
    orthant_context_set_threads(p.ctx, 3);
    orthant_result *threads = fit_from(&p, &q, "6");
    assert_true(factors_identical(many, threads));
    plain_iterate(&q, halvings, saved);
    assert_true(difference(orthant_result_factor(one, "basis"), q.w) < 1e-12);
    assert_true(difference(orthant_result_factor(one, "encoding"), q.s) < 1e-9);
    for (int i = 1; i < 6; i++)
        plain_iterate(&q, halvings, saved);
    assert_true(difference(orthant_result_factor(many, "basis"), q.w) < 1e-9);
    assert_true(difference(orthant_result_factor(many, "encoding"), q.s) < 1e-9);
    orthant_result_free(one);
    orthant_result_free(many);
    orthant_result_free(threads);
    plain_free(&q);
    problem_free(&p);
}

static void test_iterates(void **state)
{
    static const problem_shape shapes[] = {
        {300, 40, ORTHANT_DOUBLE, false, 3, 0.6},  /* X S is kept */
        {300, 700, ORTHANT_DOUBLE, false, 3, 0.6}, /* X S is kept, several groups of features */
        {40, 700, ORTHANT_DOUBLE, false, 3, 0.6},  /* X S is formed */
        {300, 40, ORTHANT_DOUBLE, true, 3, 0.6},   {60, 900, ORTHANT_DOUBLE, true, 3, 0.05},
    };
    (void)state;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        int halvings = 0, saved = 0;
        check_iterates(shapes[i], 1e-3, &halvings, &saved);
        check_iterates(shapes[i], 1, &halvings, &saved);
        check_iterates(shapes[i], 1e3, &halvings, &saved);
        /* the searches were long, and columns were saved */
        assert_true(halvings > 50 && saved > 0);
    }
}

/* X S is formed, by as many threads as there are. */
static void test_threads(void **state)
{
    static const problem_shape shapes[] = {{60, 4200, ORTHANT_DOUBLE, false, 3, 0.6},
                                           {300, 2000, ORTHANT_DOUBLE, true, 3, 0.05}};
    (void)state;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        test_problem p;
        plain q;
        problem_make(&p, shapes[i]);
        plain_make(&q, &p, 1);
        orthant_context_set_threads(p.ctx, 1);
        orthant_result *one = fit_from(&p, &q, "6");
        orthant_context_set_threads(p.ctx, 3);
        orthant_result *many = fit_from(&p, &q, "6");
        assert_true(factors_identical(one, many));
        orthant_result_free(one);
        orthant_result_free(many);
        plain_free(&q);
        problem_free(&p);
    }
}

/* The second column serves a zero sample alone, so that a step of 1 makes every entry negative: it
 * goes to the nearest unit vector and not to zero. */
static void test_columns_are_kept_alive(void **state)
{
    const double x[] = {0, 1, 0, 0, 0, 2}, w[] = {0, 0.6, 1, 0.8}, s[] = {1, 0, 0, 5, 2, 0};
    orthant_context *ctx = NULL;
    orthant_matrix *X = NULL, *W = NULL, *S = NULL;
    orthant_model *model = NULL;
    orthant_result *result = NULL;
    (void)state;
    assert_int_equal(orthant_context_create(&ctx), ORTHANT_OK);
    assert_int_equal(orthant_matrix_create(ctx, 3, 2, x, &X), ORTHANT_OK);
    assert_int_equal(orthant_matrix_create(ctx, 2, 2, w, &W), ORTHANT_OK);
    assert_int_equal(orthant_matrix_create(ctx, 3, 2, s, &S), ORTHANT_OK);
    assert_int_equal(orthant_model_create(ctx, "nnsc", 2, &model), ORTHANT_OK);
    assert_int_equal(orthant_model_set_start(model, "basis", W), ORTHANT_OK);
    assert_int_equal(orthant_model_set_start(model, "encoding", S), ORTHANT_OK);
    assert_int_equal(orthant_model_set(model, "iterations", "1"), ORTHANT_OK);
    assert_int_equal(orthant_fit(model, X, &result), ORTHANT_OK);
    const orthant_matrix *basis = orthant_result_factor(result, "basis");
    assert_true(orthant_matrix_get(basis, 0, 1) == 1 && orthant_matrix_get(basis, 1, 1) == 0);
    assert_int_equal(orthant_result_dead_columns(result), 1); /* of the encoding alone */
    assert_true(orthant_result_history(result, 1, 2) <= orthant_result_history(result, 0, 2));
    orthant_result_free(result);
    orthant_model_free(model);
    orthant_matrix_free(X);
    orthant_matrix_free(W);
    orthant_matrix_free(S);
    orthant_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_iterates),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_columns_are_kept_alive),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
