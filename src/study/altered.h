/* Data with something done to them by a seed: what a finding has to survive, or must not. */
#ifndef STUDY_ALTERED_H
#define STUDY_ALTERED_H

#include "data/matrix.h"

/* Each entry times a uniform number from 1 - amount to 1 + amount. */
orthant_status altered_by_noise(orthant_context *ctx, const orthant_matrix *from, double amount,
                                uint64_t seed, orthant_matrix **altered);
/* Each feature permuted over the samples, independently of the others: what the features have in
 * common is gone, each of them alone is as it was. */
orthant_status altered_by_permutation(orthant_context *ctx, const orthant_matrix *from,
                                      uint64_t seed, orthant_matrix **altered);

#endif
