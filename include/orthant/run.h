/* RUN folders: everything about a fit on disk, and the report made from it. */
#ifndef ORTHANT_RUN_H
#define ORTHANT_RUN_H

#include "context.h"
#include "fit.h"
#include "labels.h"
#include "score.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One of several ways from the factors to labels. */
typedef struct orthant_read_out {
    const char *rule;      /* "kmeans-unit:relation" */
    double spread;         /* see orthant_result_read_out */
    orthant_scores scores; /* beside the truth, where `scored` */
    bool scored, chosen;
} orthant_read_out;

/* What a run is made of; unset pointers are left out of the folder. */
typedef struct orthant_run {
    const char *command;                    /* the command line, or NULL */
    const char *data_path;                  /* its checksum is taken */
    const char *scale;                      /* "none", "unit", ... */
    const orthant_matrix *scale_statistics; /* what max and tfidf scaled by, for new samples */
    const orthant_matrix *samples;
    const orthant_model *model;
    const orthant_result *result;
    const orthant_labels *labels;      /* what was found */
    const char *labels_rule;           /* "kmeans:encoding" */
    const orthant_scores *scores;      /* beside the truth */
    const orthant_read_out *read_outs; /* where the labels are the best of several */
    int read_out_count;
    const char *init;     /* where the start came from, when it was no parameter: a run's folder */
    const char *graph;    /* the graph's file; NULL: built, or none */
    const char *labelled; /* the known labels: a file, or the fraction of the truth */
    const char *truth;    /* where the true labels came from */
    const orthant_labels *truth_labels; /* of the samples */
    const char *drawn_classes;          /* how many classes were drawn from the data; NULL: all */
    const orthant_labels *sample_rows;  /* where they were drawn: the samples' rows, from 0 */
    bool without_report;                /* it can be made later: orthant_run_report */
    const char *words; /* a file with a name for each feature, one per line, for the parts' words */
} orthant_run;

/* Refuses a folder that orthant_run_write could not write to, so that a long fit is not lost;
 * leaves nothing behind. */
ORTHANT_API orthant_status orthant_run_check(orthant_context *context, const char *folder);

/* Writes FOLDER/run.json, history.csv, a .npy for each factor, scale.npy, labels.csv, truth.csv,
 * samples.csv (the drawn rows), words.csv, report.html and its charts. The folder is made where it
 * is not there, and takes its name when the run is whole, before the report is drawn; one of an
 * earlier run is exchanged with it, and files in it that no run wrote go over. A folder that holds
 * something else than a run is refused; a link is followed. */
ORTHANT_API orthant_status orthant_run_write(orthant_context *context, const orthant_run *run,
                                             const char *folder);

/* FOLDER/report.html from what is stored: of one run, or of every run in the subfolders of FOLDER,
 * side by side. */
ORTHANT_API orthant_status orthant_run_report(orthant_context *context, const char *folder);

#ifdef __cplusplus
}
#endif
#endif
