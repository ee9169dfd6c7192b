/* Whole fits on a device beside the host's, for methods that have their own way there. */
#ifndef SUPPORT_DEVICE_FIT_H
#define SUPPORT_DEVICE_FIT_H

#include "problem.h"

/* A fit on the host and two on the device: objectives within `tolerance` of the first one, factors
 * within 100 times that, both runs on the device the same, and the same where the fit is stopped
 * and goes on from its checkpoint. `name` says in messages what is fitted. */
void device_check_fit(const test_problem *p, orthant_model *model, const char *name,
                      const char *kind, double tolerance);

#endif
