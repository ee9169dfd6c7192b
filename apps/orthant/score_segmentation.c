/* orthant score FOUND TRUTH --segmentation: label images beside the true regions. */
#include <inttypes.h>
#include <stdlib.h>

#include "command.h"
#include "json.h"

#define CURVE 101 /* alpha = 0, 0.01, ..., 1 */

/* One result for each truth, and their mean. */
typedef struct outcome {
    int64_t count;
    orthant_segmentation_scores *each, mean;
    double threshold;
    bool components;
} outcome;

/* ---- printing ------------------------------------------------------------------------------- */

static void print_criterion(const orthant_segmentation_scores *scores, int index)
{
    orthant_criterion_info info = {.size = sizeof info};
    if (orthant_criterion_at(index, &info))
        return;
    printf("%-9s %9.*f %s  %-6s  %s\n", info.name, info.percent ? 2 : 4,
           orthant_criterion_value(scores, index), info.percent ? "%" : " ",
           info.higher_is_better ? "higher" : "lower", info.title);
}

static void print_outcome(const outcome *of)
{
    const orthant_segmentation_scores *mean = &of->mean;
    printf("%-9s %12s  %-6s  threshold %g%s\n", "criterion", "value  ", "better", of->threshold,
           of->components ? ", 4-connected pieces" : "");
    for (int i = 0; i < orthant_criterion_count(); i++)
        print_criterion(mean, i);
    printf("\n%" PRId64 " pixels, %.6g regions found, %.6g true", mean->pixels, mean->regions_found,
           mean->regions_true);
    if (of->count > 1)
        printf(" (means over %" PRId64 " annotators)", of->count);
    putchar('\n');
}

static void write_criteria(json_printer *json, const orthant_segmentation_scores *scores)
{
    orthant_criterion_info info = {.size = sizeof info};
    for (int i = 0; orthant_criterion_at(i, &info) == ORTHANT_OK; i++)
        json_put_number(json, info.name, orthant_criterion_value(scores, i));
    json_put_number(json, "regions_found", scores->regions_found);
    json_put_number(json, "regions_true", scores->regions_true);
}

/* The curve of the F-measure, averaged over the truths like everything else. */
static void write_curve(json_printer *json, const outcome *of)
{
    json_begin_array(json, "F_curve");
    for (int j = 0; j < CURVE; j++) {
        double mean = 0.0;
        for (int64_t i = 0; i < of->count; i++)
            mean += orthant_segmentation_f(&of->each[i], (double)j / (CURVE - 1));
        json_put_number(json, NULL, mean / (double)of->count);
    }
    json_end(json);
}

static void write_outcome(const outcome *of)
{
    json_printer json = {.file = stdout, .compact = true};
    json_begin_object(&json, NULL);
    write_criteria(&json, &of->mean);
    json_put_integer(&json, "pixels", of->mean.pixels);
    json_put_integer(&json, "annotators", of->count);
    json_put_number(&json, "threshold", of->threshold);
    json_put_truth(&json, "components", of->components);
    write_curve(&json, of);
    json_begin_array(&json, "each");
    for (int64_t i = 0; i < of->count; i++) {
        json_begin_object(&json, NULL);
        write_criteria(&json, &of->each[i]);
        json_end(&json);
    }
    json_end(&json);
    json_end(&json);
}

/* ---- scoring -------------------------------------------------------------------------------- */

/* Of another size than what was found. */
static int refuse_size(const arguments *given, const int64_t found[2], const int64_t truth[2])
{
    usage_error("%s is %" PRId64 " x %" PRId64 ", but %s is %" PRId64 " x %" PRId64
                ": label images to compare have the same size",
                given->word[0], found[0], found[1], given->word[1], truth[0], truth[1]);
    return EXIT_FAILED;
}

static int score_all(orthant_context *ctx, const arguments *given,
                     const orthant_label_images *found, const orthant_label_images *truth,
                     outcome *of)
{
    const orthant_segmentation_options options = {sizeof options, of->threshold, of->components};
    int64_t size[2], true_size[2];
    int failed = 0;
    if (orthant_label_images_count(found) != 1)
        return usage_error("%s: holds %" PRId64 " label images, expected one found segmentation",
                           given->word[0], orthant_label_images_count(found));
    const int32_t *labels = orthant_label_images_at(found, 0, &size[0], &size[1]);
    of->count = orthant_label_images_count(truth);
    of->each = calloc((size_t)of->count + 1, sizeof *of->each);
    if (!of->each) {
        usage_error("out of memory");
        return EXIT_FAILED;
    }
    for (int64_t i = 0; i < of->count && !failed; i++) {
        orthant_label_images_at(truth, i, &true_size[0], &true_size[1]);
        if (size[0] != true_size[0] || size[1] != true_size[1])
            failed = refuse_size(given, size, true_size);
    }
    of->mean.size = sizeof of->mean;
    for (int64_t i = 0; i < of->count; i++)
        of->each[i].size = sizeof of->each[i];
    for (int64_t i = 0; i < of->count && !failed; i++)
        failed = report_failure(ctx, orthant_score_segmentation(
                                         ctx, labels, orthant_label_images_at(truth, i, NULL, NULL),
                                         size[0], size[1], &options, &of->each[i]));
    if (!failed)
        orthant_segmentation_mean(of->each, of->count, &of->mean);
    return failed;
}

int run_score_segmentation(const arguments *given)
{
    orthant_context *ctx = NULL;
    orthant_label_images *found = NULL, *truth = NULL;
    outcome of = {.components = option_given(given, OPTION_COMPONENTS)};
    talk speech;
    int failed = option_number(given, OPTION_THRESHOLD, 0.5, 1.0, 0.75, &of.threshold);
    if (!failed && of.threshold <= 0.5)
        failed = usage_error("--threshold %s: expected more than 0.5",
                             option_value(given, OPTION_THRESHOLD));
    if (!failed)
        failed = context_open(given, &speech, &ctx);
    if (!failed)
        failed = report_failure(ctx, orthant_label_images_read(ctx, given->word[0], &found));
    if (!failed)
        failed = report_failure(ctx, orthant_label_images_read(ctx, given->word[1], &truth));
    if (!failed)
        failed = score_all(ctx, given, found, truth, &of);
    if (!failed) {
        if (option_given(given, OPTION_JSON))
            write_outcome(&of);
        else
            print_outcome(&of);
        failed = finish_output();
    }
    free(of.each);
    orthant_label_images_free(truth);
    orthant_label_images_free(found);
    orthant_context_free(ctx);
    return failed;
}
