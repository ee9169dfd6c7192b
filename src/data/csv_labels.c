/* Finds the column of labels by name or number; reads numbers, or numbers the names. */
#include "data/csv_labels.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/text.h"
#include "data/csv_text.h"
#include "data/labels.h"

/* ---- which column -------------------------------------------------------------------------- */

int64_t csv_find_name(const csv_table *table, const char *name)
{
    piece names = table->names, field;
    char found[256];
    for (int64_t j = 0; table->header && csv_field(table, &names, &field); j++) {
        csv_copy_text(field, found, sizeof found);
        if (strcmp(found, name) == 0)
            return j;
    }
    return -1;
}

orthant_status csv_choose_column(const csv_table *table, const char *wanted, int64_t *column)
{
    int64_t number;
    *column = 0;
    if (!wanted && table->columns == 1)
        return ORTHANT_OK;
    if (!wanted)
        return fail(table->text.ctx, ORTHANT_ERROR_FORMAT,
                    "%s: found %" PRId64 " columns, expected labels in one; name it as %s:COLUMN",
                    table->text.path, table->columns, table->text.path);
    *column = csv_find_name(table, wanted);
    if (*column >= 0)
        return ORTHANT_OK;
    if (!text_to_int64(wanted, &number) || number < 1 || number > table->columns)
        return fail(table->text.ctx, ORTHANT_ERROR_ARGUMENT,
                    "%s: no column '%s'; give %s or a number from 1 to %" PRId64, table->text.path,
                    wanted, table->header ? "a name of its header" : "a name (it has no header)",
                    table->columns);
    *column = number - 1;
    return ORTHANT_OK;
}

/* ---- their rows ---------------------------------------------------------------------------- */

static bool next_entry(csv_table *table, int64_t column, piece *entry)
{
    piece row;
    if (!csv_row(table, &row))
        return false;
    for (int64_t j = 0; j <= column; j++)
        csv_field(table, &row, entry);
    return true;
}

/* Whether the first entry that is not missing is a name. */
static bool holds_names(csv_table table, int64_t column)
{
    piece entry;
    while (next_entry(&table, column, &entry))
        if (!csv_is_missing(entry))
            return !csv_is_numeric(entry);
    return false;
}

static bool same(piece a, piece b)
{
    return a.end - a.begin == b.end - b.begin &&
           memcmp(a.begin, b.begin, (size_t)(a.end - a.begin)) == 0;
}

void csv_take_header_as_label(csv_table *table)
{
    csv_table below = *table;
    piece names = table->names, name, entry;
    if (!table->header || table->columns != 1 || !holds_names(*table, 0) ||
        !csv_field(table, &names, &name))
        return;
    while (next_entry(&below, 0, &entry))
        if (same(entry, name)) {
            table->header = false;
            table->rows++;
            table->text.at = table->names.begin;
            table->text.number--;
            table->lines_inside = 0;
            return;
        }
}

orthant_status csv_read_label(const csv_table *table, int64_t column, piece entry, int64_t *label)
{
    double value;
    if (text_read_double(entry.begin, entry.end, &value) != entry.end || fabs(value) > 0x1p53 ||
        value != floor(value))
        return csv_refuse(table, column + 1, entry, "a whole number as label");
    *label = (int64_t)value;
    return ORTHANT_OK;
}

static orthant_status read_numbers(csv_table *table, int64_t column, int64_t *values)
{
    piece entry = {NULL, NULL};
    orthant_status status = ORTHANT_OK;
    for (int64_t i = 0; !status && next_entry(table, column, &entry); i++)
        if (csv_is_missing(entry))
            values[i] = -1; /* not known */
        else
            status = csv_read_label(table, column, entry, &values[i]);
    return status;
}

/* ---- names --------------------------------------------------------------------------------- */

typedef struct named {
    piece name;
    int64_t sample;
} named;

static int by_name(const void *left, const void *right)
{
    const named *a = left, *b = right;
    const int64_t one = a->name.end - a->name.begin, other = b->name.end - b->name.begin;
    const int order = memcmp(a->name.begin, b->name.begin, (size_t)(one < other ? one : other));
    if (order != 0 || one != other)
        return order != 0 ? order : one < other ? -1 : 1;
    return a->sample < b->sample ? -1 : a->sample > b->sample;
}

/* For the reader of the results: "classes by name: 0 setosa, 1 versicolor". */
static void tell_classes(const csv_table *table, const named *entries, int64_t count,
                         const int64_t *values)
{
    char text[240] = "", name[60];
    bool whole = true;
    for (int64_t i = 0; i < count && whole; i++)
        if (i == 0 || !same(entries[i - 1].name, entries[i].name)) {
            csv_copy_text(entries[i].name, name, sizeof name);
            whole = text_append(text, sizeof text - 8, "%s%" PRId64 " %s", i ? ", " : "",
                                values[entries[i].sample], name);
        }
    log_note(table->text.ctx, "%s: classes by name: %s%s", table->text.path, text,
             whole ? "" : " ...");
}

static orthant_status read_names(csv_table *table, int64_t column, int64_t *values,
                                 name_list *classes)
{
    orthant_context *ctx = table->text.ctx;
    piece entry = {NULL, NULL};
    int64_t count = 0, class = 0;
    orthant_status status = ORTHANT_OK;
    named *entries = memory_new(ctx, table->rows, sizeof *entries, "names of classes");
    if (!entries)
        return ORTHANT_ERROR_MEMORY;
    for (int64_t i = 0; !status && next_entry(table, column, &entry); i++) {
        values[i] = -1;
        if (csv_is_missing(entry))
            continue;
        if (csv_is_numeric(entry))
            status =
                csv_refuse(table, column + 1, entry, "the name of a class, as in the rows above");
        entries[count++] = (named){entry, i};
    }
    if (!status) {
        qsort(entries, (size_t)count, sizeof *entries, by_name);
        for (int64_t i = 0; i < count && !status; i++) {
            char name[256];
            const bool first = i == 0 || !same(entries[i - 1].name, entries[i].name);
            class += i > 0 && first;
            values[entries[i].sample] = class;
            csv_copy_text(entries[i].name, name, sizeof name);
            if (first)
                status = names_add(ctx, classes, name);
        }
        tell_classes(table, entries, count, values);
    }
    memory_free(ctx, entries);
    return status;
}

/* "table.csv:class", or by its number from 1 where it has no name or is not the first of that name;
 * of a table with one column the file says it all. */
static orthant_status set_source(const csv_table *table, int64_t column, orthant_labels **labels)
{
    char name[256];
    piece row = table->names, field = {NULL, NULL};
    if (table->columns < 2)
        return ORTHANT_OK;
    bool has_name = table->header;
    for (int64_t i = 0; i <= column && has_name; i++)
        has_name = csv_field(table, &row, &field);
    snprintf(name, sizeof name, "%.*s", has_name ? (int)(field.end - field.begin) : 0, field.begin);
    if (!has_name || csv_find_name(table, name) != column)
        snprintf(name, sizeof name, "%" PRId64, column + 1);
    return labels_set_source(labels, table->text.path, name);
}

orthant_status csv_read_labels(csv_table *table, int64_t column, orthant_labels **labels)
{
    orthant_context *ctx = table->text.ctx;
    int64_t *values = memory_new(ctx, table->rows, sizeof *values, "labels");
    if (!values)
        return ORTHANT_ERROR_MEMORY;
    name_list classes = {0};
    orthant_status status = holds_names(*table, column)
                                ? read_names(table, column, values, &classes)
                                : read_numbers(table, column, values);
    if (status == ORTHANT_OK)
        status = orthant_labels_create(ctx, table->rows, values, labels);
    if (status == ORTHANT_OK)
        (*labels)->class_names = classes;
    else
        names_free(ctx, &classes);
    if (status == ORTHANT_OK)
        status = set_source(table, column, labels);
    memory_free(ctx, values);
    return status;
}
