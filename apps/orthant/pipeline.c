/* Each stage of fit and cluster as one function; the caller runs them in order. */
#include "pipeline.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data.h"
#include "ranks.h"
#include "text.h"

#define CHECKPOINT_SECONDS 300

/* Where checkpoints go and how often: with -o, unless they are off. */
static int choose_checkpoint(pipeline *line)
{
    const arguments *given = line->given;
    const char *every = option_value(given, OPTION_CHECKPOINT);
    const bool off = every && !strcmp(every, "off"), resume = option_given(given, OPTION_RESUME);
    if (!line->output && ((every && !off) || resume))
        return usage_error("%s: --%s needs -o RUN: checkpoints lie beside the folder",
                           given->command->name, resume ? "resume" : "checkpoint");
    if (off && resume)
        return usage_error(
            "%s: --resume goes on from a checkpoint, and --checkpoint off wants none",
            given->command->name);
    if (off || !line->output)
        return 0;
    const int failed =
        option_number(given, OPTION_CHECKPOINT, 0, 1e9, CHECKPOINT_SECONDS, &line->checkpoint_s);
    return failed ? failed
                  : report_failure(line->ctx, orthant_run_checkpoint_path(line->ctx, line->output,
                                                                          &line->checkpoint));
}

/* Under mpirun the processes share the samples, and the first one speaks and writes. */
static int join_group(pipeline *line)
{
    int64_t threads = 0;
    if (processes_started() < 2)
        return 0;
    const int failed = report_failure(line->ctx, orthant_group_load(line->ctx, "mpi"));
    if (failed)
        return failed;
    if (!option_given(line->given, OPTION_THREADS))
        threads = processes_threads();
    if (threads > 0)
        orthant_context_set_threads(line->ctx, (int)threads);
    if (orthant_context_rank(line->ctx) > 0) {
        line->speech.quiet = true;
        line->speech.progress = false;
        line->follows = true;
        if (!freopen("/dev/null", "w", stdout))
            return EXIT_FAILED;
    }
    return 0;
}

/* After what each process did by itself: the failure of one is that of all. */
static int agree(const pipeline *line, int failed)
{
    const orthant_status own = failed == EXIT_USAGE ? ORTHANT_ERROR_ARGUMENT
                               : failed             ? ORTHANT_ERROR_IO
                                                    : ORTHANT_OK;
    const orthant_status found = orthant_group_agree(line->ctx, own);
    return failed ? failed : report_failure(line->ctx, found);
}

/* The first failure of all processes, in all of them; the first one tells it. */
static int report_shared(const pipeline *line, orthant_status status)
{
    return report_failure(line->ctx, orthant_group_agree(line->ctx, status));
}

/* RUN is this command's from now on. A fit that goes on replaces what it left when it was stopped.
 */
static int claim_output(pipeline *line)
{
    const bool replace =
        option_given(line->given, OPTION_FORCE) || option_given(line->given, OPTION_RESUME);
    orthant_status status = ORTHANT_OK;
    if (!line->output || option_given(line->given, OPTION_EXPLAIN))
        return 0;
    if (!line->follows)
        status = orthant_run_claim_take(line->ctx, line->output, replace, &line->claim);
    if (line->claim)
        talk_keep_history(&line->speech, orthant_run_claim_folder(line->claim));
    return report_shared(line, status);
}

int pipeline_open(const arguments *given, pipeline *line)
{
    *line = (pipeline){.given = given, .read = ORTHANT_READ_DEFAULTS};
    int failed = context_open(given, &line->speech, &line->ctx);
    if (!failed)
        failed = join_group(line);
    if (failed)
        return failed;
    line->path = given->word[0];
    line->output = option_value(given, OPTION_OUTPUT);
    line->scale = option_value(given, OPTION_SCALE);
    if (!option_given(given, OPTION_RANK))
        return usage_error("%s: -k K is missing: the number of parts or clusters",
                           given->command->name);
    interrupt_watch(); /* a claim is to be given back */
    failed = claim_output(line);
    return failed ? failed : choose_checkpoint(line);
}

/* The options that are settings of a trial have its names. */
static const option_id trial_options[] = {OPTION_METHOD,
                                          OPTION_LOSS,
                                          OPTION_ITERATIONS,
                                          OPTION_TOLERANCE,
                                          OPTION_SEED,
                                          OPTION_TIME_LIMIT,
                                          OPTION_SOLVER,
                                          OPTION_WEIGHTS,
                                          OPTION_SEARCH,
                                          OPTION_RESTARTS,
                                          OPTION_PARAMETER,
                                          OPTION_TERM,
                                          OPTION_GRAPH,
                                          OPTION_POOLING,
                                          OPTION_MASK,
                                          OPTION_MISSING,
                                          OPTION_BATCH,
                                          OPTION_SAMPLE_WEIGHTS,
                                          OPTION_FEATURE_WEIGHTS,
                                          OPTION_SIMILARITY,
                                          OPTION_INIT,
                                          OPTION_START,
                                          OPTION_FIX,
                                          OPTION_LABELS,
                                          OPTION_LABELS_RULE,
                                          OPTION_CLUSTERS,
                                          OPTION_LABELLED_FRACTION,
                                          OPTION_CLASSES,
                                          OPTION_LABELLED_PER_CLASS};

static int set_option(const pipeline *line, option_id id, const char *value)
{
    for (size_t i = 0; i < sizeof trial_options / sizeof *trial_options; i++)
        if (trial_options[i] == id)
            return report_failure(line->ctx,
                                  orthant_trial_set(line->trial, option_describe(id)->name, value));
    return 0;
}

/* The model before the data where the rank is known: a mistyped name is told at once. */
static int begin_trial(pipeline *line, int64_t rank)
{
    const arguments *given = line->given;
    int64_t classes;
    int failed = report_failure(line->ctx, orthant_trial_create(line->ctx, rank, &line->trial));
    for (int i = 0; i < given->options && !failed; i++)
        failed = set_option(line, given->option[i].id, given->option[i].value);
    for (int i = 0; i < line->setting_count && !failed; i++)
        failed = report_failure(line->ctx, orthant_trial_set(line->trial, line->settings[i].name,
                                                             line->settings[i].value));
    if (!failed)
        failed = report_failure(line->ctx, orthant_trial_prepare(line->trial));
    return failed ? failed : option_whole(given, OPTION_CLASSES, 1, INT64_MAX, 0, &classes);
}

/* What cannot be together with a survey of ranks. */
static int refuse_survey(const pipeline *line)
{
    static const option_id without[] = {
        OPTION_CLASSES,         OPTION_RESUME, OPTION_STREAM, OPTION_MASK, OPTION_SAMPLE_WEIGHTS,
        OPTION_FEATURE_WEIGHTS, OPTION_FIX,    OPTION_START,  OPTION_BATCH};
    for (size_t i = 0; i < sizeof without / sizeof *without; i++)
        if (option_given(line->given, without[i]))
            return usage_error("%s: -k %s and --%s cannot be together; `orthant ranks` finds the "
                               "number of parts, then give it",
                               line->given->command->name, option_value(line->given, OPTION_RANK),
                               option_describe(without[i])->name);
    if (processes_started() > 1)
        return usage_error("%s: -k %s takes one process: leave mpirun out",
                           line->given->command->name, option_value(line->given, OPTION_RANK));
    return 0;
}

/* By the entries that are known. */
static int scale_data(pipeline *line)
{
    const char *missing = option_value(line->given, OPTION_MISSING),
               *path = option_value(line->given, OPTION_MASK);
    orthant_matrix *mask = NULL;
    int failed = 0;
    if (!line->scale || !strcmp(line->scale, "none"))
        return 0;
    if (missing && !strcmp(missing, "zeros") && !strcmp(line->scale, "tfidf"))
        return usage_error("%s: --scale tfidf counts the samples that have a word, which --missing "
                           "zeros leaves unknown: --scale unit or max goes by what is stored",
                           line->given->command->name);
    if (path)
        failed = data_read_weights(line->ctx, path, &mask);
    if (!failed)
        failed = data_scale(line->ctx, line->scale, line->samples, mask, &line->scale_statistics);
    orthant_matrix_free(mask);
    return failed;
}

static int read_data(pipeline *line)
{
    const bool survey = ranks_wanted(line->given);
    int64_t rank = 0;
    int failed = survey ? refuse_survey(line)
                        : option_whole(line->given, OPTION_RANK, INT64_MIN, INT64_MAX, 0, &rank);
    if (!failed)
        failed = survey ? ranks_check(line->given, line->ctx) : begin_trial(line, rank);
    if (!failed)
        failed = data_read_with(line->given, line->ctx, &line->speech, line->path, &line->read,
                                &line->samples, &line->truth);
    if (!failed)
        failed = scale_data(line);
    if (!failed && survey)
        failed = ranks_find(line->given, line->ctx, &line->speech, line->samples, &rank,
                            &line->rank_reasons);
    if (!failed && survey)
        failed = begin_trial(line, rank);
    if (!failed)
        failed = report_failure(line->ctx, orthant_matrix_share(line->samples));
    if (!failed && option_given(line->given, OPTION_WORDS))
        failed = report_failure(
            line->ctx, orthant_run_check_words(line->ctx, option_value(line->given, OPTION_WORDS),
                                               orthant_matrix_columns(line->samples)));
    return failed ? failed
                  : report_failure(line->ctx, orthant_trial_set_data(line->trial, line->path,
                                                                     line->samples, line->truth));
}

int pipeline_prepare(pipeline *line)
{
    return agree(line, read_data(line));
}

static int begin_checkpoints(pipeline *line)
{
    const bool resume = option_given(line->given, OPTION_RESUME);
    if (!line->checkpoint)
        return 0;
    if (!resume && path_exists(line->checkpoint))
        talk_note(&line->speech,
                  "%s is left of a fit that did not end: --resume would go on from it, this fit "
                  "will replace it",
                  line->checkpoint);
    return report_failure(line->ctx, orthant_trial_set_checkpoint(line->trial, line->checkpoint,
                                                                  line->checkpoint_s, resume));
}

/* The run is written: of a fit that ended by itself nothing is left to do. */
static int end_checkpoints(pipeline *line)
{
    if (!line->checkpoint)
        return 0;
    if (!orthant_result_stopped(orthant_trial_result(line->trial)))
        return report_failure(line->ctx, orthant_trial_remove_checkpoint(line->trial));
    if (path_exists(line->checkpoint))
        talk_note(&line->speech, "the same command with --resume goes on from %s",
                  line->checkpoint);
    return 0;
}

int pipeline_fit(pipeline *line)
{
    int failed = pipeline_prepare(line);
    if (!failed)
        failed = begin_checkpoints(line);
    if (!failed)
        failed = report_failure(line->ctx, orthant_trial_fit(line->trial));
    line->speech.finishing = true;
    talk_clear(&line->speech);
    return failed;
}

int pipeline_label(pipeline *line)
{
    orthant_status status = orthant_trial_label(line->trial);
    talk_clear(&line->speech);
    if (!status && !line->follows)
        line->clusters = orthant_labels_classes(orthant_trial_labels(line->trial));
    if (line->clusters < 0)
        status = ORTHANT_ERROR_MEMORY;
    return report_shared(line, status);
}

/* The run as it is now. */
static orthant_run describe_run(const pipeline *line)
{
    orthant_run run = {.size = sizeof run};
    orthant_trial_run(line->trial, &run);
    run.command = line->given->line;
    run.data_path = line->path;
    run.read = &line->read;
    run.scale = line->scale;
    run.scale_statistics = line->scale_statistics;
    run.truth = line->truth ? orthant_labels_source(line->truth) : NULL;
    run.words = option_value(line->given, OPTION_WORDS);
    run.rank_reasons = line->rank_reasons;
    return run;
}

int pipeline_print_json(const pipeline *line)
{
    const orthant_run run = describe_run(line);
    char *text = NULL;
    const int failed = report_failure(line->ctx, orthant_run_describe(line->ctx, &run, &text));
    if (!failed)
        fputs(text, stdout);
    orthant_text_free(line->ctx, text);
    return failed;
}

int pipeline_save(pipeline *line)
{
    const orthant_run run = describe_run(line);
    if (!line->output)
        return 0;
    const int failed = report_shared(line, orthant_run_write(line->ctx, &run, line->output));
    return failed ? failed : agree(line, line->follows ? 0 : end_checkpoints(line));
}

void pipeline_close(pipeline *line)
{
    free(line->rank_reasons);
    talk_end_history(&line->speech);
    orthant_run_claim_free(line->claim);
    orthant_text_free(line->ctx, line->checkpoint);
    orthant_trial_free(line->trial);
    orthant_labels_free(line->truth);
    orthant_matrix_free(line->scale_statistics);
    orthant_matrix_free(line->samples);
    orthant_context_free(line->ctx);
}

void pipeline_print_starts(const pipeline *line)
{
    const orthant_result *result = orthant_trial_result(line->trial);
    const int64_t count = orthant_result_start_count(result);
    orthant_consensus_info consensus = {.size = sizeof consensus};
    double lowest = INFINITY, highest = -INFINITY;
    for (int64_t i = 0; i < count; i++) {
        lowest = fmin(lowest, orthant_result_start_objective(result, i));
        highest = fmax(highest, orthant_result_start_objective(result, i));
    }
    if (count > 1)
        printf("%-12s %" PRId64 ", objectives %.6g to %.6g%s\n", "starts", count, lowest, highest,
               orthant_result_consensus(result, &consensus) ? ", the lowest is kept" : "");
}

void pipeline_print_rank(const pipeline *line)
{
    const char *reason = line->rank_reasons;
    if (!reason)
        return;
    printf("%-12s %" PRId64 ", chosen from %s:\n", "rank",
           orthant_model_rank(orthant_trial_model(line->trial)),
           option_value(line->given, OPTION_RANK));
    while (*reason) {
        const int length = (int)strcspn(reason, "\n");
        printf("%-12s %.*s\n", "", length, reason);
        reason += length + (reason[length] == '\n');
    }
}

void pipeline_print_error(const pipeline *line)
{
    const orthant_result *result = orthant_trial_result(line->trial);
    const orthant_matrix *samples = orthant_trial_samples(line->trial);
    const int64_t missing = orthant_result_missing(result);
    const double entries =
        (double)orthant_matrix_total_rows(samples) * (double)orthant_matrix_columns(samples);
    if (missing > 0)
        printf("%-12s %" PRId64 " of %.0f entries (%.2f %%)\n", "missing", missing, entries,
               100 * (double)missing / entries);
    if (!isnan(orthant_result_relative_error(result)))
        printf("%-12s %6.2f %%  of |X|^2%s, relative error %.4g\n", "explained",
               100 * orthant_result_explained_variance(result),
               missing >= 0 ? " of the known entries" : "", orthant_result_relative_error(result));
}

void pipeline_tell_stop(const pipeline *line, int failed)
{
    const orthant_result *result = orthant_trial_result(line->trial);
    if (!failed && interrupt_seen() && orthant_result_stopped(result))
        interrupt_tell_iterations(line->output, orthant_result_iterations(result));
}

const char *pipeline_ending(const pipeline *line)
{
    if (orthant_result_stopped(orthant_trial_result(line->trial)))
        return !interrupt_seen()         ? "stopped at the time limit"
               : interrupt_exit() == 143 ? "stopped by SIGTERM"
                                         : "stopped by Ctrl-C";
    return orthant_result_converged(orthant_trial_result(line->trial)) ? "converged"
                                                                       : "not converged";
}
