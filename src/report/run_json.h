/* What every run.json shares: how it is written, and how it ends. */
#ifndef REPORT_RUN_JSON_H
#define REPORT_RUN_JSON_H

#include "report/json.h"

/* FOLDER/run.json, filled by `describe` with one object. */
orthant_status run_json_write(orthant_context *ctx, const char *folder,
                              orthant_status (*describe)(orthant_context *ctx, const void *run,
                                                         json_writer *json),
                              const void *run);

/* precision, threads */
void run_json_context(orthant_context *ctx, json_writer *json);
/* command, version, cpu_kernels, blas, and the object's end */
void run_json_end(json_writer *json, const char *command);

#endif
