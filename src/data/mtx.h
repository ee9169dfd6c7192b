/* Matrix Market files, line by line. */
#ifndef DATA_MTX_H
#define DATA_MTX_H

#include "data/lines.h"

typedef struct mtx {
    lines text;
    bool coordinate, pattern, symmetric;
    int64_t rows, columns, count; /* count: entries that the file promises */
    int64_t entries;              /* so far */
} mtx;

typedef struct mtx_entry {
    int64_t row, column; /* from 0 */
    double value;
} mtx_entry;

/* The banner and the line of sizes, which is checked against the bytes of the text (text.length).
 */
orthant_status mtx_read_head(mtx *file);
/* The next line that is neither empty nor a comment; false at the end of the text. */
bool mtx_next(mtx *file, piece *line);
/* Of a coordinate file. A symmetric matrix has its twin across the diagonal too. */
orthant_status mtx_read_entry(mtx *file, piece line, mtx_entry *entry);
/* Counts an entry; refuses one more than promised. */
orthant_status mtx_count(mtx *file);
/* Refuses a file that ended before all were there. */
orthant_status mtx_check_end(const mtx *file);

#endif
