/* A fit in the making: what the model asked for, what has been built for it, and the result that
 * grows. */
#ifndef ENGINE_FIT_H
#define ENGINE_FIT_H

#include "core/parameter.h"
#include "core/random.h"
#include "data/matrix.h"
#include "engine/sweep.h"
#include "graph/graph.h"
#include "orthant/fit.h"
#include "orthant/labels.h"

#define FIT_MOST_FACTORS 4
#define FIT_MOST_TERMS 8
#define FIT_MOST_NOTES 16
#define FIT_MOST_COLUMNS (5 + FIT_MOST_TERMS)

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
    struct {
        char name[24];
        const orthant_matrix *matrix;
    } starts[FIT_MOST_FACTORS];
    int start_count;
};

struct orthant_result {
    orthant_context *ctx;
    const struct method_row *method;
    int64_t rank, samples;
    struct {
        const char *name;
        orthant_matrix *matrix;
    } factors[FIT_MOST_FACTORS];
    int factor_count;

    const char *columns[FIT_MOST_COLUMNS];
    int column_count;
    double *history; /* rows x column_count */
    int64_t history_rows, history_room;

    char *notes[FIT_MOST_NOTES];
    int note_count;
    int64_t iterations, dead_columns;
    int64_t neighbours;        /* of the graph that was built; 0: none was */
    size_t graph_bytes;        /* what that graph took */
    int64_t products;          /* of a similarity with n x q arrays in the iterations */
    const char *solver;        /* in force; NULL: the method has one way alone */
    double projected_gradient; /* NaN: not known */
    bool converged, stopped;
    bool best_of; /* labels by the best of the method's read-outs */
    double seconds;
    double *label_scale; /* k: what the encoding's columns are multiplied by before labels are taken
                            from it; or NULL */
};

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
    orthant_result *result;
} fit;

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

/* Counts the columns that are all zero in any of the factors, and says so. A fit with a factor that
 * is zero throughout has not converged. */
orthant_status fit_tell_dead_columns(fit *f);

/* The graph that the user gave, or that of the nearest neighbours, weighted as the parameters say.
 */
orthant_status fit_graph(fit *f, int64_t neighbours);
/* The similarity that the user gave, or the one that the parameter `similarity` asks for; none
 * where the method has no such parameter. */
orthant_status fit_similarity(fit *f);

/* Iterations that the fall of the objective is averaged over before a loop stops. */
#define STOP_WINDOW 10
/* Whether the objective fell, over the last STOP_WINDOW iterations, by less than the tolerance an
 * iteration; a tolerance of 0 never stops. */
bool stop_reached(double before, double now, double tolerance);

/* The loop of every iterative method: history, stopping rule, progress. */
typedef struct loop_steps {
    void *state;
    void (*step)(void *state); /* one iteration */
    /* objective first, then its parts in the order of the result's columns from "loss" on */
    void (*measure)(void *state, double *values);
} loop_steps;
orthant_status loop_run(fit *f, loop_steps steps);
/* The same where a step can measure what it starts from at less cost: measure() is asked only of an
 * iteration that may be the last, `measure_before` after the next step of all others. No iteration
 * may raise the objective. A progress callback that asks to stop gets the iteration that was made
 * before it was told. NULL: loop_run(). */
orthant_status loop_run_late(fit *f, loop_steps steps,
                             void (*measure_before)(void *state, double *values));

/* The columns that every history starts with: iteration, seconds, objective, loss. */
void history_begin(orthant_result *result);
/* A row of the history: its values after "iteration" and "seconds". */
orthant_status history_add(orthant_result *result, int64_t iteration, double seconds,
                           const double *values);

/* Starting factors W (m x k) and S (n x k) by the parameter `init`, where the user gave none. */
orthant_status start_factors(fit *f, orthant_matrix *basis, orthant_matrix *encoding);
/* The start that the user gave for a factor, as it is, where there is one. */
orthant_status start_given(fit *f, const char *name, orthant_matrix *factor, bool *given);
/* Uniform on (0, 1), times `scale`; keyed by the entry's place, so that nothing else can change it.
 */
void start_random_factor(orthant_matrix *factor, uint64_t seed, random_stream stream, double scale);
/* Nonnegative double SVD (Boutsidis and Gallopoulos 2008) into basis and encoding. */
orthant_status nndsvd_start(orthant_context *ctx, const orthant_matrix *samples, uint64_t seed,
                            orthant_matrix *basis, orthant_matrix *encoding);

#endif
