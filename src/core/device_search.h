/* What a device does with points beside fits: their exact neighbours, and their nearest centres. It
 * is a part of the interface of engine/device.h, which says what all of it promises, and stands
 * here because graphs and k-means know nothing of fits.
 *
 * What comes back is what the host finds, to the last bit: fast products only choose whom to look
 * at, and distances in double, summed in the host's order, decide. */
#ifndef CORE_DEVICE_SEARCH_H
#define CORE_DEVICE_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DEVICE_MESSAGE 512 /* bytes of a message */

/* Samples: dense rows of finite numbers. The arrays are the caller's. */
typedef struct device_points {
    const void *values;
    int64_t rows, columns, stride;
    bool single;          /* or double */
    bool on_device;       /* `values` are in the device's memory */
    int64_t memory_limit; /* bytes of the device; 0: what is free */
} device_points;

typedef struct device_centres device_centres;

typedef struct device_search {
    /* neighbours_find() (src/graph/neighbours.h), by exact search. False with the reason in
     * `message`, DEVICE_MESSAGE bytes. */
    bool (*neighbours)(int device, const device_points *points, int64_t count, int32_t *nearest,
                       char *message);
    int64_t most_neighbours;

    /* k-means: the points go to the device once, and `centres` are k x columns. labels[i] is the
     * centre with the least distance, ties to the lower one (src/cluster/nearest.c). */
    bool (*open)(int device, const device_points *points, int64_t k, device_centres **state,
                 char *message);
    bool (*assign)(device_centres *state, const double *centres, int64_t *labels, char *message);
    void (*close)(device_centres *state);
} device_search;

#endif
