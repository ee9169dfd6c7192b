/* A reproduction as its user sees it. */
#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "core/sized.h"
#include "core/text.h"
#include "orthant/reproduce.h"
#include "report/tables.h"
#include "report/text_output.h"
#include "reproduce/digits.h"
#include "reproduce/reproduce.h"

#define LINE_WIDTH 79
#define NOTE_INDENT 3

struct orthant_reproduction {
    orthant_context *ctx;
    sheet_list shown; /* the averages first */
    reproduce_failures failures;
};

int orthant_paper_count(void)
{
    int count = 0;
    while (reproducible_at(count))
        count++;
    return count;
}

orthant_status orthant_paper_at(int index, orthant_paper_info *info)
{
    const reproducible *paper =
        index >= 0 && index < orthant_paper_count() ? reproducible_at(index) : NULL;
    if (!paper)
        return ORTHANT_ERROR_ARGUMENT;
    const orthant_paper_info found = {sizeof found, paper->name, paper->title, paper->tables};
    return sized_give(NULL, "orthant_paper_at", &found, sizeof found, info);
}

orthant_status reproducible_refuse(orthant_context *ctx, const char *name)
{
    char known[256] = "";
    for (int i = 0; i < orthant_paper_count(); i++)
        text_append(known, sizeof known, "%s%s", i ? ", " : "", reproducible_at(i)->name);
    return fail(ctx, ORTHANT_ERROR_ARGUMENT, "there is no paper '%.60s'; known are %s", name,
                known);
}

static orthant_status take_options(orthant_context *ctx, const orthant_reproduce_options *given,
                                   reproduce_request *request)
{
    orthant_reproduce_options own;
    const orthant_status status = sized_take(ctx, "orthant_reproduce", given, &own, sizeof own);
    if (status)
        return status;
    if (!own.data || !own.output)
        return fail(ctx, ORTHANT_ERROR_ARGUMENT,
                    "a reproduction needs the folder with the data sets and an output folder");
    if (own.repeats < 0 || own.seed < 0 || own.seed > INT32_MAX)
        return fail(ctx, ORTHANT_ERROR_ARGUMENT,
                    "repeats %lld, seed %lld: expected repeats from 0 on and a seed from 0 to %d",
                    (long long)own.repeats, (long long)own.seed, INT32_MAX);
    *request = (reproduce_request){.data = own.data,
                                   .output = own.output,
                                   .tables = own.tables,
                                   .figures = own.figures,
                                   .claims = own.claims,
                                   .repeats = own.repeats,
                                   .quick = own.quick,
                                   .seed = own.seed,
                                   .command = own.command};
    return ORTHANT_OK;
}

/* Broken at spaces, further lines indented. */
static void print_note(FILE *out, const char *text)
{
    int column = NOTE_INDENT;
    while (*text) {
        const int length = (int)strcspn(text, " ");
        if (column > NOTE_INDENT && column + 1 + length > LINE_WIDTH) {
            fprintf(out, "\n%*s", NOTE_INDENT, "");
            column = NOTE_INDENT;
        } else if (column > NOTE_INDENT) {
            fputc(' ', out);
            column++;
        }
        fprintf(out, "%.*s", length, text);
        column += length;
        text += length;
        text += strspn(text, " ");
    }
    fputc('\n', out);
}

/* In 80 columns: figures that are not possible stand in a line of their own. */
static void print_digits(FILE *out, const sheet *table)
{
    fprintf(out, "%-5s %-10s %-10s %7s %6s %8s %11s %12s\n", "table", "data set", "method",
            "figures", "stated", "possible", "fewest runs", "nothing from");
    for (int r = 0; r < table->rows; r++) {
        const sheet_cell *cell = table->cell + r * table->columns;
        fprintf(out, "%-5s %-10s %-10s %7.0f %6.0f %8.0f %11s %12.0f\n", cell[0].text, cell[1].text,
                cell[2].text, cell[3].value, cell[4].value, cell[5].value, cell[6].text,
                cell[7].value);
        if (*cell[8].text) {
            fprintf(out, "%*s", NOTE_INDENT, "");
            print_note(out, cell[8].text);
        }
    }
}

orthant_status orthant_paper_digits(orthant_context *context, const char *paper, const char *format,
                                    char **text)
{
    sheet_format kind = SHEET_MARKDOWN;
    text_output output;
    sheet *table = NULL;
    bool screen;
    if (text)
        *text = NULL;
    orthant_status status = entry_check(context, paper && format && text, __func__);
    if (status)
        return status;
    const reproducible *known = reproducible_find(paper);
    if (!known)
        return reproducible_refuse(context, paper);
    if (!known->protocol)
        return fail(context, ORTHANT_ERROR_ARGUMENT, "%s prints no accuracies", known->name);
    if (!tables_format(format, &screen, &kind))
        return tables_refuse_format(context, format);
    status = digits_sheet(context, known->protocol, &table);
    if (!status)
        status = text_output_begin(context, &output);
    if (!status) {
        if (screen)
            print_digits(output.file, table);
        else
            sheet_write(table, kind, output.file);
        status = text_output_end(&output, ORTHANT_OK, text);
    }
    sheet_free(table);
    return status;
}

orthant_status orthant_reproduce(orthant_context *context, const char *paper,
                                 const orthant_reproduce_options *options,
                                 orthant_reproduction **reproduction)
{
    reproduce_request request;
    if (reproduction)
        *reproduction = NULL;
    const orthant_status refused = entry_check(context, paper && options && reproduction, __func__);
    if (refused)
        return refused;
    const reproducible *known = reproducible_find(paper);
    if (!known)
        return reproducible_refuse(context, paper);
    orthant_status status = take_options(context, options, &request);
    if (status)
        return status;
    orthant_reproduction *made = memory_new(context, 1, sizeof *made, "a reproduction");
    if (!made)
        return ORTHANT_ERROR_MEMORY;
    made->ctx = made->shown.ctx = context;
    status = known->run(context, &request, &made->shown, &made->failures);
    if (status)
        orthant_reproduction_free(made);
    else
        *reproduction = made;
    return status;
}

void orthant_reproduction_free(orthant_reproduction *reproduction)
{
    if (!reproduction)
        return;
    sheet_list_free(&reproduction->shown);
    memory_free(reproduction->ctx, reproduction);
}

int64_t orthant_reproduction_run_count(const orthant_reproduction *reproduction)
{
    return reproduction ? reproduction->failures.runs : 0;
}

int64_t orthant_reproduction_failure_count(const orthant_reproduction *reproduction)
{
    return reproduction ? reproduction->failures.failed : 0;
}

const char *orthant_reproduction_failure(const orthant_reproduction *reproduction)
{
    return reproduction ? reproduction->failures.first : "";
}

/* ---- the averages, in 80 columns --------------------------------------------------------------
 */

static void print_number(FILE *out, double value, const char *behind, int width)
{
    char text[32] = "-";
    if (!isnan(value))
        snprintf(text, sizeof text, "%.1f", value);
    fprintf(out, " %*s%s", width, text, behind);
}

/* Of a verdict what stands before the comma. */
static void print_averages(FILE *out, const sheet *table)
{
    fprintf(out, "%-5s %-12s %-10s %-10s %14s %7s %7s\n", "table", "data set", "method", "measure",
            "ours", "paper", "differs");
    for (int r = 0; r < table->rows; r++) {
        const sheet_cell *cell = table->cell + r * table->columns;
        char ours[32] = "-", mark[SHEET_MARK_SIZE + 1] = " ";
        if (!isnan(cell[4].value))
            snprintf(ours, sizeof ours, isnan(cell[4].spread) ? "%.1f" : "%.1f +- %.1f",
                     cell[4].value, cell[4].spread);
        if (cell[5].mark > 0)
            sheet_mark_text(cell[5].mark, mark);
        fprintf(out, "%-5s %-12s %-10s %-10s %14s", cell[0].text, cell[1].text, cell[2].text,
                cell[3].text, ours);
        print_number(out, cell[5].value, mark, 6);
        print_number(out, cell[6].value, "", 7);
        fprintf(out, " %.*s\n", (int)strcspn(cell[7].text, ","), cell[7].text);
    }
    for (int i = 0; i < table->notes; i++) {
        char mark[SHEET_MARK_SIZE];
        sheet_mark_text(i + 1, mark);
        fprintf(out, "%-3s", mark);
        print_note(out, table->note[i]);
    }
}

/* Claim, verdict and what was measured, a paragraph each. */
static void print_claims(FILE *out, const sheet *table)
{
    for (int r = 0; r < table->rows; r++) {
        const sheet_cell *cell = table->cell + r * table->columns;
        fprintf(out, "%s: %s\n%*s", cell[0].text, cell[3].text, NOTE_INDENT, "");
        print_note(out, cell[1].text);
        fprintf(out, "%*s", NOTE_INDENT, "");
        print_note(out, cell[2].text);
    }
}

static void print_shown(FILE *out, const sheet_list *shown)
{
    for (int i = 0; i < shown->count; i++)
        if (!strcmp(shown->table[i]->name, "claims"))
            print_claims(out, shown->table[i]);
        else if (!strcmp(shown->table[i]->name, "averages") && shown->table[i]->rows)
            print_averages(out, shown->table[i]);
}

orthant_status orthant_reproduction_tables(const orthant_reproduction *reproduction,
                                           const char *format, char **text)
{
    orthant_context *ctx = reproduction ? reproduction->ctx : NULL;
    sheet_format kind = SHEET_MARKDOWN;
    text_output output;
    bool screen;
    if (text)
        *text = NULL;
    if (!reproduction || !format || !text)
        return fail(ctx, ORTHANT_ERROR_ARGUMENT,
                    "orthant_reproduction_tables: an argument is NULL");
    if (!tables_format(format, &screen, &kind))
        return tables_refuse_format(ctx, format);
    const orthant_status status = text_output_begin(ctx, &output);
    if (status)
        return status;
    if (!screen)
        sheet_list_write(&reproduction->shown, kind, output.file);
    else
        print_shown(output.file, &reproduction->shown);
    return text_output_end(&output, ORTHANT_OK, text);
}
