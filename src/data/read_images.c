/* A folder of images: each subfolder a class, or a flat folder without labels. A picture is a
 * sample, its pixels row by row, values 0 to 255. */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/file.h"
#include "core/memory.h"
#include "data/image.h"
#include "data/labels.h"
#include "data/read.h"

typedef struct picture_list {
    orthant_context *ctx;
    char **paths;
    int64_t *labels;
    int64_t count, room;
    int64_t left_out, empty; /* entries that are no pictures, subfolders without one */
    char first_left_out[256], first_empty[256];
} picture_list;

/* ---- which pictures ----------------------------------------------------------------------- */

static int is_shown(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static void list_free(picture_list *list)
{
    for (int64_t i = 0; i < list->count; i++)
        memory_free(list->ctx, list->paths[i]);
    memory_free(list->ctx, list->paths);
    memory_free(list->ctx, list->labels);
}

/* Takes `path` over. */
static orthant_status list_add(picture_list *list, char *path, int64_t label)
{
    if (list->count == list->room) {
        const int64_t room = 2 * list->room + 64;
        char **paths =
            memory_resize(list->ctx, list->paths, room, sizeof *paths, "the names of pictures");
        if (paths)
            list->paths = paths;
        int64_t *labels =
            paths ? memory_resize(list->ctx, list->labels, room, sizeof *labels, "labels") : NULL;
        if (!labels) {
            memory_free(list->ctx, path);
            return ORTHANT_ERROR_MEMORY;
        }
        list->labels = labels;
        list->room = room;
    }
    list->paths[list->count] = path;
    list->labels[list->count++] = label;
    return ORTHANT_OK;
}

static char *join(orthant_context *ctx, const char *folder, const char *name)
{
    const size_t length = strlen(folder);
    const bool slash = length > 0 && folder[length - 1] == '/';
    const size_t room = length + strlen(name) + 2;
    char *path = memory_new(ctx, (int64_t)room, 1, "a file's name");
    if (path)
        snprintf(path, room, "%s%s%s", folder, slash ? "" : "/", name);
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
    if (count < 0) {
        char reason[128];
        if (strerror_r(errno, reason, sizeof reason) != 0)
            snprintf(reason, sizeof reason, "error %d", errno);
        return fail(ctx, ORTHANT_ERROR_IO, "%s: the folder cannot be read: %s", folder, reason);
    }
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

/* Pictures of one folder; anything else in it is counted as left out. */
static orthant_status gather_picture(void *user, char *path)
{
    gathering *into = user;
    if (!file_is_folder(path) && image_is_image(path))
        return list_add(into->list, path, into->label);
    if (into->list->left_out++ == 0)
        snprintf(into->list->first_left_out, sizeof into->list->first_left_out, "%s", path);
    memory_free(into->list->ctx, path);
    return ORTHANT_OK;
}

static orthant_status gather_folder(picture_list *list, const char *folder, int64_t label)
{
    gathering into = {.list = list, .label = label};
    return visit_folder(list->ctx, folder, gather_picture, &into);
}

/* One note for a whole folder, however many subfolders it has. */
static void tell_left_out(const picture_list *list, const char *folder)
{
    if (list->left_out > 0)
        log_note(list->ctx, "%s: %" PRId64 " entries that are no pictures are left out, '%s' first",
                 folder, list->left_out, list->first_left_out);
    if (list->empty > 0)
        log_note(list->ctx, "%s: %" PRId64 " subfolders without pictures are no class, '%s' first",
                 folder, list->empty, list->first_empty);
}

typedef struct class_gathering {
    picture_list *list;
    int64_t classes;
} class_gathering;

/* A subfolder with pictures is the next class. */
static orthant_status gather_class(void *user, char *path)
{
    class_gathering *into = user;
    orthant_status status = ORTHANT_OK;
    if (file_is_folder(path)) {
        const int64_t before = into->list->count;
        status = gather_folder(into->list, path, into->classes);
        if (into->list->count > before)
            into->classes++;
        else if (into->list->empty++ == 0)
            snprintf(into->list->first_empty, sizeof into->list->first_empty, "%s", path);
    }
    memory_free(into->list->ctx, path);
    return status;
}

static orthant_status gather(const char *folder, picture_list *list, int64_t *classes)
{
    class_gathering into = {.list = list};
    orthant_status status = visit_folder(list->ctx, folder, gather_class, &into);
    *classes = into.classes;
    if (status == ORTHANT_OK && into.classes == 0) {
        list->left_out = list->empty = 0;
        status = gather_folder(list, folder, -1);
    }
    if (status == ORTHANT_OK && list->count == 0)
        status = fail(list->ctx, ORTHANT_ERROR_DATA,
                      "%s: no pictures in the folder or its subfolders: expected PNG, JPEG, TIFF, "
                      "PGM or PPM",
                      folder);
    if (status == ORTHANT_OK)
        tell_left_out(list, folder);
    return status;
}

/* ---- their pixels ------------------------------------------------------------------------- */

/* The size that all pictures have. */
static orthant_status common_size(const picture_list *list, int *height, int *width)
{
    image size;
    for (int64_t i = 0; i < list->count; i++) {
        const orthant_status status = image_read_size(list->ctx, list->paths[i], &size);
        if (status != ORTHANT_OK)
            return status;
        if (i == 0) {
            *height = size.height;
            *width = size.width;
        }
        if (size.height != *height || size.width != *width)
            return fail(list->ctx, ORTHANT_ERROR_DATA,
                        "%s is %d x %d, but %s is %d x %d; pictures must have one size. Try --size "
                        "32x32.",
                        list->paths[0], *height, *width, list->paths[i], size.height, size.width);
    }
    return ORTHANT_OK;
}

static orthant_status read_picture(orthant_context *ctx, const char *path, int height, int width,
                                   int channels, image *out)
{
    image read;
    orthant_status status = image_read(ctx, path, channels, &read);
    if (status != ORTHANT_OK || (read.height == height && read.width == width)) {
        *out = read;
        return status;
    }
    status = image_resize(ctx, &read, height, width, out);
    image_free(ctx, &read);
    return status;
}

static orthant_status fill_samples(const picture_list *list, int height, int width, int channels,
                                   orthant_matrix *samples)
{
    orthant_context *ctx = list->ctx;
    const double begin = clock_seconds();
    for (int64_t i = 0; i < list->count; i++) {
        image picture = {0};
        const orthant_status status =
            read_picture(ctx, list->paths[i], height, width, channels, &picture);
        if (status != ORTHANT_OK)
            return status;
        for (int64_t j = 0; j < samples->columns; j++)
            matrix_set_value(samples, i * samples->stride + j, picture.pixels[j]);
        image_free(ctx, &picture);
        if (!progress_tell(ctx, "read", i + 1, list->count, clock_seconds() - begin, NAN))
            return fail(ctx, ORTHANT_STOPPED, "stopped while reading pictures");
    }
    return ORTHANT_OK;
}

static orthant_status check_options(orthant_context *ctx, const char *path,
                                    const orthant_read_options *options)
{
    const int height = options->image_height, width = options->image_width;
    if (!file_exists(path))
        return fail(ctx, ORTHANT_ERROR_IO, "%s: there is no such file or folder", path);
    if (!file_is_folder(path))
        return fail(ctx, ORTHANT_ERROR_DATA,
                    "%s: one picture is one sample; clustering takes a folder of pictures "
                    "('orthant segment' will take a single one)",
                    path);
    if ((height == 0) != (width == 0) || height < 0 || width < 0 || height > IMAGE_MOST_SIDE ||
        width > IMAGE_MOST_SIDE)
        return fail(ctx, ORTHANT_ERROR_ARGUMENT,
                    "a size of %d x %d for pictures; expected 1 to %d for both", height, width,
                    IMAGE_MOST_SIDE);
    return ORTHANT_OK;
}

orthant_status read_images(orthant_context *ctx, const char *path,
                           const orthant_read_options *options, orthant_matrix **found,
                           orthant_labels **truth)
{
    picture_list list = {.ctx = ctx};
    int height = options->image_height, width = options->image_width;
    const int channels = options->color ? 3 : 1;
    int64_t classes = 0;
    *found = NULL;
    *truth = NULL;
    orthant_status status = check_options(ctx, path, options);
    if (status == ORTHANT_OK)
        status = gather(path, &list, &classes);
    if (status == ORTHANT_OK && height == 0)
        status = common_size(&list, &height, &width);
    if (status == ORTHANT_OK)
        status = matrix_new_dense(ctx, ctx->precision, list.count,
                                  (int64_t)height * width * channels, found);
    if (status == ORTHANT_OK)
        status = fill_samples(&list, height, width, channels, *found);
    if (status == ORTHANT_OK && classes > 0 && !options->truth)
        status = orthant_labels_create(ctx, list.count, list.labels, truth);
    if (status == ORTHANT_OK) {
        orthant_matrix_set_picture(*found, (orthant_picture_shape){height, width, channels, false});
    } else {
        orthant_matrix_free(*found);
        *found = NULL;
    }
    list_free(&list);
    return status;
}
