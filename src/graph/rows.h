/* Two samples side by side, in double: what decides where the fast products of pairs.h only guess.
 */
#ifndef GRAPH_ROWS_H
#define GRAPH_ROWS_H

#include "data/matrix.h"

/* |x_i - x_j|^2; may stop early with some value above `limit`. The same bits for (i, j) and (j, i).
 */
double rows_distance(const orthant_matrix *samples, int64_t i, int64_t j, double limit);
/* <x_i, x_j> */
double rows_dot(const orthant_matrix *samples, int64_t i, int64_t j);

#endif
