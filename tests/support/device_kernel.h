/* Methods on similarities and inner products of samples, and with hard labels, on a device against
 * the host. */
#ifndef SUPPORT_DEVICE_KERNEL_H
#define SUPPORT_DEVICE_KERNEL_H

#include <stdbool.h>

void device_check_kernels(const char *kind, bool large);

#endif
