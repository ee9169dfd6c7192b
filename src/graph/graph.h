/* Inside of a graph: a symmetric CSR matrix without diagonal, and the degrees. */
#ifndef GRAPH_GRAPH_H
#define GRAPH_GRAPH_H

#include "data/matrix.h"
#include "orthant/graph.h"

struct orthant_graph {
    orthant_context *ctx;
    orthant_matrix *adjacency; /* n x n, sparse, symmetric, no diagonal, entries > 0, in the context's precision */
    double *degree;            /* row sums of the adjacency */
};

#endif
