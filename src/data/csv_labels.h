/* Labels in a column of a table. */
#ifndef DATA_CSV_LABELS_H
#define DATA_CSV_LABELS_H

#include "data/csv.h"
#include "data/matrix.h"
#include "orthant/labels.h"

/* The column of that name in the header, counted from 0, or -1. */
int64_t csv_find_name(const csv_table *table, const char *name);
/* The column that `wanted` names: by the header, else by a number from 1; NULL: the only one. */
orthant_status csv_choose_column(const csv_table *table, const char *wanted, int64_t *column);

/* A column whose first entry is a name and whose header is a name that comes again below it has no
 * header: that was the first label. */
void csv_take_header_as_label(csv_table *table);

/* A whole number; `column` counts from 0 and is for the message. */
orthant_status csv_read_label(const csv_table *table, int64_t column, piece entry, int64_t *label);
/* The labels of all rows that are left: whole numbers, or names of classes, which are numbered from
 * 0 in their order; a missing name is -1. A column of both is refused. */
orthant_status csv_read_labels(csv_table *table, int64_t column, orthant_labels **labels);

#endif
