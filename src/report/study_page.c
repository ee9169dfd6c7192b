/* Summary, tables, significance, kept runs and settings of a study. */
#include "report/study_page.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "core/file.h"
#include "core/memory.h"
#include "report/chart.h"
#include "report/confusion.h"
#include "report/convergence.h"
#include "report/html.h"
#include "report/run.h"
#include "report/pictures.h"
#include "report/rank_diagram.h"
#include "report/settings.h"
#include "report/study_book.h"
#include "report/study_charts.h"
#include "report/study_differences.h"
#include "report/study_settings.h"
#include "report/study_tables.h"
#include "report/text_file.h"

/* ---- the summary ------------------------------------------------------------------------------
 */

static void write_strong(FILE *page, const char *name)
{
    fputs("<strong>", page);
    html_text(page, name);
    fputs("</strong>", page);
}

/* The methods that the best is significantly ahead of: those `difference` of mean ranks behind. */
static void write_beaten(FILE *page, const study_book *book)
{
    const study_ranking *r = &book->ranking;
    const char *const *name = book->summary.method;
    int64_t first = 1;
    while (first < r->methods &&
           r->mean_rank[first] - r->mean_rank[0] < r->test.critical_difference)
        first++;
    if (first == r->methods) {
        fprintf(page, ", but no two methods are a critical difference of %.2f apart",
                r->test.critical_difference);
        return;
    }
    fputs("; by mean rank ", page);
    html_text(page, name[r->method[0]]);
    fputs(" is significantly ahead of ", page);
    for (int64_t i = first; i < r->methods; i++) {
        html_text(page, name[r->method[i]]);
        fputs(i + 2 < r->methods ? ", " : i + 1 < r->methods ? " and " : "", page);
    }
}

static void write_probability(FILE *page, double p)
{
    if (p < 0.0001)
        fputs("p &lt; 0.0001", page);
    else
        fprintf(page, "p = %.2g", p);
}

static void write_significance(FILE *page, const study_book *book)
{
    const study_ranking *r = &book->ranking;
    if (!book->ranked) {
        fputs(" There are too few methods or rows for Friedman&#39;s test.", page);
        return;
    }
    fprintf(page, " Over %" PRId64 " rows, Friedman&#39;s test ", r->rows);
    if (r->test.chi2_p < r->alpha) {
        fputs("finds that the methods differ (", page);
        write_probability(page, r->test.chi2_p);
        fputs(")", page);
        write_beaten(page, book);
    } else {
        fputs("finds no difference between the methods (", page);
        write_probability(page, r->test.chi2_p);
        fputs(")", page);
    }
    fputs(".", page);
}

static void write_leader(FILE *page, const study_book *book, const int64_t *order)
{
    const char *const *name = book->summary.method;
    const double best = study_average(book, -1, order[0], MEASURE_ACCURACY);
    write_strong(page, name[order[0]]);
    fprintf(page, " has the highest accuracy on average, %.1f&nbsp;%%", 100 * best);
    if (book->shown > 1) {
        const double second = study_average(book, -1, order[1], MEASURE_ACCURACY);
        if (100 * (best - second) < 0.05)
            fputs(", within 0.05 points of ", page);
        else
            fprintf(page, ", %.1f points above ", 100 * (best - second));
        html_text(page, name[order[1]]);
    }
    fputs(".", page);
    write_significance(page, book);
}

orthant_status study_page_summary(FILE *page, const study_book *book, const char *opening)
{
    const study_summary *s = &book->summary;
    int64_t *order = memory_new(book->ctx, book->shown, sizeof *order, "an order of methods");
    if (!order)
        return ORTHANT_ERROR_MEMORY;
    study_order(book, order);
    if (study_has(book, MEASURE_ACCURACY)) {
        fputs(opening, page);
        write_leader(page, book, order);
        fputs("</p>\n", page);
    }
    fputs(study_has(book, MEASURE_ACCURACY) ? "<p class=\"soft\">" : opening, page);
    html_count(page, (double)book->results.count);
    fprintf(page, " runs: %" PRId64 " methods", book->shown);
    if (s->methods > book->shown)
        fprintf(page, " and %" PRId64 " variants", s->methods - book->shown);
    fputs(" on ", page);
    for (int64_t d = 0; d < s->datasets; d++) {
        html_text(page, s->dataset[d]);
        fputs(d + 1 < s->datasets ? ", " : "", page);
    }
    fprintf(page, "; N from %" PRId64 " to %" PRId64 " classes.</p>\n", s->classes[0],
            s->classes[s->class_counts - 1]);
    memory_free(book->ctx, order);
    return ORTHANT_OK;
}

/* ---- sections ---------------------------------------------------------------------------------
 */

static orthant_status write_table(FILE *page, sheet *table)
{
    const orthant_status status = sheet_status(table);
    if (!status)
        sheet_write(table, SHEET_HTML, page);
    sheet_free(table);
    return status;
}

static orthant_status write_dataset(chart_place *place, const study_book *book, int64_t dataset)
{
    static const study_measure measures[] = {MEASURE_ACCURACY, MEASURE_NMI};
    orthant_status status = ORTHANT_OK;
    fputs("<h2>", place->page);
    html_text(place->page, book->summary.dataset[dataset]);
    fputs("</h2>\n", place->page);
    for (int k = 0; k < 2 && !status; k++)
        if (study_has(book, measures[k]))
            status = write_table(place->page, study_table_scores(book, dataset, measures[k]));
    fputs("<div class=\"charts\">\n", place->page);
    for (int k = 0; k < 2 && !status; k++)
        if (study_has(book, measures[k]))
            status = study_chart_classes(place, book, dataset, measures[k]);
    fputs("</div>\n", place->page);
    return status;
}

static orthant_status write_ranks(chart_place *place, const study_book *book)
{
    const study_ranking *r = &book->ranking;
    char caption[400];
    if (!book->ranked)
        return ORTHANT_OK;
    const char **name = memory_new(book->ctx, r->methods, sizeof *name, "names of methods");
    if (!name)
        return ORTHANT_ERROR_MEMORY;
    for (int64_t i = 0; i < r->methods; i++)
        name[i] = book->summary.method[r->method[i]];
    char statistic[100] = "; all rows rank the methods alike";
    if (isfinite(r->test.f))
        snprintf(statistic, sizeof statistic, ", F = %.2f (p = %.2g)", r->test.f, r->test.f_p);
    snprintf(caption, sizeof caption,
             "Mean ranks by accuracy over %" PRId64
             " rows, the best on the left. Bars join methods "
             "that Nemenyi's test does not tell apart at %g. Friedman: chi-squared = %.2f (p = "
             "%.2g)%s.",
             r->rows, r->alpha, r->test.chi2, r->test.chi2_p, statistic);
    fputs("<h2>Ranks</h2>\n", place->page);
    const orthant_status status = rank_diagram_draw(place, name, r->mean_rank, (int)r->methods,
                                                    r->test.critical_difference, caption);
    if (r->left_out)
        fprintf(place->page,
                "<p class=\"soft\">%" PRId64 " rows lack a method and are left out.</p>\n",
                r->left_out);
    fputs("<p class=\"soft\">A row is a data set with a number of classes, by its mean accuracy. ",
          place->page);
    fputs(book->summary.datasets > 1
              ? "Rows of one data set share samples: they are not independent, as the tests take "
                "them to be, and a small p is to be read with care.</p>\n"
              : "All rows are of one data set and share its samples: they are not independent, as "
                "the tests take them to be. The ranks tell how the methods compare on these data; "
                "p tells little about others.</p>\n",
          place->page);
    memory_free(book->ctx, name);
    return status;
}

static orthant_status write_time(chart_place *place, const study_book *book)
{
    orthant_status status = ORTHANT_OK;
    fputs("<h2>Methods, time and iterations</h2>\n", place->page);
    status = write_table(place->page, study_table_methods(book));
    fputs("<div class=\"charts\">\n", place->page);
    for (int64_t d = 0; d < book->summary.datasets && !status; d++)
        status = study_chart_classes(place, book, d, MEASURE_SECONDS);
    fputs("</div>\n", place->page);
    return status;
}

static orthant_status write_settings(chart_place *place, const study_book *book)
{
    bool any = false;
    const char *heading = book->gains.count ? "<div class=\"charts\">\n"
                                            : "<h2>Settings</h2>\n<div class=\"charts\">\n";
    orthant_status status = ORTHANT_OK;
    if (book->gains.count) {
        fputs("<h2>What settings helped</h2>\n", place->page);
        status = write_table(place->page, study_table_gains(book));
    }
    if (!status)
        status = study_chart_sweeps(place, book, heading, &any);
    fputs(any ? "</div>\n" : "", place->page);
    return status;
}

/* ---- kept runs --------------------------------------------------------------------------------
 */

/* The largest number of classes that the dataset was drawn with. */
static int64_t most_classes(const study_book *book, int64_t dataset)
{
    const study_summary *s = &book->summary;
    for (int64_t c = s->class_counts - 1; c >= 0; c--)
        for (int64_t m = 0; m < s->methods; m++)
            if (summary_cell(s, dataset, m, c))
                return s->classes[c];
    return 0;
}

static orthant_status write_confusion(chart_place *place, const run_record *record,
                                      const char *dataset)
{
    char variant[200], name[CHART_NAME];
    orthant_labels *found = NULL, *truth = NULL;
    snprintf(variant, sizeof variant, "%.90s-%.90s", dataset, record->name);
    chart_file_name(name, "confusion", variant);
    orthant_status status = record_labels(place->ctx, record, "labels.csv", &found);
    if (!status)
        status = record_labels(place->ctx, record, "truth.csv", &truth);
    if (!status && found && truth)
        status = confusion_show(place, name, "", found, truth);
    orthant_labels_free(found);
    orthant_labels_free(truth);
    return status;
}

static orthant_status write_kept_run(chart_place *place, const run_record *record,
                                     const char *dataset)
{
    bool shown;
    orthant_matrix *basis = NULL;
    fputs("<details><summary>", place->page);
    html_text(place->page, record->name);
    if (!isnan(record_score(record, "accuracy")))
        fprintf(place->page, " <span class=\"pm\">accuracy %.1f&nbsp;%%</span>",
                100 * record_score(record, "accuracy"));
    fputs("</summary>\n", place->page);
    orthant_status status = ORTHANT_OK;
    if (record_picture(record).height)
        status = record_matrix(place->ctx, record, "basis", &basis);
    if (!status)
        status = pictures_basis(place->ctx, place->page, record, basis, record->name, "", &shown);
    if (!status)
        status = write_confusion(place, record, dataset);
    fputs("<details><summary>Settings in force</summary>\n", place->page);
    settings_write(place->ctx, place->page, record);
    fputs("</details>\n</details>\n", place->page);
    orthant_matrix_free(basis);
    return status;
}

static orthant_status write_kept(chart_place *place, const study_book *book, int64_t dataset)
{
    run_list list;
    char name[CHART_NAME];
    const char *data = book->summary.dataset[dataset];
    const int64_t classes = most_classes(book, dataset);
    orthant_status status = study_runs(book, dataset, classes, &list);
    if (status)
        return status;
    if (list.count) {
        fputs("<h2>Runs on ", place->page);
        html_text(place->page, data);
        fprintf(place->page,
                "</h2>\n<p class=\"soft\">The first draw of %" PRId64
                " classes, the same for every method.</p>\n",
                classes);
        chart_file_name(name, "convergence", data);
        status = convergence_of_runs(place, &list, name);
        for (int i = 0; i < list.count && !status; i++)
            status = write_kept_run(place, &list.record[i], data);
    }
    run_list_free(&list);
    return status;
}

/* ---- the end ----------------------------------------------------------------------------------
 */

/* The files that were read, each with its checksum. */
static orthant_status write_data(FILE *page, const study_book *book)
{
    const json_value *sets = json_member(book->json, "datasets");
    if (!sets || !sets->child)
        return ORTHANT_OK;
    sheet *table = sheet_new(book->ctx, "data", "The data, and the checksums of their files.");
    sheet_add_column(table, "data", -1);
    sheet_add_counts(table, "samples");
    sheet_add_counts(table, "features");
    sheet_add_counts(table, "classes");
    sheet_add_column(table, "file", -1);
    sheet_add_column(table, "checksum", -1);
    for (const json_value *set = sets->child; set; set = set->next) {
        sheet_add_row(table, false);
        sheet_add_text(table, json_member_text(set, "name", ""));
        sheet_add_number(table, json_member_number(set, "samples"));
        sheet_add_number(table, json_member_number(set, "features"));
        sheet_add_number(table, json_member_number(set, "classes"));
        sheet_add_text(table, json_member_text(set, "path", ""));
        sheet_add_text(table,
                       json_member_text(set, DATA_CHECKSUM, json_member_text(set, "sha256", "")));
    }
    return write_table(page, table);
}

static void write_seeds(FILE *page, const study_book *book)
{
    int64_t lowest = INT64_MAX, highest = INT64_MIN;
    for (int64_t i = 0; i < book->results.count; i++) {
        const int64_t seed = book->results.row[i].seed;
        lowest = seed < lowest ? seed : lowest;
        highest = seed > highest ? seed : highest;
    }
    fprintf(page,
            "<tr><th>seeds of runs</th><td>%" PRId64 " to %" PRId64
            ", each in <a href=\"results.csv\">results.csv</a></td></tr>\n",
            lowest, highest);
}

static orthant_status write_origin(FILE *page, const study_book *book)
{
    static const char *const keys[] = {"seed",    "repeats",     "runs", "precision",
                                       "version", "cpu_kernels", "blas"};
    const char *command = json_member_text(book->json, "command", "");
    fputs("<h2>How it was made</h2>\n", page);
    if (*command) {
        fputs("<pre>", page);
        html_text(page, command);
        fputs("</pre>\n", page);
    }
    fputs("<p class=\"soft\">Every run: <a href=\"results.csv\">results.csv</a>; means and "
          "deviations: <a href=\"summary.csv\">summary.csv</a>.</p>\n",
          page);
    const orthant_status status = write_data(page, book);
    fputs("<table class=\"settings\">\n", page);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (json_member(book->json, keys[i]))
            html_row(page, keys[i], json_member(book->json, keys[i]));
    write_seeds(page, book);
    fputs("</table>\n", page);
    study_settings_write(page, book);
    return status;
}

/* ---- the page ---------------------------------------------------------------------------------
 */

static orthant_status write_body(chart_place *place, const study_book *book)
{
    const study_summary *s = &book->summary;
    orthant_status status = study_page_summary(place->page, book, "<p class=\"lead\">");
    html_contents(place->page);
    for (int64_t d = 0; d < s->datasets && !status; d++)
        status = write_dataset(place, book, d);
    if (!status)
        status = write_ranks(place, book);
    if (!status && study_has(book, MEASURE_ACCURACY))
        status = study_differences_show(place, book);
    if (!status)
        status = write_settings(place, book);
    if (!status)
        status = write_time(place, book);
    for (int64_t d = 0; d < s->datasets && !status; d++)
        status = write_kept(place, book, d);
    return status ? status : write_origin(place->page, book);
}

static orthant_status write_summary_file(const study_book *book)
{
    char *path = path_join(book->ctx, book->folder, "summary.csv");
    const orthant_status status =
        path ? summary_write(book->ctx, &book->summary, path) : ORTHANT_ERROR_MEMORY;
    memory_free(book->ctx, path);
    return status;
}

static orthant_status write_page(orthant_context *ctx, const study_book *book, const char *title)
{
    file_writer writer;
    char *path = path_join(ctx, book->folder, "report.html");
    orthant_status status = path ? file_write_begin(ctx, path, &writer) : ORTHANT_ERROR_MEMORY;
    if (!status) {
        chart_place place;
        writer.remade = true;
        status = chart_place_begin(&place, ctx, writer.file, book->folder);
        if (!status) {
            html_page_begin(place.page, title);
            status = write_body(&place, book);
            html_page_end(place.page);
        }
        status = file_write_end(&writer, chart_place_end(&place, status));
    }
    memory_free(ctx, path);
    return status;
}

orthant_status study_page_write(orthant_context *ctx, const char *folder)
{
    study_book book;
    char title[400];
    orthant_status status = study_book_read(ctx, folder, &book);
    if (status)
        return status;
    const study_summary *s = &book.summary;
    if (s->datasets > 1)
        snprintf(title, sizeof title, "%" PRId64 " methods on %" PRId64 " data sets", book.shown,
                 s->datasets);
    else
        snprintf(title, sizeof title, "%" PRId64 " methods on %.300s", book.shown, s->dataset[0]);
    status = write_summary_file(&book);
    if (!status)
        status = write_page(ctx, &book, title);
    study_book_free(&book);
    return status;
}
