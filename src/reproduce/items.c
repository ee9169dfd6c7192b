/* From a paper's list of items to rows of its protocol, and from these to what a folder holds of
 * them: an item is done where all of its runs are there with the protocol's settings. */
#include "reproduce/items.h"

#include <string.h>

#include "core/file.h"
#include "core/memory.h"
#include "core/text.h"
#include "report/text_file.h"
#include "reproduce/datasets.h"
#include "reproduce/figures.h"

#define MOST_PLACES 16
#define ROW_SIZE 40

static item_part part_of(const protocol_item *item)
{
    return !strcmp(item->kind, "table")    ? ITEM_TABLE
           : !strcmp(item->kind, "figure") ? ITEM_FIGURE
                                           : ITEM_CLAIM;
}

static const char *asked(const reproduce_request *request, item_part part)
{
    return part == ITEM_TABLE    ? request->tables
           : part == ITEM_FIGURE ? request->figures
                                 : request->claims;
}

/* The next of "8a;8c"; false behind the last. */
static bool next_row(const char **rows, char row[ROW_SIZE])
{
    const size_t length = *rows ? strcspn(*rows, ";") : 0;
    if (!length)
        return false;
    snprintf(row, ROW_SIZE, "%.*s", (int)length, *rows);
    *rows += length + ((*rows)[length] == ';');
    return true;
}

static bool item_has_row(const protocol_item *item, const char *wanted)
{
    char row[ROW_SIZE];
    for (const char *rows = item->rows; next_row(&rows, row);)
        if (!strcmp(row, wanted))
            return true;
    return false;
}

/* ---- what is asked for ---- */

bool items_want(const reproduce_request *request, const reproducible *paper, item_part part,
                const char *row)
{
    const char *list = asked(request, part);
    if (!request->tables && !request->figures && !request->claims)
        return true;
    if (!list)
        return false;
    if (!strcmp(list, "all") || text_in_list(list, row))
        return true;
    for (int i = 0; paper->items[i].kind; i++)
        if (part_of(&paper->items[i]) == part && text_in_list(list, paper->items[i].number) &&
            item_has_row(&paper->items[i], row))
            return true;
    return false;
}

static bool protocol_has(const reproducible *paper, item_part part, const char *row)
{
    const protocol *p = paper->protocol;
    for (int i = 0; p && part == ITEM_TABLE && i < p->table_count; i++)
        if (!strcmp(p->tables[i].number, row))
            return true;
    for (int i = 0; p && part == ITEM_FIGURE && i < p->figure_count; i++)
        if (!strcmp(p->figures[i].number, row))
            return true;
    for (int i = 0; p && part == ITEM_CLAIM && i < p->claim_count; i++)
        if (!strcmp(p->claims[i].id, row))
            return true;
    return false;
}

static orthant_status check_number(orthant_context *ctx, const reproducible *paper, item_part part,
                                   const char *number)
{
    static const char *const words[] = {"table", "figure", "claim"};
    char known[600] = "";
    if (!strcmp(number, "all") || protocol_has(paper, part, number))
        return ORTHANT_OK;
    for (int i = 0; paper->items[i].kind; i++) {
        const protocol_item *item = &paper->items[i];
        if (part_of(item) != part || !item->rows || !*item->rows) {
            if (part_of(item) == part && !strcmp(item->number, number))
                return fail(ctx, ORTHANT_ERROR_ARGUMENT, "%s, %s %s: %s", paper->name, words[part],
                            number, item->made ? item->made : "there is no code that makes it");
            continue;
        }
        if (!strcmp(item->number, number))
            return ORTHANT_OK;
        text_append(known, sizeof known, "%s%s", *known ? "," : "", item->number);
    }
    return fail(ctx, ORTHANT_ERROR_ARGUMENT, "%s has no %s '%s'; its %ss are %s", paper->name,
                words[part], number, words[part], *known ? known : "none");
}

orthant_status items_check(orthant_context *ctx, const reproduce_request *request,
                           const reproducible *paper)
{
    orthant_status status = ORTHANT_OK;
    for (item_part part = ITEM_TABLE; part <= ITEM_CLAIM && !status; part++) {
        char number[64];
        for (const char *list = asked(request, part);
             list && !status && next_name(&list, number, sizeof number);)
            status = check_number(ctx, paper, part, number);
    }
    return status;
}

/* ---- what is there ---- */

/* Studies and files by which an item is known as done, and the data behind them. */
typedef struct place {
    char path[128];              /* below the output folder */
    const protocol_study *study; /* whose folder it is; NULL: it is a file */
    const char *data;            /* "ORL", "JAFFE|ORL", or "" */
} place;

typedef struct places {
    int count;
    place at[MOST_PLACES];
    char text[MOST_PLACES][48]; /* data of items without a protocol */
} places;

static void add_study(places *found, const char *folder, const protocol_study *study)
{
    if (found->count == MOST_PLACES)
        return;
    place *added = &found->at[found->count++];
    *added = (place){.study = study, .data = study->dataset};
    snprintf(added->path, sizeof added->path, "%s", folder);
}

static void add_file(places *found, const char *folder, const char *file, const char *data)
{
    if (found->count == MOST_PLACES)
        return;
    snprintf(found->text[found->count], sizeof found->text[0], "%s", data);
    place *added = &found->at[found->count];
    *added = (place){.data = found->text[found->count]};
    snprintf(added->path, sizeof added->path, "%s/%s", folder, file);
    found->count++;
}

static void add_table(places *found, const protocol *paper, const char *number)
{
    char folder[64];
    for (int i = 0; i < paper->table_count; i++) {
        const protocol_table *table = &paper->tables[i];
        if (strcmp(table->number, number) != 0)
            continue;
        snprintf(folder, sizeof folder, "table-%s", number);
        const char *data = table->study.dataset ? table->study.dataset : "";
        if (!table->from && !table->make)
            add_study(found, folder, &table->study);
        else if (table->make && !table->sizes)
            add_file(found, folder, table->leaves, data);
        for (const protocol_size *size = table->sizes; size && size->dataset; size++)
            add_file(found, folder, table->leaves, size->dataset);
        char name[64];
        for (const char *list = table->from ? table->from : "";
             next_name(&list, name, sizeof name);)
            add_table(found, paper, name);
    }
}

static void add_figure(places *found, const protocol *paper, const char *number)
{
    char folder[100];
    for (int i = 0; i < paper->figure_count; i++) {
        const protocol_figure *figure = &paper->figures[i];
        if (strcmp(figure->number, number) != 0)
            continue;
        figure_name(figure, "", folder, sizeof folder);
        if (figure->table)
            add_table(found, paper, figure->table);
        else
            add_study(found, folder, &figure->study);
    }
}

static void add_claim(places *found, const protocol *paper, const char *id)
{
    char folder[100];
    for (int i = 0; i < paper->claim_count; i++) {
        const protocol_claim *claim = &paper->claims[i];
        if (strcmp(claim->id, id) != 0)
            continue;
        snprintf(folder, sizeof folder, "claim-%s", id);
        if (claim->table)
            add_table(found, paper, claim->table);
        else if (claim->figure)
            add_figure(found, paper, claim->figure);
        else
            add_study(found, folder, &claim->study);
    }
}

/* Rows of a paper without a protocol are "FILE:DATA". */
static void find_places(const reproducible *paper, const protocol_item *item, places *found)
{
    char row[ROW_SIZE];
    for (const char *rows = item->rows; next_row(&rows, row);) {
        if (!paper->protocol) {
            char *data = row + strcspn(row, ":");
            if (*data)
                *data++ = '\0';
            add_file(found, ".", row, data);
        } else if (part_of(item) == ITEM_TABLE) {
            add_table(found, paper->protocol, row);
        } else if (part_of(item) == ITEM_FIGURE) {
            add_figure(found, paper->protocol, row);
        } else {
            add_claim(found, paper->protocol, row);
        }
    }
}

/* One of "a|b" is there. */
static orthant_status look_for_data(orthant_context *ctx, const char *folder, const char *names,
                                    bool *here)
{
    orthant_status status = ORTHANT_OK;
    *here = !folder || !*names || !strcmp(names, "toy");
    while (*names && !*here && !status) {
        char name[32];
        const size_t length = strcspn(names, "|");
        snprintf(name, sizeof name, "%.*s", (int)length, names);
        status = dataset_here(ctx, folder, name, here);
        names += length + (names[length] == '|');
    }
    return status;
}

static orthant_status is_there(orthant_context *ctx, const char *folder, const char *file,
                               bool *there)
{
    file_presence found = FILE_MISSING;
    char *path = folder ? path_join(ctx, folder, file) : NULL;
    *there = false;
    if (!folder)
        return ORTHANT_OK;
    const orthant_status status = path ? file_look(ctx, path, &found) : ORTHANT_ERROR_MEMORY;
    memory_free(ctx, path);
    *there = found != FILE_MISSING;
    return status;
}

/* What is there of a file: a quick run left PATH.quick beside it. */
static orthant_status look_at_file(orthant_context *ctx, const char *output, const char *path,
                                   runs_state *state)
{
    char beside[160];
    bool there, quick = false;
    orthant_status status = is_there(ctx, output, path, &there);
    snprintf(beside, sizeof beside, "%s.quick", path);
    if (!status)
        status = is_there(ctx, output, beside, &quick);
    *state = !there ? RUNS_NONE : quick ? RUNS_QUICK : RUNS_ALL;
    return status;
}

static orthant_status look_at_place(orthant_context *ctx, const char *output, const place *at,
                                    runs_state *state)
{
    *state = RUNS_NONE;
    if (!output)
        return ORTHANT_OK;
    if (!at->study)
        return look_at_file(ctx, output, at->path, state);
    char *folder = path_join(ctx, output, at->path);
    const orthant_status status =
        folder ? runs_look(ctx, folder, at->study, state) : ORTHANT_ERROR_MEMORY;
    memory_free(ctx, folder);
    return status;
}

static void write_command(const reproducible *paper, const protocol_item *item, item_facts *facts)
{
    static const char *const options[] = {"tables", "figures", "claims"};
    if (item->rows && *item->rows)
        snprintf(facts->command, sizeof facts->command,
                 "orthant reproduce %s --data DIR -o RUN --%s %s", paper->name,
                 options[part_of(item)], item->number);
}

/* Adds the data of a place to those that are named, and says what stands in. */
static orthant_status note_data(orthant_context *ctx, const char *folder, const char *names,
                                item_facts *facts, bool *all_here)
{
    bool there;
    if (*names && !strstr(facts->data, names))
        text_append(facts->data, sizeof facts->data, "%s%s", *facts->data ? "," : "", names);
    orthant_status status = look_for_data(ctx, folder, names, &there);
    *all_here = *all_here && there;
    if (status || !folder || !there || !strchr(names, '|'))
        return status;
    char first[32];
    snprintf(first, sizeof first, "%.*s", (int)strcspn(names, "|"), names);
    status = look_for_data(ctx, folder, first, &there);
    facts->stand_in = !there;
    if (!there)
        snprintf(facts->note, sizeof facts->note, "%s is not here: %s stands in", first,
                 strchr(names, '|') + 1);
    return status;
}

static item_state state_of(runs_state least, bool all_here)
{
    switch (least) {
    case RUNS_NONE: return all_here ? ITEM_NOT_RUN : ITEM_NO_DATA;
    case RUNS_SOME: return ITEM_PART;
    case RUNS_OTHER: return ITEM_OTHER;
    default: return ITEM_DONE;
    }
}

orthant_status item_look(orthant_context *ctx, const reproducible *paper, const protocol_item *item,
                         const char *data, const char *output, item_facts *facts)
{
    places found = {0};
    orthant_status status = ORTHANT_OK;
    runs_state least = RUNS_ALL, state;
    bool all_here = true;
    *facts = (item_facts){.state = ITEM_NOT_BUILT};
    if (!item->rows || !*item->rows) {
        snprintf(facts->note, sizeof facts->note, "%s", item->made ? item->made : "");
        facts->state = item->rows ? ITEM_NOTHING : ITEM_NOT_BUILT;
        return ORTHANT_OK;
    }
    write_command(paper, item, facts);
    find_places(paper, item, &found);
    for (int i = 0; i < found.count && !status; i++) {
        status = note_data(ctx, data, found.at[i].data, facts, &all_here);
        if (!status)
            status = look_at_place(ctx, output, &found.at[i], &state);
        least = !status && state < least ? state : least;
    }
    facts->state = state_of(found.count ? least : RUNS_NONE, all_here);
    facts->quick = least == RUNS_QUICK;
    facts->stand_in = facts->stand_in && facts->state == ITEM_DONE;
    return status;
}

const char *item_state_name(item_state state)
{
    switch (state) {
    case ITEM_DONE: return "done";
    case ITEM_PART: return "not finished";
    case ITEM_OTHER: return "other settings";
    case ITEM_NOT_RUN: return "not run";
    case ITEM_NO_DATA: return "data not here";
    case ITEM_NOT_BUILT: return "not built";
    case ITEM_NOTHING: return "nothing to run";
    }
    return "";
}
