/* The tables of a report, for a paper. */
#ifndef REPORT_TABLES_H
#define REPORT_TABLES_H

#include "report/sheet.h"

/* Those of the run, the runs or the study in `folder`. The list starts empty, with its context. */
orthant_status tables_of(orthant_context *ctx, const char *folder, sheet_list *list);

/* Reads the words of the run in `folder` from `names`, for its report. */
orthant_status words_of_run(orthant_context *ctx, const char *folder, const char *names);

#endif
