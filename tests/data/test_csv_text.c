/* Names and words as fields of CSV files: what is written is read again, and no spreadsheet runs
 * it. */
#include "fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/csv.h"
#include "data/csv_text.h"

static void test_written(void **state)
{
    static const char *const cases[][2] = {
        {"plain", "plain"},
        {"a,b", "\"a,b\""},
        {"say \"no\"", "\"say \"\"no\"\"\""},
        {"two\nlines", "\"two\nlines\""},
        {"", "\"\""},
        {" left", "\" left\""},
        {"right\t", "\"right\t\""},
        {"#1", "\"#1\""},
        {"=1+1", "'=1+1"},
        {"=cmd|'/c calc'!A1,\"\"", "\"'=cmd|'/c calc'!A1,\"\"\"\"\""},
        {"+x", "'+x"},
        {"-x", "'-x"},
        {"@SUM(A1)", "'@SUM(A1)"},
        {"\t=1", "\"'\t=1\""},
        {"-", "'-"},
        {"-5", "-5"},
        {"+2.5e-3", "+2.5e-3"},
        {"-5x", "'-5x"},
        {"'=1", "''=1"},
        {"'-5", "''-5"},
        {"'tis", "'tis"},
        {"'", "'"},
        {"a=b", "a=b"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t size;
        const char *path = files_path("field.csv");
        FILE *file = fopen(path, "w");
        csv_write_string(file, cases[i][0]);
        fclose(file);
        unsigned char *found = files_read(path, &size);
        if (size != strlen(cases[i][1]) || memcmp(found, cases[i][1], size) != 0)
            fail_msg("'%s' is written as '%.*s', expected '%s'", cases[i][0], (int)size, found,
                     cases[i][1]);
        free(found);
    }
}

/* Through the reader of tables, where each stands between two others. */
static void test_read_again(void **state)
{
    orthant_context *ctx = *state;
    static const char *const texts[] = {
        "plain", "a,b", "a \"b\" c", "\"", "two\nlines\n", "=1", "'=1", "''+x", "-x",
        "-5",    "@",   " x ",       "#",  "\t",           "'",  "x"};
    const int64_t count = sizeof texts / sizeof *texts;
    const char *path = files_path("texts.csv");
    FILE *file = fopen(path, "w");
    fputs("before,text,after\n", file);
    for (int64_t i = 0; i < count; i++) {
        fprintf(file, "%d,", (int)i);
        csv_write_string(file, texts[i]);
        fputs(",last\n", file);
    }
    fclose(file);
    csv_table table;
    piece row, field;
    char text[64];
    expect_ok(ctx, csv_open(ctx, path, &table));
    assert_int_equal(table.rows, count);
    assert_int_equal(table.columns, 3);
    int64_t line = 2;
    for (int64_t i = 0; i < count; i++) {
        assert_true(csv_row(&table, &row));
        assert_int_equal(table.text.number, line);
        for (int j = 0; j < 2; j++)
            assert_true(csv_field(&table, &row, &field));
        csv_copy_text(field, text, sizeof text);
        assert_string_equal(text, texts[i]);
        assert_true(csv_field(&table, &row, &field));
        assert_memory_equal(field.begin, "last", 4);
        assert_false(csv_field(&table, &row, &field));
        for (const char *c = texts[i]; *c; c++)
            line += *c == '\n';
        line++;
    }
    assert_false(csv_row(&table, &row));
    csv_close(&table);
}

static void test_cut(void **state)
{
    const char *const text = "'=abc";
    char to[4] = "...";
    (void)state;
    csv_copy_text((piece){text, text + 5}, to, sizeof to);
    assert_string_equal(to, "=ab");
    csv_copy_text((piece){text, text + 5}, to, 1);
    assert_string_equal(to, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {fixture_test(test_written), fixture_test(test_read_again),
                                       fixture_test(test_cut)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
