/* The best one-to-one matching. */
#ifndef SCORE_ASSIGNMENT_H
#define SCORE_ASSIGNMENT_H

#include "core/context.h"

/* Kuhn-Munkres: the matching of rows with columns of a square table (size x size, row-major) that
 * has the largest sum. column_of[i] is row i's. Costs size^3. */
orthant_status assignment_largest(orthant_context *ctx, int64_t size, const double *value,
                                  int64_t *column_of);

#endif
