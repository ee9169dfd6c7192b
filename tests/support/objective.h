/* The objective of a factor model by plain loops in double precision: what a fit tells is compared
 * with it. */
#ifndef SUPPORT_OBJECTIVE_H
#define SUPPORT_OBJECTIVE_H

#include "orthant/orthant.h"

/* Loss and terms of the model at the result's factors, of samples with these labels. The terms'
 * own parameters are at their defaults; the test fails at a term that has no plain loop here. */
double plain_objective(const orthant_model *model, const orthant_matrix *samples,
                       const orthant_labels *labels, const orthant_result *result);

#endif
