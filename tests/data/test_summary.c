/* What is found in one pass while reading: the same as by a pass for each, on any threads. */
#include "fixture.h"

#include <math.h>
#include <stdlib.h>

#include "core/file_checksum.h"
#include "data/matrix.h"
#include "files.h"

/* More rows than one round of the pass. */
#define ROWS 20000
#define COLUMNS 23

static orthant_matrix *make(orthant_context *ctx)
{
    orthant_matrix *matrix = NULL;
    expect_ok(ctx, orthant_matrix_create(ctx, ROWS, COLUMNS, NULL, &matrix));
    for (int64_t i = 0; i < ROWS * COLUMNS; i++)
        matrix_set_value(matrix, i, i % 3 ? 1.0 / (double)(i + 1) : 0);
    return matrix;
}

/* The summary against passes over the same entries that know of none. */
static void expect_true_summary(orthant_matrix *matrix)
{
    const matrix_summary found = matrix->summary;
    assert_true(found.known);
    matrix->summary.known = false;
    assert_true(found.sum == matrix_sum(matrix));
    assert_true(found.squares == matrix_squares(matrix));
    assert_true(found.largest == matrix_largest(matrix));
    assert_true(found.checksum == matrix_checksum(matrix->ctx, matrix));
    assert_int_equal(found.nonzeros, orthant_matrix_nonzeros(matrix));
    assert_int_equal(found.nonnegative, !matrix_check(matrix, true, "x", "y"));
    assert_int_equal(found.finite, !matrix_check(matrix, false, "x", "y"));
    matrix->summary = found;
}

static void test_same_as_passes(void **state)
{
    orthant_context *ctx = *state;
    for (int precision = ORTHANT_SINGLE; precision <= ORTHANT_DOUBLE; precision++) {
        orthant_context_set_precision(ctx, (orthant_precision)precision);
        orthant_matrix *matrix = make(ctx);
        matrix_summary before = {0};
        for (int threads = 1; threads <= 3; threads++) {
            expect_ok(ctx, orthant_context_set_threads(ctx, threads));
            expect_ok(ctx, matrix_summarise(matrix));
            expect_true_summary(matrix);
            if (threads > 1)
                assert_true(before.sum == matrix->summary.sum &&
                            before.squares == matrix->summary.squares);
            before = matrix->summary;
        }
        assert_true(before.nonnegative && before.finite && before.nonzeros > 0);
        matrix_set_value(matrix, ROWS * COLUMNS - 1, -3);
        expect_ok(ctx, matrix_summarise(matrix));
        assert_false(matrix->summary.nonnegative);
        expect_true_summary(matrix);
        expect_failure(ctx, ORTHANT_ERROR_DATA, "entry (20000, 23) is -3",
                       matrix_check(matrix, true, "x", "y"));
        matrix_set_value(matrix, 5, NAN);
        expect_ok(ctx, matrix_summarise(matrix));
        assert_false(matrix->summary.finite);
        expect_failure(ctx, ORTHANT_ERROR_DATA, "entry (1, 6) is nan",
                       matrix_check(matrix, false, "x", "y"));
        orthant_matrix_free(matrix);
    }
}

/* Read, mapped and scaled: each knows its own entries. */
static void test_read_and_scaled(void **state)
{
    orthant_context *ctx = *state;
    orthant_matrix *matrix = make(ctx), *read = NULL;
    const char *path = files_path("summary.npy");
    char digest[XXH64_DIGITS + 1];
    expect_ok(ctx, orthant_matrix_write(ctx, matrix, path));
    expect_ok(ctx, file_xxh64(ctx, path, digest));
    for (int map = 0; map < 2; map++) {
        const orthant_read_options options = {.size = sizeof options, .map = map};
        expect_ok(ctx, orthant_matrix_read(ctx, path, &options, &read, NULL));
        expect_true_summary(read);
        assert_string_equal(read->checksum, map ? digest : "");
        expect_ok(ctx, orthant_matrix_scale(read, ORTHANT_SCALE_UNIT));
        expect_true_summary(read);
        assert_true(read->summary.squares > matrix_squares(matrix));
        assert_string_equal(read->checksum, map ? digest : "");
        orthant_matrix_free(read);
    }
    orthant_matrix_free(matrix);
}

int main(void)
{
    const struct CMUnitTest tests[] = {fixture_test(test_same_as_passes),
                                       fixture_test(test_read_and_scaled)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
