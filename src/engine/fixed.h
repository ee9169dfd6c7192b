/* Fixed parts: the first columns of the basis, which no step changes. Rules by ratios treat each
 * entry by itself: their columns are put back after the step. Descent by coordinates sees the
 * columns that it made before: there a fixed coordinate has a curvature that is not positive, and
 * is left as it is. */
#ifndef ENGINE_FIXED_H
#define ENGINE_FIXED_H

#include "engine/solver.h"

orthant_status fixed_setup(sweep *s);
void fixed_release(sweep *s);

static inline bool fixed_any(const sweep *s)
{
    return s->problem->fixed_basis != NULL;
}

/* The fixed columns as they were given. */
void fixed_restore(const sweep *s);
/* Before rows of the basis are made: sets the line that `by` holds them with, a curvature, or
 * zeros for a solver that goes by ratios. */
void fixed_begin(const sweep *s, const solver *by);
/* That line as so many equal rows, k columns. */
array fixed_lines(const sweep *s, int64_t rows);
/* And in the fixed columns of some rows. */
void fixed_hold(const sweep *s, array rows);

#endif
