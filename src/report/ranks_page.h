/* report.html, the table and the lines on the screen of a survey of ranks. */
#ifndef REPORT_RANKS_PAGE_H
#define REPORT_RANKS_PAGE_H

#include "report/json.h"
#include "report/sheet.h"

orthant_status ranks_page_write(orthant_context *ctx, const char *folder);
/* All measures, a row for each rank; `json` is ranks.json. */
sheet *ranks_sheet(orthant_context *ctx, const json_value *json);
/* The table in 80 columns, the recommended rank and the reasons. */
void ranks_screen(const json_value *json, FILE *out);

#endif
