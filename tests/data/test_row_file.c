/* Rows of an open .npy file: every type is converted as the reader of whole files does, and a file
 * that changes while it is read is noticed. */
#include "fixture.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/memory.h"
#include "data/matrix.h"
#include "data/row_file.h"

#define ROWS 37
#define COLUMNS 5

static const orthant_read_options plain = ORTHANT_READ_DEFAULTS;

/* ROWS x COLUMNS entries of a type, whose bytes count up. */
static const char *write_npy_of(const char *name, const char *type, int size, bool fortran)
{
    unsigned char bytes[128 + ROWS * COLUMNS * 8];
    memcpy(bytes, "\x93NUMPY\x01\x00\x76\x00", 10);
    char header[119];
    const int used =
        snprintf(header, sizeof header, "{'descr': '%s', 'fortran_order': %s, 'shape': (%d, %d), }",
                 type, fortran ? "True" : "False", ROWS, COLUMNS);
    memset(header + used, ' ', sizeof header - (size_t)used);
    header[117] = '\n';
    memcpy(bytes + 10, header, 118);
    for (int i = 0; i < ROWS * COLUMNS * size; i++)
        bytes[128 + i] = (unsigned char)(i % 60);
    return files_write(name, bytes, (size_t)(128 + ROWS * COLUMNS * size));
}

static row_file *open_rows(orthant_context *ctx, const char *path)
{
    row_file *file = NULL;
    expect_ok(ctx, row_file_open(ctx, path, &plain, &file));
    assert_true(file->rows == ROWS && file->columns == COLUMNS && !file->sparse);
    return file;
}

static void test_every_type(void **state)
{
    orthant_context *ctx = *state;
    static const struct {
        const char *type;
        int size;
    } types[] = {{"|u1", 1}, {"<u2", 2}, {"<u4", 4}, {"<u8", 8}, {"|i1", 1}, {"<i2", 2},
                 {"<i4", 4}, {"<i8", 8}, {"<f2", 2}, {"<f4", 4}, {"<f8", 8}, {"|b1", 1}};
    double values[7 * COLUMNS];
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        for (int single = 0; single < 2; single++) {
            const char *path = write_npy_of("rows.npy", types[t].type, types[t].size, false);
            orthant_context_set_precision(ctx, single ? ORTHANT_SINGLE : ORTHANT_DOUBLE);
            orthant_matrix *whole = NULL;
            row_failure failure;
            expect_ok(ctx, orthant_matrix_read(ctx, path, NULL, &whole, NULL));
            row_file *file = open_rows(ctx, path);
            for (int64_t first = 0; first < ROWS; first += 7) {
                const int64_t rows = first + 7 < ROWS ? 7 : ROWS - first;
                assert_true(
                    row_file_read(file, first, rows, (row_target){values, NULL, NULL}, &failure));
                const size_t size = precision_size(file->precision);
                assert_memory_equal(values, (char *)whole->values + first * COLUMNS * (int64_t)size,
                                    (size_t)(rows * COLUMNS) * size);
            }
            row_file_close(file);
            orthant_matrix_free(whole);
        }
}

static void test_some_rows_alone(void **state)
{
    orthant_context *ctx = *state;
    double all[ROWS * COLUMNS], some[4 * COLUMNS];
    row_failure failure;
    row_file *file = open_rows(ctx, write_npy_of("rows.npy", "<i4", 4, false));
    assert_true(row_file_read(file, 0, ROWS, (row_target){all, NULL, NULL}, &failure));
    row_file_cut(file, 10, 20);
    assert_int_equal(file->rows, 20);
    row_file_will_read(file, 3, 4);
    assert_true(row_file_read(file, 3, 4, (row_target){some, NULL, NULL}, &failure));
    assert_memory_equal(some, all + 13 * COLUMNS, sizeof some);
    row_file_close(file);
}

static void test_cut_off_while_read(void **state)
{
    orthant_context *ctx = *state;
    double values[ROWS * COLUMNS];
    row_failure failure;
    const char *path = write_npy_of("cut.npy", "<f8", 8, false);
    row_file *file = open_rows(ctx, path);
    assert_true(row_file_check(file, &failure));
    assert_int_equal(truncate(path, 128 + 20 * COLUMNS * 8), 0);
    assert_true(row_file_read(file, 0, 20, (row_target){values, NULL, NULL}, &failure));
    assert_false(row_file_read(file, 15, 10, (row_target){values, NULL, NULL}, &failure));
    assert_int_equal(failure.status, ORTHANT_ERROR_IO);
    assert_non_null(strstr(failure.message, "cut.npy: ends at byte 928, but had 1608 bytes"));
    assert_false(row_file_check(file, &failure));
    assert_non_null(strstr(failure.message, "has 928 bytes, but had 1608"));
    row_file_close(file);
}

static void test_written_to_while_read(void **state)
{
    orthant_context *ctx = *state;
    row_failure failure;
    const char *path = write_npy_of("written.npy", "<f8", 8, false);
    row_file *file = open_rows(ctx, path);
    const struct timespec times[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
    assert_false(row_file_check(file, &failure));
    assert_non_null(strstr(failure.message, "was written to while it was read"));
    row_file_close(file);
}

/* The file that was opened is read on when its name is gone. */
static void test_vanished(void **state)
{
    orthant_context *ctx = *state;
    double values[COLUMNS];
    row_failure failure;
    const char *path = write_npy_of("gone.npy", "|u1", 1, false);
    row_file *file = open_rows(ctx, path);
    assert_int_equal(unlink(path), 0);
    assert_true(row_file_read(file, 2, 1, (row_target){values, NULL, NULL}, &failure));
    assert_true(values[1] == 11);
    assert_true(row_file_check(file, &failure));
    row_file_close(file);
}

/* A header that somebody wrote: the end of the rows is no number of bytes. */
static void test_begins_anywhere(void **state)
{
    orthant_context *ctx = *state;
    static const int64_t begins[] = {INT64_MAX - 8, -1};
    const char *path = write_npy_of("anywhere.npy", "<f8", 8, false);
    for (int i = 0; i < 3; i++) {
        row_file *file = memory_new(ctx, 1, sizeof *file, "an open file");
        *file = (row_file){
            .ctx = ctx, .rows = i == 2 ? INT64_MAX / 2 : ROWS, .columns = COLUMNS, .grain = 1};
        expect_failure(ctx, ORTHANT_ERROR_FORMAT, "more than any file holds",
                       row_file_open_plain(file, path, (element){'f', 8, false},
                                           i == 2 ? 128 : begins[i], -1));
        row_file_close(file);
    }
}

static void test_refused(void **state)
{
    orthant_context *ctx = *state;
    row_file *file = NULL;
    orthant_read_options transposed = ORTHANT_READ_DEFAULTS;
    transposed.transpose = true;
    expect_failure(ctx, ORTHANT_ERROR_UNSUPPORTED, "lies in Fortran's order",
                   row_file_open(ctx, write_npy_of("f.npy", "<f4", 4, true), &plain, &file));
    assert_null(file);
    expect_failure(ctx, ORTHANT_ERROR_UNSUPPORTED, "another byte order",
                   row_file_open(ctx, write_npy_of("b.npy", ">f4", 4, false), &plain, &file));
    expect_failure(ctx, ORTHANT_ERROR_UNSUPPORTED, "samples that stand in columns",
                   row_file_open(ctx, write_npy_of("t.npy", "<f4", 4, false), &transposed, &file));
    expect_failure(ctx, ORTHANT_ERROR_UNSUPPORTED, "convert it to .npy",
                   row_file_open(ctx, files_write_text("t.csv", "1,2\n3,4\n"), &plain, &file));
    expect_failure(ctx, ORTHANT_ERROR_FORMAT, "the header promises",
                   row_file_open(ctx, write_npy_of("s.npy", "<f8", 4, false), &plain, &file));
    expect_failure(ctx, ORTHANT_ERROR_IO, "none.npy",
                   row_file_open(ctx, files_path("none.npy"), &plain, &file));
    assert_null(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        fixture_test(test_every_type),         fixture_test(test_some_rows_alone),
        fixture_test(test_cut_off_while_read), fixture_test(test_written_to_while_read),
        fixture_test(test_vanished),           fixture_test(test_refused),
        fixture_test(test_begins_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
