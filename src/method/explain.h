/* The plan of a fit, told before it runs. */
#ifndef METHOD_EXPLAIN_H
#define METHOD_EXPLAIN_H

#include "engine/sweep.h"
#include "method/fit.h"

typedef struct explanation {
    orthant_plan_info *info;
    size_t before; /* memory in use before there was anything of the fit */
} explanation;

/* What a planned sweep (sweep_plan) tells. All that the method holds by now counts as its own. */
void explain_sweep(explanation *e, const sweep *s);

#endif
