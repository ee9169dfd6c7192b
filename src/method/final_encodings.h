/* The encodings that a fit ends with (final_encodings.c). */
#ifndef METHOD_FINAL_ENCODINGS_H
#define METHOD_FINAL_ENCODINGS_H

#include "engine/sweep.h"
#include "method/fit.h"
#include "method/transform.h"

/* What a method says of the end of its fit, and what it does there. */
typedef struct final_encodings {
    fit *f;
    sweep *sweep;
    orthant_matrix *encoding;
    const char *coupled_by; /* the term that couples the samples, or NULL */
    bool knows_labels; /* which have a part in some codes: these are not those of new samples */
    double summed;     /* what the objective is a difference of, for what rounding makes of it */
    void *state;
    /* The minimisers, n x k, which are freed whatever it says. */
    orthant_status (*encode)(void *state, orthant_matrix **codes);
    /* Frees the sweep's arrays; NULL: sweep_release() does. And anew, over the factors as they are.
     */
    void (*release)(void *state);
    orthant_status (*setup)(void *state);
    /* Sums, objective and its parts of the factors as they are, which others have changed. */
    void (*measure)(void *state, double *values);
} final_encodings;

/* Refuses final_encodings=minimal where samples have no minimiser each of their own. */
orthant_status final_encodings_check(const fit *f, const char *coupled_by);
/* After the loop: the encodings that minimise the objective for the basis as it is, in the place of
 * those of the last iteration, where the fit is to end with them. The sweep is theirs then, and so
 * is the last row of the history. */
orthant_status final_encodings_take(const final_encodings *e);

/* What a sample of the fit minimises by this loss alone, solved as a new one's is by default. */
code_problem final_encodings_problem(const fit *f, const orthant_matrix *basis, const loss *l);
/* What the loss is a difference of. */
double final_encodings_summed(const sweep *s);

#endif
