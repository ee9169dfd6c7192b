/* An HDF5 file that is open for reading: its datasets, and their values. In a confined context a
 * child process has it open (core/child.h), and this one never calls HDF5. */
#ifndef DATA_HDF5_FILE_H
#define DATA_HDF5_FILE_H

#include <hdf5.h>

#include "core/child.h"
#include "data/hdf5_errors.h"
#include "data/matrix.h"
#include "orthant/labels.h"

#define HDF5_DIMENSIONS 4

typedef struct hdf5_dataset {
    char *path;  /* from the root, "/train/x" */
    bool number; /* of whole or floating numbers */
    int dimensions;
    int64_t extent[HDF5_DIMENSIONS]; /* the first ones where there are more */
    /* Where its values stand in the file as this machine's floats or doubles, one behind the other:
     * their bytes and the place of the first. Elsewhere 0. */
    int plain_bytes;
    int64_t plain_offset;
    int64_t chunk_rows; /* that are stored together; 0 where it has no chunks */
    /* Of one that is called "indptr", or MATLAB's "jc", what attributes of its group say about a
     * sparse matrix. */
    bool has_shape, by_columns;
    int64_t shape[2];
} hdf5_dataset;

/* Of values as they are wanted. */
typedef enum hdf5_type { HDF5_INT64, HDF5_SINGLE, HDF5_DOUBLE } hdf5_type;

typedef struct hdf5_file {
    orthant_context *ctx;
    const char *path;
    int64_t bytes;
    child *reader; /* NULL: this process has it open */
    hid_t id;
    hdf5_quiet quiet;
    hdf5_dataset *datasets; /* in the order of their names */
    int64_t count, capacity;
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

/* The entries of a dataset of numbers in C order: `values` takes hdf5_entries of them.
 */
orthant_status hdf5_file_read(const hdf5_file *file, const hdf5_dataset *dataset, hdf5_type type,
                              void *values);
/* Rows [first, first + count) of it: the first dimension counts rows. */
orthant_status hdf5_file_read_rows(const hdf5_file *file, const hdf5_dataset *dataset,
                                   hdf5_type type, int64_t first, int64_t count, void *values);
/* The dataset of numbers that holds the samples, or that `wanted` names; refuses a sparse matrix.
 */
orthant_status hdf5_choose_dense(const hdf5_file *file, const char *wanted,
                                 const hdf5_dataset **dataset);
orthant_picture_shape hdf5_picture(const hdf5_dataset *dataset);
/* Refuses what is no dataset of numbers, is empty, or says it is larger than the file can hold. */
orthant_status hdf5_file_check(const hdf5_file *file, const hdf5_dataset *dataset);

/* ---- between its files ---------------------------------------------------------------------- */

/* Opens it in this process and lists the datasets. */
orthant_status hdf5_list(hdf5_file *file);
/* The dataset, open and checked; to be closed by H5Dclose. `rows` are best read together: whole
 * chunks. */
orthant_status hdf5_open_dataset(const hdf5_file *file, const hdf5_dataset *dataset, hid_t *id,
                                 int64_t *rows);
/* Rows `first` and on, `count` of them, -1 for all: the first dimension counts rows. */
orthant_status hdf5_read_rows(const hdf5_file *file, const hdf5_dataset *dataset, hid_t id,
                              hdf5_type type, int64_t first, int64_t count, void *values);
/* The next dataset in the list, with memory for a name of so many bytes. */
orthant_status hdf5_add_dataset(hdf5_file *file, int64_t name_bytes, hdf5_dataset **added);
int64_t hdf5_type_bytes(hdf5_type type);

/* The same through a child process. */
orthant_status hdf5_child_list(hdf5_file *file);
orthant_status hdf5_child_read_rows(const hdf5_file *file, const hdf5_dataset *dataset,
                                    hdf5_type type, int64_t first, int64_t count, void *values);
orthant_status hdf5_child_read(const hdf5_file *file, const hdf5_dataset *dataset, hdf5_type type,
                               void *values);

#endif
