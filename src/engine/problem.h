/* What is asked: X ~ W S', objective = loss(X, W S') + sum of weighted terms. Set up by a method,
 * never changed by the engine. */
#ifndef ENGINE_PROBLEM_H
#define ENGINE_PROBLEM_H

#include "core/parameter.h"
#include "data/matrix.h"
#include "graph/graph.h"
#include "kernel/kernel.h"
#include "orthant/labels.h"

struct loss;
struct solver;
struct term;

typedef struct problem {
    orthant_context *ctx;
    const orthant_matrix *samples; /* X, n x m */
    int64_t rank;                  /* k */
    const struct loss *loss;
    const struct solver *solver;
    struct term *terms;
    int term_count;
    const struct entry_weights *weights; /* of the entries of X (data/strip.h); NULL: 1 */
    bool unit_basis; /* the columns of W have unit length before every step (unit_basis.h) */
    bool on_device;  /* of the context: the sweeps run there */
    int64_t halo; /* rows of other processes' encodings that terms read: of those set up so far */
    /* what terms may need; NULL where it was not given */
    const parameter_set *parameters;
    const orthant_graph *graph;
    const orthant_labels *labels;
    const orthant_matrix *pooling;
    const orthant_matrix *fixed_basis; /* m x c: the first c columns of W, held; NULL: none */
} problem;

#endif
