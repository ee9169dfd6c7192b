/* Which encodings are pooled together: H, units x k, for the topographic term and for RICA. */
#ifndef TERM_POOLING_H
#define TERM_POOLING_H

#include "data/matrix.h"

struct problem;

/* H from the model: the user's matrix, all ones (pooling=all, the papers'), or the neighbourhood of
 * a torus (pooling=grid, grid:ROWSxCOLUMNS, pooling_radius); and H', k x units. Both padded, in the
 * data's precision; NULL on failure. */
orthant_status pooling_make(const struct problem *p, orthant_matrix **rows,
                            orthant_matrix **transposed);

#define POOLING_PARAMETERS                                                        \
    PARAMETER_WORD("pooling", "all", "",                                          \
                   "units: all, grid, grid:ROWSxCOLUMNS (a torus), or a matrix"), \
        PARAMETER_WHOLE("pooling_radius", "1", 0, 1e6,                            \
                        "radius of a grid's neighbourhood; 1 is 3 x 3")

#endif
