/* A fit in the making: what the model asked for, what has been built for it, and the result that
 * grows. */
#ifndef METHOD_FIT_H
#define METHOD_FIT_H

#include "core/parameter.h"
#include "core/random.h"
#include "data/matrix.h"
#include "data/strip.h"
#include "engine/group.h"
#include "engine/history.h"
#include "engine/problem.h"
#include "engine/start.h"
#include "graph/graph.h"
#include "graph/similarity.h"
#include "orthant/fit.h"
#include "orthant/labels.h"

#define FIT_MOST_FACTORS 4
#define FIT_MOST_TERMS 8
#define FIT_MOST_NOTES 16

struct method_row;
struct term_kind;

struct orthant_model {
    orthant_context *ctx;
    const struct method_row *method;
    int64_t rank;
    const struct term_kind *terms[FIT_MOST_TERMS];
    int term_count;
    parameter_set parameters;
    const orthant_graph *graph;
    const orthant_labels *labels;
    const orthant_matrix *pooling;
    const orthant_matrix *similarity; /* n x n, dense or sparse */
    const orthant_matrix *mask;       /* n x m, dense or sparse: weights of the entries */
    const orthant_matrix *sample_weights, *feature_weights; /* a row or a column */
    struct {
        char name[24];
        const orthant_matrix *matrix;
    } starts[FIT_MOST_FACTORS];
    int start_count;
    const orthant_matrix *fixed_basis;    /* parts that are held; or NULL */
    orthant_iteration_function iteration; /* told of every iteration; or NULL */
    void *iteration_user;
    struct kept_graph *kept_graph; /* where fits of several models share one; or NULL */
    struct {
        char *path;   /* where to; NULL: none */
        char *resume; /* what to go on from; NULL: the fit begins */
        double interval_s;
        bool at_end; /* one more at the end, so that the fit can be taken as it ended */
    } checkpoint;
};

/* The graph and the similarity that were built last, and of what: fits on the same samples that
 * would build the same take them. They run one after the other, on one context. To be released
 * before the samples are. */
typedef struct kept_graph {
    orthant_graph *graph; /* NULL: none */
    const orthant_matrix *samples;
    orthant_graph_options options;
    int64_t built;              /* how many graphs were */
    orthant_matrix *similarity; /* NULL: none */
    const orthant_matrix *similar_samples;
    similarity_options similar;
    int64_t similarities; /* how many were built */
} kept_graph;
void kept_graph_release(kept_graph *kept);

struct orthant_result {
    orthant_context *ctx;
    const struct method_row *method;
    int64_t rank, samples, features;
    int64_t nonzeros; /* of all samples that processes share; else 0 */
    struct {
        const char *name;
        orthant_matrix *matrix;
    } factors[FIT_MOST_FACTORS];
    int factor_count;

    fit_history history;
    char *notes[FIT_MOST_NOTES];
    int note_count;
    int64_t dead_columns;
    int64_t resumed;           /* after so many iterations, from a checkpoint; 0: it began */
    int64_t neighbours;        /* of the graph that was built; 0: none was */
    size_t graph_bytes;        /* what that graph took */
    int64_t products;          /* of a similarity with n x q arrays in the iterations */
    const char *solver;        /* in force; NULL: the method has one way alone */
    char device[48];           /* that it ran on, "cuda:0"; "": on the CPU */
    bool minimal_encodings;    /* they are what new samples would get (final_encodings.c) */
    double projected_gradient; /* NaN: not known */
    double squared_error;      /* |X - S W'|^2, entries by their weights; NaN: not known */
    double data_squares;       /* |X|^2 likewise, where the error is known */
    int64_t missing;           /* entries that were not known; -1: all counted alike */
    bool best_of;              /* labels by the best of the method's read-outs */
    struct {
        double *objective; /* of each that was made; NULL: the fit had one start alone */
        int64_t count;
        double seconds; /* of all */
    } starts;
    double term_weights[FIT_MOST_TERMS]; /* in force, in the order of the model's terms */
    struct consensus *consensus;         /* of all starts, whose basis this is; or NULL */
    struct ensemble *ensemble;           /* labels of all starts; or NULL */
    double *label_scale; /* k: what puts the encoding's columns on one scale, for rules of labels
                            that ask for it; or NULL */
    bool labels_scaled;  /* the rule where none is given does */
};

/* What a fit goes on from, and where its own checkpoints go. */
typedef struct fit_checkpoints {
    loop_keeper keeper;
    checkpoint_reader from;
    checkpoint_writer to;
    sample_share share; /* of the samples, with other processes */
    char *settings;     /* and data, as lines; made when they are first needed */
} fit_checkpoints;

typedef struct fit {
    orthant_context *ctx;
    const orthant_model *model;
    const orthant_matrix *samples;
    const orthant_graph *graph; /* where a term needs one: the user's, or built_graph */
    orthant_graph *built_graph;
    const orthant_matrix
        *similarity; /* where the method works on one: the user's, or built_similarity;
                        NULL for a method that only can where none was given */
    orthant_matrix *built_similarity;
    struct {
        bool given;
        entry_weights entries;
        orthant_matrix *samples, *mask;        /* built: X without NaN, the mask in its precision */
        uint8_t *known;                        /* built: which entries count, where that is all */
        double *numbers;                       /* of samples and features */
        int64_t missing;                       /* entries that mask or missing values leave out */
        int64_t empty_samples, empty_features; /* of which no entry is known */
    } weights;
    orthant_result *result;
    fit_checkpoints checkpoints;
    double begun; /* clock_seconds(), from which the time limit counts */
} fit;

typedef orthant_status (*fit_graph_maker)(fit *f, int64_t neighbours);
/* Weights of entries, from mask, missing entries, sample and feature weights; where entries may be
 * NaN, f->samples becomes a copy with zeros in their places. */
orthant_status fit_weigh(fit *f);
/* Refuses data that the method cannot take; where signs are the reason, names those that take them.
 */
orthant_status fit_check_entries(const struct method_row *method, const orthant_matrix *samples);
void fit_weights_release(fit *f);
/* Counts what is missing; refuses data of which nothing is left. */
orthant_status fit_count_known(fit *f);
/* The counts to the result, with a note where samples or features have no known entry. */
orthant_status fit_tell_unknown(fit *f);
/* Refuses what the method cannot fit, and makes the result. End in any case. */
orthant_status fit_begin(fit *f, const orthant_model *model, const orthant_matrix *samples);
/* The graph that the terms use: given or made, with the labels where the method wants them in. */
orthant_status fit_prepare_graph(fit *f, fit_graph_maker make);
/* The empty result of the model and the samples. */
orthant_status fit_new_result(fit *f);
/* Frees what the fit holds, and the result unless it was taken out. */
void fit_end(fit *f);

/* Whether a term of the model has this TERM_... flag. */
bool model_has_term(const orthant_model *model, int flag);
/* Whether the model has a use for labels, or for a graph: it may be given them without. */
bool model_uses_labels(const orthant_model *model);
bool model_uses_graph(const orthant_model *model);

/* A new factor of the result, zeros, padded. */
orthant_status fit_new_factor(fit *f, const char *name, int64_t rows, int64_t columns,
                              orthant_matrix **factor);
/* The start that the user gave for a factor, or NULL; a wrong shape is refused. */
orthant_status fit_start(const fit *f, const char *name, int64_t rows, int64_t columns,
                         const orthant_matrix **start);
/* A remark for the user. */
orthant_status fit_note(fit *f, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The loss after the last iteration. */
double fit_last_loss(const fit *f);
/* Counts the columns that are all zero in any of the factors, and says so. A fit with a factor that
 * is zero throughout has not converged. */
orthant_status fit_tell_dead_columns(fit *f);

/* The graph that the user gave, or that of the nearest neighbours, weighted as the parameters say.
 */
orthant_status fit_graph(fit *f, int64_t neighbours);
/* The same, but in place of the nearest neighbours, which take a search, no edges. */
orthant_status fit_graph_without_edges(fit *f, int64_t neighbours);
/* The neighbours that the parameters `similarity` (knn:P) and `neighbours` ask for, which may not
 * contradict each other. */
orthant_status fit_neighbours(const fit *f, int64_t *neighbours);
/* The similarity that the user gave, or the one that the parameter `similarity` asks for; none
 * where the method has no such parameter. */
orthant_status fit_similarity(fit *f);

/* Opens the checkpoint that the fit shall go on from, and refuses one of other settings or data. */
orthant_status fit_begin_checkpoints(fit *f);
/* Adds to the message of a fit that failed what is left of it; returns `status`. */
orthant_status fit_end_checkpoints(fit *f, orthant_status status);
/* Whether factors come from a checkpoint: a start would be made for nothing. */
static inline bool fit_resumes(const fit *f)
{
    return f->checkpoints.keeper.from != NULL;
}

/* The user's progress function with the time limit before it. */
typedef struct fit_limit {
    orthant_progress_function progress;
    void *user;
    double begun, seconds;
    bool passed, set;
} fit_limit;
/* Between these two, what tells its progress is stopped when the time limit has passed; the second
 * says so in the message. */
void fit_limit_begin(fit *f, fit_limit *limit);
orthant_status fit_limit_end(fit *f, const fit_limit *limit, orthant_status status);

/* loop_run() with the result's history, the model's watcher and its checkpoints. */
orthant_status fit_loop(fit *f, loop_steps steps);

/* What the model asks of the engine; loss, solver and terms are the method's to say. */
problem fit_problem(const fit *f);
/* Starting factors W and S: what the user gave, and for the rest start_factors(); none where the
 * fit goes on from a checkpoint. */
orthant_status fit_start_factors(fit *f, orthant_matrix *basis, orthant_matrix *encoding);
/* The start that the user gave for a factor, as it is, where there is one. */
orthant_status fit_start_given(fit *f, const char *name, orthant_matrix *factor, bool *given);

#endif
