/* What a paper's printed digits allow: which accuracies can be means of the stated number of runs.
 */
#ifndef REPRODUCE_DIGITS_H
#define REPRODUCE_DIGITS_H

#include "report/sheet.h"
#include "reproduce/protocol.h"

/* Whether some multiple of `step` is printed as `value`, whose last digit counts `digit`, rounded
 * or cut off. */
bool digits_allow(double value, double digit, double step);

/* A row for each method of each table whose classes have as many samples each. To be freed by
 * sheet_free. */
orthant_status digits_sheet(orthant_context *ctx, const protocol *paper, sheet **made);

#endif
