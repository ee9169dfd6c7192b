/* Codes of new samples: inside of orthant_transform() and orthant_model_transform(). */
#ifndef METHOD_TRANSFORM_H
#define METHOD_TRANSFORM_H

#include "data/matrix.h"
#include "data/strip.h"
#include "engine/loss.h"
#include "engine/term.h"
#include "orthant/graph.h"

/* Training samples that a graph joins new ones with: the nearest. */
typedef struct code_graph {
    const orthant_matrix *samples, *encoding; /* of the fit: n x m, n x k */
    int64_t neighbours;
    orthant_edge_weight weight;
    double width_squared; /* of heat */
    double *squares;      /* n: |x_j|^2 */
} code_graph;

/* Samples of a fit whose class is known, where loss alone is minimised. Without `basis` they get no
 * code. With it, and squares, they alone do: a sample of class c goes on with features of the
 * classes, `entry` in that of c and 0 in the others, and the basis with entry * B. */
typedef struct code_labels {
    const int64_t *class_of; /* n: below 0, or from `classes` on, where it is not known */
    int64_t classes;
    const orthant_matrix *basis; /* B, classes x k; or NULL */
    double entry;
} code_labels;

/* What one sample's code minimises, by any loss, weights and terms. */
typedef struct code_problem {
    orthant_context *ctx;
    const orthant_matrix *basis, *samples;
    const loss *loss;             /* as it was asked for, without weights */
    const entry_weights *weights; /* NULL: all are 1 */
    const term *terms;            /* that act on one sample, set up */
    int term_count;
    const code_graph *graph; /* NULL: none of them is a graph's */
    bool of_fit; /* the samples are those of the fit, in its order, and terms may know them */
    const code_labels *labels; /* NULL: have no part */
    orthant_matrix *into;      /* takes the codes; NULL: a new matrix does */
    int64_t iterations;
    double tolerance;
} code_problem;

/* Refuses a basis for other samples, and entries that are no numbers, or negative where none may
 * be. */
orthant_status transform_check(orthant_context *ctx, const orthant_matrix *basis, const char *loss,
                               const orthant_matrix *samples);
/* Each sample's code, in the samples' precision, by the quicker of the two that know the problem.
 */
orthant_status transform_samples(const code_problem *p, orthant_matrix **encoding);
orthant_status transform_general(const code_problem *p, orthant_matrix **encoding);
/* Without weights and terms: squares and Kullback-Leibler, by coordinates. */
orthant_status transform_plain(const code_problem *p, orthant_matrix **encoding);
/* Threads, each with so many bytes of scratch. At the end of a fit, whose peak of memory codes must
 * not raise, all scratch stays small beside the samples. */
int transform_threads(const code_problem *p, int64_t each);
/* Samples that are not what was asked for: a note, or an error. */
orthant_status transform_tell(orthant_context *ctx, int64_t missed, int64_t lost, int64_t samples,
                              int64_t iterations, double tolerance);

#endif
