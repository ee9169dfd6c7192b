/* HDF5's own error messages: kept from standard error while we call it, and their essence for ours.
 */
#ifndef DATA_HDF5_ERRORS_H
#define DATA_HDF5_ERRORS_H

#include <hdf5.h>

#include "core/context.h"

/* What HDF5 would have done with its messages; the user's program may have set it. */
typedef struct hdf5_quiet {
    H5E_auto2_t function;
    void *data;
    bool begun;
} hdf5_quiet;

void hdf5_quiet_begin(hdf5_quiet *quiet);
void hdf5_quiet_end(const hdf5_quiet *quiet); /* nothing where it was not begun */

/* Fails with the text and HDF5's innermost reason behind it. */
orthant_status hdf5_fail(orthant_context *ctx, orthant_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Whether a file of `file_bytes` can hold an array of count entries of so many bytes: no filter
 * that is in use packs better than deflate's 1:1032. */
bool hdf5_can_hold(int64_t file_bytes, int64_t count, int64_t entry_bytes);
/* Memory that a child process may take to read such a file. */
int64_t hdf5_child_memory(const orthant_context *ctx, int64_t file_bytes);

#endif
