/* Parts that a fit does not change. */
#ifndef METHOD_FIXED_BASIS_H
#define METHOD_FIXED_BASIS_H

#include "method/fit.h"

/* Refuses parts of another shape, and what would change them. */
orthant_status fixed_basis_check(const fit *f);
/* A copy in the fit's precision, or NULL where none are fixed. */
orthant_status fixed_basis_take(const fit *f, orthant_matrix **fixed);

#endif
