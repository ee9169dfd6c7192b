/* Tables of numbers, read in chunks by all threads; columns may be labels or names. */
#include <ctype.h>
#include <float.h>
#include <math.h>

#include "core/parallel.h"
#include "core/text.h"
#include "data/csv_columns.h"
#include "data/csv_labels.h"
#include "data/read.h"

typedef struct reading {
    csv_table *table;
    const csv_columns *columns;
    orthant_matrix *matrix;
} reading;

static inline bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* A whole number of up to three digits and a separator behind it, taken off the row: most of what
 * tables of pictures and of counts hold. */
static inline bool take_short(char separator, piece *row, double *value)
{
    const char *at = row->begin;
    if (!at || row->end - at < 4 || !is_digit(*at))
        return false;
    int number = *at++ - '0';
    for (int more = 0; more < 2 && is_digit(*at); more++)
        number = 10 * number + (*at++ - '0');
    if (*at != separator)
        return false;
    row->begin = at + 1;
    *value = number;
    return true;
}

/* A number that ends where its field does, taken off the row; false where it needs a closer look:
 * quotes, spaces behind it, something that is no number. */
static bool take_number(const csv_table *table, piece *row, double *value)
{
    if (!row->begin)
        return false;
    const char *at = row->begin;
    while (at < row->end && *at == ' ')
        at++;
    const char *stop = text_read_double(at, row->end, value);
    if (!stop || (stop < row->end && *stop != table->separator))
        return false;
    row->begin = stop < row->end ? stop + 1 : NULL;
    return true;
}

static bool read_field(const csv_table *table, piece *row, double *value)
{
    piece field;
    if (take_short(table->separator, row, value) || take_number(table, row, value))
        return true;
    if (!csv_field(table, row, &field))
        return false;
    if (field.begin < field.end && text_read_double(field.begin, field.end, value) == field.end)
        return true;
    *value = NAN;
    return table->missing && csv_is_missing(field);
}

/* `count` fields into the matrix from `first` on; false at the first that is to be refused. */
static bool read_fields(const csv_table *table, piece *row, int64_t count, int64_t first,
                        orthant_matrix *matrix)
{
    double value;
    for (int64_t j = 0; j < count; j++) {
        if (!read_field(table, row, &value))
            return false;
        if (matrix->precision == ORTHANT_DOUBLE)
            ((double *)matrix->values)[first + j] = value;
        else if (fabs(value) > (double)FLT_MAX)
            return false;
        else
            ((float *)matrix->values)[first + j] = (float)value;
    }
    return true;
}

static bool read_row(const reading *r, piece row, int64_t first)
{
    const bool *skipped = r->columns->skipped;
    piece field;
    for (int64_t j = 0, end; j < r->table->columns; j = end) {
        for (end = j; end < r->table->columns && skipped[end] == skipped[j]; end++)
            ;
        for (int64_t i = j; i < end && skipped[j]; i++)
            csv_field(r->table, &row, &field);
        if (skipped[j])
            continue;
        if (!read_fields(r->table, &row, end - j, first, r->matrix))
            return false;
        first += end - j;
    }
    return true;
}

static void read_chunk(void *user, int64_t chunk, int thread)
{
    const reading *r = user;
    csv_table part = csv_part(r->table, chunk);
    csv_chunk *c = &r->table->chunks[chunk];
    piece row;
    (void)thread;
    for (int64_t i = c->first; !c->bad && csv_row(&part, &row); i++)
        c->bad = !read_row(r, row, i * r->matrix->columns);
}

/* Says what is wrong with the first field that is to be refused. */
static orthant_status refuse_field(csv_table *table, const csv_columns *columns)
{
    piece row, field;
    double value;
    while (csv_row(table, &row))
        for (int64_t j = 0; csv_field(table, &row, &field); j++) {
            if (columns->skipped[j] || (table->missing && csv_is_missing(field)))
                continue;
            if (text_read_double(field.begin, field.end, &value) != field.end)
                return csv_refuse(
                    table, j + 1, field,
                    field.begin < field.end && isalpha((unsigned char)*field.begin) &&
                            !csv_is_missing(field)
                        ? "a finite number (truth = 'NAME' names a column of classes, "
                          "id_column = 'NAME' one of names, drop = 'NAME' others)"
                        : "a finite number");
            if (table->text.ctx->precision == ORTHANT_SINGLE && fabs(value) > (double)FLT_MAX)
                return csv_refuse(
                    table, j + 1, field,
                    "a number that single precision can hold; use precision = 'double'");
        }
    return ORTHANT_OK;
}

orthant_status csv_read_matrix(csv_table *table, const csv_columns *columns, orthant_matrix **found)
{
    orthant_context *ctx = table->text.ctx;
    bool bad = false;
    const orthant_status status =
        matrix_new_dense(ctx, ctx->precision, table->rows, columns->features, found);
    if (status != ORTHANT_OK)
        return status;
    parallel_for(ctx, table->chunk_count, read_chunk, &(reading){table, columns, *found});
    for (int64_t i = 0; i < table->chunk_count; i++)
        bad = bad || table->chunks[i].bad;
    return bad ? refuse_field(table, columns) : ORTHANT_OK;
}

orthant_status read_csv(orthant_context *ctx, const char *path, const orthant_read_options *options,
                        orthant_matrix **found, orthant_labels **truth)
{
    csv_table table;
    csv_columns columns;
    *found = NULL;
    *truth = NULL;
    orthant_status status = csv_open(ctx, path, &table);
    if (status != ORTHANT_OK)
        return status;
    table.missing = options->missing;
    status = csv_columns_find(&table, options, &columns);
    if (status == ORTHANT_OK)
        status = csv_read_matrix(&table, &columns, found);
    if (status == ORTHANT_OK)
        status = csv_read_feature_names(&table, &columns, &(*found)->feature_names);
    if (!status)
        status = csv_read_sample_names(&table, &columns, &(*found)->sample_names);
    if (status == ORTHANT_OK && !options->transpose)
        csv_warn_columns(&table, &columns, *found);
    if (status == ORTHANT_OK && columns.label >= 0)
        status = csv_read_labels(&table, columns.label, truth);
    csv_columns_free(ctx, &columns);
    csv_close(&table);
    if (status != ORTHANT_OK) {
        orthant_matrix_free(*found);
        *found = NULL;
    }
    return status;
}
