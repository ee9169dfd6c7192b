/* Inside of a graph: a symmetric CSR matrix without diagonal, and the degrees. */
#ifndef GRAPH_GRAPH_H
#define GRAPH_GRAPH_H

#include "data/matrix.h"
#include "orthant/graph.h"

struct orthant_graph {
    orthant_context *ctx;
    orthant_matrix *adjacency; /* n x n, sparse, symmetric, no diagonal, entries > 0, in the
                                  context's precision */
    double *degree;            /* row sums of the adjacency */
};

/* Whether a weight is above zero as it is stored. */
static inline bool graph_weight_counts(const orthant_context *ctx, double weight)
{
    return ctx->precision == ORTHANT_DOUBLE ? weight > 0.0 : (float)weight > 0.0f;
}

/* The mean of |x_i - x_j|^2 over all n^2 pairs. */
orthant_status graph_mean_squared_distance(orthant_context *ctx, const orthant_matrix *samples,
                                           double *mean_distance);

/* A graph around `adjacency`, which it takes over, also on failure. */
orthant_status graph_around(orthant_context *ctx, orthant_matrix *adjacency, orthant_graph **graph);

#endif
