/* What makes the sweep's steps faster than the multiplicative rule.
 *
 * Coordinate descent for the Frobenius loss (HALS): rows of one factor, the other held, take
 * several passes while their products with X are at hand (after Gillis and Glineur 2012), and then
 * go on beyond their minimiser in the direction they came, block by block, no further than the
 * objective allows: like the extrapolation of Ang and Gillis (2019), but nothing is kept and
 * nothing can rise.
 *
 * Extrapolated multiplicative updates for any loss: both factors go on where they grew (after Hien
 * and Gillis 2021). Nothing tells beforehand whether that raises the objective: the caller watches.
 */
#ifndef ENGINE_DESCENT_H
#define ENGINE_DESCENT_H

#include "engine/sweep.h"

/* Looks at the data, not at how they are stored: on text steps are others. */
void descent_setup(sweep *s);
orthant_status extrapolation_setup(sweep *s);
void extrapolation_release(sweep *s);

/* `rows` of the basis or of the encodings, from where they are, for numerator, curvature (no data:
 * none) and Gram matrix of the held factor. */
void descent_block(const sweep *s, block b, bool basis, array rows, array numerator,
                   array curvature, array gram);
/* After the update of `rows`: + momentum times what grew since the last update. */
void extrapolate_block(const sweep *s, block b, bool basis, array rows);

#endif
