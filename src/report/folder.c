#include "report/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/file.h"
#include "core/memory.h"
#include "orthant/run.h"
#include "report/chart.h"
#include "report/json.h"
#include "report/text_file.h"

#define STAGING_PREFIX ".part-"

static orthant_status fail_folder(orthant_context *ctx, const char *folder, int error)
{
    char reason[128];
    if (error == ENOSPC || error == EDQUOT)
        return fail(ctx, ORTHANT_ERROR_IO, "%s: cannot be written: the disk is full", folder);
    if (error == EACCES || error == EPERM || error == EROFS)
        return fail(ctx, ORTHANT_ERROR_IO, "%s: cannot be written: the folder is read-only",
                    folder);
    if (strerror_r(error, reason, sizeof reason) != 0)
        snprintf(reason, sizeof reason, "error %d", error);
    return fail(ctx, ORTHANT_ERROR_IO, "%s: cannot be written: %s", folder, reason);
}

/* A copy without the slashes at the end. */
static char *plain_path(orthant_context *ctx, const char *folder)
{
    char *path = memory_text(ctx, folder);
    for (size_t length = path ? strlen(path) : 0; length > 1 && path[length - 1] == '/'; length--)
        path[length - 1] = '\0';
    return path;
}

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

static bool is_entry(const char *name)
{
    return strcmp(name, ".") && strcmp(name, "..");
}

bool folder_is_empty(const char *folder)
{
    DIR *open = opendir(folder);
    bool empty = open != NULL;
    for (struct dirent *entry; empty && (entry = readdir(open));)
        empty = !is_entry(entry->d_name) ||
                !strncmp(entry->d_name, STAGING_PREFIX, strlen(STAGING_PREFIX));
    if (open)
        closedir(open);
    return empty;
}

/* An existing target must be a folder that holds a run or nothing. */
static orthant_status check_target(orthant_context *ctx, const char *target)
{
    bool is_run;
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
    if (!is_run && !folder_is_empty(target))
        return fail(
            ctx, ORTHANT_ERROR_ARGUMENT,
            "%s: holds files but no run.json; give a new folder, an empty one, or an earlier "
            "run to replace",
            target);
    return ORTHANT_OK;
}

/* Makes a folder of our own inside of, or beside, `base`; `name` is the user's word for the place.
 */
static orthant_status make_private(orthant_context *ctx, const char *name, const char *base,
                                   bool inside, char **made)
{
    const size_t room = strlen(base) + 64;
    *made = memory_new(ctx, (int64_t)room, 1, "a folder's name");
    if (!*made)
        return ORTHANT_ERROR_MEMORY;
    for (int attempt = 0; attempt < 100; attempt++) {
        snprintf(*made, room, "%s%s" STAGING_PREFIX "%ld-%d", base, inside ? "/" : "",
                 (long)getpid(), attempt);
        if (mkdir(*made, 0777) == 0)
            return ORTHANT_OK;
        if (errno != EEXIST)
            break;
    }
    const orthant_status status = fail_folder(ctx, name, errno);
    memory_free(ctx, *made);
    *made = NULL;
    return status;
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

orthant_status orthant_run_check(orthant_context *context, const char *folder)
{
    char *made = NULL;
    char *path = plain_path(context, folder);
    if (!path)
        return ORTHANT_ERROR_MEMORY;
    orthant_status status = check_target(context, path);
    while (!status && !file_exists(path) && strcmp(path, ".") && strcmp(path, "/"))
        cut_last_part(path);
    if (!status && !file_is_folder(path))
        status = fail(context, ORTHANT_ERROR_IO, "%s: cannot be written: '%s' is not a folder",
                      folder, path);
    if (!status)
        status = make_private(context, folder, path, true, &made);
    if (made)
        rmdir(made);
    memory_free(context, made);
    memory_free(context, path);
    return status;
}

static orthant_status make_parents(staging *stage)
{
    for (char *slash = strchr(stage->target + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        const int failed = mkdir(stage->target, 0777) ? errno : 0;
        if (!failed && !stage->made_from)
            stage->made_from = strlen(stage->target);
        const bool usable = !failed || file_is_folder(stage->target);
        const orthant_status status =
            usable ? ORTHANT_OK : fail_folder(stage->ctx, stage->target, failed);
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

/* Removes the folder `name` in the open folder `at`, with its files and the charts' folder in it;
 * needs no memory, which may be what ran out. */
static void remove_folder(int at, const char *name)
{
    const int opened = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *open = opened >= 0 ? fdopendir(opened) : NULL;
    if (!open && opened >= 0)
        close(opened);
    for (struct dirent *entry; open && (entry = readdir(open));)
        if (is_entry(entry->d_name)) {
            if (strcmp(entry->d_name, CHART_FOLDER) == 0)
                remove_folder(dirfd(open), entry->d_name);
            else
                unlinkat(dirfd(open), entry->d_name, 0);
        }
    if (open)
        closedir(open);
    unlinkat(at, name, AT_REMOVEDIR);
}

/* "5.part-1234-0": what a run or a file has for a name while it is written. */
static bool is_part(const char *name)
{
    const char *part = strstr(name, STAGING_PREFIX);
    const size_t process = part ? strspn(part + strlen(STAGING_PREFIX), "0123456789") : 0;
    const char *rest = part ? part + strlen(STAGING_PREFIX) + process : "";
    return process && *rest == '-' && rest[1] && !rest[1 + strspn(rest + 1, "0123456789")];
}

static void remove_parts(int at, const char *name, int depth)
{
    const int opened = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *open = opened >= 0 ? fdopendir(opened) : NULL;
    if (!open && opened >= 0)
        close(opened);
    for (struct dirent *entry; open && (entry = readdir(open));) {
        if (!is_entry(entry->d_name))
            continue;
        if (!is_part(entry->d_name)) {
            if (depth > 0)
                remove_parts(dirfd(open), entry->d_name, depth - 1);
        } else if (unlinkat(dirfd(open), entry->d_name, 0)) {
            remove_folder(dirfd(open), entry->d_name);
        }
    }
    if (open)
        closedir(open);
}

void folder_remove_parts(const char *folder, int depth)
{
    remove_parts(AT_FDCWD, folder, depth);
}

orthant_status folder_make(orthant_context *ctx, const char *folder)
{
    staging stage = {.ctx = ctx, .target = plain_path(ctx, folder)};
    orthant_status status = stage.target ? make_parents(&stage) : ORTHANT_ERROR_MEMORY;
    const int failed = !status && mkdir(stage.target, 0777) ? errno : 0;
    if (failed && !file_is_folder(stage.target))
        status = fail_folder(ctx, folder, failed);
    memory_free(ctx, stage.target);
    return status;
}

/* A file of the earlier run that the new one does not have. */
static void remove_stale(staging *stage, const char *name)
{
    char *path = path_join(stage->ctx, stage->target, name);
    char *renewed = path_join(stage->ctx, stage->path, name);
    if (path && renewed && !file_exists(renewed))
        unlink(path);
    memory_free(stage->ctx, renewed);
    memory_free(stage->ctx, path);
}

static bool is_made_here(const char *name)
{
    static const char *const endings[] = {"png", "npy", "ply", "gp", "svg", "csv"};
    char ending[16];
    file_ending(name, ending);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (strcmp(ending, endings[i]) == 0)
            return true;
    return false;
}

/* The names in a list of run.json, with `ending` behind them. The list comes from a file: a name
 * with a slash must not lead elsewhere, and other files than a run's stay. */
static void remove_listed(staging *stage, const json_value *list, const char *ending)
{
    for (const json_value *f = list ? list->child : NULL; f; f = f->next) {
        char name[64];
        if (f->kind != JSON_TEXT || strlen(f->text) > 40 || f->text[0] == '.' ||
            strspn(f->text, "abcdefghijklmnopqrstuvwxyz0123456789_-.") != strlen(f->text))
            continue;
        snprintf(name, sizeof name, "%s%s", f->text, ending);
        if (is_made_here(name))
            remove_stale(stage, name);
    }
}

static void remove_earlier_run(staging *stage)
{
    static const char *const optional[] = {"labels.csv",   "truth.csv",  "samples.csv",
                                           "words.csv",    "scale.npy",  "basis.png",
                                           "encoding.png", "history.csv"};
    json_value *earlier = NULL;
    char *path = path_join(stage->ctx, stage->target, "run.json");
    if (path && file_exists(path))
        json_read(stage->ctx, path, &earlier);
    remove_listed(stage, json_member(earlier, "factors"), ".npy");
    remove_listed(stage, json_member(earlier, "files"), "");
    for (size_t i = 0; i < sizeof optional / sizeof *optional; i++)
        remove_stale(stage, optional[i]);
    json_free(stage->ctx, earlier);
    memory_free(stage->ctx, path);
}

/* Charts of the earlier run, by their endings: what else lies in their folder stays. */
static void remove_charts(staging *stage)
{
    char *path = path_join(stage->ctx, stage->target, CHART_FOLDER);
    DIR *open = path ? opendir(path) : NULL;
    for (struct dirent *entry; open && (entry = readdir(open));)
        if (is_entry(entry->d_name) && is_made_here(entry->d_name))
            unlinkat(dirfd(open), entry->d_name, 0);
    if (open)
        closedir(open);
    memory_free(stage->ctx, path);
}

static orthant_status move_file(staging *stage, const char *name)
{
    char *from = path_join(stage->ctx, stage->path, name);
    char *to = path_join(stage->ctx, stage->target, name);
    orthant_status status = from && to ? ORTHANT_OK : ORTHANT_ERROR_MEMORY;
    if (!status && rename(from, to) != 0)
        status = fail_folder(stage->ctx, to, errno);
    memory_free(stage->ctx, from);
    memory_free(stage->ctx, to);
    return status;
}

/* Every file in the staging folder's `inside` ("." or that of the charts), run.json last. */
static orthant_status move_files(staging *stage, const char *inside)
{
    orthant_status status = ORTHANT_OK;
    char *path = path_join(stage->ctx, stage->path, inside);
    char *to = path_join(stage->ctx, stage->target, inside);
    DIR *open = path ? opendir(path) : NULL;
    if (!path || !to)
        status = ORTHANT_ERROR_MEMORY;
    else if (!open)
        status = fail_folder(stage->ctx, stage->path, errno);
    else if (mkdir(to, 0777) != 0 && errno != EEXIST)
        status = fail_folder(stage->ctx, to, errno);
    for (struct dirent *entry; !status && (entry = readdir(open));) {
        char name[300];
        if (!is_entry(entry->d_name) || strcmp(entry->d_name, "run.json") == 0)
            continue;
        snprintf(name, sizeof name, "%s/%s", inside, entry->d_name);
        status = strcmp(entry->d_name, CHART_FOLDER) == 0 ? move_files(stage, CHART_FOLDER)
                                                          : move_file(stage, name);
    }
    if (open)
        closedir(open);
    memory_free(stage->ctx, to);
    memory_free(stage->ctx, path);
    return status;
}

static orthant_status publish(staging *stage)
{
    if (stage->replaces) {
        remove_earlier_run(stage);
        remove_charts(stage);
        const orthant_status status = move_files(stage, ".");
        return status ? status : move_file(stage, "run.json");
    }
    if (rename(stage->path, stage->target) != 0)
        return fail_folder(stage->ctx, stage->target, errno);
    return ORTHANT_OK;
}

orthant_status staging_begin(orthant_context *ctx, const char *folder, staging *stage)
{
    *stage = (staging){.ctx = ctx, .target = plain_path(ctx, folder)};
    orthant_status status = stage->target ? check_target(ctx, stage->target) : ORTHANT_ERROR_MEMORY;
    if (!status) {
        stage->replaces = file_exists(stage->target);
        status = make_parents(stage);
    }
    if (!status)
        status = make_private(ctx, folder, stage->target, stage->replaces, &stage->path);
    return status ? staging_end(stage, status) : ORTHANT_OK;
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
    if (!status)
        status = publish(stage);
    if (stage->path && (status || stage->replaces))
        remove_folder(AT_FDCWD, stage->path);
    if (status)
        remove_parents(stage);
    memory_free(stage->ctx, stage->path);
    memory_free(stage->ctx, stage->target);
    stage->path = stage->target = NULL;
    return status;
}
