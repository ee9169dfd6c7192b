/* Starting factors for X ~ W S'. */
#ifndef ENGINE_START_H
#define ENGINE_START_H

#include "core/random.h"
#include "engine/problem.h"

/* W (m x k) and S (n x k) by the parameter `init`. */
orthant_status start_factors(const problem *p, orthant_matrix *basis, orthant_matrix *encoding);
/* Uniform on (0, 1), times `scale`; keyed by the entry's place in the whole that the factor is a
 * part of, so that nothing else can change it. */
void start_random_factor(orthant_matrix *factor, uint64_t seed, random_stream stream, double scale);
/* Nonnegative double SVD (Boutsidis and Gallopoulos 2008) into basis and encoding. */
orthant_status nndsvd_start(orthant_context *ctx, const orthant_matrix *samples, uint64_t seed,
                            orthant_matrix *basis, orthant_matrix *encoding);

#endif
