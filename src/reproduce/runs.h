/* The runs behind a table or a figure: a study in a folder of its own. */
#ifndef REPRODUCE_RUNS_H
#define REPRODUCE_RUNS_H

#include "reproduce/protocol.h"
#include "reproduce/reproduce.h"
#include "orthant/matrix.h"
#include "orthant/study.h"
#include "study/results.h"

typedef struct protocol_runs {
    orthant_context *ctx;
    bool missing;     /* the data set is not there: */
    char reason[512]; /* what was looked for */
    char dataset[32]; /* which it is, where the protocol leaves a choice */
    char *folder;     /* the study's */
    char *data;       /* the data's file; NULL where it was made */
    study_results results;
    orthant_matrix *samples; /* of repeat 0, where they were asked for, as the file has them */
    orthant_labels *truth;
    int64_t jobs, failures; /* runs of the study, and those that could not be done */
    char failure[512];      /* the first of them */
    double seconds;         /* of all its fits, in whichever call they were made */
} protocol_runs;

/* Runs what is not done yet. `name` is the folder in the request's output. `samples`: those of
 * repeat 0 are wanted. */
orthant_status runs_make(orthant_context *ctx, const reproduce_request *request,
                         const protocol_study *plan, const char *name, bool samples,
                         protocol_runs *runs);
void runs_free(protocol_runs *runs);

#define RUNS_QUICK_CLASSES 2
/* The settings of a plan's study; the numbers of classes and the data are left out. */
orthant_status runs_set_up(orthant_study *study, const reproduce_request *request,
                           const protocol_study *plan);
int64_t runs_repeats(const reproduce_request *request, const protocol_study *plan);

/* What a folder holds of a plan's runs. */
typedef enum runs_state {
    RUNS_NONE,
    RUNS_SOME,  /* they are not finished */
    RUNS_OTHER, /* of other methods, settings, repeats or numbers of classes, or another version's
                 */
    RUNS_QUICK, /* those of a quick run */
    RUNS_ALL
} runs_state;
orthant_status runs_look(orthant_context *ctx, const char *folder, const protocol_study *wanted,
                         runs_state *state);

#define RUNS_WORDS 120
/* What a request runs in place of the full protocol; "" where it runs that. */
void runs_words(const reproduce_request *request, char words[RUNS_WORDS]);

/* The numbers of "5,10,20", at most `most` of them; returns how many. */
int class_numbers(const char *list, int64_t *numbers, int most);

#define RUNS_MOST_CLASSES 32

/* Mean and sample deviation of a measure over the repeats, of one variant and number of classes
 * (0: over all). NaN where there is nothing. */
typedef struct runs_cell {
    int64_t count;
    double mean, deviation;
} runs_cell;
runs_cell runs_measure(const study_results *results, const char *variant, int64_t classes,
                       study_measure measure);
/* The rows of some methods, "nmf,tnmf"; NULL: all. The names are those of `results`. */
orthant_status runs_of_methods(const study_results *results, const char *methods,
                               study_results *some);
bool measure_find(const char *name, study_measure *measure);

/* FOLDER/runs/DATASET/VARIANT/N, where the study keeps a whole run (memory_free); NULL with the
 * message set. */
char *runs_kept(const protocol_runs *runs, const char *variant, int64_t classes);

#endif
