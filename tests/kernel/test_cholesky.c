/* Small systems of equations against a plain product: A x is what it was solved for. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "kernel_case.h"

#include <cmocka.h>

/* A = B'B of `rows` random rows: singular where these are fewer than its own. */
static array make_gram(const table *t, int64_t rows, int64_t rank)
{
    array b = make(t, rows, rank, 0, -0.5), g = make(t, rank, rank, 0, 0);
    t->ops->product_transposed(g, b, b, false);
    free(b.data);
    return g;
}

static array solve(const table *t, array gram, array right, double ridge)
{
    array a = make(t, gram.rows, gram.rows, 0, 0), x = make(t, 1, gram.rows, 0, 0),
          scratch = make(t, 2, gram.rows, 0, 0);
    t->ops->copy(a, gram);
    t->ops->copy(x, right);
    for (int64_t i = 0; i < gram.rows; i++) /* the upper triangle has no part in it */
        for (int64_t j = i + 1; j < gram.rows; j++)
            set(t, a, i, j, 1e3);
    t->ops->cholesky_solve(a, ridge, x.data, scratch.data);
    free(a.data);
    free(scratch.data);
    return x;
}

static void test_solves(void **state)
{
    static const int64_t ranks[] = {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 50, 64, 97};
    const table *t = *state;
    for (size_t r = 0; r < sizeof ranks / sizeof *ranks; r++) {
        const int64_t rank = ranks[r];
        const double ridge = 1e-3;
        array g = make_gram(t, 3 * rank, rank), right = make(t, 1, rank, 0, -0.5),
              x = solve(t, g, right, ridge);
        for (int64_t i = 0; i < rank; i++) {
            double total = ridge * get(t, g, i, i) * get(t, x, 0, i), size = 1;
            for (int64_t j = 0; j < rank; j++) {
                total += get(t, g, i, j) * get(t, x, 0, j);
                size += fabs(get(t, g, i, j) * get(t, x, 0, j));
            }
            const double most = (t->precision == ORTHANT_SINGLE ? 1e-5 : 1e-13) * size;
            if (!(fabs(total - get(t, right, 0, i)) <= most))
                fail_msg("%s, %d unknowns: row %d gives %.17g in place of %.17g", t->ops->name,
                         (int)rank, (int)i, total, get(t, right, 0, i));
        }
        free(g.data);
        free(right.data);
        free(x.data);
    }
}

/* Columns that depend on each other: x stays of the size of the solution that has none of them
 * twice, and solves the system all the same. */
static void test_singular(void **state)
{
    const table *t = *state;
    const int64_t rank = 40;
    array g = make_gram(t, 12, rank), y = make(t, 1, rank, 0, 0), right = make(t, 1, rank, 0, 0);
    t->ops->product(right, y, g, false);
    array x = solve(t, g, right, t->precision == ORTHANT_SINGLE ? 1e-4 : 1e-10);
    for (int64_t i = 0; i < rank; i++) {
        double total = 0;
        for (int64_t j = 0; j < rank; j++)
            total += get(t, g, i, j) * get(t, x, 0, j);
        assert_true(fabs(get(t, x, 0, i)) <= 10);
        assert_true(fabs(total - get(t, right, 0, i)) <=
                    (t->precision == ORTHANT_SINGLE ? 1e-2 : 1e-6) * fabs(get(t, right, 0, i)) +
                        1e-6);
    }
    free(g.data);
    free(y.data);
    free(right.data);
    free(x.data);
}

static const kernel_test functions[] = {
    {"solves", test_solves},
    {"singular", test_singular},
};

int main(void)
{
    return run_kernel_tests("cholesky", functions, (int)(sizeof functions / sizeof *functions));
}
