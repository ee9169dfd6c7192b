/* The best matching against every matching. */
#include "expect.h"

#include <math.h>
#include <stdlib.h>

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

/* The largest sum over rows row .. rows - 1 with columns that are not in `taken`; a row may stay
 * alone. */
static double try_all(const double *value, int64_t rows, int64_t columns, int64_t row, int taken)
{
    if (row == rows)
        return 0.0;
    double best = try_all(value, rows, columns, row + 1, taken);
    for (int64_t j = 0; j < columns; j++)
        if (value[row * columns + j] > 0.0 && !(taken >> j & 1)) {
            const double sum =
                value[row * columns + j] + try_all(value, rows, columns, row + 1, taken | 1 << j);
            best = sum > best ? sum : best;
        }
    return best;
}

/* The entries above 0 of a table are the pairs. */
static void match(const double *value, int64_t rows, int64_t columns, int64_t *column_of)
{
    assignment_pair pair[64];
    int64_t count = 0;
    for (int64_t e = 0; e < rows * columns; e++)
        if (value[e] > 0.0)
            pair[count++] = (assignment_pair){e / columns, e % columns, value[e]};
    expect_ok(ctx, assignment_largest(ctx, rows, columns, pair, count, column_of));
}

static double sum_of_matching(const double *value, int64_t rows, int64_t columns)
{
    int64_t column_of[64];
    int taken = 0;
    double sum = 0.0;
    match(value, rows, columns, column_of);
    for (int64_t i = 0; i < rows; i++) {
        if (column_of[i] < 0)
            continue;
        assert_true(column_of[i] < columns && value[i * columns + column_of[i]] > 0.0);
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
    for (uint64_t trial = 0; trial < 2000; trial++) {
        const int64_t columns = 1 + (int64_t)(trial % 7);
        const int64_t rows = 1 + (int64_t)random_below(3, RANDOM_TEST, trial, 0, 7);
        /* Small whole numbers make many ties; in every fourth table many entries are no pairs. */
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
    match(value, 3, 3, column_of);
    assert_int_equal(column_of[0], 1);
    assert_int_equal(column_of[1], 0);
    assert_int_equal(column_of[2], -1);
}

static void test_a_row_gives_way(void **state)
{
    (void)state;
    /* The second row takes the only column; the first stays alone. */
    const double value[] = {3, 5};
    int64_t column_of[2];
    match(value, 2, 1, column_of);
    assert_int_equal(column_of[0], -1);
    assert_int_equal(column_of[1], 0);
}

/* A band of pairs with random values: no pair is worth more than what its row and its column hold.
 */
static void test_thousands_of_rows(void **state)
{
    (void)state;
    enum { N = 20000, BAND = 6 };
    assignment_pair *pair = malloc(sizeof *pair * N * BAND);
    int64_t *column_of = malloc(sizeof *column_of * N), *row_of = malloc(sizeof *row_of * N);
    int64_t count = 0;
    assert_true(pair && column_of && row_of);
    for (int64_t i = 0; i < N; i++)
        for (int64_t j = i; j < i + BAND && j < N; j++) {
            const double gain =
                1.0 + (double)random_below(5, RANDOM_TEST, (uint64_t)count, 0, 1000);
            pair[count++] = (assignment_pair){i, j, gain};
        }
    expect_ok(ctx, assignment_largest(ctx, N, N, pair, count, column_of));
    double *held = calloc(N, sizeof *held);
    assert_non_null(held);
    for (int64_t j = 0; j < N; j++)
        row_of[j] = -1;
    for (int64_t e = 0; e < count; e++)
        if (column_of[pair[e].row] == pair[e].column) {
            assert_int_equal(row_of[pair[e].column], -1);
            row_of[pair[e].column] = pair[e].row;
            held[pair[e].row] = pair[e].value;
        }
    for (int64_t e = 0; e < count; e++) {
        const int64_t other = row_of[pair[e].column];
        const double given_up = held[pair[e].row] + (other < 0 ? 0.0 : held[other]);
        if (other != pair[e].row)
            assert_true(other >= 0 || pair[e].value <= held[pair[e].row]);
        assert_true(pair[e].value <= given_up);
    }
    free(pair);
    free(column_of);
    free(row_of);
    free(held);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_every_matching_of_small_tables, make, clear),
        cmocka_unit_test_setup_teardown(test_greedy_would_be_wrong, make, clear),
        cmocka_unit_test_setup_teardown(test_a_row_gives_way, make, clear),
        cmocka_unit_test_setup_teardown(test_thousands_of_rows, make, clear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
