/* Which files are a run's own, and how a finished folder replaces an earlier one. */
#include "report/replace.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/file.h"
#include "core/memory.h"
#include "core/part.h"
#include "report/chart.h"
#include "report/contents.h"
#include "report/folder.h"
#include "report/json.h"
#include "report/text_file.h"

#define RUN_JSON "run.json"

/* ---- whose files ------------------------------------------------------------------------------
 */

static bool has_ending(const char *name, const char *const *endings, size_t count)
{
    char ending[16];
    file_ending(name, ending);
    for (size_t i = 0; i < count; i++)
        if (strcmp(ending, endings[i]) == 0)
            return true;
    return false;
}

/* What charts are made of. */
static bool is_chart(const char *name)
{
    static const char *const endings[] = {"gp", "svg", "csv", "part"};
    return has_ending(name, endings, sizeof endings / sizeof *endings) || part_whole(name) >= 0;
}

/* What a run may write: a folder with others is not ours alone. */
static bool is_written(const char *name)
{
    static const char *const endings[] = {"json", "html", "png", "npy", "ply"};
    return has_ending(name, endings, sizeof endings / sizeof *endings) || is_chart(name);
}

static bool is_listed(const json_value *list, const char *name, const char *ending)
{
    for (const json_value *f = list ? list->child : NULL; f; f = f->next) {
        const size_t length = f->kind == JSON_TEXT ? strlen(f->text) : 0;
        if (length && !strncmp(f->text, name, length) && !strcmp(name + length, ending))
            return true;
    }
    return false;
}

/* A file of the run that `json` describes. */
static bool is_own(const json_value *json, const char *name)
{
    static const char *const always[] = {
        RUN_JSON,    "report.html", "labels.csv", "truth.csv",    "samples.csv", "words.csv",
        "basis.csv", "scale.npy",   "basis.png",  "encoding.png", "history.csv", "consensus.csv"};
    for (size_t i = 0; i < sizeof always / sizeof *always; i++)
        if (strcmp(name, always[i]) == 0)
            return true;
    if (part_whole(name) >= 0)
        return true;
    return is_written(name) &&
           (contents_has(json, name) || is_listed(json_member(json, "factors"), name, ".npy") ||
            is_listed(json_member(json, "files"), name, ""));
}

/* ---- removing ---------------------------------------------------------------------------------
 */

static DIR *open_folder(int at, const char *name)
{
    const int opened = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *open = opened >= 0 ? fdopendir(opened) : NULL;
    if (!open && opened >= 0)
        close(opened);
    return open;
}

void staged_remove(int at, const char *name)
{
    DIR *open = open_folder(at, name);
    for (struct dirent *entry; open && (entry = readdir(open));) {
        if (!folder_is_entry(entry->d_name))
            continue;
        if (strcmp(entry->d_name, CHART_FOLDER) == 0)
            staged_remove(dirfd(open), entry->d_name);
        else if (is_written(entry->d_name))
            unlinkat(dirfd(open), entry->d_name, 0);
    }
    if (open)
        closedir(open);
    unlinkat(at, name, AT_REMOVEDIR);
}

/* ---- the user's files -------------------------------------------------------------------------
 */

typedef bool (*whose)(const json_value *json, const char *name);

static bool is_own_chart(const json_value *json, const char *name)
{
    (void)json;
    return is_chart(name);
}

/* The entries of `from` that are not the run's to `to` (-1: there is no such folder), where nothing
 * has their name. False where one stays. */
static bool move_foreign(DIR *from, int to, const json_value *json, whose is_ours)
{
    bool moved = true;
    struct stat about;
    rewinddir(from);
    for (struct dirent *entry; (entry = readdir(from));) {
        const char *name = entry->d_name;
        if (!folder_is_entry(name) || is_ours(json, name) || !strcmp(name, CHART_FOLDER))
            continue;
        if (to < 0)
            moved = false;
        else if (fstatat(to, name, &about, AT_SYMLINK_NOFOLLOW) &&
                 renameat(dirfd(from), name, to, name) && errno != ENOENT)
            moved = false;
    }
    return moved;
}

static bool has_foreign(DIR *from, const json_value *json, whose is_ours)
{
    return !move_foreign(from, -1, json, is_ours);
}

static bool rescue(DIR *old, int target, const json_value *json)
{
    bool moved = move_foreign(old, target, json, is_own);
    DIR *charts = open_folder(dirfd(old), CHART_FOLDER);
    if (charts && has_foreign(charts, NULL, is_own_chart)) {
        if (target >= 0)
            mkdirat(target, CHART_FOLDER, 0777);
        const int to =
            target >= 0 ? openat(target, CHART_FOLDER, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
        moved = move_foreign(charts, to, NULL, is_own_chart) && moved;
        if (to >= 0)
            close(to);
    }
    if (charts)
        closedir(charts);
    return moved;
}

orthant_status run_read_json(orthant_context *ctx, const char *folder, json_value **json)
{
    char *path = path_join(ctx, folder, RUN_JSON);
    *json = NULL;
    const orthant_status status = path ? json_read(ctx, path, json) : ORTHANT_ERROR_MEMORY;
    memory_free(ctx, path);
    return status == ORTHANT_ERROR_MEMORY ? status : ORTHANT_OK;
}

void run_retire(const char *old, const json_value *json, const char *target)
{
    struct stat about;
    DIR *open = open_folder(AT_FDCWD, old);
    const int to = target ? openat(AT_FDCWD, target, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    /* Without a run.json it is a folder that was being written, or an empty one. */
    const bool unfinished = open && fstatat(dirfd(open), RUN_JSON, &about, 0) && errno == ENOENT;
    if (open && (unfinished || rescue(open, to, json)))
        staged_remove(AT_FDCWD, old);
    if (to >= 0)
        close(to);
    if (open)
        closedir(open);
}

/* ---- one by one -------------------------------------------------------------------------------
 */

/* Files of the earlier run that the new one, in `from`, does not have; of the charts all. */
static void remove_stale(int from, const char *target, const json_value *earlier)
{
    struct stat about;
    DIR *open = open_folder(AT_FDCWD, target), *charts;
    for (struct dirent *entry; open && (entry = readdir(open));)
        if (strcmp(entry->d_name, RUN_JSON) && is_own(earlier, entry->d_name) &&
            part_whole(entry->d_name) < 0 &&
            fstatat(from, entry->d_name, &about, AT_SYMLINK_NOFOLLOW))
            unlinkat(dirfd(open), entry->d_name, 0);
    charts = open ? open_folder(dirfd(open), CHART_FOLDER) : NULL;
    for (struct dirent *entry; charts && (entry = readdir(charts));)
        if (folder_is_entry(entry->d_name) && is_chart(entry->d_name))
            unlinkat(dirfd(charts), entry->d_name, 0);
    if (charts)
        closedir(charts);
    if (open)
        closedir(open);
}

static orthant_status move_files(orthant_context *ctx, DIR *from, int to, const char *shown)
{
    for (struct dirent *entry; (entry = readdir(from));) {
        const char *name = entry->d_name;
        if (!folder_is_entry(name) || !strcmp(name, CHART_FOLDER))
            continue;
        if (renameat(dirfd(from), name, to, name))
            return folder_fail(ctx, shown, errno);
    }
    return ORTHANT_OK;
}

static orthant_status move_charts(orthant_context *ctx, DIR *from, int to, const char *shown)
{
    orthant_status status = ORTHANT_OK;
    DIR *charts = open_folder(dirfd(from), CHART_FOLDER);
    if (!charts)
        return ORTHANT_OK;
    if (mkdirat(to, CHART_FOLDER, 0777) && errno != EEXIST)
        status = folder_fail(ctx, shown, errno);
    const int into = openat(to, CHART_FOLDER, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (!status && into < 0)
        status = folder_fail(ctx, shown, errno);
    if (!status)
        status = move_files(ctx, charts, into, shown);
    if (into >= 0)
        close(into);
    closedir(charts);
    return status;
}

orthant_status run_move_in(orthant_context *ctx, const char *from, const json_value *earlier,
                           const char *target)
{
    DIR *open = open_folder(AT_FDCWD, from);
    const int to = openat(AT_FDCWD, target, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    orthant_status status = ORTHANT_OK;
    if (!open || to < 0 || renameat(dirfd(open), RUN_JSON, to, RUN_JSON))
        status = folder_fail(ctx, target, errno);
    if (!status) {
        remove_stale(dirfd(open), target, earlier);
        rewinddir(open);
        status = move_files(ctx, open, to, target);
    }
    if (!status)
        status = move_charts(ctx, open, to, target);
    if (to >= 0)
        close(to);
    if (open)
        closedir(open);
    return status;
}
