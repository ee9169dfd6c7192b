/* Products with the whole of X on all threads; the same bits for any number of them. */
#ifndef ENGINE_PRODUCTS_H
#define ENGINE_PRODUCTS_H

#include "data/matrix.h"
#include "kernel/kernel.h"

/* c = X b: c is n x k, b is m x k, both padded. */
void products_forward(orthant_context *ctx, const orthant_matrix *X, array b, array c);
/* c = X'b: c is m x k, b is n x k. */
void products_backward(orthant_context *ctx, const orthant_matrix *X, array b, array c);

#endif
