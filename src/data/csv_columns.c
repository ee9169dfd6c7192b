#include "data/csv_columns.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <strings.h>

#include "core/file.h"
#include "core/memory.h"
#include "core/text.h"
#include "core/text_stream.h"
#include "data/csv_labels.h"
#include "data/csv_text.h"
#include "data/kind.h"
#include "orthant/data.h"

#define NAME_BYTES 256
#define ROWS_LOOKED_AT 1000

/* ---- which columns ------------------------------------------------------------------------- */

/* The column of the table that `wanted` names, or -1: by its name alone, as "table.csv:NAME", or by
 * its number where there is no label file of that name. */
static orthant_status find_labels(const csv_table *table, const char *wanted, int64_t *column)
{
    char *file = NULL;
    const char *inside;
    int64_t number;
    *column = -1;
    if (!wanted || strcmp(wanted, "none") == 0)
        return ORTHANT_OK;
    orthant_status status = file_split(table->text.ctx, wanted, &file, &inside);
    if (status != ORTHANT_OK)
        return status;
    *column = csv_find_name(table, wanted);
    if (*column < 0 && file_same(file, table->text.path))
        status = csv_choose_column(table, inside, column);
    else if (*column < 0 && !file_exists(file) && text_to_int64(wanted, &number) && number >= 1 &&
             number <= table->columns)
        *column = number - 1;
    else if (*column < 0 && !file_exists(file))
        status = fail(table->text.ctx, ORTHANT_ERROR_IO,
                      "%s: truth '%s' is neither a column in it nor a label file", table->text.path,
                      wanted);
    memory_free(table->text.ctx, file);
    return status;
}

/* Names with a comma between them. */
static orthant_status drop_columns(const csv_table *table, const char *list, csv_columns *c)
{
    orthant_status status = ORTHANT_OK;
    for (const char *at = list; at && !status;) {
        char name[NAME_BYTES];
        int64_t column;
        const size_t length = strcspn(at, ",");
        snprintf(name, sizeof name, "%.*s", (int)length, at);
        status = csv_choose_column(table, name, &column);
        if (!status)
            c->skipped[column] = true;
        at = at[length] ? at + length + 1 : NULL;
    }
    return status;
}

orthant_status csv_columns_find(const csv_table *table, const orthant_read_options *options,
                                csv_columns *c)
{
    orthant_context *ctx = table->text.ctx;
    *c = (csv_columns){.label = -1, .id = -1};
    c->skipped = memory_new(ctx, table->columns, sizeof *c->skipped, "columns of a table");
    orthant_status status = c->skipped ? ORTHANT_OK : ORTHANT_ERROR_MEMORY;
    if (!status)
        status = find_labels(table, options->truth, &c->label);
    if (!status && options->id_column)
        status = csv_choose_column(table, options->id_column, &c->id);
    else if (!status && table->header && table->columns > 1 && c->label != 0 &&
             csv_find_name(table, CSV_SAMPLE_COLUMN) == 0)
        c->id = 0;
    if (!status && options->drop)
        status = drop_columns(table, options->drop, c);
    if (status)
        return status;
    if (c->label >= 0)
        c->skipped[c->label] = true;
    if (c->id >= 0)
        c->skipped[c->id] = true;
    for (int64_t j = 0; j < table->columns; j++)
        c->features += !c->skipped[j];
    if (c->features == 0 && c->label >= 0 && table->columns == 1)
        return fail(ctx, ORTHANT_ERROR_ARGUMENT,
                    "%s: the labels are its only column, expected features beside them",
                    table->text.path);
    if (c->features == 0)
        return fail(ctx, ORTHANT_ERROR_ARGUMENT,
                    "%s: no column is left as a feature of the %lld that it has", table->text.path,
                    (long long)table->columns);
    return ORTHANT_OK;
}

void csv_columns_free(orthant_context *ctx, csv_columns *columns)
{
    memory_free(ctx, columns->skipped);
    columns->skipped = NULL;
}

/* ---- their names --------------------------------------------------------------------------- */

orthant_status csv_read_feature_names(const csv_table *table, const csv_columns *c,
                                      name_list *features)
{
    piece names = table->names, field;
    char name[NAME_BYTES];
    orthant_status status = ORTHANT_OK;
    for (int64_t j = 0; table->header && !status && csv_field(table, &names, &field); j++) {
        if (c->skipped[j])
            continue;
        csv_copy_text(field, name, sizeof name);
        status = names_add(table->text.ctx, features, name);
    }
    return status;
}

orthant_status csv_read_sample_names(const csv_table *table, const csv_columns *c,
                                     name_list *samples)
{
    csv_table rows = *table;
    piece row, field;
    char name[NAME_BYTES];
    orthant_status status = ORTHANT_OK;
    while (c->id >= 0 && !status && csv_row(&rows, &row)) {
        for (int64_t j = 0; j <= c->id; j++)
            csv_field(&rows, &row, &field);
        csv_copy_text(field, name, sizeof name);
        status = names_add(table->text.ctx, samples, name);
    }
    return status;
}

/* ---- what is seldom meant ------------------------------------------------------------------ */

/* Each is one more than the last, or each one less: 0, 1, 2, ..., or 40, 39, 38, ... */
static bool counts_rows(const orthant_matrix *matrix, int64_t column)
{
    if (matrix->rows < 5)
        return false;
    const double first = matrix_value(matrix, column),
                 step = matrix_value(matrix, matrix->stride + column) - first;
    for (int64_t i = 1; i < matrix->rows; i++)
        if (matrix_value(matrix, i * matrix->stride + column) != first + step * (double)i)
            return false;
    return fabs(step) == 1;
}

static bool is_whole(const orthant_matrix *matrix, int64_t column)
{
    for (int64_t i = 0; i < matrix->rows; i++) {
        const double value = matrix_value(matrix, i * matrix->stride + column);
        if (value != floor(value))
            return false;
    }
    return true;
}

static bool is_one_of(const char *name, const char *const *words)
{
    for (; name && *words; words++)
        if (!strcasecmp(name, *words))
            return true;
    return false;
}

/* "Unnamed: 0" is what pandas makes of an index. */
static bool names_samples(const char *name)
{
    static const char *const words[] = {"id", "index", "idx", "row", "unnamed: 0", NULL};
    const size_t length = name ? strlen(name) : 0;
    return is_one_of(name, words) || (length > 3 && !strcasecmp(name + length - 3, "_id"));
}

static bool names_classes(const char *name)
{
    static const char *const words[] = {"class", "classes", "label", "labels",  "target",   "truth",
                                        "gnd",   "species", "y",     "cluster", "category", NULL};
    return is_one_of(name, words);
}

void csv_warn_columns(const csv_table *table, const csv_columns *c, const orthant_matrix *matrix)
{
    orthant_context *ctx = table->text.ctx;
    /* Without the only feature nothing would be left. */
    for (int64_t j = 0, feature = 0; c->features > 1 && j < table->columns; j++) {
        char number[24];
        if (c->skipped[j])
            continue;
        const char *name = names_at(&matrix->feature_names, feature);
        snprintf(number, sizeof number, "%lld", (long long)j + 1);
        const char *called = name && *name ? name : number;
        const bool counts = counts_rows(matrix, feature);
        if (counts || (names_samples(name) && is_whole(matrix, feature)))
            log_warning(ctx,
                        "%s: column %s %s and is taken for a feature; id_column = '%s' takes it "
                        "for names, drop = '%s' leaves it out",
                        table->text.path, called, counts ? "counts the rows" : "numbers the rows",
                        called, called);
        else if (names_classes(name))
            log_warning(ctx,
                        "%s: column %s is taken for a feature; truth = '%s' takes it for classes",
                        table->text.path, called, called);
        feature++;
    }
}

/* ---- what holds text ----------------------------------------------------------------------- */

/* How many. */
static int64_t mark_text(const csv_table *table, bool *text)
{
    int64_t count = 0;
    csv_table rows = *table;
    piece row, field;
    for (int64_t i = 0; i < ROWS_LOOKED_AT && csv_row(&rows, &row); i++)
        for (int64_t j = 0; j < table->columns && csv_field(&rows, &row, &field); j++)
            text[j] = text[j] || !(csv_is_numeric(field) || csv_is_missing(field));
    for (int64_t j = 0; j < table->columns; j++)
        count += text[j];
    return count;
}

/* Whether a name chooses its column in a list with commas: an empty one does not, nor one with a
 * comma, nor the second of two that are the same. */
static bool is_chosen_by(const csv_table *table, const char *name, int64_t column)
{
    return *name && !strchr(name, ',') && csv_find_name(table, name) == column;
}

static orthant_status list_columns(const csv_table *table, const bool *text, char **columns)
{
    piece names = table->names, field = {0};
    char name[NAME_BYTES];
    text_stream list;
    orthant_status status = text_stream_open(table->text.ctx, &list);
    for (int64_t j = 0, listed = 0; j < table->columns && !status; j++) {
        if (table->header && !csv_field(table, &names, &field))
            break;
        if (!text[j])
            continue;
        *name = '\0';
        if (table->header)
            csv_copy_text(field, name, sizeof name);
        fputs(listed++ ? "," : "", list.file);
        if (is_chosen_by(table, name, j))
            fputs(name, list.file);
        else
            fprintf(list.file, "%" PRId64, j + 1);
    }
    if (!status)
        status = text_stream_close(&list);
    if (!status && list.length)
        *columns = memory_text(table->text.ctx, list.text);
    if (!status && list.length && !*columns)
        status = ORTHANT_ERROR_MEMORY;
    text_stream_free(&list);
    return status;
}

orthant_status orthant_table_text_columns(orthant_context *context, const char *path,
                                          char **columns)
{
    csv_table table;
    file_kind kind;
    if (columns)
        *columns = NULL;
    const orthant_status refused = entry_check(context, path && columns, __func__);
    if (refused)
        return refused;
    orthant_status status = kind_of_file(context, path, &kind);
    if (status || kind != KIND_CSV)
        return status;
    status = csv_open(context, path, &table);
    if (status)
        return status;
    bool *text = memory_new(context, table.columns, sizeof *text, "columns of a table");
    if (!text)
        status = ORTHANT_ERROR_MEMORY;
    else if (mark_text(&table, text) < table.columns)
        status = list_columns(&table, text, columns);
    memory_free(context, text);
    csv_close(&table);
    return status;
}
