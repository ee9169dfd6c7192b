/** @file
 * Graphs over samples: symmetric, nonnegative, in CSR. */
#ifndef ORTHANT_GRAPH_H
#define ORTHANT_GRAPH_H

#include "context.h"
#include "labels.h"
#include "matrix.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A graph; opaque. */
typedef struct orthant_graph orthant_graph;

/** How edges between neighbours are weighted. */
typedef enum orthant_edge_weight {
    ORTHANT_EDGE_BINARY = 0, /**< 1 */
    ORTHANT_EDGE_HEAT,       /**< exp(-d^2/(2 t^2)) of the distance d */
    ORTHANT_EDGE_COSINE /**< the cosine of the angle; edges where it is not positive drop out */
} orthant_edge_weight;
/** The weighting of a name: "binary", "heat" or "cosine". */
ORTHANT_API orthant_status orthant_edge_weight_parse(orthant_context *context, const char *name,
                                                     orthant_edge_weight *weight);

/** How neighbours are looked for. */
typedef enum orthant_search {
    ORTHANT_SEARCH_AUTO = 0, /**< exact for up to 50,000 samples, and for more of them where a
                                  kd-tree prunes (few features); otherwise approximate */
    ORTHANT_SEARCH_EXACT,
    ORTHANT_SEARCH_APPROXIMATE /**< misses a few neighbours; nearly linear in the samples */
} orthant_search;
/** The search of a name: "auto", "exact" or "approximate". */
ORTHANT_API orthant_status orthant_search_parse(orthant_context *context, const char *name,
                                                orthant_search *search);

/** A graph of nearest neighbours; begin with ORTHANT_GRAPH_DEFAULTS and set what differs. */
typedef struct orthant_graph_options {
    size_t size;                /**< sizeof(orthant_graph_options) */
    int64_t neighbours;         /**< of each sample, from 1 to n - 1 */
    orthant_edge_weight weight; /**< of the edges */
    double
        heat_width; /**< t of heat; 0: the root of the mean squared distance over all n^2 pairs */
    orthant_search search; /**< for the neighbours */
    double time_limit_s;   /**< of the search; 0: none */
    /** Entries that are not known: "nan" of dense samples; "zeros": what sparse ones do not store;
     * "none" or NULL: all are. Two samples are compared by the c features that are known in both,
     * and their squared distance is taken times m / c. */
    const char *missing;
} orthant_graph_options;
/** Initialises options: 5 neighbours, binary weights. */
#define ORTHANT_GRAPH_DEFAULTS                                                                 \
    {                                                                                          \
        sizeof(orthant_graph_options), 5, ORTHANT_EDGE_BINARY, 0, ORTHANT_SEARCH_AUTO, 0, NULL \
    }

/** The graph of k nearest neighbours: the sample itself excluded, ties to the lower index, made
 * symmetric by 'or'. In the samples' precision, on the context's threads, the same for any number
 * of them; tells its progress. The exact search is at worst O(n^2 m), less where bounds rule pairs
 * out, the samples are sparse or have few features; the approximate one grows nearly linearly. With
 * missing entries all pairs are compared, exactly, in O(n^2 m) and with a copy of dense samples in
 * double; an approximate search is refused.
 * @param options NULL: the defaults.
 * @return ORTHANT_ERROR_DATA for an entry that is not finite, and for a sample that has known
 * features in common with fewer others than it is to have neighbours; ORTHANT_ERROR_ARGUMENT for
 * another `missing`, and for one that is not of such samples; ORTHANT_STOPPED, also where the time
 * limit passes before the neighbours are found. */
ORTHANT_API orthant_status orthant_graph_build(orthant_context *context,
                                               const orthant_matrix *samples,
                                               const orthant_graph_options *options,
                                               orthant_graph **graph);
/** orthant_graph_build() with these options and no others. */
ORTHANT_API orthant_status orthant_graph_neighbours(orthant_context *context,
                                                    const orthant_matrix *samples,
                                                    int64_t neighbours, orthant_edge_weight weight,
                                                    double heat_width, orthant_graph **graph);
/** A graph with 1 between samples of one known class, 0 between different known classes, else the
 * edge of `base`. Takes memory for the square of each class's size.
 * @return ORTHANT_ERROR_ARGUMENT where there are not as many labels as nodes. */
ORTHANT_API orthant_status orthant_graph_with_labels(orthant_context *context,
                                                     const orthant_graph *base,
                                                     const orthant_labels *labels,
                                                     orthant_graph **graph);
/** A graph from a square matrix, dense or sparse, in its precision: symmetric, nonnegative and
 * finite; the diagonal is dropped (a loop adds nothing to the Laplacian). A few reads of the
 * matrix.
 * @return ORTHANT_ERROR_DATA for what is not so, with the entry. */
ORTHANT_API orthant_status orthant_graph_from_matrix(orthant_context *context,
                                                     const orthant_matrix *matrix,
                                                     orthant_graph **graph);
/** The same from an array of the caller's, dense or CSR as for orthant_matrix_wrap(); it is not
 * used after the call. */
ORTHANT_API orthant_status orthant_graph_from_array(orthant_context *context,
                                                    const orthant_array *array,
                                                    orthant_graph **graph);
/** The edges as a CSR array, n x n: each edge stands in the rows of both of its nodes, columns of a
 * row rise, weights are positive, the diagonal is empty. Set view->size before; see
 * orthant_matrix_view(). The pointers are good until the graph is freed. */
ORTHANT_API orthant_status orthant_graph_view(const orthant_graph *graph, orthant_array *view);
/** A graph from a file of any kind that orthant_matrix_read() takes, as from a matrix. */
ORTHANT_API orthant_status orthant_graph_read(orthant_context *context, const char *path,
                                              orthant_graph **graph);
/** Writes a graph as Matrix Market; the name ends in .mtx. */
ORTHANT_API orthant_status orthant_graph_write(orthant_context *context, const orthant_graph *graph,
                                               const char *path);
/** Frees a graph. */
ORTHANT_API void orthant_graph_free(orthant_graph *graph);

/** Nodes: samples. */
ORTHANT_API int64_t orthant_graph_nodes(const orthant_graph *graph);
/** Edges, undirected, each counted once. */
ORTHANT_API int64_t orthant_graph_edges(const orthant_graph *graph);
/** Nodes without an edge; counted, O(n). */
ORTHANT_API int64_t orthant_graph_isolated(const orthant_graph *graph);
/** Connected components, in one pass over the edges; -1 where there is no memory to count them. */
ORTHANT_API int64_t orthant_graph_components(const orthant_graph *graph);
/** The weight between two nodes, from 0; 0 where there is no edge. O(log) of the node's edges. */
ORTHANT_API double orthant_graph_edge(const orthant_graph *graph, int64_t i, int64_t j);

/** The similarity of RMND (4.3), (4.4), n x n in the samples' precision: exp(-d^2/(2 t^2)) between
 * a sample and its nearest neighbours, made symmetric by 'or', 1 on the diagonal; t^2 is scale / 2
 * times the mean squared distance over all n^2 pairs. Sparse, or with all neighbours dense in
 * O(n^2 m).
 * @param neighbours of each sample; 0 or n - 1: all.
 * @return ORTHANT_ERROR_DATA for an entry that is not finite; ORTHANT_STOPPED. */
ORTHANT_API orthant_status orthant_similarity_gaussian(orthant_context *context,
                                                       const orthant_matrix *samples,
                                                       int64_t neighbours, double scale,
                                                       orthant_matrix **similarity);

#ifdef __cplusplus
}
#endif
#endif
