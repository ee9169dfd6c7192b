/* Graph regularised projective NMF: what grpnmf.c and grpnmf_device.c share. */
#ifndef METHOD_GRPNMF_H
#define METHOD_GRPNMF_H

#include "method/method.h"

#define SAFE_EXPONENT 0.25 /* of the ratio: with it the objective never rises */

/* Notes at the end: on mixed signs, labels that are all one, columns that are zero. `squares`:
 * |X|^2. */
orthant_status grpnmf_tell(fit *f, orthant_matrix *encoding, double graph_weight, double squares,
                           bool mixed);

/* The fit on the context's device. */
orthant_status grpnmf_device_run(fit *f);

#endif
