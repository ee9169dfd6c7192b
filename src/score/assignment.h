/* The best one-to-one matching. */
#ifndef SCORE_ASSIGNMENT_H
#define SCORE_ASSIGNMENT_H

#include "core/context.h"

/* Kuhn-Munkres: the matching that gives every row of a table (rows x columns, rows <= columns,
 * row-major) a column of its own and has the largest sum. column_of[i] is row i's. The rows that
 * would make the table square, all zero, change nothing and are left out. Costs rows^2 columns. */
orthant_status assignment_largest(orthant_context *ctx, int64_t rows, int64_t columns,
                                  const double *value, int64_t *column_of);

#endif
