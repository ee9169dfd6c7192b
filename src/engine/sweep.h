/* The factor model's state and its one sweep: X ~ W S', every product with X from one pass an
 * iteration.
 *
 * The samples are gone through in strips that fit a cache. In a strip first every block of samples
 * gets its new encodings (tasks: blocks of rows), then every panel of features adds the strip's
 * share to the sums A = X S (tasks: panels of features). No two tasks write to one place and every
 * entry is summed over the samples in their order, so the number of threads cannot change a bit,
 * and no thread needs sums of its own.
 *
 * Where A would be large beside the data (wide data, or nearly as many vectors as samples) it is
 * not kept: whoever wants it (sweep_over_features) forms it a few features at a time from the
 * encodings of the last pass and uses it at once ("deferred"). The work is the same; what A gave
 * the objective is taken from X'W in the encodings' pass. The divergence of the KL loss would take
 * a product of its own there: the basis step that follows has that product anyway ("late"). */
#ifndef ENGINE_SWEEP_H
#define ENGINE_SWEEP_H

#include "data/matrix.h"
#include "kernel/kernel.h"

typedef enum loss_kind { LOSS_FROBENIUS = 0, LOSS_KL = 1 } loss_kind;
/* How rows of a factor are brought down, the other factor held: one multiplicative update, the same
 * with extrapolation, passes of coordinate descent (src/engine/descent.h), or for the KL loss steps
 * of Newton's for one coordinate after the other, with extrapolation (src/engine/newton.h). */
typedef enum solver_kind {
    SOLVER_MULTIPLICATIVE,
    SOLVER_EXTRAPOLATED,
    SOLVER_DESCENT,
    SOLVER_NEWTON
} solver_kind;

/* Rows that one task works on. */
typedef struct block {
    int64_t first, rows;
    int thread;
} block;

/* Whether the entries of a factor's rows are brought down one after the other. */
static inline bool solves_by_coordinates(solver_kind solver)
{
    return solver == SOLVER_DESCENT || solver == SOLVER_NEWTON;
}

struct term;
struct newton;

#define SWEEP_RANGES 8

typedef struct sweep {
    orthant_context *ctx;
    const kernels *k;
    const orthant_matrix *samples;
    loss_kind loss;
    solver_kind solver;
    int64_t n, m;
    struct term *terms;
    int term_count;

    array W;      /* basis, m x k */
    array S;      /* encodings, n x k */
    array last;   /* the encodings that this iteration started from: S itself unless a term reads
                     other samples' and there is room for both */
    array half;   /* n x half a row, where a term reads other samples' and there is no such room
                     (sweep_halves.c); no data: elsewhere */
    array A;      /* X S, or R S for KL, m x k; no data where deferred */
    array XS;     /* X S: A itself for Frobenius; for KL only where a term uses it */
    array B;      /* S'S, k x k; Frobenius, and where a term uses it */
    array G;      /* W'W, k x k; Frobenius */
    void *turned; /* the last columns of W, turned, for X W; NULL: nothing to gain */
    double *basis_sums, *basis_squares, *encoding_sums; /* of columns, k each */

    double data_squares, data_sum; /* |X|^2 and sum X */
    double divergence;             /* KL: sum x log(x / y) from the last sweep; unless `late` */
    double cross;                  /* <W, X S> from the last sweep, where deferred */
    int64_t iteration; /* 1, 2, ...; 0 while coordinate descent fits the starting encodings */
    bool cautious;     /* ... without terms, of data that are not mostly zeros: see descent.c */
    double exponent;   /* of the multiplicative update: 1, or less where the safeguard acts */
    /* Extrapolated updates: the factors as the last updates left them, before they were gone
     * beyond, and how far. */
    array last_basis, last_encoding;
    double momentum;
    struct newton *newton;                                  /* what Newton's steps work in */
    bool uses_products, uses_sums, uses_squares, uses_gram; /* of columns: sums and squares */
    bool probing;    /* the steps measure how far the factors are from stationary; nothing moves */
    bool needs_sums; /* set by a caller that reads A whole: it is kept */
    bool own_basis;  /* set by a caller with a basis step of its own, in the arrays for terms */
    bool can_wait;   /* set by a caller that takes the divergence from the next basis step */
    bool deferred;
    bool late;     /* KL, deferred: no sweep finds the divergence, but the next basis step can */
    bool diverges; /* the basis step at hand does */
    bool copies_products; /* of a block: read after the terms were added to them */

    /* for each thread: the kernels' scratch, then arrays of a task's rows: numerators,
     * denominators, X W, some for terms and basis steps; where deferred, `held` rows of A (and
     * X S), and for a sparse X how many entries of each of its rows lie before them */
    int threads; /* that have one */
    char *scratch;
    int64_t scratch_bytes;  /* a thread */
    int64_t kernel_bytes;   /* of these, the kernels' */
    char *residual_scratch; /* the kernels', of all threads, once a fit is so good that it is
                               measured entry by entry */
    int64_t held, held_at, held_bytes, places_bytes;
    bool borrows;   /* `held` rows and what comes with them lie in a buffer of the encodings */
    int64_t strip;  /* samples of a strip, a multiple of KERNEL_ROWS */
    int64_t *range; /* sparse: bounds of the ranges of features, SWEEP_RANGES + 1 */
    /* deferred: each range is cut into pieces of `held` features; how many pieces lie before it,
     * and how many entries a row has in a piece, pieces x n (NULL where one has too many to count)
     */
    int64_t first_piece[SWEEP_RANGES + 1];
    uint8_t *piece_count;
    double *share; /* a slot for each task or block and term, summed in order */
    int64_t shares;
} sweep;

/* With terms coordinate descent begins with multiplicative steps. Fitted at once to a random basis,
 * encodings that a term makes dear are best at zero, all of them, and neither factor can leave
 * that: a multiplicative step brings the basis near the data first and leaves nothing at zero. */
#define SWEEP_FIRST_STEPS 10

static inline bool sweep_by_coordinates(const sweep *s)
{
    return solves_by_coordinates(s->solver) && !s->probing &&
           (s->term_count == 0 || s->iteration > SWEEP_FIRST_STEPS);
}

/* W and S are set by the caller (views of matrices that it owns); the rest is allocated here. */
orthant_status sweep_setup(sweep *s);
void sweep_release(sweep *s);

/* Before the first step: all that the steps and the objective read, for W and S as they are. */
void sweep_start(sweep *s);
/* The sums A, B, ... for W and S as they are: one pass over X. What depends on W is up to date. */
void sweep_sums(sweep *s);
/* W <- W .* (A + N) ./ (W B + P), from the sums of the last pass, or A from its encodings. */
void sweep_basis(sweep *s);
/* The same where the divergence is late: that of the factors as they were, from the same pass. */
double sweep_basis_divergence(sweep *s);
/* What depends on W alone (G, sums of columns), and the terms' preparation: after every change of
 * W. */
void sweep_basis_changed(sweep *s);
/* S <- S .* (X'W + N) ./ (S G + P), and the sums with the new S, in one pass over X. */
void sweep_encoding(sweep *s);

/* <W, X S> for W, S and the sums as they are. */
double sweep_cross(const sweep *s);
/* The loss and each term's weighted value for W, S and the sums as they are; where the divergence
 * is late, a pass over X. */
double sweep_loss(sweep *s);
/* What the KL loss takes from sums of columns, and the loss from this and the divergence. */
double sweep_fitted(const sweep *s);
double sweep_kl_loss(const sweep *s, double divergence, double fitted);
void sweep_term_values(sweep *s, double *values);
/* Whether a loss, but for 0, is so small that it, or what the steps still change, is the
 * precision's rounding. */
bool sweep_at_limit(const sweep *s, double loss);

/* Calls `work` for every block of features with its rows of A and X S, whether these are kept or
 * formed on the way: a pass over X then. The features are cut into groups, by the problem's size
 * alone; the blocks of a group come in order and from one thread, so that work that sums does so
 * for each group. There are at most `most` groups, or SWEEP_RANGES. */
typedef void (*feature_work)(void *user, block b, int64_t group, array A, array XS);
int64_t sweep_feature_groups(const sweep *s, int64_t most);
void sweep_over_features(const sweep *s, int64_t most, feature_work work, void *user);

/* The length of the projected gradient beside that of its negative part: 0 where the factors are
 * stationary. One more pass over X. */
double sweep_projected_gradient(sweep *s);

/* Arrays of a task's rows: 0 and 1 for terms to work in, 0 to 3 for a basis step of another kind.
 */
array sweep_term_array(const sweep *s, int thread, int which, int64_t rows);
/* X_b W of the block at hand, for terms that use products. */
array sweep_products(const sweep *s, block b);
/* What the term gathers of other samples' last encodings for the block at hand, in the first of
 * these arrays; the second is lost. */
array sweep_gathered(const sweep *s, const struct term *t, block b);

#endif
