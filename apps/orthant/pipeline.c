/* Each stage of fit and cluster as one function; the caller runs them in order. */
#include "pipeline.h"

#include <stdlib.h>
#include <string.h>

#include "data.h"
#include "report/words.h"

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
    if (line->output)
        failed = report_failure(line->ctx, orthant_run_check(line->ctx, line->output));
    if (!failed)
        failed = options_as_settings(given, &line->settings);
    return failed;
}

/* For the record: where the true labels come from. */
static void tell_truth(pipeline *line)
{
    const char *given = option_value(line->given, OPTION_TRUTH);
    if (line->truth)
        snprintf(line->truth_source, sizeof line->truth_source, "%s%s", given ? given : line->path,
                 given ? "" : " (found with the data)");
}

static int begin_trial(pipeline *line)
{
    int64_t rank;
    const int failed = option_whole(line->given, OPTION_RANK, INT64_MIN, INT64_MAX, 0, &rank);
    const settings given = {line->given->options, line->settings};
    return failed ? failed
                  : report_failure(line->ctx, trial_begin(line->ctx, given, rank, &line->trial));
}

/* Some of the classes, where that was asked for. */
static int draw_some(pipeline *line)
{
    const char *similarity = option_value(line->given, OPTION_SIMILARITY);
    int64_t classes;
    const int failed = option_whole(line->given, OPTION_CLASSES, 1, INT64_MAX, 0, &classes);
    if (failed || !classes)
        return failed;
    return report_failure(line->ctx,
                          draw_classes(line->ctx, line->path, line->samples, line->truth, classes,
                                       line->trial.seed, similarity && !strcmp(similarity, "given"),
                                       &line->draw));
}

static int give_data(pipeline *line)
{
    const study_draw *draw = line->draw.samples ? &line->draw : NULL;
    return report_failure(line->ctx,
                          trial_give(&line->trial, line->path, draw ? draw->samples : line->samples,
                                     draw ? draw->truth : line->truth, draw));
}

int pipeline_prepare(pipeline *line)
{
    interrupt_watch();
    /* The model before the data: a mistyped name is told at once. */
    int failed = begin_trial(line);
    if (!failed)
        failed = data_read(line->given, line->ctx, &line->speech, line->path, &line->samples,
                           &line->truth);
    if (!failed)
        tell_truth(line);
    if (!failed)
        failed = data_scale(line->ctx, line->scale, line->samples, &line->scale_statistics);
    if (!failed && option_given(line->given, OPTION_WORDS))
        failed = report_failure(line->ctx,
                                words_check(line->ctx, option_value(line->given, OPTION_WORDS),
                                            orthant_matrix_columns(line->samples)));
    if (!failed)
        failed = draw_some(line);
    return failed ? failed : give_data(line);
}

int pipeline_fit(pipeline *line)
{
    int failed = pipeline_prepare(line);
    if (!failed)
        failed = report_failure(line->ctx, trial_fit(&line->trial));
    line->speech.finishing = true;
    talk_clear(&line->speech);
    return failed;
}

int pipeline_label(pipeline *line)
{
    const orthant_status status = trial_label(&line->trial);
    talk_clear(&line->speech);
    return report_failure(line->ctx, status);
}

orthant_run pipeline_run(const pipeline *line)
{
    orthant_run run = trial_run(&line->trial);
    run.command = line->given->line;
    run.data_path = line->path;
    run.scale = line->scale;
    run.scale_statistics = line->scale_statistics;
    run.truth = line->truth ? line->truth_source : NULL;
    run.truth_labels = line->trial.truth;
    run.drawn_classes = option_value(line->given, OPTION_CLASSES);
    run.sample_rows = line->draw.row;
    run.words = option_value(line->given, OPTION_WORDS);
    return run;
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
    trial_free(&line->trial);
    draw_free(&line->draw);
    orthant_labels_free(line->truth);
    orthant_matrix_free(line->scale_statistics);
    orthant_matrix_free(line->samples);
    orthant_context_free(line->ctx);
    free(line->settings);
}

const char *pipeline_ending(const pipeline *line)
{
    if (orthant_result_stopped(line->trial.result))
        return !interrupt_seen()         ? "stopped at the time limit"
               : interrupt_exit() == 143 ? "stopped by SIGTERM"
                                         : "stopped by Ctrl-C";
    return orthant_result_converged(line->trial.result) ? "converged" : "not converged";
}
