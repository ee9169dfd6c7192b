/* Filling a table: columns, rows, cells, notes, and the best entry of a column. */
#include "report/sheet.h"

#include <math.h>
#include <string.h>

#include "core/memory.h"

#define FULL_DIFFERENCE 10 /* points of a percentage */

sheet *sheet_new(orthant_context *ctx, const char *name, const char *caption)
{
    sheet *table = memory_new(ctx, 1, sizeof *table, "a table");
    if (!table)
        return NULL;
    *table =
        (sheet){.ctx = ctx, .head_columns = 1, .full_difference = FULL_DIFFERENCE, .spread = "sd"};
    table->name = memory_text(ctx, name);
    table->caption = memory_text(ctx, caption);
    if (!table->name || !table->caption)
        table->status = ORTHANT_ERROR_MEMORY;
    return table;
}

void sheet_rename(sheet *table, const char *name, const char *caption)
{
    if (!table)
        return;
    char *new_name = memory_text(table->ctx, name), *new_caption = memory_text(table->ctx, caption);
    memory_free(table->ctx, table->name);
    memory_free(table->ctx, table->caption);
    table->name = new_name;
    table->caption = new_caption;
    if (!new_name || !new_caption)
        table->status = ORTHANT_ERROR_MEMORY;
}

void sheet_free(sheet *table)
{
    if (!table)
        return;
    orthant_context *ctx = table->ctx;
    for (int c = 0; c < table->columns; c++)
        memory_free(ctx, table->column[c].title);
    for (int i = 0; table->cell && i < table->rows * table->columns; i++)
        memory_free(ctx, table->cell[i].text);
    for (int i = 0; i < table->notes; i++)
        memory_free(ctx, table->note[i]);
    memory_free(ctx, table->column);
    memory_free(ctx, table->summary);
    memory_free(ctx, table->cell);
    memory_free(ctx, table->note);
    memory_free(ctx, table->name);
    memory_free(ctx, table->caption);
    memory_free(ctx, table);
}

orthant_status sheet_status(const sheet *table)
{
    if (!table)
        return ORTHANT_ERROR_MEMORY;
    if (!table->status && table->rows && table->filled != table->columns)
        return fail(table->ctx, ORTHANT_ERROR_ARGUMENT, "table '%s': row %d has %d of %d cells",
                    table->name, table->rows, table->filled, table->columns);
    return table->status;
}

/* Makes *memory hold `count` elements of `size` bytes; false, with the table's status set, where
 * memory is short. */
static bool reserve(sheet *table, void *memory, int64_t count, size_t size)
{
    void **block = memory;
    void *grown = *block ? memory_resize(table->ctx, *block, count, size, "a table")
                         : memory_new(table->ctx, count, size, "a table");
    if (grown)
        *block = grown;
    else
        table->status = ORTHANT_ERROR_MEMORY;
    return grown != NULL;
}

static char *copy_text(sheet *table, const char *text)
{
    char *copy = memory_text(table->ctx, text);
    if (!copy)
        table->status = ORTHANT_ERROR_MEMORY;
    return copy;
}

void sheet_add_column(sheet *table, const char *title, int decimals)
{
    if (!table || table->status ||
        !reserve(table, &table->column, table->columns + 1, sizeof *table->column))
        return;
    table->column[table->columns++] =
        (sheet_column){.title = copy_text(table, title), .decimals = decimals};
}

void sheet_add_counts(sheet *table, const char *title)
{
    sheet_add_column(table, title, 0);
    if (table && !table->status)
        table->column[table->columns - 1].compact = true;
}

void sheet_add_row(sheet *table, bool summary)
{
    if (!table || sheet_status(table)) {
        if (table)
            table->status = sheet_status(table);
        return;
    }
    if (!reserve(table, &table->summary, table->rows + 1, sizeof *table->summary) ||
        !reserve(table, &table->cell, (int64_t)(table->rows + 1) * table->columns,
                 sizeof *table->cell))
        return;
    table->summary[table->rows++] = summary;
    table->filled = 0;
}

static void add_cell(sheet *table, sheet_cell cell)
{
    if (!table || table->status)
        return;
    if (!table->rows || table->filled == table->columns) {
        table->status =
            fail(table->ctx, ORTHANT_ERROR_ARGUMENT, "table '%s': more cells than its %d columns",
                 table->name, table->columns);
        return;
    }
    if (cell.text && !(cell.text = copy_text(table, cell.text)))
        return;
    table->cell[(table->rows - 1) * table->columns + table->filled++] = cell;
}

void sheet_add_text(sheet *table, const char *text)
{
    add_cell(table, (sheet_cell){.text = (char *)text, .value = NAN, .spread = NAN, .paper = NAN});
}

void sheet_add_number(sheet *table, double value)
{
    add_cell(table, (sheet_cell){.value = value, .spread = NAN, .paper = NAN});
}

void sheet_add_mean(sheet *table, double mean, double spread)
{
    add_cell(table, (sheet_cell){.value = mean, .spread = spread, .paper = NAN});
}

void sheet_add_compared(sheet *table, double ours, double spread, double paper, int mark)
{
    add_cell(table, (sheet_cell){.value = ours, .spread = spread, .paper = paper, .mark = mark});
}

int sheet_add_note(sheet *table, const char *text)
{
    if (!table || table->status)
        return 0;
    for (int i = 0; i < table->notes; i++)
        if (strcmp(table->note[i], text) == 0)
            return i + 1;
    if (!reserve(table, &table->note, table->notes + 1, sizeof *table->note))
        return 0;
    char *copy = copy_text(table, text);
    if (!copy)
        return 0;
    table->note[table->notes++] = copy;
    return table->notes;
}

/* ---- the best ---------------------------------------------------------------------------------
 */

/* The cells [first, last) at `step` from each other, those of rows that are summaries or are not.
 */
static void mark_line(sheet *table, int first, int last, int step, bool summary, bool lower)
{
    double best = NAN;
    for (int i = first; i < last; i += step) {
        const double value = table->cell[i].value;
        if (table->summary[i / table->columns] == summary && !isnan(value) &&
            i % table->columns >= table->head_columns &&
            (isnan(best) || (lower ? value < best : value > best)))
            best = value;
    }
    for (int i = first; i < last && !isnan(best); i += step)
        if (table->summary[i / table->columns] == summary &&
            i % table->columns >= table->head_columns && table->cell[i].value == best)
            table->cell[i].best = true;
}

void sheet_mark_column(sheet *table, int column, bool lower_is_better)
{
    if (sheet_status(table))
        return;
    mark_line(table, column, table->rows * table->columns, table->columns, false, lower_is_better);
    mark_line(table, column, table->rows * table->columns, table->columns, true, lower_is_better);
}

void sheet_mark_best(sheet *table, bool by_column, bool lower_is_better)
{
    if (sheet_status(table))
        return;
    for (int r = 0; r < table->rows && !by_column; r++)
        mark_line(table, r * table->columns, (r + 1) * table->columns, 1, table->summary[r],
                  lower_is_better);
    for (int c = table->head_columns; c < table->columns && by_column; c++)
        sheet_mark_column(table, c, lower_is_better);
}

/* ---- lists ------------------------------------------------------------------------------------
 */

orthant_status sheet_list_add(sheet_list *list, sheet *table)
{
    orthant_status status = sheet_status(table);
    sheet **grown = NULL;
    if (!status) {
        grown = list->table ? memory_resize(list->ctx, list->table, list->count + 1, sizeof *grown,
                                            "tables")
                            : memory_new(list->ctx, 1, sizeof *grown, "tables");
        status = grown ? ORTHANT_OK : ORTHANT_ERROR_MEMORY;
    }
    if (status) {
        sheet_free(table);
        return status;
    }
    list->table = grown;
    list->table[list->count++] = table;
    return ORTHANT_OK;
}

void sheet_list_free(sheet_list *list)
{
    for (int i = 0; i < list->count; i++)
        sheet_free(list->table[i]);
    if (list->table)
        memory_free(list->ctx, list->table);
    list->table = NULL;
    list->count = 0;
}
