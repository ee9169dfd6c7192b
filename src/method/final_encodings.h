/* The encodings that a fit of the factor model ends with (final_encodings.c). */
#ifndef METHOD_FINAL_ENCODINGS_H
#define METHOD_FINAL_ENCODINGS_H

#include "method/factor_state.h"

/* Refuses final_encodings=minimal where samples have no minimiser each of their own. */
orthant_status final_encodings_check(const model_state *m);
/* After the loop: the encodings that minimise the objective for the basis as it is, in the place of
 * those of the last iteration, where the fit is to end with them. The sums are theirs then, and
 * m->values, and so is the last row of the history. `measure` makes m->values anew. */
orthant_status final_encodings_take(model_state *m, void (*measure)(model_state *m));

#endif
