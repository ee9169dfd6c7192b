/* Walks through a folder: its pictures, or a subfolder for each class. */
#include "data/picture_list.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/file.h"
#include "core/memory.h"
#include "data/image.h"

static int is_shown(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

void picture_list_free(picture_list *list)
{
    for (int64_t i = 0; i < list->count; i++)
        memory_free(list->ctx, list->paths[i]);
    memory_free(list->ctx, list->paths);
    memory_free(list->ctx, list->labels);
    names_free(list->ctx, &list->class_names);
    *list = (picture_list){.ctx = list->ctx};
}

orthant_status picture_list_add(picture_list *list, char *path, int64_t label)
{
    if (list->count == list->capacity) {
        const int64_t capacity = 2 * list->capacity + 64;
        char **paths =
            memory_resize(list->ctx, list->paths, capacity, sizeof *paths, "the names of pictures");
        if (paths)
            list->paths = paths;
        int64_t *labels =
            paths ? memory_resize(list->ctx, list->labels, capacity, sizeof *labels, "labels")
                  : NULL;
        if (!labels) {
            memory_free(list->ctx, path);
            return ORTHANT_ERROR_MEMORY;
        }
        list->labels = labels;
        list->capacity = capacity;
    }
    list->paths[list->count] = path;
    list->labels[list->count++] = label;
    return ORTHANT_OK;
}

static char *join(orthant_context *ctx, const char *folder, const char *name)
{
    const size_t length = strlen(folder);
    const bool slash = length > 0 && folder[length - 1] == '/';
    const size_t bytes = length + strlen(name) + 2;
    char *path = memory_new(ctx, (int64_t)bytes, 1, "a file's name");
    if (path)
        snprintf(path, bytes, "%s%s%s", folder, slash ? "" : "/", name);
    return path;
}

/* Calls `visit` with the path of each entry of a folder in the order of the names. */
typedef orthant_status (*visitor)(void *user, char *path);
static orthant_status visit_folder(orthant_context *ctx, const char *folder, visitor visit,
                                   void *user)
{
    struct dirent **entries = NULL;
    orthant_status status = ORTHANT_OK;
    const int count = scandir(folder, &entries, is_shown, by_name);
    if (count < 0)
        return file_fail_read(ctx, folder, errno);
    for (int i = 0; i < count; i++) {
        char *path = status == ORTHANT_OK ? join(ctx, folder, entries[i]->d_name) : NULL;
        if (status == ORTHANT_OK)
            status = path ? visit(user, path) : ORTHANT_ERROR_MEMORY;
        free(entries[i]);
    }
    free(entries);
    return status;
}

typedef struct gathering {
    picture_list *list;
    int64_t label;
} gathering;

static bool is_wanted(const picture_list *list, const char *path)
{
    return list->any_file || image_is_image(path);
}

/* One more of those that are told by their number and the first. */
static void count_entry(int64_t *count, char first[256], const char *path)
{
    if ((*count)++ == 0)
        snprintf(first, 256, "%s", path);
}

/* Pictures of one folder; anything else in it is counted as left out. */
static orthant_status gather_picture(void *user, char *path)
{
    gathering *into = user;
    file_presence there;
    const orthant_status status = file_look(into->list->ctx, path, &there);
    if (!status && there != FILE_FOLDER && is_wanted(into->list, path))
        return picture_list_add(into->list, path, into->label);
    if (!status)
        count_entry(&into->list->left_out, into->list->first_left_out, path);
    memory_free(into->list->ctx, path);
    return status;
}

static orthant_status gather_folder(picture_list *list, const char *folder, int64_t label)
{
    gathering into = {.list = list, .label = label};
    return visit_folder(list->ctx, folder, gather_picture, &into);
}

/* One note for a whole folder, however many subfolders it has. */
static void tell_left_out(const picture_list *list, const char *folder)
{
    const char *what = list->any_file ? "files" : "pictures";
    if (list->left_out > 0)
        log_note(list->ctx, "%s: %" PRId64 " entries that are no %s are left out, '%s' first",
                 folder, list->left_out, what, list->first_left_out);
    if (list->beside > 0)
        log_note(list->ctx,
                 "%s: %" PRId64 " %s beside the subfolders, which are the classes, are left out, "
                 "'%s' first",
                 folder, list->beside, what, list->first_beside);
    if (list->empty > 0)
        log_note(list->ctx, "%s: %" PRId64 " subfolders without %s are no class, '%s' first",
                 folder, list->empty, what, list->first_empty);
}

typedef struct class_gathering {
    picture_list *list;
    int64_t classes;
} class_gathering;

/* A subfolder with pictures is the next class. */
static orthant_status gather_class(void *user, char *path)
{
    class_gathering *into = user;
    file_presence there;
    orthant_status status = file_look(into->list->ctx, path, &there);
    if (!status && there == FILE_FOLDER) {
        const int64_t before = into->list->count;
        status = gather_folder(into->list, path, into->classes);
        if (into->list->count > before) {
            const char *slash = strrchr(path, '/');
            into->classes++;
            if (!status)
                status =
                    names_add(into->list->ctx, &into->list->class_names, slash ? slash + 1 : path);
        } else {
            count_entry(&into->list->empty, into->list->first_empty, path);
        }
    } else if (!status && is_wanted(into->list, path)) {
        count_entry(&into->list->beside, into->list->first_beside, path);
    }
    memory_free(into->list->ctx, path);
    return status;
}

orthant_status picture_list_folder(picture_list *list, const char *folder)
{
    class_gathering into = {.list = list};
    orthant_status status = visit_folder(list->ctx, folder, gather_class, &into);
    list->classes = into.classes;
    if (status == ORTHANT_OK && into.classes == 0) {
        list->left_out = list->empty = list->beside = 0;
        status = gather_folder(list, folder, -1);
    }
    if (status == ORTHANT_OK && list->count == 0)
        status = fail(list->ctx, ORTHANT_ERROR_DATA,
                      list->any_file ? "%s: no files in the folder or its subfolders"
                                     : "%s: no pictures in the folder or its subfolders: expected "
                                       "PNG, JPEG, TIFF, PGM or PPM",
                      folder);
    if (status == ORTHANT_OK)
        tell_left_out(list, folder);
    return status;
}

const char *picture_list_name(const picture_list *list, int64_t index)
{
    const char *path = list->paths[index], *name = path, *folder = path;
    for (const char *at = path; *at; at++)
        if (*at == '/') {
            folder = name;
            name = at + 1;
        }
    return list->labels[index] < 0 ? name : folder;
}
