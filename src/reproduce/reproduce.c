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
#include "reproduce/claims.h"
#include "reproduce/grpnmf.h"
#include "reproduce/items.h"
#include "reproduce/made_tables.h"
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

static bool names_table(const char *list, const char *number)
{
    return list && text_in_list(list, number);
}

/* A table is shown where it is asked for, or one that shows its runs is. */
static bool is_shown(const reproduction *made, int index)
{
    const protocol *paper = made->paper;
    const char *number = paper->tables[index].number;
    if (items_want(made->request, made->of, ITEM_TABLE, number))
        return true;
    for (int i = 0; i < paper->table_count; i++)
        if (names_table(paper->tables[i].from, number) &&
            items_want(made->request, made->of, ITEM_TABLE, paper->tables[i].number))
            return true;
    return false;
}

/* A table is run where it is shown, or a figure or a claim needs its runs. */
static bool is_wanted(const reproduction *made, int index)
{
    const protocol *paper = made->paper;
    const char *number = paper->tables[index].number;
    if (is_shown(made, index))
        return true;
    for (int i = 0; i < paper->figure_count; i++)
        if (names_table(paper->figures[i].table, number) &&
            items_want(made->request, made->of, ITEM_FIGURE, paper->figures[i].number))
            return true;
    for (int i = 0; i < paper->claim_count; i++)
        if (names_table(paper->claims[i].table, number) &&
            items_want(made->request, made->of, ITEM_CLAIM, paper->claims[i].id))
            return true;
    return false;
}

static orthant_status run_tables(reproduction *made)
{
    const protocol *paper = made->paper;
    table_runs *all = made->tables;
    orthant_status status = ORTHANT_OK;
    for (int i = 0; i < paper->table_count && !status; i++) {
        const protocol_table *table = &paper->tables[i];
        char name[64];
        all[i].table = table;
        all[i].wanted = !table->from && !table->make && is_wanted(made, i);
        if (!all[i].wanted)
            continue;
        snprintf(name, sizeof name, "table-%s", table->number);
        log_note(made->ctx, "%s, table %s: %s", paper->paper, table->number, table->study.dataset);
        status = runs_make(made->ctx, made->request, &table->study, name, false, &all[i].runs);
    }
    return status;
}

static bool wants_samples(figure_kind kind)
{
    return kind == FIGURE_BASES || kind == FIGURE_POINTS || kind == FIGURE_SIMILARITY;
}

static bool claims_figure(const reproduction *made, const char *number)
{
    const protocol *paper = made->paper;
    for (int i = 0; i < paper->claim_count; i++)
        if (paper->claims[i].figure && !strcmp(paper->claims[i].figure, number) &&
            items_want(made->request, made->of, ITEM_CLAIM, paper->claims[i].id))
            return true;
    return false;
}

static orthant_status run_figures(reproduction *made)
{
    const protocol *paper = made->paper;
    figure_runs *all = made->figures;
    orthant_status status = ORTHANT_OK;
    for (int i = 0; i < paper->figure_count && !status; i++) {
        const protocol_figure *figure = &paper->figures[i];
        char name[64];
        all[i].figure = figure;
        all[i].shown = items_want(made->request, made->of, ITEM_FIGURE, figure->number);
        all[i].wanted = !figure->table && (all[i].shown || claims_figure(made, figure->number));
        if (!all[i].wanted)
            continue;
        figure_name(figure, "", name, sizeof name);
        log_note(made->ctx, "%s, figure %s", paper->paper, figure->number);
        status = runs_make(made->ctx, made->request, &figure->study, name,
                           wants_samples(figure->kind), &all[i].runs);
    }
    return status;
}

static bool judges_samples(claim_kind kind)
{
    return kind == CLAIM_SHIFTED || kind == CLAIM_ONE_NONZERO || kind == CLAIM_NEAREST;
}

static orthant_status run_claims(reproduction *made)
{
    const protocol *paper = made->paper;
    orthant_status status = ORTHANT_OK;
    for (int i = 0; i < paper->claim_count && !status; i++) {
        const protocol_claim *claim = &paper->claims[i];
        char name[64];
        made->claims[i].wanted = items_want(made->request, made->of, ITEM_CLAIM, claim->id);
        if (!made->claims[i].wanted || claim->table || claim->figure)
            continue;
        snprintf(name, sizeof name, "claim-%s", claim->id);
        log_note(made->ctx, "%s, claim %s", paper->paper, claim->id);
        status = runs_make(made->ctx, made->request, &claim->study, name,
                           judges_samples(claim->kind), &made->claims[i].runs);
    }
    return status;
}

/* ---- what is shown ---- */

static orthant_status judge_claims(const reproduction *made, sheet_list *list)
{
    orthant_status status = ORTHANT_OK;
    sheet *table = NULL;
    for (int i = 0; i < made->paper->claim_count && !status; i++) {
        claim_finding found;
        if (!made->claims[i].wanted)
            continue;
        if (!table && !(table = claims_sheet(made->ctx)))
            return ORTHANT_ERROR_MEMORY;
        status = claim_judge(&made->paper->claims[i], claim_source(made, i), &found);
        if (!status)
            claims_add(table, &made->paper->claims[i], &found);
    }
    if (!table)
        return status;
    if (!status)
        status = sheet_status(table);
    const orthant_status added = sheet_list_add(list, table);
    return status ? status : added;
}

static orthant_status make_sheets(const reproduction *made, sheet_list *list)
{
    const protocol *paper = made->paper;
    orthant_status status = tables_averages(made->ctx, paper, made->tables, list);
    for (int i = 0; i < paper->table_count && !status; i++) {
        if (!is_shown(made, i))
            continue;
        const made_table asked = {made->ctx, made->request, paper->paper, &paper->tables[i], list};
        status = paper->tables[i].make ? made_table_make(&asked)
                                       : tables_make(made->ctx, paper, made->tables, i, list);
    }
    return status ? status : judge_claims(made, list);
}

orthant_status reproduction_note_quick(orthant_context *ctx, const reproduce_request *request,
                                       const char *path)
{
    file_writer writer;
    orthant_status status = ORTHANT_ERROR_MEMORY;
    const size_t size = strlen(path) + sizeof ".quick";
    char *note = memory_new(ctx, (int64_t)size, 1, "a name");
    if (!note)
        return status;
    snprintf(note, size, "%s.quick", path);
    if (!request->quick) {
        unlink(note);
        status = ORTHANT_OK;
    } else if (!(status = file_write_begin(ctx, note, &writer))) {
        status = file_write_end(&writer, ORTHANT_OK);
    }
    memory_free(ctx, note);
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
    for (int i = 0; made->claims && i < made->paper->claim_count; i++)
        add_failures(&made->claims[i].runs, failures);
}

static void reproduction_free(reproduction *made)
{
    for (int i = 0; made->tables && i < made->paper->table_count; i++)
        runs_free(&made->tables[i].runs);
    for (int i = 0; made->figures && i < made->paper->figure_count; i++)
        runs_free(&made->figures[i].runs);
    for (int i = 0; made->claims && i < made->paper->claim_count; i++)
        runs_free(&made->claims[i].runs);
    memory_free(made->ctx, made->claims);
    memory_free(made->ctx, made->tables);
    memory_free(made->ctx, made->figures);
    if (made->lock >= 0)
        close(made->lock);
}

static orthant_status run_all(reproduction *made)
{
    const protocol *paper = made->paper;
    made->tables = memory_new(made->ctx, paper->table_count, sizeof *made->tables, "tables");
    made->figures = memory_new(made->ctx, paper->figure_count, sizeof *made->figures, "figures");
    made->claims = memory_new(made->ctx, paper->claim_count, sizeof *made->claims, "claims");
    if (!made->tables || !made->figures || !made->claims)
        return ORTHANT_ERROR_MEMORY;
    orthant_status status = run_tables(made);
    if (!status)
        status = run_figures(made);
    return status ? status : run_claims(made);
}

static orthant_status reproduce(orthant_context *ctx, const reproduce_request *request,
                                const char *name, sheet_list *shown, reproduce_failures *failures)
{
    const reproducible *of = reproducible_find(name);
    const protocol *paper = of->protocol;
    reproduction made = {.ctx = ctx, .request = request, .paper = paper, .of = of, .lock = -1};
    const double begin = clock_seconds();
    orthant_status status = items_check(ctx, request, of);
    if (!status)
        status = reproduction_begin(ctx, request, paper->paper, &made.lock);
    if (!status)
        status = run_all(&made);
    made.seconds = clock_seconds() - begin;
    count_failures(&made, failures);
    if (!status)
        status = make_sheets(&made, shown);
    if (!status) {
        char run[RUNS_WORDS];
        runs_words(request, run);
        status = reproduction_note(request, run, shown);
    }
    if (!status)
        status = reproduction_write_sheets(ctx, request, shown);
    if (!status)
        status = reproduction_page(&made, shown);
    reproduction_free(&made);
    return status;
}

/* ---- the papers ---- */

static orthant_status run_tnmf(orthant_context *ctx, const reproduce_request *request,
                               sheet_list *shown, reproduce_failures *failures)
{
    return reproduce(ctx, request, "tnmf", shown, failures);
}

static orthant_status run_cdnmf(orthant_context *ctx, const reproduce_request *request,
                                sheet_list *shown, reproduce_failures *failures)
{
    return reproduce(ctx, request, "cdnmf", shown, failures);
}

static orthant_status run_nlcf(orthant_context *ctx, const reproduce_request *request,
                               sheet_list *shown, reproduce_failures *failures)
{
    return reproduce(ctx, request, "nlcf", shown, failures);
}

static orthant_status run_rmnd(orthant_context *ctx, const reproduce_request *request,
                               sheet_list *shown, reproduce_failures *failures)
{
    return reproduce(ctx, request, "rmnd", shown, failures);
}

static const reproducible papers[] = {
    {"tnmf", "Topographic NMF for data representation (2014)", "I,II,III,IV", run_tnmf,
     &protocol_tnmf, items_tnmf},
    {"cdnmf", "Class-driven NMF for image representation (2013)", "1,2,3,6.6", run_cdnmf,
     &protocol_cdnmf, items_cdnmf},
    {"nlcf", "Nonnegative local coordinate factorization (2013)", "II,III,IV,V,VI,VII,VIII",
     run_nlcf, &protocol_nlcf, items_nlcf},
    {"rmnd", "Relationship matrix nonnegative decomposition (2011)", "1,2,3,4", run_rmnd,
     &protocol_rmnd, items_rmnd},
    {"grpnmf", "Projective NMF for unsupervised graph clustering (2016)", "I", reproduce_grpnmf,
     NULL, items_grpnmf},
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
