/** @file
 * Studies: methods over drawn classes of data sets, repeated, with the results as rows.
 *
 *     orthant_study_create(ctx, &study);
 *     orthant_study_set(study, "methods", "kmeans,nmf,gnmf");
 *     orthant_study_set(study, "classes", "2:10");
 *     orthant_study_add_data(study, "orl", "ORL_32x32.mat", samples, truth);
 *     orthant_study_run(study, "runs/orl");
 */
#ifndef ORTHANT_STUDY_H
#define ORTHANT_STUDY_H

#include "context.h"
#include "labels.h"
#include "matrix.h"
#include "score.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A study; opaque. Belongs to one context and is used by one thread at a time. */
typedef struct orthant_study orthant_study;

/** What is measured of a run, or the mean or deviation of several; NaN where a measure does not
 * exist. */
typedef struct orthant_study_measures {
    double accuracy;   /**< of the labels, from 0 to 1; see orthant_scores */
    double nmi;        /**< the same */
    double ari;        /**< the same */
    double purity;     /**< the same */
    double sparseness; /**< of the encodings */
    double objective;  /**< after the last iteration */
    double iterations; /**< that were made */
    double seconds;    /**< of the fit */
} orthant_study_measures;

/** One finished run. */
typedef struct orthant_study_row {
    size_t size;                  /**< set it to sizeof(orthant_study_row) before the call */
    const char *dataset;          /**< its name */
    const char *method;           /**< with the settings that set it apart: "nmf init=nndsvd" */
    int64_t classes;              /**< that were drawn */
    int64_t repeat;               /**< from 0 */
    int64_t seed;                 /**< of the run */
    orthant_study_measures found; /**< what was measured */
} orthant_study_row;

/** A study without settings and data. Free it with orthant_study_free, before the context. */
ORTHANT_API orthant_status orthant_study_create(orthant_context *context, orthant_study **study);
/** The rows of a results.csv, as an earlier study wrote it: for its tables and its summary. */
ORTHANT_API orthant_status orthant_study_read(orthant_context *context, const char *path,
                                              orthant_study **study);
/** NULL is fine. Rows and texts of the study go with it. */
ORTHANT_API void orthant_study_free(orthant_study *study);

/** A setting by name, as text:
 *   methods               "nmf,gnmf,tnmf"
 *   classes               "2:10", "2:10:2", "5,10,20" or "all" (the default)
 *   repeats, seed         10 and 1 unless given
 *   labelled-fraction     0.1 unless given, for methods that use labels; or labelled-per-class
 *   init, scale, solver, start    lists: the first is the plain method, the others are variants
 *   sweep                 "tnmf.pooling_weight=0.1,1,10", can be repeated
 *   parameter             "name=value" or "method.name=value", can be repeated
 *   iterations, tolerance, time-limit, labels-rule, restarts, graph, weights, search, pooling
 *   similarity
 *   variable, truth, size, transpose, color, command      for the record alone
 * Names of methods and parameters are checked by orthant_study_check, and by orthant_study_run
 * before anything is fitted. */
ORTHANT_API orthant_status orthant_study_set(orthant_study *study, const char *name,
                                             const char *value);

/** Refuses names of methods and parameters that are not known, and settings that no method has a
 * use for: to be asked before data are read. */
ORTHANT_API orthant_status orthant_study_check(orthant_study *study);

/** Samples and truth are borrowed: they must outlive the run. `path`, which may be NULL: the file
 * they came from, for its checksum and for the commands that repeat a run. */
ORTHANT_API orthant_status orthant_study_add_data(orthant_study *study, const char *name,
                                                  const char *path, const orthant_matrix *samples,
                                                  const orthant_labels *truth);

/** Runs side by side on the context's threads; no result depends on how many there are. With a
 * folder: results.csv grows row by row, a study that was interrupted goes on where it stopped, one
 * with fewer repeats or methods is extended by what is missing, a folder with another study is
 * refused, and at the end there are summary.csv and report.html.
 * Without (NULL) nothing is kept. A run that fails is counted and the others go on. ORTHANT_STOPPED
 * where the progress callback asked for it. */
ORTHANT_API orthant_status orthant_study_run(orthant_study *study, const char *folder);

/** How many runs the study has: those of its plan, done or not; 0 before orthant_study_run. */
ORTHANT_API int64_t orthant_study_run_count(const orthant_study *study);
/** After the run: finished runs in the order of the plan. */
ORTHANT_API int64_t orthant_study_row_count(const orthant_study *study);
/** One of them; its texts live until the study runs again or is freed. */
ORTHANT_API orthant_status orthant_study_row_at(const orthant_study *study, int64_t index,
                                                orthant_study_row *row);
/** Runs that could not be done. */
ORTHANT_API int64_t orthant_study_failure_count(const orthant_study *study);
/** One line each, with the reason; NULL past the end. */
ORTHANT_API const char *orthant_study_failure(const orthant_study *study, int64_t index);

/** What the study found, as tables: means and deviations by data and number of classes, costs,
 * gains of settings, Friedman's test.
 * @param format "text" (80 columns), "md" (Markdown), "tex" (LaTeX, booktabs), "csv" or "json"
 * (orthant_run_tables())
 * @param text to be freed by orthant_text_free; NULL on failure. */
ORTHANT_API orthant_status orthant_study_tables(const orthant_study *study, const char *format,
                                                char **text);

/* ---- its summary ------------------------------------------------------------------------------
 */

/** What follows from the rows: means, gains and ranks; opaque. Its texts are the study's, which
 * must outlive it unchanged. */
typedef struct orthant_study_summary orthant_study_summary;

/** Means over the repeats of a method on some classes of a data set. */
typedef struct orthant_study_cell {
    size_t size;                      /**< set it to sizeof(orthant_study_cell) before the call */
    const char *dataset;              /**< its name */
    const char *method;               /**< with its settings */
    int64_t classes;                  /**< that were drawn */
    int64_t runs;                     /**< that were finished */
    orthant_study_measures mean;      /**< over the runs */
    orthant_study_measures deviation; /**< over runs - 1; NaN below two */
} orthant_study_cell;

/** A setting beside the plain method, with the same draws and seeds. */
typedef struct orthant_study_gain {
    size_t size;         /**< set it to sizeof(orthant_study_gain) before the call */
    const char *dataset; /**< its name */
    const char *method;  /**< the plain method */
    const char *setting; /**< "init=nndsvd" */
    int64_t pairs;       /**< runs with the same classes, repeat and seed */
    double mean;         /**< of the measure: with the setting - without */
    double error;        /**< standard error of the mean; NaN below two pairs */
} orthant_study_gain;

/** The mean rank of a method over data sets and numbers of classes. */
typedef struct orthant_study_rank {
    size_t size;        /**< set it to sizeof(orthant_study_rank) before the call */
    const char *method; /**< with its settings */
    double mean_rank;   /**< 1 is the best */
} orthant_study_rank;

/** Summarises the finished runs.
 * @param measure of gains and ranks: "accuracy", "nmi", "ari" or "purity"
 * @param summary to be freed by orthant_study_summary_free, before the study */
ORTHANT_API orthant_status orthant_study_summarise(const orthant_study *study, const char *measure,
                                                   orthant_study_summary **summary);
/** NULL is fine. */
ORTHANT_API void orthant_study_summary_free(orthant_study_summary *summary);
/** Cells by data set, then method, then number of classes. */
ORTHANT_API int64_t orthant_study_cell_count(const orthant_study_summary *summary);
/** One of them. */
ORTHANT_API orthant_status orthant_study_cell_at(const orthant_study_summary *summary,
                                                 int64_t index, orthant_study_cell *cell);
/** Settings whose plain method was compared too; of each data set the largest gain first. */
ORTHANT_API int64_t orthant_study_gain_count(const orthant_study_summary *summary);
/** One of them. */
ORTHANT_API orthant_status orthant_study_gain_at(const orthant_study_summary *summary,
                                                 int64_t index, orthant_study_gain *gain);
/** Ranked methods, the best first: the plain ones where there are two; 0 where there are fewer than
 * two methods or rows to rank. */
ORTHANT_API int64_t orthant_study_rank_count(const orthant_study_summary *summary);
/** One of them. */
ORTHANT_API orthant_status orthant_study_rank_at(const orthant_study_summary *summary,
                                                 int64_t index, orthant_study_rank *rank);
/** Friedman's test over them, at alpha = 0.05.
 * @return ORTHANT_ERROR_ARGUMENT where there are no ranks. */
ORTHANT_API orthant_status orthant_study_friedman(const orthant_study_summary *summary,
                                                  orthant_friedman *outcome);

#ifdef __cplusplus
}
#endif
#endif
