/* orthant compare: a study from the options, or the tables of one that was. */
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "data.h"
#include "json.h"
#include "text.h"

#define NAME_BYTES 256

typedef struct comparison {
    const arguments *given;
    talk speech;
    orthant_context *ctx;
    const char *output;
    orthant_study *study;
    int count;
    orthant_matrix **samples;
    orthant_labels **truth;
    char (*name)[NAME_BYTES]; /* of the data */
} comparison;

static void put_measures(json_printer *json, const orthant_study_measures *found)
{
    json_put_number(json, "accuracy", found->accuracy);
    json_put_number(json, "nmi", found->nmi);
    json_put_number(json, "ari", found->ari);
    json_put_number(json, "purity", found->purity);
    json_put_number(json, "sparseness", found->sparseness);
    json_put_number(json, "objective", found->objective);
    json_put_number(json, "iterations", found->iterations);
    json_put_number(json, "seconds", found->seconds);
}

/* The rows of results.csv. */
static void put_rows(json_printer *json, const orthant_study *study)
{
    orthant_study_row row = {.size = sizeof row};
    json_begin_array(json, "rows");
    for (int64_t i = 0; !orthant_study_row_at(study, i, &row); i++) {
        json_begin_object(json, NULL);
        json_put_text(json, "dataset", row.dataset);
        json_put_text(json, "method", row.method);
        json_put_integer(json, "classes", row.classes);
        json_put_integer(json, "repeat", row.repeat);
        json_put_integer(json, "seed", row.seed);
        put_measures(json, &row.found);
        json_end(json);
    }
    json_end(json);
}

static int put_results(const comparison *c)
{
    json_printer json = {.file = stdout, .compact = true};
    char *tables = NULL;
    const int failed = report_failure(c->ctx, orthant_study_tables(c->study, "json", &tables));
    if (failed)
        return failed;
    json_begin_object(&json, NULL);
    json_put_text(&json, "output", c->output);
    json_put_integer(&json, "runs", orthant_study_row_count(c->study));
    json_put_integer(&json, "failures", orthant_study_failure_count(c->study));
    put_rows(&json, c->study);
    json_put_json(&json, "tables", tables);
    json_end(&json);
    orthant_text_free(c->ctx, tables);
    return 0;
}

/* On the screen, or for a paper. */
static int print_results(const comparison *c)
{
    const char *format = option_value(c->given, OPTION_FORMAT);
    char *text = NULL;
    if (option_given(c->given, OPTION_JSON))
        return put_results(c);
    const int failed =
        report_failure(c->ctx, orthant_study_tables(c->study, format ? format : "text", &text));
    if (!failed)
        fputs(text, stdout);
    orthant_text_free(c->ctx, text);
    return failed;
}

/* The command's own options; the others are the study's. */
static bool is_own(option_id id)
{
    static const option_id own[] = {OPTION_OUTPUT,    OPTION_RESUME,  OPTION_FROM,   OPTION_FORMAT,
                                    OPTION_PRECISION, OPTION_THREADS, OPTION_MEMORY, OPTION_JSON,
                                    OPTION_QUIET,     OPTION_PROGRESS};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (own[i] == id)
            return true;
    return false;
}

/* The tables of a results.csv. */
static int print_from(comparison *c, const char *file)
{
    if (c->given->count || c->output)
        return usage_error("compare: --from %s takes no DATA and no -o: nothing is run", file);
    for (int i = 0; i < c->given->options; i++) {
        const option_id id = c->given->option[i].id;
        if (!is_own(id))
            return usage_error("compare: --from %s takes no --%s: it prints the whole file and "
                               "nothing is run",
                               file, option_describe(id)->name);
    }
    const int failed = report_failure(c->ctx, orthant_study_read(c->ctx, file, &c->study));
    return failed ? failed : print_results(c);
}

static int set_options(comparison *c)
{
    int failed = report_failure(c->ctx, orthant_study_set(c->study, "command", c->given->line));
    for (int i = 0; i < c->given->options && !failed; i++) {
        const char *value = c->given->option[i].value;
        if (!is_own(c->given->option[i].id))
            failed = report_failure(
                c->ctx, orthant_study_set(c->study, option_describe(c->given->option[i].id)->name,
                                          value ? value : "yes"));
    }
    return failed;
}

/* "data/ORL_32x32.mat" is ORL_32x32; a name that is there already gets a number. */
static void name_data(const comparison *c, int index)
{
    const char *path = c->given->word[index];
    char *name = c->name[index];
    const size_t end = strlen(path) - (strlen(path) > 1 && path[strlen(path) - 1] == '/');
    size_t begin = end;
    while (begin > 0 && path[begin - 1] != '/')
        begin--;
    snprintf(name, NAME_BYTES - 16, "%.*s", (int)(end - begin), path + begin);
    char *colon = strchr(name, ':'), *dot;
    if (colon && colon > name && !path_exists(path))
        *colon = '\0';
    for (int i = 0; i < 2 && !path_is_folder(path); i++)
        if ((dot = strrchr(name, '.')) && dot > name && (i == 0 || !strcmp(dot, ".tar")))
            *dot = '\0';
    for (char *at = name; *at; at++)
        *at = (unsigned char)*at < ' ' ? '_' : *at;
    const size_t length = strlen(name);
    for (int number = 2;; number++) {
        bool there = false;
        for (int i = 0; i < index; i++)
            there = there || !strcmp(c->name[i], name);
        if (!there)
            return;
        snprintf(name + length, 16, "-%d", number);
    }
}

static int read_data(comparison *c)
{
    const size_t count = (size_t)c->given->count;
    int failed = 0;
    c->samples = calloc(count, sizeof *c->samples);
    c->truth = calloc(count, sizeof *c->truth);
    c->name = calloc(count, sizeof *c->name);
    if (!c->samples || !c->truth || !c->name) {
        usage_error("out of memory");
        return EXIT_FAILED;
    }
    for (int i = 0; i < c->given->count && !failed; i++) {
        const char *path = c->given->word[i];
        c->count = i + 1;
        failed = data_read(c->given, c->ctx, &c->speech, path, &c->samples[i], &c->truth[i]);
        name_data(c, i);
        if (!failed)
            failed = report_failure(c->ctx, orthant_study_add_data(c->study, c->name[i], path,
                                                                   c->samples[i], c->truth[i]));
    }
    return failed;
}

/* Whether and how a study that was stopped can go on. */
static int tell_stop(const comparison *c)
{
    return c->output
               ? interrupt_tell("%s; the same command goes on in %s", orthant_message(c->ctx),
                                c->output)
               : interrupt_tell("%s; with -o RUN a study can go on later", orthant_message(c->ctx));
}

static int run_study(comparison *c)
{
    int failed = report_failure(c->ctx, orthant_study_create(c->ctx, &c->study));
    if (!failed)
        failed = set_options(c);
    /* Methods and parameters before the data: a mistyped name is told at once. */
    if (!failed)
        failed = report_failure(c->ctx, orthant_study_check(c->study));
    if (!failed)
        failed = read_data(c);
    if (failed)
        return failed;
    interrupt_watch();
    const orthant_status status = orthant_study_run(c->study, c->output);
    c->speech.finishing = true;
    talk_clear(&c->speech);
    if (status == ORTHANT_STOPPED)
        return tell_stop(c);
    failed = report_failure(c->ctx, status);
    if (failed)
        return failed;
    const bool json = option_given(c->given, OPTION_JSON);
    if (json || orthant_study_row_count(c->study))
        failed = print_results(c);
    if (!failed && c->output && !json && !option_given(c->given, OPTION_FORMAT))
        printf("\n%s: report.html, results.csv, summary.csv, study.json, runs\n", c->output);
    const int64_t failures = orthant_study_failure_count(c->study);
    if (!failed && failures) {
        usage_error("%lld of %lld runs could not be done, the first: %s", (long long)failures,
                    (long long)orthant_study_run_count(c->study),
                    orthant_study_failure(c->study, 0));
        failed = EXIT_FAILED;
    }
    return failed;
}

int run_compare(const arguments *given)
{
    comparison c = {.given = given, .output = option_value(given, OPTION_OUTPUT)};
    const char *from = option_value(given, OPTION_FROM);
    int failed = context_open(given, &c.speech, &c.ctx);
    if (failed)
        return failed;
    if (option_given(given, OPTION_JSON) && option_given(given, OPTION_FORMAT))
        failed = usage_error("compare: --json and --format exclude each other");
    else if (from)
        failed = print_from(&c, from);
    else if (!given->count)
        failed = usage_error("compare: DATA is missing; see orthant help compare");
    else
        failed = run_study(&c);
    if (!failed)
        failed = finish_output();
    orthant_study_free(c.study);
    for (int i = 0; i < c.count; i++) {
        orthant_matrix_free(c.samples[i]);
        orthant_labels_free(c.truth[i]);
    }
    free(c.samples);
    free(c.truth);
    free(c.name);
    orthant_context_free(c.ctx);
    return failed;
}
