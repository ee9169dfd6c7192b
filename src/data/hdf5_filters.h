/* What HDF5 unpacks chunks with, beyond what it brings itself. */
#ifndef DATA_HDF5_FILTERS_H
#define DATA_HDF5_FILTERS_H

#include <hdf5.h>

#include "core/context.h"

/* h5py's compression 'lzf', for reading. As often as one likes. */
void hdf5_register_filters(void);
/* Refuses a dataset whose filters HDF5 does not have here, by their names and numbers, and one
 * whose values lie in other files. `how`: its creation property list. */
orthant_status hdf5_check_filters(orthant_context *ctx, const char *path, const char *name,
                                  hid_t how);

#endif
