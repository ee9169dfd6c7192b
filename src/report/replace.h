/* How a new run takes an earlier one's place. Files that a run did not write are the user's: they
 * go over into the new folder and are never removed. */
#ifndef REPORT_REPLACE_H
#define REPORT_REPLACE_H

#include "report/json.h"

/* Removes a folder that a run was being written to, in the open folder `at`; needs no memory, which
 * may be what ran out. Files that no run writes stay, and the folder with them. */
void staged_remove(int at, const char *name);

/* The run.json of a folder; NULL where there is none, or none that can be read. */
orthant_status run_read_json(orthant_context *ctx, const char *folder, json_value **json);

/* `old`, whose run.json is `json`, has been replaced by `target` (NULL: there is none): the user's
 * files go over, then `old` is removed. Where they cannot go over, it stays. Needs no memory. */
void run_retire(const char *old, const json_value *json, const char *target);

/* Where folders cannot be exchanged: the files of the new run `from` one by one to `target`, whose
 * run.json is `earlier`. The new run.json goes first: it knows the sizes and checksums of its
 * files, so that a mix is told from a run. */
orthant_status run_move_in(orthant_context *ctx, const char *from, const json_value *earlier,
                           const char *target);

#endif
