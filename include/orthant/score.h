/* Scores of a clustering beside the truth, and of an encoding by itself. */
#ifndef ORTHANT_SCORE_H
#define ORTHANT_SCORE_H

#include "context.h"
#include "labels.h"
#include "matrix.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct orthant_scores {
    double accuracy; /* share of samples under the best one-to-one matching (Kuhn-Munkres on a
                        padded square table) */
    double nmi;      /* mutual information over the larger of the two entropies; both single: 1 */
    double ari;      /* adjusted Rand index */
    double purity;
    int64_t samples, clusters, classes;
} orthant_scores;

/* Samples whose truth or found label is -1 are left out. */
ORTHANT_API orthant_status orthant_score_labels(orthant_context *context,
                                                const orthant_labels *found,
                                                const orthant_labels *truth,
                                                orthant_scores *scores);

/* Hoyer's sparseness of each row (0 equal entries, 1 a single one), averaged; undefined rows left
 * out; NaN where none is defined. */
ORTHANT_API double orthant_score_sparseness(const orthant_matrix *encoding);

/* Friedman's test over a table of scores, and the difference of mean ranks that Nemenyi's test asks
 * for. */
typedef struct orthant_friedman {
    double chi2, chi2_p;        /* tie-corrected; the probability of a larger one by chance */
    double f, f_p;              /* Iman and Davenport's form */
    double critical_difference; /* of mean ranks, at alpha */
} orthant_friedman;

/* scores: rows (data sets) x methods, row-major, higher is better; mean_ranks[methods], 1 is the
 * best. */
ORTHANT_API orthant_status orthant_score_friedman(orthant_context *context, const double *scores,
                                                  int64_t rows, int64_t methods, double alpha,
                                                  double *mean_ranks, orthant_friedman *outcome);

#ifdef __cplusplus
}
#endif
#endif
