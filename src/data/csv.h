/* Tables in text: the separator, the header and the shape are found; fields are the caller's to
 * understand. */
#ifndef DATA_CSV_H
#define DATA_CSV_H

#include "data/lines.h"

/* Whole lines, for readers that work in threads. */
typedef struct csv_chunk {
    const char *begin, *end;
    int64_t first, rows; /* the rows of the table that it holds */
    bool bad;            /* for the reader: something in it is to be refused */
} csv_chunk;

typedef struct csv_table {
    lines text;           /* before the first row with numbers */
    int64_t lines_inside; /* ends of lines inside of the quotes of the row that came last */
    char separator;       /* ',', ';', tab, or a space that stands for any run of spaces and tabs */
    bool header;
    piece names; /* the header's line */
    int64_t rows, columns;
    csv_chunk *chunks; /* all rows, in order; cut by the text's length alone */
    int64_t chunk_count;
    bool missing; /* fields without a number become NaN */
} csv_table;

/* Refuses rows of different lengths and tables without rows. Empty lines and lines that start with
 * # do not count. Inside of quotes separators and ends of lines are part of the field. */
orthant_status csv_open(orthant_context *ctx, const char *path, csv_table *table);
void csv_close(csv_table *table);
/* Of a text that is in memory, its first row: the separator, the columns, and whether it is a
 * header. False where there is none. */
bool csv_read_first(csv_table *table);
/* Looks at all lines that are left once: how many rows they are, in chunks, and that each has as
 * many fields as the first. */
orthant_status csv_measure(csv_table *table);
/* A chunk as a table of its own, to be gone through by csv_row; lines have no numbers there. */
csv_table csv_part(const csv_table *table, int64_t chunk);
/* The next row; false at the end. table->text.number is its (first) line. */
bool csv_row(csv_table *table, piece *row);
/* The next field of a row, without spaces and quotes around it, doubled quotes as they stand; false
 * when there is none left. */
bool csv_field(const csv_table *table, piece *row, piece *field);
/* Written like a number, whether or not it fits into one. */
bool csv_is_numeric(piece field);
/* Nothing, or a word that stands for it: NA, nan, ... */
bool csv_is_missing(piece field);
/* Refuses a field: "file:line:column: found '...', expected ...". */
orthant_status csv_refuse(const csv_table *table, int64_t column, piece field,
                          const char *expected);

#endif
