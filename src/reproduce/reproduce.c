/* From a protocol to runs, tables and a page. */
#include "reproduce/reproduce.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "core/file.h"
#include "core/memory.h"
#include "core/text.h"
#include "report/folder.h"
#include "report/json.h"
#include "report/text_file.h"
#include "reproduce/grpnmf.h"
#include "reproduce/page.h"

#define MARK "reproduce.json" /* by which a folder is known as a reproduction's */

/* ---- the folder ---- */

/* A folder of the same paper, or an empty one. */
static orthant_status open_folder(orthant_context *ctx, const reproduce_request *request,
                                  const char *paper)
{
    orthant_status status = ORTHANT_OK;
    char *mark = path_join(ctx, request->output, MARK), *text = NULL;
    size_t length;
    if (!mark)
        return ORTHANT_ERROR_MEMORY;
    file_presence there;
    bool empty = true;
    status = file_look(ctx, mark, &there);
    if (!status && there == FILE_MISSING)
        status = folder_is_empty(ctx, request->output, &empty);
    if (!status && there != FILE_MISSING) {
        char wanted[64];
        snprintf(wanted, sizeof wanted, "\"paper\": \"%.40s\"", paper);
        status = text_file_read(ctx, mark, 1 << 20, &text, &length);
        if (!status && !strstr(text, wanted))
            status = fail(ctx, ORTHANT_ERROR_ARGUMENT,
                          "%s holds the reproduction of another paper; take another folder",
                          request->output);
    } else if (!status && !empty) {
        status =
            fail(ctx, ORTHANT_ERROR_ARGUMENT,
                 "%s is not empty and holds no reproduction; take another folder", request->output);
    }
    memory_free(ctx, text);
    memory_free(ctx, mark);
    return status;
}

static orthant_status write_mark(orthant_context *ctx, const reproduce_request *request,
                                 const char *paper)
{
    file_writer writer;
    char *path = path_join(ctx, request->output, MARK);
    orthant_status status = path ? file_write_begin(ctx, path, &writer) : ORTHANT_ERROR_MEMORY;
    memory_free(ctx, path);
    if (status)
        return status;
    json_writer json = {.file = writer.file};
    json_open_object(&json, NULL);
    json_text(&json, "paper", paper);
    json_text(&json, "command", request->command);
    json_text(&json, "version", orthant_version());
    json_integer(&json, "seed", request->seed);
    json_truth(&json, "quick", request->quick);
    json_close(&json);
    return file_write_end(&writer, ORTHANT_OK);
}

orthant_status reproduction_begin(orthant_context *ctx, const reproduce_request *request,
                                  const char *paper, int *lock)
{
    *lock = -1;
    if (!file_is_folder(request->data))
        return fail(ctx, ORTHANT_ERROR_IO, "%s: no such folder; it has to hold the data sets",
                    request->data);
    orthant_status status = folder_make(ctx, request->output);
    if (!status)
        status = folder_lock(ctx, request->output, "reproduction", lock);
    if (!status)
        status = open_folder(ctx, request, paper);
    if (!status) {
        folder_sweep(ctx, request->output, 1);
        status = write_mark(ctx, request, paper);
    }
    return status;
}

/* ---- runs ---- */

static orthant_status check_tables(orthant_context *ctx, const reproduce_request *request,
                                   const protocol *paper)
{
    char name[32], known[128] = "";
    for (int i = 0; i < paper->table_count; i++)
        text_append(known, sizeof known, "%s%s", i ? "," : "", paper->tables[i].number);
    for (const char *list = request->tables ? request->tables : ""; *list;) {
        const size_t length = strcspn(list, ",");
        snprintf(name, sizeof name, "%.*s", (int)length, list);
        if (!text_in_list(known, name))
            return fail(ctx, ORTHANT_ERROR_ARGUMENT, "%s has no table '%s'; its tables are %s",
                        paper->paper, name, known);
        list += length + (list[length] == ',');
    }
    return ORTHANT_OK;
}

/* A table is wanted where it is asked for, or shown by one that is. */
static bool is_wanted(const reproduce_request *request, const protocol *paper, int index)
{
    const char *number = paper->tables[index].number;
    if (!request->tables || text_in_list(request->tables, number))
        return true;
    for (int i = 0; i < paper->table_count; i++)
        if (paper->tables[i].from && text_in_list(request->tables, paper->tables[i].number) &&
            text_in_list(paper->tables[i].from, number))
            return true;
    return false;
}

static orthant_status run_tables(orthant_context *ctx, const reproduce_request *request,
                                 const protocol *paper, table_runs *all)
{
    orthant_status status = ORTHANT_OK;
    for (int i = 0; i < paper->table_count && !status; i++) {
        char name[64];
        all[i].table = &paper->tables[i];
        all[i].wanted = !paper->tables[i].from && is_wanted(request, paper, i);
        if (!all[i].wanted)
            continue;
        snprintf(name, sizeof name, "table-%s", paper->tables[i].number);
        log_note(ctx, "%s, table %s: %s", paper->paper, paper->tables[i].number,
                 paper->tables[i].study.dataset);
        status = runs_make(ctx, request, &paper->tables[i].study, name, false, &all[i].runs);
    }
    return status;
}

static bool wants_samples(figure_kind kind)
{
    return kind == FIGURE_BASES || kind == FIGURE_POINTS || kind == FIGURE_SIMILARITY;
}

static orthant_status run_figures(orthant_context *ctx, const reproduce_request *request,
                                  const protocol *paper, figure_runs *all)
{
    orthant_status status = ORTHANT_OK;
    for (int i = 0; i < paper->figure_count && !status; i++) {
        const protocol_figure *figure = &paper->figures[i];
        char name[64];
        all[i].figure = figure;
        if (figure->table)
            continue;
        figure_name(figure, "", name, sizeof name);
        log_note(ctx, "%s, figure %s", paper->paper, figure->number);
        status = runs_make(ctx, request, &figure->study, name, wants_samples(figure->kind),
                           &all[i].runs);
    }
    return status;
}

/* ---- what is shown ---- */

static orthant_status make_sheets(orthant_context *ctx, const reproduction *made, sheet_list *list)
{
    const protocol *paper = made->paper;
    orthant_status status = tables_averages(ctx, paper, made->tables, list);
    for (int i = 0; i < paper->table_count && !status; i++)
        if (is_wanted(made->request, paper, i))
            status = tables_make(ctx, paper, made->tables, i, list);
    return status;
}

orthant_status reproduction_note(const reproduce_request *request, const char *run,
                                 sheet_list *list)
{
    char text[300];
    orthant_status status = ORTHANT_OK;
    if (request->quick)
        snprintf(text, sizeof text,
                 "A quick run, to see that all works: %s. Its figures mean nothing; remarks "
                 "describe the full protocol.",
                 run);
    else
        snprintf(text, sizeof text, "%s; remarks describe the full protocol.", run);
    for (int i = 0; i < list->count && *run && !status; i++) {
        sheet_add_note(list->table[i], text);
        status = sheet_status(list->table[i]);
    }
    return status;
}

orthant_status reproduction_write_sheets(orthant_context *ctx, const reproduce_request *request,
                                         const sheet_list *list)
{
    static const struct {
        const char *file;
        sheet_format format;
    } files[] = {
        {"tables.md", SHEET_MARKDOWN}, {"tables.tex", SHEET_LATEX}, {"tables.csv", SHEET_CSV}};
    orthant_status status = ORTHANT_OK;
    for (size_t i = 0; i < sizeof files / sizeof *files && !status; i++) {
        file_writer writer;
        char *path = path_join(ctx, request->output, files[i].file);
        status = path ? file_write_begin(ctx, path, &writer) : ORTHANT_ERROR_MEMORY;
        memory_free(ctx, path);
        if (status)
            break;
        sheet_list_write(list, files[i].format, writer.file);
        status = file_write_end(&writer, ORTHANT_OK);
    }
    return status;
}

static void add_failures(const protocol_runs *runs, reproduce_failures *failures)
{
    if (runs->failures && !failures->failed)
        snprintf(failures->first, sizeof failures->first, "%s", runs->failure);
    failures->runs += runs->jobs;
    failures->failed += runs->failures;
}

static void count_failures(const reproduction *made, reproduce_failures *failures)
{
    for (int i = 0; made->tables && i < made->paper->table_count; i++)
        add_failures(&made->tables[i].runs, failures);
    for (int i = 0; made->figures && i < made->paper->figure_count; i++)
        add_failures(&made->figures[i].runs, failures);
}

static void reproduction_free(reproduction *made)
{
    for (int i = 0; made->tables && i < made->paper->table_count; i++)
        runs_free(&made->tables[i].runs);
    for (int i = 0; made->figures && i < made->paper->figure_count; i++)
        runs_free(&made->figures[i].runs);
    memory_free(made->ctx, made->tables);
    memory_free(made->ctx, made->figures);
    if (made->lock >= 0)
        close(made->lock);
}

static orthant_status reproduce(orthant_context *ctx, const reproduce_request *request,
                                const protocol *paper, sheet_list *shown,
                                reproduce_failures *failures)
{
    reproduction made = {.ctx = ctx, .request = request, .paper = paper, .lock = -1};
    const double begin = clock_seconds();
    orthant_status status = check_tables(ctx, request, paper);
    if (!status)
        status = reproduction_begin(ctx, request, paper->paper, &made.lock);
    if (status)
        goto done;
    made.tables = memory_new(ctx, paper->table_count, sizeof *made.tables, "tables");
    made.figures = memory_new(ctx, paper->figure_count, sizeof *made.figures, "figures");
    if (!made.tables || !made.figures)
        status = ORTHANT_ERROR_MEMORY;
    if (!status)
        status = run_tables(ctx, request, paper, made.tables);
    if (!status && !request->tables)
        status = run_figures(ctx, request, paper, made.figures);
    made.seconds = clock_seconds() - begin;
    count_failures(&made, failures);
    if (!status)
        status = make_sheets(ctx, &made, shown);
    if (!status) {
        char run[RUNS_WORDS];
        runs_words(request, run);
        status = reproduction_note(request, run, shown);
    }
    if (!status)
        status = reproduction_write_sheets(ctx, request, shown);
    if (!status)
        status = reproduction_page(&made, shown);
done:
    reproduction_free(&made);
    return status;
}

/* ---- the papers ---- */

static orthant_status run_tnmf(orthant_context *ctx, const reproduce_request *request,
                               sheet_list *shown, reproduce_failures *failures)
{
    return reproduce(ctx, request, &protocol_tnmf, shown, failures);
}

static orthant_status run_cdnmf(orthant_context *ctx, const reproduce_request *request,
                                sheet_list *shown, reproduce_failures *failures)
{
    return reproduce(ctx, request, &protocol_cdnmf, shown, failures);
}

static orthant_status run_nlcf(orthant_context *ctx, const reproduce_request *request,
                               sheet_list *shown, reproduce_failures *failures)
{
    return reproduce(ctx, request, &protocol_nlcf, shown, failures);
}

static orthant_status run_rmnd(orthant_context *ctx, const reproduce_request *request,
                               sheet_list *shown, reproduce_failures *failures)
{
    return reproduce(ctx, request, &protocol_rmnd, shown, failures);
}

static const reproducible papers[] = {
    {"tnmf", "Topographic NMF for data representation (2014)", "I,II,III,IV", run_tnmf,
     &protocol_tnmf},
    {"cdnmf", "Class-driven NMF for image representation (2013)", "1,2,3", run_cdnmf,
     &protocol_cdnmf},
    {"nlcf", "Nonnegative local coordinate factorization (2013)", "V,VI,VII,VIII", run_nlcf,
     &protocol_nlcf},
    {"rmnd", "Relationship matrix nonnegative decomposition (2011)", "2,3,4", run_rmnd,
     &protocol_rmnd},
    {"grpnmf", "Projective NMF for unsupervised graph clustering (2016)", "I", reproduce_grpnmf,
     NULL},
};

const reproducible *reproducible_at(int index)
{
    return index >= 0 && index < (int)(sizeof papers / sizeof *papers) ? &papers[index] : NULL;
}

const reproducible *reproducible_find(const char *name)
{
    for (size_t i = 0; i < sizeof papers / sizeof *papers; i++)
        if (strcmp(papers[i].name, name) == 0)
            return &papers[i];
    return NULL;
}
