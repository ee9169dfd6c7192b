/* Operation counts of a paper beside measured times of an iteration. */
#ifndef REPRODUCE_COSTS_H
#define REPRODUCE_COSTS_H

#include "report/sheet.h"
#include "reproduce/protocol.h"
#include "reproduce/reproduce.h"

/* Evaluates the counts at the table's size and with n, m and k doubled in turn, and times fits of
 * made-up data there. `table-NUMBER-costs`. Writes RUN/table-NUMBER/costs.csv too. Some seconds. */
orthant_status costs_make(orthant_context *ctx, const reproduce_request *request,
                          const protocol_table *table, sheet_list *list);

#endif
