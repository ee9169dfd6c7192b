/* NNDSVD of a high rank, in both precisions, against LAPACK's SVD in double. */
#include "fixture.h"

#include <lapacke.h>
#include <math.h>
#include <stdlib.h>

#include "core/random.h"
#include "data/matrix.h"
#include "method/fit.h"

/* U, sigma and V' by the full decomposition, written out: the larger half of each pair. */
typedef struct expected {
    int64_t n, m, least;
    double *u, *sigma, *vt;
} expected;

static void expected_make(const orthant_matrix *X, expected *e)
{
    *e = (expected){.n = X->rows, .m = X->columns};
    e->least = e->n < e->m ? e->n : e->m;
    double *x = malloc((size_t)(e->n * e->m) * sizeof *x);
    e->u = malloc((size_t)(e->n * e->least) * sizeof *e->u);
    e->vt = malloc((size_t)(e->least * e->m) * sizeof *e->vt);
    e->sigma = malloc((size_t)e->least * sizeof *e->sigma);
    assert_true(x && e->u && e->vt && e->sigma);
    orthant_matrix_copy_values(X, x);
    assert_int_equal(LAPACKE_dgesdd(LAPACK_ROW_MAJOR, 'S', (lapack_int)e->n, (lapack_int)e->m, x,
                                    (lapack_int)e->m, e->sigma, e->u, (lapack_int)e->least, e->vt,
                                    (lapack_int)e->m),
                     0);
    free(x);
}

static void expected_free(expected *e)
{
    free(e->u);
    free(e->vt);
    free(e->sigma);
}

/* Column r of both factors; the largest difference as a share of the largest entry expected. */
static double column_difference(const expected *e, int64_t r, const orthant_matrix *W,
                                const orthant_matrix *S)
{
    double squares[4] = {0}, most = 0, largest = 0;
    for (int64_t i = 0; i < e->n; i++)
        squares[e->u[i * e->least + r] > 0 ? 0 : 1] += pow(e->u[i * e->least + r], 2);
    for (int64_t j = 0; j < e->m; j++)
        squares[e->vt[r * e->m + j] > 0 ? 2 : 3] += pow(e->vt[r * e->m + j], 2);
    const bool plus = squares[0] * squares[2] >= squares[1] * squares[3];
    const double a = sqrt(squares[plus ? 0 : 1]), b = sqrt(squares[plus ? 2 : 3]),
                 scale = sqrt(e->sigma[r] * a * b), sign = plus ? 1 : -1;
    for (int64_t i = 0; i < e->n; i++) {
        const double value = fmax(sign * e->u[i * e->least + r], 0) / a * scale;
        largest = fmax(largest, value);
        most = fmax(most, fabs(orthant_matrix_get(S, i, r) - value));
    }
    for (int64_t j = 0; j < e->m; j++) {
        const double value = fmax(sign * e->vt[r * e->m + j], 0) / b * scale;
        largest = fmax(largest, value);
        most = fmax(most, fabs(orthant_matrix_get(W, j, r) - value));
    }
    return most / largest;
}

static void expect_nndsvd(orthant_context *ctx, const orthant_matrix *X, int64_t rank)
{
    expected e;
    orthant_matrix *W = NULL, *S = NULL;
    const double bound = X->precision == ORTHANT_SINGLE ? 1e-6 : 1e-8;
    expected_make(X, &e);
    expect_ok(ctx, matrix_new_factor(ctx, X->precision, X->columns, rank, &W));
    expect_ok(ctx, matrix_new_factor(ctx, X->precision, X->rows, rank, &S));
    expect_ok(ctx, nndsvd_start(ctx, X, 1, W, S));
    for (int64_t r = 0; r < rank; r++) {
        const double difference = column_difference(&e, r, W, S);
        if (!(difference <= bound))
            fail_msg("%d x %d, rank %d: column %d is %g off", (int)X->rows, (int)X->columns,
                     (int)rank, (int)r, difference);
    }
    orthant_matrix_free(W);
    orthant_matrix_free(S);
    expected_free(&e);
}

/* Parts and noise: behind the parts the singular values lie close together. */
static orthant_matrix *make_data(orthant_context *ctx, int64_t n, int64_t m, bool sparse)
{
    double *values = malloc((size_t)(n * m) * sizeof *values);
    int64_t *start = calloc((size_t)n + 1, sizeof *start),
            *column = malloc((size_t)(n * m) * sizeof *column), stored = 0;
    orthant_matrix *X = NULL;
    assert_true(values && start && column);
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < m; j++) {
            double x = random_uniform(2, RANDOM_TEST, (uint64_t)i, (uint64_t)j);
            for (int64_t r = 0; r < 12; r++)
                x += (double)(12 - r) * random_uniform(3, RANDOM_TEST, (uint64_t)i, (uint64_t)r) *
                     random_uniform(4, RANDOM_TEST, (uint64_t)j, (uint64_t)r);
            if (sparse && (i * 7 + j * 3) % 5 > 1)
                continue;
            column[stored] = j;
            values[stored++] = x;
        }
        start[i + 1] = stored;
    }
    expect_ok(ctx, sparse ? orthant_matrix_create_csr(ctx, n, m, start, column, values, &X)
                          : orthant_matrix_create(ctx, n, m, values, &X));
    free(values);
    free(start);
    free(column);
    return X;
}

static void test_generated(void **state)
{
    orthant_context *ctx = *state;
    for (int c = 0; c < 8; c++) {
        orthant_context_set_precision(ctx, c % 2 ? ORTHANT_SINGLE : ORTHANT_DOUBLE);
        orthant_matrix *X =
            c / 4 ? make_data(ctx, 130, 310, c / 2 % 2) : make_data(ctx, 310, 130, c / 2 % 2);
        expect_nndsvd(ctx, X, 40);
        expect_nndsvd(ctx, X, 100);
        orthant_matrix_free(X);
    }
}

/* 64 pixels: three of them are black in all pictures. */
static void test_digits(void **state)
{
    orthant_context *ctx = *state;
    for (int single = 0; single < 2; single++) {
        orthant_matrix *X = NULL;
        orthant_context_set_precision(ctx, single ? ORTHANT_SINGLE : ORTHANT_DOUBLE);
        expect_ok(ctx,
                  orthant_matrix_read(ctx, fixture_path("data/digits/digits-images-idx3-ubyte.gz"),
                                      NULL, &X, NULL));
        expect_nndsvd(ctx, X, 40);
        expect_nndsvd(ctx, X, 60);
        orthant_matrix_free(X);
    }
}

/* A shorter side that is too long for LAPACK: Lanczos's method. Blocks on the diagonal, each a
 * column of its own length times a row, have singular values that are known; more triplets than
 * there are blocks are zeros. */
static void test_large(void **state)
{
    enum { SIDE = 2048, BLOCKS = 64, WIDTH = SIDE / BLOCKS };
    orthant_context *ctx = *state;
    for (int c = 0; c < 4; c += SANITIZED ? 3 : 1) { /* sanitized, double tall and single wide */
        const bool single = c % 2, wide = c / 2;
        const int64_t n = SIDE + (wide ? 0 : 52), m = SIDE + (wide ? 52 : 0);
        double *values = malloc((size_t)SIDE * WIDTH * sizeof *values);
        int64_t *start = calloc((size_t)n + 1, sizeof *start),
                *column = malloc((size_t)SIDE * WIDTH * sizeof *column), stored = 0;
        orthant_matrix *X = NULL, *W = NULL, *S = NULL;
        assert_true(values && start && column);
        for (int64_t i = 0; i < n; i++) {
            for (int64_t j = 0; i < SIDE && j < WIDTH; j++) {
                column[stored] = i / WIDTH * WIDTH + j;
                values[stored++] = 1 + (double)(i / WIDTH);
            }
            start[i + 1] = stored;
        }
        orthant_context_set_precision(ctx, single ? ORTHANT_SINGLE : ORTHANT_DOUBLE);
        expect_ok(ctx, orthant_matrix_create_csr(ctx, n, m, start, column, values, &X));
        expect_ok(ctx, matrix_new_factor(ctx, X->precision, m, BLOCKS + 3, &W));
        expect_ok(ctx, matrix_new_factor(ctx, X->precision, n, BLOCKS + 3, &S));
        expect_ok(ctx, nndsvd_start(ctx, X, 1, W, S));
        for (int64_t r = 0; r < BLOCKS + 3; r++)
            for (int64_t i = 0; i < SIDE; i++) {
                const double value = i / WIDTH == BLOCKS - 1 - r ? sqrt((double)(BLOCKS - r)) : 0;
                assert_true(fabs(orthant_matrix_get(S, i, r) - value) <= 1e-6);
                assert_true(fabs(orthant_matrix_get(W, i, r) - value) <= 1e-6);
            }
        orthant_matrix_free(X);
        orthant_matrix_free(W);
        orthant_matrix_free(S);
        free(values);
        free(start);
        free(column);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        fixture_test(test_generated),
        fixture_test(test_digits),
        fixture_test(test_large),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
