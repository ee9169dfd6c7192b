/* The linear fit of ridge regression on the samples, as a factor. */
#ifndef METHOD_RIDGE_H
#define METHOD_RIDGE_H

#include "data/matrix.h"
#include "graph/search_clock.h"

/* Y (n x m, in the samples' precision) with Y Y' = Xc (Xc'Xc + ridge I)^-1 Xc', where Xc are the
 * samples (n x m) less their mean: Y = Xc R^-1, R'R = Xc'Xc + ridge I. The m x m matrices are in
 * double, as the ridge may be smaller than what single precision leaves of Xc'Xc. */
orthant_status ridge_factor(orthant_context *ctx, const orthant_matrix *samples, double ridge,
                            const search_clock *clock, orthant_matrix **factor);

#endif
