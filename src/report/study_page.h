/* report.html of a study. */
#ifndef REPORT_STUDY_PAGE_H
#define REPORT_STUDY_PAGE_H

#include "core/context.h"

/* Writes FOLDER/report.html, its charts and summary.csv from results.csv, study.json and the kept
 * runs, as far as they are there. */
orthant_status study_page_write(orthant_context *ctx, const char *folder);

#endif
