/* Scores, ranks and gains of a study as sheets. */
#include "report/study_tables.h"

#include <math.h>
#include <string.h>

#include "report/study_charts.h"
#include "report/study_differences.h"
#include "report/study_screen.h"
#include "report/tables.h"
#include "report/text_output.h"
#include "study/study.h"

/* "in percent" on the page, and as they are stored in the file. */
static double percent(double value)
{
    return 100 * value;
}

/* ---- scores -----------------------------------------------------------------------------------
 */

static bool row_is_there(const study_book *book, int64_t dataset, int64_t classes)
{
    for (int64_t i = 0; i < book->shown; i++)
        if (summary_cell(&book->summary, dataset, book->shown_method[i], classes))
            return true;
    return false;
}

static void add_cell(sheet *table, const study_book *book, int64_t dataset, int64_t method,
                     int64_t classes, study_measure measure)
{
    const study_cell *cell = summary_cell(&book->summary, dataset, method, classes);
    if (cell)
        sheet_add_mean(table, percent(cell->mean[measure]), percent(cell->deviation[measure]));
    else
        sheet_add_number(table, NAN);
}

sheet *study_table_scores(const study_book *book, int64_t dataset, study_measure measure)
{
    char name[CHART_NAME], caption[320];
    const study_summary *s = &book->summary;
    const char *title = measure == MEASURE_ACCURACY ? "Accuracy" : "NMI";
    int rows = 0;
    chart_file_name(name, measure_name(measure), s->dataset[dataset]);
    snprintf(caption, sizeof caption,
             "%s on %.200s, in percent: mean and standard deviation for N classes.", title,
             s->dataset[dataset]);
    sheet *table = sheet_new(book->ctx, name, caption);
    sheet_add_column(table, "N", 0);
    for (int64_t i = 0; i < book->shown; i++)
        sheet_add_column(table, s->method[book->shown_method[i]], 1);
    for (int64_t c = 0; c < s->class_counts; c++) {
        if (!row_is_there(book, dataset, c))
            continue;
        rows++;
        sheet_add_row(table, false);
        sheet_add_number(table, (double)s->classes[c]);
        for (int64_t i = 0; i < book->shown; i++)
            add_cell(table, book, dataset, book->shown_method[i], c, measure);
    }
    if (rows > 1) {
        sheet_add_row(table, true);
        sheet_add_text(table, "average");
        for (int64_t i = 0; i < book->shown; i++)
            sheet_add_number(table,
                             percent(study_average(book, dataset, book->shown_method[i], measure)));
    }
    sheet_mark_best(table, false, false);
    return table;
}

/* ---- methods ----------------------------------------------------------------------------------
 */

static double mean_rank(const study_book *book, int64_t method)
{
    for (int64_t i = 0; book->ranked && i < book->ranking.methods; i++)
        if (book->ranking.method[i] == method)
            return book->ranking.mean_rank[i];
    return NAN;
}

sheet *study_table_methods(const study_book *book)
{
    static const study_measure scores[] = {MEASURE_ACCURACY, MEASURE_NMI, MEASURE_ARI,
                                           MEASURE_PURITY, MEASURE_SPARSENESS};
    static const char *const titles[] = {"accuracy %", "NMI %", "ARI %", "purity %",
                                         "sparseness %"};
    const study_summary *s = &book->summary;
    sheet *table =
        sheet_new(book->ctx, "methods",
                  s->datasets > 1 ? "All methods: averages over data sets and numbers of classes."
                                  : "All methods: averages over numbers of classes.");
    sheet_add_column(table, "method", -1);
    if (book->ranked)
        sheet_add_column(table, "mean rank", 2);
    for (size_t k = 0; k < sizeof scores / sizeof *scores; k++)
        sheet_add_column(table, titles[k], 1);
    sheet_add_counts(table, "iterations");
    sheet_add_column(table, "seconds", 3);
    for (int64_t m = 0; m < s->methods; m++) {
        sheet_add_row(table, false);
        sheet_add_text(table, s->method[m]);
        if (book->ranked)
            sheet_add_number(table, mean_rank(book, m));
        for (size_t k = 0; k < sizeof scores / sizeof *scores; k++)
            sheet_add_number(table, percent(study_average(book, -1, m, scores[k])));
        sheet_add_number(table, study_average(book, -1, m, MEASURE_ITERATIONS));
        sheet_add_number(table, study_average(book, -1, m, MEASURE_SECONDS));
    }
    const int first = book->ranked ? 2 : 1;
    for (int c = 0; c < 4; c++)
        sheet_mark_column(table, first + c, false);
    if (book->ranked)
        sheet_mark_column(table, 1, true);
    return table;
}

/* ---- settings ---------------------------------------------------------------------------------
 */

/* By two standard errors or more. */
static const char *verdict(const study_gain *gain)
{
    if (isnan(gain->error))
        return "a single pair";
    if (gain->error > 0 ? fabs(gain->mean) < 2 * gain->error : gain->mean == 0)
        return "no difference";
    return gain->mean > 0 ? "helps" : "harms";
}

sheet *study_table_gains(const study_book *book)
{
    if (!book->gains.count)
        return NULL;
    sheet *table = sheet_new(book->ctx, "settings",
                             "Gain of each setting in accuracy, in points: mean and standard "
                             "error over runs with the same draw and seed.");
    sheet_add_column(table, "data", -1);
    sheet_add_column(table, "method", -1);
    sheet_add_column(table, "setting", -1);
    sheet_add_column(table, "gain", 1);
    sheet_add_counts(table, "pairs");
    sheet_add_column(table, "", -1);
    if (table) {
        table->head_columns = 3;
        table->spread = "se";
    }
    for (int64_t i = 0; i < book->gains.count; i++) {
        const study_gain *gain = &book->gains.gain[i];
        sheet_add_row(table, false);
        sheet_add_text(table, gain->dataset);
        sheet_add_text(table, gain->method);
        sheet_add_text(table, gain->setting);
        sheet_add_mean(table, percent(gain->mean), percent(gain->error));
        sheet_add_number(table, (double)gain->pairs);
        sheet_add_text(table, verdict(gain));
    }
    return table;
}

orthant_status study_tables(const study_book *book, sheet_list *list)
{
    static const study_measure measures[] = {MEASURE_ACCURACY, MEASURE_NMI};
    orthant_status status = ORTHANT_OK;
    for (int64_t d = 0; d < book->summary.datasets; d++)
        for (int k = 0; k < 2 && !status; k++)
            if (study_has(book, measures[k]))
                status = sheet_list_add(list, study_table_scores(book, d, measures[k]));
    if (!status)
        status = sheet_list_add(list, study_table_methods(book));
    sheet *differences = NULL;
    if (!status && study_has(book, MEASURE_ACCURACY))
        differences = study_table_differences(book, &status);
    if (!status && differences)
        status = sheet_list_add(list, differences);
    if (!status && book->gains.count)
        status = sheet_list_add(list, study_table_gains(book));
    return status;
}

orthant_status orthant_study_tables(const orthant_study *study, const char *format, char **text)
{
    orthant_context *ctx = study ? study->ctx : NULL;
    sheet_list tables = {.ctx = ctx};
    sheet_format kind = SHEET_MARKDOWN;
    text_output output;
    study_book book;
    bool screen;
    if (text)
        *text = NULL;
    if (!study || !format || !text)
        return fail(ctx, ORTHANT_ERROR_ARGUMENT, "orthant_study_tables: an argument is NULL");
    if (!tables_format(format, &screen, &kind))
        return tables_refuse_format(ctx, format);
    orthant_status status = text_output_begin(ctx, &output);
    if (status)
        return status;
    if (screen) {
        status = study_screen(ctx, &study->results, output.file);
    } else if (!(status = study_book_of(ctx, &study->results, &book))) {
        status = study_tables(&book, &tables);
        study_book_free(&book);
    }
    if (!status && !screen)
        sheet_list_write(&tables, kind, output.file);
    sheet_list_free(&tables);
    return text_output_end(&output, status, text);
}
