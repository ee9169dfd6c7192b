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

/* Entries below the diagonal are not what they should be: they must not be read. */
static orthant_matrix *upper_half(orthant_context *ctx, orthant_precision precision)
{
    orthant_matrix *K = NULL;
    expect_ok(ctx, matrix_new_dense(ctx, precision, ROWS, ROWS, &K));
    for (int64_t i = 0; i < ROWS; i++)
        for (int64_t j = i; j < ROWS; j++)
            matrix_set_value(K, i * K->stride + j, (double)((i * 7 + j * 5) % 17) / 16);
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

/* Some rows by plain loops. */
static void expect_product(const orthant_matrix *K, const orthant_matrix *B,
                           const orthant_matrix *C, double rounding)
{
    for (int64_t i = 0; i < ROWS; i += 123)
        for (int64_t c = 0; c < B->columns; c++) {
            double sum = 0;
            for (int64_t j = 0; j < ROWS; j++)
                sum += entry(K, i, j) * matrix_value(B, j * B->stride + c);
            assert_true(fabs(matrix_value(C, i * C->stride + c) - sum) <= rounding * sum);
        }
}

static void check(orthant_context *ctx, orthant_precision precision, int64_t columns)
{
    orthant_matrix *K = upper_half(ctx, precision), *B = factor(ctx, precision, columns),
                   *first = NULL;
    const int64_t bytes = products_symmetric_bytes(K, columns);
    void *scratch = bytes ? memory_new(ctx, bytes, 1, "scratch") : NULL;
    /* Blocks of the diagonal are read whole. */
    for (int64_t i = 0; i < ROWS; i++)
        for (int64_t j = i / 512 * 512; j < i; j++)
            matrix_set_value(K, i * K->stride + j, matrix_value(K, j * K->stride + i));
    for (int threads = 1; threads <= 3; threads++) {
        orthant_matrix *C = NULL;
        expect_ok(ctx, orthant_context_set_threads(ctx, threads));
        expect_ok(ctx, matrix_new_factor(ctx, precision, ROWS, columns, &C));
        products_symmetric(ctx, K, matrix_array(B), matrix_array(C), scratch);
        if (!first) {
            expect_product(K, B, C, precision == ORTHANT_DOUBLE ? 1e-13 : 2e-6);
            first = C;
            continue;
        }
        assert_memory_equal(first->values, C->values,
                            (size_t)(ROWS * C->stride) * (precision == ORTHANT_DOUBLE ? 8 : 4));
        orthant_matrix_free(C);
    }
    memory_free(ctx, scratch);
    orthant_matrix_free(first);
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
