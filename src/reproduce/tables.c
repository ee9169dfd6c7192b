/* Our figures beside the paper's, with a verdict for each. */
#include "reproduce/tables.h"

#include <math.h>
#include <string.h>

#include "core/text.h"
#include "study/papers.h"

#define MOST_METHODS 16
#define MOST_MEASURES 4
#define NAME_SIZE 40

typedef struct names {
    int count;
    char name[MOST_METHODS][NAME_SIZE];
} names;

static names split(const char *list)
{
    names found = {0};
    while (*list && found.count < MOST_METHODS) {
        const size_t length = strcspn(list, ",");
        snprintf(found.name[found.count++], NAME_SIZE, "%.*s", (int)length, list);
        list += length + (list[length] == ',');
    }
    return found;
}

/* ---- figures ---- */

typedef struct comparison {
    double ours, error; /* standard error of the average, deviation over repeats of a cell */
    double paper;
    const paper_figure *figure; /* NULL: the paper has none */
    bool by_rows; /* `paper` is the mean of its rows, not the average that it prints */
    bool fewer;   /* both are means of fewer rows than the paper's average is */
} comparison;

static bool is_percent(study_measure measure)
{
    return measure <= MEASURE_SPARSENESS;
}

/* What the paper prints in the table; `classes` as for paper_figure_find(). */
static const paper_figure *printed_figure(const protocol *paper, const protocol_table *table,
                                          const protocol_runs *runs, int64_t classes,
                                          const char *method, study_measure measure)
{
    return paper_figure_find(paper->paper, table->printed ? table->printed : table->number,
                             dataset_known_as(runs->dataset), classes, method,
                             measure_name(measure));
}

/* Whether the paper's averages of it are known. */
static bool is_printed(const protocol *paper, const protocol_table *table,
                       const protocol_runs *runs, const names *methods, study_measure measure)
{
    for (int i = 0; i < methods->count; i++)
        if (printed_figure(paper, table, runs, 0, methods->name[i], measure))
            return true;
    return false;
}

static comparison compare_cell(const protocol *paper, const protocol_table *table,
                               const protocol_runs *runs, int64_t classes, const char *method,
                               study_measure measure)
{
    const double scale = is_percent(measure) ? 100 : 1;
    const runs_cell cell = runs_measure(&runs->results, method, classes, measure);
    const paper_figure *figure = printed_figure(paper, table, runs, classes, method, measure);
    return (comparison){.ours = scale * cell.mean,
                        .error = scale * cell.deviation,
                        .paper = figure ? paper_figure_value(figure) : (double)NAN,
                        .figure = figure};
}

/* A figure of the paper that can be compared with. */
static bool is_sound(const paper_figure *figure)
{
    return figure && !paper_figure_misprinted(figure);
}

/* Means of ours and of the paper's rows over the numbers of classes that were run; with `by_rows`
 * over those alone that the paper has a sound figure of. Returns how many these are. */
static int average_rows(const protocol *paper, const protocol_table *table,
                        const protocol_runs *runs, const char *class_list, const char *method,
                        study_measure measure, bool by_rows, comparison *c)
{
    int64_t numbers[RUNS_MOST_CLASSES];
    const int count = class_numbers(class_list, numbers, RUNS_MOST_CLASSES);
    const double scale = is_percent(measure) ? 100 : 1;
    double sum = 0, variance = 0, theirs = 0;
    int rows = 0;
    for (int i = 0; i < count; i++) {
        const runs_cell cell = runs_measure(&runs->results, method, numbers[i], measure);
        const paper_figure *figure =
            printed_figure(paper, table, runs, numbers[i], method, measure);
        if (!cell.count || (by_rows && !is_sound(figure)))
            continue;
        sum += cell.mean;
        variance += cell.deviation * cell.deviation / (double)cell.count;
        theirs += figure ? paper_figure_value(figure) : (double)NAN;
        rows++;
    }
    if (rows || !by_rows)
        *c = (comparison){.ours = rows ? scale * sum / rows : (double)NAN,
                          .error = rows ? scale * sqrt(variance) / rows : (double)NAN,
                          .paper = rows ? theirs / rows : (double)NAN,
                          .by_rows = by_rows};
    return rows;
}

/* The mean of the cells of all numbers of classes, as the papers' averages are. Where the paper's
 * is a misprint, or is one over more rows than were run, the rows of the paper are averaged. */
static comparison compare_average(const protocol *paper, const protocol_table *table,
                                  const protocol_runs *runs, const char *class_list,
                                  const char *method, study_measure measure)
{
    int64_t numbers[RUNS_MOST_CLASSES];
    const int count = class_numbers(class_list, numbers, RUNS_MOST_CLASSES);
    const paper_figure *figure = printed_figure(paper, table, runs, 0, method, measure);
    comparison c, rows = {0};
    const int run = average_rows(paper, table, runs, class_list, method, measure, false, &c);
    c.paper = NAN;
    if (figure && (run == 0 || (run == count && is_sound(figure)))) {
        c.paper = paper_figure_value(figure);
        c.figure = figure;
        return c;
    }
    const int sound = average_rows(paper, table, runs, class_list, method, measure, true, &rows);
    if (!sound)
        return c;
    rows.figure = figure;
    rows.fewer = sound < count;
    return rows;
}

/* What a figure of the paper needs to be told about it; 0 where there is nothing. */
static int comparison_mark(sheet *page, const comparison *c)
{
    char text[300];
    const char *rows = c->fewer ? "here ours and the paper's are means of the rows that both have"
                                : "here the mean of the paper's rows";
    if (!c->by_rows)
        return c->figure && *c->figure->note ? sheet_add_note(page, c->figure->note) : 0;
    if (c->figure && paper_figure_misprinted(c->figure))
        snprintf(text, sizeof text, "Printed as %s, a %s; %s.", c->figure->value, c->figure->note,
                 rows);
    else
        snprintf(text, sizeof text, "Not the paper's average: %s.", rows);
    return sheet_add_note(page, text);
}

static void add_comparison(sheet *page, const comparison *c)
{
    sheet_add_compared(page, c->ours, c->error, c->paper, comparison_mark(page, c));
}

/* ---- one table ---- */

static const char *const titles[MEASURE_COUNT] = {
    [MEASURE_ACCURACY] = "accuracy (%)",       [MEASURE_NMI] = "NMI (%)",
    [MEASURE_ARI] = "adjusted Rand index (%)", [MEASURE_PURITY] = "purity (%)",
    [MEASURE_SPARSENESS] = "sparseness (%)",   [MEASURE_OBJECTIVE] = "objective",
    [MEASURE_ITERATIONS] = "iterations",       [MEASURE_SECONDS] = "seconds"};

static sheet *begin_sheet(orthant_context *ctx, const protocol_table *table, const char *dataset,
                          study_measure measure, const char *row_title, const names *methods,
                          bool missing, bool printed)
{
    char name[80], caption[200];
    snprintf(name, sizeof name, "table-%.20s-%.20s", table->number, measure_name(measure));
    snprintf(caption, sizeof caption, "Table %.20s: %s%s%s; ours with the %s%s.", table->number,
             titles[measure], *dataset ? " on " : "", dataset,
             !table->study.classes ? "standard error"
             : measure == MEASURE_SECONDS
                 ? "deviation over the repeats"
                 : "deviation over the repeats (the average with its standard error)",
             printed ? ", beside the paper's" : "");
    sheet *page = sheet_new(ctx, name, caption);
    if (page) {
        page->lower_is_better = measure == MEASURE_SECONDS;
        page->full_difference = measure == MEASURE_SECONDS ? 1 : 10;
        page->spread = table->study.classes ? "sd" : "se";
    }
    sheet_add_column(page, row_title, strcmp(row_title, "N") ? -1 : 0);
    for (int m = 0; m < methods->count; m++)
        sheet_add_column(page, methods->name[m], measure == MEASURE_SECONDS ? 2 : 1);
    if (missing)
        sheet_add_column(page, "data", -1);
    return page;
}

/* Rows are numbers of classes, and their average. */
static sheet *make_by_classes(orthant_context *ctx, const protocol *paper,
                              const protocol_table *table, const table_runs *source,
                              study_measure measure)
{
    const protocol_runs *runs = &source->runs;
    const names methods = split(table->study.methods);
    const char *list = table->study.classes;
    int64_t numbers[RUNS_MOST_CLASSES];
    const int count = class_numbers(list, numbers, RUNS_MOST_CLASSES);
    sheet *page = begin_sheet(ctx, table, runs->dataset, measure, "N", &methods, runs->missing,
                              is_printed(paper, table, runs, &methods, measure));
    for (int i = 0; i < count; i++) {
        sheet_add_row(page, false);
        sheet_add_number(page, (double)numbers[i]);
        for (int m = 0; m < methods.count; m++) {
            const comparison c =
                compare_cell(paper, table, runs, numbers[i], methods.name[m], measure);
            add_comparison(page, &c);
        }
        if (runs->missing)
            sheet_add_text(page, "missing");
    }
    if (measure == MEASURE_SECONDS)
        return page;
    sheet_add_row(page, true);
    sheet_add_text(page, "average");
    for (int m = 0; m < methods.count; m++) {
        const comparison c = compare_average(paper, table, runs, list, methods.name[m], measure);
        add_comparison(page, &c);
    }
    if (runs->missing)
        sheet_add_text(page, "missing");
    return page;
}

/* Rows are data sets: the averages of several tables' runs. */
static sheet *make_by_dataset(orthant_context *ctx, const protocol *paper, const table_runs *all,
                              const protocol_table *table, study_measure measure)
{
    const names methods = split(table->study.methods);
    bool missing = false;
    const table_runs *source;
    for (int i = 0; (source = table_source(paper, all, table, i)); i++)
        missing = missing || source->runs.missing;
    sheet *page = begin_sheet(ctx, table, "", measure, "data set", &methods, missing, true);
    for (int i = 0; (source = table_source(paper, all, table, i)); i++) {
        sheet_add_row(page, false);
        sheet_add_text(page, source->runs.dataset);
        for (int m = 0; m < methods.count; m++) {
            const comparison c =
                compare_average(paper, table, &source->runs, source->table->study.classes,
                                methods.name[m], measure);
            add_comparison(page, &c);
        }
        if (missing)
            sheet_add_text(page, source->runs.missing ? "missing" : "there");
    }
    return page;
}

const table_runs *table_source(const protocol *paper, const table_runs *all,
                               const protocol_table *table, int index)
{
    if (!table->from) {
        const table_runs *own = &all[table - paper->tables];
        return index == 0 && own->wanted ? own : NULL;
    }
    for (int i = 0; i < paper->table_count; i++)
        if (text_in_list(table->from, paper->tables[i].number) && all[i].wanted && index-- == 0)
            return &all[i];
    return NULL;
}

orthant_status tables_make(orthant_context *ctx, const protocol *paper, const table_runs *all,
                           int index, sheet_list *list)
{
    const protocol_table *table = &paper->tables[index];
    const names measures = split(table->measures);
    const table_runs *source = table_source(paper, all, table, 0);
    orthant_status status = ORTHANT_OK;
    for (int i = 0; i < measures.count && source && !status; i++) {
        study_measure measure = MEASURE_ACCURACY;
        measure_find(measures.name[i], &measure);
        sheet *page = table->study.classes ? make_by_classes(ctx, paper, table, source, measure)
                                           : make_by_dataset(ctx, paper, all, table, measure);
        if (source->runs.missing)
            sheet_add_note(page, source->runs.reason);
        status = sheet_status(page);
        const orthant_status added = sheet_list_add(list, page);
        status = status ? status : added;
    }
    return status;
}

/* ---- averages ---- */

static const char *verdict(const comparison *c)
{
    if (isnan(c->ours) || isnan(c->paper))
        return "";
    if (isnan(c->error))
        return "one run";
    const double allowed = AVERAGES_ALLOWED * c->error;
    if (c->ours < c->paper - allowed)
        return c->by_rows ? "lower, by rows" : "lower";
    if (c->ours > c->paper + allowed)
        return c->by_rows ? "higher, by rows" : "higher";
    return c->by_rows ? "agrees, by rows" : "agrees";
}

static void add_average(sheet *page, const protocol_table *table, const char *dataset,
                        const char *method, study_measure measure, const comparison *c)
{
    sheet_add_row(page, false);
    sheet_add_text(page, table->number);
    sheet_add_text(page, dataset);
    sheet_add_text(page, method);
    sheet_add_text(page, measure_name(measure));
    sheet_add_mean(page, c->ours, c->error);
    sheet_add_compared(page, c->paper, NAN, NAN, comparison_mark(page, c));
    sheet_add_number(page, c->ours - c->paper);
    sheet_add_text(page, verdict(c));
}

static void add_table_averages(sheet *page, const protocol *paper, const table_runs *all,
                               const protocol_table *table, study_measure measure)
{
    const names methods = split(table->study.methods);
    const table_runs *source;
    for (int i = 0; (source = table_source(paper, all, table, i)); i++)
        for (int m = 0; m < methods.count && !source->runs.missing; m++) {
            const char *list =
                table->study.classes ? table->study.classes : source->table->study.classes;
            const comparison c =
                compare_average(paper, table, &source->runs, list, methods.name[m], measure);
            add_average(page, table, source->runs.dataset, methods.name[m], measure, &c);
        }
}

sheet *averages_sheet(orthant_context *ctx, const char *caption)
{
    static const char *const columns[] = {"table", "data set", "method", "measure"};
    sheet *page = sheet_new(ctx, "averages", caption);
    for (int i = 0; i < 4; i++)
        sheet_add_column(page, columns[i], -1);
    sheet_add_column(page, "ours", 1);
    sheet_add_column(page, "paper", 1);
    sheet_add_column(page, "difference", 1);
    sheet_add_column(page, "verdict", -1);
    if (page) {
        page->head_columns = 4;
        page->spread = "se";
    }
    return page;
}

orthant_status tables_averages(orthant_context *ctx, const protocol *paper, const table_runs *all,
                               sheet_list *list)
{
    sheet *page =
        averages_sheet(ctx, "Averages over the numbers of classes with their standard errors, "
                            "beside the paper's; two standard errors of the difference decide, the "
                            "paper's error taken as equal to ours.");
    for (int t = 0; t < paper->table_count; t++) {
        const protocol_table *table = &paper->tables[t];
        if (table->make)
            continue;
        const names measures = split(table->measures);
        for (int i = 0; i < measures.count && strcmp(table->measures, "seconds"); i++) {
            study_measure measure = MEASURE_ACCURACY;
            measure_find(measures.name[i], &measure);
            add_table_averages(page, paper, all, table, measure);
        }
    }
    const orthant_status status = sheet_status(page);
    const orthant_status added = sheet_list_add(list, page);
    return status ? status : added;
}
