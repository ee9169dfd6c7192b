#include "data.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/file.h"
#include "core/text.h"

#define LARGEST_SIDE 65535

/* "32x48": height, width. */
static bool parse_size(const char *text, int *height, int *width)
{
    char first[16];
    int64_t h, w;
    const char *cross = strchr(text, 'x');
    if (!cross || cross - text >= (int)sizeof first)
        return false;
    snprintf(first, sizeof first, "%.*s", (int)(cross - text), text);
    if (!text_to_int64(first, &h) || !text_to_int64(cross + 1, &w) || h < 1 || w < 1 ||
        h > LARGEST_SIDE || w > LARGEST_SIDE)
        return false;
    *height = (int)h;
    *width = (int)w;
    return true;
}

/* A matrix of pictures whose file does not tell their shape. */
static int set_picture(orthant_matrix *samples, const char *path,
                       const orthant_read_options *options)
{
    orthant_picture_shape shape = orthant_matrix_picture(samples);
    const int height = options->image_height, width = options->image_width;
    const int64_t pixels = (int64_t)height * width, features = orthant_matrix_columns(samples);
    if (!pixels || (shape.height == height && shape.width == width))
        return 0;
    const int64_t channels = features / pixels;
    if ((channels != 1 && channels != 3) || channels * pixels != features)
        return usage_error("--size %dx%d: pictures of %" PRId64 " pixels, but a sample of %s has "
                           "%" PRId64 " features",
                           height, width, pixels, path, features);
    shape = (orthant_picture_shape){height, width, (int)channels, shape.column_major};
    orthant_matrix_set_picture(samples, shape);
    return 0;
}

int data_read(const arguments *given, orthant_context *ctx, const char *path,
              orthant_matrix **samples, orthant_labels **truth)
{
    orthant_read_options options = ORTHANT_READ_DEFAULTS;
    const char *size = option_value(given, OPTION_SIZE);
    options.variable = option_value(given, OPTION_VARIABLE);
    options.truth = option_value(given, OPTION_TRUTH);
    options.transpose = option_given(given, OPTION_TRANSPOSE);
    options.color = option_given(given, OPTION_COLOR);
    if (size && !parse_size(size, &options.image_height, &options.image_width))
        return usage_error("--size %s: expected HEIGHTxWIDTH, as in 32x32", size);
    if (options.color && file_exists(path) && !file_is_folder(path))
        return usage_error("--color: %s is no folder of images", path);
    const int failed =
        report_failure(ctx, orthant_matrix_read(ctx, path, &options, samples, truth));
    return failed ? failed : set_picture(*samples, path, &options);
}

int data_scale(orthant_context *ctx, const char *scale, orthant_matrix *samples,
               orthant_matrix **statistics)
{
    orthant_scaling scaling = ORTHANT_SCALE_NONE;
    orthant_matrix *taken = NULL;
    orthant_status status = ORTHANT_OK;
    if (scale)
        status = orthant_scaling_parse(ctx, scale, &scaling);
    if (!status)
        status = orthant_matrix_scale_statistics(samples, scaling, &taken);
    if (!status)
        status = orthant_matrix_scale_by(samples, scaling, taken);
    if (!status && statistics)
        *statistics = taken;
    else
        orthant_matrix_free(taken);
    return report_failure(ctx, status);
}
