/* results.csv: one row for each run of a study. */
#ifndef STUDY_RESULTS_H
#define STUDY_RESULTS_H

#include <stdio.h>

#include "core/context.h"

#define RESULTS_HEADER                                                                            \
    "dataset,method,classes,repeat,seed,accuracy,nmi,ari,purity,sparseness,objective,iterations," \
    "seconds"

typedef enum study_measure {
    MEASURE_ACCURACY,
    MEASURE_NMI,
    MEASURE_ARI,
    MEASURE_PURITY,
    MEASURE_SPARSENESS,
    MEASURE_OBJECTIVE,
    MEASURE_ITERATIONS,
    MEASURE_SECONDS,
    MEASURE_COUNT
} study_measure;

typedef struct study_row {
    const char *dataset;
    const char *method; /* with the settings that set a variant apart: "tnmf pooling_weight=0.1" */
    int64_t classes, repeat, seed;
    double value[MEASURE_COUNT]; /* NaN: not known, an empty field */
} study_row;

typedef struct study_results {
    orthant_context *ctx;
    int64_t count, capacity;
    study_row *row;
    char *text; /* of the file that was read: the names point into it */
} study_results;

/* "accuracy", ..., as in the header. */
const char *measure_name(study_measure measure);
/* A name without the settings behind it: "tnmf" rather than "tnmf pooling_weight=0.1". */
bool method_is_plain(const char *method);

void results_begin(orthant_context *ctx, study_results *results);
void results_free(study_results *results);
/* The names are not copied: they must outlive the results. */
orthant_status results_add(study_results *results, const study_row *row);

/* Strict: the header, the number of fields, every number, no run twice. `unfinished`: the file of a
 * study that may have been killed; a last line without its end does not count. */
orthant_status results_read(orthant_context *ctx, const char *path, bool unfinished,
                            study_results *results);
/* Numbers read back as the same doubles. */
orthant_status results_write(orthant_context *ctx, const study_results *results, const char *path);
/* One row with its newline; failures are the file's. */
void results_print_row(FILE *file, const study_row *row);

#endif
