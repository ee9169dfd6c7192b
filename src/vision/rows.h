/* Products of the rows of a tall matrix: few features, a row for each of many places. */
#ifndef VISION_ROWS_H
#define VISION_ROWS_H

#include "data/matrix.h"

/* sum y y' over the rows y (single precision, padded): features x features. The sums do not depend
 * on the number of threads. */
orthant_status rows_gram(orthant_context *ctx, const orthant_matrix *rows, double *gram);

/* z = V y of every row, the rows of V being `count` directions (single precision, padded). */
orthant_status rows_project(orthant_context *ctx, const orthant_matrix *rows,
                            const double *directions, int64_t count, orthant_matrix **projected);

#endif
