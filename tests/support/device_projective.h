/* Projective methods on a device against the host. */
#ifndef SUPPORT_DEVICE_PROJECTIVE_H
#define SUPPORT_DEVICE_PROJECTIVE_H

#include <stdbool.h>

void device_check_projective(const char *kind, bool large);

#endif
