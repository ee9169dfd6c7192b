/* Tables of ours beside a paper's. */
#ifndef REPRODUCE_TABLES_H
#define REPRODUCE_TABLES_H

#include "report/sheet.h"
#include "reproduce/runs.h"

/* The runs of one table of the protocol. */
typedef struct table_runs {
    const protocol_table *table;
    protocol_runs runs;
    bool wanted;
} table_runs;

/* The runs that `table` shows: its own, or those of the tables that it names; NULL where there are
 * none. `index` counts those that it names. */
const table_runs *table_source(const protocol *paper, const table_runs *all,
                               const protocol_table *table, int index);

/* Every table, one sheet a measure, at the end of `list`. A table whose data are missing shows the
 * paper's figures and says so. */
orthant_status tables_make(orthant_context *ctx, const protocol *paper, const table_runs *all,
                           int index, sheet_list *list);

/* Two standard errors of a difference in terms of ours: papers print none, and theirs is taken as
 * equal. */
#define AVERAGES_ALLOWED (2 * 1.41421356)

/* An empty sheet of averages: table, data set, method, measure; ours, the paper's, their difference
 * and what follows. */
sheet *averages_sheet(orthant_context *ctx, const char *caption);

/* For each table and method the average of ours beside the paper's, with its standard error and
 * what follows: the first of `list`. */
orthant_status tables_averages(orthant_context *ctx, const protocol *paper, const table_runs *all,
                               sheet_list *list);

#endif
