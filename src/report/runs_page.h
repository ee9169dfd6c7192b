/* Several runs side by side. */
#ifndef REPORT_RUNS_PAGE_H
#define REPORT_RUNS_PAGE_H

#include "report/chart.h"
#include "report/record.h"
#include "report/sheet.h"

/* Of the runs that are no segmentations, for each group of the same data: summary, table,
 * convergence and basis pictures. */
orthant_status runs_page_write(chart_place *place, const run_list *list);

/* A row for each run of a group. */
sheet *runs_page_table(orthant_context *ctx, const run_list *group);

#endif
