/* Inside of a study: what was asked for, the plan made of it, and the runs. */
#ifndef STUDY_STUDY_H
#define STUDY_STUDY_H

#include "orthant/run.h"
#include "orthant/study.h"
#include "study/results.h"
#include "study/settings.h"

typedef struct study_dataset {
    const char *name, *path; /* path: NULL where it came from no file */
    const orthant_matrix *samples;
    const orthant_labels *truth;
    int64_t classes;   /* of the truth */
    int64_t first_job; /* its jobs: for each variant class_counts x repeats */
    int class_counts;
} study_dataset;

/* A method with its settings. */
typedef struct study_variant {
    const char *label;          /* "tnmf pooling_weight=0.1" */
    const char *method, *scale; /* scale: "none", ... */
    setting *list;              /* for a trial; the seed is added for each run */
    int count;
    int64_t columns_per_class; /* the rank of N clusters is N times this */
} study_variant;

/* A dataset as a variant wants it. */
typedef struct study_scaled {
    int dataset;
    const char *scale;
    orthant_matrix *own; /* NULL where it is the data as it is */
    const orthant_matrix *samples;
    orthant_matrix *statistics; /* what it was scaled by, or NULL */
} study_scaled;

typedef struct study_job {
    int dataset, variant, scaled;
    int64_t classes, repeat, seed;
    bool kept; /* the whole run goes into the study's folder */
    bool done;
    char *failure; /* why it could not be done, or NULL */
    double value[MEASURE_COUNT];
} study_job;

struct orthant_study {
    orthant_context *ctx;
    char **text; /* texts that live as long as the study */
    int text_count, text_capacity;
    setting *given;
    int given_count, given_capacity;
    study_dataset *dataset;
    int datasets;
    study_variant *variant;
    int variants, variant_capacity;
    study_scaled *scaled;
    int scaled_count;
    int64_t repeats, seed;
    study_job *job; /* in the order of the plan: dataset, variant, classes, repeat */
    int64_t jobs;
    study_results results; /* what is done, in that order */
};

/* What a run does with what it found. `row` is called by one thread at a time, `keep` by several,
 * each with a context of its own. A failure ends the study. */
typedef struct study_sink {
    void *user;
    orthant_status (*row)(void *user, const study_row *row);
    orthant_status (*keep)(void *user, orthant_context *ctx, const study_job *job,
                           orthant_run *run);
} study_sink;

/* A copy that lives as long as the study; NULL with the message set. */
const char *study_text(orthant_study *study, const char *text);
const char *study_setting(const orthant_study *study, const char *name);

/* Variants and jobs from what was set; refuses what cannot be done. */
orthant_status study_plan(orthant_study *study);
/* The different numbers of the setting `name`, "2:10", "5,10", "2:10:2" and, where `all`, "all"
 * (0), rising. To be freed by memory_free. */
orthant_status class_list_parse(orthant_context *ctx, const char *name, bool all, const char *text,
                                int64_t **classes, int *count);
/* Adds the variants of all methods. */
orthant_status study_make_variants(orthant_study *study);

/* Every job that is not done. ORTHANT_STOPPED when the progress callback asked for it. */
orthant_status study_run_jobs(orthant_study *study, study_sink sink);
/* The row of a job that is done. */
study_row study_job_row(const orthant_study *study, const study_job *job);
/* A row's or a cell's values by their names. */
orthant_study_measures study_measures(const double value[MEASURE_COUNT]);
/* Gathers what is done. */
orthant_status study_collect(orthant_study *study);

#endif
