/* Names of features, samples and classes, from where they stand to where they are asked for. */
#include "fixture.h"

#include <string.h>

#include "orthant/matrix.h"

static const char table[] = "id;\"a \"\"b\"\"\";c;kind\n"
                            "first;1;2;x\n"
                            "second;3;4;y\n"
                            "third;5;6;x\n";

static void read_table(orthant_context *ctx, const orthant_read_options *options,
                       orthant_matrix **matrix, orthant_labels **truth)
{
    files_write("table.csv", table, sizeof table - 1);
    expect_ok(ctx, orthant_matrix_read(ctx, files_path("table.csv"), options, matrix, truth));
}

static void test_names_of_a_table(void **state)
{
    orthant_context *ctx = *state;
    orthant_read_options options = ORTHANT_READ_DEFAULTS;
    orthant_matrix *matrix = NULL;
    orthant_labels *truth = NULL;
    options.truth = "kind";
    options.id_column = "id";
    read_table(ctx, &options, &matrix, &truth);
    assert_int_equal(orthant_matrix_columns(matrix), 2);
    assert_string_equal(orthant_matrix_feature_name(matrix, 0), "a \"b\"");
    assert_string_equal(orthant_matrix_feature_name(matrix, 1), "c");
    assert_null(orthant_matrix_feature_name(matrix, 2));
    assert_null(orthant_matrix_feature_name(matrix, -1));
    assert_string_equal(orthant_matrix_sample_name(matrix, 2), "third");
    assert_null(orthant_matrix_sample_name(matrix, 3));
    assert_string_equal(orthant_labels_name(truth, 0), "x");
    assert_string_equal(orthant_labels_name(truth, 1), "y");
    assert_null(orthant_labels_name(truth, 2));
    assert_true(orthant_matrix_get(matrix, 2, 1) == 6);
    orthant_labels_free(truth);
    orthant_matrix_free(matrix);
}

/* Columns become samples, and their names with them. */
static void test_names_transposed(void **state)
{
    orthant_context *ctx = *state;
    orthant_read_options options = ORTHANT_READ_DEFAULTS;
    orthant_matrix *matrix = NULL;
    options.id_column = "1";
    options.drop = "kind,c";
    options.transpose = true;
    read_table(ctx, &options, &matrix, NULL);
    assert_int_equal(orthant_matrix_rows(matrix), 1);
    assert_int_equal(orthant_matrix_columns(matrix), 3);
    assert_string_equal(orthant_matrix_sample_name(matrix, 0), "a \"b\"");
    assert_string_equal(orthant_matrix_feature_name(matrix, 1), "second");
    orthant_matrix_free(matrix);
}

static void test_names_that_are_set(void **state)
{
    orthant_context *ctx = *state;
    static const char *const names[] = {"one", "two"};
    orthant_matrix *matrix = NULL;
    expect_ok(ctx, orthant_matrix_create(ctx, 2, 2, NULL, &matrix));
    assert_null(orthant_matrix_feature_name(matrix, 0));
    expect_ok(ctx, orthant_matrix_set_feature_names(matrix, names));
    assert_string_equal(orthant_matrix_feature_name(matrix, 1), "two");
    expect_ok(ctx, orthant_matrix_set_feature_names(matrix, NULL));
    assert_null(orthant_matrix_feature_name(matrix, 1));
    orthant_matrix_free(matrix);
}

static void test_refusals(void **state)
{
    orthant_context *ctx = *state;
    orthant_read_options options = ORTHANT_READ_DEFAULTS;
    orthant_matrix *matrix = NULL;
    files_write("table.csv", table, sizeof table - 1);
    options.drop = "c,,id";
    expect_failure(ctx, ORTHANT_ERROR_ARGUMENT, "no column ''",
                   orthant_matrix_read(ctx, files_path("table.csv"), &options, &matrix, NULL));
    options.drop = "id,2,3,kind";
    expect_failure(ctx, ORTHANT_ERROR_ARGUMENT, "no column is left",
                   orthant_matrix_read(ctx, files_path("table.csv"), &options, &matrix, NULL));
    options.drop = NULL;
    options.id_column = "5";
    expect_failure(ctx, ORTHANT_ERROR_ARGUMENT, "no column '5'",
                   orthant_matrix_read(ctx, files_path("table.csv"), &options, &matrix, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        fixture_test(test_names_of_a_table),
        fixture_test(test_names_transposed),
        fixture_test(test_names_that_are_set),
        fixture_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
