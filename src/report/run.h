/* What run.json says of a run. */
#ifndef REPORT_RUN_H
#define REPORT_RUN_H

#include "orthant/run.h"
#include "report/json.h"

/* One object, for the run.json of `folder`; NULL: for the screen. Takes the checksum of the data,
 * so it can fail. */
orthant_status run_describe(orthant_context *ctx, const orthant_run *run, const char *folder,
                            json_writer *json);

/* SHA-256 of the data's file; of "file.h5:/path" it is the file that has a checksum. */
orthant_status data_checksum(orthant_context *ctx, const char *address, char digest[65]);

#endif
