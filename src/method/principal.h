/* Principal components: the leading eigenvectors of the scatter X_c'X_c, X_c = X less its mean
 * sample, which is never formed (engine/singular.h). */
#ifndef METHOD_PRINCIPAL_H
#define METHOD_PRINCIPAL_H

#include "data/matrix.h"

typedef struct principal {
    double *mean;            /* m */
    double *values;          /* eigenvalues of the scatter, falling; 0 where there are fewer */
    orthant_matrix *vectors; /* m x wanted: orthonormal columns, each with its entry of largest
                                modulus positive; zero where there are fewer */
    int64_t found;           /* columns that are not zero */
    double scatter;          /* |X_c|^2 */
    int64_t restarts;        /* of Lanczos's method; 0 where LAPACK did it */
} principal;

/* What was found goes to *p, for principal_free, whatever is returned. */
orthant_status principal_find(orthant_context *ctx, const orthant_matrix *X, int64_t wanted,
                              uint64_t seed, principal *p);
void principal_free(orthant_context *ctx, principal *p);

/* scores = X_c vectors, n x columns. */
orthant_status principal_scores(orthant_context *ctx, const orthant_matrix *X, const principal *p,
                                orthant_matrix *scores);

#endif
