/* How far the methods of a study are apart on the same draws: table and chart. */
#ifndef REPORT_STUDY_DIFFERENCES_H
#define REPORT_STUDY_DIFFERENCES_H

#include "report/chart.h"
#include "report/sheet.h"
#include "report/study_book.h"

/* Each method's accuracy less that of the one with the best average, over the draws that both have;
 * NULL where there is no such draw, or no memory: *status says which. */
sheet *study_table_differences(const study_book *book, orthant_status *status);
/* The table, a chart of the intervals, every pair (folded), and what they do not say; nothing
 * where no two methods share a draw. */
orthant_status study_differences_show(chart_place *place, const study_book *book);

#endif
