/* Fits by batches of samples (online.c). */
#ifndef METHOD_ONLINE_H
#define METHOD_ONLINE_H

#include "method/explain.h"

/* Parameters of the methods that can be fitted so. */
extern const orthant_parameter_info online_parameters[];

/* Whether batches are asked for, or the samples are one themselves. */
bool online_asked(const orthant_model *model);
/* Whether the samples are a batch of data that come in pieces. */
bool online_is_partial(const orthant_model *model);
/* Sums that a fit of data in pieces goes on from: "numerators", "denominators". */
bool online_has_start(const orthant_model *model, const char *factor);

orthant_status online_run(fit *f);
orthant_status online_explain(fit *f, explanation *e);

#endif
