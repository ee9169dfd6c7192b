/* Principal components: by LAPACK on either side, by Lanczos's method, of sparse data, and where
 * there are fewer than asked for. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "core/random.h"
#include "method/principal.h"

#include <cmocka.h>

#include "fixture.h"

static double uniform(int64_t i, int64_t j)
{
    return random_uniform(17, RANDOM_TEST, (uint64_t)i, (uint64_t)j);
}

/* Three directions of falling weight, noise, and a mean far from zero. */
static orthant_matrix *make(orthant_context *ctx, int64_t n, int64_t m, bool sparse)
{
    orthant_matrix *X = NULL;
    double *values = calloc((size_t)(n * m), sizeof *values);
    int64_t *start = calloc((size_t)n + 1, sizeof *start),
            *column = calloc((size_t)(n * m), sizeof *column), stored = 0;
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < m; j++) {
            double value = 3 + 0.1 * uniform(i, j);
            for (int d = 0; d < 3; d++)
                value += (6 >> d) * (uniform(i, -1 - d) - 0.5) * (uniform(-5 - d, j) - 0.5);
            if (sparse && uniform(i + 1000, j) < 0.7)
                continue;
            column[stored] = j;
            values[sparse ? stored : i * m + j] = value;
            stored++;
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

/* |X_c'X_c v - value v| for each component, and V'V = I, by plain loops. */
static void check_components(const orthant_matrix *X, const principal *p, double tolerance)
{
    const int64_t n = X->rows, m = X->columns;
    double *score = calloc((size_t)n, sizeof *score);
    for (int64_t c = 0; c < p->found; c++) {
        for (int64_t i = 0; i < n; i++) {
            score[i] = 0;
            for (int64_t j = 0; j < m; j++)
                score[i] += (orthant_matrix_get(X, i, j) - p->mean[j]) *
                            orthant_matrix_get(p->vectors, j, c);
        }
        for (int64_t j = 0; j < m; j++) {
            double back = -p->values[c] * orthant_matrix_get(p->vectors, j, c);
            for (int64_t i = 0; i < n; i++)
                back += (orthant_matrix_get(X, i, j) - p->mean[j]) * score[i];
            if (!(fabs(back) <= tolerance * p->values[0]))
                fail_msg("component %d: residual %g of %g", (int)c, back, p->values[0]);
        }
        for (int64_t d = 0; d <= c; d++) {
            double inner = d == c ? -1 : 0;
            for (int64_t j = 0; j < m; j++)
                inner +=
                    orthant_matrix_get(p->vectors, j, c) * orthant_matrix_get(p->vectors, j, d);
            assert_true(fabs(inner) <= tolerance);
        }
        assert_true(c == 0 || p->values[c] <= p->values[c - 1]);
    }
    free(score);
}

static void test_either_side_and_sparse(void **state)
{
    static const int64_t shapes[][2] = {{60, 25}, {25, 60}, {300, 8}, {8, 300}};
    for (int s = 0; s < 4; s++)
        for (int sparse = 0; sparse < 2; sparse++) {
            principal p;
            orthant_matrix *X = make(*state, shapes[s][0], shapes[s][1], sparse);
            expect_ok(*state, principal_find(*state, X, 4, 1, &p));
            assert_true(p.found == 4 && p.restarts == 0);
            check_components(X, &p, 1e-11);
            principal_free(*state, &p);
            orthant_matrix_free(X);
        }
}

/* Data whose both sides are too long for LAPACK. */
static void test_large(void **state)
{
    static const int64_t shapes[][2] = {{2101, 2050}, {2050, 2101}};
    for (int s = 0; s < 4; s++) {
        principal p;
        orthant_matrix *X = make(*state, shapes[s % 2][0], shapes[s % 2][1], s < 2);
        expect_ok(*state, principal_find(*state, X, 2, 1, &p));
        assert_true(p.found == 2 && p.restarts > 0);
        check_components(X, &p, 1e-11);
        principal_free(*state, &p);
        orthant_matrix_free(X);
    }
}

/* Equal samples have no component, three different ones two. */
static void test_fewer_than_asked_for(void **state)
{
    const double rows[] = {1, 2, 3, 4, 2, 0, 0, 1, 5, 5, 1, 0};
    for (int64_t different = 1; different <= 3; different++) {
        orthant_matrix *X = NULL;
        double values[6 * 4];
        principal p;
        for (int64_t i = 0; i < 6; i++)
            for (int64_t j = 0; j < 4; j++)
                values[i * 4 + j] = rows[i % different * 4 + j];
        expect_ok(*state, orthant_matrix_create(*state, 6, 4, values, &X));
        expect_ok(*state, principal_find(*state, X, 5, 1, &p));
        assert_int_equal(p.found, different - 1);
        check_components(X, &p, 1e-12);
        for (int64_t c = p.found; c < 5; c++)
            for (int64_t j = 0; j < 4; j++)
                assert_true(orthant_matrix_get(p.vectors, j, c) == 0);
        principal_free(*state, &p);
        orthant_matrix_free(X);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        fixture_test(test_either_side_and_sparse),
        fixture_test(test_large),
        fixture_test(test_fewer_than_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
