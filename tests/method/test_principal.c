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
    double *along = calloc((size_t)(3 * m), sizeof *along);
    int64_t *start = calloc((size_t)n + 1, sizeof *start),
            *column = calloc((size_t)(n * m), sizeof *column), stored = 0;
    for (int64_t d = 0; d < 3; d++)
        for (int64_t j = 0; j < m; j++)
            along[d * m + j] = (6 >> d) * (uniform(-5 - d, j) - 0.5);
    for (int64_t i = 0; i < n; i++) {
        const double at[3] = {uniform(i, -1) - 0.5, uniform(i, -2) - 0.5, uniform(i, -3) - 0.5};
        for (int64_t j = 0; j < m; j++) {
            if (sparse && uniform(i + 1000, j) < 0.7)
                continue;
            double value = 3 + 0.1 * uniform(i, j);
            for (int d = 0; d < 3; d++)
                value += at[d] * along[d * m + j];
            column[stored] = j;
            values[sparse ? stored : i * m + j] = value;
            stored++;
        }
        start[i + 1] = stored;
    }
    expect_ok(ctx, sparse ? orthant_matrix_create_csr(ctx, n, m, start, column, values, &X)
                          : orthant_matrix_create(ctx, n, m, values, &X));
    free(values);
    free(along);
    free(start);
    free(column);
    return X;
}

static void check_residual(const double *back, int64_t m, int64_t c, const principal *p,
                           double tolerance)
{
    for (int64_t j = 0; j < m; j++)
        if (!(fabs(back[j]) <= tolerance * p->values[0]))
            fail_msg("component %d: residual %g of %g", (int)c, back[j], p->values[0]);
}

/* |X_c'X_c v - value v| for each component, and V'V = I, by plain loops. */
static void check_components(const orthant_matrix *X, const principal *p, double tolerance)
{
    const int64_t n = X->rows, m = X->columns;
    double *row = calloc((size_t)m, sizeof *row), *vectors, *back;
    vectors = calloc((size_t)(p->found * m), sizeof *vectors);
    back = calloc((size_t)(p->found * m), sizeof *back);
    for (int64_t c = 0; c < p->found; c++)
        for (int64_t j = 0; j < m; j++) {
            vectors[c * m + j] = orthant_matrix_get(p->vectors, j, c);
            back[c * m + j] = -p->values[c] * vectors[c * m + j];
        }
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < m; j++)
            row[j] = orthant_matrix_get(X, i, j) - p->mean[j];
        for (int64_t c = 0; c < p->found; c++) {
            double score = 0;
            for (int64_t j = 0; j < m; j++)
                score += row[j] * vectors[c * m + j];
            for (int64_t j = 0; j < m; j++)
                back[c * m + j] += row[j] * score;
        }
    }
    for (int64_t c = 0; c < p->found; c++) {
        check_residual(back + c * m, m, c, p, tolerance);
        for (int64_t d = 0; d <= c; d++) {
            double inner = d == c ? -1 : 0;
            for (int64_t j = 0; j < m; j++)
                inner += vectors[c * m + j] * vectors[d * m + j];
            assert_true(fabs(inner) <= tolerance);
        }
        assert_true(c == 0 || p->values[c] <= p->values[c - 1]);
    }
    free(row);
    free(vectors);
    free(back);
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
