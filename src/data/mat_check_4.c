/* Version 4: variables one after another, each a header of five numbers, a name and the values. The
 * first number's decimal digits are: byte order, 0, type of the values, kind of matrix. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "data/mat_check.h"

#define HEADER_BYTES 20
#define MOST_EMPTY 0x1p24 /* rows or columns that a sparse matrix may have */

typedef struct table_file {
    orthant_context *ctx;
    const char *path;
    FILE *file;
    int64_t place; /* of the variable that is looked at, in bytes */
    bool swapped;  /* the file's byte order is not this machine's */
} table_file;

static orthant_status fail_short(const table_file *from)
{
    return fail(from->ctx, ORTHANT_ERROR_FORMAT,
                "%s: the file is cut short or damaged: the variable at byte %" PRId64
                " holds less than it says",
                from->path, from->place);
}

static orthant_status fail_damaged(const table_file *from, const char *what)
{
    return fail(from->ctx, ORTHANT_ERROR_FORMAT,
                "%s: the file is damaged: the variable at byte %" PRId64 " has %s", from->path,
                from->place, what);
}

static orthant_status take(const table_file *from, void *out, int64_t count)
{
    return fread(out, 1, (size_t)count, from->file) == (size_t)count ? ORTHANT_OK
                                                                     : fail_short(from);
}

static uint32_t number_at(const table_file *from, const unsigned char *bytes)
{
    uint32_t number;
    memcpy(&number, bytes, sizeof number);
    return from->swapped ? __builtin_bswap32(number) : number;
}

typedef struct variable_header {
    uint32_t type;
    int64_t rows, columns, name_bytes, value_bytes;
} variable_header;

static orthant_status take_header(table_file *from, int64_t left, variable_header *header)
{
    static const int64_t entry_bytes[] = {8, 4, 4, 2, 2, 1};
    unsigned char bytes[HEADER_BYTES];
    int64_t count;
    const orthant_status status = take(from, bytes, sizeof bytes);
    if (status != ORTHANT_OK)
        return status;
    left -= HEADER_BYTES;
    from->swapped = false;
    from->swapped = number_at(from, bytes) > 9999;
    header->type = number_at(from, bytes);
    header->rows = number_at(from, bytes + 4);
    header->columns = number_at(from, bytes + 8);
    const int64_t parts = number_at(from, bytes + 12) ? 2 : 1;
    header->name_bytes = number_at(from, bytes + 16);
    if (header->type > 1052 || header->type % 1000 / 100 != 0 || header->type / 10 % 10 > 5 ||
        header->type % 10 > 2)
        return from->place == 0 ? fail(from->ctx, ORTHANT_ERROR_FORMAT,
                                       "%s: not a MATLAB file (version 4, 5 or 7.3)", from->path)
                                : fail_damaged(from, "a type that no variable has");
    if (header->rows > INT32_MAX || header->columns > INT32_MAX || header->name_bytes < 1 ||
        header->name_bytes > left || !size_multiply(header->rows, header->columns, &count) ||
        !size_multiply(count, parts * entry_bytes[header->type / 10 % 10], &header->value_bytes) ||
        header->value_bytes > left - header->name_bytes)
        return fail_short(from);
    return ORTHANT_OK;
}

static double double_at(const table_file *from, const unsigned char *bytes)
{
    uint64_t bits;
    double value;
    memcpy(&bits, bytes, sizeof bits);
    bits = from->swapped ? __builtin_bswap64(bits) : bits;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* A sparse matrix is a table (row, column, value), a line for each entry and a last one for the
 * shape, column by column: columns in order, all indices whole and inside. */
static orthant_status check_table(table_file *from, const variable_header *header)
{
    unsigned char *table = NULL;
    orthant_status status = ORTHANT_OK;
    if (header->columns != 3 || header->rows < 1 || header->type / 10 % 10 != 0 ||
        header->value_bytes != 24 * header->rows)
        return fail_damaged(from, "no table of real entries that a sparse matrix has");
    table = memory_new(from->ctx, header->value_bytes, 1, "a sparse variable");
    if (!table)
        return ORTHANT_ERROR_MEMORY;
    if (fseek(from->file, (long)header->name_bytes, SEEK_CUR) != 0)
        status = fail_short(from);
    else
        status = take(from, table, header->value_bytes);
    const int64_t entries = header->rows - 1;
    const unsigned char *row = table, *column = table + 8 * header->rows;
    const double rows = double_at(from, row + 8 * entries),
                 columns = double_at(from, column + 8 * entries);
    if (status == ORTHANT_OK &&
        !(rows >= 1 && rows <= MOST_EMPTY && columns >= 1 && columns <= MOST_EMPTY &&
          rows == floor(rows) && columns == floor(columns)))
        status = fail_damaged(from, "a shape that no sparse matrix has");
    double last = 1;
    for (int64_t i = 0; i < entries && status == ORTHANT_OK; i++) {
        const double r = double_at(from, row + 8 * i), c = double_at(from, column + 8 * i);
        if (!(r >= 1 && r <= rows && c >= last && c <= columns && r == floor(r) && c == floor(c)))
            status = fail_damaged(from, "entries outside its shape or not in order");
        last = c;
    }
    memory_free(from->ctx, table);
    return status;
}

orthant_status mat_check_4(orthant_context *ctx, const char *path, FILE *file, int64_t size,
                           int64_t *variables)
{
    table_file opened = {.ctx = ctx, .path = path, .file = file};
    table_file *from = &opened;
    int64_t at = 0;
    while (at < size) {
        variable_header header;
        from->place = at;
        if (fseek(file, (long)at, SEEK_SET) != 0)
            return fail_short(from);
        orthant_status status = take_header(from, size - at, &header);
        if (status == ORTHANT_OK && header.type % 10 == 2)
            status = check_table(from, &header);
        if (status != ORTHANT_OK)
            return status;
        at += HEADER_BYTES + header.name_bytes + header.value_bytes;
        ++*variables;
    }
    return ORTHANT_OK;
}
