/* The way of the data in fit and cluster: read, scale, labels, model, fit, labels, scores, run
 * folder. */
#ifndef APP_PIPELINE_H
#define APP_PIPELINE_H

#include "command.h"

#define PIPELINE_STARTS 8
#define PIPELINE_READ_OUTS 4

typedef struct pipeline {
    const arguments *given;
    talk speech;
    orthant_context *ctx;
    const char *path, *output; /* DATA; RUN or NULL */
    const char *scale;
    int64_t rank;
    orthant_method_info method;

    orthant_matrix *samples;
    orthant_matrix *scale_statistics; /* NULL where the scaling takes none */
    orthant_labels *truth;            /* NULL where it is not known */
    orthant_labels *known;            /* given to the method */
    const char *init_folder;          /* the earlier run that --init names, or NULL */
    char truth_source[1024];          /* where the true labels came from */
    orthant_graph *graph;
    orthant_matrix *pooling;
    orthant_matrix *starts[PIPELINE_STARTS];
    int start_count;
    orthant_model *model;
    orthant_result *result;
    char rule[64]; /* "kmeans:encoding" */
    orthant_labels *found;
    char rules[PIPELINE_READ_OUTS][64]; /* of the read-outs that best-of chose from */
    orthant_read_out read_outs[PIPELINE_READ_OUTS];
    int read_out_count;
    orthant_scores scores;
    bool scored;
} pipeline;

/* Each returns 0 or the exit status after the error was told. Close in any case. */
int pipeline_open(const arguments *given, pipeline *line);
int pipeline_fit(pipeline *line);
int pipeline_label(pipeline *line);
/* The run as it is now. */
orthant_run pipeline_run(const pipeline *line);
/* Writes the run folder where one was asked for. */
int pipeline_save(pipeline *line);
void pipeline_close(pipeline *line);

/* "converged", "stopped by Ctrl-C", "stopped at the time limit", "not converged". */
const char *pipeline_ending(const pipeline *line);

#endif
