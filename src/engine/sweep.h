/* The sweep: one iteration of X ~ W S', with one pass over X.
 *
 *     W  from the sums of the last pass                    A = X'S or P'S, B = S'S
 *     for each strip of samples (strips.h):
 *         loss:    numerators and denominators of the rows;  terms add theirs
 *         solver:  new rows S_b
 *         loss:    A += X_b' S_b,  B += S_b' S_b            while X_b is in the cache
 *     objective from the sums
 *
 * No two tasks write to one place, and what is summed is summed in an order that n and m alone
 * decide: the number of threads cannot change a bit. */
#ifndef ENGINE_SWEEP_H
#define ENGINE_SWEEP_H

#include "engine/checkpoint.h"
#include "engine/plan.h"
#include "engine/sums.h"

typedef struct factors {
    array W;    /* basis, m x k */
    array S;    /* encodings, n x k */
    array last; /* the encodings that this iteration started from: S itself unless a term reads
                   other samples' */
    /* of the basis as it is: */
    array G;                            /* W'W, k x k; quadratic loss */
    double *basis_sums, *basis_squares; /* of its columns, k each, where the plan keeps them */
    void *packed;                       /* for products with X; NULL: nothing to gain */
    /* as the updates left them, before they were extrapolated; where the solver does */
    array updated_basis, updated_encoding;
} factors;

typedef struct workspace {
    char *scratch;  /* of each thread: plan_scratch() bytes */
    double *values; /* a slot for each task or block and term, added up in order */
    int64_t value_count;
} workspace;

/* Columns of the basis that are held (fixed.h). */
typedef struct fixed_parts {
    array basis;    /* m x c: the first ones */
    void *line;     /* k: what stands in for them in a solver's rows */
    double *values; /* k: that it is set from */
} fixed_parts;

/* One iteration's own settings. */
typedef struct sweep_step {
    const struct solver *solver;
    int64_t iteration; /* 1, 2, ...; 0: the starting encodings are fitted */
    double exponent;   /* of the multiplicative update: 1, or less where the safeguard acts */
    double momentum;   /* of the extrapolation */
} sweep_step;

/* The device that the sweeps run on, see sweep_device.h. */
typedef struct sweep_device sweep_device;

typedef struct sweep {
    const problem *problem;
    orthant_context *ctx;
    const kernels *ops;
    plan plan;
    factors factors;
    sums sums;
    sums_tree tree;
    workspace workspace;
    fixed_parts fixed;
    void *solver_state;
    double *basis_parts; /* of the penalties on the encodings, for W of unit columns; or NULL */
    array kept_basis, kept_encoding; /* what an iteration started from, where that was asked for */
    sweep_device *device;            /* NULL: they run here */
    double data_squares, data_sum;   /* |X|^2 and the sum of X */
} sweep;

/* The plan, and what the solver keeps, without anything to run it with. Release in any case. */
orthant_status sweep_plan(sweep *s, const problem *p);
/* The same and all memory. W and S are views of matrices that the caller owns; the rest is
 * allocated here. */
orthant_status sweep_setup(sweep *s, const problem *p, orthant_matrix *basis,
                           orthant_matrix *encoding);
/* What is left can be set up again. */
void sweep_release(sweep *s);
/* What the sweep has between two iterations, for a checkpoint. Lists of a device's are its as of
 * now. */
void sweep_parts(sweep *s, checkpoint_parts *parts);
/* After these were read: what follows from them. */
void sweep_restored(sweep *s);
/* Brings the factors' matrices to what they are now: the newest encodings may have ended in the
 * second buffer, which `encoding` takes, and those of a device are there. */
void sweep_hand_over(sweep *s, orthant_matrix *encoding);
/* Whether all that was asked so far was done: a device may fail. */
orthant_status sweep_check(const sweep *s);

/* Room for what an iteration starts from. */
orthant_status sweep_guard(sweep *s);
/* Both factors as they are, and back to them, with the sums made again: that is seldom, and keeping
 * them would take another basis. */
void sweep_keep(sweep *s);
void sweep_go_back(sweep *s);

/* Before the first step: all that the steps and the objective read, for W and S as they are. */
void sweep_start(sweep *s);
/* One iteration; or its two halves, for methods with a basis step of their own. */
void sweep_run(sweep *s, const sweep_step *t);
void sweep_basis(sweep *s, const sweep_step *t);
void sweep_encoding(sweep *s, const sweep_step *t);
/* The sums for W and S as they are: one pass over X. */
void sweep_sums(sweep *s);
/* What depends on W alone, and the terms' preparation: after every change of W. */
void sweep_basis_changed(sweep *s);

/* <W, X'S> for W and the sums as they are. */
double sweep_cross(const sweep *s);
/* Each term's weighted value, for the factors and the sums as they are. */
void sweep_term_values(const sweep *s, double *values);
/* The loss, then each term's weighted value. */
void sweep_measure(const sweep *s, double *values);

/* At most so many iterations at once, where a device makes short ones together: basis, encodings
 * and values of each, a row of 1 + the number of terms; how many were made, or 0. sweep_back() goes
 * back to the first `count` of them, and is not called once anything else was. */
int64_t sweep_ahead(sweep *s, const sweep_step *t, int64_t most, double *values);
void sweep_back(sweep *s, int64_t count);

/* The length of the projected gradient beside that of its negative part: 0 where the factors are
 * stationary. Passes over X. */
double sweep_projected_gradient(sweep *s);

/* Columns of a factor to unit length; how long they were goes to `lengths`, 1 of one of zeros. */
void sweep_unit_columns(const sweep *s, array factor, double *lengths);

/* Calls `work` for every block of features, in tasks of their own. */
typedef void (*feature_work)(void *user, block f);
void sweep_over_features(const sweep *s, feature_work work, void *user);
/* Calls `work` for every block of samples with the strip it lies in; the values that it gives are
 * added up in order. */
typedef double (*sample_work)(const sweep *s, void *user, strip x, block b);
double sweep_over_samples(const sweep *s, sample_work work, void *user);

/* A block's rows of a thread's scratch: SCRATCH_... of plan.h. */
array sweep_array(const sweep *s, block b, int which);
void *sweep_kernel_scratch(const sweep *s, int thread);

/* Arrays that terms may work in: below TERM_ARRAYS; solvers: as many as they say. */
#define TERM_ARRAYS 2
static inline array sweep_term_array(const sweep *s, block b, int which)
{
    return sweep_array(s, b, SCRATCH_TERM + which);
}

/* X_b W of the block at hand, for terms that say so (TERM_USES_PRODUCTS). */
static inline array sweep_products(const sweep *s, block b)
{
    return sweep_array(s, b, SCRATCH_PRODUCTS);
}

static inline array sweep_rows(const sweep *s, array a, block b)
{
    return array_rows(s->ops, a, b.first, b.rows);
}

static inline array sweep_strip_rows(const sweep *s, array a, strip x)
{
    return array_rows(s->ops, a, x.first, x.rows);
}

#endif
