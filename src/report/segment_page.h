/* The part of report.html that shows segmentations. */
#ifndef REPORT_SEGMENT_PAGE_H
#define REPORT_SEGMENT_PAGE_H

#include "report/chart.h"
#include "report/record.h"

/* Summary, pictures and criteria of a run that is a segmentation. */
orthant_status segment_page_write(chart_place *place, const run_record *record);
void segment_page_settings(FILE *page, const run_record *record);

/* All segmentations among several runs: a heading, and for each its summary and its first picture.
 * Nothing where there is none. */
orthant_status segment_page_section(orthant_context *ctx, FILE *page, const run_list *list);

#endif
