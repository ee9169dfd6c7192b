/* The best one-to-one matching. */
#ifndef SCORE_ASSIGNMENT_H
#define SCORE_ASSIGNMENT_H

#include "core/context.h"

typedef struct assignment_pair {
    int64_t row, column;
    double value; /* above 0 */
} assignment_pair;

/* The matching of rows with columns, one column per row and one row per column, whose pairs have
 * the largest sum; only the `count` pairs given, in the order of their rows, can be matched.
 * column_of[i] is row i's, -1 where it stays alone. */
orthant_status assignment_largest(orthant_context *ctx, int64_t rows, int64_t columns,
                                  const assignment_pair *pair, int64_t count, int64_t *column_of);

#endif
