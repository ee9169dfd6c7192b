/* Collects the tables of runs and studies and writes them for a paper. */
#include "report/tables.h"

#include <string.h>

#include "orthant/run.h"
#include "report/consensus_page.h"
#include "report/inside.h"
#include "report/ranks_page.h"
#include "report/ranks_record.h"
#include "report/record.h"
#include "report/run_page.h"
#include "report/runs_page.h"
#include "report/screen.h"
#include "report/study_book.h"
#include "report/study_tables.h"
#include "report/text_output.h"
#include "report/words.h"

static orthant_status add_run(sheet_list *list, const run_record *record)
{
    orthant_matrix *basis = NULL;
    sheet *words = NULL;
    orthant_status status = sheet_list_add(list, run_page_scores(list->ctx, record));
    if (!status && json_member(record->json, "consensus"))
        status = sheet_list_add(list, consensus_table(list->ctx, record));
    if (!status && !record_picture(record).height)
        status = record_matrix(list->ctx, record, "basis", &basis);
    if (!status)
        status = words_table(list->ctx, record, basis, &words);
    if (!status && words)
        status = sheet_list_add(list, words);
    orthant_matrix_free(basis);
    return status;
}

/* A table for each group; the segmentations' rows, which have no accuracy, in one of their own. */
static orthant_status add_runs(sheet_list *list, const run_list *runs)
{
    orthant_status status = ORTHANT_OK;
    for (int group = 0; group <= runs->groups && !status; group++) {
        const run_list some = run_list_group(runs, group < runs->groups ? group : RUN_NO_GROUP);
        if (some.count)
            status = sheet_list_add(list, runs_page_table(list->ctx, &some));
    }
    return status;
}

static orthant_status add_study(sheet_list *list, const char *folder)
{
    study_book book;
    orthant_status status = study_book_read(list->ctx, folder, &book);
    if (status)
        return status;
    status = study_tables(&book, list);
    study_book_free(&book);
    return status;
}

static orthant_status add_ranks(sheet_list *list, const char *folder)
{
    json_value *json = NULL;
    orthant_status status = ranks_record_read(list->ctx, folder, &json);
    if (!status)
        status = sheet_list_add(list, ranks_sheet(list->ctx, json));
    json_free(list->ctx, json);
    return status;
}

orthant_status tables_of(orthant_context *ctx, const char *folder, sheet_list *list)
{
    run_list runs;
    bool is_study = false, is_ranks = false;
    orthant_status status = folder_is_ranks(ctx, folder, &is_ranks);
    if (!status && is_ranks)
        return add_ranks(list, folder);
    if (!status)
        status = folder_is_study(ctx, folder, &is_study);
    if (!status && is_study)
        return add_study(list, folder);
    if (!status)
        status = run_list_read(ctx, folder, &runs);
    if (status)
        return status;
    status = runs.single ? add_run(list, &runs.record[0]) : add_runs(list, &runs);
    if (!status && (runs.studies || runs.surveys)) {
        inside found;
        status = inside_find(ctx, folder, &found);
        if (!status)
            status = inside_tables(&found, list);
        inside_free(&found);
    }
    run_list_free(&runs);
    return status;
}

bool tables_format(const char *name, bool *screen, sheet_format *format)
{
    *screen = !strcmp(name, "text");
    return *screen || (sheet_format_of(name, format) && *format != SHEET_HTML);
}

orthant_status tables_refuse_format(orthant_context *ctx, const char *name)
{
    return fail(ctx, ORTHANT_ERROR_ARGUMENT, "format '%.60s': expected text, md, tex, csv or json",
                name);
}

orthant_status orthant_run_tables(orthant_context *context, const char *folder, const char *format,
                                  char **text)
{
    sheet_list tables = {.ctx = context};
    sheet_format kind = SHEET_MARKDOWN;
    text_output output;
    bool screen;
    if (text)
        *text = NULL;
    const orthant_status refused = entry_check(context, folder && format && text, __func__);
    if (refused)
        return refused;
    if (!tables_format(format, &screen, &kind))
        return tables_refuse_format(context, format);
    orthant_status status = text_output_begin(context, &output);
    if (status)
        return status;
    status =
        screen ? screen_folder(context, folder, output.file) : tables_of(context, folder, &tables);
    if (!status && !screen)
        sheet_list_write(&tables, kind, output.file);
    sheet_list_free(&tables);
    return text_output_end(&output, status, text);
}

orthant_status orthant_run_set_words(orthant_context *ctx, const char *folder, const char *names)
{
    run_list runs;
    orthant_matrix *basis = NULL;
    const orthant_status refused = entry_check(ctx, folder && names, __func__);
    if (refused)
        return refused;
    orthant_status status = run_list_read(ctx, folder, &runs);
    if (status)
        return status;
    status = runs.single ? record_matrix(ctx, &runs.record[0], "basis", &basis)
                         : fail(ctx, ORTHANT_ERROR_ARGUMENT,
                                "%s: words belong to one run; give its folder", folder);
    if (!status && !basis)
        status = fail(ctx, ORTHANT_ERROR_ARGUMENT,
                      "%s: holds no basis.npy: method '%s' has no parts in words", folder,
                      record_text(&runs.record[0], "method"));
    if (!status)
        status = words_write(ctx, basis, names, NULL, folder);
    orthant_matrix_free(basis);
    run_list_free(&runs);
    return status;
}
