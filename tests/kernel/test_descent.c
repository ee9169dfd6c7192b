/* Coordinate descent on rows against plain loops, and the projected gradient that is 0 where it
 * ends. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "kernel_case.h"

#include <cmocka.h>

/* G = B'B of random B, so that every row has a minimiser. */
static array make_gram(const table *t, int64_t rank)
{
    array b = make(t, rank + 3, rank, 0, -0.3), g = make(t, rank, rank, 0, 0);
    t->ops->product_transposed(g, b, b, false);
    free(b.data);
    return g;
}

static void plain_pass(const table *t, array s, array n, array u, array g)
{
    for (int64_t i = 0; i < s.rows; i++)
        for (int64_t j = 0; j < s.columns; j++) {
            const double own = u.data ? get(t, u, i, j) : 0, bend = get(t, g, j, j) + own;
            double slope = own * get(t, s, i, j) - get(t, n, i, j);
            for (int64_t l = 0; l < s.columns; l++)
                slope += get(t, g, j, l) * get(t, s, i, l);
            set(t, s, i, j, fmax(0, get(t, s, i, j) - slope / bend));
        }
}

static void test_passes(void **state)
{
    static const int64_t ranks[] = {1, 2, 3, 5, 8, 13, 16, 31, 40, 97, 130, 200};
    static const int64_t rows[] = {1, 3, 16, 17, 64};
    const table *t = *state;
    for (size_t r = 0; r < sizeof ranks / sizeof *ranks; r++)
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
            for (int curved = 0; curved < 2; curved++) {
                const int64_t rank = ranks[r];
                void *scratch =
                    aligned_alloc(64, (size_t)(kernel_descent_scratch(rank) + 63) / 64 * 64);
                array g = make_gram(t, rank), n = make(t, rows[i], rank, 0, -0.2);
                array s = make(t, rows[i], rank, 0, 0), expected = make(t, rows[i], rank, 0, 0);
                array u = make(t, rows[i], rank, 0, 0), none = {0};
                t->ops->copy(expected, s);
                for (int pass = 0; pass < 2; pass++)
                    plain_pass(t, expected, n, curved ? u : none, g);
                t->ops->descend(s, n, curved ? u : none, g, 2, 0, scratch);
                for (int64_t a = 0; a < rows[i]; a++)
                    for (int64_t j = 0; j < rank; j++)
                        near(t, get(t, s, a, j), get(t, expected, a, j), 20);
                tails_are_zero(t, s);
                void *all[] = {g.data, n.data, s.data, expected.data, u.data, scratch};
                for (int a = 0; a < 6; a++)
                    free(all[a]);
            }
}

static void test_ends_at_the_minimiser(void **state)
{
    const table *t = *state;
    const int64_t rank = 12;
    void *scratch = aligned_alloc(64, (size_t)(kernel_descent_scratch(rank) + 63) / 64 * 64);
    array g = make_gram(t, rank), n = make(t, 10, rank, 0, -0.5), none = {0};
    array s = make(t, 10, rank, 0, 0), d = make(t, 10, rank, 0, 0);
    t->ops->product(d, s, g, false);
    const double before = t->ops->projected_square(s, n, d);
    t->ops->descend(s, n, none, g, 20000, 0, scratch);
    t->ops->product(d, s, g, false);
    const double after = t->ops->projected_square(s, n, d);
    assert_true(before > 1e-2);
    assert_true(after <= (t->precision == ORTHANT_SINGLE ? 1e-8 : 1e-18) * before);
    void *all[] = {g.data, n.data, s.data, d.data, scratch};
    for (int a = 0; a < 5; a++)
        free(all[a]);
}

/* A basis vector that is zero leaves its coordinate where it is. */
static void test_dead_columns(void **state)
{
    const table *t = *state;
    void *scratch = aligned_alloc(64, (size_t)(kernel_descent_scratch(3) + 63) / 64 * 64);
    array g = make_gram(t, 3), n = make(t, 5, 3, 0, 0), s = make(t, 5, 3, 0, 0), none = {0};
    for (int64_t j = 0; j < 3; j++) {
        set(t, g, 1, j, 0);
        set(t, g, j, 1, 0);
    }
    for (int64_t i = 0; i < 5; i++) {
        set(t, n, i, 1, 0);
        set(t, s, i, 1, 0.25);
    }
    t->ops->descend(s, n, none, g, 3, 0, scratch);
    for (int64_t i = 0; i < 5; i++) {
        assert_true(get(t, s, i, 1) == 0.25);
        assert_true(isfinite(get(t, s, i, 0)) && isfinite(get(t, s, i, 2)));
    }
    free(g.data);
    free(n.data);
    free(s.data);
    free(scratch);
}

static const kernel_test functions[] = {
    {"passes", test_passes},
    {"the minimiser", test_ends_at_the_minimiser},
    {"dead columns", test_dead_columns},
};

int main(void)
{
    return run_kernel_tests("descent", functions, (int)(sizeof functions / sizeof *functions));
}
