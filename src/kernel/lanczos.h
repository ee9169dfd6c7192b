/* Eigenvectors from products alone, by restarted Lanczos. */
#ifndef KERNEL_LANCZOS_H
#define KERNEL_LANCZOS_H

#include "kernel/eigen.h"

#define LANCZOS_EXTRA_VECTORS 20 /* of the Lanczos basis beyond twice the wanted ones */

/* The largest eigenvalues, rising, and their vectors as rows. */
orthant_status lanczos_run(eigen_problem *problem, double *values, double *vectors);

#endif
