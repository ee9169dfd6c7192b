/* Where a run is written: into a folder of its own first, which takes the run's name when all is
 * there. A run that fails or is killed leaves an earlier run as it was, and no folder that it made
 * itself. */
#ifndef REPORT_FOLDER_H
#define REPORT_FOLDER_H

#include "core/context.h"

typedef struct staging {
    orthant_context *ctx;
    char *target;     /* the run's folder */
    char *path;       /* write here */
    bool replaces;    /* the target is there: files are moved into it one by one, run.json last */
    size_t made_from; /* length of the first part of the target's path that was made; 0: none */
} staging;

orthant_status staging_begin(orthant_context *ctx, const char *folder, staging *stage);
/* With `status` OK the folder takes its name, otherwise it is removed. Returns the first failure.
 */
orthant_status staging_end(staging *stage, orthant_status status);

/* Whether `folder` holds a run; folder_has: a plain file of that name. */
orthant_status folder_is_run(orthant_context *ctx, const char *folder, bool *is_run);
orthant_status folder_has(orthant_context *ctx, const char *folder, const char *name, bool *has);

/* Makes the folder and those above it where they are not there. */
orthant_status folder_make(orthant_context *ctx, const char *folder);
/* What killed runs left behind half written, in the folder and those below it down to `depth`. Only
 * where nobody else is at work there. */
void folder_remove_parts(const char *folder, int depth);
/* Nothing in it but what a killed run left behind; false where it cannot be read. */
bool folder_is_empty(const char *folder);

#endif
