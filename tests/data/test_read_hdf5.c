/* HDF5 files: choice of the dataset, sparse groups, truncation and writing. */
#include "fixture.h"

#include <hdf5.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "core/child.h"
#include "data/labels.h"
#include "data/matrix.h"
#include "data/read.h"

/* The fixtures hold 10 i + j at (i, j), 6 x 4, with labels 1 1 2 2 3 3; sparse ones hold 10 i + j +
 * 1 where i + j is a multiple of 3. */

static const char *fixture(const char *name)
{
    char path[256];
    snprintf(path, sizeof path, "tests/data/fixtures/%s", name);
    return fixture_path(path);
}

static double expected(int64_t i, int64_t j)
{
    return 10.0 * (double)i + (double)j;
}

static void check_values(const orthant_matrix *matrix, int64_t rows)
{
    assert_int_equal(matrix->rows, rows);
    assert_int_equal(matrix->columns, 4);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < 4; j++)
            assert_true(orthant_matrix_get(matrix, i, j) == expected(i, j));
}

static void check_labels(const orthant_labels *labels, int64_t count)
{
    assert_non_null(labels);
    assert_int_equal(labels->count, count);
    for (int64_t i = 0; i < count; i++)
        assert_int_equal(labels->values[i], 1 + i / 2);
}

static void test_only_one(void **state)
{
    orthant_context *ctx = *state;
    for (int precision = 0; precision < 2; precision++) {
        orthant_matrix *matrix = NULL;
        orthant_labels *truth = NULL;
        orthant_context_set_precision(ctx, (orthant_precision)precision);
        expect_ok(ctx, orthant_matrix_read(ctx, fixture("one.h5"), NULL, &matrix, &truth));
        assert_int_equal(matrix->precision, precision);
        check_values(matrix, 6);
        check_labels(truth, 6);
        orthant_matrix_free(matrix);
        orthant_labels_free(truth);
    }
}

static void test_paths(void **state)
{
    orthant_context *ctx = *state;
    orthant_read_options options = ORTHANT_READ_DEFAULTS;
    orthant_matrix *matrix = NULL;
    orthant_labels *truth = NULL;
    char address[600];
    snprintf(address, sizeof address, "%s:/train/x", fixture("several.h5"));
    expect_ok(ctx, orthant_matrix_read(ctx, address, &options, &matrix, &truth));
    check_values(matrix, 6);
    check_labels(truth, 6);
    orthant_matrix_free(matrix);
    orthant_labels_free(truth);
    options.variable = "test/x";
    expect_ok(ctx, read_hdf5(ctx, fixture("several.h5"), &options, &matrix, &truth));
    check_values(matrix, 3);
    check_labels(truth, 3);
    orthant_matrix_free(matrix);
    orthant_labels_free(truth);
    options.truth = "/train/y"; /* taken as it is: the dispatcher sees that the count is wrong */
    expect_ok(ctx, read_hdf5(ctx, fixture("several.h5"), &options, &matrix, &truth));
    check_labels(truth, 6);
    orthant_matrix_free(matrix);
    orthant_labels_free(truth);
    options.truth = "none";
    expect_ok(ctx, read_hdf5(ctx, fixture("several.h5"), &options, &matrix, &truth));
    assert_null(truth);
    orthant_matrix_free(matrix);
    options = (orthant_read_options){
        .size = sizeof(orthant_read_options), .variable = "/flags", .truth = "/flags"};
    expect_ok(ctx, read_hdf5(ctx, fixture("several.h5"), &options, &matrix, &truth));
    assert_int_equal(matrix->columns, 1);
    assert_true(orthant_matrix_get(matrix, 1, 0) == 0 && orthant_matrix_get(matrix, 2, 0) == 1);
    assert_int_equal(truth->values[5], 1);
    orthant_matrix_free(matrix);
    orthant_labels_free(truth);
}

static void test_refused(void **state)
{
    orthant_context *ctx = *state;
    orthant_read_options options = ORTHANT_READ_DEFAULTS;
    orthant_matrix *matrix = NULL;
    orthant_labels *truth = NULL;
    expect_failure(ctx, ORTHANT_ERROR_ARGUMENT, "'/test/x' (3 x 4)",
                   read_hdf5(ctx, fixture("several.h5"), &options, &matrix, &truth));
    assert_non_null(strstr(orthant_message(ctx), "several.h5:/train/x"));
    options.variable = "/nothing";
    expect_failure(ctx, ORTHANT_ERROR_ARGUMENT, "no dataset '/nothing'; it holds",
                   read_hdf5(ctx, fixture("several.h5"), &options, &matrix, &truth));
    options.variable = "/empty";
    expect_failure(ctx, ORTHANT_ERROR_DATA, "'/empty' (0 x 3) is empty",
                   read_hdf5(ctx, fixture("several.h5"), &options, &matrix, &truth));
    options.variable = "/names";
    expect_failure(ctx, ORTHANT_ERROR_DATA, "'/names' (no numbers)",
                   read_hdf5(ctx, fixture("one.h5"), &options, &matrix, &truth));
    options = (orthant_read_options){
        .size = sizeof(orthant_read_options), .variable = "/train/x", .truth = "/half"};
    expect_failure(ctx, ORTHANT_ERROR_DATA, "entry 1 of '/half' is 1.5",
                   read_hdf5(ctx, fixture("several.h5"), &options, &matrix, &truth));
    options = (orthant_read_options)ORTHANT_READ_DEFAULTS;
    expect_failure(ctx, ORTHANT_ERROR_FORMAT, "larger than a file of",
                   read_hdf5(ctx, fixture("huge.h5"), &options, &matrix, &truth));
    expect_failure(ctx, ORTHANT_ERROR_FORMAT, "not an HDF5 file",
                   read_hdf5(ctx, fixture("make_hdf5.py"), &options, &matrix, &truth));
    expect_failure(ctx, ORTHANT_ERROR_IO, "no such file",
                   read_hdf5(ctx, files_path("nothing.h5"), &options, &matrix, &truth));
    assert_null(matrix);
    assert_null(truth);
}

static void test_pictures(void **state)
{
    orthant_context *ctx = *state;
    orthant_read_options options = {.size = sizeof options, .variable = "grey"};
    orthant_matrix *matrix = NULL;
    orthant_labels *truth = NULL;
    expect_ok(ctx, read_hdf5(ctx, fixture("pictures.h5"), &options, &matrix, &truth));
    orthant_picture_shape shape = orthant_matrix_picture(matrix);
    assert_true(shape.height == 3 && shape.width == 4 && shape.channels == 1 &&
                !shape.column_major);
    assert_int_equal(matrix->columns, 12);
    assert_true(orthant_matrix_get(matrix, 1, 5) == 17);
    orthant_matrix_free(matrix);
    options.variable = "colour";
    expect_ok(ctx, read_hdf5(ctx, fixture("pictures.h5"), &options, &matrix, &truth));
    shape = orthant_matrix_picture(matrix);
    assert_true(shape.height == 3 && shape.width == 2 && shape.channels == 3);
    orthant_matrix_free(matrix);
    options.variable = "line";
    expect_ok(ctx, read_hdf5(ctx, fixture("pictures.h5"), &options, &matrix, &truth));
    assert_true(matrix->rows == 5 && matrix->columns == 1);
    orthant_matrix_free(matrix);
}

static void test_sparse(void **state)
{
    static const char *const cases[][2] = {
        {"csr.h5", NULL}, {"anndata.h5", NULL}, {"anndata.h5", "/X/"}, {"csc.h5", "matrix"}};
    orthant_context *ctx = *state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const orthant_read_options options = {.size = sizeof options, .variable = cases[i][1]};
        orthant_matrix *matrix = NULL;
        orthant_labels *truth = NULL;
        expect_ok(ctx, read_hdf5(ctx, fixture(cases[i][0]), &options, &matrix, &truth));
        assert_true(matrix->sparse && matrix->rows == 6 && matrix->columns == 4);
        assert_int_equal(matrix->row_start[6], 8);
        for (int64_t r = 0; r < 6; r++)
            for (int64_t c = 0; c < 4; c++)
                assert_true(orthant_matrix_get(matrix, r, c) ==
                            ((r + c) % 3 == 0 ? expected(r, c) + 1 : 0));
        assert_int_equal(truth != NULL, i == 1 || i == 2);
        orthant_matrix_free(matrix);
        orthant_labels_free(truth);
    }
}

static void test_truncated(void **state)
{
    static const char *const names[] = {"one.h5", "several.h5", "csr.h5"};
    orthant_context *ctx = *state;
    const orthant_read_options options = ORTHANT_READ_DEFAULTS;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t size;
        unsigned char *bytes = files_read(fixture(names[i]), &size);
        for (size_t length = 0; length < size; length += 7) {
            orthant_matrix *matrix = NULL;
            orthant_labels *truth = NULL;
            const char *path = files_write("cut.h5", bytes, length);
            assert_int_not_equal(read_hdf5(ctx, path, &options, &matrix, &truth), ORTHANT_OK);
            assert_null(matrix);
            assert_non_null(strstr(orthant_message(ctx), "cut.h5: "));
            assert_null(strchr(orthant_message(ctx), '\n'));
        }
        free(bytes);
    }
}

/* What the user's program has set for HDF5's own messages is there again afterwards. */
static herr_t users_own(hid_t stack, void *data)
{
    (void)stack;
    ++*(int *)data;
    return 0;
}

static void test_error_handler(void **state)
{
    orthant_context *ctx = *state;
    const orthant_read_options options = ORTHANT_READ_DEFAULTS;
    orthant_matrix *matrix = NULL;
    orthant_labels *truth = NULL;
    H5E_auto2_t before = NULL, after = NULL;
    void *before_data = NULL, *after_data = NULL;
    int calls = 0;
    H5Eget_auto2(H5E_DEFAULT, &before, &before_data);
    H5Eset_auto2(H5E_DEFAULT, users_own, &calls);
    read_hdf5(ctx, fixture("make_hdf5.py"), &options, &matrix, &truth);
    read_hdf5(ctx, files_write_text("cut.h5", "\x89HDF\r\n\x1a\n"), &options, &matrix, &truth);
    H5Eget_auto2(H5E_DEFAULT, &after, &after_data);
    H5Eset_auto2(H5E_DEFAULT, before, before_data);
    assert_true(after == users_own && after_data == &calls);
    assert_int_equal(calls, 0);
}

/* ---- writing ------------------------------------------------------------------------------ */

static void test_writing(void **state)
{
    orthant_context *ctx = *state;
    for (int precision = 0; precision < 2; precision++) {
        orthant_matrix *factor = NULL, *back = NULL;
        expect_ok(ctx, matrix_new_factor(ctx, (orthant_precision)precision, 6, 4, &factor));
        for (int64_t i = 0; i < 6; i++)
            for (int64_t j = 0; j < 4; j++)
                matrix_set_value(factor, i * factor->stride + j, expected(i, j));
        expect_ok(ctx, write_hdf5(ctx, factor, files_path("out.h5")));
        expect_ok(ctx, orthant_matrix_read(ctx, files_path("out.h5"), NULL, &back, NULL));
        check_values(back, 6);
        orthant_matrix_free(back);
        /* Another path goes beside what is there; the same one is replaced. */
        for (int again = 0; again < 2; again++)
            expect_ok(ctx, orthant_matrix_write(ctx, factor, files_path("out.h5:/group/W")));
        expect_ok(ctx, orthant_matrix_read(ctx, files_path("out.h5:/group/W"), NULL, &back, NULL));
        check_values(back, 6);
        orthant_matrix_free(back);
        expect_ok(ctx, orthant_matrix_read(ctx, files_path("out.h5:/data"), NULL, &back, NULL));
        check_values(back, 6);
        orthant_matrix_free(back);
        orthant_matrix_free(factor);
        assert_int_equal(unlink(files_path("out.h5")), 0);
    }
}

static void test_writing_sparse(void **state)
{
    orthant_context *ctx = *state;
    static const int64_t start[] = {0, 1, 1, 3}, column[] = {2, 0, 1};
    static const double value[] = {5, 6, 7};
    orthant_matrix *sparse = NULL, *back = NULL;
    expect_ok(ctx, orthant_matrix_create_csr(ctx, 3, 3, start, column, value, &sparse));
    expect_ok(ctx, write_hdf5(ctx, sparse, files_path("sparse.h5:/x")));
    expect_ok(ctx, orthant_matrix_read(ctx, files_path("sparse.h5"), NULL, &back, NULL));
    assert_false(back->sparse);
    for (int64_t i = 0; i < 3; i++)
        for (int64_t j = 0; j < 3; j++)
            assert_true(orthant_matrix_get(back, i, j) == orthant_matrix_get(sparse, i, j));
    orthant_matrix_free(back);
    orthant_matrix_free(sparse);
}

static void test_writing_refused(void **state)
{
    orthant_context *ctx = *state;
    orthant_matrix *matrix = NULL;
    expect_ok(ctx, orthant_matrix_create(ctx, 2, 2, NULL, &matrix));
    const int before = files_count(files_folder());
    expect_failure(ctx, ORTHANT_ERROR_IO, "there is no folder",
                   write_hdf5(ctx, matrix, files_path("nowhere/out.h5")));
    expect_failure(ctx, ORTHANT_ERROR_ARGUMENT, "expected a path like",
                   write_hdf5(ctx, matrix, files_path("out.h5:group/")));
    expect_ok(ctx, write_hdf5(ctx, matrix, files_path("whole.h5:/x")));
    expect_failure(ctx, ORTHANT_ERROR_IO, "'/x/y' cannot be made",
                   write_hdf5(ctx, matrix, files_path("whole.h5:/x/y")));
    assert_int_equal(files_count(files_folder()), before + 1);
    orthant_matrix_free(matrix);
}

/* A row that is larger than what a child hands over at a time. */
static void test_wide_rows(void **state)
{
    enum { ROWS = 3, COLUMNS = CHILD_SLOT_BYTES / (int)sizeof(double) + 1000 };
    orthant_context *ctx = *state;
    orthant_matrix *matrix = NULL, *back = NULL;
    orthant_context_set_precision(ctx, ORTHANT_DOUBLE);
    expect_ok(ctx, orthant_matrix_create(ctx, ROWS, COLUMNS, NULL, &matrix));
    for (int64_t i = 0; i < ROWS; i++)
        for (int64_t j = 0; j < COLUMNS; j++)
            matrix_set_value(matrix, i * matrix->stride + j, (double)(i * 7 + j % 1009));
    expect_ok(ctx, write_hdf5(ctx, matrix, files_path("wide.h5")));
    expect_ok(ctx, orthant_matrix_read(ctx, files_path("wide.h5"), NULL, &back, NULL));
    assert_true(back->rows == ROWS && back->columns == COLUMNS);
    for (int64_t i = 0; i < ROWS; i++)
        for (int64_t j = 0; j < COLUMNS; j++)
            if (orthant_matrix_get(back, i, j) != (double)(i * 7 + j % 1009))
                fail_msg("another value at %d, %d", (int)i, (int)j);
    orthant_matrix_free(back);
    orthant_matrix_free(matrix);
}

/* A dataset is added to a copy, which may be larger than a file can become here. */
static void test_adding_without_room(void **state)
{
    enum { ROWS = 1000, BYTES = 40000 };
    orthant_context *ctx = *state;
    orthant_matrix *matrix = NULL, *back = NULL;
    struct rlimit before, small;
    expect_ok(ctx, orthant_matrix_create(ctx, ROWS, 20, NULL, &matrix));
    expect_ok(ctx, write_hdf5(ctx, matrix, files_path("large.h5:/x")));
    const int files = files_count(files_folder());
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = (struct rlimit){BYTES, before.rlim_max};
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    const orthant_status status = write_hdf5(ctx, matrix, files_path("large.h5:/y"));
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    signal(SIGXFSZ, SIG_DFL);
    expect_failure(ctx, ORTHANT_ERROR_IO, "large.h5: cannot be copied to add a dataset", status);
    assert_int_equal(files_count(files_folder()), files);
    expect_ok(ctx, orthant_matrix_read(ctx, files_path("large.h5"), NULL, &back, NULL));
    assert_int_equal(orthant_matrix_rows(back), ROWS);
    orthant_matrix_free(back);
    orthant_matrix_free(matrix);
}

int main(void)
{
    const struct CMUnitTest tests[] = {fixture_test(test_only_one),
                                       fixture_test(test_paths),
                                       fixture_test(test_refused),
                                       fixture_test(test_pictures),
                                       fixture_test(test_sparse),
                                       fixture_test(test_truncated),
                                       fixture_test(test_error_handler),
                                       fixture_test(test_writing),
                                       fixture_test(test_writing_sparse),
                                       fixture_test(test_writing_refused),
                                       fixture_test(test_adding_without_room),
                                       confined_test(test_only_one),
                                       confined_test(test_paths),
                                       confined_test(test_refused),
                                       confined_test(test_pictures),
                                       confined_test(test_sparse),
                                       fixture_test(test_wide_rows),
                                       confined_test(test_wide_rows),
                                       confined_test(test_error_handler)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
