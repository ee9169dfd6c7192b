/* A row of a matrix beside a centre of k-means, in double. */
#ifndef CLUSTER_POINT_H
#define CLUSTER_POINT_H

#include "data/matrix.h"

double centre_square(const double *centre, int64_t features);
/* |x_i - c|^2; `square` is the centre's own, and matters for a sparse row only. */
double point_distance(const orthant_matrix *points, int64_t i, const double *centre, double square);
/* sum += sign (x_i - mean) over `features` features from `first` on; a sparse row is added whole,
 * without the mean. */
void point_add(const orthant_matrix *points, int64_t i, int64_t first, int64_t features,
               double sign, const double *mean, double *sum);
void point_copy(const orthant_matrix *points, int64_t i, double *centre);

#endif
