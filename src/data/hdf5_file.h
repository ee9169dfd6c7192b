/* An HDF5 file that is open for reading: its datasets, and their values. */
#ifndef DATA_HDF5_FILE_H
#define DATA_HDF5_FILE_H

#include <hdf5.h>

#include "data/hdf5_errors.h"
#include "data/matrix.h"
#include "orthant/labels.h"

#define HDF5_DIMENSIONS 4

typedef struct hdf5_dataset {
    char *path;  /* from the root, "/train/x" */
    bool number; /* of whole or floating numbers */
    int dimensions;
    int64_t extent[HDF5_DIMENSIONS]; /* the first ones where there are more */
} hdf5_dataset;

typedef struct hdf5_file {
    orthant_context *ctx;
    const char *path;
    int64_t bytes;
    hid_t id;
    hdf5_quiet quiet;
    hdf5_dataset *datasets; /* in the order of their names */
    int64_t count, room;
    orthant_status status; /* of the walk that lists them */
} hdf5_file;

/* Lists the datasets. To be closed also where it failed. */
orthant_status hdf5_file_open(orthant_context *ctx, const char *path, hdf5_file *file);
void hdf5_file_close(hdf5_file *file);

/* `inside` with or without the slash at its start; NULL where there is no such dataset. */
const hdf5_dataset *hdf5_file_find(const hdf5_file *file, const char *inside);
/* "GROUP/NAME"; GROUP may be "". */
const hdf5_dataset *hdf5_file_find_in(const hdf5_file *file, const char *group, const char *name);
/* "'/x' (400 x 1024) and '/y' (400)". */
void hdf5_file_describe(const hdf5_file *file, char *text, size_t size);

int64_t hdf5_entries(const hdf5_dataset *dataset); /* INT64_MAX where they cannot be counted */

/* The entries of a dataset of numbers in C order: `values` has room for hdf5_entries of the native
 * type `memory_type`. */
orthant_status hdf5_file_read(const hdf5_file *file, const hdf5_dataset *dataset, hid_t memory_type,
                              void *values);
/* Refuses what is no dataset of numbers, is empty, or says it is larger than the file can hold. */
orthant_status hdf5_file_check(const hdf5_file *file, const hdf5_dataset *dataset);

#endif
