/* The table of several runs, grouped by their data, and their bases. */
#include "report/runs_page.h"

#include <math.h>
#include <string.h>

#include "core/file.h"
#include "core/memory.h"
#include "report/convergence.h"
#include "report/html.h"
#include "report/pictures.h"
#include "report/settings.h"
#include "report/text_file.h"

static void write_summary(FILE *page, const run_list *list, const char *opening)
{
    const run_record *best = &list->record[0];
    fprintf(page, "%s%d run%s on ", opening, list->count, list->count == 1 ? "" : "s");
    settings_data_words(page, best);
    if (!isnan(record_score(best, "accuracy"))) {
        fputs(list->count == 1 ? ": its accuracy is " : ": the best accuracy, ", page);
        html_number(page, 100 * record_score(best, "accuracy"), 1);
        fputs("&nbsp;%", page);
        if (list->count > 1) {
            fputs(", is that of <strong>", page);
            html_text(page, best->name);
            fputs("</strong>", page);
        }
    }
    fputs(".</p>\n", page);
}

static bool names_are_methods(const run_list *list)
{
    for (int i = 0; i < list->count; i++)
        if (strcmp(list->record[i].name, record_text(&list->record[i], "method")) != 0)
            return false;
    return true;
}

static bool any_has(const run_list *list, const char *score)
{
    for (int i = 0; i < list->count; i++)
        if (!isnan(record_score(&list->record[i], score)))
            return true;
    return false;
}

/* Some methods are told a part of the truth: a share, or a file; "" for the others. */
static const char *labelled_text(const run_record *record, char number[32])
{
    const double share = record_number(record, "labelled");
    if (isnan(share))
        return record_text(record, "labelled");
    number_to_text(share, number);
    return number;
}

static bool any_is_labelled(const run_list *list)
{
    char number[32];
    for (int i = 0; i < list->count; i++)
        if (*labelled_text(&list->record[i], number))
            return true;
    return false;
}

/* What the table is called, and what it says of itself. */
static sheet *new_table(orthant_context *ctx, const run_list *list)
{
    const int group = list->count ? list->record[0].group : 0;
    const char *order = any_has(list, "accuracy") ? ", the best accuracy first." : ".";
    const char *labelled =
        any_is_labelled(list)
            ? " Methods that know some labels are not to be compared with those that know none."
            : "";
    char name[32] = "runs", caption[600];
    snprintf(caption, sizeof caption, "All runs%s%s", order, labelled);
    if (group == RUN_NO_GROUP) {
        snprintf(name, sizeof name, "segmentations");
        snprintf(caption, sizeof caption, "Segmentations.");
    } else if (!list->whole) {
        snprintf(name, sizeof name, group ? "runs-%d" : "runs", group + 1);
        snprintf(caption, sizeof caption, "Runs on %.300s%s%s",
                 path_name(record_data_text(&list->record[0], "path")), order, labelled);
    }
    return sheet_new(ctx, name, caption);
}

sheet *runs_page_table(orthant_context *ctx, const run_list *list)
{
    static const char *const keys[] = {"accuracy", "nmi", "sparseness"};
    const bool methods = !names_are_methods(list), labelled = any_is_labelled(list);
    sheet *table = new_table(ctx, list);
    sheet_add_column(table, "run", -1);
    if (methods)
        sheet_add_column(table, "method", -1);
    if (labelled)
        sheet_add_column(table, "known labels", -1);
    sheet_add_column(table, "accuracy %", 1);
    sheet_add_column(table, "NMI %", 1);
    sheet_add_column(table, "sparseness %", 1);
    sheet_add_counts(table, "iterations");
    sheet_add_column(table, "seconds", 2);
    for (int i = 0; i < list->count; i++) {
        const run_record *record = &list->record[i];
        char number[32];
        sheet_add_row(table, false);
        sheet_add_text(table, record->name);
        if (methods)
            sheet_add_text(table, record_text(record, "method"));
        if (labelled)
            sheet_add_text(table,
                           *labelled_text(record, number) ? labelled_text(record, number) : "none");
        for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
            sheet_add_number(table, 100 * record_score(record, keys[k]));
        sheet_add_number(table, record_number(record, "iterations"));
        sheet_add_number(table, record_number(record, "seconds"));
    }
    for (int c = 0; c < 3; c++)
        sheet_mark_column(table, 1 + methods + labelled + c, false);
    return table;
}

static orthant_status write_basis(chart_place *place, const run_record *record, bool headed,
                                  bool *any)
{
    bool shown = false;
    orthant_matrix *basis = NULL;
    orthant_status status = ORTHANT_OK;
    if (record_picture(record).height)
        status = record_matrix(place->ctx, record, "basis", &basis);
    if (!status)
        status = pictures_basis(place->ctx, place->page, record, basis, record->name,
                                *any     ? ""
                                : headed ? "<h2>Basis pictures</h2>\n<div class=\"parts\">\n"
                                         : "<div class=\"parts\">\n",
                                &shown);
    *any = *any || shown;
    orthant_matrix_free(basis);
    return status;
}

/* The page of each run, where it has one. */
static orthant_status write_links(chart_place *place, const run_list *list)
{
    FILE *page = place->page;
    bool any = false;
    for (int i = 0; i < list->count; i++) {
        const char *folder = list->record[i].folder;
        char *path = path_join(place->ctx, folder, "report.html");
        if (!path)
            return ORTHANT_ERROR_MEMORY;
        if (file_exists(path)) {
            fputs(any ? ", " : "<p>Whole reports: ", page);
            fputs("<a href=\"", page);
            html_address(page, path_name(folder));
            fputs("/report.html\">", page);
            html_text(page, list->record[i].name);
            fputs("</a>", page);
            any = true;
        }
        memory_free(place->ctx, path);
    }
    fputs(any ? ".</p>\n" : "", page);
    return ORTHANT_OK;
}

static orthant_status write_group(chart_place *place, const run_list *list)
{
    bool any = false;
    char drawn[32] = "convergence";
    const int group = list->record[0].group;
    const char *data = path_name(record_data_text(&list->record[0], "path"));
    const char *truth = record_text(&list->record[0], "truth");
    sheet *table = runs_page_table(place->ctx, list);
    orthant_status status = sheet_status(table);
    if (!list->whole) {
        fputs("<h2>Runs on ", place->page);
        html_text(place->page, data);
        fputs(*truth ? ", truth " : "", place->page);
        html_text(place->page, path_name(truth));
        fputs("</h2>\n", place->page);
        write_summary(place->page, list, "<p>");
    }
    if (!status) {
        fputs(list->whole ? "<h2>Results</h2>\n" : "", place->page);
        sheet_write(table, SHEET_HTML, place->page);
        status = write_links(place, list);
    }
    sheet_free(table);
    if (group)
        snprintf(drawn, sizeof drawn, "convergence-%d", group + 1);
    if (!status) {
        fputs(list->whole ? "<h2>Convergence</h2>\n" : "", place->page);
        status = convergence_of_runs(place, list, drawn);
    }
    for (int i = 0; i < list->count && !status; i++)
        status = write_basis(place, &list->record[i], list->whole, &any);
    if (any)
        fputs("</div>\n<p class=\"soft\">Each part is scaled to its own largest entry.</p>\n",
              place->page);
    return status;
}

orthant_status runs_page_write(chart_place *place, const run_list *list)
{
    orthant_status status = ORTHANT_OK;
    if (list->groups > 1)
        fprintf(place->page,
                "<p class=\"lead\">%d runs in %d groups: runs are ranked against those on the same "
                "data "
                "and the same truth alone.</p>\n",
                list->count, list->groups);
    else
        write_summary(place->page, list, "<p class=\"lead\">");
    html_contents(place->page);
    for (int group = 0; group < list->groups && !status; group++) {
        const run_list runs = run_list_group(list, group);
        status = write_group(place, &runs);
    }
    return status;
}
