/* Rows beside centres, by every instruction set that this machine has, in both precisions, against
 * plain loops. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

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
        t->ops->row_distances(x, centres, 3, found);
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
    const double rounding = t->ops->size == sizeof(float) ? FLT_EPSILON : DBL_EPSILON;
    for (int64_t columns = 1; columns < 200; columns++) {
        const array x = make(t, 2, columns, columns, -0.5);
        const array first = array_rows(t->ops, x, 0, 1), second = array_rows(t->ops, x, 1, 1);
        double total = 0;
        for (int64_t j = 0; j < columns; j++)
            total += pow(get(t, x, 0, j) - get(t, x, 1, j), 2);
        const double found = t->ops->row_distance(first, second);
        assert_true(fabs(found - total) <= (double)(columns + 4) * rounding * total);
        assert_true(t->ops->row_distance(second, first) == found);
        assert_true(t->ops->row_distance(first, first) == 0);
        free(x.data);
    }
}

/* Distances and products of one row and some of many, one of them twice. */
static void test_listed_rows(void **state)
{
    const table *t = *state;
    const double rounding = t->ops->size == sizeof(float) ? FLT_EPSILON : DBL_EPSILON;
    enum { ROWS = 12, LISTED = 15 };
    for (int64_t columns = 1; columns < 140; columns++) {
        const array x = make(t, 1, columns, columns, -0.5),
                    rows = make(t, ROWS, columns, columns + 3, -0.5);
        int32_t numbers[LISTED];
        float distances[LISTED + 1] = {[LISTED] = -7}, dots[LISTED + 1] = {[LISTED] = -7};
        for (int32_t c = 0; c < LISTED; c++)
            numbers[c] = c * 5 % ROWS;
        t->ops->listed_distances(x, rows, numbers, LISTED, distances);
        t->ops->listed_dots(x, rows, numbers, LISTED, dots);
        for (int64_t c = 0; c < LISTED; c++) {
            double distance = 0, dot = 0, absolute = 0;
            for (int64_t j = 0; j < columns; j++) {
                const double a = get(t, x, 0, j), b = get(t, rows, numbers[c], j);
                distance += (a - b) * (a - b);
                dot += a * b;
                absolute += fabs(a * b);
            }
            const double off = (double)(columns + 4) * rounding + FLT_EPSILON;
            assert_true(fabs((double)distances[c] - distance) <= off * distance);
            assert_true(fabs((double)dots[c] - dot) <= off * absolute);
        }
        assert_true(distances[LISTED] == -7 && dots[LISTED] == -7);
        t->ops->listed_distances(x, x, (const int32_t[]){0}, 1, distances);
        assert_true(distances[0] == 0);
        free(x.data);
        free(rows.data);
    }
}

/* The same bits with all instruction sets: four sums over 64 features at a time. */
static void test_plain_distance(void **state)
{
    const table *t = *state;
    for (int64_t columns = 1; columns < 300; columns++) {
        const array x = make(t, 2, columns, columns, -0.5);
        const array first = array_rows(t->ops, x, 0, 1), second = array_rows(t->ops, x, 1, 1);
        double total = 0, at_half = INFINITY;
        for (int64_t piece = 0; piece < columns; piece += 64) {
            const int64_t end = columns - piece < 64 ? columns : piece + 64;
            volatile double sums[4] = {0}; /* nothing is fused */
            for (int64_t j = piece; j < end; j++) {
                const double way = get(t, x, 0, j) - get(t, x, 1, j);
                volatile double square = way * way;
                sums[j < piece + (end - piece) / 4 * 4 ? (j - piece) % 4 : 0] += square;
            }
            total += (sums[0] + sums[1]) + (sums[2] + sums[3]);
        }
        assert_true(t->ops->plain_distance(first, second, INFINITY) == total);
        assert_true(t->ops->plain_distance(second, first, total) == total);
        at_half = t->ops->plain_distance(first, second, total / 2);
        assert_true(at_half > total / 2 && at_half <= total);
        free(x.data);
    }
}

/* Points side by side have the bits of rows. */
static void test_plain_distances(void **state)
{
    const table *t = *state;
    enum { MOST = 40, WHOLE = KERNEL_WHOLE(MOST) };
    for (int64_t axes = 1; axes <= 20; axes++)
        for (int64_t count = 1; count <= MOST; count++) {
            const array y = make(t, 1, axes, axes, -0.5),
                        points = make(t, axes, count, WHOLE, -0.5);
            const array rows = make(t, count, axes, axes, 0);
            double distances[WHOLE];
            t->ops->plain_distances(points, y.data, distances);
            for (int64_t i = 0; i < count; i++) {
                for (int64_t a = 0; a < axes; a++)
                    set(t, rows, i, a, get(t, points, a, i));
                assert_true(distances[i] ==
                            t->ops->plain_distance(array_rows(t->ops, rows, i, 1), y, INFINITY));
            }
            free(y.data);
            free(points.data);
            free(rows.data);
        }
}

/* Distances by products, in rows of 16 that follow each other: what is within either limit. */
static void test_list_near(void **state)
{
    const table *t = *state;
    enum { WIDE = 16, MOST = 5 * WIDE };
    for (int64_t count = 1; count <= MOST; count++) {
        const array dots = make(t, 5, WIDE, WIDE, -0.5), squares = make(t, 1, MOST, MOST, 0);
        const array limits = make(t, 1, MOST, MOST, 0);
        int32_t numbers[MOST + 1];
        float distances[MOST + 1];
        int64_t next = 0;
        const int64_t found = t->ops->list_near(dots, count, 0.25, squares.data, 0.5, limits.data,
                                                numbers, distances);
        for (int64_t j = 0; j < count; j++) {
            const double distance =
                0.25 + get(t, squares, 0, j) - 2 * get(t, dots, j / WIDE, j % WIDE);
            const double limit = fmax(0.5, get(t, limits, 0, j));
            if (next < found && numbers[next] == j) {
                assert_true(fabs((double)distances[next++] - distance) <= 4 * FLT_EPSILON);
                assert_true(distance <= limit + 4 * FLT_EPSILON);
            } else {
                assert_true(distance >= limit - 4 * FLT_EPSILON);
            }
        }
        assert_int_equal(next, found);
        /* Without a limit, all. */
        assert_int_equal(t->ops->list_near(dots, count, 0, squares.data, INFINITY, limits.data,
                                           numbers, distances),
                         count);
        free(dots.data);
        free(squares.data);
        free(limits.data);
    }
}

static void test_byte_distances(void **state)
{
    const table *t = *state;
    enum { ROWS = 6, WIDEST = 140 };
    int8_t x[WIDEST], rows[ROWS * WIDEST];
    const int32_t places[] = {5, 0, 3, 3};
    for (int64_t width = 1; width <= WIDEST; width++) {
        int32_t squares[4];
        for (int64_t l = 0; l < width; l++)
            x[l] = (int8_t)(l % 2 ? 127 : -127 + l % 5);
        for (int64_t e = 0; e < ROWS * width; e++)
            rows[e] = (int8_t)(255 * draw() - 127.5);
        rows[5 * width] = 127; /* as far from x as can be */
        t->ops->byte_distances(x, rows, width, places, 4, squares);
        for (int64_t c = 0; c < 4; c++) {
            int32_t total = 0;
            for (int64_t l = 0; l < width; l++)
                total +=
                    (x[l] - rows[places[c] * width + l]) * (x[l] - rows[places[c] * width + l]);
            assert_int_equal(squares[c], total);
        }
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
        t->ops->two_least(dots, offset, least, second);
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

/* Rows in groups, as group() makes them, with some rows over a whole number of groups. */
static void *make_grouped(const table *t, array x)
{
    const int64_t rows = (x.rows + KERNEL_GROUP - 1) / KERNEL_GROUP * KERNEL_GROUP;
    void *grouped = malloc((size_t)(rows * x.columns) * t->ops->size);
    t->ops->group(grouped, x);
    const array groups = {grouped, rows / KERNEL_GROUP * x.columns, KERNEL_GROUP, KERNEL_GROUP};
    for (int64_t i = 0; i < rows; i++)
        for (int64_t l = 0; l < x.columns; l++)
            assert_true(get(t, groups, i / KERNEL_GROUP * x.columns + l, i % KERNEL_GROUP) ==
                        (i < x.rows ? get(t, x, i, l) : 0));
    return grouped;
}

static double distance_of(const table *t, array x, int64_t i, const double *centre)
{
    double total = 0;
    for (int64_t j = 0; j < x.columns; j++)
        total += pow(get(t, x, i, j) - centre[j], 2);
    return total;
}

static void test_grouped_distances(void **state)
{
    enum { ROWS = 77, CENTRES = 6 };
    const table *t = *state;
    for (int64_t columns = 1; columns < 40; columns += 3) {
        array x = make(t, ROWS, columns, columns, -0.5);
        void *grouped = make_grouped(t, x);
        double centres[CENTRES * 40], own[96] = {0}, expected = 0, sums[CENTRES + 1];
        for (int64_t e = 0; e < CENTRES * columns; e++)
            centres[e] = draw() - 0.5;
        for (int64_t i = 0; i < ROWS; i++)
            own[i] = i % 10 ? (double)columns * draw() / 6 : INFINITY;
        for (int count = 1; count <= CENTRES; count++) {
            sums[count] = -1;
            t->ops->grouped_tries(grouped, ROWS, columns, centres, count, own, sums);
            assert_true(sums[count] == -1);
            for (int c = 0; c < count; c++) {
                double left = 0;
                for (int64_t i = 0; i < ROWS; i++)
                    left += fmin(own[i], distance_of(t, x, i, centres + c * columns));
                assert_true(fabs(sums[c] - left) <= 1e-14 * left);
            }
        }
        double least[96];
        memcpy(least, own, sizeof own);
        const double sum = t->ops->grouped_approach(grouped, ROWS, columns, centres, least);
        for (int64_t i = 0; i < ROWS; i++) {
            const double lesser = fmin(own[i], distance_of(t, x, i, centres));
            assert_true(fabs(least[i] - lesser) <= 1e-14 * lesser);
            expected += lesser;
        }
        assert_true(fabs(sum - expected) <= 1e-14 * expected);
        for (int i = ROWS; i < 96; i++)
            assert_true(least[i] == 0);
        free(grouped);
        free(x.data);
    }
}

/* Labels of all rows whose lead is more than the margin, and all others listed; some centres are
 * equal, so that some rows have no lead at all. */
static void test_grouped_nearest(void **state)
{
    const table *t = *state;
    for (int64_t k = 1; k < 20; k++)
        for (int64_t rows = 1; rows < 140; rows += 23) {
            const int64_t columns = 1 + (k + rows) % 12, stride = (k + 3) / 4 * 4;
            array x = make(t, rows, columns, columns, -0.5);
            array s = make(t, columns, k, stride, -0.5), bias = make(t, 1, k, stride, -0.5);
            void *grouped = make_grouped(t, x);
            int64_t label[140];
            int32_t doubtful[140];
            for (int64_t c = k; c < stride; c++)
                set(t, bias, 0, c, -HUGE_VAL);
            for (int64_t l = 0; l < columns && k > 7; l++)
                set(t, s, l, 5, get(t, s, l, 2));
            if (k > 7)
                set(t, bias, 0, 5, get(t, bias, 0, 2));
            label[rows] = -7;
            const int64_t count =
                t->ops->grouped_nearest(grouped, rows, s, bias.data, 0.01, label, doubtful);
            int64_t listed = 0;
            for (int64_t i = 0; i < rows; i++) {
                double most = -HUGE_VAL, next = -HUGE_VAL;
                int64_t first = 0;
                for (int64_t c = 0; c < k; c++) {
                    double value = get(t, bias, 0, c);
                    for (int64_t l = 0; l < columns; l++)
                        value += get(t, x, i, l) * get(t, s, l, c);
                    first = value > most ? c : first;
                    next = fmax(next, fmin(most, value));
                    most = fmax(most, value);
                }
                const bool is_listed = listed < count && doubtful[listed] == i;
                listed += is_listed;
                assert_true(is_listed ? most - next < 0.01 + 1e-5 : most - next > 0.01 - 1e-5);
                assert_true(is_listed || label[i] == first);
            }
            assert_int_equal(listed, count);
            assert_true(label[rows] == -7);
            free(grouped);
            free(x.data);
            free(s.data);
            free(bias.data);
        }
}

static const kernel_test functions[] = {{"row distances", test_row_distances},
                                        {"row distance", test_row_distance},
                                        {"listed rows", test_listed_rows},
                                        {"plain distances", test_plain_distances},
                                        {"plain distance", test_plain_distance},
                                        {"list near", test_list_near},
                                        {"byte distances", test_byte_distances},
                                        {"two least", test_two_least},
                                        {"grouped distances", test_grouped_distances},
                                        {"grouped nearest", test_grouped_nearest}};

int main(void)
{
    return run_kernel_tests("nearest", functions, (int)(sizeof functions / sizeof *functions));
}
