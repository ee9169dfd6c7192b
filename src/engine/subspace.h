/* The leading singular triplets of X, or of X less its mean sample, by subspace iteration:
 * Y = orth(X Z), Z = orth(X'Y), on a few more columns than asked for, until the singular values
 * stand. X less its mean is never formed. */
#ifndef ENGINE_SUBSPACE_H
#define ENGINE_SUBSPACE_H

#include "data/matrix.h"
#include "kernel/kernel.h"

typedef struct subspace {
    /* set by the caller */
    orthant_context *ctx;
    const orthant_matrix *X;
    const double *mean; /* m, or NULL: X as it is */
    int64_t wanted;     /* at most min(n, m) */
    double tolerance;   /* of the singular values, relative to the first */

    int64_t columns;
    orthant_matrix *Y, *Z;       /* n x columns, m x columns */
    orthant_matrix *mean_column; /* m x 1: -mean */
    orthant_matrix *sums;        /* 1 x columns */
    double *tall;                /* space for the larger of Y and Z, column-major */
    double *tau;                 /* columns */
    double *values;  /* columns: singular values, falling; and once more, the last round's */
    double *vectors; /* columns x columns: the rotation of Y and Z to singular vectors */
} subspace;

orthant_status subspace_setup(subspace *s, uint64_t seed);
/* One round; *settled when the singular values stand. Y is orthonormal and Z = X'Y after it. */
orthant_status subspace_round(subspace *s, bool *settled);
void subspace_release(subspace *s);

/* Singular vector j: n or m entries. */
void subspace_left(const subspace *s, int64_t j, double *vector);
void subspace_right(const subspace *s, int64_t j, double *vector);

/* Y -= 1 (mean'Z) for Y = X Z, and Z -= mean (1'Y) for Z = X'Y: products with X less its mean.
 * `mean_column` (m x 1) holds -mean, `sums` is scratch for one row. */
void centre_forward(const kernels *k, array Y, array Z, array mean_column, orthant_matrix *sums);
void centre_backward(const kernels *k, array Z, array Y, array mean_column, orthant_matrix *sums);

#endif
