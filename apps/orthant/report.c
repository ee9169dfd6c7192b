/* orthant report: the report of a run, of several runs or of a study again, and their table. */
#include <stdio.h>
#include <string.h>

#include "command.h"

/* The table for the screen and where the report is, or all tables for a paper. */
static int print_tables(orthant_context *ctx, const char *folder, const char *format)
{
    char *text = NULL;
    const int failed =
        report_failure(ctx, orthant_run_tables(ctx, folder, format ? format : "text", &text));
    if (failed)
        return failed;
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
    int failed = context_open(given, &speech, &ctx);
    if (!failed && words)
        failed = report_failure(ctx, orthant_run_set_words(ctx, folder, words));
    if (!failed)
        failed = report_failure(ctx, orthant_run_report(ctx, folder));
    if (!failed)
        failed = print_tables(ctx, folder, option_value(given, OPTION_FORMAT));
    orthant_context_free(ctx);
    return failed;
}
