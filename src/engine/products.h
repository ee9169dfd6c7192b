/* Products with the whole of X on all threads; the same bits for any number of them. */
#ifndef ENGINE_PRODUCTS_H
#define ENGINE_PRODUCTS_H

#include "data/matrix.h"
#include "kernel/kernel.h"

/* c = X b: c is n x k, b is m x k, both padded. */
void products_forward(orthant_context *ctx, const orthant_matrix *X, array b, array c);
/* The same where X lies in a file. */
void products_forward_file(orthant_context *ctx, const orthant_matrix *X, array b, array c);
/* c = K b for a symmetric K, n x n: of a large dense one the upper half alone is read, and each of
 * its blocks serves twice. `scratch` has products_symmetric_bytes() for b's columns; NULL where
 * these are 0. */
int64_t products_symmetric_bytes(const orthant_matrix *K, int64_t columns);
void products_symmetric(orthant_context *ctx, const orthant_matrix *K, array b, array c,
                        void *scratch);
/* plus = max(M, 0) b and minus = max(-M, 0) b for a symmetric dense M, split a tile at a time.
 * `scratch` has products_split_bytes(). */
int64_t products_split_bytes(orthant_context *ctx, const orthant_matrix *M, int64_t columns);
void products_split(orthant_context *ctx, const orthant_matrix *M, array b, array plus, array minus,
                    void *scratch);
/* c = X'b: c is m x k, b is n x k. */
void products_backward(orthant_context *ctx, const orthant_matrix *X, array b, array c);

#endif
