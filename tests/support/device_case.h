/* A device against the host: every verb, whole fits, checkpoints and the golden cases. */
#ifndef SUPPORT_DEVICE_CASE_H
#define SUPPORT_DEVICE_CASE_H

#include <stdbool.h>

/* Whether there is a device of the kind; otherwise why not is printed. */
bool device_is_there(const char *kind);
/* Runs all comparisons on the first device of the kind; `large` ones too, which plain loops would
 * take long for. What the device refuses is printed and left out, but for multiplicative updates
 * of both losses. Returns how many tests failed. */
int device_compare(const char *kind, bool large);

#endif
