/* Principal components: the leading eigenvectors of the scatter X_c'X_c, X_c = X less its mean
 * sample, which is never formed.
 *
 * Where the smaller side of X is short enough, from the Gram matrix of that side, made in double
 * from centred blocks, by LAPACK; otherwise by subspace iteration. */
#ifndef ENGINE_PRINCIPAL_H
#define ENGINE_PRINCIPAL_H

#include "data/matrix.h"

typedef struct principal {
    double *mean;            /* m */
    double *values;          /* eigenvalues of the scatter, falling; 0 where there are fewer */
    orthant_matrix *vectors; /* m x wanted: orthonormal columns, each with its entry of largest
                                modulus positive; zero where there are fewer */
    int64_t found;           /* columns that are not zero */
    double scatter;          /* |X_c|^2 */
    int64_t rounds;          /* of subspace iteration; 0 where LAPACK did it */
    bool settled, stopped;
} principal;

/* `most_rounds` and `time_limit_s` (0: none) are for subspace iteration. What was found goes to *p,
 * for principal_free, whatever is returned. */
orthant_status principal_find(orthant_context *ctx, const orthant_matrix *X, int64_t wanted,
                              uint64_t seed, int64_t most_rounds, double time_limit_s,
                              principal *p);
void principal_free(orthant_context *ctx, principal *p);

/* Whether the Gram matrix of X's shorter side is made and taken apart by LAPACK. */
bool principal_is_exact(const orthant_matrix *X);
/* Of X as it is, not centred: the leading eigenvalues of X'X where there are more samples than
 * features, else of X X', falling, and their vectors as rows of `vectors`. `values` has space for
 * the shorter side. */
orthant_status principal_gram(orthant_context *ctx, const orthant_matrix *X, int64_t wanted,
                              double *values, double *vectors);

/* scores = X_c vectors, n x columns. */
orthant_status principal_scores(orthant_context *ctx, const orthant_matrix *X, const principal *p,
                                orthant_matrix *scores);

#endif
