/* Lists, hashes and checks the files of a run. */
#include "report/contents.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/file.h"
#include "core/file_checksum.h"
#include "core/memory.h"
#include "report/folder.h"
#include "report/text_file.h"

#define MEMBER "contents"

/* ---- writing ----------------------------------------------------------------------------------
 */

typedef struct name_list {
    orthant_context *ctx;
    char **name;
    int count, capacity;
} name_list;

static int by_name(const void *left, const void *right)
{
    return strcmp(*(char *const *)left, *(char *const *)right);
}

static bool is_remade(const char *name)
{
    return !strcmp(name, "words.csv") || !strcmp(name, "report.html") || !strcmp(name, "run.json");
}

static orthant_status add_name(name_list *list, const char *name)
{
    if (list->count == list->capacity) {
        const int capacity = list->capacity ? 2 * list->capacity : 16;
        char **names =
            memory_resize(list->ctx, list->name, capacity, sizeof *names, "a run's files");
        if (!names)
            return ORTHANT_ERROR_MEMORY;
        list->name = names;
        list->capacity = capacity;
    }
    list->name[list->count] = memory_text(list->ctx, name);
    return list->name[list->count] ? (list->count++, ORTHANT_OK) : ORTHANT_ERROR_MEMORY;
}

/* Results have an ending; folders, which are the charts', have none. */
static orthant_status list_file(void *user, const char *folder, const char *name)
{
    (void)folder;
    return strchr(name, '.') && !is_remade(name) ? add_name(user, name) : ORTHANT_OK;
}

static orthant_status list_files(const char *folder, name_list *list)
{
    const orthant_status status = folder_each(list->ctx, folder, list_file, list);
    if (list->count)
        qsort(list->name, (size_t)list->count, sizeof *list->name, by_name);
    return status;
}

static orthant_status describe_file(orthant_context *ctx, const char *folder, const char *name,
                                    json_writer *json)
{
    char digest[65] = "", *path = path_join(ctx, folder, name);
    int64_t bytes = 0;
    orthant_status status = path ? file_size(ctx, path, &bytes) : ORTHANT_ERROR_MEMORY;
    if (!status)
        status = file_sha256(ctx, path, digest);
    if (!status) {
        json_open_object(json, name);
        json_integer(json, "bytes", bytes);
        json_text(json, "sha256", digest);
        json_close(json);
    }
    memory_free(ctx, path);
    return status;
}

orthant_status contents_describe(orthant_context *ctx, const char *folder, json_writer *json)
{
    name_list list = {.ctx = ctx};
    orthant_status status = list_files(folder, &list);
    json_open_object(json, MEMBER);
    for (int i = 0; i < list.count && !status; i++)
        status = describe_file(ctx, folder, list.name[i], json);
    json_close(json);
    for (int i = 0; i < list.count; i++)
        memory_free(ctx, list.name[i]);
    memory_free(ctx, list.name);
    return status;
}

/* ---- reading ----------------------------------------------------------------------------------
 */

bool contents_has(const json_value *run, const char *name)
{
    return json_member(json_member(run, MEMBER), name) != NULL;
}

static orthant_status refuse(orthant_context *ctx, const char *folder, const char *name)
{
    return fail(
        ctx, ORTHANT_ERROR_DATA,
        "%s: %s is not the file that run.json was written with: a run that was cut off while "
        "it replaced another, or a file that was changed; make the run again",
        folder, name);
}

static orthant_status check_size(orthant_context *ctx, const char *folder, const json_value *known,
                                 const char *path)
{
    int64_t bytes = 0;
    const orthant_status status = file_size(ctx, path, &bytes);
    if (status)
        return status;
    return (double)bytes == json_member_number(known, "bytes") ? ORTHANT_OK
                                                               : refuse(ctx, folder, known->key);
}

orthant_status contents_find(orthant_context *ctx, const char *folder, const json_value *run,
                             const char *name, char **path)
{
    char digest[65];
    const json_value *all = json_member(run, MEMBER), *known = json_member(all, name);
    *path = path_join(ctx, folder, name);
    file_presence kind = FILE_MISSING;
    orthant_status status = *path ? file_look(ctx, *path, &kind) : ORTHANT_ERROR_MEMORY;
    const bool there = !status && kind != FILE_MISSING && (known || !all);
    if (there && known) {
        status = check_size(ctx, folder, known, *path);
        if (!status)
            status = file_sha256(ctx, *path, digest);
        if (!status && strcmp(json_member_text(known, "sha256", ""), digest))
            status = refuse(ctx, folder, name);
    }
    if (status || !there) {
        memory_free(ctx, *path);
        *path = NULL;
    }
    return status;
}

orthant_status contents_check_sizes(orthant_context *ctx, const char *folder, const json_value *run)
{
    const json_value *all = json_member(run, MEMBER);
    orthant_status status = ORTHANT_OK;
    for (const json_value *file = all ? all->child : NULL; file && !status; file = file->next) {
        /* The list comes from a file: a name must not lead elsewhere. */
        if (!file->key || strchr(file->key, '/'))
            continue;
        char *path = path_join(ctx, folder, file->key);
        file_presence kind = FILE_MISSING;
        status = path ? file_look(ctx, path, &kind) : ORTHANT_ERROR_MEMORY;
        if (!status && kind != FILE_MISSING)
            status = check_size(ctx, folder, file, path);
        memory_free(ctx, path);
    }
    return status;
}
