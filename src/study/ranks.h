/* Inside of a survey of ranks: what was asked for, the jobs made of it, and what they found. */
#ifndef STUDY_RANKS_H
#define STUDY_RANKS_H

#include "data/matrix.h"
#include "orthant/ranks.h"
#include "study/settings.h"

#define RANK_MEASURES 4        /* at most, of a criterion */
#define RANKS_ALL_REPEATS (-1) /* in place of a repeat: of all of them together */

/* One fit of a survey, by one thread. */
typedef struct rank_task {
    orthant_context *ctx; /* the thread's */
    const struct orthant_ranks *survey;
    int64_t rank, repeat;
    int64_t seed; /* of the repeat, whatever the rank: ranks are compared on the same draws */
    /* What the criterion keeps until all repeats of the rank are there; the thread's memory. */
    void *kept;
    size_t kept_bytes;
} rank_task;

typedef struct rank_measure {
    const char *name, *title;
    bool joint; /* of all repeats together, behind those of each repeat */
} rank_measure;

/* A way to judge a rank: one row in ranks_criteria.c. */
typedef struct rank_criterion {
    const char *name, *help;
    rank_measure measure[RANK_MEASURES]; /* up to one without a name */
    bool masks; /* its fits have a mask, which dense data and models of a loss and terms take */
    /* One repeat: a value for each measure that is not joint. */
    orthant_status (*run)(rank_task *task, double *value);
    /* What the repeats kept, to the joint measures; NULL where there are none. */
    orthant_status (*join)(orthant_context *ctx, const struct orthant_ranks *survey, int64_t rank,
                           void *const *kept, double *value);
    /* The place of the rank that it speaks for, and why; -1 where it cannot tell. NULL: it has no
     * vote. `criterion` is its place among those of the survey. */
    int (*vote)(const struct orthant_ranks *survey, int criterion, char *reason, size_t size);
} rank_criterion;

/* The criteria, in ranks_criteria.c but for those that have a file of their own. */
orthant_status ranks_run_speckles(rank_task *task, double *value);

/* Fits the method to samples with the task's rank and seed; the mask may be NULL. trial_free and
 * memory_free(*list) in any case. */
struct trial;
orthant_status ranks_fit(const rank_task *task, const orthant_matrix *samples,
                         const orthant_matrix *mask, setting **list, char seed[32],
                         struct trial *t);
/* The shared data under the thread's context: what is refused is told there. */
orthant_matrix ranks_data(const rank_task *task);

/* Votes (ranks_choice.c): the smallest rank whose first measure, an error, is within one standard
 * error of the least; the largest one whose parts are stable; the last one that explains more of
 * the data than of permuted data. */
int ranks_vote_error(const struct orthant_ranks *survey, int criterion, char *reason, size_t size);
int ranks_vote_stable(const struct orthant_ranks *survey, int criterion, char *reason, size_t size);
int ranks_vote_permuted(const struct orthant_ranks *survey, int criterion, char *reason,
                        size_t size);

extern const rank_criterion rank_criteria[];
extern const int rank_criterion_count;
/* Measures of a repeat, and all of a criterion. */
int rank_repeat_measures(const rank_criterion *criterion);
int rank_all_measures(const rank_criterion *criterion);

/* One criterion at one rank. */
typedef struct rank_cell {
    const rank_criterion *criterion;
    int64_t rank;
    bool *done;    /* of each repeat */
    double *value; /* repeats x RANK_MEASURES */
    void **kept;   /* of each repeat, until they are joined */
    int64_t left;  /* repeats that are not done */
    bool joined;
    double joint[RANK_MEASURES];
} rank_cell;

struct orthant_ranks {
    orthant_context *ctx;
    setting_list given;
    int64_t *rank; /* rising */
    int ranks;
    int64_t repeats, seed;
    double noise;
    const orthant_matrix *samples; /* borrowed for the run */
    char *data_name;               /* in messages and for the record */
    int64_t rows, columns;         /* of the samples */
    rank_cell *cell;               /* ranks x criteria that are asked for */
    int criteria;
    const struct method_row *method;
    bool takes_masks; /* the method does */
    bool missing;     /* NaN are entries that are not known */
    int64_t recommended;
    setting_list reasons; /* their values */
};

/* What is written when something is found: one line of results.csv. Called by one thread at a
 * time; repeat 0: all of them together. */
typedef struct rank_sink {
    void *user;
    orthant_status (*line)(void *user, const rank_cell *cell, int64_t repeat, const char *measure,
                           double value);
    orthant_status (*flush)(void *user);
} rank_sink;

/* The jobs of these samples; refuses what cannot be done. */
orthant_status ranks_plan(orthant_ranks *survey, const char *name, const orthant_matrix *samples);
/* Every job that is not done. */
orthant_status ranks_run_jobs(orthant_ranks *survey, rank_sink sink);
/* Recommends a rank from what the cells hold. */
orthant_status ranks_choose(orthant_ranks *survey);

const char *ranks_setting(const orthant_ranks *survey, const char *name);
/* The settings of a fit, with the seed behind them, into list[given.count + 1]. */
settings ranks_fit_settings(const orthant_ranks *survey, setting *list, const char *seed);
rank_cell *ranks_cell(const orthant_ranks *survey, int rank, int criterion);
/* How many samples a consensus matrix has. */
int64_t ranks_consensus_samples(const orthant_ranks *survey);
/* Mean and deviation over the repeats of a measure by its place in the criterion, or the joint
 * value. */
double ranks_cell_value(const orthant_ranks *survey, const rank_cell *cell, int measure,
                        double *deviation);

#endif
