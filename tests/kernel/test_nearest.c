/* Rows beside centres, by every instruction set that this machine has, in both precisions, against
 * plain loops. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "kernel_case.h"

#include <cmocka.h>

static void test_row_distances(void **state)
{
    const table *t = *state;
    for (int64_t columns = 1; columns < 40; columns += 3) {
        array x = make(t, 9, columns, columns, -0.5);
        double centres[3 * 40], found[9 * 3];
        for (int64_t e = 0; e < 3 * columns; e++)
            centres[e] = draw() - 0.5;
        /* The first centre is a row: its distance is nothing. */
        for (int64_t j = 0; j < columns; j++)
            centres[j] = get(t, x, 4, j);
        t->k->row_distances(x, centres, 3, found);
        for (int64_t i = 0; i < 9; i++)
            for (int64_t c = 0; c < 3; c++) {
                double total = 0;
                for (int64_t j = 0; j < columns; j++)
                    total += pow(get(t, x, i, j) - centres[c * columns + j], 2);
                assert_true(fabs(found[i * 3 + c] - total) <= 1e-14);
            }
        assert_true(found[4 * 3] == 0);
        free(x.data);
    }
}

static void test_row_distance(void **state)
{
    const table *t = *state;
    const double rounding = t->k->size == sizeof(float) ? FLT_EPSILON : DBL_EPSILON;
    for (int64_t columns = 1; columns < 200; columns++) {
        const array x = make(t, 2, columns, columns, -0.5);
        const array first = array_rows(t->k, x, 0, 1), second = array_rows(t->k, x, 1, 1);
        double total = 0;
        for (int64_t j = 0; j < columns; j++)
            total += pow(get(t, x, 0, j) - get(t, x, 1, j), 2);
        const double found = t->k->row_distance(first, second);
        assert_true(fabs(found - total) <= (double)(columns + 4) * rounding * total);
        assert_true(t->k->row_distance(second, first) == found);
        assert_true(t->k->row_distance(first, first) == 0);
        free(x.data);
    }
}

/* Where the two least are, and that equal ones both count. */
static void test_two_least(void **state)
{
    const table *t = *state;
    for (int64_t columns = 1; columns < 40; columns++) {
        array dots = make(t, 5, columns, 0, -0.5);
        double offset[64], least[5], second[5];
        for (int64_t c = 0; c < 64; c++)
            offset[c] = c < columns ? draw() : DBL_MAX;
        if (columns > 2) { /* the last two are equal, and the least of row 3 */
            offset[columns - 1] = offset[columns - 2] = -2;
            set(t, dots, 3, columns - 1, 0.25);
            set(t, dots, 3, columns - 2, 0.25);
        }
        t->k->two_least(dots, offset, least, second);
        for (int64_t i = 0; i < 5; i++) {
            double low = DBL_MAX, next = DBL_MAX;
            for (int64_t c = 0; c < columns; c++) {
                const double part = offset[c] - 2 * get(t, dots, i, c);
                next = fmin(next, fmax(low, part));
                low = fmin(low, part);
            }
            assert_true(least[i] == low && second[i] == next);
        }
        assert_true(columns < 3 || least[3] == second[3]);
        free(dots.data);
    }
}

static const kernel_test functions[] = {{"row distances", test_row_distances},
                                        {"row distance", test_row_distance},
                                        {"two least", test_two_least}};

int main(void)
{
    return run_kernel_tests("nearest", functions, (int)(sizeof functions / sizeof *functions));
}
