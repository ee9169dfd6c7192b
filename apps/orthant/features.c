/* orthant features: pictures to a matrix of features, and their labels. */
#include <inttypes.h>
#include <string.h>

#include "command.h"
#include "core/file.h"
#include "core/memory.h"
#include "core/part.h"
#include "data/labels.h"
#include "data/read.h"
#include "report/json.h"
#include "vision/picture_features.h"

#define DEFAULT_WORDS 500
#define MOST_WORDS 1000000

static int list_pictures(const arguments *given, picture_list *list)
{
    for (int i = 0; i < given->count; i++) {
        file_presence there;
        const int failed = report_failure(list->ctx, file_look(list->ctx, given->word[i], &there));
        if (failed)
            return failed;
        if (there == FILE_FOLDER && given->count == 1)
            return report_failure(list->ctx, picture_list_folder(list, given->word[0]));
        if (there == FILE_FOLDER)
            return usage_error("features: %s is a folder: give one folder, or pictures alone",
                               given->word[i]);
        if (there == FILE_MISSING)
            return usage_error("features: %s: there is no such file or folder", given->word[i]);
        char *path = memory_text(list->ctx, given->word[i]);
        const orthant_status status =
            path ? picture_list_add(list, path, -1) : ORTHANT_ERROR_MEMORY;
        if (status)
            return report_failure(list->ctx, status);
    }
    return 0;
}

static int parse(const arguments *given, picture_feature_settings *settings)
{
    const char *kind = option_value(given, OPTION_KIND);
    int64_t seed;
    settings->kind = kind ? kind : "sift-words";
    settings->bank = option_value(given, OPTION_BANK);
    if (strcmp(settings->kind, "sift-words") && option_given(given, OPTION_WORDS))
        return usage_error("features: --words is for --kind sift-words");
    if (strcmp(settings->kind, "spectral-histogram") && settings->bank)
        return usage_error("features: --bank is for --kind spectral-histogram");
    int failed = option_whole(given, OPTION_WORDS, 1, MOST_WORDS, DEFAULT_WORDS, &settings->words);
    if (!failed)
        failed = option_whole(given, OPTION_SEED, 0, INT64_MAX, 1, &seed);
    if (!failed)
        settings->seed = (uint64_t)seed;
    return failed;
}

/* The classes beside the features, where there are any. */
static orthant_status write_labels(const picture_list *list, const char *output)
{
    orthant_labels *labels = NULL;
    char *beside = NULL;
    if (list->classes == 0)
        return ORTHANT_OK;
    orthant_status status = orthant_labels_create(list->ctx, list->count, list->labels, &labels);
    if (!status)
        status = labels_path_beside(list->ctx, output, &beside);
    if (!status) {
        part_sweep_file(beside);
        status = orthant_labels_write(list->ctx, labels, beside);
    }
    memory_free(list->ctx, beside);
    orthant_labels_free(labels);
    return status;
}

static void describe(const arguments *given, const picture_list *list,
                     const picture_feature_settings *settings, const orthant_matrix *features)
{
    const int64_t columns = orthant_matrix_columns(features);
    if (option_given(given, OPTION_JSON)) {
        json_writer json = {.file = stdout, .compact = true};
        json_open_object(&json, NULL);
        json_text(&json, "kind", settings->kind);
        json_integer(&json, "pictures", list->count);
        json_integer(&json, "features", columns);
        json_integer(&json, "classes", list->classes);
        json_close(&json);
        return;
    }
    printf("%" PRId64 " pictures, %" PRId64 " features of kind %s", list->count, columns,
           settings->kind);
    if (list->classes)
        printf(", %" PRId64 " classes", list->classes);
    printf("\nwritten to %s\n", option_value(given, OPTION_OUTPUT));
}

int run_features(const arguments *given)
{
    orthant_context *ctx = NULL;
    orthant_matrix *features = NULL;
    picture_list list = {0};
    picture_feature_settings settings = {0};
    talk speech;
    const char *output = option_value(given, OPTION_OUTPUT);
    int failed = context_open(given, &speech, &ctx);
    list.ctx = ctx;
    if (!failed && !output)
        failed = usage_error("features: -o FILE is missing: the file for the features");
    if (!failed)
        failed = report_failure(ctx, orthant_matrix_write_check(ctx, output));
    if (!failed)
        failed = parse(given, &settings);
    interrupt_watch();
    if (!failed)
        failed = list_pictures(given, &list);
    if (!failed)
        failed = report_failure(ctx, picture_features(&list, &settings, &features));
    talk_clear(&speech);
    if (!failed)
        failed = report_failure(ctx, orthant_matrix_write(ctx, features, output));
    if (!failed)
        failed = report_failure(ctx, write_labels(&list, output));
    if (!failed) {
        describe(given, &list, &settings, features);
        failed = finish_output();
    }
    orthant_matrix_free(features);
    if (ctx)
        picture_list_free(&list);
    orthant_context_free(ctx);
    return !failed && interrupt_seen() ? interrupt_exit() : failed;
}
