/* Tables in text: the separator, the header and the shape are found; fields are the caller's to
 * understand. */
#ifndef DATA_CSV_H
#define DATA_CSV_H

#include "data/lines.h"

typedef struct csv_table {
    lines text;     /* before the first row with numbers */
    char separator; /* ',', ';', tab, or a space that stands for any run of spaces and tabs */
    bool header;
    piece names; /* the header's line */
    int64_t rows, columns;
} csv_table;

/* Refuses lines of different lengths and tables without rows. Empty lines and lines that start with
 * # do not count. */
orthant_status csv_open(orthant_context *ctx, const char *path, csv_table *table);
void csv_close(csv_table *table);
/* The next row; false at the end. table->text.number is its line. */
bool csv_row(csv_table *table, piece *row);
/* The next field of a row, without spaces and quotes around it; false when there is none left. */
bool csv_field(const csv_table *table, piece *row, piece *field);
/* Refuses a field: "file:line:column: found '...', expected ...". */
orthant_status csv_refuse(const csv_table *table, int64_t column, piece field,
                          const char *expected);

#endif
