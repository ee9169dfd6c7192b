/* The operations on tiles of K, graphs and projective rows of every instruction set that this
 * machine has, in both precisions, against plain loops. */
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

/* Every third entry of a dense array as a CSR matrix; the others become zero. */
static orthant_matrix *sparse_of(const table *t, orthant_context *ctx, array dense)
{
    orthant_matrix *matrix = NULL;
    int64_t stored = 0;
    assert_int_equal(matrix_new_sparse(ctx, t->precision, dense.rows, dense.columns,
                                       dense.rows * dense.columns, &matrix),
                     ORTHANT_OK);
    for (int64_t i = 0; i < dense.rows; i++) {
        matrix->row_start[i] = stored;
        for (int64_t j = 0; j < dense.columns; j++) {
            if ((i + 2 * j) % 3) {
                set(t, dense, i, j, 0);
                continue;
            }
            matrix->column[stored] = (int32_t)j;
            matrix_set_value(matrix, stored++, get(t, dense, i, j));
        }
    }
    matrix->row_start[dense.rows] = stored;
    return matrix;
}

static void check_tile(const table *t, array tile, array x, int64_t first, int64_t other)
{
    for (int64_t i = 0; i < tile.rows; i++)
        for (int64_t j = 0; j < tile.columns; j++) {
            double total = 0;
            for (int64_t f = 0; f < x.columns; f++)
                total += get(t, x, first + i, f) * get(t, x, other + j, f);
            near(t, get(t, tile, i, j), total, 1);
        }
}

static void test_tiles(void **state)
{
    const table *t = *state;
    orthant_context *ctx = NULL;
    assert_int_equal(orthant_context_create(&ctx), ORTHANT_OK);
    for (int64_t m = 1; m < 200; m += 33) {
        array x = make(t, 90, m, m, -0.5), tile = make(t, 31, 50, 64, 0);
        void *scratch = calloc(64 * 64 + 200, t->ops->size);
        t->ops->row_products(tile, array_rows(t->ops, x, 5, 31), array_rows(t->ops, x, 40, 50),
                             scratch);
        check_tile(t, tile, x, 5, 40);
        orthant_matrix *sparse = sparse_of(t, ctx, x);
        memset(scratch, 0, 200 * t->ops->size);
        t->ops->sparse_row_products(tile, matrix_csr(sparse), 7, 33, scratch);
        check_tile(t, tile, x, 7, 33);
        for (size_t b = 0; b < 200 * t->ops->size; b++)
            assert_int_equal(((char *)scratch)[b], 0);
        orthant_matrix_free(sparse);
        free(scratch);
        free(x.data);
        free(tile.data);
    }
    orthant_context_free(ctx);
}

static void test_split(void **state)
{
    const table *t = *state;
    array a = make(t, 9, 37, 41, -0.5), plus = make(t, 9, 37, 64, 0), minus = make(t, 9, 37, 64, 0);
    set(t, a, 3, 4, 0);
    t->ops->split(plus, minus, a);
    for (int64_t i = 0; i < 9; i++)
        for (int64_t j = 0; j < 37; j++) {
            assert_true(get(t, plus, i, j) == fmax(get(t, a, i, j), 0));
            assert_true(get(t, minus, i, j) == fmax(-get(t, a, i, j), 0));
        }
    free(a.data);
    free(plus.data);
    free(minus.data);
}

static void test_signed_update(void **state)
{
    const table *t = *state;
    array from = make(t, 40, 5, 0, 0), to = make(t, 40, 5, 0, 0);
    array P = make(t, 40, 5, 0, 0), Q = make(t, 40, 5, 0, -0.5), R = make(t, 40, 5, 0, 0);
    for (int64_t j = 0; j < 5; j++) {
        set(t, R, 1, j, 0); /* then the factor is Q / P, or 0 */
        set(t, P, 2, j, 0); /* nothing in the denominator */
        set(t, P, 3, j, 0); /* nothing at all */
        set(t, Q, 3, j, 0);
        set(t, R, 3, j, 0);
        set(t, Q, 4, j, -1e9 * (1 + draw())); /* where the plain form cancels */
    }
    t->ops->update_signed(to, from, P, Q, R);
    for (int64_t i = 0; i < 40; i++)
        for (int64_t j = 0; j < 5; j++) {
            const double p = get(t, P, i, j), q = get(t, Q, i, j), r = get(t, R, i, j);
            const double root = sqrt(q * q + 4 * p * r);
            assert_true(isfinite(get(t, to, i, j)) && get(t, to, i, j) >= 0);
            if (i == 3)
                assert_true(get(t, to, i, j) == 0);
            else if (i != 2)
                near(t, get(t, to, i, j),
                     get(t, from, i, j) * (q > 0 ? (q + root) / (2 * p) : 2 * r / (root - q)), 0);
        }
    array all[] = {from, to, P, Q, R};
    for (size_t i = 0; i < 5; i++)
        free(all[i].data);
}

static void test_neighbour_sums(void **state)
{
    const table *t = *state;
    orthant_context *ctx = NULL;
    assert_int_equal(orthant_context_create(&ctx), ORTHANT_OK);
    for (int64_t rank = 1; rank < 20; rank++) {
        array dense = make(t, 30, 30, 30, 0), s = make(t, 30, rank, 0, 0),
              c = make(t, 17, rank, 0, 0);
        orthant_matrix *graph = sparse_of(t, ctx, dense);
        const double energy = t->ops->neighbour_sums(c, matrix_csr(graph), 6, s);
        double expected = 0;
        for (int64_t i = 0; i < 17; i++)
            for (int64_t l = 0; l < rank; l++) {
                double total = 0;
                for (int64_t j = 0; j < 30; j++) {
                    total += get(t, dense, 6 + i, j) * get(t, s, j, l);
                    expected += 0.5 * get(t, dense, 6 + i, j) *
                                pow(get(t, s, 6 + i, l) - get(t, s, j, l), 2);
                }
                near(t, get(t, c, i, l), total, 0);
            }
        near(t, energy, expected, 0);
        orthant_matrix_free(graph);
        free(dense.data);
        free(s.data);
        free(c.data);
    }
    orthant_context_free(ctx);
}

/* Rows of 16 bytes: up to four columns in single, two in double precision. */
static void check_projective(const table *t, int64_t rows, int64_t m, int64_t rank, bool graph,
                             double exponent)
{
    const kernels *ops = t->ops;
    array x = make(t, rows, m, m, 0), from = make(t, rows, rank, 0, 0),
          to = make(t, rows, rank, 0, 0), neighbours = make(t, rows, rank, 0, 0);
    array N = make(t, m, rank, 0, 0), D = make(t, m, rank, 0, 0), C = make(t, rank, rank, 0, 0),
          sums = make(t, m + rank, rank, 0, 0), before = make(t, m + rank, rank, 0, 0);
    double degree[200];
    for (int64_t i = 0; i < rows; i++)
        degree[i] = draw();
    assert_int_equal(from.stride * (int64_t)ops->size, 16);
    projective p = {.numerator = N, .denominator = D, .form = C, .exponent = exponent};
    if (graph) {
        p.neighbours = neighbours;
        p.degree = degree;
        p.weight = 3;
    }
    ops->copy(before, sums);
    ops->projective_update(to, from, x, &p, sums);
    for (int64_t l = 0; l < rank; l++) {
        for (int64_t i = 0; i < rows; i++) {
            double above = graph ? 3 * get(t, neighbours, i, l) : 0,
                   below = graph ? 3 * degree[i] * get(t, from, i, l) : 0;
            for (int64_t f = 0; f < m; f++) {
                above += get(t, x, i, f) * get(t, N, f, l);
                below += get(t, x, i, f) * get(t, D, f, l);
            }
            for (int64_t j = 0; j < rank; j++)
                below += get(t, from, i, j) * get(t, C, j, l);
            near(t, get(t, to, i, l), get(t, from, i, l) * pow(above / below, exponent), 0);
        }
        for (int64_t r = 0; r < m + rank; r++) {
            double total = get(t, before, r, l);
            for (int64_t i = 0; i < rows; i++)
                total += (r < m ? get(t, x, i, r) : get(t, to, i, r - m)) * get(t, to, i, l);
            near(t, get(t, sums, r, l), total, 0);
        }
    }
    array all[] = {x, from, to, neighbours, N, D, C, sums, before};
    for (size_t i = 0; i < 9; i++)
        free(all[i].data);
}

static void test_projective(void **state)
{
    const table *t = *state;
    const int64_t most = t->precision == ORTHANT_SINGLE ? 4 : 2;
    for (int64_t rank = 1; rank <= most; rank++)
        for (int64_t m = 1; m < 9; m += 2)
            for (int64_t rows = 1; rows < 150; rows += rows < 9 ? 1 : 29)
                check_projective(t, rows, m, rank, rows % 2,
                                 rows % 3 == 0   ? 1
                                 : rows % 3 == 1 ? 0.25
                                                 : 0.5);
}

static const kernel_test functions[] = {
    {"tiles", test_tiles},
    {"split", test_split},
    {"signed update", test_signed_update},
    {"neighbour sums", test_neighbour_sums},
    {"projective update", test_projective},
};

int main(void)
{
    return run_kernel_tests("gram", functions, (int)(sizeof functions / sizeof *functions));
}
