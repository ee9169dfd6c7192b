/* A table in its four forms: what is bold, escaped, compared, and at the foot. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/sheet.h"

#include "fixture.h"

static sheet *compared(orthant_context *ctx)
{
    sheet *table = sheet_new(ctx, "accuracy", "Accuracy & more (%).");
    sheet_add_column(table, "data", -1);
    sheet_add_column(table, "nmf_a", 1);
    sheet_add_column(table, "nlcf", 1);
    const int mark = sheet_add_note(table, "Printed as 41.0, a misprint.");
    sheet_add_row(table, false);
    sheet_add_text(table, "ORL <1>|2");
    sheet_add_mean(table, 62.25, 3.5);
    sheet_add_compared(table, 66, NAN, 61, mark);
    sheet_add_row(table, false);
    sheet_add_text(table, "Yale");
    sheet_add_mean(table, 40.0, 2.0);
    sheet_add_compared(table, 38, NAN, 43, 0);
    sheet_add_row(table, true);
    sheet_add_text(table, "average");
    sheet_add_number(table, 51.125);
    sheet_add_number(table, NAN);
    sheet_mark_best(table, false, false);
    return table;
}

static const char *shown(const sheet *table, sheet_format format)
{
    static char text[8192];
    FILE *file = tmpfile();
    assert_non_null(file);
    sheet_write(table, format, file);
    rewind(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    return text;
}

static void expect_piece(const char *text, const char *piece)
{
    if (!strstr(text, piece))
        fail_msg("not found: %s\nin: %s", piece, text);
}

static void test_markdown(void **state)
{
    sheet *table = compared(*state);
    expect_ok(*state, sheet_status(table));
    assert_string_equal(shown(table, SHEET_MARKDOWN),
                        "Accuracy & more (%).\n\n"
                        "| data | nmf\\_a | nlcf |\n"
                        "|---|---:|---:|\n"
                        "| ORL \\<1\\>\\|2 | 62.2 ± 3.5 | **66.0** (61.0 [a]) |\n"
                        "| Yale | **40.0 ± 2.0** | 38.0 (43.0) |\n"
                        "| average | **51.1** | - |\n"
                        "\n[a] Printed as 41.0, a misprint.\n");
    sheet_free(table);
}

static void test_latex(void **state)
{
    sheet *table = compared(*state);
    const char *text = shown(table, SHEET_LATEX);
    expect_piece(text, "\\caption{Accuracy \\& more (\\%).}\n\\label{tab:accuracy}\n");
    expect_piece(text, "\\begin{tabular}{lrr}\n\\toprule\ndata & nmf\\_a & nlcf \\\\\n\\midrule\n");
    expect_piece(text, "ORL \\textless{}1\\textgreater{}|2 & 62.2\\,$\\pm$\\,3.5 & "
                       "\\textbf{66.0} (61.0\\textsuperscript{a}) \\\\\n");
    expect_piece(text, "\\midrule\naverage & \\textbf{51.1} & -- \\\\\n\\bottomrule\n");
    sheet_free(table);
}

static void test_csv_keeps_all_digits(void **state)
{
    sheet *table = compared(*state);
    assert_string_equal(shown(table, SHEET_CSV), "# Accuracy & more (%).\n"
                                                 "data,nmf_a,nmf_a sd,nlcf,nlcf paper\n"
                                                 "ORL <1>|2,62.25,3.5,66,61\n"
                                                 "Yale,40,2,38,43\n"
                                                 "average,51.125,,,\n"
                                                 "# Printed as 41.0, a misprint.\n");
    table->spread = "se";
    expect_piece(shown(table, SHEET_CSV), "\ndata,nmf_a,nmf_a se,nlcf,nlcf paper\n");
    sheet_free(table);
}

static void test_html(void **state)
{
    sheet *table = compared(*state);
    const char *text = shown(table, SHEET_HTML);
    expect_piece(text, "<th scope=\"row\" class=\"t\">ORL &lt;1&gt;|2</th>");
    /* Five points above the paper: half of the full colour. */
    expect_piece(text, "<td class=\"n best up\" style=\"--d:0.50\" data-v=\"66\">66.0"
                       "<span class=\"paper\">61.0<sup>a</sup></span></td>");
    expect_piece(text, "<td class=\"n down\" style=\"--d:0.50\" data-v=\"38\">38.0"
                       "<span class=\"paper\">43.0</span></td>");
    expect_piece(text, "</tbody>\n<tfoot>\n<tr><th scope=\"row\" class=\"t\">average</th>");
    expect_piece(text, "<sup>a</sup> Printed as 41.0, a misprint.</p>");
    sheet_free(table);
}

static void test_best_by_column_where_less_is_better(void **state)
{
    sheet *table = sheet_new(*state, "seconds", "Seconds.");
    static const double seconds[] = {3, 1, 2, NAN};
    sheet_add_column(table, "method", -1);
    sheet_add_column(table, "seconds", 0);
    for (int i = 0; i < 4; i++) {
        sheet_add_row(table, false);
        sheet_add_text(table, "m");
        sheet_add_number(table, seconds[i]);
    }
    sheet_mark_best(table, true, true);
    for (int i = 0; i < 4; i++)
        assert_int_equal(table->cell[2 * i + 1].best, i == 1);
    sheet_free(table);
}

static void test_rows_must_be_full(void **state)
{
    orthant_context *ctx = *state;
    sheet *table = sheet_new(ctx, "t", "T.");
    sheet_add_column(table, "a", 0);
    sheet_add_column(table, "b", 0);
    sheet_add_row(table, false);
    sheet_add_number(table, 1);
    assert_int_equal(sheet_status(table), ORTHANT_ERROR_ARGUMENT);
    sheet_add_number(table, 2);
    expect_ok(ctx, sheet_status(table));
    sheet_add_number(table, 3);
    assert_int_equal(sheet_status(table), ORTHANT_ERROR_ARGUMENT);
    sheet_free(table);
}

static void test_lists_and_notes(void **state)
{
    orthant_context *ctx = *state;
    sheet_list list = {.ctx = ctx};
    sheet *table = compared(ctx);
    assert_int_equal(sheet_add_note(table, "Another."), 2);
    assert_int_equal(sheet_add_note(table, "Printed as 41.0, a misprint."), 1);
    expect_ok(ctx, sheet_list_add(&list, table));
    expect_ok(ctx, sheet_list_add(&list, compared(ctx)));
    assert_int_equal(list.count, 2);
    assert_int_equal(sheet_list_add(&list, NULL), ORTHANT_ERROR_MEMORY);
    sheet_list_free(&list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        fixture_test(test_markdown),
        fixture_test(test_latex),
        fixture_test(test_csv_keeps_all_digits),
        fixture_test(test_html),
        fixture_test(test_best_by_column_where_less_is_better),
        fixture_test(test_rows_must_be_full),
        fixture_test(test_lists_and_notes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
