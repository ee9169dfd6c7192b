/* The files of a run as its run.json knows them: "contents": {"basis.npy": {"bytes": 1408,
 * "sha256":
 * "..."}, ...}. A file that is not the one that was written with the run.json is refused. What can
 * be made again (report.html, charts, words.csv) is not in it. */
#ifndef REPORT_CONTENTS_H
#define REPORT_CONTENTS_H

#include "report/json.h"

/* The files that lie in `folder`, as a member of the object that is open. */
orthant_status contents_describe(orthant_context *ctx, const char *folder, json_writer *json);

/* Whether the run knows a file of that name. */
bool contents_has(const json_value *run, const char *name);

/* FOLDER/NAME (memory_free), a file of the run whose run.json is `run`; NULL where it has none. A
 * run of a version that wrote no contents is believed. */
orthant_status contents_find(orthant_context *ctx, const char *folder, const json_value *run,
                             const char *name, char **path);

/* Every file that is there has the size that the run knows. */
orthant_status contents_check_sizes(orthant_context *ctx, const char *folder,
                                    const json_value *run);

#endif
