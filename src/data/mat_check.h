/* MATLAB files before matio sees them: matio believes the sizes it reads and allocates for them. */
#ifndef DATA_MAT_CHECK_H
#define DATA_MAT_CHECK_H

#include <stdio.h>

#include "core/context.h"

/* Walks through a version 4 or 5 file and refuses it where an element is longer than what holds it,
 * an array's shape does not agree with its bytes, or compressed bytes are damaged. Of a version 7.3
 * file, which is HDF5, only the kind is told. `variables`: how many there are. */
orthant_status mat_check(orthant_context *ctx, const char *path, bool *is_hdf5, int64_t *variables);
/* Its part for version 4; `size` is the file's. */
orthant_status mat_check_4(orthant_context *ctx, const char *path, FILE *file, int64_t size,
                           int64_t *variables);

#endif
