/* The tables of a report, for a paper. */
#ifndef REPORT_TABLES_H
#define REPORT_TABLES_H

#include "report/sheet.h"

/* Those of the run, the runs or the study in `folder`. The list starts empty, with its context. */
orthant_status tables_of(orthant_context *ctx, const char *folder, sheet_list *list);

/* "text" and the formats of a sheet; false where `name` is none. */
bool tables_format(const char *name, bool *screen, sheet_format *format);
orthant_status tables_refuse_format(orthant_context *ctx, const char *name);

#endif
