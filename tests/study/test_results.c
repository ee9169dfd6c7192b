/* results.csv: written and read back to the last bit, garbage refused by place; the summary and
 * Friedman's test from such a file. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "fixture.h"
#include "golden.h"
#include "study/results.h"
#include "study/summary.h"

static const char good[] = "orl,nmf,5,0,17,0.5,0.25,0.125,1,,2.5,100,0.75\n";

static const char *write_rows(const char *rows)
{
    static char text[4096];
    snprintf(text, sizeof text, "%s\n%s", RESULTS_HEADER, rows);
    return files_write_text("results.csv", text);
}

static void test_round_trip(void **state)
{
    orthant_context *ctx = *state;
    study_results made, read;
    const study_row rows[] = {
        {"a,b \"c\"",
         "tnmf pooling_weight=0.1",
         5,
         0,
         17,
         {1.0 / 3, 0.1, -0.2, 1, NAN, 1e-300, 7, 2}},
        {"orl",
         "nmf",
         5,
         1,
         9007199254740992,
         {0, 0, 0, 0, 0, 123456789.123456789, 100, 0.1 + 0.2}},
    };
    results_begin(ctx, &made);
    for (int i = 0; i < 2; i++)
        expect_ok(ctx, results_add(&made, &rows[i]));
    const char *path = files_path("round.csv");
    expect_ok(ctx, results_write(ctx, &made, path));
    expect_ok(ctx, results_read(ctx, path, false, &read));
    assert_int_equal(read.count, 2);
    for (int i = 0; i < 2; i++) {
        assert_string_equal(read.row[i].dataset, rows[i].dataset);
        assert_string_equal(read.row[i].method, rows[i].method);
        assert_int_equal(read.row[i].classes, rows[i].classes);
        assert_int_equal(read.row[i].repeat, rows[i].repeat);
        assert_int_equal(read.row[i].seed, rows[i].seed);
        for (int m = 0; m < MEASURE_COUNT; m++)
            assert_true(read.row[i].value[m] == rows[i].value[m] ||
                        (isnan(read.row[i].value[m]) && isnan(rows[i].value[m])));
    }
    results_free(&read);
    results_free(&made);
}

/* Names that a spreadsheet would run get an apostrophe in the file, and are the same when read. */
static void test_formulas(void **state)
{
    orthant_context *ctx = *state;
    study_results made, read;
    char text[1024];
    size_t size;
    const study_row rows[] = {{"=cmd|'/c calc'!A1", "+nmf,\"x\"", 2, 0, 1, {0}},
                              {"'@data", "-1", 2, 0, 1, {0}}};
    results_begin(ctx, &made);
    for (int i = 0; i < 2; i++)
        expect_ok(ctx, results_add(&made, &rows[i]));
    const char *path = files_path("formulas.csv");
    expect_ok(ctx, results_write(ctx, &made, path));
    unsigned char *bytes = files_read(path, &size);
    snprintf(text, sizeof text, "%.*s", (int)size, bytes);
    free(bytes);
    assert_non_null(strstr(text, "\n'=cmd|'/c calc'!A1,\"'+nmf,\"\"x\"\"\",2,0,1,"));
    assert_non_null(strstr(text, "\n''@data,-1,2,0,1,"));
    expect_ok(ctx, results_read(ctx, path, false, &read));
    for (int i = 0; i < 2; i++) {
        assert_string_equal(read.row[i].dataset, rows[i].dataset);
        assert_string_equal(read.row[i].method, rows[i].method);
    }
    results_free(&read);
    results_free(&made);
}

static void test_garbage(void **state)
{
    static const struct {
        const char *rows, *words;
    } cases[] = {
        {"orl,nmf,5,0\n", "results.csv:2: found 4 fields, expected 13"},
        {"orl,nmf,5,0,17,0.5,0.25,0.125,1,,2.5,100,0.75,8\n", ":2: found 14 fields"},
        {"orl,nmf,five,0,17,0.5,0.25,0.125,1,,2.5,100,0.75\n",
         ":2:3: found 'five', expected a whole number"},
        {"orl,nmf,0,0,17,0.5,0.25,0.125,1,,2.5,100,0.75\n", ":2:3: found '0'"},
        {"orl,nmf,5,-1,17,0.5,0.25,0.125,1,,2.5,100,0.75\n", ":2:4: found '-1'"},
        {"orl,nmf,5,0,-17,0.5,0.25,0.125,1,,2.5,100,0.75\n", ":2:5: found '-17'"},
        {"orl,nmf,5,0,17,half,0.25,0.125,1,,2.5,100,0.75\n", ":2:6: found 'half'"},
        {"orl,nmf,5,0,17,nan,0.25,0.125,1,,2.5,100,0.75\n", ":2:6: found 'nan'"},
        {"orl,nmf,5,0,17,1e999,0.25,0.125,1,,2.5,100,0.75\n", ":2:6: found '1e999'"},
        {"orl,nmf,5,0,17,0.5,0.25,0.125,1,,2.5,1.5,0.75\n", ":2:12: found '1.5'"},
        {",nmf,5,0,17,0.5,0.25,0.125,1,,2.5,100,0.75\n", ":2:1: found '', expected a name"},
        {"\"orl,nmf,5,0,17,0.5,0.25,0.125,1,,2.5,100,0.75\n", ":2:1: a quote is not closed"},
        {"\"orl\"x,nmf,5,0,17,0.5,0.25,0.125,1,,2.5,100,0.75\n", ":2:1: a quote"},
        {"orl,nmf,5,0,17,0.5,0.25,0.125,1,,2.5,100,0.75\n"
         "orl,nmf,5,0,18,0.5,0.25,0.125,1,,2.5,100,0.75\n",
         "two rows for dataset 'orl', method 'nmf', classes 5, repeat 0"},
    };
    orthant_context *ctx = *state;
    study_results results;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        expect_failure(ctx, ORTHANT_ERROR_FORMAT, cases[i].words,
                       results_read(ctx, write_rows(cases[i].rows), false, &results));
        assert_null(results.row);
    }
    expect_failure(ctx, ORTHANT_ERROR_FORMAT, "expected the header",
                   results_read(ctx, files_write_text("x.csv", "a,b\n1,2\n"), false, &results));
    expect_failure(ctx, ORTHANT_ERROR_FORMAT, "expected the header",
                   results_read(ctx, files_write_text("x.csv", ""), false, &results));
    expect_failure(ctx, ORTHANT_ERROR_IO, "nowhere.csv",
                   results_read(ctx, files_path("nowhere.csv"), false, &results));
}

static void test_another_header(void **state)
{
    orthant_context *ctx = *state;
    study_results results;
    expect_failure(ctx, ORTHANT_ERROR_FORMAT,
                   "other.csv:1: found 'a,b', expected the header '" RESULTS_HEADER "'",
                   results_read(ctx, files_write_text("other.csv", "a,b\n1,2\n"), false, &results));
    expect_failure(ctx, ORTHANT_ERROR_FORMAT,
                   "empty.csv:1: found '', expected the header 'dataset,",
                   results_read(ctx, files_write_text("empty.csv", "\n"), false, &results));
}

/* Every byte at which a kill could have cut the file: the whole lines count, the rest does not. */
static void test_cut(void **state)
{
    orthant_context *ctx = *state;
    char text[1024];
    const int header = snprintf(text, sizeof text, "%s\n", RESULTS_HEADER);
    const int first = header + snprintf(text + header, sizeof text - (size_t)header, "%s", good);
    const int second = first + snprintf(text + first, sizeof text - (size_t)first,
                                        "orl,nmf,5,1,18,0.5,0.25,0.125,1,,2.5,100,0.75\n");
    for (int length = header; length <= second; length++) {
        study_results results;
        const char *path = files_write("cut.csv", text, (size_t)length);
        expect_ok(ctx, results_read(ctx, path, true, &results));
        assert_int_equal(results.count, (length >= first) + (length == second));
        results_free(&results);
    }
    study_results results;
    expect_failure(
        ctx, ORTHANT_ERROR_FORMAT, "expected 13",
        results_read(ctx, files_write("cut.csv", text, (size_t)first + 9), false, &results));
}

static void test_summary(void **state)
{
    orthant_context *ctx = *state;
    study_results results;
    study_summary summary;
    expect_ok(ctx, results_read(ctx,
                                write_rows("orl,nmf,10,0,1,0.5,,0,0,,2,100,1\n"
                                           "orl,gnmf,5,0,2,0.25,,0,0,,2,50,1\n"
                                           "orl,nmf,10,1,3,0.75,,0,0,0.5,2,300,1\n"
                                           "orl,nmf,10,2,4,1,,0,0,,2,200,1\n"),
                                false, &results));
    expect_ok(ctx, summary_make(ctx, &results, &summary));
    assert_int_equal(summary.datasets, 1);
    assert_int_equal(summary.methods, 2);
    assert_string_equal(summary.method[0], "nmf");
    assert_int_equal(summary.classes[0], 5);
    assert_int_equal(summary.classes[1], 10);
    assert_null(summary_cell(&summary, 0, 0, 0));
    const study_cell *cell = summary_cell(&summary, 0, 0, 1);
    assert_int_equal(cell->runs, 3);
    assert_true(cell->mean[MEASURE_ACCURACY] == 0.75 && cell->deviation[MEASURE_ACCURACY] == 0.25);
    assert_true(cell->mean[MEASURE_ITERATIONS] == 200 &&
                cell->deviation[MEASURE_ITERATIONS] == 100);
    assert_true(isnan(cell->mean[MEASURE_NMI]) && cell->count[MEASURE_NMI] == 0);
    assert_true(cell->mean[MEASURE_SPARSENESS] == 0.5 &&
                isnan(cell->deviation[MEASURE_SPARSENESS]));
    const char *path = files_path("summary.csv");
    expect_ok(ctx, summary_write(ctx, &summary, path));
    size_t size;
    unsigned char *bytes = files_read(path, &size);
    assert_non_null(strstr((char *)bytes, "dataset,method,classes,runs,accuracy_mean,accuracy_sd,"
                                          "accuracy_count,nmi_mean"));
    assert_non_null(strstr((char *)bytes, "\norl,nmf,10,3,0.75,0.25,3,,,0,"));
    free(bytes);
    summary_free(&summary);
    results_free(&results);
}

/* The golden table, each score as the mean of two runs around it. */
static void test_golden_friedman(void **state)
{
    orthant_context *ctx = *state;
    study_results results;
    study_summary summary;
    study_ranking ranking;
    int64_t rows, methods, one, count;
    double *scores = golden_read("friedman", "scores.csv", &rows, &methods);
    double *ranks = golden_read("friedman", "out_mean_rank.csv", &one, &count);
    double *values = golden_read("friedman", "out_chi2_p_F_pF.csv", &one, &count);
    static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i"};
    results_begin(ctx, &results);
    for (int64_t i = 0; i < rows * methods * 2; i++) {
        study_row row = {"d", names[i / 2 % methods], 2 + i / 2 / methods, i % 2, 1, {0}};
        row.value[MEASURE_ACCURACY] = scores[i / 2] + (i % 2 ? 0.25 : -0.25);
        expect_ok(ctx, results_add(&results, &row));
    }
    /* A variant takes no part beside plain methods; a row that lacks a method is left out. */
    study_row variant = {"d", "a init=nndsvd", 2, 0, 1, {99}}, lone = {"d", "b", 99, 0, 1, {1}};
    expect_ok(ctx, results_add(&results, &variant));
    expect_ok(ctx, results_add(&results, &lone));
    expect_ok(ctx, summary_make(ctx, &results, &summary));
    expect_ok(ctx, ranking_make(&summary, MEASURE_ACCURACY, 0.05, &ranking));
    assert_int_equal(ranking.methods, methods);
    assert_int_equal(ranking.rows, rows);
    assert_int_equal(ranking.left_out, 1);
    assert_string_equal(summary.method[ranking.method[0]], "i");
    for (int64_t i = 0; i < methods; i++)
        assert_true(fabs(ranking.mean_rank[i] - ranks[ranking.method[i]]) < 1e-12);
    assert_true(fabs(ranking.test.chi2 / values[0] - 1) < 1e-9);
    assert_true(fabs(ranking.test.f_p / values[3] - 1) < 1e-6);
    assert_true(fabs(ranking.test.critical_difference - 4.25) < 0.01);
    ranking_free(ctx, &ranking);
    summary_free(&summary);
    results_free(&results);
    free(scores);
    free(ranks);
    free(values);
}

/* What the test cannot be done with is said. */
static void test_too_few(void **state)
{
    orthant_context *ctx = *state;
    study_results results;
    study_summary summary;
    study_ranking ranking;
    results_begin(ctx, &results);
    expect_failure(ctx, ORTHANT_ERROR_DATA, "without a finished run",
                   summary_make(ctx, &results, &summary));
    expect_ok(ctx, results_read(ctx, write_rows(good), false, &results));
    expect_ok(ctx, summary_make(ctx, &results, &summary));
    expect_failure(ctx, ORTHANT_ERROR_ARGUMENT, "at least two methods, found 1",
                   ranking_make(&summary, MEASURE_ACCURACY, 0.05, &ranking));
    summary_free(&summary);
    study_row other = results.row[0];
    other.method = "gnmf";
    expect_ok(ctx, results_add(&results, &other));
    expect_ok(ctx, summary_make(ctx, &results, &summary));
    expect_failure(ctx, ORTHANT_ERROR_ARGUMENT, "at least two rows",
                   ranking_make(&summary, MEASURE_ACCURACY, 0.05, &ranking));
    summary_free(&summary);
    results_free(&results);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        fixture_test(test_round_trip),      fixture_test(test_formulas), fixture_test(test_garbage),
        fixture_test(test_another_header),  fixture_test(test_cut),      fixture_test(test_summary),
        fixture_test(test_golden_friedman), fixture_test(test_too_few),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
