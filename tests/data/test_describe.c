/* What a matrix holds, the kinds of files, and names that can be written. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "orthant/orthant.h"

#include <cmocka.h>

static orthant_context *ctx;
static char folder[] = "/tmp/orthant-describe-XXXXXX";

static int setup(void **state)
{
    (void)state;
    return !mkdtemp(folder) || orthant_context_create(&ctx) ? -1 : 0;
}

static int teardown(void **state)
{
    (void)state;
    orthant_context_free(ctx);
    return rmdir(folder);
}

static void test_dense_and_sparse(void **state)
{
    (void)state;
    const double values[] = {1, 0, -2, 7, 0, 0};
    const int64_t start[] = {0, 1, 2}, column[] = {1, 0};
    const double stored[] = {3, 5};
    orthant_matrix_info info = {.size = sizeof info};
    orthant_matrix *matrix = NULL;
    assert_int_equal(orthant_matrix_create(ctx, 2, 3, values, &matrix), ORTHANT_OK);
    assert_int_equal(orthant_matrix_describe(matrix, &info), ORTHANT_OK);
    assert_false(info.sparse);
    assert_int_equal(info.rows, 2);
    assert_int_equal(info.columns, 3);
    assert_int_equal(info.nonzeros, 3);
    assert_true(info.minimum == -2 && info.maximum == 7 && info.density == 0.5);
    orthant_matrix_free(matrix);
    /* The zeros that are not stored are entries too. */
    assert_int_equal(orthant_matrix_create_csr(ctx, 2, 2, start, column, stored, &matrix),
                     ORTHANT_OK);
    assert_int_equal(orthant_matrix_describe(matrix, &info), ORTHANT_OK);
    assert_true(info.sparse && info.nonzeros == 2 && info.minimum == 0 && info.maximum == 5);
    orthant_matrix_free(matrix);
}

/* A program that was compiled with a shorter struct gets what it knows, and nothing behind it. */
static void test_size_of_struct(void **state)
{
    (void)state;
    orthant_matrix *matrix = NULL;
    orthant_matrix_info info;
    memset(&info, 0x55, sizeof info);
    info.size = offsetof(orthant_matrix_info, nonzeros);
    assert_int_equal(orthant_matrix_create(ctx, 2, 3, NULL, &matrix), ORTHANT_OK);
    assert_int_equal(orthant_matrix_describe(matrix, &info), ORTHANT_OK);
    assert_int_equal(info.columns, 3);
    assert_int_equal(info.nonzeros, 0x5555555555555555);
    info.size = 0;
    assert_int_equal(orthant_matrix_describe(matrix, &info), ORTHANT_ERROR_ARGUMENT);
    assert_non_null(strstr(orthant_message(ctx), "size is 0"));
    orthant_matrix_free(matrix);
}

static void test_kinds_and_names(void **state)
{
    (void)state;
    char path[64];
    const char *kind = NULL;
    snprintf(path, sizeof path, "%s/table", folder);
    assert_int_equal(orthant_file_kind(ctx, folder, &kind), ORTHANT_OK);
    assert_string_equal(kind, "folder");
    assert_int_equal(orthant_file_kind(ctx, path, &kind), ORTHANT_ERROR_IO);
    assert_null(kind);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("%%MatrixMarket matrix coordinate real general\n1 1 0\n", file);
    fclose(file);
    assert_int_equal(orthant_file_kind(ctx, path, &kind), ORTHANT_OK);
    assert_string_equal(kind, "mtx");
    assert_int_equal(orthant_matrix_write_check(ctx, path), ORTHANT_ERROR_ARGUMENT);
    assert_int_equal(orthant_matrix_write_check(ctx, "x.npy"), ORTHANT_OK);
    unlink(path);
}

static void expect_text_columns(const char *text, const char *expected)
{
    char path[64], *columns = NULL;
    snprintf(path, sizeof path, "%s/words.csv", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    assert_int_equal(orthant_table_text_columns(ctx, path, &columns), ORTHANT_OK);
    if (expected)
        assert_string_equal(columns, expected);
    else
        assert_null(columns);
    orthant_text_free(ctx, columns);
    unlink(path);
}

static void test_text_columns(void **state)
{
    (void)state;
    char *columns = NULL;
    expect_text_columns("name,a,kind\nx,1,p\ny,2,q\n", "name,kind");
    expect_text_columns("1,2,\n3,late,4\n", "2");
    expect_text_columns("a,b\n1,NA\n,2\n", NULL);
    /* All do: what is wrong with them the reader tells. */
    expect_text_columns("a;b\nx;1,5\ny;2,5\n", NULL);
    /* A name that does not choose its column is told by its number. */
    expect_text_columns("\"\",a\nx,1\ny,2\n", "1");
    expect_text_columns("\"x, y\",a,b\nx,1,u\ny,2,v\n", "1,b");
    expect_text_columns("a,b,a\nx,1,u\ny,2,v\n", "a,3");
    expect_text_columns("%%MatrixMarket matrix coordinate real general\n1 1 0\n", NULL);
    assert_int_equal(orthant_table_text_columns(ctx, "nowhere.csv", &columns), ORTHANT_ERROR_IO);
    assert_null(columns);
}

/* The name of a killed writer's leftover is that of a process that is no more. */
static void test_labels_beside(void **state)
{
    (void)state;
    char matrix[64], beside[96], part[128];
    const int64_t values[] = {1, 2, 2};
    orthant_labels *labels = NULL, *again = NULL;
    snprintf(matrix, sizeof matrix, "%s/words.npy", folder);
    snprintf(beside, sizeof beside, "%s/words.labels.csv", folder);
    snprintf(part, sizeof part, "%s.part-1-0", beside);
    fclose(fopen(part, "w"));
    assert_int_equal(orthant_labels_create(ctx, 3, values, &labels), ORTHANT_OK);
    assert_int_equal(orthant_labels_write_beside(ctx, labels, matrix), ORTHANT_OK);
    assert_int_equal(access(part, F_OK), -1);
    assert_int_equal(orthant_labels_read(ctx, beside, &again), ORTHANT_OK);
    assert_memory_equal(orthant_labels_values(again), values, sizeof values);
    orthant_labels_free(again);
    orthant_labels_free(labels);
    unlink(beside);
}

static void test_null(void **state)
{
    (void)state;
    const char *kind = "";
    orthant_matrix_info info = {.size = sizeof info};
    assert_int_equal(orthant_file_kind(NULL, "x", &kind), ORTHANT_ERROR_ARGUMENT);
    assert_null(kind);
    assert_int_equal(orthant_file_kind(ctx, NULL, &kind), ORTHANT_ERROR_ARGUMENT);
    assert_int_equal(orthant_file_kind(ctx, "x", NULL), ORTHANT_ERROR_ARGUMENT);
    assert_int_equal(orthant_table_text_columns(ctx, NULL, NULL), ORTHANT_ERROR_ARGUMENT);
    assert_int_equal(orthant_matrix_describe(NULL, &info), ORTHANT_ERROR_ARGUMENT);
    assert_int_equal(orthant_matrix_write_check(NULL, "x.npy"), ORTHANT_ERROR_ARGUMENT);
    assert_int_equal(orthant_matrix_write_check(ctx, NULL), ORTHANT_ERROR_ARGUMENT);
    assert_int_equal(orthant_labels_write_beside(ctx, NULL, "x.npy"), ORTHANT_ERROR_ARGUMENT);
    assert_int_equal(orthant_samples_write_beside(ctx, NULL, "x.npy"), ORTHANT_ERROR_ARGUMENT);
    orthant_text_free(ctx, NULL);
    orthant_text_free(NULL, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dense_and_sparse), cmocka_unit_test(test_size_of_struct),
        cmocka_unit_test(test_kinds_and_names),  cmocka_unit_test(test_text_columns),
        cmocka_unit_test(test_labels_beside),    cmocka_unit_test(test_null),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
