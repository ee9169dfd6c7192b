/* The page of one run that is no segmentation. */
#ifndef REPORT_RUN_PAGE_H
#define REPORT_RUN_PAGE_H

#include "report/chart.h"
#include "report/record.h"
#include "report/sheet.h"

/* Everything from the summary to the words, as far as the folder holds it. */
orthant_status run_page_write(chart_place *place, const run_record *record);

/* Accuracy, NMI, ...: a row each; of a segmentation its criteria. */
sheet *run_page_scores(orthant_context *ctx, const run_record *record);

#endif
