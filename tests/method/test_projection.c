/* The projection of nmf-sc: against an independent reference, against random points that meet the
 * constraints too, and where every direction is as near. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/random.h"
#include "method/projection.h"

#include <cmocka.h>

#include "golden.h"

#define MOST 64

static void test_golden(void **state)
{
    int64_t rows, columns, sums, one;
    bool fixed[MOST];
    double *x = golden_read("projection_l1_l2", "x.csv", &rows, &columns),
           *expected = golden_read("projection_l1_l2", "out_p.csv", &rows, &columns),
           *l1 = golden_read("projection_l1_l2", "l1.csv", &one, &sums);
    (void)state;
    assert_int_equal(one * sums, rows);
    for (int64_t i = 0; i < rows; i++) {
        project_to_norms(x + i * columns, columns, l1[i], 1, fixed);
        for (int64_t j = 0; j < columns; j++)
            assert_true(fabs(x[i * columns + j] - expected[i * columns + j]) <= 1e-12);
    }
    free(x);
    free(expected);
    free(l1);
}

static void meets_constraints(const double *values, int64_t count, double l1, double l2_squared)
{
    double sum = 0, squares = 0;
    for (int64_t i = 0; i < count; i++) {
        assert_true(values[i] >= 0);
        sum += values[i];
        squares += values[i] * values[i];
    }
    assert_true(fabs(sum - l1) <= 1e-9 * l1 && fabs(squares - l2_squared) <= 1e-9 * l2_squared);
}

static double distance(const double *a, const double *b, int64_t count)
{
    double total = 0;
    for (int64_t i = 0; i < count; i++)
        total += (a[i] - b[i]) * (a[i] - b[i]);
    return total;
}

static void test_no_feasible_point_is_nearer(void **state)
{
    uint64_t draws = 0;
    (void)state;
    for (int trial = 0; trial < 300; trial++) {
        const int64_t count = 2 + trial % 40;
        const double sparseness = (trial % 11) / 10.0, scale = pow(10, trial % 7 - 3);
        const double l1 = scale * sum_at_sparseness(count, sparseness), l2 = scale * scale;
        double x[MOST], found[MOST], other[MOST];
        bool fixed[MOST];
        for (int64_t i = 0; i < count; i++)
            found[i] = x[i] = 10 * scale * random_normal(3, RANDOM_TEST, draws++, 0);
        project_to_norms(found, count, l1, l2, fixed);
        meets_constraints(found, count, l1, l2);
        for (int o = 0; o < 20; o++) {
            for (int64_t i = 0; i < count; i++)
                other[i] = x[i] + 5 * scale * random_normal(3, RANDOM_TEST, draws++, 0);
            project_to_norms(other, count, l1, l2, fixed);
            assert_true(distance(x, found, count) <= distance(x, other, count) * (1 + 1e-9));
        }
    }
}

/* Equal entries, zeros, ties for the only place: some nearest point, and always the same. */
static void test_ties(void **state)
{
    static const double rows[][6] = {{0, 0, 0, 0, 0, 0},        {1, 1, 1, 1, 1, 1},
                                     {3, 3, 0, 0, 0, 0},        {-1, -1, -1, -1, -1, -1},
                                     {1e300, 1, 1, 0, 0, 1e-9}, {0, 0, 0, 0, 0, 1e-308},
                                     {-5, -5, 2, 2, 2, -5}};
    (void)state;
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        for (int s = 0; s <= 10; s++) {
            double a[6], b[6];
            bool fixed[6];
            const double l1 = sum_at_sparseness(6, s / 10.0);
            memcpy(a, rows[r], sizeof a);
            memcpy(b, rows[r], sizeof b);
            if (r == 4)
                a[0] = b[0] = 1e120;
            project_to_norms(a, 6, l1, 1, fixed);
            project_to_norms(b, 6, l1, 1, fixed);
            meets_constraints(a, 6, l1, 1);
            assert_memory_equal(a, b, sizeof a);
        }
}

static void test_nothing_to_reach(void **state)
{
    double one[] = {-4}, none[] = {1, -2, 3};
    bool fixed[3];
    (void)state;
    project_to_norms(one, 1, 2.5, 6.25, fixed); /* a single entry has no choice */
    assert_true(fabs(one[0] - 2.5) <= 1e-15);
    project_to_norms(none, 3, 0, 0, fixed);
    assert_true(none[0] == 0 && none[1] == 0 && none[2] == 0);
    assert_true(sum_at_sparseness(9, 0) == 3 && sum_at_sparseness(9, 1) == 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_golden),
        cmocka_unit_test(test_no_feasible_point_is_nearer),
        cmocka_unit_test(test_ties),
        cmocka_unit_test(test_nothing_to_reach),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
