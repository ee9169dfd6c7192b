/* The leading singular triplets of X, or of X less its mean sample, which is never formed: the
 * eigenvectors of the Gram matrix of the shorter side, in double whatever the precision of X.
 * Singular values of a high rank lie close together, and vectors to the precision of a float would
 * be mixtures.
 *
 * Where the shorter side is short enough that Gram matrix is made from centred blocks, and LAPACK
 * takes it apart; otherwise by Lanczos's method from products with X and X'. */
#ifndef ENGINE_SINGULAR_H
#define ENGINE_SINGULAR_H

#include "data/matrix.h"

typedef struct singular {
    orthant_context *ctx;
    const orthant_matrix *X;
    const double *mean; /* m; NULL: X as it is */
    int64_t wanted;     /* at most min(n, m) */
    uint64_t seed;      /* of Lanczos's first vector */

    /* what singular_find finds */
    bool by_features;        /* the shorter side is that of the features */
    int64_t shorter, longer; /* entries of a vector */
    double squares;          /* |X_c|^2, the sum of all eigenvalues */
    int64_t found;           /* triplets that are more than rounding */
    int64_t restarts;        /* of Lanczos's method; 0 where LAPACK did it */
    double *values;          /* of the Gram matrix, falling */
    double *vectors;         /* wanted x shorter */
    double *other;           /* longer: see singular_triplet */
} singular;

/* From the first five fields. What was found is for singular_free, whatever is returned. */
orthant_status singular_find(singular *s);
void singular_free(singular *s);

/* Triplet j: unit vectors of n and of m entries, until the next call; the singular value. */
double singular_triplet(singular *s, int64_t j, const double **left, const double **right);

#endif
