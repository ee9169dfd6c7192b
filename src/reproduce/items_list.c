/* A paper's items as a list for people and programs. */
#include <string.h>

#include "orthant/reproduce.h"
#include "report/json.h"
#include "report/tables.h"
#include "report/text_output.h"
#include "reproduce/items.h"

static const char *state_words(const item_facts *facts)
{
    return facts->quick      ? "done (quick)"
           : facts->stand_in ? "done, stand-in"
                             : item_state_name(facts->state);
}

static void print_item(FILE *out, const protocol_item *item, const item_facts *facts)
{
    fprintf(out, "%-7s %-16s %-14s %s\n", item->kind, item->number, state_words(facts), item->what);
}

static void write_item(json_writer *json, const protocol_item *item, const item_facts *facts)
{
    json_open_object(json, NULL);
    json_text(json, "kind", item->kind);
    json_text(json, "id", item->number);
    json_text(json, "what", item->what);
    json_text(json, "command", *facts->command ? facts->command : NULL);
    json_list(json, "data", facts->data);
    json_text(json, "state", item_state_name(facts->state));
    json_truth(json, "quick", facts->quick);
    json_text(json, "note", *facts->note ? facts->note : NULL);
    json_close(json);
}

static void add_item(sheet *table, const protocol_item *item, const item_facts *facts)
{
    sheet_add_row(table, false);
    sheet_add_text(table, item->kind);
    sheet_add_text(table, item->number);
    sheet_add_text(table, item->what);
    sheet_add_text(table, *facts->command ? facts->command : facts->note);
    sheet_add_text(table, facts->data);
    sheet_add_text(table, state_words(facts));
}

static sheet *new_sheet(orthant_context *ctx, const char *title)
{
    static const char *const columns[] = {"kind", "id", "what", "made by", "data", "state"};
    char caption[300];
    snprintf(caption, sizeof caption, "What %.200s holds.", title);
    sheet *table = sheet_new(ctx, "items", caption);
    for (int i = 0; i < 6; i++)
        sheet_add_column(table, columns[i], -1);
    if (table)
        table->head_columns = 2;
    return table;
}

/* One of them is written to: the sheet, or else the JSON, or else the text. */
static orthant_status list_items(orthant_context *ctx, const reproducible *paper, const char *data,
                                 const char *output, FILE *out, json_writer *json, sheet *table)
{
    orthant_status status = ORTHANT_OK;
    for (const protocol_item *item = paper->items; item->kind && !status; item++) {
        item_facts facts;
        status = item_look(ctx, paper, item, data, output, &facts);
        if (status)
            break;
        if (table)
            add_item(table, item, &facts);
        else if (json)
            write_item(json, item, &facts);
        else
            print_item(out, item, &facts);
    }
    return status || !table ? status : sheet_status(table);
}

orthant_status orthant_paper_items(orthant_context *context, const char *paper, const char *data,
                                   const char *output, const char *format, char **text)
{
    sheet_format kind = SHEET_MARKDOWN;
    text_output printed;
    bool screen = false;
    sheet *table = NULL;
    if (text)
        *text = NULL;
    orthant_status status = entry_check(context, paper && format && text, __func__);
    if (status)
        return status;
    const reproducible *known = reproducible_find(paper);
    if (!known)
        return reproducible_refuse(context, paper);
    const bool json = !strcmp(format, "json");
    if (!json && !tables_format(format, &screen, &kind))
        return tables_refuse_format(context, format);
    if (!json && !screen && !(table = new_sheet(context, known->title)))
        return ORTHANT_ERROR_MEMORY;
    status = text_output_begin(context, &printed);
    if (!status) {
        json_writer writer = {.file = printed.file};
        if (json)
            json_open_array(&writer, NULL);
        status =
            list_items(context, known, data, output, printed.file, json ? &writer : NULL, table);
        if (json)
            json_close(&writer);
        if (!status && table)
            sheet_write(table, kind, printed.file);
        status = text_output_end(&printed, status, text);
    }
    sheet_free(table);
    return status;
}
