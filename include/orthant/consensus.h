/** @file
 * Parts that many starts agree on: the consensus of a fit, as cNMF has it (Kotliar et al. 2019).
 *
 *     orthant_consensus_options options = ORTHANT_CONSENSUS_DEFAULTS;
 *     options.starts = 50;
 *     orthant_fit_consensus(model, samples, &options, &result);
 *     orthant_result_consensus(result, &info);
 */
#ifndef ORTHANT_CONSENSUS_H
#define ORTHANT_CONSENSUS_H

#include "context.h"
#include "fit.h"
#include "matrix.h"

#ifdef __cplusplus
extern "C" {
#endif

/** How a consensus is found; begin with ORTHANT_CONSENSUS_DEFAULTS and set what differs. */
typedef struct orthant_consensus_options {
    size_t size;      /**< sizeof(orthant_consensus_options) */
    int64_t starts;   /**< fits, each from a start of its own: 2 to 10,000 */
    double threshold; /**< a part whose mean distance to its nearest neighbours, among the parts of
                           all starts at unit length, is above this is left out; 2 keeps all */
    double neighbourhood; /**< how many neighbours those are, as a share of the starts: above 0, at
                               most 1 */
    int restarts;         /**< of the k-means that clusters the parts, at least 1 */
} orthant_consensus_options;
/** Initialises options: 100 starts, and cNMF's threshold of 0.5 and neighbourhood of 0.3. */
#define ORTHANT_CONSENSUS_DEFAULTS                           \
    {                                                        \
        sizeof(orthant_consensus_options), 100, 0.5, 0.3, 10 \
    }

/** Fits from several starts, clusters the parts of all of them, and gives the fit whose basis are
 * the clusters' medians: the parts of each start are brought to unit length; parts that lie far
 * from others are left out (`threshold`); k-means makes k clusters of the rest; a part of the
 * consensus is the median of a cluster, feature by feature, at unit length; the encodings are
 * fitted once more while these parts are held, by the model's own solver and terms. Parts are
 * ordered by their silhouettes, the most stable first. Parts that are fixed in the model
 * (orthant_model_set_fixed()) are the first of the basis, in every start and in the end; the others
 * alone are clustered.
 *
 * The seeds are those of orthant_fit_starts(), whose start objectives the result has too. Cost:
 * the fits; m (k starts)^2 for the distances, which take (k starts)^2 doubles.
 * @param options NULL: the defaults.
 * @return ORTHANT_ERROR_ARGUMENT for options out of range, for methods other than a loss with
 * terms, where all parts are fixed, and with a start or an `init` that all fits would share;
 * ORTHANT_ERROR_NUMERIC where fewer than k parts are not left out; ORTHANT_STOPPED where a callback
 * or the time limit ends a start, as there is no consensus then. Otherwise as orthant_fit(). */
ORTHANT_API orthant_status orthant_fit_consensus(orthant_model *model,
                                                 const orthant_matrix *samples,
                                                 const orthant_consensus_options *options,
                                                 orthant_result **result);

/** A consensus as a whole. */
typedef struct orthant_consensus_info {
    size_t size;          /**< set it to sizeof(orthant_consensus_info) */
    int64_t starts;       /**< that were fitted */
    int64_t members;      /**< parts of all starts: starts x (k - fixed) */
    int64_t kept;         /**< members that were clustered; the others were left out */
    int64_t neighbours;   /**< that a member's density was taken of */
    double threshold;     /**< of the density */
    double neighbourhood; /**< of which the neighbours follow */
    double silhouette;    /**< mean over the kept members, by Euclidean distances: how stable the
                               parts are; NaN of one part */
    int64_t fixed;        /**< parts that were given, the first of the basis; 0: none */
} orthant_consensus_info;
/** What a consensus found. @return ORTHANT_ERROR_ARGUMENT where the result is no consensus. */
ORTHANT_API orthant_status orthant_result_consensus(const orthant_result *result,
                                                    orthant_consensus_info *info);

/** One part of a consensus: a column of the basis. Of a fixed part members and starts are 0, and
 * the other numbers NaN. */
typedef struct orthant_consensus_part {
    size_t size;       /**< set it to sizeof(orthant_consensus_part) */
    int64_t members;   /**< of the cluster whose median it is */
    int64_t starts;    /**< that have at least one of them: 1 part of each, where all agree */
    double silhouette; /**< mean over the members; NaN of one part */
    double cosine;     /**< mean of the members with their median; 1: all are the same */
} orthant_consensus_part;
/** A part by its column, from 0. @return ORTHANT_ERROR_ARGUMENT where there is none. */
ORTHANT_API orthant_status orthant_result_consensus_part(const orthant_result *result,
                                                         int64_t index,
                                                         orthant_consensus_part *part);

/** One part of one start. */
typedef struct orthant_consensus_member {
    size_t size;       /**< set it to sizeof(orthant_consensus_member) */
    int64_t start;     /**< whose part it is, from 0 */
    int64_t part;      /**< which, from 0: its column in the start's basis */
    int64_t cluster;   /**< the part of the consensus that it belongs to, from 0; -1: left out */
    double density;    /**< its mean distance to its nearest neighbours, 0 to 2; NaN of a part that
                            is zero throughout, which is left out */
    double silhouette; /**< NaN where it was left out, and of one part */
} orthant_consensus_member;
/** A member by its place, from 0 to members - 1: those of the first start come first.
 * @return ORTHANT_ERROR_ARGUMENT where there is none. */
ORTHANT_API orthant_status orthant_result_consensus_member(const orthant_result *result,
                                                           int64_t index,
                                                           orthant_consensus_member *member);

#ifdef __cplusplus
}
#endif
#endif
