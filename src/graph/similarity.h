/* Inside of similarities: n x n matrices, symmetric and nonnegative. */
#ifndef GRAPH_SIMILARITY_H
#define GRAPH_SIMILARITY_H

#include "data/matrix.h"
#include "graph/search_clock.h"
#include "orthant/graph.h"

typedef struct similarity_options {
    int64_t neighbours; /* of each sample; 0: all */
    double scale;
    orthant_search search; /* for the neighbours */
} similarity_options;

/* orthant_similarity_gaussian() with a choice of the search and a clock. */
orthant_status similarity_build(orthant_context *ctx, const orthant_matrix *samples,
                                const similarity_options *options, const search_clock *clock,
                                orthant_matrix **similarity);

/* Refuses what is not square, not finite, negative (where `nonnegative`) or not symmetric: the last
 * with the largest difference and its place. `name` stands in the message, `method` asks. */
orthant_status similarity_check(const orthant_matrix *similarity, bool nonnegative,
                                const char *name, const char *method);

#endif
