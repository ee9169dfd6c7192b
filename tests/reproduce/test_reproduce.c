/* Whole reproductions without data sets: what is run, said and left, and nothing stays in memory.
 */
#include "fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/file.h"
#include "report/text_file.h"
#include "reproduce/items.h"

static char said[4000];

static void listen(void *user, orthant_log_level level, const char *message)
{
    (void)user;
    (void)level;
    snprintf(said + strlen(said), sizeof said - strlen(said), "%s\n", message);
}

/* A run of `paper` in a folder of that name; `tables` as in the request. */
static orthant_status run(orthant_context *ctx, const char *paper, const char *name,
                          const char *tables, sheet_list *shown)
{
    static char data[300], output[300];
    snprintf(data, sizeof data, "%s", files_path("nothing"));
    snprintf(output, sizeof output, "%s", files_path(name));
    mkdir(data, 0777);
    const reproduce_request request = {
        .data = data, .output = output, .tables = tables, .quick = true, .seed = 1};
    const reproducible *found = reproducible_find(paper);
    assert_non_null(found);
    reproduce_failures failures = {0};
    said[0] = '\0';
    orthant_context_set_log(ctx, listen, NULL);
    const orthant_status status = found->run(ctx, &request, shown, &failures);
    assert_int_equal(failures.failed, 0);
    return status;
}

static void tables_that_are_shown_by_others(void **state)
{
    orthant_context *ctx = *state;
    static const struct {
        const char *name, *tables, *said;
        int sheets;
    } cases[] = {
        {"I", "I", "tnmf, table I: ORL\n", 3},
        {"IV", "IV", "tnmf, table I: ORL\n", 4},
        {"III and IV", "III,IV", "tnmf, table I: ORL\ntnmf, table III: Yale\n", 6},
        {"II and III", "II,III", "tnmf, table II: Caltech101\ntnmf, table III: Yale\n", 5},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sheet_list shown = {.ctx = ctx};
        expect_ok(ctx, run(ctx, "tnmf", cases[i].name, cases[i].tables, &shown));
        assert_string_equal(said, cases[i].said);
        assert_int_equal(shown.count, cases[i].sheets);
        sheet_list_free(&shown);
    }
}

/* What is named is run, with what it needs; the list then knows it as done. */
static void items_are_selected(void **state)
{
    orthant_context *ctx = *state;
    static char data[300], output[300];
    snprintf(data, sizeof data, "%s", files_path("nothing"));
    snprintf(output, sizeof output, "%s", files_path("selected"));
    mkdir(data, 0777);
    const reproducible *nlcf = reproducible_find("nlcf");
    reproduce_request request = {.data = data,
                                 .output = output,
                                 .figures = "4",
                                 .tables = "II",
                                 .claims = "sparse",
                                 .quick = true,
                                 .seed = 1};
    reproduce_failures failures = {0};
    sheet_list shown = {.ctx = ctx};
    said[0] = '\0';
    orthant_context_set_log(ctx, listen, NULL);
    expect_ok(ctx, nlcf->run(ctx, &request, &shown, &failures));
    assert_string_equal(said, "nlcf, table V: ORL\nnlcf, figure 4\n");
    assert_int_equal(shown.count, 3); /* averages, costs, claims */
    assert_string_equal(shown.table[1]->name, "table-III-costs");
    assert_string_equal(shown.table[2]->cell[3].text, "data not here");
    sheet_list_free(&shown);
    item_facts facts;
    for (const protocol_item *item = nlcf->items; item->kind; item++) {
        expect_ok(ctx, item_look(ctx, nlcf, item, data, output, &facts));
        const bool figure_4 = !strcmp(item->kind, "figure") && !strcmp(item->number, "4");
        const bool counts =
            !strcmp(item->kind, "table") && item->rows && !strcmp(item->rows, "III");
        assert_int_equal(facts.state == ITEM_DONE, figure_4 || counts);
        assert_int_equal(facts.quick, figure_4 || counts);
    }
    request.claims = "sprase";
    expect_failure(ctx, ORTHANT_ERROR_ARGUMENT,
                   "nlcf has no claim 'sprase'; its claims are theorem-1",
                   nlcf->run(ctx, &request, &shown, &failures));
    request.claims = NULL;
    request.tables = "I";
    expect_failure(ctx, ORTHANT_ERROR_ARGUMENT, "nlcf, table I: definitions",
                   nlcf->run(ctx, &request, &shown, &failures));
}

/* The toy of NLCF's figure 4 needs no data. */
static void a_figure_is_run(void **state)
{
    orthant_context *ctx = *state;
    sheet_list shown = {.ctx = ctx};
    expect_ok(ctx, run(ctx, "nlcf", "nlcf", NULL, &shown));
    sheet_list_free(&shown);
    assert_true(file_exists(files_path("nlcf/charts/figure-4-nlcf.csv")));
    assert_true(file_exists(files_path("nlcf/figure-4/results.csv")));
    assert_false(file_exists(files_path("nlcf/figure-3/results.csv")));
}

static void refusals(void **state)
{
    orthant_context *ctx = *state;
    sheet_list shown = {.ctx = ctx};
    expect_failure(ctx, ORTHANT_ERROR_ARGUMENT,
                   "tnmf has no table 'VI'; its tables are I,II,III,IV",
                   run(ctx, "tnmf", "refused", "I,VI", &shown));
    assert_false(file_exists(files_path("refused")));
    mkdir(files_path("full"), 0777);
    fclose(fopen(files_path("full/.hidden"), "w"));
    expect_failure(ctx, ORTHANT_ERROR_ARGUMENT,
                   "full is not empty and holds no reproduction; take another folder",
                   run(ctx, "tnmf", "full", "I", &shown));
    expect_ok(ctx, run(ctx, "tnmf", "tnmf", "I", &shown));
    expect_failure(ctx, ORTHANT_ERROR_ARGUMENT,
                   "tnmf holds the reproduction of another paper; take another folder",
                   run(ctx, "rmnd", "tnmf", "2", &shown));
    files_write_text("file", "text");
    assert_int_equal(run(ctx, "rmnd", "file/below", "2", &shown), ORTHANT_ERROR_IO);
    if (!strstr(orthant_message(ctx), "/file"))
        fail_msg("%s", orthant_message(ctx));
    sheet_list_free(&shown);
    assert_null(reproducible_find("nmf"));
    assert_null(reproducible_at(-1));
    assert_null(reproducible_at(5));
    assert_string_equal(reproducible_at(0)->name, "tnmf");
    assert_string_equal(reproducible_at(4)->name, "grpnmf");
    assert_string_equal(reproducible_find("rmnd")->tables, "1,2,3,4");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        fixture_test(tables_that_are_shown_by_others),
        fixture_test(a_figure_is_run),
        fixture_test(items_are_selected),
        fixture_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
