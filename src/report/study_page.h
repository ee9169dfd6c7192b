/* report.html of a study. */
#ifndef REPORT_STUDY_PAGE_H
#define REPORT_STUDY_PAGE_H

#include <stdio.h>

#include "report/study_book.h"

/* The best method and what the tests say, in a paragraph that `opening` begins, and how many runs
 * of what there are. */
orthant_status study_page_summary(FILE *page, const study_book *book, const char *opening);
/* Writes FOLDER/report.html, its charts and summary.csv from results.csv, study.json and the kept
 * runs, as far as they are there. */
orthant_status study_page_write(orthant_context *ctx, const char *folder);

#endif
