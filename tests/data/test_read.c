/* The dispatcher: kinds by content and by name, truth from other files, transposition, refusals. */
#include "fixture.h"

#include <stdio.h>
#include <stdlib.h>

#include "data/matrix.h"
#include "files.h"
#include "thread_group.h"

static void refuse(orthant_context *ctx, const char *path, const orthant_read_options *options,
                   orthant_status status, const char *words)
{
    orthant_matrix *matrix = (orthant_matrix *)&matrix;
    orthant_labels *truth = (orthant_labels *)&truth;
    expect_failure(ctx, status, words, orthant_matrix_read(ctx, path, options, &matrix, &truth));
    assert_null(matrix);
    assert_null(truth);
}

static void test_content_beats_ending(void **state)
{
    orthant_context *ctx = *state;
    orthant_matrix *matrix = NULL;
    size_t size;
    static const char *const names[] = {"csr.npz", "fortran.npy"};
    for (int i = 0; i < 2; i++) {
        char path[100];
        snprintf(path, sizeof path, "tests/data/fixtures/%s", names[i]);
        unsigned char *bytes = files_read(fixture_path(path), &size);
        expect_ok(ctx, orthant_matrix_read(ctx, files_write("misnamed.csv", bytes, size), NULL,
                                           &matrix, NULL));
        assert_int_equal(orthant_matrix_rows(matrix), 3);
        assert_int_equal(orthant_matrix_columns(matrix), 4);
        orthant_matrix_free(matrix);
        free(bytes);
    }
    expect_ok(ctx,
              orthant_matrix_read(
                  ctx,
                  files_write_text("market", "%%MatrixMarket matrix array real general\n1 1\n5\n"),
                  NULL, &matrix, NULL));
    assert_true(orthant_matrix_get(matrix, 0, 0) == 5);
    orthant_matrix_free(matrix);
}

static void test_unknown_kinds(void **state)
{
    orthant_context *ctx = *state;
    refuse(ctx, files_path("wrong/path.mat"), NULL, ORTHANT_ERROR_IO,
           "wrong/path.mat: there is no such file or folder");
    refuse(ctx, files_path("wrong.h5:/x"), NULL, ORTHANT_ERROR_IO,
           "wrong.h5:/x: there is no such file");
    refuse(ctx, files_write_text("a.pdf", "%PDF"), NULL, ORTHANT_ERROR_FORMAT,
           "a file of unknown kind; known are .mat, .npy, .npz, .csv, .tsv, .txt, .mtx, .h5, .csr, "
           "IDX");
    refuse(ctx, files_write_text("a.png", "\x89PNG"), NULL, ORTHANT_ERROR_FORMAT,
           "a single picture; give the folder");
    refuse(ctx, files_write_text("a.mat", ""), NULL, ORTHANT_ERROR_FORMAT, "the file is empty");
    orthant_matrix *matrix = NULL;
    assert_int_equal(orthant_matrix_read(ctx, NULL, NULL, &matrix, NULL), ORTHANT_ERROR_ARGUMENT);
    assert_int_equal(orthant_matrix_read(NULL, "x", NULL, &matrix, NULL), ORTHANT_ERROR_ARGUMENT);
}

static void test_truth_from_a_file(void **state)
{
    orthant_context *ctx = *state;
    char labels[600];
    const char *path = files_write_text("x.csv", "1,2\n3,4\n5,6\n");
    snprintf(labels, sizeof labels, "%s", files_write_text("y.csv", "1\n2\n1\n"));
    orthant_read_options options = {.size = sizeof options, .truth = labels};
    orthant_matrix *matrix = NULL;
    orthant_labels *truth = NULL;
    expect_ok(ctx, orthant_matrix_read(ctx, path, &options, &matrix, &truth));
    assert_int_equal(orthant_labels_classes(truth), 2);
    orthant_matrix_free(matrix);
    orthant_labels_free(truth);
    expect_ok(ctx, orthant_matrix_read(ctx, path, NULL, &matrix, &truth));
    assert_null(truth);
    orthant_matrix_free(matrix);
    options.truth = "absent.csv";
    refuse(ctx, path, &options, ORTHANT_ERROR_IO,
           "x.csv: truth 'absent.csv' is neither a column in it nor a label file");
    snprintf(labels, sizeof labels, "%s", files_write_text("two.csv", "1\n2\n"));
    options.truth = labels;
    refuse(ctx, path, &options, ORTHANT_ERROR_ARGUMENT,
           "two.csv: found 2 labels, expected one for each of the 3 samples of ");
    refuse(ctx, path, &options, ORTHANT_ERROR_ARGUMENT, "x.csv; do samples stand in columns?");
    options.transpose = true;
    expect_ok(ctx, orthant_matrix_read(ctx, path, &options, &matrix, &truth));
    assert_int_equal(orthant_matrix_rows(matrix), 2);
    assert_true(orthant_matrix_get(matrix, 1, 2) == 6);
    orthant_matrix_free(matrix);
    orthant_labels_free(truth);
    options.truth = NULL;
    options.variable = "x";
    refuse(ctx, path, &options, ORTHANT_ERROR_ARGUMENT,
           "variable 'x': only .mat, .npz and HDF5 files have variables");
}

static void test_transposed_sparse(void **state)
{
    orthant_context *ctx = *state;
    const orthant_read_options options = {.size = sizeof options, .transpose = true};
    orthant_matrix *matrix = NULL;
    expect_ok(ctx, orthant_matrix_read(ctx, fixture_path("tests/data/fixtures/csr.npz"), &options,
                                       &matrix, NULL));
    assert_true(orthant_matrix_is_sparse(matrix));
    assert_int_equal(orthant_matrix_rows(matrix), 4);
    assert_true(orthant_matrix_get(matrix, 1, 0) == 2.5 && orthant_matrix_get(matrix, 3, 2) == 4);
    orthant_matrix_free(matrix);
}

/* The digits that come with the project. */
static void test_shipped_digits(void **state)
{
    orthant_context *ctx = *state;
    orthant_matrix *matrix = NULL;
    orthant_labels *truth = NULL;
    expect_ok(ctx, orthant_matrix_read(ctx, fixture_path("data/digits/digits-images-idx3-ubyte.gz"),
                                       NULL, &matrix, &truth));
    assert_int_equal(orthant_matrix_rows(matrix), 1797);
    assert_int_equal(orthant_matrix_columns(matrix), 64);
    assert_true(matrix_largest(matrix) == 16 && matrix_sum(matrix) == 561718);
    assert_int_equal(orthant_labels_count(truth), 1797);
    assert_int_equal(orthant_labels_classes(truth), 10);
    orthant_matrix_free(matrix);
    orthant_labels_free(truth);
}

/* The same two numbers as MATLAB 4 writes them: type, rows, columns, no imaginary part, name. */
static const char *write_version_4(const char *name, const double values[2])
{
    struct {
        int32_t head[5];
        char name[4];
        double values[2];
    } bytes = {{0, 2, 1, 0, 4}, "fea", {values[0], values[1]}};
    return files_write(name, &bytes, sizeof bytes);
}

/* Numbers of a file in double precision that single precision cannot hold are told as they are in
 * the file, whatever its kind; in double precision they are read. */
static void test_numbers_outside_of_single(void **state)
{
    orthant_context *ctx = *state;
    static const double huge[] = {1, 1e300}, tiny[] = {0, -1e-300};
    static const char *const endings[] = {"npy", "h5", "mtx", "mat"};
    for (int i = 0; i < 8; i++) {
        orthant_matrix *matrix = NULL;
        orthant_labels *truth = NULL;
        const double *values = i % 2 ? tiny : huge;
        char name[32];
        snprintf(name, sizeof name, "range%d.%s", i % 2, endings[i / 2]);
        orthant_context_set_precision(ctx, ORTHANT_DOUBLE);
        if (i / 2 == 3) {
            write_version_4(name, values);
        } else {
            expect_ok(ctx, orthant_matrix_create(ctx, 2, 1, values, &matrix));
            expect_ok(ctx, orthant_matrix_write(ctx, matrix, files_path(name)));
            orthant_matrix_free(matrix);
        }
        orthant_context_set_precision(ctx, ORTHANT_SINGLE);
        refuse(ctx, files_path(name), NULL, ORTHANT_ERROR_DATA,
               i % 2 ? "the largest entry is 1e-300, too small for single precision to hold; use "
                       "precision = 'double'"
                     : "entry (2, 1) is 1e+300, more than single precision can hold; use "
                       "precision = 'double'");
        assert_int_equal(orthant_context_precision(ctx), ORTHANT_SINGLE);
        orthant_context_set_precision(ctx, ORTHANT_DOUBLE);
        expect_ok(ctx, orthant_matrix_read(ctx, files_path(name), NULL, &matrix, &truth));
        assert_true(orthant_matrix_get(matrix, 1, 0) == values[1]);
        orthant_matrix_free(matrix);
        orthant_labels_free(truth);
    }
}

static void read_part(void *user, const orthant_group *group)
{
    orthant_read_options options = ORTHANT_READ_DEFAULTS;
    orthant_context *ctx = NULL;
    orthant_matrix *matrix = NULL;
    assert_int_equal(orthant_context_create(&ctx), ORTHANT_OK);
    expect_ok(ctx, orthant_context_set_group(ctx, group));
    options.share = true;
    expect_ok(ctx, orthant_matrix_read(ctx, user, &options, &matrix, NULL));
    assert_true(orthant_matrix_total_rows(matrix) == 2);
    orthant_matrix_free(matrix);
    orthant_context_free(ctx);
}

/* Whose largest entry is 0, as that of rows too small for the precision. */
static void test_part_without_rows(void **state)
{
    (void)state;
    thread_group_run(2, 0, read_part,
                     (void *)(uintptr_t)files_write_text("two.csv", "0.1,0.2\n0.3,0.4\n"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        fixture_test(test_content_beats_ending), fixture_test(test_unknown_kinds),
        fixture_test(test_truth_from_a_file),    fixture_test(test_transposed_sparse),
        fixture_test(test_shipped_digits),       fixture_test(test_numbers_outside_of_single),
        fixture_test(test_part_without_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
