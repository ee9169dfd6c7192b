/* Products with a symmetric matrix of which one half is read. */
#include "expect.h"

#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "core/random.h"
#include "data/matrix.h"
#include "engine/products.h"
#include "orthant/context.h"

enum { ROWS = 4700 }; /* more than are multiplied as they are; the last block is short */

/* Of mixed signs. Far below the diagonal entries are not what they should be: they must not be
 * read.
 */
static orthant_matrix *upper_half(orthant_context *ctx, orthant_precision precision)
{
    orthant_matrix *K = NULL;
    expect_ok(ctx, matrix_new_dense(ctx, precision, ROWS, ROWS, &K));
    for (int64_t i = 0; i < ROWS; i++)
        for (int64_t j = 0; j < ROWS; j++) {
            const int64_t low = i < j ? i : j, high = i < j ? j : i;
            matrix_set_value(K, i * K->stride + j,
                             j + 1000 < i ? 99 : (double)((low * 7 + high * 5) % 17) / 16 - 0.25);
        }
    return K;
}

static orthant_matrix *factor(orthant_context *ctx, orthant_precision precision, int64_t columns)
{
    orthant_matrix *B = NULL;
    expect_ok(ctx, matrix_new_factor(ctx, precision, ROWS, columns, &B));
    for (int64_t i = 0; i < ROWS; i++)
        for (int64_t j = 0; j < columns; j++)
            matrix_set_value(B, i * B->stride + j,
                             random_uniform(3, RANDOM_TEST, (uint64_t)i, (uint64_t)j));
    return B;
}

static double entry(const orthant_matrix *K, int64_t i, int64_t j)
{
    return i < j ? matrix_value(K, i * K->stride + j) : matrix_value(K, j * K->stride + i);
}

/* Some rows by plain loops: of the entries times `sign` that are above 0, or of all where it is 0.
 */
static void expect_product(const orthant_matrix *K, const orthant_matrix *B,
                           const orthant_matrix *C, int sign)
{
    const double rounding = K->precision == ORTHANT_DOUBLE ? 1e-12 : 1e-5;
    for (int64_t i = 0; i < ROWS; i += 123)
        for (int64_t c = 0; c < B->columns; c++) {
            double sum = 0, size = 0;
            for (int64_t j = 0; j < ROWS; j++) {
                const double value = sign ? fmax(sign * entry(K, i, j), 0) : entry(K, i, j),
                             term = value * matrix_value(B, j * B->stride + c);
                sum += term;
                size += fabs(term);
            }
            assert_true(fabs(matrix_value(C, i * C->stride + c) - sum) <= rounding * size);
        }
}

static void same_or_kept(orthant_matrix **first, orthant_matrix *C)
{
    if (!*first) {
        *first = C;
        return;
    }
    assert_memory_equal((*first)->values, C->values,
                        (size_t)(ROWS * C->stride) * (C->precision == ORTHANT_DOUBLE ? 8 : 4));
    orthant_matrix_free(C);
}

static void check(orthant_context *ctx, orthant_precision precision, int64_t columns)
{
    orthant_matrix *K = upper_half(ctx, precision), *B = factor(ctx, precision, columns),
                   *first[3] = {NULL};
    for (int threads = 1; threads <= 3; threads++) {
        orthant_matrix *C[3] = {NULL};
        expect_ok(ctx, orthant_context_set_threads(ctx, threads));
        const int64_t bytes = products_symmetric_bytes(K, columns);
        char *scratch = bytes ? memory_new(ctx, bytes, 1, "scratch") : NULL,
             *more = memory_new(ctx, products_split_bytes(ctx, K, columns), 1, "scratch");
        for (int c = 0; c < 3; c++)
            expect_ok(ctx, matrix_new_factor(ctx, precision, ROWS, columns, &C[c]));
        products_symmetric(ctx, K, matrix_array(B), matrix_array(C[0]), scratch);
        products_split(ctx, K, matrix_array(B), matrix_array(C[1]), matrix_array(C[2]), more);
        for (int c = 0; c < 3 && threads == 1; c++)
            expect_product(K, B, C[c], c == 2 ? -1 : c);
        for (int c = 0; c < 3; c++)
            same_or_kept(&first[c], C[c]);
        memory_free(ctx, scratch);
        memory_free(ctx, more);
    }
    for (int c = 0; c < 3; c++)
        orthant_matrix_free(first[c]);
    orthant_matrix_free(B);
    orthant_matrix_free(K);
}

static void test_symmetric(void **state)
{
    (void)state;
    orthant_context *ctx = NULL;
    assert_int_equal(orthant_context_create(&ctx), ORTHANT_OK);
    check(ctx, ORTHANT_SINGLE, 10);
    check(ctx, ORTHANT_SINGLE, 32);
    check(ctx, ORTHANT_DOUBLE, 5);
    assert_int_equal(orthant_context_memory(ctx), 0);
    orthant_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_symmetric)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
