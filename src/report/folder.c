/* For renameat2. */
#define _GNU_SOURCE
#include "report/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/file.h"
#include "core/memory.h"
#include "core/part.h"
#include "orthant/run.h"
#include "report/replace.h"
#include "report/text_file.h"

#define CHECKPOINT "checkpoint" /* of a run that is not done, in its folder or behind its name */

orthant_status folder_fail(orthant_context *ctx, const char *folder, int error)
{
    if (error == ENOSPC || error == EDQUOT)
        return fail(ctx, ORTHANT_ERROR_IO, "%s: cannot be written: the disk is full", folder);
    if (error == EACCES || error == EPERM || error == EROFS)
        return fail(ctx, ORTHANT_ERROR_IO, "%s: cannot be written: the folder is read-only",
                    folder);
    return file_fail_write(ctx, folder, error);
}

bool folder_is_entry(const char *name)
{
    return strcmp(name, ".") && strcmp(name, "..");
}

bool folder_is_part(const char *name)
{
    return part_whole(name) >= 0;
}

/* ---- paths ------------------------------------------------------------------------------------
 */

/* A copy without the slashes at the end. */
static char *plain_path(orthant_context *ctx, const char *folder)
{
    char *path = memory_text(ctx, folder);
    for (size_t length = path ? strlen(path) : 0; length > 1 && path[length - 1] == '/'; length--)
        path[length - 1] = '\0';
    return path;
}

/* Cuts the last part of a path away; "." when nothing is left. */
static void cut_last_part(char *path)
{
    char *slash = strrchr(path, '/');
    while (slash && slash > path && slash[-1] == '/')
        slash--;
    if (!slash)
        snprintf(path, 2, ".");
    else
        slash[slash == path ? 1 : 0] = '\0';
}

/* The folder that a name stands for: what a link leads to. */
static orthant_status find_target(orthant_context *ctx, const char *folder, char **target)
{
    char real[PATH_MAX];
    struct stat about;
    *target = plain_path(ctx, folder);
    if (!*target)
        return ORTHANT_ERROR_MEMORY;
    if (lstat(*target, &about) || !S_ISLNK(about.st_mode))
        return ORTHANT_OK;
    const bool found = realpath(*target, real) != NULL;
    memory_free(ctx, *target);
    *target = found ? memory_text(ctx, real) : NULL;
    if (!found)
        return fail(ctx, ORTHANT_ERROR_IO,
                    "%s: is a link to what is not there; make that folder, or give another name",
                    folder);
    return *target ? ORTHANT_OK : ORTHANT_ERROR_MEMORY;
}

/* ---- what a folder is -------------------------------------------------------------------------
 */

orthant_status folder_has(orthant_context *ctx, const char *folder, const char *name, bool *has)
{
    file_presence kind = FILE_MISSING;
    char *path = path_join(ctx, folder, name);
    const orthant_status status = path ? file_look(ctx, path, &kind) : ORTHANT_ERROR_MEMORY;
    *has = kind == FILE_PLAIN;
    memory_free(ctx, path);
    return status;
}

orthant_status folder_is_run(orthant_context *ctx, const char *folder, bool *is_run)
{
    return folder_has(ctx, folder, "run.json", is_run);
}

orthant_status folder_each(orthant_context *ctx, const char *folder, folder_entry take, void *user)
{
    orthant_status status = ORTHANT_OK;
    DIR *open = opendir(folder);
    if (!open)
        return file_fail_read(ctx, folder, errno);
    while (!status) {
        errno = 0;
        const struct dirent *entry = readdir(open);
        if (!entry && errno)
            status = file_fail_read(ctx, folder, errno);
        if (!entry)
            break;
        if (entry->d_name[0] != '.' && !folder_is_part(entry->d_name))
            status = take(user, folder, entry->d_name);
    }
    closedir(open);
    return status;
}

/* CHECKPOINT, or one of several starts, or the one before. */
static bool is_checkpoint(const char *name)
{
    const size_t length = strlen(CHECKPOINT);
    return !strncmp(name, CHECKPOINT, length) && (!name[length] || name[length] == '.');
}

orthant_status folder_is_empty(orthant_context *ctx, const char *folder, bool *empty)
{
    DIR *open = opendir(folder);
    *empty = open != NULL;
    if (!open)
        return file_fail_read(ctx, folder, errno);
    errno = 0;
    for (struct dirent *entry; *empty && (entry = readdir(open));)
        *empty = !folder_is_entry(entry->d_name) || folder_is_part(entry->d_name) ||
                 is_checkpoint(entry->d_name);
    const int error = *empty ? errno : 0;
    closedir(open);
    return error ? file_fail_read(ctx, folder, error) : ORTHANT_OK;
}

/* An existing target must be a folder that holds a run or nothing. */
static orthant_status check_target(orthant_context *ctx, const char *target)
{
    bool is_run, empty;
    file_presence kind;
    if (!*target)
        return fail(ctx, ORTHANT_ERROR_ARGUMENT, "the run's folder has no name");
    orthant_status status = file_look(ctx, target, &kind);
    if (status || kind == FILE_MISSING)
        return status;
    if (kind != FILE_FOLDER)
        return fail(ctx, ORTHANT_ERROR_IO, "%s: is a file, expected a folder or a new name",
                    target);
    status = folder_is_run(ctx, target, &is_run);
    if (status)
        return status;
    status = is_run ? ORTHANT_OK : folder_is_empty(ctx, target, &empty);
    if (status)
        return status;
    if (!is_run && !empty)
        return fail(
            ctx, ORTHANT_ERROR_ARGUMENT,
            "%s: holds files but no run.json; give a new folder, an empty one, or an earlier "
            "run to replace",
            target);
    return ORTHANT_OK;
}

orthant_status orthant_run_check(orthant_context *context, const char *folder)
{
    char *path = NULL;
    const orthant_status refused = entry_check(context, folder != NULL, __func__);
    if (refused)
        return refused;
    orthant_status status = find_target(context, folder, &path);
    if (!status)
        status = check_target(context, path);
    while (!status && !file_exists(path) && strcmp(path, ".") && strcmp(path, "/"))
        cut_last_part(path);
    if (!status && !file_is_folder(path))
        status = fail(context, ORTHANT_ERROR_IO, "%s: cannot be written: '%s' is not a folder",
                      folder, path);
    if (!status && access(path, W_OK | X_OK))
        status = folder_fail(context, folder, errno);
    memory_free(context, path);
    return status;
}

/* ---- making, locking, sweeping ----------------------------------------------------------------
 */

static orthant_status make_parents(staging *stage)
{
    for (char *slash = strchr(stage->target + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        const int failed = mkdir(stage->target, 0777) ? errno : 0;
        if (!failed && !stage->made_from)
            stage->made_from = strlen(stage->target);
        const bool usable = !failed || file_is_folder(stage->target);
        const orthant_status status =
            usable ? ORTHANT_OK : folder_fail(stage->ctx, stage->target, failed);
        *slash = '/';
        if (status)
            return status;
    }
    return ORTHANT_OK;
}

static void remove_parents(staging *stage)
{
    while (stage->made_from && stage->target) {
        cut_last_part(stage->target);
        if (strlen(stage->target) < stage->made_from || rmdir(stage->target))
            break;
    }
}

orthant_status folder_make(orthant_context *ctx, const char *folder)
{
    staging stage = {.ctx = ctx, .target = plain_path(ctx, folder)};
    orthant_status status = stage.target ? make_parents(&stage) : ORTHANT_ERROR_MEMORY;
    const int failed = !status && mkdir(stage.target, 0777) ? errno : 0;
    if (failed && !file_is_folder(stage.target))
        status = folder_fail(ctx, folder, failed);
    memory_free(ctx, stage.target);
    return status;
}

orthant_status folder_lock(orthant_context *ctx, const char *folder, const char *what, int *lock)
{
    *lock = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (*lock < 0)
        return folder_fail(ctx, folder, errno);
    if (flock(*lock, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK) {
        close(*lock);
        *lock = -1;
        return fail(ctx, ORTHANT_ERROR_IO, "%s: another process is at work on this %s", folder,
                    what);
    }
    return ORTHANT_OK;
}

/* One part in `folder`, whose writer has ended. */
static void sweep_part(orthant_context *ctx, DIR *open, const char *folder, const char *name)
{
    const int whole = part_whole(name), part = part_seize(dirfd(open), name);
    if (part < 0)
        return;
    if (unlinkat(dirfd(open), name, 0)) {
        json_value *json = NULL;
        char *old = path_join(ctx, folder, name), *target = path_join(ctx, folder, name);
        if (old && target && !run_read_json(ctx, old, &json)) {
            target[strlen(target) - strlen(name) + (size_t)whole] = '\0';
            run_retire(old, json, whole && file_is_folder(target) ? target : NULL);
        }
        json_free(ctx, json);
        memory_free(ctx, target);
        memory_free(ctx, old);
    }
    close(part);
}

/* `whole`: only what was to have that name; NULL: all. */
static void sweep(orthant_context *ctx, const char *folder, const char *whole, int depth)
{
    DIR *open = opendir(folder);
    for (struct dirent *entry; open && (entry = readdir(open));) {
        const int length = part_whole(entry->d_name);
        struct stat about;
        if (length >= 0) {
            if (!whole ||
                (strlen(whole) == (size_t)length && !strncmp(whole, entry->d_name, (size_t)length)))
                sweep_part(ctx, open, folder, entry->d_name);
        } else if (depth > 0 && folder_is_entry(entry->d_name) &&
                   !fstatat(dirfd(open), entry->d_name, &about, AT_SYMLINK_NOFOLLOW) &&
                   S_ISDIR(about.st_mode)) {
            char *below = path_join(ctx, folder, entry->d_name);
            if (below)
                sweep(ctx, below, NULL, depth - 1);
            memory_free(ctx, below);
        }
    }
    if (open)
        closedir(open);
}

void folder_sweep(orthant_context *ctx, const char *folder, int depth)
{
    sweep(ctx, folder, NULL, depth);
}

/* ---- staging ----------------------------------------------------------------------------------
 */

/* The folder above the target, and its name in it. */
static orthant_status split_target(const staging *stage, char **above, const char **name)
{
    const char *slash = strrchr(stage->target, '/');
    *name = slash && slash[1] ? slash + 1 : stage->target;
    *above = memory_text(stage->ctx, stage->target);
    if (!*above)
        return ORTHANT_ERROR_MEMORY;
    cut_last_part(*above);
    return ORTHANT_OK;
}

/* Nothing of ours can take the place of a folder that is mounted there, that lies in one that we
 * may not write to, or that somebody stands in: the shell that called us. */
static bool must_stage_inside(const char *target, const char *above)
{
    struct stat there, parent, here;
    if (stat(target, &there))
        return false;
    const bool stands_in =
        !stat(".", &here) && here.st_dev == there.st_dev && here.st_ino == there.st_ino;
    return stands_in || stat(above, &parent) || parent.st_dev != there.st_dev ||
           access(above, W_OK | X_OK);
}

orthant_status orthant_run_checkpoint_path(orthant_context *context, const char *folder,
                                           char **path)
{
    if (path)
        *path = NULL;
    const orthant_status refused = entry_check(context, folder && path, __func__);
    if (refused)
        return refused;
    staging stage = {.ctx = context};
    char *above = NULL;
    const char *name;
    orthant_status status = find_target(context, folder, &stage.target);
    if (!status && !*stage.target)
        status = fail(context, ORTHANT_ERROR_ARGUMENT, "the run's folder has no name");
    if (!status)
        status = split_target(&stage, &above, &name);
    if (!status && must_stage_inside(stage.target, above)) {
        *path = path_join(context, stage.target, CHECKPOINT);
    } else if (!status) {
        const size_t bytes = strlen(stage.target) + sizeof "." CHECKPOINT;
        if ((*path = memory_new(context, (int64_t)bytes, 1, "a file's name")))
            snprintf(*path, bytes, "%s." CHECKPOINT, stage.target);
    }
    memory_free(context, above);
    memory_free(context, stage.target);
    return status ? status : *path ? ORTHANT_OK : ORTHANT_ERROR_MEMORY;
}

/* Makes the folder to write to; `name` is the user's word for the place. */
static orthant_status make_private(staging *stage, const char *name)
{
    const size_t bytes = strlen(stage->target) + PART_BYTES;
    char *base = stage->inside ? path_join(stage->ctx, stage->target, "")
                               : memory_text(stage->ctx, stage->target);
    stage->path = memory_new(stage->ctx, (int64_t)bytes + 1, 1, "a folder's name");
    orthant_status status = base && stage->path ? ORTHANT_OK : ORTHANT_ERROR_MEMORY;
    for (int attempt = 0; attempt < 100 && !status && stage->lock < 0; attempt++) {
        part_name(stage->path, bytes + 1, base, attempt);
        if (mkdir(stage->path, 0777)) {
            if (errno != EEXIST || attempt == 99)
                status = folder_fail(stage->ctx, name, errno);
            continue;
        }
        stage->lock = open(stage->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (stage->lock < 0 && errno != ENOENT) {
            status = folder_fail(stage->ctx, name, errno);
            rmdir(stage->path);
        } else if (stage->lock >= 0 && !part_lock(stage->lock, stage->path)) {
            close(stage->lock);
            stage->lock = -1;
        }
    }
    if (!status && stage->lock < 0)
        status = folder_fail(stage->ctx, name, EBUSY);
    if (status) {
        memory_free(stage->ctx, stage->path);
        stage->path = NULL;
    }
    memory_free(stage->ctx, base);
    return status;
}

orthant_status staging_begin(orthant_context *ctx, const char *folder, staging *stage)
{
    char *above = NULL;
    const char *name = NULL;
    *stage = (staging){.ctx = ctx, .lock = -1};
    orthant_status status = find_target(ctx, folder, &stage->target);
    if (!status)
        status = check_target(ctx, stage->target);
    if (!status)
        status = make_parents(stage);
    if (!status)
        status = split_target(stage, &above, &name);
    if (!status) {
        sweep(ctx, above, name, 0);
        sweep(ctx, stage->target, NULL, 0);
        stage->inside = must_stage_inside(stage->target, above);
        status = make_private(stage, folder);
    }
    memory_free(ctx, above);
    return status ? staging_end(stage, status) : ORTHANT_OK;
}

/* In one step, where the file system can exchange two folders. */
static bool exchange(const staging *stage)
{
    struct stat about;
    if (stage->inside)
        return false;
    if (!stat(stage->target, &about))
        chmod(stage->path, about.st_mode & 07777);
    return !renameat2(AT_FDCWD, stage->path, AT_FDCWD, stage->target, RENAME_EXCHANGE);
}

static orthant_status publish(staging *stage)
{
    json_value *earlier = NULL;
    /* Where nothing is there, or an empty folder. */
    if (!stage->inside && !rename(stage->path, stage->target))
        return ORTHANT_OK;
    if (!stage->inside && errno != ENOTEMPTY && errno != EEXIST)
        return folder_fail(stage->ctx, stage->target, errno);
    orthant_status status = check_target(stage->ctx, stage->target);
    if (!status)
        status = run_read_json(stage->ctx, stage->target, &earlier);
    if (!status && exchange(stage)) {
        run_retire(stage->path, earlier, stage->target);
    } else if (!status) {
        status = run_move_in(stage->ctx, stage->path, earlier, stage->target);
        staged_remove(AT_FDCWD, stage->path);
    }
    json_free(stage->ctx, earlier);
    return status;
}

/* The message speaks of the run's folder, not of the one that goes away. */
static void name_target(const staging *stage)
{
    char told[sizeof stage->ctx->message];
    memcpy(told, stage->ctx->message, sizeof told);
    const char *found = stage->path ? strstr(told, stage->path) : NULL;
    if (found)
        snprintf(stage->ctx->message, sizeof stage->ctx->message, "%.*s%s%s", (int)(found - told),
                 told, stage->target, found + strlen(stage->path));
}

orthant_status staging_end(staging *stage, orthant_status status)
{
    if (status)
        name_target(stage);
    else
        status = publish(stage);
    if (status && stage->path)
        staged_remove(AT_FDCWD, stage->path);
    if (status)
        remove_parents(stage);
    if (stage->lock >= 0)
        close(stage->lock);
    memory_free(stage->ctx, stage->path);
    memory_free(stage->ctx, stage->target);
    *stage = (staging){.ctx = stage->ctx, .lock = -1};
    return status;
}

/* ---- claiming ---------------------------------------------------------------------------------
 */

/* A claim is a folder that is being written, which nobody writes to: its lock is what others see.
 */
struct orthant_run_claim {
    staging stage;
};

/* Whether another process writes what is to have that name in `folder`; "": the folder itself. */
static bool is_being_written(const char *folder, const char *whole)
{
    bool held = false;
    DIR *open = opendir(folder);
    for (struct dirent *entry; open && !held && (entry = readdir(open));) {
        const int length = part_whole(entry->d_name);
        held = length >= 0 && strlen(whole) == (size_t)length &&
               !strncmp(whole, entry->d_name, (size_t)length) &&
               part_is_held(dirfd(open), entry->d_name);
    }
    if (open)
        closedir(open);
    return held;
}

/* Refuses a target that holds a run, or that another process is at work on. */
static orthant_status check_claim(orthant_context *ctx, const char *folder, bool replace)
{
    staging stage = {.ctx = ctx};
    char *above = NULL;
    const char *name;
    bool is_run = false;
    orthant_status status = find_target(ctx, folder, &stage.target);
    if (!status)
        status = split_target(&stage, &above, &name);
    if (!status && (is_being_written(above, name) || is_being_written(stage.target, "")))
        status = fail(ctx, ORTHANT_ERROR_IO, "%s: another process is at work on this run", folder);
    if (!status)
        status = folder_is_run(ctx, stage.target, &is_run);
    if (!status && is_run && !replace)
        status =
            fail(ctx, ORTHANT_ERROR_ARGUMENT, "%s: holds a run already; give another name", folder);
    memory_free(ctx, above);
    memory_free(ctx, stage.target);
    return status;
}

orthant_status orthant_run_claim_take(orthant_context *context, const char *folder, bool replace,
                                      orthant_run_claim **claim)
{
    if (claim)
        *claim = NULL;
    const orthant_status refused = entry_check(context, folder && claim, __func__);
    if (refused)
        return refused;
    orthant_run_claim *made = NULL;
    orthant_status status = orthant_run_check(context, folder);
    if (!status)
        status = check_claim(context, folder, replace);
    if (!status && !(made = memory_new(context, 1, sizeof *made, "a claim on a folder")))
        status = ORTHANT_ERROR_MEMORY;
    if (!status)
        status = staging_begin(context, folder, &made->stage);
    if (status)
        memory_free(context, made);
    else
        *claim = made;
    return status;
}

const char *orthant_run_claim_folder(const orthant_run_claim *claim)
{
    return claim ? claim->stage.path : NULL;
}

void orthant_run_claim_free(orthant_run_claim *claim)
{
    if (!claim)
        return;
    orthant_context *ctx = claim->stage.ctx;
    staging_end(&claim->stage, ORTHANT_STOPPED);
    memory_free(ctx, claim);
}
