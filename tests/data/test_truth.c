/* Labels that come with the data: a column of a table, which is no feature then, and labels whose
 * number is not that of the samples. */
#include "fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/labels.h"
#include "data/matrix.h"

#define FLOWERS \
    "length,width,class,height\n1,2,setosa,3\n4,5,virginica,6\n7,8,setosa,9\n10,11,,12\n"

static const double features[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};

static void check_truth(orthant_context *ctx, const char *path, const char *name,
                        const int64_t *expected)
{
    const orthant_read_options options = {.size = sizeof options, .truth = name};
    orthant_matrix *matrix = NULL;
    orthant_labels *truth = NULL;
    double values[12];
    /* The column is no feature whether or not the labels are asked for. */
    for (int asked = 0; asked < 2; asked++) {
        expect_ok(ctx, orthant_matrix_read(ctx, path, &options, &matrix, asked ? &truth : NULL));
        assert_int_equal(orthant_matrix_rows(matrix), 4);
        assert_int_equal(orthant_matrix_columns(matrix), 3);
        orthant_matrix_copy_values(matrix, values);
        assert_memory_equal(values, features, sizeof features);
        orthant_matrix_free(matrix);
    }
    assert_int_equal(orthant_labels_count(truth), 4);
    assert_memory_equal(orthant_labels_values(truth), expected, 4 * sizeof *expected);
    orthant_labels_free(truth);
}

static void refuse(orthant_context *ctx, const char *path, const char *name, orthant_status status,
                   const char *words)
{
    const orthant_read_options options = {.size = sizeof options, .truth = name};
    orthant_matrix *matrix = NULL;
    orthant_labels *truth = NULL;
    expect_failure(ctx, status, words, orthant_matrix_read(ctx, path, &options, &matrix, &truth));
    assert_null(matrix);
    assert_null(truth);
}

static void test_column_of_the_table(void **state)
{
    orthant_context *ctx = *state;
    static const int64_t named[] = {0, 1, 0, -1}, numbered[] = {7, -3, 7, 20};
    char path[600], other[620], address[640];
    snprintf(path, sizeof path, "%s", files_write_text("flowers.csv", FLOWERS));
    for (int precision = ORTHANT_SINGLE; precision <= ORTHANT_DOUBLE; precision++) {
        orthant_context_set_precision(ctx, (orthant_precision)precision);
        check_truth(ctx, path, "class", named);
        check_truth(ctx, path, "3", named);
    }
    snprintf(address, sizeof address, "%s:class", path);
    check_truth(ctx, path, address, named);
    snprintf(address, sizeof address, "%s:3", path);
    check_truth(ctx, path, address, named);
    /* The same file by another name. */
    snprintf(other, sizeof other, "%s/./flowers.csv:class", files_folder());
    check_truth(ctx, path, other, named);

    /* Without a header, the last and the first column, quoted, with another separator. */
    check_truth(ctx, files_write_text("a.csv", "1,2,3,7\n4,5,6,-3\n7,8,9,7\n10,11,12,20\n"), "4",
                numbered);
    check_truth(ctx,
                files_write_text("b.tsv", "\"the \"\"class\"\"\"\tx\ty\tz\n7\t1\t2\t3\n"
                                          "-3\t4\t5\t6\n7\t7\t8\t9\n2e1\t10\t11\t12\n"),
                "the \"class\"", numbered);
    check_truth(ctx,
                files_write_text("c.csv", "x;y;c;z\n1;2;\"a;b\";3\n4;5;\"c \"\"d\"\"\";6\n"
                                          "7;8;\"a;b\";9\n10;11;NA;12\n"),
                "c", named);
}

static void test_names_that_are_not_there(void **state)
{
    orthant_context *ctx = *state;
    char path[600], address[640];
    snprintf(path, sizeof path, "%s", files_write_text("flowers.csv", FLOWERS));
    refuse(ctx, path, "kind", ORTHANT_ERROR_IO,
           "flowers.csv: truth 'kind' is neither a column in it nor a label file");
    refuse(ctx, path, "5", ORTHANT_ERROR_IO, "truth '5' is neither a column");
    refuse(ctx, path, "0", ORTHANT_ERROR_IO, "truth '0' is neither a column");
    refuse(ctx, path, path, ORTHANT_ERROR_FORMAT, "found 4 columns, expected labels in one");
    snprintf(address, sizeof address, "%s:kind", path);
    refuse(ctx, path, address, ORTHANT_ERROR_ARGUMENT,
           "no column 'kind'; give a name of its header or a number from 1 to 4");
    /* A table of classes is no table of numbers; who reads that is told the way. */
    refuse(ctx, path, NULL, ORTHANT_ERROR_FORMAT,
           "flowers.csv:2:3: found 'setosa', expected a finite number (truth = 'NAME' names a "
           "column of "
           "classes, ");
    refuse(ctx, path, "width", ORTHANT_ERROR_FORMAT, "flowers.csv:2:3: found 'setosa'");
    refuse(ctx, files_write_text("mixed.csv", "x,c\n1,a\n2,b\n3,3\n"), "c", ORTHANT_ERROR_FORMAT,
           "mixed.csv:4:2: found '3', expected the name of a class, as in the rows above");
    refuse(ctx, files_write_text("mixed.csv", "x,c\n1,1\n2,b\n"), "c", ORTHANT_ERROR_FORMAT,
           "mixed.csv:3:2: found 'b', expected a whole number as label");
    refuse(ctx, files_write_text("half.csv", "x,c\n1,1\n2,1.5\n"), "c", ORTHANT_ERROR_FORMAT,
           "half.csv:3:2: found '1.5', expected a whole number as label");
    refuse(ctx, files_write_text("only.csv", "c\n1\n2\n"), "c", ORTHANT_ERROR_ARGUMENT,
           "only.csv: the labels are its only column, expected features beside them");
}

/* Files of labels by name: the first line is a header where it does not come again. */
static void test_files_of_names(void **state)
{
    orthant_context *ctx = *state;
    static const struct {
        const char *text;
        int64_t count, values[4];
    } cases[] = {{"dog\ncat\ndog\ndog\n", 4, {1, 0, 1, 1}},
                 {"animal\ncat\ndog\n\"cat\"\n", 3, {0, 1, 0}},
                 {"# made by hand\ndo\ndog\n\ndo", 3, {0, 1, 0}},
                 {"animal\ncat\n?\ncat\n", 3, {0, -1, 0}}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        orthant_labels *labels = NULL;
        expect_ok(ctx, orthant_labels_read(ctx, files_write_text("l.txt", cases[i].text), &labels));
        assert_int_equal(orthant_labels_count(labels), cases[i].count);
        assert_memory_equal(orthant_labels_values(labels), cases[i].values,
                            (size_t)cases[i].count * sizeof(int64_t));
        orthant_labels_free(labels);
    }
}

/* The column is left out again where the file is read a second time for single precision. */
static void test_lost_in_single_precision(void **state)
{
    orthant_context *ctx = *state;
    orthant_context_set_precision(ctx, ORTHANT_SINGLE);
    refuse(ctx, files_write_text("small.csv", "x,c\n1e-60,a\n2e-60,b\n"), "c", ORTHANT_ERROR_DATA,
           "small.csv: the largest entry is 2e-60, too small for single precision");
}

typedef struct notebook {
    int count;
    char last[512];
} notebook;

static void keep_note(void *user, orthant_log_level level, const char *message)
{
    notebook *book = user;
    assert_int_equal(level, ORTHANT_LOG_NOTE);
    book->count++;
    snprintf(book->last, sizeof book->last, "%s", message);
}

static void read_with_notes(orthant_context *ctx, const char *text, notebook *book)
{
    const orthant_read_options options = {.size = sizeof options, .truth = "c"};
    orthant_matrix *matrix = NULL;
    orthant_labels *truth = NULL;
    *book = (notebook){.count = 0};
    orthant_context_set_log(ctx, keep_note, book);
    expect_ok(ctx,
              orthant_matrix_read(ctx, files_write_text("n.csv", text), &options, &matrix, &truth));
    orthant_context_set_log(ctx, NULL, NULL);
    orthant_matrix_free(matrix);
    orthant_labels_free(truth);
}

/* Which number is which class, and how many are not known. */
static void test_notes(void **state)
{
    orthant_context *ctx = *state;
    notebook book;
    char text[4096] = "x,c\n";
    read_with_notes(ctx, "x,c\n1,pear\n2,apple\n3,\"fig, dried\"\n4,apple\n", &book);
    assert_int_equal(book.count, 1);
    assert_non_null(strstr(book.last, "n.csv: classes by name: 0 apple, 1 fig, dried, 2 pear"));
    assert_null(strstr(book.last, "..."));
    read_with_notes(ctx, "x,c\n1,-1\n2,5\n3,-1\n", &book);
    assert_int_equal(book.count, 1);
    assert_string_equal(book.last, "2 of 3 labels are -1, which stands for 'not known'");
    read_with_notes(ctx, "x,c\n1,7\n2,5\n3,7\n", &book);
    assert_int_equal(book.count, 0);
    /* A target that is no label. */
    orthant_matrix *matrix = NULL;
    orthant_labels *truth = NULL;
    book = (notebook){.count = 0};
    orthant_context_set_log(ctx, keep_note, &book);
    expect_ok(ctx, orthant_matrix_read(ctx, fixture_path("tests/data/fixtures/regression.npz"),
                                       NULL, &matrix, &truth));
    orthant_context_set_log(ctx, NULL, NULL);
    assert_null(truth);
    orthant_matrix_free(matrix);
    assert_int_equal(book.count, 1);
    assert_non_null(strstr(book.last, "regression.npz: 'y' is not taken as labels: y: label 2 is "
                                      "0.75, expected a whole number"));
    /* More classes than a line holds. */
    for (int i = 0; i < 100; i++)
        snprintf(text + strlen(text), 32, "%d,name%02d\n", i, i);
    read_with_notes(ctx, text, &book);
    assert_int_equal(book.count, 1);
    assert_non_null(strstr(book.last, "classes by name: 0 name00, 1 name01, "));
    assert_string_equal(book.last + strlen(book.last) - 4, " ...");
}

/* ---- labels of another number --------------------------------------------------------------- */

/* A matrix of doubles as MATLAB 4 writes it. */
static void put_variable(FILE *file, const char *name, int32_t rows, int32_t columns,
                         const double *values)
{
    const int32_t header[5] = {0, rows, columns, 0, (int32_t)strlen(name) + 1};
    fwrite(header, sizeof header, 1, file);
    fwrite(name, 1, strlen(name) + 1, file);
    fwrite(values, sizeof *values, (size_t)rows * (size_t)columns, file);
}

static const char *write_mat(const char *name, const char *label_name, int32_t labels)
{
    const double data[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, label[5] = {5, 6, 5, 6, 7};
    const char *path = files_path(name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    put_variable(file, "fea", 4, 3, data);
    put_variable(file, label_name, labels, 1, label);
    fclose(file);
    return path;
}

/* X (4 x 3) and `labels` labels, all as numbers of an HDF5 file. */
static const char *write_h5(orthant_context *ctx, const char *name, int64_t labels)
{
    char address[700];
    const double label[5] = {5, 6, 5, 6, 7};
    orthant_matrix *matrix = NULL;
    const char *path = files_path(name);
    remove(path);
    for (int i = 0; i < 2; i++) {
        expect_ok(ctx, orthant_matrix_create(ctx, i ? labels : 4, i ? 1 : 3, i ? label : features,
                                             &matrix));
        snprintf(address, sizeof address, "%s:%s", path, i ? "/y" : "/X");
        expect_ok(ctx, orthant_matrix_write(ctx, matrix, address));
        orthant_matrix_free(matrix);
    }
    return path;
}

/* Of 4 x 3 numbers: 3 labels are those of columns, 5 are nobody's, one number is no labels. */
static void check_numbers(orthant_context *ctx, const char *three, const char *five,
                          const char *four, const char *one)
{
    orthant_read_options options = {.size = sizeof options, .transpose = true};
    orthant_matrix *matrix = NULL;
    orthant_labels *truth = NULL;
    refuse(ctx, three, NULL, ORTHANT_ERROR_DATA,
           "found 3 labels, expected one for each of the 4 samples; do samples stand in columns? "
           "Then give transpose = 'yes'");
    refuse(
        ctx, five, NULL, ORTHANT_ERROR_DATA,
        "found 5 labels, expected one for each of the 4 samples; truth = 'none' leaves them out");
    expect_ok(ctx, orthant_matrix_read(ctx, three, &options, &matrix, &truth));
    assert_int_equal(orthant_matrix_rows(matrix), 3);
    assert_int_equal(orthant_labels_count(truth), 3);
    assert_int_equal(orthant_labels_values(truth)[1], 6);
    orthant_matrix_free(matrix);
    orthant_labels_free(truth);
    expect_failure(
        ctx, ORTHANT_ERROR_DATA,
        "found 4 labels, expected one for each of the 3 samples; is transpose = 'yes' right?",
        orthant_matrix_read(ctx, four, &options, &matrix, &truth));
    options = (orthant_read_options){.size = sizeof(orthant_read_options), .truth = "none"};
    expect_ok(ctx, orthant_matrix_read(ctx, five, &options, &matrix, &truth));
    assert_null(truth);
    orthant_matrix_free(matrix);
    expect_ok(ctx, orthant_matrix_read(ctx, one, NULL, &matrix, &truth));
    assert_int_equal(orthant_matrix_rows(matrix), 4);
    assert_null(truth);
    orthant_matrix_free(matrix);
}

static void test_wrong_numbers_of_labels(void **state)
{
    orthant_context *ctx = *state;
    char path[4][600];
    static const int counts[] = {3, 5, 4, 1};
    for (int h5 = 0; h5 < 2; h5++) {
        for (int i = 0; i < 4; i++) {
            char name[32];
            snprintf(name, sizeof name, "%d.%s", counts[i], h5 ? "h5" : "mat");
            snprintf(path[i], sizeof path[i], "%s",
                     h5 ? write_h5(ctx, name, counts[i]) : write_mat(name, "gnd", counts[i]));
        }
        check_numbers(ctx, path[0], path[1], path[2], path[3]);
    }
    /* A vector without a usual name may be anything. */
    orthant_matrix *matrix = NULL;
    orthant_labels *truth = NULL;
    expect_ok(ctx,
              orthant_matrix_read(ctx, write_mat("o.mat", "chosen", 3), NULL, &matrix, &truth));
    assert_null(truth);
    orthant_matrix_free(matrix);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        fixture_test(test_column_of_the_table),      fixture_test(test_names_that_are_not_there),
        fixture_test(test_files_of_names),           fixture_test(test_notes),
        fixture_test(test_lost_in_single_precision), fixture_test(test_wrong_numbers_of_labels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
