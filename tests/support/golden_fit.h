/* Fits of the factor model's golden cases. */
#ifndef SUPPORT_GOLDEN_FIT_H
#define SUPPORT_GOLDEN_FIT_H

#include "factor_cases.h"

/* Fails the test where the factors after 1, 10 and 100 iterations, or the objective after each, are
 * not the reference's. False where the device ("cpu" does not) refuses the case, which is told. */
bool golden_fit_check(const golden_case *row, const char *device);

#endif
