/* Studies: methods over drawn classes of data sets, repeated, with the results as rows.
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

#ifdef __cplusplus
extern "C" {
#endif

typedef struct orthant_study orthant_study;

/* One finished run; NaN where a measure does not exist. */
typedef struct orthant_study_row {
    const char *dataset;
    const char *method; /* with the settings that set it apart: "nmf init=nndsvd" */
    int64_t classes, repeat, seed;
    double accuracy, nmi, ari, purity, sparseness, objective, iterations, seconds;
} orthant_study_row;

ORTHANT_API orthant_status orthant_study_create(orthant_context *context, orthant_study **study);
ORTHANT_API void orthant_study_free(orthant_study *study);

/* By name, as text, the names of the options of `orthant compare`:
 *   methods               "nmf,gnmf,tnmf"
 *   classes               "2:10", "2:10:2", "5,10,20" or "all" (the default)
 *   repeats, seed         10 and 1 unless given
 *   labelled-fraction     0.1 unless given, for methods that use labels; or labelled-per-class
 *   init, scale, solver, start    lists: the first is the plain method, the others are variants
 *   sweep                 "tnmf.pooling_weight=0.1,1,10", can be repeated
 *   parameter             "name=value" or "method.name=value", can be repeated
 *   iterations, tolerance, time-limit, labels-rule, restarts, graph, weights, pooling, similarity
 *   variable, truth, size, transpose, color, command      for the record alone
 * Names of methods and parameters are checked by orthant_study_run before anything is fitted. */
ORTHANT_API orthant_status orthant_study_set(orthant_study *study, const char *name,
                                             const char *value);

/* Samples and truth are borrowed: they must outlive the run. `path`, which may be NULL: the file
 * they came from, for its checksum and for the commands that repeat a run. */
ORTHANT_API orthant_status orthant_study_add_data(orthant_study *study, const char *name,
                                                  const char *path, const orthant_matrix *samples,
                                                  const orthant_labels *truth);

/* Runs side by side on the context's threads; no result depends on how many there are. With a
 * folder: results.csv grows row by row, a study that was interrupted goes on where it stopped, a
 * folder with another study is refused, and at the end there are summary.csv and report.html.
 * Without (NULL) nothing is kept. A run that fails is counted and the others go on. ORTHANT_STOPPED
 * where the progress callback asked for it. */
ORTHANT_API orthant_status orthant_study_run(orthant_study *study, const char *folder);

/* After the run: finished runs in the order of the plan. */
ORTHANT_API int64_t orthant_study_row_count(const orthant_study *study);
ORTHANT_API orthant_status orthant_study_row_at(const orthant_study *study, int64_t index,
                                                orthant_study_row *row);
/* Runs that could not be done: one line each, with the reason; NULL past the end. */
ORTHANT_API int64_t orthant_study_failure_count(const orthant_study *study);
ORTHANT_API const char *orthant_study_failure(const orthant_study *study, int64_t index);

#ifdef __cplusplus
}
#endif
#endif
