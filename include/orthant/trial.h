/** @file
 * One run of one method on one set of data, from settings by name to labels and scores.
 *
 *     orthant_trial_create(ctx, 10, &trial);
 *     orthant_trial_set(trial, "method", "gnmf");
 *     orthant_trial_set(trial, "parameter", "graph_weight=10");
 *     orthant_trial_set_data(trial, "digits.npy", samples, truth);
 *     orthant_trial_fit(trial);
 *     orthant_trial_label(trial);
 *     orthant_trial_scores(trial, &scores);
 *     orthant_trial_run(trial, &run);
 *     orthant_run_write(ctx, &run, "runs/digits");
 *
 * A model, its fit and its labels can also be had one by one (fit.h); a trial adds what the papers'
 * experiments have in common: some of the classes, a part of the truth as known labels, graphs and
 * starting factors from files, the best of several starts, and the run's folder. A trial and what
 * it gives out belong to one context and are used by one thread at a time. */
#ifndef ORTHANT_TRIAL_H
#define ORTHANT_TRIAL_H

#include "context.h"
#include "fit.h"
#include "labels.h"
#include "matrix.h"
#include "run.h"
#include "score.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A trial; opaque. */
typedef struct orthant_trial orthant_trial;

/** A trial without settings. Free it with orthant_trial_free, before the context.
 * @param rank the number of parts or clusters, k. */
ORTHANT_API orthant_status orthant_trial_create(orthant_context *context, int64_t rank,
                                                orthant_trial **trial);
/** Frees the trial and all that it gave out; NULL is fine. */
ORTHANT_API void orthant_trial_free(orthant_trial *trial);

/** A setting by its name, as text; of one that is set twice the last counts. Names:
 *   - method: a name of orthant_method_info; "nmf" unless given
 *   - loss, iterations, tolerance, time-limit, seed, solver, weights, search, restarts: as the
 *     parameters of the model
 *   - parameter: "name=value" of any parameter of the method; can be repeated
 *   - term: "name=weight"; can be repeated
 *   - graph: "knn:N" or a file; similarity: "gaussian", or "given": the data are the similarity
 *   - pooling: a word of the parameter or a file
 *   - missing, batch: as the parameters of the model; mask, sample-weights, feature-weights: files
 *   - init: a word of the parameter, or the folder of an earlier run
 *   - start: "factor=file", can be repeated; or "random", or "best-of:N" starts, or
 *     "consensus:N": the parts that N starts agree on (orthant_fit_consensus())
 *   - consensus-threshold, consensus-neighbourhood: as orthant_consensus_options has them
 *   - labels: a file of known labels; or labelled-fraction, labelled-per-class: of the truth
 *   - classes: some of the classes alone, drawn by the seed
 *   - labels-rule, clusters: how labels are found, as in orthant_result_labels
 *
 * Copies both texts. Values are checked by orthant_trial_prepare.
 * @return ORTHANT_ERROR_ARGUMENT for a name that is none of these, or after the trial was prepared.
 */
ORTHANT_API orthant_status orthant_trial_set(orthant_trial *trial, const char *name,
                                             const char *value);

/** Makes the model, and refuses everything that can be refused before there are data: unknown
 * methods, parameters and words, numbers out of range, settings that exclude each other. Called by
 * orthant_trial_set_data where it was not; reads no data. */
ORTHANT_API orthant_status orthant_trial_prepare(orthant_trial *trial);

/** The data; then files of labels, graphs and starts are read. Samples and truth are borrowed: they
 * must outlive the trial.
 * @param name of the data in messages: its file
 * @param truth NULL where it is not known */
ORTHANT_API orthant_status orthant_trial_set_data(orthant_trial *trial, const char *name,
                                                  const orthant_matrix *samples,
                                                  const orthant_labels *truth);

/** Sets where the fit leaves checkpoints, as orthant_model_set_checkpoint() does. Of several starts
 * each has a file: PATH, PATH.2, ..., and those that ended are not run again.
 * @param resume goes on from what is there; where nothing is, the fit begins and a note says so. */
ORTHANT_API orthant_status orthant_trial_set_checkpoint(orthant_trial *trial, const char *path,
                                                        double seconds, bool resume);
/** Removes the checkpoints of all starts, which are of no use once the result is kept. */
ORTHANT_API orthant_status orthant_trial_remove_checkpoint(orthant_trial *trial);

/** Fits, once or from each of several starts, of which the smallest objective is kept. The
 * context's progress callback hears of it and can stop it; the result is then marked as stopped. */
ORTHANT_API orthant_status orthant_trial_fit(orthant_trial *trial);
/** Labels of the samples, and their scores where the truth is known; after the fit. Where processes
 * share the samples (group.h) all call it, and the first has labels and scores; for labels by
 * k-means it holds all encodings meanwhile. */
ORTHANT_API orthant_status orthant_trial_label(orthant_trial *trial);

/** The model; NULL before orthant_trial_prepare. The trial's, as all that follow. */
ORTHANT_API const orthant_model *orthant_trial_model(const orthant_trial *trial);
/** The samples that are fitted: the drawn ones where classes were drawn; NULL before there are
 * data. */
ORTHANT_API const orthant_matrix *orthant_trial_samples(const orthant_trial *trial);
/** Their rows in the data, counted from 0, where classes were drawn; else NULL. */
ORTHANT_API const orthant_labels *orthant_trial_sample_rows(const orthant_trial *trial);
/** Their true labels; NULL where they are not known. */
ORTHANT_API const orthant_labels *orthant_trial_truth(const orthant_trial *trial);
/** The fit; NULL before there is one. */
ORTHANT_API const orthant_result *orthant_trial_result(const orthant_trial *trial);
/** Seconds of all fits, where the best of several starts was kept. */
ORTHANT_API double orthant_trial_seconds(const orthant_trial *trial);
/** The labels that were found; NULL before orthant_trial_label. */
ORTHANT_API const orthant_labels *orthant_trial_labels(const orthant_trial *trial);
/** The rule by which they were found, "kmeans:encoding"; "" before. */
ORTHANT_API const char *orthant_trial_labels_rule(const orthant_trial *trial);
/** Their scores. @return ORTHANT_ERROR_ARGUMENT where there are none: no labels or no truth. */
ORTHANT_API orthant_status orthant_trial_scores(const orthant_trial *trial, orthant_scores *scores);
/** Scores of the clusters by themselves (orthant_result_score_clusters), with or without a truth.
 * @return ORTHANT_ERROR_ARGUMENT where there are none: no labels, or this is not the first of
 * processes that share the samples (group.h). */
ORTHANT_API orthant_status orthant_trial_cluster_scores(const orthant_trial *trial,
                                                        orthant_cluster_scores *scores);
/** The ways to labels that "best-of" chose from; 0 with another rule. */
ORTHANT_API int orthant_trial_read_out_count(const orthant_trial *trial);
/** One of them; its text lives as long as the trial. */
ORTHANT_API orthant_status orthant_trial_read_out(const orthant_trial *trial, int index,
                                                  orthant_read_out *read_out);

/** What orthant_run_write and orthant_run_describe take, filled with what the trial knows; all in
 * it belongs to the trial. The caller adds what only he knows: command, data_path, scale, truth,
 * words.
 */
ORTHANT_API orthant_status orthant_trial_run(const orthant_trial *trial, orthant_run *run);

#ifdef __cplusplus
}
#endif
#endif
