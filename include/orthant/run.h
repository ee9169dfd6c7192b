/** @file
 * RUN folders: everything about a fit on disk, read back, its tables, and the report made from it.
 */
#ifndef ORTHANT_RUN_H
#define ORTHANT_RUN_H

#include "context.h"
#include "fit.h"
#include "labels.h"
#include "matrix.h"
#include "score.h"

#ifdef __cplusplus
extern "C" {
#endif

/** One of several ways from the factors to labels. */
typedef struct orthant_read_out {
    size_t size;           /**< set it to sizeof(orthant_read_out) */
    const char *rule;      /**< "kmeans-unit:relation" */
    double spread;         /**< see orthant_result_read_out */
    bool scored;           /**< whether the truth is known */
    bool chosen;           /**< whether these labels were taken */
    orthant_scores scores; /**< beside the truth, where `scored` */
} orthant_read_out;

/** What a run is made of; unset pointers are left out of the folder. All are borrowed, for the call
 * alone. Further fields will be added at the end. */
typedef struct orthant_run {
    size_t size;                            /**< set it to sizeof(orthant_run) */
    const char *command;                    /**< the command line, or NULL */
    const char *data_path;                  /**< its checksum is taken */
    const char *scale;                      /**< "none", "unit", ... */
    const orthant_matrix *scale_statistics; /**< what max and tfidf scaled by, for new samples */
    const orthant_matrix *samples;          /**< that were fitted */
    const orthant_model *model;             /**< whose parameters are recorded */
    const orthant_result *result;           /**< factors and history */
    const orthant_labels *labels;           /**< what was found */
    const char *labels_rule;                /**< "kmeans:encoding" */
    const orthant_scores *scores;           /**< beside the truth */
    const orthant_read_out *read_outs;      /**< where the labels are the best of several */
    int read_out_count;                     /**< how many */
    const char *init;  /**< where the start came from, when it was no parameter: a run's folder */
    const char *graph; /**< the graph's file; NULL: built, or none */
    const char *labelled; /**< the known labels: a file, or the fraction of the truth */
    const char *truth;    /**< where the true labels came from */
    const orthant_labels *truth_labels; /**< of the samples */
    const char *drawn_classes;          /**< how many classes were drawn from the data; NULL: all */
    const orthant_labels *sample_rows;  /**< where they were drawn: the samples' rows, from 0 */
    bool without_report;                /**< it can be made later: orthant_run_report */
    /** A file with a name for each feature, one per line, for the parts' words; or NULL. */
    const char *words;
    /** Of the clusters by themselves; NULL: found where there are a result, labels and their rule.
     */
    const orthant_cluster_scores *cluster_scores;
    /** Why the rank is what it is (orthant_ranks_reason()), one reason in a line; NULL: it was
     * given. */
    const char *rank_reasons;
    /** How `data_path` was read, so that orthant_saved_run_data() reads the same samples again;
     * NULL: by ORTHANT_READ_DEFAULTS. What concerns memory (map, stream, share) is not kept. */
    const orthant_read_options *read;
} orthant_run;

/** Refuses a folder that orthant_run_write could not write to, so that a long fit is not lost;
 * leaves nothing behind. */
ORTHANT_API orthant_status orthant_run_check(orthant_context *context, const char *folder);

/** The right to write one run's folder, which one process has at a time. */
typedef struct orthant_run_claim orthant_run_claim;

/** As orthant_run_check(), and then claims the folder, so that a second command that would write to
 * it is refused at once and not after hours. What is claimed is a lock that ends with the process;
 * orthant_run_write() does not ask for it. Leaves FOLDER.part-PID-N beside the folder until it is
 * freed (after a kill: until the next claim of that name).
 * @param replace whether the folder may hold a run already.
 * @param claim to be freed by orthant_run_claim_free() when the run is written; NULL on failure.
 * @return ORTHANT_ERROR_ARGUMENT where the folder holds a run and `replace` is false, or holds
 * something else; ORTHANT_ERROR_IO where another process is at work on it, or it cannot be written.
 */
ORTHANT_API orthant_status orthant_run_claim_take(orthant_context *context, const char *folder,
                                                  bool replace, orthant_run_claim **claim);
/** The folder FOLDER.part-PID-N that is there as long as the claim, for what others may look at
 * meanwhile; what is in it then goes with it. NULL for NULL. */
ORTHANT_API const char *orthant_run_claim_folder(const orthant_run_claim *claim);
/** Gives the claim back; NULL is allowed. The context must still be there. */
ORTHANT_API void orthant_run_claim_free(orthant_run_claim *claim);

/** Where the checkpoints of a fit lie until its run is written to FOLDER, which is then exchanged
 * whole: FOLDER.checkpoint, or FOLDER/checkpoint where nothing can lie beside it (it is mounted,
 * stands in a folder that is read-only, or is the working directory). Makes nothing.
 * @param path to be freed by orthant_text_free; NULL on failure. */
ORTHANT_API orthant_status orthant_run_checkpoint_path(orthant_context *context, const char *folder,
                                                       char **path);

/** Refuses a file of words that does not hold one word per line for each of `features`. */
ORTHANT_API orthant_status orthant_run_check_words(orthant_context *context, const char *path,
                                                   int64_t features);

/** Writes FOLDER/run.json, history.csv, a .npy for each factor, scale.npy, labels.csv, truth.csv,
 * samples.csv (names of samples, the drawn rows), clusters.json and map.npy (what the report
 * shows of the samples), words.csv, basis.csv (where
 * features have names), report.html and its charts. The folder is made where it
 * is not there, and takes its name when the run is whole, before the report is drawn; one of an
 * earlier run is exchanged with it, and files in it that no run wrote go over. A folder that holds
 * something else than a run is refused; a link is followed.
 *
 * Where processes share the samples (group.h) all call it: the first makes the folder, and each
 * writes its own rows of the encodings into the one file. Where not all of them see the folder the
 * rows go to the first. */
ORTHANT_API orthant_status orthant_run_write(orthant_context *context, const orthant_run *run,
                                             const char *folder);

/** What run.json would say of the run, as one line of JSON with its newline; reads the data's file
 * for its checksum. Where processes share the samples all call it, before or after they wrote it.
 * @param text to be freed by orthant_text_free; NULL on failure. */
ORTHANT_API orthant_status orthant_run_describe(orthant_context *context, const orthant_run *run,
                                                char **text);

/** FOLDER/report.html from what is stored: of one run or one study, or of every run in the
 * subfolders of FOLDER, side by side. */
ORTHANT_API orthant_status orthant_run_report(orthant_context *context, const char *folder);

/** The words of the run in FOLDER from a file with a name for each feature, one per line, for its
 * report; written as words.csv. */
ORTHANT_API orthant_status orthant_run_set_words(orthant_context *context, const char *folder,
                                                 const char *path);

/** The tables of the run, the runs or the study in FOLDER.
 * @param format "text" (a summary in 80 columns), "md" (Markdown), "tex" (LaTeX, booktabs), "csv"
 * or "json": an array in one line, of each table an object with `name`, `caption`, `rows` (objects
 * by the titles of the columns) and `notes`
 * @param text to be freed by orthant_text_free; NULL on failure. */
ORTHANT_API orthant_status orthant_run_tables(orthant_context *context, const char *folder,
                                              const char *format, char **text);

/* ---- a run that is stored ---------------------------------------------------------------------
 */

/** A run of a factorisation as its folder holds it; opaque. Belongs to one context and is used by
 * one thread at a time. */
typedef struct orthant_saved_run orthant_saved_run;

/** Reads FOLDER/run.json; the factors are read when they are asked for. Free it with
 * orthant_saved_run_free, before the context. A file of the folder that is not the one that was
 * written with its run.json is refused when it is read. */
ORTHANT_API orthant_status orthant_saved_run_open(orthant_context *context, const char *folder,
                                                  orthant_saved_run **saved);
/** Frees the run and the factors that it gave out; NULL is fine. */
ORTHANT_API void orthant_saved_run_free(orthant_saved_run *saved);

/** A text of run.json by its key ("method", "loss", "scale", "precision", "labels_rule", ...), or a
 * parameter that is a text ("missing", ...); "" where it has none. Lives as long as the run. */
ORTHANT_API const char *orthant_saved_run_text(const orthant_saved_run *saved, const char *key);
/** A number of run.json by its key ("rank", "objective", "iterations", ...), or a score
 * ("accuracy", "nmi", ...); NaN where it has none. */
ORTHANT_API double orthant_saved_run_number(const orthant_saved_run *saved, const char *key);

/** A factor by its name, read in the context's precision when it is first asked for; the run's. */
ORTHANT_API orthant_status orthant_saved_run_factor(orthant_saved_run *saved, const char *name,
                                                    const orthant_matrix **factor);
/** The labels that were found; to be freed by the caller. NULL, and no error, where the run has
 * none. */
ORTHANT_API orthant_status orthant_saved_run_labels(orthant_saved_run *saved,
                                                    orthant_labels **labels);

/** Scales samples in place as the run's were, by what the run's own samples gave.
 * @param scale another scaling instead, which takes its numbers from these samples; NULL: the run's
 */
ORTHANT_API orthant_status orthant_saved_run_scale(orthant_saved_run *saved, const char *scale,
                                                   orthant_matrix *samples);
/** The same by the entries of the samples that are known: orthant_matrix_scale_masked().
 * @param mask of these samples; NULL: all entries count. */
ORTHANT_API orthant_status orthant_saved_run_scale_masked(orthant_saved_run *saved,
                                                          const char *scale,
                                                          const orthant_matrix *mask,
                                                          orthant_matrix *samples);
/** The samples of the fit, from the file that the run names, read as they were (the columns of a
 * table that are no features, the size of pictures, ...) and scaled as they were; to be freed by
 * the caller.
 * @return ORTHANT_ERROR_IO where the run names no file or it is not there, ORTHANT_ERROR_DATA where
 * its checksum is not that of the run's data, ORTHANT_ERROR_ARGUMENT where they were scaled to unit
 * length by the entries that a mask counts: orthant_saved_run_data_masked() takes it. */
ORTHANT_API orthant_status orthant_saved_run_data(orthant_saved_run *saved,
                                                  orthant_matrix **samples);
/** The same with the mask that the run was fitted with. */
ORTHANT_API orthant_status orthant_saved_run_data_masked(orthant_saved_run *saved,
                                                         const orthant_matrix *mask,
                                                         orthant_matrix **samples);
/** Encodings of new samples, scaled already, by what the run minimised: orthant_model_transform()
 * with the run's method, loss, terms, parameters, basis and weights of features. Where the run has
 * a graph, its samples are read by orthant_saved_run_data() unless they are given.
 * Where run and samples have names of features (orthant_matrix_feature_name()), these must be the
 * same in the same order.
 * @param options what is NULL there is the run's; NULL: the defaults.
 * @return ORTHANT_ERROR_ARGUMENT where the run's method has no loss, ORTHANT_ERROR_DATA where the
 * features have other names. */
ORTHANT_API orthant_status orthant_saved_run_encode(orthant_saved_run *saved,
                                                    const orthant_matrix *samples,
                                                    const orthant_transform_options *options,
                                                    orthant_matrix **encoding);
/** orthant_saved_run_encode() with these options and no others. */
ORTHANT_API orthant_status orthant_saved_run_transform(orthant_saved_run *saved,
                                                       const orthant_matrix *samples,
                                                       int64_t iterations, double tolerance,
                                                       orthant_matrix **encoding);
/** Clusters of new samples, scaled already, by the rule that the run's came by: the largest entry
 * of the encoding, or the nearest centre (the mean encoding of each of the run's clusters; of
 * k-means, its own). Numbered as the run's. To be freed by the caller.
 * @param options as of orthant_saved_run_encode().
 * @return ORTHANT_ERROR_ARGUMENT for a run without clusters, and for a method or a rule that says
 * nothing of new samples (spectral, labels from another factor). */
ORTHANT_API orthant_status orthant_saved_run_predict(orthant_saved_run *saved,
                                                     const orthant_matrix *samples,
                                                     const orthant_transform_options *options,
                                                     orthant_labels **labels);

/** Writes the fitted matrix S W' to a file, by the ending of its name as orthant_matrix_write();
 * .npy, .h5 and .csr some rows at a time, others whole. In the units of the samples as they were
 * scaled. O(n m k).
 * @param encoding S, dense, of any samples (n x k); NULL: the run's.
 * @return ORTHANT_ERROR_ARGUMENT for a method whose model is not S W'. */
ORTHANT_API orthant_status orthant_saved_run_inverse(orthant_saved_run *saved,
                                                     const orthant_matrix *encoding,
                                                     const char *path);
/** Writes the samples of the fit with the fitted values in the places of entries that are missing:
 * NaN where the run's `missing` is nan, what is not stored where it is zeros, weight 0 of the mask.
 * Entries that are known stay as they are. As orthant_saved_run_inverse() otherwise.
 * @param samples of the fit, scaled already: as many rows as the run's encodings.
 * @param mask that the run was fitted with; NULL where there was none.
 * @return ORTHANT_ERROR_ARGUMENT where nothing says which entries are missing. */
ORTHANT_API orthant_status orthant_saved_run_complete(orthant_saved_run *saved,
                                                      const orthant_matrix *samples,
                                                      const orthant_matrix *mask, const char *path);
/** The fitted values of `count` entries of the run's samples, rows and columns from 0. O(k) each.
 * @return ORTHANT_ERROR_ARGUMENT for an entry that is not there. */
ORTHANT_API orthant_status orthant_saved_run_entries(orthant_saved_run *saved, int64_t count,
                                                     const int64_t *rows, const int64_t *columns,
                                                     double *values);

#ifdef __cplusplus
}
#endif
#endif
