/* A term of the objective: its value and the positive and negative parts of half its gradient. The
 * engine adds them to the denominator and the numerator of the multiplicative rule (twice that for
 * the Kullback-Leibler loss, whose rule uses the gradient itself). */
#ifndef ENGINE_TERM_H
#define ENGINE_TERM_H

#include "core/parameter.h"
#include "engine/sweep.h"

typedef struct term term;
struct device_term;

enum {
    TERM_NEEDS_GRAPH = 1,  /* built from the samples where none is given */
    TERM_NEEDS_LABELS = 2, /* must be given */
    TERM_USES_PRODUCTS =
        8, /* reads X'W and X S themselves, which the KL loss does not form otherwise */
    TERM_USES_COLUMN_SUMS = 16,
    TERM_DESCENDS_WITH_KL =
        32,              /* the multiplicative rule is proven not to rise with the KL loss too */
    TERM_USES_GRAM = 64, /* reads S'S, which the KL loss does not form otherwise */
    TERM_MAY_RISE = 128, /* no proof that the multiplicative rule descends: it is watched */
    TERM_LETS_SCALE_DRIFT =
        256,                  /* a penalty on one factor alone, which shrinks as the other grows */
    TERM_READS_SAMPLES = 512, /* an update reads other samples' encodings (factors.last) */
    TERM_NOT_CONVEX = 1024,   /* the objective of one sample may have several minima */
};

/* One sample by itself, for codes of new samples under a basis that is held. */
typedef struct code_sample {
    int64_t rank;
    int64_t index;               /* of a sample of the fit; -1: a new one */
    const double *cross;         /* W'x, where a term uses products with X */
    const double *basis_squares; /* of W's columns */
    double squares;              /* |x|^2 */
    /* of the training samples j that a graph joins it with by a_j: */
    const double *neighbours; /* k: the sum of a_j s_j */
    double degree;            /* of a_j */
    double spread;            /* of a_j |s_j|^2 */
    double *scratch;          /* 2 k */
} code_sample;

typedef struct term_kind {
    const char *name, *title;
    int flags;
    const orthant_parameter_info *parameters; /* the first is the weight */

    orthant_status (*setup)(
        term *t, const problem *p); /* checks what it needs, allocates; may be NULL, as all below */
    /* The encodings have changed: before `prepare` and before values are measured. Where processes
     * share the samples it may bring others' rows of s->factors.S. */
    void (*refresh)(term *t, const sweep *s);
    void (*prepare)(term *t,
                    const sweep *s); /* after the basis has changed, before the encodings do */
    void (*basis)(const term *t, const sweep *s, block b, array data_sums, array numerator,
                  array denominator); /* data_sums: X S of the block's features */
    void (*encoding)(const term *t, const sweep *s, block b, array numerator, array denominator);
    /* For solvers by coordinates: the weighted term, or a quadratic that is nowhere below it and
     * touches it at the last factors, has half the gradient curvature .* s - numerator. Both are
     * added to. A term without one for a factor that it acts on is refused there. */
    void (*majorise)(const term *t, const sweep *s, block b, array numerator, array curvature);
    void (*majorise_basis)(const term *t, const sweep *s, block b, array data_sums, array numerator,
                           array curvature);
    double (*rows_value)(const term *t, const sweep *s,
                         block b); /* the samples' share of the value, without the weight */
    double (*whole_value)(const term *t, const sweep *s); /* what is not a sum over samples */
    /* The whole value again where both parts nearly cancel: from sums in double alone. `rounded`,
     * what the parts gave, where there is no memory. */
    double (*exact_value)(const term *t, const sweep *s, double rounded);
    /* The weighted term as a function of one sample's encoding s, all others held; without these it
     * is one of many samples at once, or of the basis, and a new sample has no part in it. The
     * parts of its gradient, and a curvature (k x k, the lower triangle) that is positive
     * semidefinite, are added to. */
    double (*code_value)(const term *t, const code_sample *x, const double *s);
    void (*code_parts)(const term *t, const code_sample *x, const double *s, double *positive,
                       double *negative);
    void (*code_curvature)(const term *t, const code_sample *x, const double *s, double *curvature);
    orthant_status (*code_setup)(term *t, const problem *p); /* in place of `setup`; or NULL */
    /* After that, for a term that reads S'S of the training samples (TERM_USES_GRAM). */
    void (*code_prepare)(term *t, const double *gram);
    void (*release)(term *t);
    /* What a device needs of it, once it is set up (device.h). */
    void (*describe)(const term *t, struct device_term *to);
} term_kind;

struct term {
    const term_kind *kind;
    orthant_context *ctx;
    double weight;           /* as in the objective */
    double gain;             /* what the parts of half the gradient are multiplied with */
    const struct halo *halo; /* rows of other processes' encodings that it reads; or NULL */
    void *state;             /* the term's own */
};

#endif
