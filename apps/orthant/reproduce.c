/* orthant reproduce: a paper's tables beside ours, and the summary of both. */
#include "reproduce/reproduce.h"

#include <math.h>
#include <string.h>

#include "command.h"

static int unknown_paper(const char *name)
{
    const char *candidates[16];
    char known[200] = "", text[80];
    int count = 0;
    const reproducible *paper;
    for (int i = 0; (paper = reproducible_at(i)) && i < 16; i++) {
        candidates[count++] = paper->name;
        snprintf(known + strlen(known), sizeof known - strlen(known), "%s%s", i ? ", " : "",
                 paper->name);
    }
    return usage_error("reproduce: there is no paper '%s'%s; known are %s", name,
                       suggestion(name, candidates, count, text, sizeof text), known);
}

static int parse(const arguments *given, reproduce_request *request)
{
    const char *format = option_value(given, OPTION_FORMAT);
    sheet_format kind;
    request->data = option_value(given, OPTION_DATA);
    request->output = option_value(given, OPTION_OUTPUT);
    request->tables = option_value(given, OPTION_TABLES);
    request->quick = option_given(given, OPTION_QUICK);
    request->command = given->line;
    if (!request->data)
        return usage_error("reproduce: --data DIR is missing: the folder with the data sets");
    if (!request->output)
        return usage_error("reproduce: -o RUN is missing: the folder for the tables and figures");
    if (format && !sheet_format_of(format, &kind))
        return usage_error("reproduce: --format %s: expected md, tex or csv", format);
    int failed = option_whole(given, OPTION_REPEATS, 1, 100000, 0, &request->repeats);
    return failed ? failed : option_whole(given, OPTION_SEED, 0, INT32_MAX, 1, &request->seed);
}

static void print_number(double value, const char *format)
{
    char text[32] = "-";
    if (!isnan(value))
        snprintf(text, sizeof text, "%.1f", value);
    printf(format, text);
}

/* The paper's figure with the letter of its note. */
static void print_paper(const sheet_cell *cell)
{
    char text[32] = "-", mark[SHEET_MARK_SIZE] = "";
    if (!isnan(cell->value))
        snprintf(text, sizeof text, "%.1f", cell->value);
    if (cell->mark > 0)
        sheet_mark_text(cell->mark, mark);
    printf(" %6s%-1s", text, mark);
}

/* The averages, in 80 columns: of a verdict what stands before the comma. */
static void print_averages(const sheet *table)
{
    printf("%-5s %-12s %-10s %-10s %14s %7s %7s\n", "table", "data set", "method", "measure",
           "ours", "paper", "differs");
    for (int r = 0; r < table->rows; r++) {
        const sheet_cell *cell = table->cell + r * table->columns;
        char ours[32] = "-";
        if (!isnan(cell[4].value))
            snprintf(ours, sizeof ours, isnan(cell[4].spread) ? "%.1f" : "%.1f +- %.1f",
                     cell[4].value, cell[4].spread);
        printf("%-5s %-12s %-10s %-10s %14s", cell[0].text, cell[1].text, cell[2].text,
               cell[3].text, ours);
        print_paper(&cell[5]);
        print_number(cell[6].value, " %7s");
        printf(" %.*s\n", (int)strcspn(cell[7].text, ","), cell[7].text);
    }
    for (int i = 0; i < table->notes; i++) {
        char mark[SHEET_MARK_SIZE];
        sheet_mark_text(i + 1, mark);
        printf("%-3s", mark);
        print_wrapped(stdout, table->note[i], 3);
    }
}

int run_reproduce(const arguments *given)
{
    const reproducible *paper = reproducible_find(given->word[0]);
    orthant_context *ctx = NULL;
    reproduce_request request = {0};
    sheet_list shown = {0};
    sheet_format format;
    reproduce_failures failures = {0};
    talk speech;
    if (!paper)
        return unknown_paper(given->word[0]);
    int failed = parse(given, &request);
    if (!failed)
        failed = context_open(given, &speech, &ctx);
    if (failed)
        return failed;
    shown.ctx = ctx;
    interrupt_watch();
    const orthant_status status = paper->run(ctx, &request, &shown, &failures);
    talk_clear(&speech);
    if (status == ORTHANT_STOPPED) {
        usage_error("stopped; the same command goes on in %s", request.output);
        failed = interrupt_exit();
    } else {
        failed = report_failure(ctx, status);
    }
    if (!failed) {
        const char *name = option_value(given, OPTION_FORMAT);
        if (name && sheet_format_of(name, &format)) {
            sheet_list_write(&shown, format, stdout);
        } else {
            if (shown.count)
                print_averages(shown.table[0]);
            printf("report: %s/report.html\n", request.output);
        }
        failed = finish_output();
    }
    if (!failed && failures.failed) {
        usage_error("%lld of %lld runs could not be done, the first: %s",
                    (long long)failures.failed, (long long)failures.runs, failures.first);
        failed = EXIT_FAILED;
    }
    sheet_list_free(&shown);
    orthant_context_free(ctx);
    return failed;
}
