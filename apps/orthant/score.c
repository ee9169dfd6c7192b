/* orthant score: labels found beside true ones. */
#include <inttypes.h>

#include "command.h"
#include "json.h"

static void write_scores(const orthant_scores *scores)
{
    json_printer json = {.file = stdout, .compact = true};
    json_begin_object(&json, NULL);
    json_put_number(&json, "accuracy", scores->accuracy);
    json_put_number(&json, "nmi", scores->nmi);
    json_put_number(&json, "ari", scores->ari);
    json_put_number(&json, "purity", scores->purity);
    json_put_integer(&json, "samples", scores->samples);
    json_put_integer(&json, "clusters", scores->clusters);
    json_put_integer(&json, "classes", scores->classes);
    json_end(&json);
}

static void print_scores(const orthant_scores *scores)
{
    printf("%-10s %6.2f %%\n", "accuracy", 100 * scores->accuracy);
    printf("%-10s %6.2f %%\n", "NMI", 100 * scores->nmi);
    printf("%-10s %6.2f %%\n", "ARI", 100 * scores->ari);
    printf("%-10s %6.2f %%\n", "purity", 100 * scores->purity);
    printf("%-10s %" PRId64 ", %" PRId64 " clusters, %" PRId64 " classes\n", "samples",
           scores->samples, scores->clusters, scores->classes);
}

/* What only --segmentation understands. */
static int check_plain(const arguments *given)
{
    if (option_given(given, OPTION_THRESHOLD) || option_given(given, OPTION_COMPONENTS))
        return usage_error("score: --%s is for --segmentation",
                           option_given(given, OPTION_THRESHOLD) ? "threshold" : "components");
    for (int i = 0; i < given->count; i++)
        if (orthant_file_is_image(given->word[i]))
            return usage_error("score: %s is a picture: label images are compared with "
                               "--segmentation",
                               given->word[i]);
    return 0;
}

int run_score(const arguments *given)
{
    if (option_given(given, OPTION_SEGMENTATION))
        return run_score_segmentation(given);
    orthant_context *ctx = NULL;
    orthant_labels *found = NULL, *truth = NULL;
    orthant_scores scores = {.size = sizeof scores};
    talk speech;
    int failed = check_plain(given);
    if (!failed)
        failed = context_open(given, &speech, &ctx);
    if (!failed)
        failed = report_failure(ctx, orthant_labels_read(ctx, given->word[0], &found));
    if (!failed)
        failed = report_failure(ctx, orthant_labels_read(ctx, given->word[1], &truth));
    if (!failed)
        failed = report_failure(ctx, orthant_score_labels(ctx, found, truth, &scores));
    if (!failed) {
        if (option_given(given, OPTION_JSON))
            write_scores(&scores);
        else
            print_scores(&scores);
        failed = finish_output();
    }
    orthant_labels_free(truth);
    orthant_labels_free(found);
    orthant_context_free(ctx);
    return failed;
}
