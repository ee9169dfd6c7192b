#include <math.h>
#include <string.h>

#include "command.h"
#include "report/record.h"
#include "report/tables.h"

static void print_cell(double number, int decimals)
{
    if (isnan(number))
        printf("  %10s", "-");
    else
        printf("  %10.*f", decimals, number);
}

static int name_width(const run_list *list)
{
    int widest = 6;
    for (int i = 0; i < list->count; i++)
        if ((int)strlen(list->record[i].name) > widest)
            widest = (int)strlen(list->record[i].name);
    return widest < 20 ? widest : 20;
}

static void print_factorisations(const run_list *list, int width)
{
    bool any = false;
    for (int i = 0; i < list->count; i++) {
        const run_record *record = &list->record[i];
        if (record_is_segmentation(record))
            continue;
        if (!any)
            printf("%-*s  %10s  %10s  %10s  %10s  %10s\n", width, "run", "accuracy %", "NMI %",
                   "sparse %", "iterations", "seconds");
        any = true;
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
    int failed = report_failure(ctx, run_list_read(ctx, folder, &list));
    if (!failed) {
        print_table(&list);
        printf("\nreport: %s%sreport.html\n", folder, folder[strlen(folder) - 1] == '/' ? "" : "/");
        failed = finish_output();
        run_list_free(&list);
    }
    return failed;
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
        failed = format ? print_tables(ctx, folder, format) : print_runs(ctx, folder);
    orthant_context_free(ctx);
    return failed;
}
