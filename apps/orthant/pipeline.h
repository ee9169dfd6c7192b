/* The path of the data through fit and cluster: read, scale, draw, fit, labels, scores, run folder.
 */
#ifndef APP_PIPELINE_H
#define APP_PIPELINE_H

#include "command.h"

typedef struct pipeline {
    const arguments *given;
    talk speech;
    orthant_context *ctx;
    const char *path, *output; /* DATA; RUN or NULL */
    const char *scale;
    orthant_trial *trial;
    struct {
        const char *name, *value;
    } settings[4]; /* of the trial, beside those that options are */
    int setting_count;
    bool follows; /* not the first of the processes that share the samples: it writes nothing */
    orthant_run_claim *claim; /* on RUN; NULL where nothing is written */
    char *checkpoint;         /* RUN.checkpoint; NULL: none are written */
    double checkpoint_s;      /* how often */

    orthant_read_options read; /* how the data were read */
    orthant_matrix *samples;
    char *rank_reasons;               /* one in a line; NULL: the rank was given */
    orthant_matrix *scale_statistics; /* NULL where the scaling takes none */
    orthant_labels *truth;            /* NULL where it is not known */
    int64_t clusters;                 /* that were found */
} pipeline;

/* Each returns 0 or the exit status after the error was told. Close in any case. */
int pipeline_open(const arguments *given, pipeline *line);
/* The model and the data; then a fit can be explained, or made. */
int pipeline_prepare(pipeline *line);
int pipeline_fit(pipeline *line); /* with all before it */
int pipeline_label(pipeline *line);
/* What was done, as run.json says it, on standard output. */
int pipeline_print_json(const pipeline *line);
/* Writes the run folder where one was asked for. */
int pipeline_save(pipeline *line);
void pipeline_close(pipeline *line);

/* fit and cluster with --explain: all of them. */
int explain_plan(const arguments *given);

/* Where the fit is the best of several starts: how many, and the spread of their objectives. */
void pipeline_print_starts(const pipeline *line);
/* Where the rank was found: which it is, and why. */
void pipeline_print_rank(const pipeline *line);
/* How many entries were missing, and what the factors explain of the others. */
void pipeline_print_error(const pipeline *line);
/* "converged", "stopped by Ctrl-C", "stopped by SIGTERM", "stopped at the time limit", "not
 * converged". */
/* Where an interrupt ended the fit early: that it did, and where what was reached is. */
void pipeline_tell_stop(const pipeline *line, int failed);
const char *pipeline_ending(const pipeline *line);

#endif
