/* A fit of the factor model between two iterations (factor.c), and how it is set up
 * (factor_setup.c). */
#ifndef METHOD_FACTOR_STATE_H
#define METHOD_FACTOR_STATE_H

#include "engine/loss.h"
#include "engine/term.h"
#include "method/factor.h"
#include "method/method.h"

typedef struct model_state {
    fit *f;
    loss loss;             /* with its parameter, as of this iteration */
    double loss_parameter; /* where it ends */
    problem problem;
    sweep sweep;
    term terms[FIT_MOST_TERMS];
    orthant_matrix *basis, *encoding;
    orthant_matrix *fixed; /* parts that are held, or NULL */
    const factor_variant *variant;
    void *variant_state;
    bool normalise, guarded;
    double scale;        /* of the variant's objective, or 1 */
    double first_length; /* |W| at the start */
    sweep_step step;
    double kept_objective; /* where an iteration that is guarded began */
    const double *ahead;   /* rows of values of the iterations that were made together ... */
    int64_t ahead_from;    /* ... after this one */
    double values[HISTORY_MOST_COLUMNS]; /* objective, loss, terms, the step where it is guarded */
} model_state;

/* What is asked, with the terms set up: all that a plan needs. */
orthant_status factor_setup_problem(model_state *m);
/* That, and the arrays of a fit. */
orthant_status factor_setup(model_state *m);
/* m->values, of the factors and the sums as they are (factor.c). */
void factor_evaluate(model_state *m);
/* final_encodings.h */
orthant_status factor_final_encodings_check(const model_state *m);
orthant_status factor_final_encodings(model_state *m);
/* The sweep over the factors as they are: all but these, the terms and what the model asks. */
orthant_status factor_setup_sweep(model_state *m);
void factor_release_sweep(model_state *m);

#endif
