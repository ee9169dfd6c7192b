/* Eigenvectors from products alone, by restarted Lanczos: ARPACK's (lanczos_arpack.c), or in a
 * build without it our own (lanczos_own.c). */
#ifndef ENGINE_LANCZOS_H
#define ENGINE_LANCZOS_H

#include "engine/eigen.h"

#define LANCZOS_EXTRA_VECTORS 20 /* of the Lanczos basis beyond twice the wanted ones */

/* Up to so many entries LAPACK decomposes the whole matrix. */
extern const int64_t lanczos_least;

/* The largest eigenvalues, rising, and their vectors as rows. */
orthant_status lanczos_run(eigen_problem *problem, double *values, double *vectors);

#endif
