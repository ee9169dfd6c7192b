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

/* The object "data" of run.json. */
orthant_status run_data_describe(orthant_context *ctx, const orthant_run *run, json_writer *json);
/* How the data of the run in FOLDER were read; the texts are of `json`, its run.json. */
orthant_status run_data_reading(orthant_context *ctx, const char *folder, const json_value *json,
                                orthant_read_options *options);

#endif
