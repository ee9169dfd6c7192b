/* Entries of a sparse matrix in any order, brought into rows by way of scratch files: each holds
 * those of some rows, few enough for memory to sort them. */
#ifndef DATA_BUCKETS_H
#define DATA_BUCKETS_H

#include <stdio.h>

#include "data/row_sink.h"

#define BUCKETS_MOST 64

typedef struct bucket_entry {
    int64_t row, column;
    double value;
} bucket_entry;

typedef struct buckets {
    orthant_context *ctx;
    const char *path; /* scratch files lie beside it */
    int64_t first, rows, columns;
    int64_t span; /* rows of a bucket */
    FILE *file[BUCKETS_MOST];
    int64_t count[BUCKETS_MOST]; /* entries */
} buckets;

/* For rows [first, first + rows), some `expected` entries, -1 where it is not known. Close in any
 * case. */
void buckets_open(orthant_context *ctx, const char *path, int64_t first, int64_t rows,
                  int64_t columns, int64_t expected, buckets *b);
orthant_status buckets_add(buckets *b, const bucket_entry *entry);
/* All rows in order; entries of one place are added up in the order in which they came. */
orthant_status buckets_give(buckets *b, row_sink *sink);
void buckets_close(buckets *b);

#endif
