/* report.html of one run, or of several side by side. */
#ifndef REPORT_PAGE_H
#define REPORT_PAGE_H

#include "report/gnuplot.h"

/* Writes FOLDER/report.html with the charts and pictures that it shows, as orthant_run_report()
 * does. A `drawer` that runs in the folder is taken over and draws them; NULL: there is none yet.
 */
orthant_status page_report(orthant_context *ctx, const char *folder, gnuplot *drawer);

#endif
