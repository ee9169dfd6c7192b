/* report.html of one run, or of several side by side. */
#ifndef REPORT_PAGE_H
#define REPORT_PAGE_H

#include "report/record.h"

/* Writes FOLDER/report.html with the charts and pictures that it shows. */
orthant_status page_write(orthant_context *ctx, const char *folder, const run_list *list);

#endif
