/* orthant score: labels found beside true ones. */
#include <inttypes.h>
#include <string.h>

#include "command.h"
#include "json.h"

const char *score_nmi_kind(const arguments *given)
{
    const char *kind = option_value(given, OPTION_NMI);
    return kind ? kind : "max";
}

double score_nmi(const arguments *given, const orthant_scores *scores)
{
    const char *kind = score_nmi_kind(given);
    return !strcmp(kind, "arithmetic")  ? scores->nmi_arithmetic
           : !strcmp(kind, "geometric") ? scores->nmi_geometric
           : !strcmp(kind, "min")       ? scores->nmi_min
                                        : scores->nmi;
}

static void write_scores(const arguments *given, const orthant_scores *scores)
{
    json_printer json = {.file = stdout, .compact = true};
    json_begin_object(&json, NULL);
    json_put_number(&json, "accuracy", scores->accuracy);
    json_put_number(&json, "nmi", score_nmi(given, scores));
    json_put_text(&json, "nmi_normalisation", score_nmi_kind(given));
    json_put_number(&json, "v_measure", scores->v_measure);
    json_put_number(&json, "homogeneity", scores->homogeneity);
    json_put_number(&json, "completeness", scores->completeness);
    json_put_number(&json, "ari", scores->ari);
    json_put_number(&json, "ami", scores->ami);
    json_put_number(&json, "purity", scores->purity);
    json_put_integer(&json, "samples", scores->samples);
    json_put_integer(&json, "clusters", scores->clusters);
    json_put_integer(&json, "classes", scores->classes);
    json_end(&json);
}

static void print_scores(const arguments *given, const orthant_scores *scores)
{
    printf("%-12s %6.2f %%\n", "accuracy", 100 * scores->accuracy);
    printf("%-12s %6.2f %%  (%s)\n", "NMI", 100 * score_nmi(given, scores), score_nmi_kind(given));
    printf("%-12s %6.2f %%\n", "V-measure", 100 * scores->v_measure);
    printf("%-12s %6.2f %%\n", "homogeneity", 100 * scores->homogeneity);
    printf("%-12s %6.2f %%\n", "completeness", 100 * scores->completeness);
    printf("%-12s %6.2f %%\n", "ARI", 100 * scores->ari);
    printf("%-12s %6.2f %%\n", "AMI", 100 * scores->ami);
    printf("%-12s %6.2f %%\n", "purity", 100 * scores->purity);
    printf("%-12s %" PRId64 ", %" PRId64 " clusters, %" PRId64 " classes\n", "samples",
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
            write_scores(given, &scores);
        else
            print_scores(given, &scores);
        failed = finish_output();
    }
    orthant_labels_free(truth);
    orthant_labels_free(found);
    orthant_context_free(ctx);
    return failed;
}
