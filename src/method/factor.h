/* The factor model with another step for the basis, for methods that are one of its kin. */
#ifndef METHOD_FACTOR_H
#define METHOD_FACTOR_H

#include "engine/sweep.h"
#include "method/explain.h"

typedef struct factor_variant {
    const struct solver *solver; /* of the encodings, with a rule of its own; NULL: mu */
    orthant_status (*setup)(sweep *s, void **state);
    void (*start)(sweep *s, void *state); /* after the starting factors are there */
    void (*basis)(sweep *s, void *state); /* in place of sweep_basis */
    void (*release)(sweep *s, void *state);
} factor_variant;
orthant_status factor_run_variant(fit *f, const factor_variant *variant);
orthant_status factor_explain_variant(fit *f, const factor_variant *variant, explanation *e);

#endif
