/* Whole reproductions without data sets: what is run, said and left, and nothing stays in memory.
 */
#include "fixture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/file.h"
#include "core/memory.h"
#include "core/text.h"
#include "report/text_file.h"
#include "reproduce/items.h"
#include "reproduce/protocol.h"

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
        const char *paper, *name, *tables, *said;
        int sheets;
    } cases[] = {
        {"tnmf", "I", "I", "tnmf, table I: ORL\n", 3},
        {"tnmf", "IV", "IV", "", 3}, /* averages, seconds, stops */
        {"tnmf", "III and IV", "III,IV", "tnmf, table III: Yale\n", 5},
        {"tnmf", "II and III", "II,III", "tnmf, table II: Caltech101-40\ntnmf, table III: Yale\n",
         5},
        {"nlcf", "VIII", "VIII",
         "nlcf, table V: ORL\nnlcf, table VI: MNIST\nnlcf, table VII: Yale\n", 8},
        {"rmnd", "4", "4", "rmnd, table 4: USPS\nrmnd, table 4-Xs: USPS-Xs\n", 5},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sheet_list shown = {.ctx = ctx};
        expect_ok(ctx, run(ctx, cases[i].paper, cases[i].name, cases[i].tables, &shown));
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
                                 .tables = "II,III,IV",
                                 .claims = "sparse",
                                 .quick = true,
                                 .seed = 1};
    reproduce_failures failures = {0};
    sheet_list shown = {.ctx = ctx};
    said[0] = '\0';
    orthant_context_set_log(ctx, listen, NULL);
    expect_ok(ctx, nlcf->run(ctx, &request, &shown, &failures));
    assert_string_equal(said, "nlcf, table V: ORL\nnlcf, figure 4\n");
    assert_int_equal(shown.count, 5); /* averages, products, costs, sizes, claims */
    assert_string_equal(shown.table[1]->name, "table-II-products");
    assert_string_equal(shown.table[2]->name, "table-III-costs");
    assert_string_equal(shown.table[3]->cell[7].text, "data not here");
    assert_string_equal(shown.table[4]->cell[3].text, "data not here");
    const sheet *products = shown.table[1];
    double additions = 0;
    for (int r = 0; r + 1 < products->rows; r++)
        additions += products->cell[r * products->columns + 1].value;
    assert_true(fabs(additions -
                     products->cell[(products->rows - 1) * products->columns + 1].value) < 1e-9);
    sheet_list_free(&shown);
    item_facts facts;
    for (const protocol_item *item = nlcf->items; item->kind; item++) {
        expect_ok(ctx, item_look(ctx, nlcf, item, data, output, &facts));
        const bool figure_4 = !strcmp(item->kind, "figure") && !strcmp(item->number, "4");
        const bool counts =
            !strcmp(item->kind, "table") && item->rows && text_in_list("II,III,IV", item->rows);
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

static item_state state_of(orthant_context *ctx, const char *output, const char *figure,
                           bool *quick)
{
    const reproducible *nlcf = reproducible_find("nlcf");
    item_facts facts;
    for (const protocol_item *item = nlcf->items; item->kind; item++)
        if (!strcmp(item->kind, "figure") && !strcmp(item->number, figure)) {
            expect_ok(ctx, item_look(ctx, nlcf, item, NULL, output, &facts));
            *quick = facts.quick;
            return facts.state;
        }
    fail_msg("no figure %s", figure);
    return ITEM_NOTHING;
}

/* `text` up to `found` and `put` in its place. */
static void change_file(orthant_context *ctx, const char *path, const char *found, const char *put)
{
    char *text = NULL;
    size_t length;
    expect_ok(ctx, text_file_read(ctx, path, 1 << 20, &text, &length));
    char *at = strstr(text, found);
    assert_non_null(at);
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    fprintf(out, "%.*s%s%s", (int)(at - text), text, put, at + strlen(found));
    fclose(out);
    memory_free(ctx, text);
}

/* An item is done where all runs of the protocol are there, and by nothing else. */
static void states_are_true(void **state)
{
    orthant_context *ctx = *state;
    static char data[300], output[300], file[400];
    bool quick;
    snprintf(data, sizeof data, "%s", files_path("nothing at all"));
    snprintf(output, sizeof output, "%s", files_path("states"));
    mkdir(data, 0777);
    const reproducible *nlcf = reproducible_find("nlcf");
    const reproduce_request request = {.data = data, .output = output, .figures = "4", .seed = 5};
    sheet_list shown = {.ctx = ctx};
    assert_int_equal(state_of(ctx, output, "4", &quick), ITEM_NOT_RUN);
    expect_ok(ctx, nlcf->run(ctx, &request, &shown, &(reproduce_failures){0}));
    sheet_list_free(&shown);
    assert_int_equal(state_of(ctx, output, "4", &quick), ITEM_DONE);
    assert_false(quick);
    snprintf(file, sizeof file, "%s/figure-4/results.csv", output);
    change_file(ctx, file, "\ntoy,nlcf", "toy,nlcf");
    assert_int_equal(state_of(ctx, output, "4", &quick), ITEM_PART);
    snprintf(file, sizeof file, "%s/figure-4/study.json", output);
    change_file(ctx, file, "variant nlcf scale none", "variant nlcf scale unit");
    assert_int_equal(state_of(ctx, output, "4", &quick), ITEM_OTHER);
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

/* A study that states its iterations makes all of them: nothing else ends it, and it ends with the
 * factors of the last one. */
static void expect_whole(const char *paper, const char *id, const protocol_study *study)
{
    bool stated = false, whole = false;
    for (int i = 0; i < PROTOCOL_SETTINGS && study->settings[i].name; i++) {
        stated = stated || !strcmp(study->settings[i].name, "iterations");
        whole = whole || (!strcmp(study->settings[i].name, "tolerance") &&
                          !strcmp(study->settings[i].value, "0"));
    }
    if (stated && !whole)
        fail_msg("%s, %s: iterations without tolerance 0", paper, id);
}

static void stated_iterations_are_made(void **state)
{
    (void)state;
    for (int p = 0; reproducible_at(p); p++) {
        const protocol *known = reproducible_at(p)->protocol;
        for (int i = 0; known && i < known->figure_count; i++)
            expect_whole(known->paper, known->figures[i].number, &known->figures[i].study);
        for (int i = 0; known && i < known->claim_count; i++)
            expect_whole(known->paper, known->claims[i].id, &known->claims[i].study);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        fixture_test(tables_that_are_shown_by_others),
        fixture_test(a_figure_is_run),
        fixture_test(items_are_selected),
        fixture_test(states_are_true),
        fixture_test(refusals),
        fixture_test(stated_iterations_are_made),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
