/* What the packages for Octave, MATLAB and R have in common: the library's objects of one call, the
 * options of a fit by name, and arrays whose columns become rows. No numerics. A host's own code
 * turns its values into binding_value, and the results into its values. */
#ifndef ORTHANT_BINDING_H
#define ORTHANT_BINDING_H

#include <orthant/orthant.h>

/* What the host can do while the library works. Neither may jump out of the call (longjmp, C++
 * exceptions): the library's objects would be lost. */
typedef struct binding_host {
    bool (*interrupted)(void); /* has the user asked to stop? */
    void (*print)(const char *text);
} binding_host;

/* The host's array: dense column by column, or compressed by columns or rows. */
typedef struct binding_array {
    orthant_precision precision;
    int64_t rows, columns;
    const void *values;
    bool sparse, by_rows;
    const void *start, *index; /* of a sparse one, from 0 */
    int index_bits;            /* of both: 32 or 64 */
} binding_array;

typedef enum binding_kind { BINDING_TEXT, BINDING_NUMBER, BINDING_ARRAY } binding_kind;

typedef struct binding_value {
    binding_kind kind;
    const char *text;
    double number;
    binding_array array;
} binding_value;

/* A warning of the library, or a note where `verbose`: told after the call, when the host may jump.
 */
typedef struct binding_message {
    orthant_log_level level;
    char text[512];
} binding_message;

enum { BINDING_MOST_MATRICES = 16, BINDING_MOST_MESSAGES = 32 };

typedef struct binding {
    binding_host host;
    orthant_context *context;
    orthant_model *model;
    orthant_matrix *samples;
    orthant_matrix *scale_statistics; /* of the samples, or of those that they are scaled like */
    orthant_matrix *given[BINDING_MOST_MATRICES]; /* starts, pooling, similarity, basis */
    int given_count;
    /* of these, what encodings of new samples take too; or NULL */
    const orthant_matrix *mask, *sample_weights, *feature_weights, *pooling;
    orthant_graph *graph;
    orthant_labels *known, *found;
    orthant_matrix *made; /* encodings of new samples, a file's matrix */
    orthant_result *result;
    orthant_image *image;
    orthant_cloud *cloud;
    orthant_segmentation *segmentation;
    orthant_study *study;
    orthant_ranks *ranks;

    bool transpose; /* samples are columns */
    bool convert;   /* to `precision`; otherwise the samples' own is taken */
    orthant_precision precision;
    orthant_scaling scaling;
    char scale[16];   /* its name */
    char rule[64];    /* of the labels; "" is the method's own */
    int64_t clusters; /* 0: as many as parts, or classes */
    int restarts;
    int64_t starts;                      /* of which the best is kept; 0: one */
    orthant_consensus_options consensus; /* starts 0: none */
    bool verbose;
    bool interrupted; /* by the user */

    const char *phase; /* of the progress that was printed last */
    double printed_s;  /* when that was */
    char refusal[512]; /* what the binding itself refuses; otherwise the library's */
    binding_message messages[BINDING_MOST_MESSAGES];
    int message_count;
} binding;

orthant_status binding_begin(binding *b, binding_host host);
void binding_end(binding *b); /* after a failure too; can be repeated */

/* Why the last call failed. */
const char *binding_refusal(const binding *b);

/* Options come in two turns: those of turn 0 say how samples are taken and what the model is made
 * of, those of turn 1 need both. */
int binding_turn(const char *name);

/* A fit: binding_model, binding_set for options of turn 0, binding_samples, binding_set for options
 * of turn 1, binding_scale, binding_fit, binding_labels. Names that are none of the binding's own
 * are parameters of the model; "start.FACTOR" and "terms.NAME" are the entries of lists. */
orthant_status binding_model(binding *b, const char *method, double rank);
orthant_status binding_set(binding *b, const char *name, const binding_value *value);
orthant_status binding_samples(binding *b, const binding_array *array);
/* As the options say, by the entries that a mask counts: where one is given, after it. */
orthant_status binding_scale(binding *b);
orthant_status binding_fit(binding *b);
orthant_status binding_labels(binding *b);

/* The graph of nearest neighbours of the samples, with the known labels where `labels` is not NULL.
 */
typedef struct binding_graph_options {
    int64_t neighbours;
    const char *weights, *search, *missing;
    double heat_width;
    const binding_array *labels;
} binding_graph_options;
orthant_status binding_graph(binding *b, const binding_graph_options *given);

/* Encodings of new samples, b->samples, by what a fit of b->model minimises, as b->made. Its terms,
 * parameters and weights are set by binding_set(). */
typedef struct binding_codes {
    binding_array basis;
    const binding_array *encoding,
        *training; /* of the fit, the samples as they were scaled; or NULL */
    int64_t iterations;
    double tolerance;
} binding_codes;
orthant_status binding_encode(binding *b, const binding_codes *given);

/* The clusters of new samples, by their codes and by what the fit told (orthant_labels_predict()).
 * Clusters count from 0. */
typedef struct binding_prediction {
    binding_array codes, encoding;
    const binding_array *clusters, *scale; /* or NULL */
    const char *rule;
} binding_prediction;
orthant_status binding_predict(binding *b, const binding_prediction *given);
/* The nearest centre of each of the samples; a column of `basis` is a centre. */
orthant_status binding_nearest(binding *b, const binding_array *basis);

/* Segments of a picture's or a cloud's file, with options by name. */
orthant_status binding_segment_set(binding *b, orthant_segment_options *options, const char *name,
                                   const binding_value *value);
orthant_status binding_segment(binding *b, const char *path,
                               const orthant_segment_options *options);
/* A study of one data set: settings by name (orthant_study_set(), '_' for '-'), then its runs,
 * which are kept in `folder` unless that is NULL. */
orthant_status binding_study_set(binding *b, const char *name, const binding_value *value);
orthant_status binding_compare(binding *b, const binding_array *samples, const binding_array *truth,
                               const char *folder);

/* A survey of ranks: settings by name (orthant_ranks_set(), '_' for '-'), then its fits, which are
 * kept in `folder` unless that is NULL. */
orthant_status binding_ranks_set(binding *b, const char *name, const binding_value *value);
orthant_status binding_ranks(binding *b, const binding_array *samples, const char *folder);
/* The number of parts of a fit, found by a survey as the command's -k auto does: binding_rank_set
 * for every option of the fit, then binding_find_rank with "auto", or ranks as those of a survey.
 * Takes the samples; the model has the recommended rank, and b->ranks the reasons. The fit goes on
 * with binding_set for options of turn 0 and 1. */
#define BINDING_TURN_RANK (-1)
orthant_status binding_rank_set(binding *b, const char *name, const binding_value *value);
orthant_status binding_find_rank(binding *b, const char *method, const char *ranks,
                                 const binding_array *samples);
/* The words of documents, as b->made and b->known. */
orthant_status binding_words(binding *b, const char *path, const orthant_words_options *options);
/* Clusters by themselves, of points with a row for each sample; the labels are b->found. */
orthant_status binding_silhouette(binding *b, const binding_array *points,
                                  const binding_array *labels, orthant_cluster_scores *scores);

/* A score by its place, from 0, with its name; false past the end. */
#define BINDING_SCORES 14
bool binding_score(const orthant_scores *scores, int index, const char **name, double *value);

/* How many classes are numbered: one more than the largest label. */
int64_t binding_classes(const orthant_labels *labels);
/* Whether a name is one of "several,names". */
bool binding_one_of(const char *name, const char *list);

/* ---- arrays ---- */

/* A matrix of the library, in the wanted precision; borrows the array where it can. */
orthant_status binding_take(binding *b, const binding_array *array, bool transpose,
                            orthant_matrix **matrix);
/* Labels from numbers; NaN is one that is not known. */
orthant_status binding_take_labels(binding *b, const binding_array *array, const char *what,
                                   orthant_labels **labels);
/* A symmetric array as it lies: its columns are its rows. */
orthant_array binding_symmetric(const binding_array *array);

/* Dense entries column by column, in the wanted precision. */
void binding_copy_dense(const orthant_array *view, orthant_precision precision, void *values);
/* CSR to compressed columns with indices of so many bits. */
void binding_copy_columns(const orthant_array *view, int index_bits, void *start, void *index,
                          double *values);

#endif
