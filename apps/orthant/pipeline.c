#include "pipeline.h"

#include <string.h>

#include "best_of.h"
#include "check.h"
#include "data.h"
#include "model.h"

int pipeline_open(const arguments *given, pipeline *line)
{
    *line = (pipeline){.given = given};
    int failed = context_open(given, &line->speech, &line->ctx);
    if (failed)
        return failed;
    line->path = given->word[0];
    line->output = option_value(given, OPTION_OUTPUT);
    line->scale = option_value(given, OPTION_SCALE);
    if (!option_given(given, OPTION_RANK))
        return usage_error("%s: -k K is missing: the number of parts or clusters",
                           given->command->name);
    failed = option_whole(given, OPTION_RANK, INT64_MIN, INT64_MAX, 0, &line->rank);
    if (!failed && line->output)
        failed = report_failure(line->ctx, orthant_run_check(line->ctx, line->output));
    return failed;
}

static int read_label_file(pipeline *line, const char *file)
{
    const int failed =
        report_failure(line->ctx, orthant_labels_read(line->ctx, file, &line->known));
    const int64_t samples = orthant_matrix_rows(line->samples);
    if (failed || orthant_labels_count(line->known) == samples)
        return failed;
    return usage_error("%s: found %lld labels, expected one for each of the %lld samples of %s",
                       file, (long long)orthant_labels_count(line->known), (long long)samples,
                       line->path);
}

/* Labels for the method: from a file, or a share of the truth. */
static int read_labels(pipeline *line)
{
    const arguments *given = line->given;
    const char *file = option_value(given, OPTION_LABELS);
    double fraction;
    const int failed = option_number(given, OPTION_LABELLED_FRACTION, 0, 1, 0, &fraction);
    if (failed)
        return failed;
    if (file && option_given(given, OPTION_LABELLED_FRACTION))
        return usage_error("--labels and --labelled-fraction exclude each other");
    if (file)
        return read_label_file(line, file);
    if (!option_given(given, OPTION_LABELLED_FRACTION))
        return 0;
    if (!line->truth)
        return usage_error(
            "--labelled-fraction: the true labels of %s are not known; give --truth FILE",
            line->path);
    return report_failure(line->ctx, orthant_labels_keep_fraction(line->ctx, line->truth, fraction,
                                                                  model_seed(line), &line->known));
}

/* For the record: where the true labels come from. */
static void tell_truth(pipeline *line)
{
    const char *given = option_value(line->given, OPTION_TRUTH);
    if (line->truth)
        snprintf(line->truth_source, sizeof line->truth_source, "%s%s", given ? given : line->path,
                 given ? "" : " (found with the data)");
}

int pipeline_fit(pipeline *line)
{
    interrupt_watch();
    /* The model before the data: a mistyped name is told at once. */
    int failed = model_make(line);
    if (!failed)
        failed = check_labelling(line);
    if (!failed)
        failed = check_starts(line->given);
    if (!failed)
        failed = data_read(line->given, line->ctx, line->path, &line->samples, &line->truth);
    if (!failed)
        tell_truth(line);
    if (!failed)
        failed = data_scale(line->ctx, line->scale, line->samples, &line->scale_statistics);
    if (!failed)
        failed = read_labels(line);
    if (!failed)
        failed = model_give_inputs(line);
    if (!failed)
        failed = report_failure(line->ctx, orthant_fit(line->model, line->samples, &line->result));
    line->speech.finishing = true;
    talk_clear(&line->speech);
    return failed;
}

/* "kmeans" is "kmeans:encoding"; the default is the result's own rule. */
static void choose_rule(pipeline *line)
{
    const char *given = option_value(line->given, OPTION_LABELS_RULE);
    const char *rule = given ? given : orthant_result_labels_rule(line->result);
    const bool whole = strchr(rule, ':') || !strcmp(rule, "best-of");
    snprintf(line->rule, sizeof line->rule, "%s%s", rule, whole ? "" : ":encoding");
}

int pipeline_label(pipeline *line)
{
    int64_t restarts, clusters;
    orthant_status status;
    int failed = option_whole(line->given, OPTION_RESTARTS, 1, 1000000, 10, &restarts);
    if (!failed)
        failed = option_whole(line->given, OPTION_CLUSTERS, 1, INT64_MAX, model_clusters(line),
                              &clusters);
    if (failed)
        return failed;
    choose_rule(line);
    if (!strcmp(line->rule, "best-of") && *line->method.read_outs)
        status = best_of(line, clusters, (int)restarts);
    else
        status = orthant_result_labels(line->result, line->rule, clusters, (int)restarts,
                                       model_seed(line), &line->found);
    talk_clear(&line->speech);
    if (!status && line->truth) {
        status = orthant_score_labels(line->ctx, line->found, line->truth, &line->scores);
        line->scored = !status;
    }
    return report_failure(line->ctx, status);
}

orthant_run pipeline_run(const pipeline *line)
{
    const char *labels = option_value(line->given, OPTION_LABELS);
    return (orthant_run){
        .command = line->given->line,
        .data_path = line->path,
        .scale = line->scale,
        .scale_statistics = line->scale_statistics,
        .init = line->init_folder,
        .graph = line->graph ? option_value(line->given, OPTION_GRAPH) : NULL,
        .labelled = labels ? labels : option_value(line->given, OPTION_LABELLED_FRACTION),
        .truth = line->truth ? line->truth_source : NULL,
        .samples = line->samples,
        .model = line->model,
        .result = line->result,
        .labels = line->found,
        .labels_rule = line->found ? line->rule : NULL,
        .scores = line->scored ? &line->scores : NULL,
        .read_outs = line->read_outs,
        .read_out_count = line->read_out_count,
    };
}

int pipeline_save(pipeline *line)
{
    const orthant_run run = pipeline_run(line);
    return line->output
               ? report_failure(line->ctx, orthant_run_write(line->ctx, &run, line->output))
               : 0;
}

void pipeline_close(pipeline *line)
{
    orthant_labels_free(line->found);
    orthant_result_free(line->result);
    orthant_model_free(line->model);
    for (int i = 0; i < line->start_count; i++)
        orthant_matrix_free(line->starts[i]);
    orthant_matrix_free(line->pooling);
    orthant_graph_free(line->graph);
    orthant_labels_free(line->known);
    orthant_labels_free(line->truth);
    orthant_matrix_free(line->scale_statistics);
    orthant_matrix_free(line->samples);
    orthant_context_free(line->ctx);
}

const char *pipeline_ending(const pipeline *line)
{
    if (orthant_result_stopped(line->result))
        return interrupt_seen() ? "stopped by Ctrl-C" : "stopped at the time limit";
    return orthant_result_converged(line->result) ? "converged" : "not converged";
}
