/* orthant report: the report of a run, of several runs or of a study again, and their table. */
#include <math.h>
#include <string.h>

#include "command.h"
#include "report/study_book.h"
#include "report/tables.h"

static void print_number(double number, int width, int decimals)
{
    if (isnan(number))
        printf("  %*s", width, "-");
    else
        printf("  %*.*f", width, decimals, number);
}

static void print_cell(double number, int decimals)
{
    print_number(number, 10, decimals);
}

static int name_width(const run_list *list)
{
    int widest = 6;
    for (int i = 0; i < list->count; i++)
        if ((int)strlen(list->record[i].name) > widest)
            widest = (int)strlen(list->record[i].name);
    return widest < 20 ? widest : 20;
}

/* Runs on the same data under a head of their own. */
static void print_factorisations(const run_list *list, int width)
{
    bool any = false;
    int group = -1;
    for (int i = 0; i < list->count; i++) {
        const run_record *record = &list->record[i];
        if (record_is_segmentation(record))
            continue;
        if (group != record->group && list->groups > 1)
            printf("%son %s%s%s\n", any ? "\n" : "", record_data_text(record, "path"),
                   *record_text(record, "truth") ? ", truth " : "", record_text(record, "truth"));
        if (group != record->group)
            printf("%-*s  %10s  %10s  %10s  %10s  %10s\n", width, "run", "accuracy %", "NMI %",
                   "sparse %", "iterations", "seconds");
        any = true;
        group = record->group;
        printf("%-*.*s", width, width, record->name);
        print_cell(100 * record_score(record, "accuracy"), 1);
        print_cell(100 * record_score(record, "nmi"), 1);
        print_cell(100 * record_score(record, "sparseness"), 1);
        print_cell(record_number(record, "iterations"), 0);
        print_cell(record_number(record, "seconds"), 2);
        putchar('\n');
    }
}

/* Segmentations stand behind the other runs. */
static void print_segmentations(const run_list *list, int width)
{
    bool any = false;
    for (int i = 0; i < list->count; i++) {
        const run_record *record = &list->record[i];
        if (!record_is_segmentation(record))
            continue;
        if (!any)
            printf("%s%-*s  %10s  %10s  %10s  %10s  %10s\n", i ? "\n" : "", width, "run",
                   "segments", "CS %", "CO %", "covering", "seconds");
        any = true;
        printf("%-*.*s", width, width, record->name);
        print_cell(record_number(record, "segments"), 0);
        print_cell(record_score(record, "CS"), 1);
        print_cell(record_score(record, "CO"), 1);
        print_cell(record_score(record, "covering"), 3);
        print_cell(record_number(record, "seconds"), 2);
        putchar('\n');
    }
}

static void print_table(const run_list *list)
{
    const int width = name_width(list);
    print_factorisations(list, width);
    print_segmentations(list, width);
}

static double rank_of(const study_book *book, int64_t method)
{
    for (int64_t i = 0; book->ranked && i < book->ranking.methods; i++)
        if (book->ranking.method[i] == method)
            return book->ranking.mean_rank[i];
    return NAN;
}

static int print_study(orthant_context *ctx, const char *folder)
{
    study_book book;
    int width = 6;
    const int failed = report_failure(ctx, study_book_read(ctx, folder, &book));
    if (failed)
        return failed;
    const study_summary *s = &book.summary;
    for (int64_t m = 0; m < s->methods; m++)
        width = (int)strlen(s->method[m]) > width ? (int)strlen(s->method[m]) : width;
    width = width < 24 ? width : 24;
    printf("%-*s  %6s  %10s  %10s  %10s  %10s\n", width, "method", "rank", "accuracy %", "NMI %",
           "iterations", "seconds");
    for (int64_t m = 0; m < s->methods; m++) {
        const bool fits = (int)strlen(s->method[m]) <= width;
        printf(fits ? "%s%*s" : "%s\n%*s", s->method[m],
               fits ? width - (int)strlen(s->method[m]) : width, "");
        print_number(rank_of(&book, m), 6, 2);
        print_cell(100 * study_average(&book, -1, m, MEASURE_ACCURACY), 1);
        print_cell(100 * study_average(&book, -1, m, MEASURE_NMI), 1);
        print_cell(study_average(&book, -1, m, MEASURE_ITERATIONS), 0);
        print_cell(study_average(&book, -1, m, MEASURE_SECONDS), 3);
        putchar('\n');
    }
    study_book_free(&book);
    return 0;
}

static int print_tables(orthant_context *ctx, const char *folder, const char *name)
{
    sheet_list tables = {.ctx = ctx};
    sheet_format format = SHEET_MARKDOWN;
    const bool known = sheet_format_of(name, &format);
    int failed = known ? report_failure(ctx, tables_of(ctx, folder, &tables)) : EXIT_USAGE;
    if (!failed) {
        sheet_list_write(&tables, format, stdout);
        failed = finish_output();
    }
    sheet_list_free(&tables);
    return failed;
}

static int print_runs(orthant_context *ctx, const char *folder)
{
    run_list list = {0};
    const int failed = report_failure(ctx, run_list_read(ctx, folder, &list));
    if (!failed) {
        print_table(&list);
        run_list_free(&list);
    }
    return failed;
}

static int print_summary(orthant_context *ctx, const char *folder)
{
    bool is_study;
    int failed = report_failure(ctx, folder_is_study(ctx, folder, &is_study));
    if (!failed)
        failed = is_study ? print_study(ctx, folder) : print_runs(ctx, folder);
    if (failed)
        return failed;
    printf("\nreport: %s%sreport.html\n", folder, folder[strlen(folder) - 1] == '/' ? "" : "/");
    return finish_output();
}

int run_report(const arguments *given)
{
    orthant_context *ctx = NULL;
    talk speech;
    const char *folder = given->word[0];
    const char *format = option_value(given, OPTION_FORMAT);
    const char *words = option_value(given, OPTION_WORDS);
    int failed = context_open(given, &speech, &ctx);
    if (!failed && words)
        failed = report_failure(ctx, words_of_run(ctx, folder, words));
    if (!failed)
        failed = report_failure(ctx, orthant_run_report(ctx, folder));
    if (!failed)
        failed = format ? print_tables(ctx, folder, format) : print_summary(ctx, folder);
    orthant_context_free(ctx);
    return failed;
}
