/* Extrapolated updates: both factors go on in the direction that the last update changed them
 * (after Hien and Gillis 2021). Nothing tells beforehand whether that raises the objective: the
 * method watches it (solver.may_rise) and sets the momentum. */
#ifndef SOLVER_EXTRAPOLATE_H
#define SOLVER_EXTRAPOLATE_H

#include "engine/sweep.h"

/* After an update gave `rows`: + momentum times what changed since the last update, or, where not
 * `both_ways`, what grew. */
void extrapolate(const sweep *s, const sweep_step *t, block b, bool basis, array rows,
                 bool both_ways);

#endif
