/* Every kernel of every instruction set that this machine has, in both precisions, against plain
 * loops: all remainders of rows, columns and inner lengths. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel_case.h"

#include "core/random.h"
#include "data/matrix.h"

#include <cmocka.h>

static const int64_t ranks[] = {1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13,  14,
                                15, 16, 17, 24, 31, 33, 47, 48, 49, 64, 65, 80, 100, 131};
#define RANKS (sizeof ranks / sizeof *ranks)

static void test_products(void **state)
{
    const table *t = *state;
    for (size_t r = 0; r < RANKS; r++)
        for (int64_t rows = 1; rows < 70; rows += rows < 18 ? 1 : 23) {
            const int64_t inner = 1 + (rows * 37) % 300;
            array a = make(t, rows, inner, inner, 0), b = make(t, inner, ranks[r], 0, 0),
                  c = make(t, rows, ranks[r], 0, 0);
            array d = make(t, rows, ranks[r], 0, 0), e = make(t, inner, ranks[r], 0, 0);
            array before = make(t, rows, ranks[r], 0, 0);
            t->ops->copy(before, c);
            t->ops->product(c, a, b, true);
            memset(e.data, 0x3f, (size_t)(e.rows * e.stride) * t->ops->size);
            t->ops->product_transposed(e, a, d, false);
            for (int64_t j = 0; j < ranks[r]; j++) {
                for (int64_t i = 0; i < rows; i++) {
                    double total = get(t, before, i, j);
                    for (int64_t p = 0; p < inner; p++)
                        total += get(t, a, i, p) * get(t, b, p, j);
                    near(t, get(t, c, i, j), total, 0);
                }
                for (int64_t p = 0; p < inner; p++) {
                    double total = 0;
                    for (int64_t i = 0; i < rows; i++)
                        total += get(t, a, i, p) * get(t, d, i, j);
                    near(t, get(t, e, p, j), total, 0);
                }
            }
            tails_are_zero(t, c);
            tails_are_zero(t, e);
            array all[] = {a, b, c, d, e, before};
            for (size_t i = 0; i < 6; i++)
                free(all[i].data);
        }
}

/* In a buffer of exactly the size that was asked for; NULL where nothing is packed. */
static void *packed_of(const table *t, array b)
{
    const int64_t bytes = t->ops->packed_bytes(b.rows, b.columns);
    void *packed = bytes > 0 ? malloc((size_t)bytes) : NULL;
    if (packed)
        t->ops->pack(packed, b);
    return packed;
}

/* Through the packed columns: inner lengths on both sides of a vector, a panel and what the first
 * cache holds. */
static void test_packed_products(void **state)
{
    const table *t = *state;
    static const int64_t lengths[] = {1, 15, 16, 17, 63, 64, 65, 130, 784, 1500};
    for (size_t r = 0; r < RANKS; r++)
        for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++) {
            const int64_t inner = lengths[l], rows = 1 + (int64_t)(l * 7 + r) % 39;
            array a = make(t, rows, inner, inner + 3, 0), b = make(t, inner, ranks[r], 0, 0),
                  c = make(t, rows, ranks[r], 0, 0), expected = make(t, rows, ranks[r], 0, 0);
            void *packed = packed_of(t, b);
            for (int add = 0; add < 2; add++) {
                t->ops->copy(expected, c);
                t->ops->product(expected, a, b, add);
                if (!add)
                    memset(c.data, 0x3f, (size_t)(c.rows * c.stride) * t->ops->size);
                t->ops->product_packed(c, a, b, packed, add);
                for (int64_t i = 0; i < rows; i++)
                    for (int64_t j = 0; j < ranks[r]; j++)
                        near(t, get(t, c, i, j), get(t, expected, i, j), 0);
                tails_are_zero(t, c);
            }
            array all[] = {a, b, c, expected};
            for (size_t i = 0; i < 4; i++)
                free(all[i].data);
            free(packed);
        }
}

/* Rows of A'A from the diagonal on, in views that begin inside the rows of padded arrays. */
static void test_half_gram(void **state)
{
    const table *t = *state;
    for (size_t r = 0; r < RANKS; r++) {
        const int64_t rank = ranks[r], rows = 70;
        array a = make(t, rows, rank, 0, 0), half = make(t, rank, rank, 0, 0),
              whole = make(t, rank, rank, 0, 0);
        memset(half.data, 0, (size_t)(half.rows * half.stride) * t->ops->size);
        t->ops->product_transposed(whole, a, a, false);
        for (int64_t first = 0; first < rank; first += 8) {
            const int64_t left = rank - first, some = left < 8 ? left : 8;
            t->ops->product_transposed(
                array_columns(t->ops, array_rows(t->ops, half, first, some), first, left),
                array_columns(t->ops, a, first, some), array_columns(t->ops, a, first, left), true);
        }
        t->ops->mirror(half);
        for (int64_t i = 0; i < rank; i++)
            for (int64_t j = 0; j < rank; j++)
                near(t, get(t, half, i, j), get(t, whole, i, j), 0);
        tails_are_zero(t, half);
        array all[] = {a, half, whole};
        for (size_t i = 0; i < 3; i++)
            free(all[i].data);
    }
}

static void test_sparse_products(void **state)
{
    const table *t = *state;
    for (size_t r = 0; r < RANKS; r += 2) {
        const int64_t rows = 423, columns = 57, first = 5, count = 411;
        sparse_case s = make_sparse(t, rows, columns);
        array b = make(t, columns, ranks[r], 0, 0), c = make(t, count, ranks[r], 0, 0),
              d = make(t, count, ranks[r], 0, 0);
        array e = make(t, columns, ranks[r], 0, 0), expected = make(t, columns, ranks[r], 0, 0);
        const array part = array_rows(t->ops, s.dense, first, count);
        t->ops->sparse_product(c, s.view, first, b, false);
        t->ops->product(d, part, b, false);
        for (int64_t i = 0; i < count; i++)
            for (int64_t j = 0; j < ranks[r]; j++)
                near(t, get(t, c, i, j), get(t, d, i, j), 0);
        t->ops->copy(e, expected);
        for (int64_t cut = 0; cut < columns; cut += 19) /* reach every column once */
            t->ops->sparse_product_transposed(array_rows(t->ops, e, cut, 19), s.view, first, d,
                                              (csr_range){cut, cut + 19, NULL, NULL});
        t->ops->product_transposed(expected, part, d, true);
        for (int64_t i = 0; i < columns; i++)
            for (int64_t j = 0; j < ranks[r]; j++)
                near(t, get(t, e, i, j), get(t, expected, i, j), 0);
        array all[] = {b, c, d, e, expected};
        for (size_t i = 0; i < 5; i++)
            free(all[i].data);
        free_sparse(&s);
    }
}

/* R W, R'S and the divergence by plain loops. */
static double plain_ratio(const table *t, array x, array s, array w, array forward, array backward)
{
    double divergence = 0;
    memset(forward.data, 0, (size_t)(forward.rows * forward.stride) * t->ops->size);
    memset(backward.data, 0, (size_t)(backward.rows * backward.stride) * t->ops->size);
    for (int64_t i = 0; i < x.rows; i++)
        for (int64_t f = 0; f < x.columns; f++) {
            double y = 0;
            const double value = get(t, x, i, f);
            for (int64_t j = 0; j < s.columns; j++)
                y += get(t, s, i, j) * get(t, w, f, j);
            if (value > 0)
                divergence += value * log(value / y);
            for (int64_t j = 0; j < s.columns; j++) {
                set(t, forward, i, j, get(t, forward, i, j) + value / y * get(t, w, f, j));
                set(t, backward, f, j, get(t, backward, f, j) + value / y * get(t, s, i, j));
            }
        }
    return divergence;
}

static void compare(const table *t, array found, array expected, double scale)
{
    for (int64_t i = 0; i < expected.rows; i++)
        for (int64_t j = 0; j < expected.columns; j++)
            near(t, get(t, found, i, j), get(t, expected, i, j), scale);
}

static void test_ratios(void **state)
{
    const table *t = *state;
    for (size_t r = 0; r < RANKS; r++) {
        const int64_t rows = 67 + (int64_t)r, columns = 130 + (int64_t)r;
        sparse_case sparse = make_sparse(t, rows, columns);
        array s = make(t, rows, ranks[r], 0, 0), w = make(t, columns, ranks[r], 0, 0);
        array c = make(t, rows, ranks[r], 0, 0), e = make(t, columns, ranks[r], 0, 0);
        array forward = make(t, rows, ranks[r], 0, 0), backward = make(t, columns, ranks[r], 0, 0);
        void *scratch =
            aligned_alloc(64, (size_t)(kernel_scratch(t->precision, s.stride) + 63) / 64 * 64);
        const double divergence = plain_ratio(t, sparse.dense, s, w, forward, backward);

        void *packed = packed_of(t, w);
        const array none = {0};
        const entry_data given = {.dense = sparse.dense};
        t->ops->entry_product(c, none, &given, s, w, NULL, NULL, scratch);
        compare(t, c, forward, 1);
        memset(c.data, 0x3f, (size_t)(c.rows * c.stride) * t->ops->size);
        t->ops->entry_product(c, none, &given, s, w, packed, NULL, scratch);
        free(packed);
        compare(t, c, forward, 1);
        double found = 1;
        memset(e.data, 0, (size_t)(e.rows * e.stride) * t->ops->size);
        t->ops->entry_product_transposed(e, none, &given, s, w, NULL, scratch, &found);
        near(t, found - 1, divergence, (double)rows);
        near(t, t->ops->entry_value(&given, s, w, NULL, scratch), divergence, (double)rows);
        near(t, t->ops->sparse_divergence(sparse.view, 0, s, w), divergence, (double)rows);
        compare(t, e, backward, 1);
        tails_are_zero(t, c);
        tails_are_zero(t, e);

        t->ops->sparse_ratio_product(c, sparse.view, 0, s, w);
        compare(t, c, forward, 1);
        memset(e.data, 0, (size_t)(e.rows * e.stride) * t->ops->size);
        found = 0;
        t->ops->sparse_ratio_product_transposed(e, sparse.view, 0, s, w,
                                                (csr_range){0, 40, NULL, NULL}, &found);
        t->ops->sparse_ratio_product_transposed(array_rows(t->ops, e, 40, columns - 40),
                                                sparse.view, 0, s, w,
                                                (csr_range){40, columns, NULL, NULL}, &found);
        near(t, found, divergence, (double)rows);
        compare(t, e, backward, 1);
        array all[] = {s, w, c, e, forward, backward};
        for (size_t i = 0; i < 6; i++)
            free(all[i].data);
        free(scratch);
        free_sparse(&sparse);
    }
}

static void test_residuals(void **state)
{
    const table *t = *state;
    const int64_t rows = 70, columns = 133, rank = 5;
    sparse_case sparse = make_sparse(t, rows, columns);
    array s = make(t, rows, rank, 0, 0), w = make(t, columns, rank, 0, 0);
    void *scratch =
        aligned_alloc(64, (size_t)(kernel_scratch(t->precision, s.stride) + 63) / 64 * 64);
    double total = 0, squares = 0;
    for (int64_t i = 0; i < rows; i++)
        for (int64_t f = 0; f < columns; f++) {
            double y = 0;
            for (int64_t j = 0; j < rank; j++)
                y += get(t, s, i, j) * get(t, w, f, j);
            total += (get(t, sparse.dense, i, f) - y) * (get(t, sparse.dense, i, f) - y);
            squares += y * y;
        }
    near(t, t->ops->residual(sparse.dense, s, w, scratch), total, 0);
    near(t, t->ops->sparse_residual(sparse.view, 0, s, w) + squares, total, squares);
    free(scratch);
    free(s.data);
    free(w.data);
    free_sparse(&sparse);
}

static void test_elements(void **state)
{
    const table *t = *state;
    for (size_t r = 0; r < RANKS; r++) {
        const int64_t rows = 9, rank = ranks[r];
        array a = make(t, rows, rank, 0, 0), n = make(t, rows, rank, 0, 0),
              d = make(t, rows, rank, 0, 0);
        array to = make(t, rows, rank, 0, 0);
        double by_row[9], by_column[131];
        int64_t block[9];
        for (int i = 0; i < 9; i++) {
            by_row[i] = draw();
            block[i] = i % 4 - 1;
        }
        for (int j = 0; j < 131; j++)
            by_column[j] = draw();
        set(t, n, 0, 0, 0);
        set(t, d, 0, 0, 0); /* 0 / 0 gives 0 */
        t->ops->update(to, a, n, d, 0.5);
        for (int64_t i = 0; i < rows; i++)
            for (int64_t j = 0; j < rank; j++)
                near(t, get(t, to, i, j),
                     i + j ? get(t, a, i, j) * sqrt(get(t, n, i, j) / get(t, d, i, j)) : 0, 0);
        tails_are_zero(t, to);
        t->ops->update_damped(to, a, n, d, 0.25);
        for (int64_t i = 0; i < rows; i++)
            for (int64_t j = 0; j < rank; j++)
                near(t, get(t, to, i, j),
                     get(t, a, i, j) *
                         (0.75 + (i + j ? 0.25 * get(t, n, i, j) / get(t, d, i, j) : 0)),
                     0);
        tails_are_zero(t, to);
        t->ops->update(to, a, n, d, 1.0 / 3);
        for (int64_t i = 0; i < rows; i++)
            for (int64_t j = 0; j < rank; j++)
                near(t, get(t, to, i, j),
                     i + j ? get(t, a, i, j) * cbrt(get(t, n, i, j) / get(t, d, i, j)) : 0, 0);
        tails_are_zero(t, to);
        t->ops->update(to, a, n, d, 1);
        tails_are_zero(t, to);
        t->ops->add(to, 3, a);
        t->ops->add_rows(to, 2, by_row);
        t->ops->add_columns(to, 0.5, by_column);
        t->ops->add_scaled_rows(to, 2, by_row, n);
        t->ops->add_scaled_columns(to, 4, by_column, d);
        t->ops->add_product(to, -1, n, d);
        t->ops->add_outside(to, 7, block, 2);
        t->ops->add_constant(to, 1.25);
        double outside = 0;
        for (int64_t i = 0; i < rows; i++)
            for (int64_t j = 0; j < rank; j++) {
                const double x = get(t, a, i, j), y = get(t, n, i, j), z = get(t, d, i, j);
                const bool out = block[i] >= 0 && j / 2 != block[i];
                const double expected = (i + j ? x * y / z : 0) + 3 * x + 2 * by_row[i] +
                                        0.5 * by_column[j] + 2 * by_row[i] * y +
                                        4 * by_column[j] * z - y * z + (out ? 7 : 0) + 1.25;
                near(t, get(t, to, i, j), expected, 10);
                outside += out ? x : 0;
            }
        near(t, t->ops->sum_outside(a, block, 2), outside, 1);
        array all[] = {a, n, d, to};
        for (size_t i = 0; i < 4; i++)
            free(all[i].data);
    }
}

/* An enormous or vanishing ratio must never become infinite or NaN. */
static void test_guards(void **state)
{
    const table *t = *state;
    const double most = t->precision == ORTHANT_SINGLE ? 1e30 : 1e90;
    const double cases[][3] = {{0, most, 0}, {1, most, 0}, {1, 0, 0},
                               {0, 0, 0},    {1, 1, most}, {1e-30, 1e-30, 1e30}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        array a = make(t, 1, 1, 0, 0), n = make(t, 1, 1, 0, 0), d = make(t, 1, 1, 0, 0);
        set(t, a, 0, 0, cases[i][0]);
        set(t, n, 0, 0, cases[i][1]);
        set(t, d, 0, 0, cases[i][2]);
        t->ops->update(a, a, n, d, 1);
        assert_true(isfinite(get(t, a, 0, 0)));
        assert_true(cases[i][0] != 0 || get(t, a, 0, 0) == 0);
        free(a.data);
        free(n.data);
        free(d.data);
    }
}

static void test_sums(void **state)
{
    const table *t = *state;
    for (size_t r = 0; r < RANKS; r++) {
        const int64_t rows = 13, rank = ranks[r];
        array a = make(t, rows, rank, 0, 0), b = make(t, rows, rank, 0, 0);
        double dot = 0, sum = 0, roots = 0, columns[131] = {0}, squares[131] = {0}, row_sums[13];
        t->ops->column_sums(a, columns);
        t->ops->column_squares(a, squares);
        t->ops->row_sums(a, row_sums);
        for (int64_t i = 0; i < rows; i++) {
            double row = 0;
            for (int64_t j = 0; j < rank; j++) {
                const double x = get(t, a, i, j);
                dot += x * get(t, b, i, j);
                sum += x;
                row += x;
                roots += sqrt(0.25 + x);
                columns[j] -= x;
                squares[j] -= x * x;
            }
            near(t, row_sums[i], row, 0);
        }
        for (int64_t j = 0; j < rank; j++) {
            near(t, columns[j], 0, 1);
            near(t, squares[j], 0, 1);
        }
        near(t, t->ops->dot(a, b), dot, 0);
        near(t, t->ops->sum(a), sum, 0);
        near(t, t->ops->sum_roots(a, 0.25), roots, 0);
        free(a.data);
        free(b.data);
    }
}

static void test_small_functions(void **state)
{
    const table *t = *state;
    array a = make(t, 5, 11, 0, 0), b = make(t, 5, 11, 0, 0);
    double scale[11];
    for (int j = 0; j < 11; j++)
        scale[j] = draw() - 0.5;
    t->ops->square(b, a);
    t->ops->inverse_root(b, 0.5);
    t->ops->scale_columns(a, scale);
    for (int64_t i = 0; i < 5; i++)
        for (int64_t j = 0; j < 11; j++)
            near(t, get(t, b, i, j), 1 / sqrt(0.5 + pow(get(t, a, i, j) / scale[j], 2)), 0);
    t->ops->copy(b, a);
    t->ops->positive_part(b);
    for (int64_t i = 0; i < 5; i++)
        for (int64_t j = 0; j < 11; j++)
            assert_true(get(t, b, i, j) == fmax(get(t, a, i, j), 0));
    free(a.data);
    free(b.data);
}

static void test_values(void **state)
{
    const table *t = *state;
    array a = make(t, 7, 5, 0, 0), b = make(t, 7, 5, 0, 0);
    double values[35], column[7];
    t->ops->get_values(a, values);
    t->ops->set_values(b, values);
    tails_are_zero(t, b);
    t->ops->get_values(array_columns(t->ops, a, 3, 1), column);
    for (int64_t i = 0; i < 7; i++) {
        assert_true(column[i] == get(t, a, i, 3));
        column[i] = (double)i;
        for (int64_t j = 0; j < 5; j++)
            assert_true(values[i * 5 + j] == get(t, a, i, j) && get(t, b, i, j) == get(t, a, i, j));
    }
    t->ops->scale_rows(b, column);
    tails_are_zero(t, b);
    for (int64_t i = 0; i < 7; i++)
        near(t, get(t, b, i, 2), (double)i * get(t, a, i, 2), 0);
    t->ops->copy(b, a);
    t->ops->set_values(array_columns(t->ops, b, 3, 1), column);
    for (int64_t i = 0; i < 7; i++)
        for (int64_t j = 0; j < 5; j++)
            assert_true(get(t, b, i, j) == (j == 3 ? (double)i : get(t, a, i, j)));
    free(a.data);
    free(b.data);
}

/* Cube roots to the last digits from the smallest ratio to the largest. */
static void test_cube_roots(void **state)
{
    const table *t = *state;
    const double precision = t->precision == ORTHANT_SINGLE ? 4e-7 : 1e-15;
    array one = make(t, 1, 1, 0, 0), ratio = make(t, 1, 1, 0, 0), to = make(t, 1, 1, 0, 0);
    set(t, one, 0, 0, 1);
    for (int e = t->precision == ORTHANT_SINGLE ? -340 : -2800;
         e <= (t->precision == ORTHANT_SINGLE ? 170 : 990); e++) {
        set(t, ratio, 0, 0, pow(10, 0.1 * e));
        t->ops->update(to, one, ratio, one, 1.0 / 3);
        const double expected = cbrt(get(t, ratio, 0, 0));
        if (!(fabs(get(t, to, 0, 0) - expected) <= precision * expected))
            fail_msg("%s: cube root of %g is %.17g, not %.17g", t->ops->name, get(t, ratio, 0, 0),
                     get(t, to, 0, 0), expected);
    }
    set(t, ratio, 0, 0, 0);
    t->ops->update(to, one, ratio, one, 1.0 / 3);
    assert_true(get(t, to, 0, 0) == 0);
    free(one.data);
    free(ratio.data);
    free(to.data);
}

/* Sums in double even of single entries. */
static void test_vector_products(void **state)
{
    const table *t = *state;
    for (int64_t columns = 1; columns < 40; columns += 3) {
        sparse_case a = make_sparse(t, 11, columns);
        double x[40], y[11], sparse[5];
        for (int j = 0; j < 40; j++)
            x[j] = draw() - 0.5;
        t->ops->vector_product(a.dense, x, y);
        t->ops->sparse_vector_product(a.view, 4, 5, x, sparse);
        for (int64_t i = 0; i < 11; i++) {
            double total = 0;
            for (int64_t j = 0; j < columns; j++)
                total += get(t, a.dense, i, j) * x[j];
            assert_true(fabs(y[i] - total) <= 1e-14);
            assert_true(i < 4 || i > 8 || fabs(sparse[i - 4] - total) <= 1e-14);
        }
        free_sparse(&a);
    }
}

static const kernel_test functions[] = {
    {"vector products", test_vector_products},
    {"cube roots", test_cube_roots},
    {"products", test_products},
    {"packed products", test_packed_products},
    {"half a Gram matrix", test_half_gram},
    {"sparse products", test_sparse_products},
    {"ratios", test_ratios},
    {"residuals", test_residuals},
    {"elements", test_elements},
    {"guards", test_guards},
    {"sums", test_sums},
    {"small functions", test_small_functions},
    {"values", test_values},
};

int main(void)
{
    return run_kernel_tests("kernels", functions, (int)(sizeof functions / sizeof *functions));
}
