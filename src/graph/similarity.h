/* Inside of similarities: n x n matrices, symmetric and nonnegative. */
#ifndef GRAPH_SIMILARITY_H
#define GRAPH_SIMILARITY_H

#include "data/matrix.h"

/* Refuses what is not square, not finite, negative (where `nonnegative`) or not symmetric: the last
 * with the largest difference and its place. `name` stands in the message, `method` asks. */
orthant_status similarity_check(const orthant_matrix *similarity, bool nonnegative,
                                const char *name, const char *method);

#endif
