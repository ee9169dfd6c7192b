/* Graphs over samples: symmetric, nonnegative, in CSR. */
#ifndef ORTHANT_GRAPH_H
#define ORTHANT_GRAPH_H

#include "context.h"
#include "labels.h"
#include "matrix.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct orthant_graph orthant_graph;

typedef enum orthant_edge_weight {
    ORTHANT_EDGE_BINARY = 0,
    ORTHANT_EDGE_HEAT,
    ORTHANT_EDGE_COSINE
} orthant_edge_weight;
ORTHANT_API orthant_status orthant_edge_weight_parse(orthant_context *context, const char *name,
                                                     orthant_edge_weight *weight);

/* Exact k nearest neighbours: the sample itself excluded, ties to the lower index, made symmetric
 * by 'or'. heat: exp(-d^2/(2 t^2)); heat_width t = 0 takes the root of the mean squared distance
 * over all n^2 pairs. */
ORTHANT_API orthant_status orthant_graph_neighbours(orthant_context *context,
                                                    const orthant_matrix *samples,
                                                    int64_t neighbours, orthant_edge_weight weight,
                                                    double heat_width, orthant_graph **graph);
/* 1 between samples of one known class, 0 between different known classes, else the edge of `base`.
 */
ORTHANT_API orthant_status orthant_graph_with_labels(orthant_context *context,
                                                     const orthant_graph *base,
                                                     const orthant_labels *labels,
                                                     orthant_graph **graph);
/* From a square matrix, dense or sparse; must be symmetric, nonnegative and finite; the diagonal is
 * dropped (a loop adds nothing to the Laplacian). */
ORTHANT_API orthant_status orthant_graph_from_matrix(orthant_context *context,
                                                     const orthant_matrix *matrix,
                                                     orthant_graph **graph);
/** The same from an array of the caller's, dense or CSR as for orthant_matrix_wrap(); it is not
 * used after the call. The graph has the array's precision. */
ORTHANT_API orthant_status orthant_graph_from_array(orthant_context *context,
                                                    const orthant_array *array,
                                                    orthant_graph **graph);
/** The edges as a CSR array, n x n: each edge stands in the rows of both of its nodes, columns of a
 * row rise, weights are positive, the diagonal is empty. Set view->size before; see
 * orthant_matrix_view(). The pointers are good until the graph is freed. O(1). */
ORTHANT_API orthant_status orthant_graph_view(const orthant_graph *graph, orthant_array *view);
ORTHANT_API orthant_status orthant_graph_read(orthant_context *context, const char *path,
                                              orthant_graph **graph);
ORTHANT_API orthant_status orthant_graph_write(orthant_context *context, const orthant_graph *graph,
                                               const char *path); /* .mtx */
ORTHANT_API void orthant_graph_free(orthant_graph *graph);

ORTHANT_API int64_t orthant_graph_nodes(const orthant_graph *graph);
ORTHANT_API int64_t orthant_graph_edges(const orthant_graph *graph);    /* undirected, each once */
ORTHANT_API int64_t orthant_graph_isolated(const orthant_graph *graph); /* nodes without an edge */
/* Connected components; -1 where there is no memory to count them. */
ORTHANT_API int64_t orthant_graph_components(const orthant_graph *graph);
ORTHANT_API double orthant_graph_edge(const orthant_graph *graph, int64_t i,
                                      int64_t j); /* 0 where there is none */

/* The similarity of RMND (4.3), (4.4), n x n in the samples' precision: exp(-d^2/(2 t^2)) between a
 * sample and its nearest neighbours, made symmetric by 'or', 1 on the diagonal; t^2 is scale / 2
 * times the mean squared distance over all n^2 pairs. Sparse, or dense with all neighbours (0, or
 * n - 1). */
ORTHANT_API orthant_status orthant_similarity_gaussian(orthant_context *context,
                                                       const orthant_matrix *samples,
                                                       int64_t neighbours, double scale,
                                                       orthant_matrix **similarity);

#ifdef __cplusplus
}
#endif
#endif
