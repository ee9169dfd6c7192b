/* history.csv: the objective and its parts after each iteration. */
#ifndef REPORT_HISTORY_H
#define REPORT_HISTORY_H

#include "core/context.h"
#include "orthant/fit.h"

#define HISTORY_COLUMNS 16

typedef struct history {
    char *text;                        /* the file; the names below point into it */
    const char *name[HISTORY_COLUMNS]; /* "iteration", "seconds", "objective", "loss", ... */
    int columns;
    int64_t rows;
    double *values; /* rows x columns; NaN where the file has nothing */
} history;

orthant_status history_write(orthant_context *ctx, const orthant_result *result, const char *path);
orthant_status history_read(orthant_context *ctx, const char *path, history *found);
void history_free(orthant_context *ctx, history *found);
/* -1 where there is none. */
int history_column(const history *found, const char *name);

#endif
