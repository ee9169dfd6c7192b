/* Nearest neighbours by outlines: a pair whose outlines are farther apart than the neighbours that
 * both have already is left out; of the others the samples themselves are compared. */
#ifndef GRAPH_SIEVE_H
#define GRAPH_SIEVE_H

#include "graph/outline.h"

/* As neighbours_find, which says what `nearest` gets. Arranges the outlines. */
orthant_status sieve_neighbours(orthant_context *ctx, const orthant_matrix *samples, outline *o,
                                int64_t count, int32_t *nearest);

#endif
