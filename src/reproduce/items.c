/* From a paper's list of items to rows of its protocol, and from these to what a folder holds of
 * them. A study that ended has its report.html: by that an item is known as done. */
#include "reproduce/items.h"

#include <string.h>

#include "core/file.h"
#include "core/memory.h"
#include "core/text.h"
#include "report/json.h"
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

/* Files whose presence says that the item is done, and the data behind them. */
typedef struct places {
    int count;
    char file[MOST_PLACES][128];
    char data[MOST_PLACES][48];
} places;

static void add_file(places *found, const char *folder, const char *file, const char *data)
{
    if (found->count == MOST_PLACES)
        return;
    snprintf(found->file[found->count], sizeof found->file[0], "%s/%s", folder, file);
    snprintf(found->data[found->count++], sizeof found->data[0], "%s", data);
}

static void add_place(places *found, const char *folder, const char *data)
{
    add_file(found, folder, "report.html", data);
}

/* Counts are timed on made-up data. */
static void add_costs(places *found, const char *folder)
{
    add_file(found, folder, "costs.csv", "");
}

static void add_table(places *found, const protocol *paper, const char *number)
{
    char folder[64];
    for (int i = 0; i < paper->table_count; i++) {
        const protocol_table *table = &paper->tables[i];
        if (strcmp(table->number, number) != 0)
            continue;
        snprintf(folder, sizeof folder, "table-%s", number);
        if (!table->from && !table->costs)
            add_place(found, folder, table->study.dataset);
        else if (table->costs)
            add_costs(found, folder);
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
            add_place(found, folder, figure->study.dataset);
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
            add_place(found, folder, claim->study.dataset);
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

/* Whether the folder's last run was a quick one. */
static orthant_status look_at_mark(orthant_context *ctx, const char *output, bool *quick)
{
    bool there;
    json_value *json = NULL;
    *quick = false;
    orthant_status status = is_there(ctx, output, "reproduce.json", &there);
    if (status || !there)
        return status;
    char *path = path_join(ctx, output, "reproduce.json");
    status = path ? json_read(ctx, path, &json) : ORTHANT_ERROR_MEMORY;
    memory_free(ctx, path);
    *quick = !status && json_member_truth(json, "quick");
    json_free(ctx, json);
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

orthant_status item_look(orthant_context *ctx, const reproducible *paper, const protocol_item *item,
                         const char *data, const char *output, item_facts *facts)
{
    places found = {0};
    orthant_status status = ORTHANT_OK;
    bool all_here = true, all_done = true, there;
    *facts = (item_facts){.reason = item->rows && *item->rows ? NULL : item->made};
    if (!item->rows || !*item->rows) {
        facts->state = item->rows ? ITEM_NOTHING : ITEM_NOT_BUILT;
        return ORTHANT_OK;
    }
    write_command(paper, item, facts);
    find_places(paper, item, &found);
    for (int i = 0; i < found.count && !status; i++) {
        if (*found.data[i] && !strstr(facts->data, found.data[i]))
            text_append(facts->data, sizeof facts->data, "%s%s", *facts->data ? "," : "",
                        found.data[i]);
        status = look_for_data(ctx, data, found.data[i], &there);
        all_here = all_here && there;
        if (!status)
            status = is_there(ctx, output, found.file[i], &there);
        all_done = all_done && there;
    }
    if (!status)
        status = look_at_mark(ctx, output, &facts->quick);
    facts->state = all_done && found.count ? ITEM_DONE : all_here ? ITEM_NOT_RUN : ITEM_NO_DATA;
    facts->quick = facts->quick && facts->state == ITEM_DONE;
    return status;
}

const char *item_state_name(item_state state)
{
    switch (state) {
    case ITEM_DONE: return "done";
    case ITEM_NOT_RUN: return "not run";
    case ITEM_NO_DATA: return "data not here";
    case ITEM_NOT_BUILT: return "not built";
    case ITEM_NOTHING: return "nothing to run";
    }
    return "";
}
