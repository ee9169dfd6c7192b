/* The best-known numbers of stored runs and studies, a row each. */
#include "report/screen.h"

#include <math.h>
#include <string.h>

#include "report/inside.h"
#include "report/ranks_page.h"
#include "report/ranks_record.h"
#include "report/record.h"
#include "report/study_book.h"

static void print_number(FILE *out, double number, int width, int decimals)
{
    if (isnan(number))
        fprintf(out, "  %*s", width, "-");
    else
        fprintf(out, "  %*.*f", width, decimals, number);
}

static void print_cell(FILE *out, double number, int decimals)
{
    print_number(out, number, 10, decimals);
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
static void print_factorisations(FILE *out, const run_list *list, int width)
{
    bool any = false;
    int group = -1;
    for (int i = 0; i < list->count; i++) {
        const run_record *record = &list->record[i];
        if (record_is_segmentation(record))
            continue;
        if (group != record->group && list->groups > 1)
            fprintf(out, "%son %s%s%s\n", any ? "\n" : "", record_data_text(record, "path"),
                    *record_text(record, "truth") ? ", truth " : "", record_text(record, "truth"));
        if (group != record->group)
            fprintf(out, "%-*s  %10s  %10s  %10s  %10s  %10s\n", width, "run", "accuracy %",
                    "NMI %", "sparse %", "iterations", "seconds");
        any = true;
        group = record->group;
        fprintf(out, "%-*.*s", width, width, record->name);
        print_cell(out, 100 * record_score(record, "accuracy"), 1);
        print_cell(out, 100 * record_score(record, "nmi"), 1);
        print_cell(out, 100 * record_score(record, "sparseness"), 1);
        print_cell(out, record_number(record, "iterations"), 0);
        print_cell(out, record_number(record, "seconds"), 2);
        fputc('\n', out);
    }
}

/* Segmentations stand behind the other runs. */
static void print_segmentations(FILE *out, const run_list *list, int width)
{
    bool any = false;
    for (int i = 0; i < list->count; i++) {
        const run_record *record = &list->record[i];
        if (!record_is_segmentation(record))
            continue;
        if (!any)
            fprintf(out, "%s%-*s  %10s  %10s  %10s  %10s  %10s\n", i ? "\n" : "", width, "run",
                    "segments", "CS %", "CO %", "covering", "seconds");
        any = true;
        fprintf(out, "%-*.*s", width, width, record->name);
        print_cell(out, record_number(record, "segments"), 0);
        print_cell(out, record_score(record, "CS"), 1);
        print_cell(out, record_score(record, "CO"), 1);
        print_cell(out, record_score(record, "covering"), 3);
        print_cell(out, record_number(record, "seconds"), 2);
        fputc('\n', out);
    }
}

static void print_table(FILE *out, const run_list *list)
{
    const int width = name_width(list);
    print_factorisations(out, list, width);
    print_segmentations(out, list, width);
}

static double rank_of(const study_book *book, int64_t method)
{
    for (int64_t i = 0; book->ranked && i < book->ranking.methods; i++)
        if (book->ranking.method[i] == method)
            return book->ranking.mean_rank[i];
    return NAN;
}

static orthant_status print_study(orthant_context *ctx, const char *folder, FILE *out)
{
    study_book book;
    int width = 6;
    const orthant_status status = study_book_read(ctx, folder, &book);
    if (status)
        return status;
    const study_summary *s = &book.summary;
    for (int64_t m = 0; m < s->methods; m++)
        width = (int)strlen(s->method[m]) > width ? (int)strlen(s->method[m]) : width;
    width = width < 24 ? width : 24;
    fprintf(out, "%-*s  %6s  %10s  %10s  %10s  %10s\n", width, "method", "rank", "accuracy %",
            "NMI %", "iterations", "seconds");
    for (int64_t m = 0; m < s->methods; m++) {
        const bool fits = (int)strlen(s->method[m]) <= width;
        fprintf(out, fits ? "%s%*s" : "%s\n%*s", s->method[m],
                fits ? width - (int)strlen(s->method[m]) : width, "");
        print_number(out, rank_of(&book, m), 6, 2);
        print_cell(out, 100 * study_average(&book, -1, m, MEASURE_ACCURACY), 1);
        print_cell(out, 100 * study_average(&book, -1, m, MEASURE_NMI), 1);
        print_cell(out, study_average(&book, -1, m, MEASURE_ITERATIONS), 0);
        print_cell(out, study_average(&book, -1, m, MEASURE_SECONDS), 3);
        fputc('\n', out);
    }
    study_book_free(&book);
    return ORTHANT_OK;
}

static orthant_status print_inside(orthant_context *ctx, const char *folder, FILE *out)
{
    inside found;
    orthant_status status = inside_find(ctx, folder, &found);
    if (!status)
        status = inside_print(&found, out);
    inside_free(&found);
    return status;
}

static orthant_status print_runs(orthant_context *ctx, const char *folder, FILE *out)
{
    run_list list = {0};
    orthant_status status = run_list_read(ctx, folder, &list);
    if (!status) {
        print_table(out, &list);
        if (list.studies || list.surveys)
            status = print_inside(ctx, folder, out);
        run_list_free(&list);
    }
    return status;
}

static orthant_status print_ranks(orthant_context *ctx, const char *folder, FILE *out)
{
    json_value *json = NULL;
    const orthant_status status = ranks_record_read(ctx, folder, &json);
    if (!status)
        ranks_screen(json, out);
    json_free(ctx, json);
    return status;
}

orthant_status screen_folder(orthant_context *ctx, const char *folder, FILE *out)
{
    bool is_study = false, is_ranks;
    orthant_status status = folder_is_ranks(ctx, folder, &is_ranks);
    if (!status && is_ranks)
        return print_ranks(ctx, folder, out);
    if (!status)
        status = folder_is_study(ctx, folder, &is_study);
    if (status)
        return status;
    return is_study ? print_study(ctx, folder, out) : print_runs(ctx, folder, out);
}
