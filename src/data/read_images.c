/* A folder of images: each subfolder per class, or a flat folder without labels. A picture is a
 * sample, its pixels row by row, values 0 to 255. */
#include <math.h>
#include <string.h>

#include "core/file.h"
#include "data/convert.h"
#include "data/image.h"
#include "data/labels.h"
#include "data/picture_list.h"
#include "data/read.h"

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
                        "%s is %d x %d, but %s is %d x %d; pictures must have one size. Try "
                        "size = '32x32'.",
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
            matrix_set_value(samples, i * samples->stride + j, image_value(&picture, j));
        image_free(ctx, &picture);
        if (!progress_tell(ctx, "read", i + 1, list->count, clock_seconds() - begin, NAN))
            return fail(ctx, ORTHANT_STOPPED, "stopped while reading pictures");
    }
    return ORTHANT_OK;
}

/* One picture at a time. */
static orthant_status give_samples(conversion *c, const picture_list *list, int height, int width)
{
    const int channels = c->options->color ? 3 : 1;
    orthant_matrix *row = NULL;
    orthant_status status =
        matrix_new_dense(c->ctx, c->ctx->precision, 1, (int64_t)height * width * channels, &row);
    if (status == ORTHANT_OK)
        status = row_sink_begin(c->sink, list->count, row->columns, false);
    for (int64_t i = 0; i < list->count && status == ORTHANT_OK; i++) {
        image picture = {0};
        status = read_picture(c->ctx, list->paths[i], height, width, channels, &picture);
        for (int64_t j = 0; j < row->columns && status == ORTHANT_OK; j++)
            matrix_set_value(row, j, image_value(&picture, j));
        image_free(c->ctx, &picture);
        if (status == ORTHANT_OK)
            status = row_sink_add(c->sink, row);
    }
    orthant_matrix_free(row);
    return status;
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

/* Samples are named as their files, classes as their subfolders. */
static orthant_status take_names(picture_list *list, orthant_matrix *samples, orthant_labels *truth)
{
    orthant_status status = ORTHANT_OK;
    for (int64_t i = 0; i < list->count && !status; i++)
        status = names_add(list->ctx, &samples->sample_names, picture_list_name(list, i));
    if (truth) {
        truth->class_names = list->class_names;
        list->class_names = (name_list){0};
    }
    return status;
}

/* The subfolders: "photos/". */
static orthant_status set_source(const char *path, orthant_labels **truth)
{
    const size_t length = strlen(path);
    char folder[4096];
    snprintf(folder, sizeof folder, "%.4000s%s", path,
             length && path[length - 1] == '/' ? "" : "/");
    return labels_set_source(truth, folder, NULL);
}

orthant_status read_images(orthant_context *ctx, const char *path,
                           const orthant_read_options *options, orthant_matrix **found,
                           orthant_labels **truth)
{
    picture_list list = {.ctx = ctx};
    int height = options->image_height, width = options->image_width;
    const int channels = options->color ? 3 : 1;
    *found = NULL;
    *truth = NULL;
    orthant_status status = check_options(ctx, path, options);
    if (status == ORTHANT_OK)
        status = picture_list_folder(&list, path);
    if (status == ORTHANT_OK && height == 0)
        status = common_size(&list, &height, &width);
    if (status == ORTHANT_OK)
        status = matrix_new_dense(ctx, ctx->precision, list.count,
                                  (int64_t)height * width * channels, found);
    if (status == ORTHANT_OK)
        status = fill_samples(&list, height, width, channels, *found);
    if (status == ORTHANT_OK && list.classes > 0 && !options->truth)
        status = orthant_labels_create(ctx, list.count, list.labels, truth);
    if (status == ORTHANT_OK)
        status = set_source(path, truth);
    if (status == ORTHANT_OK)
        status = take_names(&list, *found, *truth);
    if (status == ORTHANT_OK) {
        orthant_matrix_set_picture(*found, (orthant_picture_shape){height, width, channels, false});
    } else {
        orthant_matrix_free(*found);
        *found = NULL;
    }
    picture_list_free(&list);
    return status;
}

orthant_status convert_images(conversion *c)
{
    picture_list list = {.ctx = c->ctx};
    int height = c->options->image_height, width = c->options->image_width;
    c->done = true;
    orthant_status status = check_options(c->ctx, c->path, c->options);
    if (status == ORTHANT_OK)
        status = picture_list_folder(&list, c->path);
    if (status == ORTHANT_OK && height == 0)
        status = common_size(&list, &height, &width);
    if (status == ORTHANT_OK)
        status = give_samples(c, &list, height, width);
    if (status == ORTHANT_OK && list.classes > 0 && !c->options->truth)
        status = orthant_labels_create(c->ctx, list.count, list.labels, &c->labels);
    if (!status && c->labels) {
        c->labels->class_names = list.class_names;
        list.class_names = (name_list){0};
    }
    for (int64_t i = 0; i < list.count && !status; i++)
        status = names_add(c->ctx, &c->rows, picture_list_name(&list, i));
    picture_list_free(&list);
    return status;
}
