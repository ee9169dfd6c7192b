/* What messages say that a file holds, whole, in a buffer that held something else before. */
#include "expect.h"

#include <stdio.h>
#include <string.h>

#include "data/hdf5_file.h"
#include "data/mat_file.h"

#define MOST 15

static void check_hdf5(hdf5_dataset *datasets, int64_t count, const char *expected)
{
    char text[600];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    hdf5_file_describe(&(hdf5_file){.datasets = datasets, .count = count}, text, sizeof text);
    assert_string_equal(text, expected);
}

static void check_mat(mat_variable *variables, int count, const char *expected)
{
    char text[600];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    mat_file_describe(&(mat_file){.variables = variables, .count = count}, text, sizeof text);
    assert_string_equal(text, expected);
}

static void test_hdf5(void **state)
{
    (void)state;
    hdf5_dataset kinds[] = {
        {.path = (char[]){"/train/x"}, .number = true, .dimensions = 2, .extent = {400, 1024}},
        {.path = (char[]){"/words"}, .dimensions = 1, .extent = {3}},
        {.path = (char[]){"/rate"}, .number = true},
        {.path = (char[]){"/deep"}, .number = true, .dimensions = 5, .extent = {2, 3, 4, 5}}};
    check_hdf5(NULL, 0, "no datasets");
    check_hdf5(kinds, 1, "'/train/x' (400 x 1024)");
    check_hdf5(kinds, 2, "'/train/x' (400 x 1024) and '/words' (no numbers)");
    check_hdf5(kinds, 4,
               "'/train/x' (400 x 1024), '/words' (no numbers), '/rate' (a single value) and "
               "'/deep' (2 x 3 x 4 x 5 x ...)");
    char short_path[] = "/a";
    hdf5_dataset many[MOST];
    for (int i = 0; i < MOST; i++)
        many[i] =
            (hdf5_dataset){.path = short_path, .number = true, .dimensions = 1, .extent = {i}};
    check_hdf5(many, 10,
               "'/a' (0), '/a' (1), '/a' (2), '/a' (3), '/a' (4), '/a' (5), '/a' (6), '/a' (7), "
               "'/a' (8) and '/a' (9)");
    check_hdf5(many, MOST,
               "'/a' (0), '/a' (1), '/a' (2), '/a' (3), '/a' (4), '/a' (5), '/a' (6), '/a' (7), "
               "'/a' (8), '/a' (9) and 5 more");
}

static void test_mat(void **state)
{
    (void)state;
    mat_variable kinds[] = {
        {.name = (char[]){"X"},
         .dimensions = 2,
         .rows = 400,
         .columns = 1024,
         .class = MAT_C_DOUBLE},
        {.name = (char[]){"A"}, .dimensions = 2, .rows = 7, .columns = 9, .class = MAT_C_SPARSE},
        {.name = (char[]){"pictures"},
         .dimensions = 3,
         .rows = 32,
         .columns = 33,
         .class = MAT_C_UINT8},
        {.name = (char[]){"about"}, .dimensions = 2, .rows = 1, .columns = 5, .class = MAT_C_CHAR}};
    check_mat(NULL, 0, "no variables");
    check_mat(kinds, 1, "'X' (400 x 1024)");
    check_mat(kinds, 2, "'X' (400 x 1024) and 'A' (7 x 9, sparse)");
    check_mat(kinds, 4,
              "'X' (400 x 1024), 'A' (7 x 9, sparse), 'pictures' (32 x 33 x ...) and 'about' "
              "(text)");
    char short_name[] = "a";
    mat_variable many[MOST];
    for (int i = 0; i < MOST; i++)
        many[i] = (mat_variable){
            .name = short_name, .dimensions = 2, .rows = i, .columns = 1, .class = MAT_C_DOUBLE};
    check_mat(many, 12,
              "'a' (0 x 1), 'a' (1 x 1), 'a' (2 x 1), 'a' (3 x 1), 'a' (4 x 1), 'a' (5 x 1), 'a' "
              "(6 x 1), 'a' (7 x 1), 'a' (8 x 1), 'a' (9 x 1), 'a' (10 x 1) and 'a' (11 x 1)");
    check_mat(many, MOST,
              "'a' (0 x 1), 'a' (1 x 1), 'a' (2 x 1), 'a' (3 x 1), 'a' (4 x 1), 'a' (5 x 1), 'a' "
              "(6 x 1), 'a' (7 x 1), 'a' (8 x 1), 'a' (9 x 1), 'a' (10 x 1), 'a' (11 x 1) and 3 "
              "more");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_hdf5), cmocka_unit_test(test_mat)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
