/* What every run.json shares: how it is written, and how it ends. */
#ifndef REPORT_RUN_JSON_H
#define REPORT_RUN_JSON_H

#include "report/json.h"

/* FOLDER/run.json, filled by `describe` with one object: written last, as it knows the files that
 * lie in the folder. */
orthant_status run_json_write(orthant_context *ctx, const char *folder,
                              orthant_status (*describe)(orthant_context *ctx, const void *run,
                                                         const char *folder, json_writer *json),
                              const void *run);

/* precision, threads */
void run_json_context(orthant_context *ctx, json_writer *json);
/* command, version, cpu_kernels, blas, the contents of the folder where there is one
 * (report/contents.h), and the object's end */
orthant_status run_json_end(orthant_context *ctx, json_writer *json, const char *command,
                            const char *folder);

#endif
