/* The folder of an experiment that grows run by run and goes on where it stopped. */
#ifndef REPORT_EXPERIMENT_FOLDER_H
#define REPORT_EXPERIMENT_FOLDER_H

#include "core/context.h"

/* Makes the folder where it is not there, locks it, and refuses one that holds files but not `plan`
 * ("study.json"), the plan of such an experiment; `what` it is: "study". *lock is to be closed
 * where it is not -1, on failure too. */
orthant_status experiment_folder_open(orthant_context *ctx, const char *folder, const char *what,
                                      const char *plan, int *lock);

#endif
