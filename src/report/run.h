/* What run.json says of a run. */
#ifndef REPORT_RUN_H
#define REPORT_RUN_H

#include "core/xxh64.h"
#include "orthant/run.h"
#include "report/json.h"

/* The key in run.json of the data's checksum; earlier runs have "sha256". */
#define DATA_CHECKSUM "xxh64"
/* XXH64 of the data's file; of "file.h5:/path" it is the file that has a checksum. `samples`, which
 * may be NULL, are what was read from it: they may know it already. */
orthant_status data_checksum(orthant_context *ctx, const char *address,
                             const orthant_matrix *samples, char digest[XXH64_DIGITS + 1]);

#endif
