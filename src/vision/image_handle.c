/* Pictures and clouds from files and arrays. */
#include <string.h>

#include "core/memory.h"
#include "vision/handles.h"

bool orthant_file_is_image(const char *path)
{
    return path && image_is_image(path);
}

bool orthant_file_is_cloud(const char *path)
{
    return path && cloud_is_cloud(path);
}

static orthant_status new_image(orthant_context *ctx, const char *name, orthant_image **made)
{
    *made = memory_new(ctx, 1, sizeof **made, "a picture");
    if (!*made)
        return ORTHANT_ERROR_MEMORY;
    (*made)->ctx = ctx;
    (*made)->name = memory_text(ctx, name);
    return (*made)->name ? ORTHANT_OK : ORTHANT_ERROR_MEMORY;
}

static bool is_grey(const image *picture)
{
    const int64_t pixels = (int64_t)picture->height * picture->width;
    for (int64_t p = 0; p < pixels; p++) {
        const float red = image_value(picture, 3 * p);
        if (red != image_value(picture, 3 * p + 1) || red != image_value(picture, 3 * p + 2))
            return false;
    }
    return true;
}

/* A picture without colours has one channel: it is a third of the work, and the bands of a texture
 * do not count it three times. */
static orthant_status read_picture(orthant_context *ctx, const char *path, image *picture)
{
    image size;
    orthant_status status = image_read_size(ctx, path, &size);
    if (!status)
        status = segment_check_size(ctx, path, size.height, size.width);
    if (!status)
        status = image_read(ctx, path, 3, picture);
    if (status || !is_grey(picture))
        return status;
    image_free(ctx, picture);
    return image_read(ctx, path, 1, picture);
}

orthant_status orthant_image_read(orthant_context *context, const char *path,
                                  orthant_image **picture)
{
    orthant_image *made = NULL;
    if (picture)
        *picture = NULL;
    const orthant_status refused = entry_check(context, path && picture, __func__);
    if (refused)
        return refused;
    orthant_status status = new_image(context, path, &made);
    if (!status)
        status = read_picture(context, path, &made->inner);
    if (status)
        orthant_image_free(made);
    else
        *picture = made;
    return status;
}

static orthant_status check_shape(orthant_context *ctx, int height, int width, int channels,
                                  int bits)
{
    if (height < 1 || width < 1 || height > IMAGE_MOST_SIDE || width > IMAGE_MOST_SIDE)
        return fail(ctx, ORTHANT_ERROR_ARGUMENT,
                    "a picture of %d x %d pixels: expected sides from 1 to %d", width, height,
                    IMAGE_MOST_SIDE);
    if ((channels != 1 && channels != 3) || (bits != 8 && bits != 16))
        return fail(
            ctx, ORTHANT_ERROR_ARGUMENT,
            "a picture of %d channels with %d bits per sample: expected 1 or 3 channels and "
            "8 or 16 bits",
            channels, bits);
    return segment_check_size(ctx, "the picture", height, width);
}

/* 16 bits beside the nearest 8. */
static void copy_deep(const uint16_t *samples, int64_t count, image *to)
{
    memcpy(to->deep, samples, (size_t)count * sizeof *samples);
    for (int64_t i = 0; i < count; i++)
        to->pixels[i] = (unsigned char)((samples[i] + 128) / 257);
}

orthant_status orthant_image_create(orthant_context *context, int height, int width, int channels,
                                    int bits, const void *samples, orthant_image **picture)
{
    orthant_image *made = NULL;
    if (picture)
        *picture = NULL;
    const orthant_status refused = entry_check(context, samples && picture, __func__);
    if (refused)
        return refused;
    orthant_status status = check_shape(context, height, width, channels, bits);
    if (!status)
        status = new_image(context, "the picture", &made);
    if (status) {
        orthant_image_free(made);
        return status;
    }
    const int64_t count = (int64_t)height * width * channels;
    made->inner.height = height;
    made->inner.width = width;
    made->inner.channels = channels;
    made->inner.pixels = memory_new(context, count, 1, "a picture");
    if (bits == 16 && made->inner.pixels)
        made->inner.deep =
            memory_new(context, count, sizeof *made->inner.deep, "a picture of 16 bits");
    if (!made->inner.pixels || (bits == 16 && !made->inner.deep)) {
        orthant_image_free(made);
        return ORTHANT_ERROR_MEMORY;
    }
    if (bits == 16)
        copy_deep(samples, count, &made->inner);
    else
        memcpy(made->inner.pixels, samples, (size_t)count);
    *picture = made;
    return ORTHANT_OK;
}

void orthant_image_free(orthant_image *picture)
{
    if (!picture)
        return;
    image_free(picture->ctx, &picture->inner);
    memory_free(picture->ctx, picture->name);
    memory_free(picture->ctx, picture);
}

int orthant_image_height(const orthant_image *picture)
{
    return picture ? picture->inner.height : 0;
}

int orthant_image_width(const orthant_image *picture)
{
    return picture ? picture->inner.width : 0;
}

int orthant_image_channels(const orthant_image *picture)
{
    return picture ? picture->inner.channels : 0;
}

const unsigned char *orthant_image_pixels(const orthant_image *picture)
{
    return picture ? picture->inner.pixels : NULL;
}

/* ---- clouds -----------------------------------------------------------------------------------
 */

static orthant_cloud *new_cloud(orthant_context *ctx)
{
    orthant_cloud *made = memory_new(ctx, 1, sizeof *made, "a cloud");
    if (made)
        made->ctx = made->inner.ctx = ctx;
    return made;
}

orthant_status orthant_cloud_read(orthant_context *context, const char *path,
                                  orthant_cloud **points)
{
    if (points)
        *points = NULL;
    const orthant_status refused = entry_check(context, path && points, __func__);
    if (refused)
        return refused;
    orthant_cloud *made = new_cloud(context);
    if (!made)
        return ORTHANT_ERROR_MEMORY;
    const orthant_status status = cloud_read(context, path, &made->inner);
    if (status)
        memory_free(context, made);
    else
        *points = made;
    return status;
}

orthant_status orthant_cloud_create(orthant_context *context, int64_t count,
                                    const double *positions, const unsigned char *colors,
                                    const float *normals, orthant_cloud **points)
{
    if (points)
        *points = NULL;
    const orthant_status refused = entry_check(context, positions && points, __func__);
    if (refused)
        return refused;
    if (count < 1)
        return fail(context, ORTHANT_ERROR_ARGUMENT, "a cloud of %lld points: expected 1 or more",
                    (long long)count);
    orthant_cloud *made = new_cloud(context);
    if (!made)
        return ORTHANT_ERROR_MEMORY;
    orthant_status status =
        cloud_begin(context, "the cloud", count,
                    (colors ? CLOUD_COLOR : 0) | (normals ? CLOUD_NORMAL : 0), &made->inner);
    if (status) {
        memory_free(context, made);
        return status;
    }
    const size_t values = 3 * (size_t)count;
    memcpy(made->inner.position, positions, values * sizeof *positions);
    if (colors)
        memcpy(made->inner.color, colors, values);
    if (normals)
        memcpy(made->inner.normal, normals, values * sizeof *normals);
    status = cloud_end(&made->inner);
    if (status)
        orthant_cloud_free(made);
    else
        *points = made;
    return status;
}

void orthant_cloud_free(orthant_cloud *points)
{
    if (!points)
        return;
    cloud_free(&points->inner);
    memory_free(points->ctx, points);
}

int64_t orthant_cloud_count(const orthant_cloud *points)
{
    return points ? points->inner.count : 0;
}

const double *orthant_cloud_positions(const orthant_cloud *points)
{
    return points ? points->inner.position : NULL;
}
