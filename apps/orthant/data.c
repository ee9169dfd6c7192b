/* Reads and scales the data that the options name. */
#include "data.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/file.h"
#include "core/memory.h"
#include "core/text.h"
#include "data/kind.h"
#include "data/labels.h"

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

/* More labels than a class has samples: they are all known then, which is seldom meant. */
static orthant_status tell_all_labelled(orthant_context *ctx, const char *path, int64_t wanted,
                                        const orthant_labels *truth)
{
    const int64_t count = orthant_labels_count(truth);
    int64_t classes = 0, all = 0, *size = NULL;
    int64_t *class_of = memory_new(ctx, count, sizeof *class_of, "classes of samples");
    orthant_status status =
        class_of ? labels_to_classes(ctx, truth, class_of, &classes) : ORTHANT_ERROR_MEMORY;
    if (!status) {
        size = memory_new(ctx, classes, sizeof *size, "sizes of classes");
        status = size ? ORTHANT_OK : ORTHANT_ERROR_MEMORY;
    }
    for (int64_t i = 0; !status && i < count; i++)
        if (class_of[i] >= 0)
            size[class_of[i]]++;
    for (int64_t c = 0; !status && c < classes; c++)
        all += size[c] <= wanted;
    if (all)
        log_note(ctx,
                 "--labelled-per-class %" PRId64 ": %" PRId64 " of the %" PRId64
                 " classes of %s have no more samples than that, and all of them are labelled",
                 wanted, all, classes, path);
    memory_free(ctx, size);
    memory_free(ctx, class_of);
    return status;
}

/* Whether these labels are a column of the table at `path`. */
static orthant_status is_column(orthant_context *ctx, const char *path, const char *labels,
                                bool *column)
{
    char *file = NULL;
    const char *inside;
    file_kind kind = KIND_UNKNOWN;
    *column = false;
    orthant_status status = file_split(ctx, labels, &file, &inside);
    if (!status && inside && file_same(file, path)) {
        status = kind_of_file(ctx, path, &kind);
        *column = kind == KIND_CSV;
    }
    memory_free(ctx, file);
    return status;
}

int data_read(const arguments *given, orthant_context *ctx, const char *path,
              orthant_matrix **samples, orthant_labels **truth)
{
    orthant_read_options options = ORTHANT_READ_DEFAULTS;
    const char *size = option_value(given, OPTION_SIZE);
    options.variable = option_value(given, OPTION_VARIABLE);
    options.truth = option_value(given, OPTION_TRUTH);
    options.transpose = option_given(given, OPTION_TRANSPOSE);
    options.map = option_given(given, OPTION_MAP);
    options.color = option_given(given, OPTION_COLOR);
    if (size && !parse_size(size, &options.image_height, &options.image_width))
        return usage_error("--size %s: expected HEIGHTxWIDTH, as in 32x32", size);
    if (options.color && file_exists(path) && !file_is_folder(path))
        return usage_error("--color: %s is no folder of images", path);
    const char *labelled = option_value(given, OPTION_LABELLED_PER_CLASS);
    int64_t wanted;
    const char *labels = option_value(given, OPTION_LABELS);
    bool column = false;
    int failed = 0;
    if (labels && !options.truth)
        failed = report_failure(ctx, is_column(ctx, path, labels, &column));
    /* Known labels that are a column are no feature either; they are no truth to score by. */
    if (column)
        options.truth = labels;
    if (!failed)
        failed = report_failure(ctx, orthant_matrix_read(ctx, path, &options, samples, truth));
    if (column && truth) {
        orthant_labels_free(*truth);
        *truth = NULL;
    }
    if (!failed && truth && *truth && labelled && text_to_int64(labelled, &wanted))
        failed = report_failure(ctx, tell_all_labelled(ctx, path, wanted, *truth));
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
