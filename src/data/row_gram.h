/* The products of the rows of a matrix with each other. */
#ifndef DATA_ROW_GRAM_H
#define DATA_ROW_GRAM_H

#include "data/matrix.h"

/* R R' of a dense matrix, in its precision: each pair once, in one thread. O(rows^2 columns). */
orthant_status row_gram(orthant_context *ctx, const orthant_matrix *rows,
                        orthant_matrix **products);

#endif
