/* One run of one method, from settings by name to scores: what fit, cluster and every run of a
 * study have in common. */
#ifndef STUDY_TRIAL_H
#define STUDY_TRIAL_H

#include "method/fit.h"
#include "orthant/orthant.h"
#include "study/draw.h"
#include "study/settings.h"

#define TRIAL_STARTS 8
#define TRIAL_READ_OUTS 4

typedef struct trial {
    orthant_context *ctx;
    settings given;
    int64_t rank;
    orthant_method_info method;
    orthant_model *model;
    uint64_t seed; /* in force, for labels too */

    const char *data;              /* the data's name in messages */
    const orthant_matrix *samples; /* borrowed */
    const orthant_labels *truth;   /* borrowed; NULL where it is not known */
    orthant_labels *known;         /* given to the method */
    const char *init_folder;       /* the earlier run that `init` names, or NULL */
    orthant_graph *graph;
    orthant_matrix *pooling;
    orthant_matrix *fixed_parts;
    orthant_matrix *weights[3]; /* mask, sample-weights, feature-weights */
    orthant_matrix *starts[TRIAL_STARTS];
    int start_count;

    struct {
        char *path; /* NULL: none */
        double interval_s;
        bool resume;
    } checkpoint;

    orthant_result *result;
    double seconds; /* of all fits, where the best of several starts was kept */
    char rule[64];  /* "kmeans:encoding" */
    bool labelled;
    orthant_labels *found;           /* of processes that share the samples the first has them */
    char rules[TRIAL_READ_OUTS][64]; /* of the read-outs that best-of chose from */
    orthant_read_out read_outs[TRIAL_READ_OUTS];
    int read_out_count;
    orthant_scores scores;
    bool scored;
    orthant_cluster_scores cluster_scores; /* samples: 0 where there are none */
} trial;

/* The model, and every refusal that can be known before there is data. `given` and its texts must
 * outlive the trial. Free in any case. */
orthant_status trial_begin(orthant_context *ctx, settings given, int64_t rank, trial *t);
void trial_free(trial *t);
/* Samples, truth (may be NULL) and, where the samples are drawn, from where (else NULL); then
 * labels, graph, pools and starts. All are borrowed. */
orthant_status trial_give(trial *t, const char *data, const orthant_matrix *samples,
                          const orthant_labels *truth, const study_draw *draw);
/* Where the fit of a start has its checkpoints: PATH, PATH.2, ... (memory_free). */
char *trial_checkpoint(const trial *t, int64_t start);
/* How many starts the fit is the best of, or the consensus. */
int64_t trial_starts(const trial *t);
/* Whether a consensus is wanted, and how it is to be found; refuses what cannot be. */
orthant_status trial_consensus(const trial *t, bool *wanted, orthant_consensus_options *options);
/* `kept`: the graph that fits on the same samples share; NULL: each builds its own. */
orthant_status trial_fit(trial *t, kept_graph *kept);
/* Labels, and their scores where the truth is known. */
orthant_status trial_label(trial *t);
/* The clusters by themselves; of processes that share the samples the first has the scores. */
orthant_status trial_score_clusters(trial *t);
/* What a run folder holds of it; the caller adds command, data_path, scale and truth. */
orthant_run trial_run(const trial *t);

/* Columns of the basis for a class: the rank of N clusters is N times this. */
int64_t trial_columns_per_class(const trial *t);

/* "knn:5" gives 5, anything else 0: a file. */
orthant_status graph_word(orthant_context *ctx, const char *graph, int64_t *neighbours);
#define CONSENSUS_WORD "consensus:"
/* How many starts "best-of:R" or "consensus:R" asks for; 0 where it is another word. */
orthant_status start_word(orthant_context *ctx, const char *start, int64_t *starts);

/* ---- within the trial ---- */

orthant_status trial_make_model(trial *t);
orthant_status trial_give_inputs(trial *t, const study_draw *draw);
/* Labels or a graph for a model that uses none; before words become parameters. */
orthant_status trial_check_uses(const trial *t);
/* A graph's file for a model that takes neighbours alone; after all parameters are set. */
orthant_status trial_check_graph_file(const trial *t);
/* Two starts of one factor; a rule for labels that is none, or of a factor without a row for each
 * sample; numbers out of range. */
orthant_status trial_check(const trial *t);

#endif
