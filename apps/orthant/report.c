/* orthant report: the report of a run, of several runs or of a study again, and their table. */
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "json.h"
#include "text.h"

#define PATH_LENGTH 4096

static int put_tables(const char *folder, const char *tables)
{
    json_printer json = {.file = stdout, .compact = true};
    char path[PATH_LENGTH];
    snprintf(path, sizeof path, "%s%sreport.html", folder,
             folder[strlen(folder) - 1] == '/' ? "" : "/");
    json_begin_object(&json, NULL);
    json_put_text(&json, "folder", folder);
    json_put_text(&json, "report", path);
    json_put_integer(&json, "bytes", path_bytes(path));
    json_put_json(&json, "tables", tables);
    json_end(&json);
    return finish_output();
}

/* The table for the screen and where the report is, or all tables for a paper. */
static int print_tables(orthant_context *ctx, const char *folder, const char *format, bool json)
{
    char *text = NULL;
    const char *wanted = json ? "json" : format ? format : "text";
    int failed = report_failure(ctx, orthant_run_tables(ctx, folder, wanted, &text));
    if (!failed && json)
        failed = put_tables(folder, text);
    if (failed || json) {
        orthant_text_free(ctx, text);
        return failed;
    }
    fputs(text, stdout);
    orthant_text_free(ctx, text);
    if (!format)
        printf("\nreport: %s%sreport.html\n", folder, folder[strlen(folder) - 1] == '/' ? "" : "/");
    return finish_output();
}

int run_report(const arguments *given)
{
    orthant_context *ctx = NULL;
    talk speech;
    const char *folder = given->word[0];
    const char *words = option_value(given, OPTION_WORDS);
    const char *format = option_value(given, OPTION_FORMAT);
    const bool json = option_given(given, OPTION_JSON);
    int failed = context_open(given, &speech, &ctx);
    if (!failed && json && format)
        failed = usage_error("report: --json and --format exclude each other");
    interrupt_watch();
    if (!failed && words)
        failed = report_failure(ctx, orthant_run_set_words(ctx, folder, words));
    if (!failed)
        failed = report_failure(ctx, orthant_run_report(ctx, folder));
    if (!failed)
        failed = print_tables(ctx, folder, format, json);
    orthant_context_free(ctx);
    return failed;
}
