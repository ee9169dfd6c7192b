/** @file
 * Scores of a clustering beside the truth, and of an encoding by itself. */
#ifndef ORTHANT_SCORE_H
#define ORTHANT_SCORE_H

#include "context.h"
#include "labels.h"
#include "matrix.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A clustering beside the truth. */
typedef struct orthant_scores {
    size_t size; /**< set it to sizeof(orthant_scores) before the call */
    /** Share of samples under the best one-to-one matching (Kuhn-Munkres on a padded square table).
     */
    double accuracy;
    double nmi;      /**< mutual information over the larger of the two entropies; both single: 1 */
    double ari;      /**< adjusted Rand index */
    double purity;   /**< share of samples of their cluster's largest class */
    int64_t samples; /**< that were counted */
    int64_t clusters; /**< found */
    int64_t classes;  /**< true */
} orthant_scores;

/** Scores of found labels. Samples whose truth or found label is -1 are left out. O(n log n), and
 * the cube of the larger number of clusters or classes for the matching.
 * @return ORTHANT_ERROR_ARGUMENT where there are not as many of both, or none is left. */
ORTHANT_API orthant_status orthant_score_labels(orthant_context *context,
                                                const orthant_labels *found,
                                                const orthant_labels *truth,
                                                orthant_scores *scores);

/** Hoyer's sparseness of each row (0 equal entries, 1 a single one), averaged; undefined rows left
 * out; NaN where none is defined. One read of the matrix. Of encodings whose rows processes share
 * (group.h) it is that of all rows, and all processes call it. */
ORTHANT_API double orthant_score_sparseness(const orthant_matrix *encoding);

/** Friedman's test over a table of scores, and the difference of mean ranks that Nemenyi's test
 * asks for. */
typedef struct orthant_friedman {
    size_t size;                /**< set it to sizeof(orthant_friedman) before the call */
    double chi2;                /**< tie-corrected */
    double chi2_p;              /**< the probability of a larger one by chance */
    double f;                   /**< Iman and Davenport's form */
    double f_p;                 /**< the probability of a larger one by chance */
    double critical_difference; /**< of mean ranks, at alpha */
} orthant_friedman;

/** Friedman's test.
 * @param scores rows (data sets) x methods, row-major, higher is better.
 * @param mean_ranks filled, one per method; 1 is the best.
 * @return ORTHANT_ERROR_ARGUMENT for less than two rows or methods, or an alpha not within 0 and 1;
 * ORTHANT_ERROR_DATA for a score that is not finite. */
ORTHANT_API orthant_status orthant_score_friedman(orthant_context *context, const double *scores,
                                                  int64_t rows, int64_t methods, double alpha,
                                                  double *mean_ranks, orthant_friedman *outcome);

#ifdef __cplusplus
}
#endif
#endif
