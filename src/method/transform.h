/* Codes of new samples: inside of orthant_transform(). */
#ifndef METHOD_TRANSFORM_H
#define METHOD_TRANSFORM_H

#include "data/matrix.h"
#include "engine/loss.h"

/* Under an entrywise loss with a rule of its own, by so many multiplicative updates. */
orthant_status transform_entrywise(orthant_context *ctx, const orthant_matrix *basis, const loss *l,
                                   const orthant_matrix *samples, int64_t iterations,
                                   orthant_matrix **encoding);

#endif
