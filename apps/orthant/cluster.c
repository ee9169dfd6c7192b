/* orthant cluster: the pipeline of fit, labels and scores, and their summary. */
#include <inttypes.h>
#include <math.h>

#include "hints.h"
#include "pipeline.h"

#define SIZES_SHOWN 12

static void print_score(const char *name, double score)
{
    if (!isnan(score))
        printf("%-12s %6.2f %%\n", name, 100 * score);
}

/* "frobenius + 0.1 graph + 1 class", for a model of a loss and terms. */
static void print_model(const orthant_model *model, const orthant_result *result)
{
    char loss[32];
    if (!orthant_model_term_count(model) || orthant_model_get(model, "loss", loss, sizeof loss))
        return;
    printf("%-12s %s", "model", loss);
    for (int i = 0; i < orthant_model_term_count(model); i++)
        printf(" + %g %s", orthant_result_term_weight(result, i), orthant_model_term(model, i));
    printf("\n");
}

/* All the ways that best-of chose from, so that nobody takes the best for the only one. */
static void print_read_outs(const pipeline *line)
{
    orthant_read_out read_out = {.size = sizeof read_out};
    for (int i = 0; i < orthant_trial_read_out_count(line->trial); i++) {
        if (orthant_trial_read_out(line->trial, i, &read_out))
            return;
        printf("%-12s %-22s", i ? "" : "read-outs", read_out.rule);
        if (read_out.scored)
            printf(" accuracy %6.2f %%, NMI %6.2f %%,", 100 * read_out.scores.accuracy,
                   100 * read_out.scores.nmi);
        printf(" spread %.4f%s\n", read_out.spread,
               !read_out.chosen  ? ""
               : read_out.scored ? "  <- best accuracy"
                                 : "  <- smallest spread");
    }
}

static void print_truth_scores(const pipeline *line, const orthant_scores *scores)
{
    print_score("accuracy", scores->accuracy);
    printf("%-12s %6.2f %%  (%s)\n", "NMI", 100 * score_nmi(line->given, scores),
           score_nmi_kind(line->given));
    print_score("V-measure", scores->v_measure);
    print_score("ARI", scores->ari);
    print_score("AMI", scores->ami);
    print_score("purity", scores->purity);
}

/* The clusters by themselves. Returns 0 or the exit status. */
static int print_clusters(const pipeline *line)
{
    int64_t sizes[SIZES_SHOWN];
    orthant_cluster_scores scores = {.size = sizeof scores};
    const orthant_labels *labels = orthant_trial_labels(line->trial);
    if (!labels || orthant_trial_cluster_scores(line->trial, &scores))
        return 0;
    if (scores.clusters <= SIZES_SHOWN) {
        const int failed =
            report_failure(line->ctx, orthant_labels_sizes(labels, SIZES_SHOWN, sizes));
        if (failed)
            return failed;
    }
    if (!isnan(scores.silhouette))
        printf("%-12s %6.3f    (%s)\n", "silhouette", scores.silhouette,
               scores.exact ? "of all pairs" : "simplified: to the centres");
    print_score("cohesion", scores.cohesion);
    printf("%-12s %" PRId64 " to %" PRId64 " samples", "sizes", scores.smallest, scores.largest);
    for (int64_t l = 0; l < scores.clusters && scores.clusters <= SIZES_SHOWN; l++)
        printf("%s%" PRId64, l ? " " : ": ", sizes[l]);
    printf("\n");
    return 0;
}

static int print_summary(const pipeline *line)
{
    const orthant_model *model = orthant_trial_model(line->trial);
    const orthant_matrix *samples = orthant_trial_samples(line->trial);
    const orthant_result *result = orthant_trial_result(line->trial);
    const orthant_matrix *encoding = orthant_result_factor(result, "encoding");
    orthant_method_info method = {.size = sizeof method};
    orthant_scores scores = {.size = sizeof scores};
    if (!orthant_method_info_by_name(line->ctx, orthant_model_method(model), &method))
        printf("%-12s %s (%s)\n", "method", method.name, method.title);
    print_model(model, result);
    pipeline_print_rank(line);
    printf("%-12s %s: %" PRId64 " samples, %" PRId64 " features\n", "data", hints_path(line->path),
           orthant_matrix_total_rows(samples), orthant_matrix_columns(samples));
    printf("%-12s %" PRId64 " in %.2f s, %s\n", "iterations", orthant_result_iterations(result),
           orthant_trial_seconds(line->trial), pipeline_ending(line));
    pipeline_print_starts(line);
    printf("%-12s %.8g\n", "objective", orthant_result_objective(result));
    pipeline_print_error(line);
    printf("%-12s %" PRId64 " by %s\n", "clusters", line->clusters,
           orthant_trial_labels_rule(line->trial));
    print_read_outs(line);
    if (line->truth && !orthant_trial_scores(line->trial, &scores)) {
        print_truth_scores(line, &scores);
    } else {
        printf("%-12s no true labels known; give them with --truth\n", "scores");
    }
    const int failed = print_clusters(line);
    if (encoding && !failed)
        print_score("sparseness", orthant_score_sparseness(encoding));
    if (line->output && !failed)
        printf("%-12s %s\n", "run", line->output);
    return failed;
}

int run_cluster(const arguments *given)
{
    pipeline line;
    if (option_given(given, OPTION_EXPLAIN))
        return explain_plan(given);
    int failed = pipeline_open(given, &line);
    if (!failed)
        failed = pipeline_fit(&line);
    if (!failed)
        failed = pipeline_label(&line);
    if (!failed)
        failed = pipeline_save(&line);
    if (!failed && option_given(given, OPTION_JSON)) {
        failed = pipeline_print_json(&line);
    } else if (!failed) {
        failed = print_summary(&line);
    }
    if (!failed)
        failed = finish_output();
    pipeline_tell_stop(&line, failed);
    pipeline_close(&line);
    return failed;
}
