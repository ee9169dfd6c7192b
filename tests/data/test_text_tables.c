/* .csv, .tsv and Matrix Market. */
#include "fixture.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "data/matrix.h"

static const double table[] = {1, 2.5, -3, 4e2, 0, 6};

static void check_table(orthant_context *ctx, const char *path, const double *expected)
{
    orthant_matrix *matrix = NULL;
    expect_ok(ctx, orthant_matrix_read(ctx, path, NULL, &matrix, NULL));
    assert_int_equal(orthant_matrix_rows(matrix), 2);
    assert_int_equal(orthant_matrix_columns(matrix), 3);
    for (int i = 0; i < 6; i++)
        assert_true(orthant_matrix_get(matrix, i / 3, i % 3) == expected[i]);
    orthant_matrix_free(matrix);
}

static void refuse(orthant_context *ctx, const char *name, const char *text, const char *words)
{
    orthant_matrix *matrix = (orthant_matrix *)&matrix;
    expect_failure(ctx, ORTHANT_ERROR_FORMAT, words,
                   orthant_matrix_read(ctx, files_write_text(name, text), NULL, &matrix, NULL));
    assert_null(matrix);
}

static void test_good_tables(void **state)
{
    orthant_context *ctx = *state;
    static const char *const texts[] = {
        "1,2.5,-3\n4e2,0,6\n",
        "1,2.5,-3\n4e2,0,6",
        "1;2.5;-3\n4e2;0;6\n",
        "1\t2.5\t-3\n4e2\t0\t6\n",
        "1 2.5 -3\n4e2 0 6\n",
        "   1   2.5  -3  \n 4e2 0      6 \n",
        "1,2.5,-3\r\n4e2,0,6\r\n",
        "\xef\xbb\xbf"
        "1,2.5,-3\n4e2,0,6\n",
        "a,b,c\n1,2.5,-3\n4e2,0,6\n",
        "\xef\xbb\xbf"
        "\"first, one\",second name,\"c\"\r\n1,2.5,-3\r\n4e2,0,6\r\n",
        "label,1x1,1x2\n1,2.5,-3\n4e2,0,6\n",
        "# a comment\n\na b c\n1 2.5 -3\n# another, with commas\n\n4e2 0 6\n\n\n",
        " 1 , 2.5 ,-3\n\"4e2\",\"0\",6\n",
        "1.,2.50000000000000000000000,-3e0\n+400,-0,0.6e1\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        check_table(ctx, files_write_text("good.csv", texts[i]), table);
    check_table(ctx, files_write_text("good.tsv", texts[3]), table);
    check_table(ctx, files_write_text("good.txt", texts[4]), table);
    const char *path = files_path("packed.csv.gz");
    gzFile packed = gzopen(path, "wb");
    gzputs(packed, texts[0]);
    gzclose(packed);
    check_table(ctx, path, table);
}

/* The separator is what stands outside of quotes; inside of them it belongs to the field, and so
 * does the end of a line. */
static void test_quoted(void **state)
{
    orthant_context *ctx = *state;
    static const char *const texts[] = {
        "\"a;b;c\",\"d\",\"e\tf\"\n1,2.5,-3\n4e2,0,6\n",
        "\"a,b\";\"c\";\"d,e\"\n1;2.5;-3\n4e2;0;6\n",
        "\"a,b;c\"\t\"d\"\t\"e\"\n1\t2.5\t-3\n4e2\t0\t6\n",
        "\"a b\" \"c;d\" \"e,f\"\n1 2.5 -3\n4e2 0 6\n",
        "\"a \"\"b;\"\" c\",\"\"\"\",\"d\"\n1,2.5,-3\n4e2,0,6\n",
        "\"two\nlines, and; more\",b,\"\n\"\n1,2.5,-3\n4e2,0,6\n",
        "\"two\r\nlines\",b,c\r\n1,2.5,-3\r\n4e2,0,6\r\n",
        "a,5\" pipe,c\n1,2.5,-3\n4e2,0,6\n",
        "a, \"b;c\" ,c\n1,2.5,-3\n4e2,0,6\n",
        "\"1\";\"2.5\";\"-3\"\n4e2;0;6\n",
        "x,y,z\n# a \"comment\n1,2.5,-3\n\"4e2\",0,6\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        check_table(ctx, files_write_text("quoted.csv", texts[i]), table);
    /* The line of a refusal is the first of its row, and counts those inside of quotes. */
    static const char *const bad[][2] = {
        {"\"a\n\n\nb\",c\n1,2\n3,x\n", "bad.csv:6:2: found 'x'"},
        {"a,b\n1,\"2\n3\"\n4,5\n", "bad.csv:2:2: found '2?3'"},
        {"a,b\n1,2\n1,\"2\n\n3\",4\n", "bad.csv:3: found 3 fields, expected 2"},
        {"a,b\n1,2\n\"1\n2,3\n", "bad.csv:3: found 1 fields, expected 2"},
        {"\"a,b\n1,2\n", "bad.csv:2:1: found '1,2'"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        refuse(ctx, "bad.csv", bad[i][0], bad[i][1]);
}

/* Rows with quotes and ends of lines inside them are cut for the threads between rows alone. */
static void test_tall_quoted_tables(void **state)
{
    orthant_context *ctx = *state;
    enum { rows = 90000 };
    const char *path = files_path("tall_quoted.csv");
    const orthant_read_options options = {.size = sizeof options, .truth = "c"};
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("x,c,y\n", file);
    for (int i = 0; i < rows; i++)
        fprintf(file, "%d,\"class\n%s%s\n,%d\",%d\n", i, i % 3 ? "\"\"" : "a,b,c,d,e,f",
                i % 7 ? "" : "1,2,3\n\n4,5,6\n", i % 2, 2 * i);
    fclose(file);
    for (int threads = 1; threads <= 2; threads++) {
        orthant_matrix *matrix = NULL;
        orthant_labels *truth = NULL;
        expect_ok(ctx, orthant_context_set_threads(ctx, threads));
        expect_ok(ctx, orthant_matrix_read(ctx, path, &options, &matrix, &truth));
        assert_int_equal(orthant_matrix_rows(matrix), rows);
        assert_int_equal(orthant_matrix_columns(matrix), 2);
        assert_int_equal(orthant_labels_classes(truth), 8);
        for (int64_t i = 0; i < rows; i++)
            assert_true(orthant_matrix_get(matrix, i, 0) == (double)i &&
                        orthant_matrix_get(matrix, i, 1) == (double)(2 * i));
        orthant_matrix_free(matrix);
        orthant_labels_free(truth);
    }
}

/* An open quote in front of many that are doubled takes a time that goes with the file alone. */
static void test_open_quotes(void **state)
{
    orthant_context *ctx = *state;
    const size_t lines = 1000000;
    char *text = malloc(3 * lines + 8);
    memcpy(text, "a\n\"\n", 4);
    for (size_t i = 0; i < lines; i++)
        memcpy(text + 4 + 3 * i, "\"\"\n", 3);
    text[4 + 3 * lines] = '\0';
    refuse(ctx, "open.csv", text, "open.csv:2:1: found '\"'");
    free(text);
}

#define TALL 60000
#define WIDE 8

static double entry_of(int64_t row, int64_t column)
{
    return (double)((row * 37 + column * 11) % 1000) / 8;
}

/* Some megabytes, so that readers cut it, with comments and empty lines; a word or a field too many
 * in place of one row's last number. */
static const char *write_tall(const char *name, int64_t odd_row, const char *odd_end)
{
    const char *path = files_path(name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("a,b,c,d,e,f,g,h\n", file);
    for (int64_t i = 0; i < TALL; i++) {
        if (i % 1000 == 0)
            fputs("# a thousand\n\n", file);
        for (int64_t j = 0; j < WIDE; j++)
            if (i == odd_row && j == WIDE - 1)
                fprintf(file, ",%s", odd_end);
            else
                fprintf(file, "%s%.6f", j ? "," : "", entry_of(i, j));
        fputs(i % 2 ? "\r\n" : "\n", file);
    }
    fclose(file);
    return path;
}

static void test_tall_tables(void **state)
{
    orthant_context *ctx = *state;
    const char *path = write_tall("tall.csv", -1, "");
    for (int threads = 1; threads <= 3; threads++) {
        orthant_matrix *matrix = NULL;
        expect_ok(ctx, orthant_context_set_threads(ctx, threads));
        expect_ok(ctx, orthant_matrix_read(ctx, path, NULL, &matrix, NULL));
        assert_int_equal(orthant_matrix_rows(matrix), TALL);
        assert_int_equal(orthant_matrix_columns(matrix), WIDE);
        for (int64_t e = 0; e < TALL * WIDE; e++)
            assert_true(orthant_matrix_get(matrix, e / WIDE, e % WIDE) ==
                        entry_of(e / WIDE, e % WIDE));
        orthant_matrix_free(matrix);
    }
}

/* The line's number counts everything above it: the header, comments and empty lines too. */
static void test_tall_tables_are_refused_at_their_place(void **state)
{
    orthant_context *ctx = *state;
    static const struct {
        const char *end, *words;
    } odd[] = {{"word", ": found 'word', expected a finite number"},
               {"1,2", ": found 9 fields, expected 8"},
               {"1e39", "a number that single precision can hold"}};
    orthant_context_set_precision(ctx, ORTHANT_SINGLE);
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        char place[32];
        orthant_matrix *matrix = NULL;
        const char *path = write_tall("odd.csv", 51234, odd[i].end);
        assert_int_equal(orthant_matrix_read(ctx, path, NULL, &matrix, NULL), ORTHANT_ERROR_FORMAT);
        snprintf(place, sizeof place, "odd.csv:%d:", 1 + 51235 + 2 * 52);
        if (!strstr(orthant_message(ctx), place) || !strstr(orthant_message(ctx), odd[i].words))
            fail_msg("'%s' does not say '%s' and '%s'", orthant_message(ctx), place, odd[i].words);
        assert_null(matrix);
    }
}

static void test_one_number_and_one_column(void **state)
{
    orthant_context *ctx = *state;
    orthant_matrix *matrix = NULL;
    expect_ok(ctx, orthant_matrix_read(ctx, files_write_text("one.csv", "7"), NULL, &matrix, NULL));
    assert_true(orthant_matrix_get(matrix, 0, 0) == 7);
    orthant_matrix_free(matrix);
    expect_ok(ctx, orthant_matrix_read(ctx, files_write_text("column.csv", "x\n1\n2\n"), NULL,
                                       &matrix, NULL));
    assert_int_equal(orthant_matrix_rows(matrix), 2);
    assert_int_equal(orthant_matrix_columns(matrix), 1);
    orthant_matrix_free(matrix);
}

static void test_bad_tables(void **state)
{
    orthant_context *ctx = *state;
    static const char *const cases[][2] = {
        {"1,2\n3,1e400\n", "bad.csv:2:2: found '1e400', expected a finite number"},
        {"1e400,2\n3,4\n", "bad.csv:1:1: found '1e400'"},
        {"1,nan\n3,4\n", "bad.csv:1:2: found 'nan'"},
        {"nan,nan\n3,4\n", "bad.csv:1:1: found 'nan'"},
        {"1,2\n3,inf\n", "bad.csv:2:2: found 'inf'"},
        {"1,2\n,4\n", "bad.csv:2:1: found ''"},
        {"1,2,\n3,4,\n", "bad.csv:1:3: found ''"},
        {"a,b\n1,2\n3\n", "bad.csv:3: found 1 fields, expected 2 as in the first line"},
        {"1,2\n\n# note\n3,4,5\n", "bad.csv:4: found 3 fields, expected 2"},
        {"1,2\n3,x\n", "bad.csv:2:2: found 'x'"},
        {"id,1,2\n3,4,5\n", "bad.csv:1:1: found 'id'"},
        {"1,0x10\n", "bad.csv:1:2: found '0x10'"},
        {"1;2,5\n", "bad.csv:1:2: found '2,5'"},
        {"a,b\n", "a header and nothing below it"},
        {"# nothing\n\n", "empty"},
        {"\n", "empty"},
        {"\xff\xfe"
         "1\n",
         "UTF-16"},
        {"1,\"2\n", "found '\"2'"},
        {"1,\a\x80\n", "found '?\?'"},
        {"1,xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\n",
         "found 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        refuse(ctx, "bad.csv", cases[i][0], cases[i][1]);
    refuse(ctx, "none.csv", "", "the file is empty");
    orthant_context_set_precision(ctx, ORTHANT_SINGLE);
    refuse(ctx, "single.csv", "1\n1e39\n",
           "single.csv:2:1: found '1e39', expected a number that single precision can hold");
}

/* One long line and many short ones promise a matrix far larger than the file. */
static void test_ragged_lines_allocate_nothing(void **state)
{
    orthant_context *ctx = *state;
    const size_t half = 100000;
    char *text = malloc(4 * half + 1);
    for (size_t i = 0; i < half; i++)
        memcpy(text + 2 * i, i + 1 < half ? "1," : "1\n", 2);
    for (size_t i = half; i < 2 * half; i++)
        memcpy(text + 2 * i, "1\n", 2);
    text[4 * half] = '\0';
    refuse(ctx, "ragged.csv", text, "ragged.csv:2: found 1 fields, expected 100000");
    assert_true(orthant_context_peak_memory(ctx) < 8 * half);
    free(text);
}

static void test_matrix_market(void **state)
{
    orthant_context *ctx = *state;
    orthant_matrix *matrix = NULL;
    static const struct {
        const char *text;
        bool sparse;
        double values[4];
    } cases[] = {
        {"%%MatrixMarket matrix coordinate real general\n% note\n2 2 3\n1 1 1.5\n2 1 -2\n1 1 1\n",
         true,
         {2.5, 0, -2, 0}},
        {"%%matrixmarket MATRIX Coordinate Integer General\r\n2 2 1\r\n1 2 7\r\n",
         true,
         {0, 7, 0, 0}},
        {"%%MatrixMarket matrix coordinate pattern symmetric\n\n2 2 2\n2 1\n\n2 2",
         true,
         {0, 1, 1, 1}},
        {"%%MatrixMarket matrix coordinate real symmetric\n2 2 1\n2 1 3\n", true, {0, 3, 3, 0}},
        {"%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n4\n", false, {1, 3, 2, 4}},
        {"%%MatrixMarket matrix array integer symmetric\n2 2\n1 2\n3\n", false, {1, 2, 2, 3}},
        {"%%MatrixMarket matrix coordinate real general\n2 2 0\n", true, {0, 0, 0, 0}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double values[4];
        expect_ok(ctx, orthant_matrix_read(ctx, files_write_text("good.mtx", cases[i].text), NULL,
                                           &matrix, NULL));
        assert_int_equal(orthant_matrix_is_sparse(matrix), cases[i].sparse);
        orthant_matrix_copy_values(matrix, values);
        assert_memory_equal(values, cases[i].values, sizeof values);
        orthant_matrix_free(matrix);
    }
}

/* Of a symmetric array the file has the lower triangle alone, and what it can hold is measured by
 * that. */
static void test_symmetric_arrays(void **state)
{
    orthant_context *ctx = *state;
    enum { side = 20 };
    orthant_matrix *matrix = NULL;
    char text[1024] = "%%MatrixMarket matrix array real symmetric\n20 20\n";
    size_t length = strlen(text);
    for (int j = 0; j < side; j++)
        for (int i = j; i < side; i++)
            length += (size_t)snprintf(text + length, 3, "%d\n", (3 * i + j) % 10);
    const char *path = files_write_text("symmetric.mtx", text);
    expect_ok(ctx, orthant_matrix_read(ctx, path, NULL, &matrix, NULL));
    assert_int_equal(orthant_matrix_rows(matrix), side);
    for (int i = 0; i < side; i++)
        for (int j = 0; j < side; j++) {
            const int low = i < j ? i : j, high = i < j ? j : i;
            assert_true(orthant_matrix_get(matrix, i, j) == (3 * high + low) % 10);
        }
    orthant_matrix_free(matrix);
    /* One entry less and one more. */
    text[length - 2] = '\0';
    refuse(ctx, "less.mtx", text, "less.mtx: ends at entry (20, 20), expected 20 x 20 entries");
    snprintf(text + length - 2, 8, "1\n2\n");
    refuse(ctx, "more.mtx", text, "more.mtx:213: more entries than the 20 x 20 promised");
    /* Of 21 x 21 the file could hold 240 and promises 231, of 22 x 22 it promises 253. */
    text[length] = '\0';
    memcpy(strchr(text, '\n') + 1, "21 21", 5);
    refuse(ctx, "few.mtx", text, "few.mtx: ends at entry (16, 16), expected 21 x 21 entries");
    memcpy(strchr(text, '\n') + 1, "22 22", 5);
    refuse(ctx, "large.mtx", text,
           "large.mtx:2: 22 x 22 with 484 entries promised, but the file has 469 bytes");
}

#define COORDINATE "%%MatrixMarket matrix coordinate real general\n"

static void test_bad_matrix_market(void **state)
{
    orthant_context *ctx = *state;
    static const char *const cases[][2] = {
        {COORDINATE "2 2 1\n3 1 1\n",
         "bad.mtx:3: found an entry at (3, 1), expected 1 to 2 and 1 to 2"},
        {COORDINATE "2 2 1\n1 0 1\n", "bad.mtx:3: found an entry at (1, 0)"},
        {COORDINATE "2 2 2\n1 1 1\n", "found 1 entries, expected 2"},
        {COORDINATE "2 2 1\n1 1 1\n1 2 1\n", "bad.mtx:4: more entries than the 1 promised"},
        {COORDINATE "2 2 1\n1 1\n",
         "bad.mtx:3: found '1 1', expected a row, a column and a finite number"},
        {COORDINATE "2 2 1\n1 1 nan\n", "bad.mtx:3: found '1 1 nan'"},
        {COORDINATE "2 2 1\n1 1 1e400\n", "bad.mtx:3"},
        {COORDINATE "2 2 1\n1.5 1 1\n", "bad.mtx:3: found '1.5 1 1'"},
        {COORDINATE "2 2\n", "bad.mtx:2: found '2 2', expected rows, columns and entries"},
        {COORDINATE "-2 2 1\n", "bad.mtx:2"},
        {COORDINATE "% only a note\n", "ends before the line of sizes"},
        {COORDINATE "2 2 1000000000\n1 1 1\n", "1000000000 entries promised, but the file has"},
        {COORDINATE "1000000000000 2 1\n1 1 1\n", "1000000000000 x 2 with 1 entries promised"},
        {"%%MatrixMarket matrix array real general\n100000 100000\n1\n", "100000 x 100000 with"},
        {"%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n", "ends at entry (2, 2)"},
        {"%%MatrixMarket matrix array real general\n1 2\n1\n2\n3\n", "bad.mtx:5: more entries"},
        {"%%MatrixMarket matrix array real general\n4000000000 4000000000\n1\n", "sizes that fit"},
        {"%%MatrixMarket matrix array pattern general\n1 1\n1\n", "bad.mtx:1: found 'pattern'"},
        {"%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 1 1\n",
         "found 'complex', expected 'real', 'integer' or 'pattern'"},
        {"%%MatrixMarket matrix coordinate real hermitian\n1 1 1\n1 1 1\n", "found 'hermitian'"},
        {"%%MatrixMarket matrix coordinate real symmetric\n2 3 1\n1 1 1\n",
         "as many rows as columns"},
        {"%%MatrixMarket matrix diagonal real general\n2 3 1\n1 1 1\n",
         "found 'diagonal', expected 'coordinate' or 'array'"},
        {"%%MatrixMarket vector\n2 3 1\n1 1 1\n", "bad.mtx:1"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        refuse(ctx, "bad.mtx", cases[i][0], cases[i][1]);
    assert_true(orthant_context_peak_memory(ctx) < 1 << 20);
    orthant_matrix *matrix = NULL;
    expect_failure(ctx, ORTHANT_ERROR_DATA, "0 samples",
                   orthant_matrix_read(ctx, files_write_text("empty.mtx", COORDINATE "0 3 0\n"),
                                       NULL, &matrix, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        fixture_test(test_good_tables),
        fixture_test(test_quoted),
        fixture_test(test_tall_quoted_tables),
        fixture_test(test_open_quotes),
        fixture_test(test_tall_tables),
        fixture_test(test_tall_tables_are_refused_at_their_place),
        fixture_test(test_one_number_and_one_column),
        fixture_test(test_bad_tables),
        fixture_test(test_ragged_lines_allocate_nothing),
        fixture_test(test_matrix_market),
        fixture_test(test_symmetric_arrays),
        fixture_test(test_bad_matrix_market),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
