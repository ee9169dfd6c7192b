/* Tables that are no study's: each makes its sheets, and leaves a file in RUN/table-NUMBER. */
#ifndef REPRODUCE_MADE_TABLES_H
#define REPRODUCE_MADE_TABLES_H

#include "report/sheet.h"
#include "reproduce/reproduce.h"

/* What is asked of the function that makes one. */
typedef struct made_table {
    orthant_context *ctx;
    const reproduce_request *request;
    const char *paper; /* its name: "tnmf" */
    const protocol_table *table;
    sheet_list *list; /* where the sheets go */
} made_table;

/* Has the table's function make it, on one thread: what is timed there is a processor's time. */
orthant_status made_table_make(const made_table *asked);

/* Evaluates the table's counts at its size and with n, m and k doubled in turn, and times fits of
 * made-up data there: `table-NUMBER-costs`. Some seconds. */
orthant_status costs_make(const made_table *asked);
/* Evaluates the counts of each product of an iteration, and what of the iteration is none of them:
 * `table-NUMBER-products`. */
orthant_status products_make(const made_table *asked);
/* Samples, features and classes of the data sets beside the paper's: `table-NUMBER-sizes`. */
orthant_status sizes_make(const made_table *asked);
/* Seconds and iterations of the study's methods until their factors hardly change:
 * `table-NUMBER-seconds` and `table-NUMBER-stops`. Minutes. */
orthant_status stopping_make(const made_table *asked);

/* ---- for these ---- */

/* Of this process: others share the processor. */
double processor_seconds(void);

/* Adds the sheet to the list, and writes it as CSV into RUN/table-NUMBER: the file that the table
 * leaves. A `status` of failure, or what failed while the sheet was filled, is given back. */
orthant_status made_table_add(const made_table *asked, orthant_status status, sheet *page);

#endif
