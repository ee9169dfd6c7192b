/* What kind of file a file is: its first bytes tell, and where they do not, the ending of its name.
 */
#ifndef DATA_KIND_H
#define DATA_KIND_H

#include "core/context.h"

typedef enum file_kind {
    KIND_UNKNOWN = 0,
    KIND_MAT,
    KIND_NPY,
    KIND_NPZ,
    KIND_CSV,
    KIND_MTX,
    KIND_HDF5,
    KIND_IDX,
    KIND_CSR,
    KIND_FOLDER
} file_kind;

/* Fails where there is nothing to read under that name. */
orthant_status kind_of_file(orthant_context *ctx, const char *path, file_kind *kind);

#endif
