/** @file
 * Scores of a clustering beside the truth, and of an encoding by itself. */
#ifndef ORTHANT_SCORE_H
#define ORTHANT_SCORE_H

#include "context.h"
#include "fit.h"
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
    /** Mutual information over the larger of the two entropies ("max"), as in the papers; both
     * single: 1. */
    double nmi;
    double ari;            /**< adjusted Rand index */
    double purity;         /**< share of samples of their cluster's largest class */
    int64_t samples;       /**< that were counted */
    int64_t clusters;      /**< found */
    int64_t classes;       /**< true */
    double nmi_arithmetic; /**< over the mean of the two entropies, as scikit-learn's */
    double nmi_geometric;  /**< over the root of their product */
    double nmi_min;        /**< over the smaller one */
    double ami;            /**< mutual information beyond chance, over the mean entropy beyond it */
    double homogeneity;    /**< 1 where a cluster has samples of one class alone */
    double completeness;   /**< 1 where a class lies in one cluster */
    double v_measure;      /**< their harmonic mean, which is nmi_arithmetic */
} orthant_scores;

/** Scores of found labels. Samples whose truth or found label is -1 are left out. Those that
 * scikit-learn has too have its values. O(n log n), and the cube of the larger number of clusters
 * or classes for the matching.
 * @return ORTHANT_ERROR_ARGUMENT where there are not as many of both, or none is left. */
ORTHANT_API orthant_status orthant_score_labels(orthant_context *context,
                                                const orthant_labels *found,
                                                const orthant_labels *truth,
                                                orthant_scores *scores);

/** Clusters by themselves, without a truth. */
typedef struct orthant_cluster_scores {
    size_t size; /**< set it to sizeof(orthant_cluster_scores) before the call */
    /** Rousseeuw's silhouette by Euclidean distances, the mean over the samples: 1 where clusters
     * lie far apart, 0 where they touch, below where samples are nearer to another one; a sample
     * that is a cluster by itself counts 0; NaN where there is one cluster. */
    double silhouette;
    /** The share of the points' scatter (squared distances to their mean) that lies between the
     * clusters: 1 where every point is at its cluster's centre. */
    double cohesion;
    /** Whether the silhouette is of the distances between all pairs of samples, up to 4,000 of
     * them with at most 1,000 columns; false: of those to the centres (the simplified silhouette).
     */
    bool exact;
    int64_t samples;  /**< that have a cluster */
    int64_t clusters; /**< that have samples */
    int64_t smallest; /**< samples of the smallest cluster */
    int64_t largest;  /**< and of the largest */
} orthant_cluster_scores;

/** Scores of clusters without a truth. Samples with the label -1 are left out. O(n c k) for c
 * clusters, where it is exact O(n^2 k), on the context's threads, to the same bits on any number.
 * @param points a row for each sample: encodings, or the samples.
 * @return ORTHANT_ERROR_ARGUMENT where there are not as many of both, or none has a label. */
ORTHANT_API orthant_status orthant_score_clusters(orthant_context *context,
                                                  const orthant_matrix *points,
                                                  const orthant_labels *labels,
                                                  orthant_cluster_scores *scores);
/** The same of the rows that labels were read from: those of the rule's factor, on the scale on
 * which the labels were taken.
 * @param rule "kmeans:encoding", as in orthant_result_read_out().
 * @return ORTHANT_ERROR_UNSUPPORTED where processes share the samples (group.h). */
ORTHANT_API orthant_status orthant_result_score_clusters(const orthant_result *result,
                                                         const char *rule,
                                                         const orthant_labels *labels,
                                                         orthant_cluster_scores *scores);

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
