/* Neighbours and k-means on a device against the host. */
#ifndef SUPPORT_DEVICE_POINTS_H
#define SUPPORT_DEVICE_POINTS_H

#include <stdbool.h>

void device_check_neighbours(const char *kind, bool large);
void device_check_kmeans(const char *kind, bool large);

#endif
