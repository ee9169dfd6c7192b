/* Leading eigenvectors of symmetric matrices. */
#ifndef KERNEL_EIGEN_H
#define KERNEL_EIGEN_H

#include "core/context.h"

typedef struct eigen_problem {
    orthant_context *ctx;
    int64_t n, wanted;                                       /* 0 < wanted <= n */
    void (*product)(void *user, const double *x, double *y); /* y = B x */
    void *user;
    uint64_t seed;    /* of the starting vector */
    double tolerance; /* of an eigenvalue, relative; 0: all digits */
    int64_t restarts; /* at most so many */
    int64_t taken;    /* restarts that it took: set here */
} eigen_problem;

/* The largest eigenvalues, falling, and their vectors as rows of `vectors` (wanted x n), by
 * restarted Lanczos; where n is small or many are wanted by LAPACK. What did not converge is an
 * error that says what did. */
orthant_status eigen_leading(eigen_problem *problem, double *values, double *vectors);

/* The same of a matrix n x n by LAPACK, which overwrites it. */
orthant_status eigen_dense(orthant_context *ctx, double *B, int64_t n, int64_t stride,
                           int64_t wanted, double *values, double *vectors);

#endif
