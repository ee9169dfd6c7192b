/* Which columns of a table are features: all but those of labels and of names, and those that the
 * user drops. */
#ifndef DATA_CSV_COLUMNS_H
#define DATA_CSV_COLUMNS_H

#include "data/csv.h"
#include "data/matrix.h"

/* The header of a first column that holds the samples' names, as Orthant writes it. */
#define CSV_SAMPLE_COLUMN "sample"

typedef struct csv_columns {
    int64_t label, id; /* from 0; -1: none */
    bool *skipped;     /* of each column */
    int64_t features;
} csv_columns;

/* What the options name: a column by its name, "table.csv:NAME", or its number from 1. Free it in
 * any case. */
orthant_status csv_columns_find(const csv_table *table, const orthant_read_options *options,
                                csv_columns *columns);
void csv_columns_free(orthant_context *ctx, csv_columns *columns);

/* The rows that were measured. */
orthant_status csv_read_matrix(csv_table *table, const csv_columns *columns,
                               orthant_matrix **found);
/* The header's names of the features, and those of the rows at hand in the column of names, behind
 * what a list has. */
orthant_status csv_read_feature_names(const csv_table *table, const csv_columns *columns,
                                      name_list *features);
orthant_status csv_read_sample_names(const csv_table *table, const csv_columns *columns,
                                     name_list *samples);
/* Warns of features that count the rows, or whose name says that they are classes. */
void csv_warn_columns(const csv_table *table, const csv_columns *columns,
                      const orthant_matrix *matrix);

#endif
