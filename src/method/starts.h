/* Several starts: the best of them, or what they agree on. */
#ifndef METHOD_STARTS_H
#define METHOD_STARTS_H

#include "method/fit.h"
#include "orthant/consensus.h"

/* What is done before each start, numbered from 0, and with what it gave (NULL: nothing). */
typedef struct start_watch {
    orthant_status (*prepare)(void *user, int64_t start);
    orthant_status (*made)(void *user, int64_t start, const orthant_result *result);
    void *user;
} start_watch;

/* orthant_fit_starts(), with `watch` (NULL: nothing) called for each. */
orthant_status fit_starts(orthant_model *model, const orthant_matrix *samples, int64_t starts,
                          const start_watch *watch, orthant_result **result);
/* Refuses numbers of starts out of range, and several for a model with checkpoints. */
orthant_status starts_check(const orthant_model *model, int64_t starts, int64_t least);
/* The seed of a start: of the first, 0, the model's own; the others' follow from it. */
uint64_t start_seed(uint64_t seed, int64_t start);
/* Gives it to the model. */
orthant_status start_set_seed(orthant_model *model, uint64_t seed, int64_t start);
/* orthant_fit_consensus() with the options in force, likewise: the fit of the consensus comes
 * behind the last start. */
orthant_status fit_consensus(orthant_model *model, const orthant_matrix *samples,
                             const orthant_consensus_options *options, const start_watch *before,
                             orthant_result **result);
/* What a consensus refuses before there are data. */
orthant_status consensus_check_model(const orthant_model *model);

#endif
