/* Studies and surveys of ranks in the subfolders of a folder of runs: each is shown by itself,
 * since its figures are of draws or of many ranks, and no run's stand beside them. */
#ifndef REPORT_INSIDE_H
#define REPORT_INSIDE_H

#include "report/chart.h"
#include "report/sheet.h"

typedef struct inside {
    orthant_context *ctx;
    char **path; /* of the subfolders, by name */
    int count, capacity;
} inside;

/* Whether a folder holds a study that Orthant wrote, or a survey of ranks. */
orthant_status inside_is(orthant_context *ctx, const char *folder, bool *is_study, bool *is_ranks);
orthant_status inside_find(orthant_context *ctx, const char *folder, inside *list);
void inside_free(inside *list);

/* A section for each on a page; one that is not finished is named. */
orthant_status inside_show(FILE *page, const inside *list);
/* The table of methods, or of ranks, of each. */
orthant_status inside_tables(const inside *list, sheet_list *tables);
/* The same on the screen. */
orthant_status inside_print(const inside *list, FILE *out);

#endif
