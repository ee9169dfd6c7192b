/* orthant words: documents to counts of their words, and the vocabulary. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "json.h"
#include "text.h"

/* "counts.csr" gives "counts.words.txt"; to be freed, NULL without memory. */
static char *vocabulary_path(const char *output)
{
    static const char ending[] = ".words.txt";
    const char *slash = strrchr(output, '/'), *dot = strrchr(slash ? slash : output, '.');
    const size_t length = dot ? (size_t)(dot - output) : strlen(output);
    char *path = malloc(length + sizeof ending);
    if (path) {
        memcpy(path, output, length);
        memcpy(path + length, ending, sizeof ending);
    }
    return path;
}

static int parse(const arguments *given, orthant_words_options *options)
{
    const char *stop_words = option_value(given, OPTION_STOP_WORDS);
    const bool known = !stop_words || !strcmp(stop_words, "none") || !strcmp(stop_words, "english");
    options->stop_words = stop_words;
    if (!known && !path_exists(stop_words))
        return usage_error("words: --stop-words %s: expected english, none or a file with a word "
                           "per line",
                           stop_words);
    int failed = option_whole(given, OPTION_MIN_COUNT, 0, INT64_MAX, 0, &options->fewest_counts);
    if (!failed)
        failed =
            option_whole(given, OPTION_MIN_DOCUMENTS, 0, INT64_MAX, 0, &options->fewest_documents);
    if (!failed)
        failed = option_whole(given, OPTION_MAX_WORDS, 0, INT64_MAX, 0, &options->most_words);
    return failed;
}

static void describe(const arguments *given, const orthant_matrix *counts, int64_t classes,
                     const char *vocabulary)
{
    const char *output = option_value(given, OPTION_OUTPUT);
    if (option_given(given, OPTION_JSON)) {
        json_printer json = {.file = stdout, .compact = true};
        json_begin_object(&json, NULL);
        json_put_integer(&json, "documents", orthant_matrix_rows(counts));
        json_put_integer(&json, "words", orthant_matrix_columns(counts));
        json_put_integer(&json, "nonzeros", orthant_matrix_nonzeros(counts));
        json_put_integer(&json, "classes", classes);
        json_put_text(&json, "counts", output);
        json_put_text(&json, "vocabulary", vocabulary);
        json_end(&json);
        return;
    }
    printf("%" PRId64 " documents, %" PRId64 " words, %" PRId64 " counts that are not zero",
           orthant_matrix_rows(counts), orthant_matrix_columns(counts),
           orthant_matrix_nonzeros(counts));
    if (classes)
        printf(", %" PRId64 " classes", classes);
    printf("\nwritten to %s, the words to %s\n", output, vocabulary);
}

int run_words(const arguments *given)
{
    orthant_context *ctx = NULL;
    orthant_matrix *counts = NULL;
    orthant_labels *labels = NULL;
    orthant_words_options options = {.size = sizeof options};
    int64_t classes = 0;
    talk speech;
    const char *output = option_value(given, OPTION_OUTPUT);
    char *vocabulary = output ? vocabulary_path(output) : NULL;
    int failed = context_open(given, &speech, &ctx);
    if (!failed && !output)
        failed = usage_error("words: -o FILE is missing: the file for the counts");
    if (!failed && !vocabulary)
        failed = report_failure(ctx, ORTHANT_ERROR_MEMORY);
    if (!failed)
        failed = report_failure(ctx, orthant_matrix_write_check(ctx, output));
    if (!failed)
        failed = parse(given, &options);
    if (!failed)
        failed = report_failure(
            ctx, orthant_words_count(ctx, given->word[0], &options, &counts, &labels));
    interrupt_watch(); /* what is written belongs together */
    if (!failed)
        failed = report_failure(ctx, orthant_matrix_write(ctx, counts, output));
    if (!failed)
        failed = report_failure(ctx, orthant_words_write(ctx, counts, vocabulary));
    if (!failed && labels)
        failed = report_failure(ctx, orthant_labels_write_beside(ctx, labels, output));
    if (!failed)
        failed = report_failure(ctx, orthant_samples_write_beside(ctx, counts, output));
    if (!failed && labels && (classes = orthant_labels_classes(labels)) < 0)
        failed = report_failure(ctx, ORTHANT_ERROR_MEMORY);
    if (!failed) {
        describe(given, counts, classes, vocabulary);
        failed = finish_output();
    }
    free(vocabulary);
    orthant_labels_free(labels);
    orthant_matrix_free(counts);
    orthant_context_free(ctx);
    return failed;
}
