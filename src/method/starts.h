/* The best of several starts. */
#ifndef METHOD_STARTS_H
#define METHOD_STARTS_H

#include "method/fit.h"

/* What is done before each start, numbered from 0. */
typedef struct before_start {
    orthant_status (*prepare)(void *user, int64_t start);
    void *user;
} before_start;

/* orthant_fit_starts(), with `before` (NULL: nothing) called for each. */
orthant_status fit_starts(orthant_model *model, const orthant_matrix *samples, int64_t starts,
                          const before_start *before, orthant_result **result);

#endif
