/* Matrices: shapes, CSR checks, copies, transposes, padding and sums. */
#include "fixture.h"

#include <math.h>

#include "data/matrix.h"
#include "kernel/kernel.h"

static const double table[] = {1, 0, -2, 0, 5, 0.5};

static void test_dense(void **state)
{
    orthant_context *ctx = *state;
    orthant_matrix *matrix = NULL;
    double values[6];
    expect_ok(ctx, orthant_matrix_create(ctx, 2, 3, table, &matrix));
    assert_int_equal(orthant_matrix_rows(matrix), 2);
    assert_int_equal(orthant_matrix_columns(matrix), 3);
    assert_false(orthant_matrix_is_sparse(matrix));
    assert_int_equal(orthant_matrix_precision(matrix), ORTHANT_DOUBLE);
    assert_int_equal(orthant_matrix_nonzeros(matrix), 4);
    assert_true(orthant_matrix_get(matrix, 0, 2) == -2 && orthant_matrix_get(matrix, 1, 1) == 5);
    assert_true(orthant_matrix_get(matrix, 2, 0) == 0 && orthant_matrix_get(matrix, 0, -1) == 0);
    orthant_matrix_copy_values(matrix, values);
    assert_memory_equal(values, table, sizeof table);
    const orthant_picture_shape shape = {1, 3, 1, true};
    orthant_matrix_set_picture(matrix, shape);
    assert_int_equal(orthant_matrix_picture(matrix).width, 3);
    orthant_matrix_free(matrix);
    expect_ok(ctx, orthant_matrix_create(ctx, 2, 3, NULL, &matrix));
    assert_int_equal(orthant_matrix_nonzeros(matrix), 0);
    orthant_matrix_free(matrix);
    orthant_matrix_free(NULL);
}

static void test_wrong_shapes(void **state)
{
    orthant_context *ctx = *state;
    orthant_matrix *matrix = (orthant_matrix *)&matrix;
    expect_failure(ctx, ORTHANT_ERROR_ARGUMENT, "0 x 3",
                   orthant_matrix_create(ctx, 0, 3, table, &matrix));
    assert_null(matrix);
    expect_failure(ctx, ORTHANT_ERROR_ARGUMENT, "2 x -1",
                   orthant_matrix_create(ctx, 2, -1, table, &matrix));
    expect_failure(ctx, ORTHANT_ERROR_MEMORY, "does not fit",
                   orthant_matrix_create(ctx, INT64_MAX / 2, 3, NULL, &matrix));
    expect_failure(ctx, ORTHANT_ERROR_ARGUMENT, "NULL",
                   orthant_matrix_create(ctx, 1, 1, NULL, NULL));
    assert_int_equal(orthant_matrix_create(NULL, 1, 1, NULL, &matrix), ORTHANT_ERROR_ARGUMENT);
    int64_t starts[2] = {0, 0};
    expect_failure(
        ctx, ORTHANT_ERROR_UNSUPPORTED, "columns are supported",
        orthant_matrix_create_csr(ctx, 1, INT64_C(1) << 31, starts, NULL, NULL, &matrix));
}

static void test_sparse(void **state)
{
    orthant_context *ctx = *state;
    orthant_matrix *matrix = NULL;
    static const int64_t starts[] = {0, 4, 4, 6}, columns[] = {3, 0, 3, 1, 2, 0};
    static const double values[] = {1, 2, 10, 4, 5, 6};
    double dense[12];
    static const double expected[] = {2, 4, 0, 11, 0, 0, 0, 0, 6, 0, 5, 0};
    expect_ok(ctx, orthant_matrix_create_csr(ctx, 3, 4, starts, columns, values, &matrix));
    assert_true(orthant_matrix_is_sparse(matrix));
    assert_int_equal(orthant_matrix_nonzeros(matrix), 5);
    orthant_matrix_copy_values(matrix, dense);
    assert_memory_equal(dense, expected, sizeof expected);
    for (int64_t p = 1; p < matrix->row_start[1]; p++)
        assert_true(matrix->column[p - 1] < matrix->column[p]);
    for (int i = 0; i < 12; i++)
        assert_true(orthant_matrix_get(matrix, i / 4, i % 4) == expected[i]);
    const csr view = matrix_csr(matrix);
    assert_ptr_equal(view.values, matrix->values);
    orthant_matrix_free(matrix);
}

static void test_damaged_csr(void **state)
{
    orthant_context *ctx = *state;
    orthant_matrix *matrix = NULL;
    static const int64_t falling[] = {0, 2, 1}, late[] = {1, 1, 1}, good[] = {0, 1, 2},
                         outside[] = {0, 4}, negative[] = {-1, 0};
    static const double values[] = {1, 2};
    expect_failure(ctx, ORTHANT_ERROR_ARGUMENT, "row_start",
                   orthant_matrix_create_csr(ctx, 2, 4, falling, outside, values, &matrix));
    expect_failure(ctx, ORTHANT_ERROR_ARGUMENT, "row_start",
                   orthant_matrix_create_csr(ctx, 2, 4, late, outside, values, &matrix));
    expect_failure(ctx, ORTHANT_ERROR_ARGUMENT, "(2, 5), outside of 2 x 4",
                   orthant_matrix_create_csr(ctx, 2, 4, good, outside, values, &matrix));
    expect_failure(ctx, ORTHANT_ERROR_ARGUMENT, "(1, 0)",
                   orthant_matrix_create_csr(ctx, 2, 4, good, negative, values, &matrix));
    assert_null(matrix);
}

static void check_same(const orthant_matrix *a, const orthant_matrix *b, bool transposed)
{
    for (int64_t i = 0; i < a->rows; i++)
        for (int64_t j = 0; j < a->columns; j++)
            assert_true(orthant_matrix_get(a, i, j) ==
                        (transposed ? orthant_matrix_get(b, j, i) : orthant_matrix_get(b, i, j)));
}

static void check_copies(orthant_context *ctx, orthant_matrix *matrix)
{
    orthant_matrix *copy = NULL;
    matrix->picture = (orthant_picture_shape){2, 2, 1, true};
    expect_ok(ctx, matrix_copy(ctx, matrix, ORTHANT_SINGLE, &copy));
    assert_int_equal(copy->precision, ORTHANT_SINGLE);
    assert_int_equal(copy->sparse, matrix->sparse);
    assert_int_equal(copy->picture.height, 2);
    check_same(matrix, copy, false);
    orthant_matrix_free(copy);
    expect_ok(ctx, matrix_transpose(ctx, matrix, &copy));
    assert_int_equal(copy->rows, matrix->columns);
    assert_int_equal(copy->picture.height, 0);
    check_same(matrix, copy, true);
    orthant_matrix_free(copy);
    orthant_matrix_free(matrix);
}

static void test_copies_and_transposes(void **state)
{
    orthant_context *ctx = *state;
    orthant_matrix *matrix = NULL;
    expect_ok(ctx, matrix_new_factor(ctx, ORTHANT_DOUBLE, 70, 45, &matrix));
    for (int64_t i = 0; i < 70; i++)
        for (int64_t j = 0; j < 45; j++)
            matrix_set_value(matrix, i * matrix->stride + j, (double)(i * 100 + j));
    check_copies(ctx, matrix);
    static const int64_t rows[] = {2, 0, 2, 1}, columns[] = {1, 3, 0, 3};
    static const double values[] = {1, 2, 3, 4};
    expect_ok(ctx,
              matrix_from_triplets(ctx, ORTHANT_DOUBLE, 3, 5, 4, rows, columns, values, &matrix));
    check_copies(ctx, matrix);
}

static void test_padding(void **state)
{
    orthant_context *ctx = *state;
    static const int64_t singles[][2] = {{1, 4},  {4, 4},   {5, 8},   {8, 8},
                                         {9, 16}, {16, 16}, {17, 32}, {40, 48}};
    static const int64_t doubles[][2] = {{1, 2}, {2, 2}, {3, 4},  {4, 4},
                                         {5, 8}, {8, 8}, {9, 16}, {40, 40}};
    for (int i = 0; i < 8; i++) {
        assert_int_equal(matrix_padded(ORTHANT_SINGLE, singles[i][0]), singles[i][1]);
        assert_int_equal(matrix_padded(ORTHANT_DOUBLE, doubles[i][0]), doubles[i][1]);
    }
    orthant_matrix *factor = NULL, *copy = NULL;
    expect_ok(ctx, matrix_new_factor(ctx, ORTHANT_DOUBLE, 3, 5, &factor));
    const array view = matrix_array(factor);
    assert_int_equal(view.stride, 8);
    assert_int_equal(view.columns, 5);
    expect_ok(ctx, matrix_copy(ctx, factor, ORTHANT_SINGLE, &copy));
    assert_int_equal(copy->stride, 8);
    orthant_matrix_free(factor);
    orthant_matrix_free(copy);
}

static void check_sums(orthant_context *ctx, orthant_matrix *matrix)
{
    double squares[2];
    assert_true(matrix_sum(matrix) == 4.5);
    assert_true(matrix_squares(matrix) == 30.25);
    assert_true(matrix_largest(matrix) == 5);
    matrix_row_squares(matrix, squares);
    assert_true(squares[0] == 5 && squares[1] == 25.25);
    expect_ok(ctx, matrix_check(matrix, false, "X", "cf"));
    expect_failure(ctx, ORTHANT_ERROR_DATA,
                   "faces.npy: entry (1, 3) is -2; 'nmf' needs nonnegative data",
                   matrix_check(matrix, true, "faces.npy", "nmf"));
    matrix_set_value(matrix, matrix->sparse ? 2 : 4, NAN);
    expect_failure(ctx, ORTHANT_ERROR_DATA, "X: entry (2, 2) is nan; 'cf' needs finite data",
                   matrix_check(matrix, false, "X", "cf"));
    matrix_set_value(matrix, matrix->sparse ? 2 : 4, HUGE_VAL);
    expect_failure(ctx, ORTHANT_ERROR_DATA, "entry (2, 2) is inf",
                   matrix_check(matrix, false, "X", "cf"));
    orthant_matrix_free(matrix);
}

static void test_sums_and_checks(void **state)
{
    orthant_context *ctx = *state;
    orthant_matrix *matrix = NULL;
    expect_ok(ctx, orthant_matrix_create(ctx, 2, 3, table, &matrix));
    check_sums(ctx, matrix);
    static const int64_t starts[] = {0, 2, 4}, columns[] = {0, 2, 1, 2};
    static const double values[] = {1, -2, 5, 0.5};
    expect_ok(ctx, orthant_matrix_create_csr(ctx, 2, 3, starts, columns, values, &matrix));
    check_sums(ctx, matrix);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        fixture_test(test_dense),
        fixture_test(test_wrong_shapes),
        fixture_test(test_sparse),
        fixture_test(test_damaged_csr),
        fixture_test(test_copies_and_transposes),
        fixture_test(test_padding),
        fixture_test(test_sums_and_checks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
