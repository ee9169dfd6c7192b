/* Reads and scales the data that the options name. */
#include "data.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

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
    if (!parse_int64(first, &h) || !parse_int64(cross + 1, &w) || h < 1 || w < 1 ||
        h > LARGEST_SIDE || w > LARGEST_SIDE)
        return false;
    *height = (int)h;
    *width = (int)w;
    return true;
}

/* A matrix of pictures whose file does not tell their shape. */
static int set_picture(orthant_matrix *samples, const char *path, const char *order,
                       const orthant_read_options *options)
{
    orthant_picture_shape shape = orthant_matrix_picture(samples);
    const int height = options->image_height, width = options->image_width;
    const int64_t pixels = (int64_t)height * width, features = orthant_matrix_columns(samples);
    if (order)
        shape.column_major = !strcmp(order, "column");
    if (order && shape.height)
        orthant_matrix_set_picture(samples, shape);
    if (order && !shape.height && !pixels)
        return usage_error("--order %s: %s does not tell the pictures' size; give --size", order,
                           path);
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

static int compare_labels(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* More labels than a class has samples: they are all known then, which is seldom meant. */
static int tell_all_labelled(talk *speech, const char *path, int64_t wanted,
                             const orthant_labels *truth)
{
    const int64_t count = orthant_labels_count(truth);
    int64_t *label = malloc((size_t)count * sizeof *label + 1), classes = 0, all = 0;
    if (!label) {
        usage_error("out of memory");
        return EXIT_FAILED;
    }
    memcpy(label, orthant_labels_values(truth), (size_t)count * sizeof *label);
    qsort(label, (size_t)count, sizeof *label, compare_labels);
    for (int64_t first = 0, end; first < count; first = end) {
        for (end = first + 1; end < count && label[end] == label[first]; end++)
            ;
        classes += label[first] != -1;
        all += label[first] != -1 && end - first <= wanted;
    }
    if (all)
        talk_note(speech,
                  "--labelled-per-class %" PRId64 ": %" PRId64 " of the %" PRId64
                  " classes of %s have no more samples than that, and all of them are labelled",
                  wanted, all, classes, path);
    free(label);
    return 0;
}

/* Whether these labels, "table.csv:class", are a column of the table at `path`. */
static int is_column(orthant_context *ctx, const char *path, const char *labels, bool *column)
{
    const char *kind = NULL;
    *column = false;
    char *file = path_exists(labels) ? NULL : strdup(labels);
    for (char *colon; file && (colon = strrchr(file, ':'));) {
        *colon = '\0';
        if (path_exists(file))
            break;
    }
    const bool same = file && path_same(file, path);
    free(file);
    if (!same)
        return 0;
    const int failed = report_failure(ctx, orthant_file_kind(ctx, path, &kind));
    *column = !failed && !strcmp(kind, "csv");
    return failed;
}

/* Pages of the cache are the fastest memory there is, but for data that are changed, and a file
 * that memory does not hold is not to push out everything else. */
static bool is_mapped(const arguments *given, const orthant_context *ctx, const char *path)
{
    const char *scale = option_value(given, OPTION_SCALE);
    const int64_t bytes = path_bytes(path);
    const bool fits = bytes > 0 && (uint64_t)bytes <= orthant_context_memory_limit(ctx);
    const bool mapped =
        option_given(given, OPTION_MAP) || (fits && (!scale || !strcmp(scale, "none")));
    if (mapped)
        mapping_watch(path);
    return mapped;
}

static bool can_stream(const arguments *given)
{
    const option_id *each = given->command->options;
    while (*each != OPTION_NONE && *each != OPTION_STREAM)
        each++;
    return *each == OPTION_STREAM;
}

/* Data that do not fit into the memory stay in their file, where that can be. */
static int read_or_stream(const arguments *given, orthant_context *ctx, talk *speech,
                          const char *path, orthant_read_options *options, orthant_matrix **samples,
                          orthant_labels **truth)
{
    orthant_status status = orthant_matrix_read(ctx, path, options, samples, truth);
    if (status != ORTHANT_ERROR_MEMORY || options->stream || !can_stream(given))
        return report_failure(ctx, status);
    options->stream = true;
    status = orthant_matrix_read(ctx, path, options, samples, truth);
    options->stream = !status;
    if (status == ORTHANT_ERROR_UNSUPPORTED) /* the refusal for its size says more */
        status = orthant_matrix_read(ctx, path, options, samples, truth);
    if (options->stream)
        talk_note(speech, "%s does not fit into the memory, and is read in each iteration", path);
    return report_failure(ctx, status);
}

static int keep_standard_input(const char **path)
{
    static char descriptor[40];
    char bytes[1 << 14];
    if (processes_started() > 1)
        return usage_error("-: standard input is one process's; give a file under mpirun");
    FILE *file = tmpfile(); /* closed, and with that gone, when the command ends */
    size_t count = 0;
    while (file && (count = fread(bytes, 1, sizeof bytes, stdin)) > 0)
        if (fwrite(bytes, 1, count, file) != count)
            break;
    if (!file || ferror(stdin) || count || fflush(file)) {
        usage_error("-: standard input cannot be kept in a file for the while");
        return EXIT_FAILED;
    }
    snprintf(descriptor, sizeof descriptor, "/proc/self/fd/%d", fileno(file));
    *path = descriptor;
    return 0;
}

/* Commands that read data, and `words`, which reads documents. */
static bool takes_standard_input(const subcommand *command)
{
    for (const option_id *each = command->options; *each != OPTION_NONE; each++)
        if (*each == OPTION_VARIABLE || *each == OPTION_STOP_WORDS)
            return true;
    return false;
}

int data_take_standard_input(arguments *given)
{
    for (int i = 0; i < given->count && takes_standard_input(given->command); i++)
        if (!strcmp(given->word[i], "-"))
            return keep_standard_input(&given->word[i]);
    return 0;
}

int data_options(const arguments *given, const char *path, orthant_read_options *options)
{
    const char *size = option_value(given, OPTION_SIZE);
    options->variable = option_value(given, OPTION_VARIABLE);
    options->truth = option_value(given, OPTION_TRUTH);
    options->id_column = option_value(given, OPTION_ID_COLUMN);
    options->drop = option_value(given, OPTION_DROP);
    const char *labels = option_value(given, OPTION_LABEL_COLUMN);
    if (labels && options->truth)
        return usage_error("--truth and --label-column both name the true labels: give one");
    if (labels)
        options->truth = labels;
    options->transpose = option_given(given, OPTION_TRANSPOSE);
    options->color = option_given(given, OPTION_COLOR);
    options->missing =
        option_given(given, OPTION_MISSING) && !strcmp(option_value(given, OPTION_MISSING), "nan");
    if (size && !parse_size(size, &options->image_height, &options->image_width))
        return usage_error("--size %s: expected HEIGHTxWIDTH, as in 32x32", size);
    if (options->color && path_exists(path) && !path_is_folder(path))
        return usage_error("--color: %s is no folder of images", path);
    return 0;
}

int data_read(const arguments *given, orthant_context *ctx, talk *speech, const char *path,
              orthant_matrix **samples, orthant_labels **truth)
{
    orthant_read_options options = ORTHANT_READ_DEFAULTS;
    return data_read_with(given, ctx, speech, path, &options, samples, truth);
}

int data_read_with(const arguments *given, orthant_context *ctx, talk *speech, const char *path,
                   orthant_read_options *options, orthant_matrix **samples, orthant_labels **truth)
{
    const bool missing = options->missing;
    const char *drop = options->drop;
    int failed = data_options(given, path, options);
    if (failed)
        return failed;
    options->missing = options->missing || missing;
    options->drop = options->drop ? options->drop : drop;
    options->stream = option_given(given, OPTION_STREAM);
    options->map = !options->stream && is_mapped(given, ctx, path);
    options->share = !option_given(given, OPTION_SCALE); /* scaled by what all samples have */
    const char *labelled = option_value(given, OPTION_LABELLED_PER_CLASS);
    int64_t wanted;
    const char *labels = option_value(given, OPTION_LABELS);
    bool column = false;
    if (labels && !options->truth)
        failed = is_column(ctx, path, labels, &column);
    /* Known labels that are a column are no feature either; they are no truth to score by. */
    if (column)
        options->truth = labels;
    if (!failed)
        failed = read_or_stream(given, ctx, speech, path, options, samples, truth);
    if (column && truth) {
        orthant_labels_free(*truth);
        *truth = NULL;
    }
    if (!failed && truth && *truth && labelled && parse_int64(labelled, &wanted))
        failed = tell_all_labelled(speech, path, wanted, *truth);
    return failed ? failed
                  : set_picture(*samples, path, option_value(given, OPTION_ORDER), options);
}

int data_read_weights(orthant_context *ctx, const char *path, orthant_matrix **weights)
{
    const orthant_read_options options = {.size = sizeof options, .truth = "none"};
    return report_failure(ctx, orthant_matrix_read(ctx, path, &options, weights, NULL));
}

int data_scale(orthant_context *ctx, const char *scale, orthant_matrix *samples,
               const orthant_matrix *mask, orthant_matrix **statistics)
{
    orthant_scaling scaling = ORTHANT_SCALE_NONE;
    orthant_status status = ORTHANT_OK;
    if (scale)
        status = orthant_scaling_parse(ctx, scale, &scaling);
    if (!status)
        status = orthant_matrix_scale_masked(samples, scaling, mask, NULL, statistics);
    return report_failure(ctx, status);
}
