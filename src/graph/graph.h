/* Inside of a graph: a symmetric CSR matrix without diagonal, and the degrees. */
#ifndef GRAPH_GRAPH_H
#define GRAPH_GRAPH_H

#include "core/parameter.h"
#include "data/matrix.h"
#include "graph/search_clock.h"
#include "orthant/graph.h"

/* Samples of known classes. */
typedef struct graph_classes {
    int32_t *class_of; /* n: -1 where it is not known */
    int32_t *member;   /* of class c: member[start[c]] .. member[start[c + 1] - 1], rising */
    int64_t *start;
    int64_t count;
    double weight; /* of an edge between two members */
} graph_classes;

struct orthant_graph {
    orthant_context *ctx;
    orthant_matrix *adjacency; /* n x n, sparse, symmetric, no diagonal, entries > 0, in the
                                  precision of what the graph was made of; no values after
                                  graph_drop_ones() */
    double *degree;            /* row sums of the adjacency, and of the edges within classes; NULL
                                  after graph_drop_ones() */
    graph_classes *classes; /* edges between all members of each class, which the adjacency leaves
                               out; NULL: none */
};

/* Whether a weight is above zero as it is stored. */
static inline bool graph_weight_counts(orthant_precision precision, double weight)
{
    return precision == ORTHANT_DOUBLE ? weight > 0.0 : (float)weight > 0.0f;
}

/* The mean of |x_i - x_j|^2 over all n^2 pairs. */
orthant_status graph_mean_squared_distance(orthant_context *ctx, const orthant_matrix *samples,
                                           double *mean_distance);

/* orthant_graph_with_labels() without its edges within classes, which here have `weight`: they
 * would grow with the square of the class. For the graph term, which knows about them. */
orthant_status graph_with_classes(orthant_context *ctx, const orthant_graph *base,
                                  const orthant_labels *labels, double weight,
                                  orthant_graph **graph);

/* Gives weights and degrees back where all weights are 1: counts tell both. For a graph that the
 * graph term alone reads; what else looks at a graph wants them. */
void graph_drop_ones(orthant_graph *graph);
/* The degrees of `rows` nodes from `first` on; `scratch` is for those that have to be counted. */
const double *graph_degrees(const orthant_graph *graph, int64_t first, int64_t rows,
                            double *scratch);

/* orthant_graph_build() with a clock in place of the options' time limit. */
orthant_status graph_build(orthant_context *ctx, const orthant_matrix *samples,
                           const orthant_graph_options *options, const search_clock *clock,
                           orthant_graph **graph);
/* Refuses what orthant_graph_build() cannot make a graph of. */
orthant_status graph_check(orthant_context *ctx, const orthant_matrix *samples, int64_t neighbours,
                           orthant_edge_weight weight, double heat_width);

/* The same graph with weights of another precision, for a fit in that. */
orthant_status graph_in_precision(orthant_context *ctx, const orthant_graph *from,
                                  orthant_precision precision, orthant_graph **graph);

/* A graph around `adjacency`, which it takes over, also on failure. */
orthant_status graph_around(orthant_context *ctx, orthant_matrix *adjacency, orthant_graph **graph);

/* The parameter of methods and terms that search for neighbours: orthant_search_parse. */
#define PARAMETER_SEARCH                                                                      \
    PARAMETER_WORD("search", "auto", "auto|exact|approximate",                                \
                   "for neighbours, where no graph is given; auto: approximate above 50,000 " \
                   "samples of more than a few features")

#endif
