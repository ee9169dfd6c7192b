#include "data/csv.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "core/memory.h"
#include "core/parallel.h"

#define CHUNK_BYTES (1 << 20)

bool csv_row(csv_table *table, piece *row)
{
    while (lines_next(&table->text, row)) {
        const piece trimmed = piece_trim(*row);
        if (trimmed.begin < trimmed.end && *trimmed.begin != '#') {
            if (table->separator == ' ')
                *row = trimmed;
            return true;
        }
    }
    return false;
}

/* The end of a field that starts with a quote: behind the closing one; doubled quotes are part of
 * the field. */
static const char *end_of_quoted(const char *at, const char *end)
{
    for (at++; at < end; at++) {
        if (*at != '"')
            continue;
        if (at + 1 == end || at[1] != '"')
            return at + 1;
        at++;
    }
    return end;
}

bool csv_field(const csv_table *table, piece *row, piece *field)
{
    if (!row->begin)
        return false;
    const char *at = row->begin;
    if (table->separator == ' ') {
        if (!piece_word(row, field))
            return false;
    } else {
        while (at < row->end && *at == ' ')
            at++;
        if (at < row->end && *at == '"')
            at = end_of_quoted(at, row->end);
        while (at < row->end && *at != table->separator)
            at++;
        *field = piece_trim((piece){row->begin, at});
        row->begin = at < row->end ? at + 1 : NULL;
    }
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

static char find_separator(piece row)
{
    const size_t length = (size_t)(row.end - row.begin);
    for (const char *candidate = "\t;,"; *candidate; candidate++)
        if (memchr(row.begin, *candidate, length))
            return *candidate;
    return ' ';
}

/* Written like a number, whether or not it fits into one. */
static bool looks_like_number(piece field)
{
    bool digit = false;
    for (const char *c = field.begin; c < field.end; c++) {
        if (!isdigit((unsigned char)*c) && !strchr("+-.eE", *c))
            return false;
        digit = digit || isdigit((unsigned char)*c);
    }
    return digit;
}

static bool stands_for_missing(piece field)
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
        if (looks_like_number(field))
            return false;
        named = named || !stands_for_missing(field);
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

/* Looks at all lines once: their number, and that each has as many fields as the first. */
static orthant_status measure(csv_table *table)
{
    const char *at = table->text.at, *end = table->text.end;
    const int64_t most = (end - at) / CHUNK_BYTES + 1;
    table->chunks = memory_new(table->text.ctx, most, sizeof *table->chunks, "chunks of a table");
    if (!table->chunks)
        return ORTHANT_ERROR_MEMORY;
    while (at < end) {
        const char *from = end - at > CHUNK_BYTES ? at + CHUNK_BYTES : end;
        const char *line = from < end ? memchr(from, '\n', (size_t)(end - from)) : NULL;
        const char *stop = line ? line + 1 : end;
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

orthant_status csv_open(orthant_context *ctx, const char *path, csv_table *table)
{
    piece row;
    *table = (csv_table){.separator = ','};
    orthant_status status = lines_open(ctx, path, &table->text);
    if (status != ORTHANT_OK)
        return status;
    lines start = table->text;
    if (csv_row(table, &row)) {
        table->separator = find_separator(row);
        table->columns = count_fields(table, row);
        table->header = is_header(table, row);
        table->names = row;
        if (table->header)
            start = table->text;
        table->text = start;
        status = measure(table);
    }
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
