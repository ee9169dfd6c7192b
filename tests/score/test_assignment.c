/* The best matching against every matching. */
#include "expect.h"

#include <math.h>

#include "core/random.h"
#include "score/assignment.h"

static orthant_context *ctx;

static int make(void **state)
{
    (void)state;
    return orthant_context_create(&ctx) != ORTHANT_OK;
}

static int clear(void **state)
{
    (void)state;
    const size_t left = orthant_context_memory(ctx);
    orthant_context_free(ctx);
    return left != 0;
}

/* The largest sum over rows row .. rows - 1 with columns that are not in `taken`. */
static double try_all(const double *value, int64_t rows, int64_t columns, int64_t row, int taken)
{
    double best = row == rows ? 0.0 : -INFINITY;
    for (int64_t j = 0; j < columns && row < rows; j++)
        if (!(taken >> j & 1)) {
            const double sum =
                value[row * columns + j] + try_all(value, rows, columns, row + 1, taken | 1 << j);
            best = sum > best ? sum : best;
        }
    return best;
}

static double sum_of_matching(const double *value, int64_t rows, int64_t columns)
{
    int64_t column_of[64];
    int taken = 0;
    double sum = 0.0;
    expect_ok(ctx, assignment_largest(ctx, rows, columns, value, column_of));
    for (int64_t i = 0; i < rows; i++) {
        assert_true(column_of[i] >= 0 && column_of[i] < columns);
        assert_false(taken >> column_of[i] & 1);
        taken |= 1 << column_of[i];
        sum += value[i * columns + column_of[i]];
    }
    return sum;
}

static void test_every_matching_of_small_tables(void **state)
{
    (void)state;
    double value[49];
    for (uint64_t trial = 0; trial < 400; trial++) {
        const int64_t columns = 1 + (int64_t)(trial % 7);
        const int64_t rows = 1 + (int64_t)random_below(3, RANDOM_TEST, trial, 0, (uint64_t)columns);
        /* Small whole numbers make many ties; every fourth table has negative entries. */
        for (uint64_t e = 0; e < 49; e++)
            value[e] = (double)random_below(3, RANDOM_TEST, trial, 1 + e, 2 + trial % 9) -
                       (trial % 4 == 0 ? 3.0 : 0.0);
        const double best = try_all(value, rows, columns, 0, 0);
        assert_true(fabs(sum_of_matching(value, rows, columns) - best) < 1e-12);
    }
}

static void test_greedy_would_be_wrong(void **state)
{
    (void)state;
    const double value[] = {10, 9, 0, 9, 1, 0, 0, 0, 0};
    int64_t column_of[3];
    expect_ok(ctx, assignment_largest(ctx, 3, 3, value, column_of));
    assert_int_equal(column_of[0], 1);
    assert_int_equal(column_of[1], 0);
    assert_int_equal(column_of[2], 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_every_matching_of_small_tables, make, clear),
        cmocka_unit_test_setup_teardown(test_greedy_would_be_wrong, make, clear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
