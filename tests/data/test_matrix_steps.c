/* What looks at entries several at a time sees each of them, in rows of any length. */
#include "fixture.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

#include "data/matrix.h"

/* Around the width of a step, 16. */
static const int64_t lengths[] = {1, 2, 15, 16, 17, 31, 32, 33, 50};
#define LENGTHS (sizeof lengths / sizeof *lengths)

typedef enum layout { PLAIN, PADDED, SPARSE, LAYOUTS } layout;

/* 3 x columns, all 1; a sparse one has a column more, the first, that is empty. */
static orthant_matrix *make_ones(orthant_context *ctx, orthant_precision precision, int64_t columns,
                                 layout how)
{
    orthant_matrix *matrix = NULL;
    if (how == SPARSE) {
        expect_ok(ctx, matrix_new_sparse(ctx, precision, 3, columns + 1, 3 * columns, &matrix));
        for (int64_t p = 0; p < 3 * columns; p++) {
            matrix->column[p] = (int32_t)(p % columns) + 1;
            matrix_set_value(matrix, p, 1);
        }
        for (int64_t i = 0; i <= 3; i++)
            matrix->row_start[i] = i * columns;
        return matrix;
    }
    expect_ok(ctx, how == PADDED ? matrix_new_factor(ctx, precision, 3, columns, &matrix)
                                 : matrix_new_dense(ctx, precision, 3, columns, &matrix));
    for (int64_t i = 0; i < 3; i++)
        for (int64_t j = 0; j < columns; j++)
            matrix_set_value(matrix, i * matrix->stride + j, 1);
    return matrix;
}

static int64_t place_of(const orthant_matrix *matrix, int64_t row, int64_t column)
{
    return (matrix->sparse ? matrix->row_start[row] : row * matrix->stride) + column;
}

/* Each entry of the second row in turn is what is looked for. */
static void check_each(orthant_context *ctx, orthant_matrix *matrix, int64_t columns)
{
    const double most = matrix->precision == ORTHANT_DOUBLE ? DBL_MAX : (double)FLT_MAX;
    char place[64], words[128];
    for (int64_t j = 0; j < columns; j++) {
        const int64_t at = place_of(matrix, 1, j);
        snprintf(place, sizeof place, "X: entry (2, %lld) is ",
                 (long long)(matrix->sparse ? j + 2 : j + 1));
        matrix_set_value(matrix, at, -3);
        assert_true(matrix_largest(matrix) == 3);
        assert_true(matrix_row_largest(matrix, 1) == 3 && matrix_row_largest(matrix, 0) == 1 &&
                    matrix_row_largest(matrix, 2) == 1);
        assert_int_equal(orthant_matrix_nonzeros(matrix), 3 * columns);
        assert_true(matrix_sum(matrix) == (double)(3 * columns - 4));
        assert_true(matrix_squares(matrix) == (double)(3 * columns + 8));
        expect_ok(ctx, matrix_check(matrix, false, "X", "cf"));
        snprintf(words, sizeof words, "%s-3; 'nmf' needs nonnegative data", place);
        expect_failure(ctx, ORTHANT_ERROR_DATA, words, matrix_check(matrix, true, "X", "nmf"));
        matrix_set_value(matrix, at, NAN);
        assert_true(matrix_largest(matrix) == 1);
        snprintf(words, sizeof words, "%snan; 'cf' needs finite data", place);
        expect_failure(ctx, ORTHANT_ERROR_DATA, words, matrix_check(matrix, false, "X", "cf"));
        matrix_set_value(matrix, at, -HUGE_VAL);
        snprintf(words, sizeof words, "%s-inf; 'cf' needs finite data", place);
        expect_failure(ctx, ORTHANT_ERROR_DATA, words, matrix_check(matrix, false, "X", "cf"));
        assert_true(isinf(matrix_largest(matrix)));
        matrix_set_value(matrix, at, most);
        expect_ok(ctx, matrix_check(matrix, true, "X", "nmf"));
        matrix_set_value(matrix, at, -most);
        expect_ok(ctx, matrix_check(matrix, false, "X", "nmf"));
        matrix_set_value(matrix, at, 0);
        expect_ok(ctx, matrix_check(matrix, true, "X", "nmf"));
        assert_int_equal(orthant_matrix_nonzeros(matrix),
                         matrix->sparse ? 3 * columns : 3 * columns - 1);
        matrix_set_value(matrix, at, 1);
    }
}

static void test_each_entry(void **state)
{
    orthant_context *ctx = *state;
    for (int precision = ORTHANT_SINGLE; precision <= ORTHANT_DOUBLE; precision++)
        for (size_t i = 0; i < LENGTHS; i++)
            for (int how = 0; how < LAYOUTS; how++) {
                orthant_matrix *matrix =
                    make_ones(ctx, (orthant_precision)precision, lengths[i], (layout)how);
                check_each(ctx, matrix, lengths[i]);
                orthant_matrix_free(matrix);
            }
}

/* Of two that are to be refused the first is told, and without names there are words for them. */
static void test_first_of_two(void **state)
{
    orthant_context *ctx = *state;
    orthant_matrix *matrix = make_ones(ctx, ORTHANT_DOUBLE, 20, PLAIN);
    matrix_set_value(matrix, place_of(matrix, 2, 0), -1);
    matrix_set_value(matrix, place_of(matrix, 1, 19), -2);
    matrix_set_value(matrix, place_of(matrix, 1, 18), -0.5);
    expect_failure(ctx, ORTHANT_ERROR_DATA,
                   "data: entry (2, 19) is -0.5; 'the method' needs nonnegative data",
                   matrix_check(matrix, true, NULL, NULL));
    orthant_matrix_free(matrix);
}

static void test_scaled(void **state)
{
    orthant_context *ctx = *state;
    for (int precision = ORTHANT_SINGLE; precision <= ORTHANT_DOUBLE; precision++)
        for (size_t i = 0; i < LENGTHS; i++)
            for (int how = 0; how < LAYOUTS; how++) {
                orthant_matrix *matrix =
                    make_ones(ctx, (orthant_precision)precision, lengths[i], (layout)how);
                const int64_t last = place_of(matrix, 2, lengths[i] - 1);
                matrix_set_value(matrix, last, 4);
                expect_ok(ctx, orthant_matrix_scale(matrix, ORTHANT_SCALE_MAX));
                for (int64_t r = 0; r < 3; r++)
                    for (int64_t j = 0; j < lengths[i]; j++) {
                        const int64_t at = place_of(matrix, r, j);
                        assert_true(matrix_value(matrix, at) == (at == last ? 1 : 0.25));
                    }
                orthant_matrix_free(matrix);
            }
}

static void test_bytes(void **state)
{
    orthant_context *ctx = *state;
    orthant_matrix *matrix = make_ones(ctx, ORTHANT_SINGLE, 5, PLAIN);
    assert_int_equal(matrix_bytes(matrix), 3 * 5 * 4);
    orthant_matrix_free(matrix);
    matrix = make_ones(ctx, ORTHANT_DOUBLE, 5, PADDED);
    assert_int_equal(matrix_bytes(matrix), 3 * 8 * 8);
    orthant_matrix_free(matrix);
    matrix = make_ones(ctx, ORTHANT_SINGLE, 5, SPARSE);
    assert_int_equal(matrix_bytes(matrix), 15 * (4 + 4) + 3 * 8);
    orthant_matrix_free(matrix);
    matrix = make_ones(ctx, ORTHANT_DOUBLE, 5, SPARSE);
    assert_int_equal(matrix_bytes(matrix), 15 * (8 + 4) + 3 * 8);
    orthant_matrix_free(matrix);
}

static void test_bounds(void **state)
{
    orthant_context *ctx = *state;
    orthant_matrix *matrix = NULL;
    assert_true(sparse_rows_plausible(1000000, 0));
    assert_false(sparse_rows_plausible(1000001, 999));
    assert_true(sparse_rows_plausible(1000001, 1000));
    assert_true(sparse_rows_plausible(INT64_MAX, INT64_MAX / 1000));
    assert_false(sparse_rows_plausible(INT64_MAX, INT64_MAX / 1000 - 1));
    expect_ok(ctx, matrix_new_sparse(ctx, ORTHANT_DOUBLE, 1, INT32_MAX - 1, 0, &matrix));
    orthant_matrix_free(matrix);
    expect_failure(ctx, ORTHANT_ERROR_UNSUPPORTED,
                   "a sparse matrix of 1 x 2147483647 with 0 entries: at most 2147483646 columns",
                   matrix_new_sparse(ctx, ORTHANT_DOUBLE, 1, INT32_MAX, 0, &matrix));
    expect_failure(ctx, ORTHANT_ERROR_UNSUPPORTED, "-1 x 2 with 3 entries",
                   matrix_new_sparse(ctx, ORTHANT_DOUBLE, -1, 2, 3, &matrix));
    expect_failure(ctx, ORTHANT_ERROR_UNSUPPORTED, "1 x -2 with 3 entries",
                   matrix_new_sparse(ctx, ORTHANT_DOUBLE, 1, -2, 3, &matrix));
    expect_failure(ctx, ORTHANT_ERROR_UNSUPPORTED, "1 x 2 with -3 entries",
                   matrix_new_sparse(ctx, ORTHANT_DOUBLE, 1, 2, -3, &matrix));
    assert_null(matrix);
    /* No row and no column beyond the last. */
    for (int how = 0; how < LAYOUTS; how++) {
        matrix = make_ones(ctx, ORTHANT_DOUBLE, 5, (layout)how);
        const int64_t columns = matrix->columns;
        assert_true(orthant_matrix_get(matrix, 2, columns - 1) == 1);
        assert_true(orthant_matrix_get(matrix, 3, columns - 1) == 0);
        assert_true(orthant_matrix_get(matrix, 2, columns) == 0);
        assert_true(orthant_matrix_get(matrix, 1, columns) == 0);
        assert_true(orthant_matrix_get(matrix, -1, 0) == 0);
        assert_true(orthant_matrix_get(matrix, 1, -1) == 0);
        orthant_matrix_free(matrix);
    }
}

static void test_csr_arguments(void **state)
{
    orthant_context *ctx = *state;
    orthant_matrix *matrix = NULL;
    static const int64_t starts[] = {0, 1, 3}, columns[] = {4, 0, 5}, falling[] = {0, 2, 1};
    static const double values[] = {1, 2, 3};
    expect_failure(ctx, ORTHANT_ERROR_ARGUMENT, "entry 3 stands at (2, 6), outside of 2 x 5",
                   orthant_matrix_create_csr(ctx, 2, 5, starts, columns, values, &matrix));
    expect_failure(ctx, ORTHANT_ERROR_ARGUMENT,
                   "row_start goes from 2 to 1 at row 2: expected to start at 0 and never fall",
                   orthant_matrix_create_csr(ctx, 2, 6, falling, columns, values, &matrix));
    expect_failure(ctx, ORTHANT_ERROR_ARGUMENT, "an argument is NULL",
                   orthant_matrix_create_csr(ctx, 2, 6, NULL, columns, values, &matrix));
    expect_failure(ctx, ORTHANT_ERROR_ARGUMENT, "column or values is NULL",
                   orthant_matrix_create_csr(ctx, 2, 6, starts, NULL, values, &matrix));
    expect_failure(ctx, ORTHANT_ERROR_ARGUMENT, "column or values is NULL",
                   orthant_matrix_create_csr(ctx, 2, 6, starts, columns, NULL, &matrix));
    expect_failure(ctx, ORTHANT_ERROR_ARGUMENT, "a matrix of 0 x 6: expected at least one row",
                   orthant_matrix_create_csr(ctx, 0, 6, starts, columns, values, &matrix));
    assert_null(matrix);
    expect_ok(ctx, orthant_matrix_create_csr(ctx, 2, 6, starts, columns, values, &matrix));
    assert_true(orthant_matrix_get(matrix, 0, 4) == 1 && orthant_matrix_get(matrix, 1, 5) == 3);
    orthant_matrix_free(matrix);
    static const int64_t rows[] = {0, 2};
    expect_failure(
        ctx, ORTHANT_ERROR_ARGUMENT, "entry 2 stands at (3, 1), outside of 2 x 5",
        matrix_from_triplets(ctx, ORTHANT_DOUBLE, 2, 5, 2, rows, columns, values, &matrix));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        fixture_test(test_each_entry), fixture_test(test_first_of_two),
        fixture_test(test_scaled),     fixture_test(test_bytes),
        fixture_test(test_bounds),     fixture_test(test_csr_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
