/* Writers: round trips, exact bytes, and nothing left after a failure. */
#include "fixture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/random.h"
#include "data/matrix.h"

/* Rows padded as a factor's, and entries of every size: nothing of this may show in the file. */
static orthant_matrix *make_dense(orthant_context *ctx, orthant_precision precision)
{
    orthant_matrix *matrix = NULL;
    expect_ok(ctx, matrix_new_factor(ctx, precision, 7, 5, &matrix));
    for (int64_t i = 0; i < 7; i++)
        for (int64_t j = 0; j < 5; j++)
            matrix_set_value(matrix, i * matrix->stride + j,
                             random_normal(1, RANDOM_TEST, (uint64_t)i, (uint64_t)j) *
                                 pow(10, (double)(i * 10 - 30)));
    return matrix;
}

static orthant_matrix *make_sparse(orthant_context *ctx, orthant_precision precision)
{
    static const int64_t rows[] = {0, 2, 2, 4}, columns[] = {1, 0, 3, 2};
    static const double values[] = {0.1, 2, 1e-20, 7};
    orthant_matrix *matrix = NULL;
    expect_ok(ctx, matrix_from_triplets(ctx, precision, 5, 4, 4, rows, columns, values, &matrix));
    return matrix;
}

static void check_round_trip(orthant_context *ctx, const orthant_matrix *matrix, const char *name)
{
    orthant_matrix *again = NULL;
    const char *path = files_path(name);
    orthant_context_set_precision(ctx, matrix->precision);
    expect_ok(ctx, orthant_matrix_write(ctx, matrix, path));
    expect_ok(ctx, orthant_matrix_read(ctx, path, NULL, &again, NULL));
    assert_int_equal(again->rows, matrix->rows);
    assert_int_equal(again->columns, matrix->columns);
    for (int64_t i = 0; i < matrix->rows; i++)
        for (int64_t j = 0; j < matrix->columns; j++)
            assert_true(orthant_matrix_get(again, i, j) == orthant_matrix_get(matrix, i, j));
    if (matrix->sparse && strstr(name, ".mtx"))
        assert_true(again->sparse &&
                    orthant_matrix_nonzeros(again) == orthant_matrix_nonzeros(matrix));
    orthant_matrix_free(again);
}

static void test_round_trips(void **state)
{
    orthant_context *ctx = *state;
    static const char *const names[] = {"a.npy", "a.csv", "a.tsv", "a.mtx"};
    for (int precision = 0; precision < 2; precision++)
        for (int sparse = 0; sparse < 2; sparse++) {
            orthant_matrix *matrix = sparse ? make_sparse(ctx, (orthant_precision)precision)
                                            : make_dense(ctx, (orthant_precision)precision);
            for (size_t i = 0; i < sizeof names / sizeof *names; i++)
                check_round_trip(ctx, matrix, names[i]);
            orthant_matrix_free(matrix);
        }
}

static void test_bytes_of_npy(void **state)
{
    orthant_context *ctx = *state;
    static const double values[] = {1, 2, 3};
    orthant_matrix *matrix = NULL;
    size_t size;
    expect_ok(ctx, orthant_matrix_create(ctx, 1, 3, values, &matrix));
    const char *path = files_path("bytes.npy");
    expect_ok(ctx, orthant_matrix_write(ctx, matrix, path));
    unsigned char *bytes = files_read(path, &size);
    static const char header[] = "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 3), }";
    assert_int_equal(size, 128 + 24);
    assert_memory_equal(bytes, "\x93NUMPY\1\0\x76\0", 10);
    assert_memory_equal(bytes + 10, header, sizeof header - 1);
    assert_int_equal(bytes[127], '\n');
    assert_memory_equal(bytes + 128, values, 24);
    free(bytes);
    orthant_matrix_free(matrix);
}

static void test_text_of_csv(void **state)
{
    orthant_context *ctx = *state;
    static const double values[] = {0.1, -2, 1e100, 1.0 / 3};
    orthant_matrix *matrix = NULL;
    size_t size;
    expect_ok(ctx, orthant_matrix_create(ctx, 2, 2, values, &matrix));
    const char *path = files_path("text.csv");
    expect_ok(ctx, orthant_matrix_write(ctx, matrix, path));
    unsigned char *bytes = files_read(path, &size);
    static const char expected[] = "0.1,-2\n1e+100,0.3333333333333333\n";
    assert_int_equal(size, sizeof expected - 1);
    assert_memory_equal(bytes, expected, size);
    free(bytes);
    orthant_matrix_free(matrix);
}

static void test_failures_leave_nothing(void **state)
{
    orthant_context *ctx = *state;
    orthant_matrix *matrix = make_dense(ctx, ORTHANT_DOUBLE);
    const int before = files_count(files_folder());
    static const char *const names[] = {"no/a.npy", "no/a.csv", "no/a.mtx", "no/a.csr"};
    for (int i = 0; i < 4; i++)
        expect_failure(ctx, ORTHANT_ERROR_IO, "there is no folder",
                       orthant_matrix_write(ctx, matrix, files_path(names[i])));
    expect_failure(ctx, ORTHANT_ERROR_ARGUMENT, "known are .npy, .csv, .tsv, .h5, .csr and .mtx",
                   orthant_matrix_write(ctx, matrix, files_path("a.png")));
    assert_int_equal(files_count(files_folder()), before);
    if (access("/dev/full", W_OK) == 0) {
        const char *path = files_path("full.npy");
        assert_int_equal(symlink("/dev/full", path), 0);
        expect_failure(ctx, ORTHANT_ERROR_IO, "full.npy: cannot be written: the disk is full",
                       orthant_matrix_write(ctx, matrix, path));
    }
    orthant_matrix_free(matrix);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        fixture_test(test_round_trips),
        fixture_test(test_bytes_of_npy),
        fixture_test(test_text_of_csv),
        fixture_test(test_failures_leave_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
