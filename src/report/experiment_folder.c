/* Name, lock and contents of an experiment's folder. */
#include "report/experiment_folder.h"

#include "core/file.h"
#include "core/memory.h"
#include "report/folder.h"
#include "report/text_file.h"

static orthant_status check_name(orthant_context *ctx, const char *folder, const char *what)
{
    if (!*folder)
        return fail(ctx, ORTHANT_ERROR_ARGUMENT, "the %s's folder has no name", what);
    if (file_exists(folder) && !file_is_folder(folder))
        return fail(ctx, ORTHANT_ERROR_IO, "%s: is a file, expected a folder or a new name",
                    folder);
    return ORTHANT_OK;
}

/* It must hold such an experiment or nothing. */
static orthant_status check_contents(orthant_context *ctx, const char *folder, const char *what,
                                     const char *plan)
{
    char *path = path_join(ctx, folder, plan);
    file_presence found = FILE_MISSING;
    bool empty = true;
    orthant_status status = path ? file_look(ctx, path, &found) : ORTHANT_ERROR_MEMORY;
    if (!status && found == FILE_MISSING)
        status = folder_is_empty(ctx, folder, &empty);
    if (!status && !empty)
        status = fail(ctx, ORTHANT_ERROR_ARGUMENT,
                      "%s: holds files but no %s; give a new folder, an empty one, or that "
                      "of a %s to go on with",
                      folder, plan, what);
    memory_free(ctx, path);
    return status;
}

orthant_status experiment_folder_open(orthant_context *ctx, const char *folder, const char *what,
                                      const char *plan, int *lock)
{
    *lock = -1;
    orthant_status status = check_name(ctx, folder, what);
    if (!status)
        status = folder_make(ctx, folder);
    /* Locked first: what is in the folder is looked at when no other one can be changing it. */
    if (!status)
        status = folder_lock(ctx, folder, what, lock);
    return status ? status : check_contents(ctx, folder, what, plan);
}
