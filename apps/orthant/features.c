/* orthant features: pictures to a matrix of features, and their labels. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "command.h"
#include "json.h"
#include "text.h"

#define DEFAULT_WORDS 500
#define MOST_WORDS 1000000

/* Told apart here, as it is the line that is wrong and not a file. */
static int check_pictures(const arguments *given)
{
    for (int i = 0; i < given->count; i++) {
        struct stat about;
        const char *path = given->word[i];
        if (stat(path, &about) && (errno == ENOENT || errno == ENOTDIR))
            return usage_error("features: %s: there is no such file or folder", path);
        if (path_is_folder(path) && given->count > 1)
            return usage_error("features: %s is a folder: give one folder, or pictures alone",
                               path);
    }
    return 0;
}

static int parse(const arguments *given, orthant_feature_options *options)
{
    const char *kind = option_value(given, OPTION_KIND);
    int64_t seed;
    options->kind = kind ? kind : "sift-words";
    options->bank = option_value(given, OPTION_BANK);
    if (strcmp(options->kind, "sift-words") && option_given(given, OPTION_WORDS))
        return usage_error("features: --words is for --kind sift-words");
    if (strcmp(options->kind, "spectral-histogram") && options->bank)
        return usage_error("features: --bank is for --kind spectral-histogram");
    int failed = option_whole(given, OPTION_WORDS, 1, MOST_WORDS, DEFAULT_WORDS, &options->words);
    if (!failed)
        failed = option_whole(given, OPTION_SEED, 0, INT64_MAX, 1, &seed);
    if (!failed)
        options->seed = (uint64_t)seed;
    return failed;
}

static void describe(const arguments *given, const orthant_feature_options *options,
                     const orthant_matrix *features, int64_t classes)
{
    const int64_t pictures = orthant_matrix_rows(features);
    const int64_t columns = orthant_matrix_columns(features);
    if (option_given(given, OPTION_JSON)) {
        json_printer json = {.file = stdout, .compact = true};
        json_begin_object(&json, NULL);
        json_put_text(&json, "kind", options->kind);
        json_put_integer(&json, "pictures", pictures);
        json_put_integer(&json, "features", columns);
        json_put_integer(&json, "classes", classes);
        json_put_text(&json, "output", option_value(given, OPTION_OUTPUT));
        json_end(&json);
        return;
    }
    printf("%" PRId64 " pictures, %" PRId64 " features of kind %s", pictures, columns,
           options->kind);
    if (classes)
        printf(", %" PRId64 " classes", classes);
    printf("\nwritten to %s\n", option_value(given, OPTION_OUTPUT));
}

int run_features(const arguments *given)
{
    orthant_context *ctx = NULL;
    orthant_matrix *features = NULL;
    orthant_labels *labels = NULL;
    orthant_feature_options options = {.size = sizeof options};
    int64_t classes = 0;
    talk speech;
    const char *output = option_value(given, OPTION_OUTPUT);
    int failed = context_open(given, &speech, &ctx);
    if (!failed && !output)
        failed = usage_error("features: -o FILE is missing: the file for the features");
    if (!failed)
        failed = report_failure(ctx, orthant_matrix_write_check(ctx, output));
    if (!failed)
        failed = parse(given, &options);
    interrupt_watch();
    if (!failed)
        failed = check_pictures(given);
    if (!failed)
        failed = report_failure(ctx, orthant_image_features(ctx, given->word, given->count,
                                                            &options, &features, &labels));
    talk_clear(&speech);
    if (!failed)
        failed = report_failure(ctx, orthant_matrix_write(ctx, features, output));
    if (!failed && labels)
        failed = report_failure(ctx, orthant_labels_write_beside(ctx, labels, output));
    if (!failed)
        failed = report_failure(ctx, orthant_samples_write_beside(ctx, features, output));
    if (!failed && labels && (classes = orthant_labels_classes(labels)) < 0)
        failed = report_failure(ctx, ORTHANT_ERROR_MEMORY);
    if (!failed) {
        describe(given, &options, features, classes);
        failed = finish_output();
    }
    orthant_labels_free(labels);
    orthant_matrix_free(features);
    orthant_context_free(ctx);
    return failed;
}
