/* Several starts: the best of them, or what they agree on. */
#ifndef METHOD_STARTS_H
#define METHOD_STARTS_H

#include "method/fit.h"
#include "orthant/consensus.h"

/* What is done before each start, numbered from 0. */
typedef struct before_start {
    orthant_status (*prepare)(void *user, int64_t start);
    void *user;
} before_start;

/* orthant_fit_starts(), with `before` (NULL: nothing) called for each. */
orthant_status fit_starts(orthant_model *model, const orthant_matrix *samples, int64_t starts,
                          const before_start *before, orthant_result **result);
/* The seed of a start: of the first, 0, the model's own; the others' follow from it. */
uint64_t start_seed(uint64_t seed, int64_t start);
/* Gives it to the model. */
orthant_status start_set_seed(orthant_model *model, uint64_t seed, int64_t start);
/* orthant_fit_consensus() with the options in force, likewise: the fit of the consensus comes
 * behind the last start. */
orthant_status fit_consensus(orthant_model *model, const orthant_matrix *samples,
                             const orthant_consensus_options *options, const before_start *before,
                             orthant_result **result);
/* What a consensus refuses before there are data. */
orthant_status consensus_check_model(const orthant_model *model);

#endif
