/* Models and fits: choose a method, set its parameters by name, fit data, read the factors. */
#ifndef ORTHANT_FIT_H
#define ORTHANT_FIT_H

#include "context.h"
#include "graph.h"
#include "labels.h"
#include "matrix.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct orthant_model orthant_model;
typedef struct orthant_result orthant_result;

/* `method` is a name of orthant_method_info; rank is the number of parts or clusters, k. */
ORTHANT_API orthant_status orthant_model_create(orthant_context *context, const char *method,
                                                int64_t rank, orthant_model **model);
ORTHANT_API void orthant_model_free(orthant_model *model);

/* Any parameter by its name, as text: "graph_weight" = "10", "iterations" = "100", "init" =
 * "nndsvd", "loss" = "kl" (factor family). */
ORTHANT_API orthant_status orthant_model_set(orthant_model *model, const char *name,
                                             const char *value);
/* The value in force, as text in `value` (of `size` bytes). */
ORTHANT_API orthant_status orthant_model_get(const orthant_model *model, const char *name,
                                             char *value, size_t size);
/* Adds a term to a model of the factor family; a term that is already there takes the new weight.
 */
ORTHANT_API orthant_status orthant_model_add_term(orthant_model *model, const char *term,
                                                  double weight);

/* What the model is: its method, rank, terms, and the names of all its parameters. NULL past the
 * end. */
ORTHANT_API const char *orthant_model_method(const orthant_model *model);
ORTHANT_API int64_t orthant_model_rank(const orthant_model *model);
ORTHANT_API int orthant_model_term_count(const orthant_model *model);
ORTHANT_API const char *orthant_model_term(const orthant_model *model, int index);
ORTHANT_API double orthant_model_term_weight(const orthant_model *model, int index);
ORTHANT_API int orthant_model_parameter_count(const orthant_model *model);
ORTHANT_API const char *orthant_model_parameter_name(const orthant_model *model, int index);

/* Inputs. All are borrowed: they must outlive the fit. */
ORTHANT_API orthant_status orthant_model_set_graph(orthant_model *model,
                                                   const orthant_graph *graph);
ORTHANT_API orthant_status orthant_model_set_labels(orthant_model *model,
                                                    const orthant_labels *labels);
ORTHANT_API orthant_status
orthant_model_set_pooling(orthant_model *model, const orthant_matrix *pooling); /* units x rank */
/* n x n, symmetric, nonnegative; in place of the one that would be built from the samples. */
ORTHANT_API orthant_status orthant_model_set_similarity(orthant_model *model,
                                                        const orthant_matrix *similarity);
/* A starting factor by its name, used as it is. */
ORTHANT_API orthant_status orthant_model_set_start(orthant_model *model, const char *factor,
                                                   const orthant_matrix *start);

/** Told of a fit after each iteration, in the thread that called orthant_fit(), with the result so
 * far: orthant_result_iterations(), orthant_result_objective(), the history, and the factors as
 * they are now, all good during the call alone. Returns false to stop after this iteration: the fit
 * then ends with a valid result marked stopped. It may read the result and read labels off it; it
 * must neither change nor free the model, its inputs or the context. */
typedef bool (*orthant_iteration_function)(void *user, const orthant_result *result);
/** Sets what is told of each iteration of the model's fits; NULL: nobody, which costs nothing.
 * Factors are the same to the bit with and without. Where they are at hand as they are, that is
 * all but for a few methods, a call costs nothing beside what it does; `rica` computes its
 * encodings for it, `cnmf` spreads them over the samples. Methods that do not iterate over factors
 * (kmeans, pca, spectral) do not call it. */
ORTHANT_API orthant_status orthant_model_set_iteration(orthant_model *model,
                                                       orthant_iteration_function function,
                                                       void *user);

/* ---- what a fit would do and take ---- */

typedef struct orthant_plan_problem {
    const char *method, *loss, *solver; /* solver: the one in force where "auto" was asked for */
    int64_t samples, features, rank;
    orthant_precision precision;
    bool sparse;    /* CSR */
    int64_t stored; /* entries of X in memory: all of a dense one */
} orthant_plan_problem;

/* The pass over X. Chunks are cut by the number of samples alone, and their sums are added along a
 * fixed tree; a chunk is worked on strip by strip, a strip block by block. The last one of each may
 * be shorter. */
typedef struct orthant_plan_strips {
    int threads;     /* that work: no more than it keeps busy */
    int64_t samples; /* that a pass goes over: fewer where a method merges those of a class */
    int64_t chunks, chunk_samples;
    int64_t strips, strip_samples, strip_bytes;
    int64_t block_samples;  /* whose encodings one task makes */
    int64_t block_features; /* whose rows of the basis one task makes */
} orthant_plan_strips;

/* Bytes. `total` is the sum of all but data and factors. Not counted: the history (some bytes per
 * iteration), and what is taken for a while before the first iteration by the search for neighbours
 * and by the starts nndsvd and kmeans. */
typedef struct orthant_plan_memory {
    int64_t data;           /* X */
    int64_t factors;        /* that the result holds */
    int64_t sums;           /* X'S, or P'S of an entrywise loss; m x k */
    int64_t weights;        /* Q'S, where an entrywise loss has weights q of its own */
    int64_t products;       /* X'S beside P'S, where a term reads it */
    int64_t grams;          /* S'S, W'W and sums of columns */
    int64_t accumulators;   /* all these sums again, for each level of the chunks' tree */
    int64_t last;           /* the encodings of the last iteration, where a term reads them */
    int64_t extrapolation;  /* the factors before they were extrapolated */
    int64_t safeguard;      /* factors and sums to go back to when the objective rises */
    int64_t packed;         /* the basis, packed for products with a dense X */
    int64_t thread_scratch; /* of each thread */
    int64_t scratch;        /* of all threads together, with a slot for each task's value */
    int64_t graph;          /* of neighbours, where it would be built: at most so many */
    int64_t others;         /* of the method, the solver and the terms */
    int64_t total;
} orthant_plan_memory;

/* One iteration. One that the safeguard repeats costs the same again. */
typedef struct orthant_plan_iteration {
    int passes;         /* over X */
    int64_t data_bytes; /* of X, read in them */
    /* Floating-point operations of the products with X, a multiplication and an addition counted as
     * two; of the entries that are stored, with an entrywise loss at most. */
    double data_operations;
    /* The same for Gram matrices and products with them; of solvers by coordinates for one round
     * over the coordinates. What terms compute is not counted. */
    double small_operations;
} orthant_plan_iteration;

/* Further groups will be added at the end. */
typedef struct orthant_plan_info {
    size_t size; /* set it to sizeof(orthant_plan_info) before the call; then: what was filled */
    orthant_plan_problem problem;
    orthant_plan_strips strips;
    orthant_plan_memory memory;
    orthant_plan_iteration iteration;
} orthant_plan_info;

/* The plan that orthant_fit would follow: nothing is fitted, and no neighbours are searched for. It
 * refuses what the fit would refuse, in the same words. Methods whose passes over X follow no such
 * plan (kmeans, pca, snmf, ...) are refused with ORTHANT_ERROR_ARGUMENT and the names of those that
 * have one. Takes a few reads of X; cnmf merges the samples for it, and newton takes its copies. */
ORTHANT_API orthant_status orthant_explain(const orthant_model *model,
                                           const orthant_matrix *samples, orthant_plan_info *info);

ORTHANT_API orthant_status orthant_fit(const orthant_model *model, const orthant_matrix *samples,
                                       orthant_result **result);
ORTHANT_API void orthant_result_free(orthant_result *result);

/* Factors: basis (m x k), encoding (n x k), ... The matrix belongs to the result. NULL where there
 * is none of that name or index. */
ORTHANT_API int orthant_result_factor_count(const orthant_result *result);
ORTHANT_API const char *orthant_result_factor_name(const orthant_result *result, int index);
ORTHANT_API const orthant_matrix *orthant_result_factor(const orthant_result *result,
                                                        const char *name);

ORTHANT_API int64_t orthant_result_iterations(const orthant_result *result);
/* Whether the objective stopped falling; never with a factor that is zero throughout. */
ORTHANT_API bool orthant_result_converged(const orthant_result *result);
ORTHANT_API bool orthant_result_stopped(
    const orthant_result *result); /* by the progress callback or the time limit */
/* How far from stationary: the length of the projected gradient over that of its negative part; NaN
 * where the method does not tell. */
ORTHANT_API double orthant_result_projected_gradient(const orthant_result *result);
ORTHANT_API double orthant_result_seconds(const orthant_result *result);
ORTHANT_API double orthant_result_objective(const orthant_result *result);
/* Columns that are all zero in any of the factors. */
ORTHANT_API int64_t orthant_result_dead_columns(const orthant_result *result);

/* History: a row for each iteration from 0 (the start). Columns: "iteration", "seconds",
 * "objective", "loss", a column for each term, and "step" (the exponent of the update) where the
 * safeguard may act. */
ORTHANT_API int orthant_result_history_columns(const orthant_result *result);
ORTHANT_API const char *orthant_result_history_column(const orthant_result *result, int column);
ORTHANT_API int64_t orthant_result_history_rows(const orthant_result *result);
ORTHANT_API double orthant_result_history(const orthant_result *result, int64_t row, int column);

/* Remarks for the user: drift of the scale, dead columns, ... One line each. */
ORTHANT_API int orthant_result_note_count(const orthant_result *result);
ORTHANT_API const char *orthant_result_note(const orthant_result *result, int index);

/* Labels by the method's rule, or by `rule` where not NULL: "argmax:FACTOR"; k-means on the rows of
 * a factor, "kmeans:FACTOR", or on its rows at unit length, "kmeans-unit:FACTOR"; k-means on what
 * symmetric NMF finds in the product of these rows with themselves, "snmf:FACTOR", "wnmf:FACTOR";
 * or "best-of", the method's read-out with the smallest spread. */
ORTHANT_API orthant_status orthant_result_labels(const orthant_result *result, const char *rule,
                                                 int64_t clusters, int restarts, uint64_t seed,
                                                 orthant_labels **labels);
/* The rule that orthant_result_labels follows where none is given. */
ORTHANT_API const char *orthant_result_labels_rule(const orthant_result *result);
/* Labels by one rule other than best-of. `spread`, which may be NULL: the share of the points'
 * scatter that is left within the clusters of k-means; NaN for argmax. */
ORTHANT_API orthant_status orthant_result_read_out(const orthant_result *result, const char *rule,
                                                   int64_t clusters, int restarts, uint64_t seed,
                                                   orthant_labels **labels, double *spread);

/* Encodings (samples x k) of new samples under a fitted basis (m x k): the loss alone ("frobenius"
 * or "kl"; the terms of the fit have no part in it). Each sample goes to its own minimum over codes
 * >= 0, in double whatever the precision of the samples, by coordinate descent and Newton's steps:
 * its code has the same bits alone and in any batch, on any number of threads. Where columns of the
 * basis depend on each other the minimiser is not unique, and one of them is given.
 *
 * A sample is done when no part's projected gradient is above `tolerance`, a share of the sample's
 * largest cross product with a part, both of the parts at unit length ("kl": of the sum of the
 * part); 0 goes as far as double does. 1e-10 takes hardly longer than 1e-5. It makes at most
 * `iterations`; few need more than ten, and samples that are not done are told in a note.
 * O(m k + k^2) per sample, with "kl" O(e k^2) for e entries that are not zero.
 * ORTHANT_ERROR_NUMERIC where a code is too large for the samples' precision; ORTHANT_STOPPED where
 * the progress callback, which hears of samples done, asks for it. */
ORTHANT_API orthant_status orthant_transform(orthant_context *context, const orthant_matrix *basis,
                                             const char *loss, const orthant_matrix *samples,
                                             int64_t iterations, double tolerance,
                                             orthant_matrix **encoding);

#ifdef __cplusplus
}
#endif
#endif
