/* Where a run is written: into a folder of its own first, "RUN.part-PID-N" beside RUN, which takes
 * the run's name when all is there; an earlier run's folder is exchanged with it in one step. A run
 * that fails or is killed leaves an earlier run as it was, and no folder that it made itself; what
 * a killed one leaves behind is swept by the next run of that name. */
#ifndef REPORT_FOLDER_H
#define REPORT_FOLDER_H

#include "core/context.h"

typedef struct staging {
    orthant_context *ctx;
    char *target; /* the run's folder; a link is followed */
    char *path;   /* write here */
    int lock;     /* on the folder `path`, so that nobody takes it for left behind; -1: none */
    bool inside;  /* `path` lies in the target, as nothing can lie beside it: files are moved one
                     by one */
    size_t made_from; /* length of the first part of the target's path that was made; 0: none */
} staging;

orthant_status staging_begin(orthant_context *ctx, const char *folder, staging *stage);
/* With `status` OK the folder takes its name, otherwise it is removed. Returns the first failure.
 */
orthant_status staging_end(staging *stage, orthant_status status);

/* Calls `take` for each entry of a folder that is neither hidden nor still being written, in no
 * certain order, until it fails. */
typedef orthant_status (*folder_entry)(void *user, const char *folder, const char *name);
orthant_status folder_each(orthant_context *ctx, const char *folder, folder_entry take, void *user);

/* Whether `folder` holds a run; folder_has: a plain file of that name. */
orthant_status folder_is_run(orthant_context *ctx, const char *folder, bool *is_run);
orthant_status folder_has(orthant_context *ctx, const char *folder, const char *name, bool *has);
/* Nothing in it but what a killed run left behind: parts, and checkpoints. */
orthant_status folder_is_empty(orthant_context *ctx, const char *folder, bool *empty);
/* Not "." or "..". */
bool folder_is_entry(const char *name);
/* The name of something that is being written, or was when its writer was killed. */
bool folder_is_part(const char *name);

/* Makes the folder and those above it where they are not there. */
orthant_status folder_make(orthant_context *ctx, const char *folder);
/* A lock on the folder, to be closed; -1 where the file system knows none. Fails where another
 * process has it; `what` is at work there: "study". */
orthant_status folder_lock(orthant_context *ctx, const char *folder, const char *what, int *lock);
/* What killed processes left behind half written, in the folder and those below it down to `depth`;
 * what is being written stays. */
void folder_sweep(orthant_context *ctx, const char *folder, int depth);

/* "FOLDER: cannot be written: ..." by an errno. */
orthant_status folder_fail(orthant_context *ctx, const char *folder, int error);

#endif
