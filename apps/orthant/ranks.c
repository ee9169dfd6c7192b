/* orthant ranks: a survey of ranks from the options; and the one behind -k auto. */
#include "ranks.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "data.h"

#define CLUSTER_REPEATS "10" /* of -k auto */

/* The options that are settings of a survey have its names. */
static const option_id survey_options[] = {
    OPTION_METHOD,  OPTION_REPEATS, OPTION_CRITERIA,   OPTION_NOISE,     OPTION_PARAMETER,
    OPTION_LOSS,    OPTION_TERM,    OPTION_ITERATIONS, OPTION_TOLERANCE, OPTION_SEED,
    OPTION_INIT,    OPTION_SOLVER,  OPTION_GRAPH,      OPTION_WEIGHTS,   OPTION_SEARCH,
    OPTION_POOLING, OPTION_MISSING, OPTION_RANK};

static bool is_survey_option(option_id id)
{
    for (size_t i = 0; i < sizeof survey_options / sizeof *survey_options; i++)
        if (survey_options[i] == id)
            return true;
    return false;
}

static int make_survey(const arguments *given, orthant_context *ctx, const char *repeats,
                       orthant_ranks **survey)
{
    int failed = report_failure(ctx, orthant_ranks_create(ctx, survey));
    if (!failed)
        failed = report_failure(ctx, orthant_ranks_set(*survey, "command", given->line));
    if (!failed && repeats)
        failed = report_failure(ctx, orthant_ranks_set(*survey, "repeats", repeats));
    for (int i = 0; i < given->options && !failed; i++) {
        const option_id id = given->option[i].id;
        const char *value = given->option[i].value;
        if (is_survey_option(id) && !(id == OPTION_RANK && !strcmp(value, "auto")))
            failed =
                report_failure(ctx, orthant_ranks_set(*survey, option_describe(id)->name, value));
    }
    return failed ? failed : report_failure(ctx, orthant_ranks_check(*survey));
}

/* ---- for fit and cluster ----------------------------------------------------------------------
 */

bool ranks_wanted(const arguments *given)
{
    const char *rank = option_value(given, OPTION_RANK);
    return rank && (!strcmp(rank, "auto") || strpbrk(rank, ":,"));
}

int ranks_check(const arguments *given, orthant_context *ctx)
{
    orthant_ranks *survey = NULL;
    const int failed = make_survey(given, ctx, CLUSTER_REPEATS, &survey);
    orthant_ranks_free(survey);
    return failed;
}

static int add_line(char **lines, const char *line)
{
    const size_t before = *lines ? strlen(*lines) : 0, bytes = before + strlen(line) + 2;
    char *longer = realloc(*lines, bytes);
    if (!longer) {
        fprintf(stderr, "orthant: out of memory for the reasons of a rank\n");
        return EXIT_FAILED;
    }
    snprintf(longer + before, bytes - before, "%s\n", line);
    *lines = longer;
    return 0;
}

int ranks_find(const arguments *given, orthant_context *ctx, talk *speech,
               const orthant_matrix *samples, int64_t *rank, char **reasons)
{
    orthant_ranks *survey = NULL;
    const char *reason;
    int failed = make_survey(given, ctx, CLUSTER_REPEATS, &survey);
    const orthant_status status =
        failed ? ORTHANT_OK : orthant_ranks_run(survey, given->word[0], samples, NULL);
    talk_clear(speech);
    if (status == ORTHANT_STOPPED) {
        failed = interrupt_tell("%s; there is no rank yet", orthant_message(ctx));
    } else if (!failed) {
        failed = report_failure(ctx, status);
    }
    for (int i = 0; !failed && (reason = orthant_ranks_reason(survey, i)); i++) {
        talk_note(speech, "%s", reason);
        failed = add_line(reasons, reason);
    }
    *rank = orthant_ranks_recommended(survey);
    orthant_ranks_free(survey);
    return failed;
}

/* ---- orthant ranks ----------------------------------------------------------------------------
 */

typedef struct inquiry {
    const arguments *given;
    talk speech;
    orthant_context *ctx;
    const char *output;
    orthant_ranks *survey;
    orthant_matrix *samples, *statistics;
} inquiry;

static int print_results(const inquiry *q)
{
    const char *format = option_value(q->given, OPTION_FORMAT);
    char *text = NULL;
    const int failed = report_failure(
        q->ctx, option_given(q->given, OPTION_JSON)
                    ? orthant_ranks_describe(q->survey, &text)
                    : orthant_ranks_tables(q->survey, format ? format : "text", &text));
    if (!failed)
        fputs(text, stdout);
    if (!failed && q->output && !format && !option_given(q->given, OPTION_JSON))
        printf("\n%s: report.html, ranks.csv, fits.csv, ranks.json\n", q->output);
    orthant_text_free(q->ctx, text);
    return failed;
}

static int run_survey(inquiry *q)
{
    int failed = make_survey(q->given, q->ctx, NULL, &q->survey);
    if (!failed)
        failed = data_read(q->given, q->ctx, &q->speech, q->given->word[0], &q->samples, NULL);
    if (!failed)
        failed = data_scale(q->ctx, option_value(q->given, OPTION_SCALE), q->samples, NULL,
                            &q->statistics);
    if (failed)
        return failed;
    interrupt_watch();
    const orthant_status status =
        orthant_ranks_run(q->survey, q->given->word[0], q->samples, q->output);
    q->speech.finishing = true;
    talk_clear(&q->speech);
    if (status == ORTHANT_STOPPED)
        return q->output ? interrupt_tell("%s; the same command goes on in %s",
                                          orthant_message(q->ctx), q->output)
                         : interrupt_tell("%s; with -o RUN a survey can go on later",
                                          orthant_message(q->ctx));
    failed = report_failure(q->ctx, status);
    return failed ? failed : print_results(q);
}

int run_ranks(const arguments *given)
{
    inquiry q = {.given = given, .output = option_value(given, OPTION_OUTPUT)};
    int failed = context_open(given, &q.speech, &q.ctx);
    if (failed)
        return failed;
    failed = run_survey(&q);
    if (!failed)
        failed = finish_output();
    orthant_ranks_free(q.survey);
    orthant_matrix_free(q.statistics);
    orthant_matrix_free(q.samples);
    orthant_context_free(q.ctx);
    return failed;
}
