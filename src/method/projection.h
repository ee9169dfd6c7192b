/* The projection of NMF with sparseness constraints (Hoyer 2004). */
#ifndef METHOD_PROJECTION_H
#define METHOD_PROJECTION_H

#include <stdbool.h>
#include <stdint.h>

/* Puts in place of `values` the nearest vector without negative entries that has the sum `l1` and
 * the sum of squares `l2_squared`; there is one where l2_squared <= l1^2 <= count * l2_squared.
 * `fixed` is scratch for `count` flags. */
void project_to_norms(double *values, int64_t count, double l1, double l2_squared, bool *fixed);

/* The sum that a vector of unit length and so many entries has at a sparseness from 0 (all equal)
 * to 1 (a single one). */
double sum_at_sparseness(int64_t count, double sparseness);

#endif
