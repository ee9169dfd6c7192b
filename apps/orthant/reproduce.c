/* orthant reproduce: a paper's tables beside ours, and the summary of both. */
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "json.h"
#include "text.h"

#define MOST_PAPERS 16

/* Its name, or the exit status after the error was told. */
static int check_paper(const char *name)
{
    const char *candidates[MOST_PAPERS];
    char known[200] = "", text[80];
    int count = 0;
    orthant_paper_info paper = {.size = sizeof paper};
    for (; count < MOST_PAPERS && !orthant_paper_at(count, &paper); count++) {
        if (!strcmp(paper.name, name))
            return 0;
        candidates[count] = paper.name;
        append_text(known, sizeof known, "%s%s", count ? ", " : "", paper.name);
    }
    return usage_error("reproduce: there is no paper '%s'%s; known are %s", name,
                       suggestion(name, candidates, count, text, sizeof text), known);
}

static int parse(const arguments *given, orthant_reproduce_options *options)
{
    options->data = option_value(given, OPTION_DATA);
    options->output = option_value(given, OPTION_OUTPUT);
    options->tables = option_value(given, OPTION_TABLES);
    options->figures = option_value(given, OPTION_FIGURES);
    options->claims = option_value(given, OPTION_CLAIMS);
    options->quick = option_given(given, OPTION_QUICK);
    options->command = given->line;
    if (!options->data)
        return usage_error("reproduce: --data DIR is missing: the folder with the data sets");
    if (!options->output)
        return usage_error("reproduce: -o RUN is missing: the folder for the tables and figures");
    int failed = option_whole(given, OPTION_REPEATS, 1, 100000, 0, &options->repeats);
    return failed ? failed : option_whole(given, OPTION_SEED, 0, INT32_MAX, 1, &options->seed);
}

static void put_tables(const arguments *given, const orthant_reproduction *made, const char *tables)
{
    json_printer json = {.file = stdout, .compact = true};
    json_begin_object(&json, NULL);
    json_put_text(&json, "paper", given->word[0]);
    if (made) {
        json_put_text(&json, "output", option_value(given, OPTION_OUTPUT));
        json_put_integer(&json, "runs", orthant_reproduction_run_count(made));
        json_put_integer(&json, "failures", orthant_reproduction_failure_count(made));
    }
    json_put_json(&json, "tables", tables);
    json_end(&json);
}

/* The averages and where the report is, or all tables for a paper. */
static int print_tables(const arguments *given, orthant_context *ctx,
                        const orthant_reproduction *made)
{
    const char *format = option_value(given, OPTION_FORMAT);
    const bool json = option_given(given, OPTION_JSON);
    char *text = NULL;
    const int failed = report_failure(ctx, orthant_reproduction_tables(made,
                                                                       json     ? "json"
                                                                       : format ? format
                                                                                : "text",
                                                                       &text));
    if (failed)
        return failed;
    if (json)
        put_tables(given, made, text);
    else
        fputs(text, stdout);
    orthant_text_free(ctx, text);
    if (!format && !json)
        printf("report: %s/report.html\n", option_value(given, OPTION_OUTPUT));
    return finish_output();
}

/* --list and --digits: texts that need no runs. */
static int print_text(const arguments *given)
{
    const char *format = option_value(given, OPTION_FORMAT), *paper = given->word[0];
    orthant_context *ctx = NULL;
    talk speech;
    char *text = NULL;
    int failed = context_open(given, &speech, &ctx);
    if (failed)
        return failed;
    if (!format)
        format = option_given(given, OPTION_JSON) ? "json" : "text";
    failed = report_failure(
        ctx, option_given(given, OPTION_DIGITS)
                 ? orthant_paper_digits(ctx, paper, format, &text)
                 : orthant_paper_items(ctx, paper, option_value(given, OPTION_DATA),
                                       option_value(given, OPTION_OUTPUT), format, &text));
    if (!failed && !strcmp(format, "json") && option_given(given, OPTION_DIGITS))
        put_tables(given, NULL, text);
    else if (!failed)
        fputs(text, stdout);
    if (!failed)
        failed = finish_output();
    orthant_text_free(ctx, text);
    orthant_context_free(ctx);
    return failed;
}

static int check_json(const arguments *given)
{
    return option_given(given, OPTION_JSON) && option_given(given, OPTION_FORMAT)
               ? usage_error("reproduce: --json and --format exclude each other")
               : 0;
}

int run_reproduce(const arguments *given)
{
    orthant_context *ctx = NULL;
    orthant_reproduction *made = NULL;
    orthant_reproduce_options options = {.size = sizeof options};
    talk speech;
    int failed = check_paper(given->word[0]);
    if (!failed)
        failed = check_json(given);
    if (!failed && (option_given(given, OPTION_DIGITS) || option_given(given, OPTION_LIST)))
        return print_text(given);
    if (!failed)
        failed = parse(given, &options);
    if (!failed)
        failed = context_open(given, &speech, &ctx);
    if (failed)
        return failed;
    interrupt_watch();
    const orthant_status status = orthant_reproduce(ctx, given->word[0], &options, &made);
    talk_clear(&speech);
    if (status == ORTHANT_STOPPED) {
        failed = interrupt_tell("stopped; the same command goes on in %s", options.output);
    } else {
        failed = report_failure(ctx, status);
    }
    if (!failed)
        failed = print_tables(given, ctx, made);
    if (!failed && orthant_reproduction_failure_count(made)) {
        usage_error("%lld of %lld runs could not be done, the first: %s",
                    (long long)orthant_reproduction_failure_count(made),
                    (long long)orthant_reproduction_run_count(made),
                    orthant_reproduction_failure(made));
        failed = EXIT_FAILED;
    }
    orthant_reproduction_free(made);
    orthant_context_free(ctx);
    return failed;
}
