/* The page and the tables of a study, from its rows; and the groups of a diagram of ranks. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/file.h"
#include "orthant/run.h"
#include "report/chart.h"
#include "report/rank_diagram.h"
#include "report/study_book.h"
#include "report/study_tables.h"
#include "report/tables.h"

#include "fixture.h"

static void expect_groups(const double *rank, int methods, double difference, const char *expected)
{
    rank_group group[8];
    char text[64] = "";
    const int count = rank_groups(rank, methods, difference, group);
    for (int g = 0; g < count; g++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%d-%d ", group[g].first,
                 group[g].last);
    assert_string_equal(text, expected);
}

static void test_groups_of_ranks(void **state)
{
    static const double rank[] = {1, 1.5, 2, 4, 4.5, 7};
    (void)state;
    expect_groups(rank, 6, 1.2, "0-2 3-4 ");
    /* 2 and 4 are exactly 2 apart: told apart. */
    expect_groups(rank, 6, 2, "0-2 3-4 ");
    expect_groups(rank, 6, 2.6, "0-2 1-3 2-4 4-5 ");
    expect_groups(rank, 6, 10, "0-5 ");
    expect_groups(rank, 6, 0.4, "");
    expect_groups(rank, 1, 3, "");
}

/* Three methods, two data sets, N = 2 and 3, two repeats; "a" is always ahead of "b". */
static const char *write_study(void)
{
    static char folder[256];
    char path[300];
    snprintf(folder, sizeof folder, "%s", files_path("study"));
    mkdir(folder, 0777);
    snprintf(path, sizeof path, "%s/results.csv", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("dataset,method,classes,repeat,seed,accuracy,nmi,ari,purity,sparseness,objective,"
          "iterations,seconds\n",
          file);
    for (int d = 0; d < 2; d++)
        for (int m = 0; m < 4; m++)
            for (int n = 2; n <= 3; n++)
                for (int r = 0; r < 2; r++) {
                    static const char *const names[] = {"a<b>", "b", "b weight=0.1", "b weight=10"};
                    const double accuracy = 0.9 - 0.1 * m - 0.05 * (n - 2) + 0.02 * r;
                    fprintf(file, "set %d,%s,%d,%d,%d,%.17g,%.17g,0.5,0.5,,1,100,0.25\n", d,
                            names[m], n, r, 7 + r, accuracy, accuracy / 2);
                }
    fclose(file);
    return folder;
}

static void test_tables(void **state)
{
    orthant_context *ctx = *state;
    study_book book;
    expect_ok(ctx, study_book_read(ctx, write_study(), &book));
    assert_int_equal(book.shown, 2);
    assert_true(book.ranked);
    assert_int_equal(book.ranking.rows, 4);
    sheet *table = study_table_scores(&book, 1, MEASURE_ACCURACY);
    expect_ok(ctx, sheet_status(table));
    assert_int_equal(table->columns, 3);
    assert_int_equal(table->rows, 3);
    /* N = 2: 90 and 92; the average of N = 2 and 3 is 88.5. */
    assert_true(fabs(table->cell[1].value - 91) < 1e-9);
    assert_true(fabs(table->cell[1].spread - sqrt(2)) < 1e-9);
    assert_true(table->cell[1].best && !table->cell[2].best);
    assert_true(table->summary[2]);
    assert_true(fabs(table->cell[7].value - 88.5) < 1e-9);
    sheet_free(table);
    table = study_table_methods(&book);
    expect_ok(ctx, sheet_status(table));
    assert_int_equal(table->rows, 4);
    assert_true(table->cell[1].value == 1 && table->cell[1].best);
    sheet_free(table);
    table = study_table_gains(&book);
    expect_ok(ctx, sheet_status(table));
    assert_int_equal(table->rows, 4);
    assert_string_equal(table->cell[2].text, "weight=0.1");
    assert_true(fabs(table->cell[3].value + 10) < 1e-9);
    assert_string_equal(table->cell[5].text, "harms");
    sheet_free(table);
    study_book_free(&book);
}

static void test_page(void **state)
{
    orthant_context *ctx = *state;
    static char page[1 << 18];
    const char *folder = write_study();
    char path[300];
    expect_ok(ctx, orthant_run_report(ctx, folder));
    snprintf(path, sizeof path, "%s/report.html", folder);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    page[fread(page, 1, sizeof page - 1, file)] = '\0';
    fclose(file);
    assert_non_null(strstr(page, "<h1>2 methods on 2 data sets</h1>"));
    assert_non_null(strstr(page, "<strong>a&lt;b&gt;</strong> has the highest accuracy on average, "
                                 "88.5&nbsp;%, 10.0 points above b."));
    assert_non_null(strstr(page, "7 to 8, each in"));
    assert_null(strstr(page, "<b>"));
    static const char *const charts[] = {"accuracy-set-0", "nmi-set-1", "ranks", "sweep-b-weight",
                                         "seconds-set-0"};
    for (size_t i = 0; i < sizeof charts / sizeof *charts; i++) {
        snprintf(path, sizeof path, "%s/charts/%s.csv", folder, charts[i]);
        assert_true(file_exists(path));
        snprintf(path, sizeof path, "%s/charts/%s.gp", folder, charts[i]);
        assert_true(file_exists(path));
    }
}

/* The script of a chart with `count` names in its key has `line` and `size`. */
static void expect_key(orthant_context *ctx, const char *const *names, int count, const char *size,
                       const char *line)
{
    char path[300], script[4096];
    chart_place place = {.ctx = ctx, .folder = write_study()};
    chart drawn = {.place = &place, .name = "key"};
    for (int i = 0; i < count; i++)
        chart_add_name(&drawn, names[i]);
    expect_ok(ctx, chart_begin(&drawn));
    expect_ok(ctx, file_write_end(&drawn.writer, ORTHANT_OK));
    snprintf(path, sizeof path, "%s/charts/key.gp", place.folder);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    script[fread(script, 1, sizeof script - 1, file)] = '\0';
    fclose(file);
    assert_non_null(strstr(script, size));
    assert_non_null(strstr(script, line));
}

/* Four columns of six letters are wider than what is right of the axis; a row more is higher. */
static void test_key_fits(void **state)
{
    static const char *const names[] = {"kmeans", "nmf", "gnmf", "cdnmf", "tnmf pooling_weight=1"};
    expect_key(*state, names, 2, " size 480,330 ", "\nset key maxcols 2\n");
    expect_key(*state, names, 4, " size 480,353 ", "\nset key maxcols 3\n");
    expect_key(*state, names, 5, " size 480,422 ", "\nset key maxcols 1\n");
}

static void test_tables_for_a_paper(void **state)
{
    orthant_context *ctx = *state;
    sheet_list list = {.ctx = ctx};
    expect_ok(ctx, tables_of(ctx, write_study(), &list));
    assert_int_equal(list.count, 7);
    assert_string_equal(list.table[0]->name, "accuracy-set-0");
    assert_string_equal(list.table[5]->name, "differences");
    sheet_list_free(&list);
}

static void test_damaged_study_is_refused(void **state)
{
    orthant_context *ctx = *state;
    const char *folder = write_study();
    char path[300];
    snprintf(path, sizeof path, "%s/results.csv", folder);
    FILE *file = fopen(path, "a");
    assert_non_null(file);
    fputs("set 0,a,2,0\n", file);
    fclose(file);
    assert_int_equal(orthant_run_report(ctx, folder), ORTHANT_ERROR_FORMAT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        fixture_test(test_groups_of_ranks),
        fixture_test(test_tables),
        fixture_test(test_page),
        fixture_test(test_key_fits),
        fixture_test(test_tables_for_a_paper),
        fixture_test(test_damaged_study_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
