/* Fields, quotes and lines; the shape is measured in chunks by all threads before reading. */
#include "data/csv.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "core/memory.h"
#include "core/parallel.h"

#define CHUNK_BYTES (1 << 20)

/* What ends a field while the separator is still to be found. */
#define ANY_SEPARATOR '\0'

static bool ends_field(char c, char separator)
{
    if (separator == ANY_SEPARATOR)
        return c == '\t' || c == ';' || c == ',' || c == ' ';
    return c == separator || (separator == ' ' && c == '\t');
}

/* The end of a field that starts with a quote: behind the closing one; doubled quotes are part of
 * the field. *open where there is none: the text ends inside the quotes. */
static const char *end_of_quoted(const char *at, const char *end, bool *open)
{
    for (at++; at < end; at++) {
        if (*at != '"')
            continue;
        if (at + 1 == end || at[1] != '"')
            return at + 1;
        at++;
    }
    *open = true;
    return end;
}

/* Where the field's own characters begin: behind spaces, where they do not separate. */
static const char *start_of_field(const char *at, const char *end, char separator)
{
    while (at < end && *at == ' ' && !ends_field(*at, separator))
        at++;
    return at;
}

/* The separator behind `at`, or `end`. */
static const char *find_end(const char *at, const char *end, char separator)
{
    while (at < end && !ends_field(*at, separator))
        at++;
    return at;
}

/* The end of the field that starts at `at`: its separator, or `end`. A quote counts where it is the
 * first character alone. */
static const char *end_of_field(const char *at, const char *end, char separator)
{
    bool open = false;
    at = start_of_field(at, end, separator);
    if (at < end && *at == '"')
        at = end_of_quoted(at, end, &open);
    return find_end(at, end, separator);
}

/* A row that ends inside of quotes goes on in the lines below it, to the end of the one where the
 * quotes are closed; where they never are, it is its first line alone. */
static void take_lines_below(csv_table *table, piece *row)
{
    lines *text = &table->text;
    const char *at = row->begin;
    bool open = false;
    if (!memchr(at, '"', (size_t)(row->end - at)))
        return;
    for (; at < row->end; at++) {
        at = start_of_field(at, row->end, table->separator);
        if (at < row->end && *at == '"')
            at = end_of_quoted(at, text->end, &open);
        if (open)
            return;
        for (piece line; at > row->end && lines_next(text, &line); row->end = line.end) {
            text->number--;
            table->lines_inside++;
        }
        at = find_end(at, row->end, table->separator);
    }
}

bool csv_row(csv_table *table, piece *row)
{
    table->text.number += table->lines_inside;
    table->lines_inside = 0;
    while (lines_next(&table->text, row)) {
        const piece trimmed = piece_trim(*row);
        if (trimmed.begin < trimmed.end && *trimmed.begin != '#') {
            take_lines_below(table, row);
            if (table->separator == ' ')
                *row = piece_trim(*row);
            return true;
        }
    }
    return false;
}

bool csv_field(const csv_table *table, piece *row, piece *field)
{
    if (!row->begin)
        return false;
    if (table->separator == ' ') {
        *row = piece_trim(*row);
        if (row->begin == row->end)
            return false;
    }
    const char *at = end_of_field(row->begin, row->end, table->separator);
    *field = piece_trim((piece){row->begin, at});
    row->begin = at < row->end ? at + 1 : NULL;
    if (field->end - field->begin >= 2 && *field->begin == '"' && field->end[-1] == '"') {
        field->begin++;
        field->end--;
    }
    return true;
}

orthant_status csv_refuse(const csv_table *table, int64_t column, piece field, const char *expected)
{
    return fail(table->text.ctx, ORTHANT_ERROR_FORMAT,
                "%s:%" PRId64 ":%" PRId64 ": found '%s', expected %s", table->text.path,
                table->text.number, column, piece_show(field).text, expected);
}

/* Steps of a constant width, which the compiler turns into vectors. */
#define STEP 64

static int64_t count_characters(piece row, char wanted)
{
    int64_t count = 0;
    for (; row.end - row.begin >= STEP; row.begin += STEP) {
        unsigned char found = 0;
        for (int i = 0; i < STEP; i++)
            found = (unsigned char)(found + (row.begin[i] == wanted));
        count += found;
    }
    for (; row.begin < row.end; row.begin++)
        count += *row.begin == wanted;
    return count;
}

static int64_t count_fields(const csv_table *table, piece row)
{
    piece field;
    int64_t count = 0;
    if (table->separator != ' ' && !memchr(row.begin, '"', (size_t)(row.end - row.begin)))
        return count_characters(row, table->separator) + 1;
    while (csv_field(table, &row, &field))
        count++;
    return count;
}

/* A tab, else a semicolon, else a comma that stands outside of quotes; spaces where there is none.
 */
static char find_separator(piece row)
{
    static const char candidates[] = "\t;,";
    bool found[sizeof candidates] = {false};
    for (const char *at = row.begin; at < row.end; at++) {
        at = end_of_field(at, row.end, ANY_SEPARATOR);
        const char *candidate = at < row.end ? strchr(candidates, *at) : NULL;
        if (candidate)
            found[candidate - candidates] = true;
    }
    for (int i = 0; candidates[i]; i++)
        if (found[i])
            return candidates[i];
    return ' ';
}

bool csv_is_numeric(piece field)
{
    bool digit = false;
    for (const char *c = field.begin; c < field.end; c++) {
        if (!isdigit((unsigned char)*c) && !strchr("+-.eE", *c))
            return false;
        digit = digit || isdigit((unsigned char)*c);
    }
    return digit;
}

bool csv_is_missing(piece field)
{
    static const char *const words[] = {"",     "nan",      "-nan",      "inf", "-inf",
                                        "+inf", "infinity", "-infinity", "na",  "n/a",
                                        "null", "none",     "?"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (piece_equals(field, words[i]))
            return true;
    return false;
}

/* A header has names and not one number; a first row with a missing number is a row, and is refused
 * as one. */
static bool is_header(const csv_table *table, piece row)
{
    piece field;
    bool named = false;
    while (csv_field(table, &row, &field)) {
        if (csv_is_numeric(field))
            return false;
        named = named || !csv_is_missing(field);
    }
    return named;
}

csv_table csv_part(const csv_table *table, int64_t chunk)
{
    csv_table part = *table;
    part.text.at = table->chunks[chunk].begin;
    part.text.end = table->chunks[chunk].end;
    return part;
}

static void measure_chunk(void *user, int64_t chunk, int thread)
{
    const csv_table *table = user;
    csv_table part = csv_part(table, chunk);
    csv_chunk *c = &table->chunks[chunk];
    piece row;
    (void)thread;
    for (; csv_row(&part, &row) && !c->bad; c->rows++)
        c->bad = count_fields(&part, row) != table->columns;
}

/* Refuses the first line that has another number of fields than the first. */
static orthant_status refuse_uneven(csv_table *table)
{
    piece row;
    while (csv_row(table, &row)) {
        const int64_t fields = count_fields(table, row);
        if (fields != table->columns)
            return fail(table->text.ctx, ORTHANT_ERROR_FORMAT,
                        "%s:%" PRId64 ": found %" PRId64 " fields, expected %" PRId64
                        " as in the first line",
                        table->text.path, table->text.number, fields, table->columns);
    }
    return ORTHANT_OK;
}

/* The end of the row in which a chunk that begins at `at` is full. */
static const char *end_of_chunk(const csv_table *table, const char *at)
{
    csv_table rest = *table;
    const char *end = table->text.end;
    piece row;
    if (end - at <= CHUNK_BYTES)
        return end;
    const char *full = at + CHUNK_BYTES;
    const char *line = memchr(full, '\n', (size_t)(end - full));
    const char *stop = line ? line + 1 : end;
    if (!memchr(at, '"', (size_t)(stop - at)))
        return stop;
    for (rest.text.at = at; rest.text.at <= full && csv_row(&rest, &row);)
        ;
    return rest.text.at;
}

orthant_status csv_measure(csv_table *table)
{
    const char *at = table->text.at, *end = table->text.end;
    const int64_t most = (end - at) / CHUNK_BYTES + 1;
    table->chunks = memory_new(table->text.ctx, most, sizeof *table->chunks, "chunks of a table");
    if (!table->chunks)
        return ORTHANT_ERROR_MEMORY;
    while (at < end) {
        const char *stop = end_of_chunk(table, at);
        table->chunks[table->chunk_count++] = (csv_chunk){.begin = at, .end = stop};
        at = stop;
    }
    parallel_for(table->text.ctx, table->chunk_count, measure_chunk, table);
    for (int64_t i = 0; i < table->chunk_count; i++) {
        if (table->chunks[i].bad)
            return refuse_uneven(table);
        table->chunks[i].first = table->rows;
        table->rows += table->chunks[i].rows;
    }
    return ORTHANT_OK;
}

bool csv_read_first(csv_table *table)
{
    const lines start = table->text;
    piece found, *row = &found;
    table->separator = ANY_SEPARATOR;
    if (!csv_row(table, row))
        return false;
    table->separator = find_separator(*row);
    table->text = start;
    table->lines_inside = 0;
    csv_row(table, row);
    table->columns = count_fields(table, *row);
    table->header = is_header(table, *row);
    table->names = *row;
    if (!table->header) {
        table->text = start;
        table->lines_inside = 0;
    }
    return true;
}

orthant_status csv_open(orthant_context *ctx, const char *path, csv_table *table)
{
    *table = (csv_table){.separator = ','};
    orthant_status status = lines_open(ctx, path, &table->text);
    if (status != ORTHANT_OK)
        return status;
    if (csv_read_first(table))
        status = csv_measure(table);
    if (status == ORTHANT_OK && table->rows == 0)
        status = fail(ctx, ORTHANT_ERROR_FORMAT, "%s: %s, expected rows of numbers", path,
                      table->header ? "a header and nothing below it" : "empty");
    if (status != ORTHANT_OK)
        csv_close(table);
    return status;
}

void csv_close(csv_table *table)
{
    memory_free(table->text.ctx, table->chunks);
    table->chunks = NULL;
    lines_close(&table->text);
}
