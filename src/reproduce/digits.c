/* What a paper's printed digits allow.
 *
 * The accuracy of one run on n samples is a whole number of samples over n, and the mean of R runs
 * a multiple of 1 / (R n). A printed accuracy that lies near no such multiple is not the mean of R
 * runs of that many samples, whatever was drawn. Where 1 / (R n) is below the last printed digit
 * every figure is possible and nothing can be said. */
#include "reproduce/digits.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/text.h"
#include "study/papers.h"

#define MOST_RUNS 1000
#define CELL_TEXT 400

typedef struct column {
    const char *paper, *table, *dataset, *method;
    int64_t per_class; /* samples */
    int64_t repeats;   /* that the paper states */
} column;

/* The next figure of the column, an accuracy of a number of classes. */
static const paper_figure *next_figure(const column *c, int64_t *at)
{
    const paper_figure *figure;
    while ((figure = paper_figure_at((*at)++)))
        if (!strcmp(figure->paper, c->paper) && !strcmp(figure->table, c->table) &&
            !strcmp(figure->dataset, c->dataset) && !strcmp(figure->method, c->method) &&
            !strcmp(figure->measure, "accuracy") && atoi(figure->classes) > 0)
            return figure;
    return NULL;
}

static double step_of(const column *c, const paper_figure *figure, int64_t runs)
{
    return 100.0 / (double)(runs * c->per_class * atoi(figure->classes));
}

bool digits_allow(double value, double digit, double step)
{
    /* rounded to the nearest, or cut off; the last bits of the decimal digits are not meant */
    const double low = value - digit / 2 - 1e-9, high = value + digit - 1e-9;
    return floor(high / step) * step >= low;
}

static bool allows(const column *c, const paper_figure *figure, int64_t runs)
{
    return digits_allow(paper_figure_value(figure), paper_figure_digit(figure),
                        step_of(c, figure, runs));
}

static bool column_allows(const column *c, int64_t runs)
{
    const paper_figure *figure;
    for (int64_t at = 0; (figure = next_figure(c, &at));)
        if (!allows(c, figure, runs))
            return false;
    return true;
}

/* From how many runs on every figure of the column is possible. */
static int64_t runs_without_limit(const column *c)
{
    const paper_figure *figure;
    int64_t most = 1;
    for (int64_t at = 0; (figure = next_figure(c, &at));) {
        const double runs = ceil(step_of(c, figure, 1) / paper_figure_digit(figure));
        most = runs > (double)most ? (int64_t)runs : most;
    }
    return most;
}

static void add_column(sheet *table, const column *c)
{
    char impossible[CELL_TEXT] = "", fewest[32] = "none";
    int cells = 0, possible = 0;
    const int64_t limit = runs_without_limit(c);
    const paper_figure *figure;
    for (int64_t at = 0; (figure = next_figure(c, &at)); cells++) {
        if (allows(c, figure, c->repeats))
            possible++;
        else
            text_append(impossible, sizeof impossible, "%s%s (%s)", *impossible ? ", " : "",
                        figure->value, figure->classes);
    }
    for (int64_t runs = 1; runs <= MOST_RUNS; runs++)
        if (column_allows(c, runs)) {
            snprintf(fewest, sizeof fewest, "%lld", (long long)runs);
            break;
        }
    sheet_add_row(table, false);
    sheet_add_text(table, c->table);
    sheet_add_text(table, c->dataset);
    sheet_add_text(table, c->method);
    sheet_add_number(table, cells);
    sheet_add_number(table, (double)c->repeats);
    sheet_add_number(table, possible);
    sheet_add_text(table, fewest);
    sheet_add_number(table, (double)limit);
    sheet_add_text(table, impossible);
}

static void add_table(sheet *made, const protocol *paper, const protocol_table *table)
{
    for (const char *list = table->study.methods; *list;) {
        const size_t length = strcspn(list, ",");
        char method[40];
        snprintf(method, sizeof method, "%.*s", (int)length, list);
        const column c = {paper->paper, table->number,    dataset_known_as(table->study.dataset),
                          method,       table->per_class, table->study.repeats};
        int64_t at = 0;
        if (next_figure(&c, &at))
            add_column(made, &c);
        list += length + (list[length] == ',');
    }
}

orthant_status digits_sheet(orthant_context *ctx, const protocol *paper, sheet **made)
{
    sheet *table =
        sheet_new(ctx, "digits",
                  "Which of the printed accuracies can be means of the stated number of runs. A "
                  "figure that cannot stands with its number of classes in the last column.");
    sheet_add_column(table, "table", -1);
    sheet_add_column(table, "data set", -1);
    sheet_add_column(table, "method", -1);
    sheet_add_column(table, "figures", 0);
    sheet_add_column(table, "stated runs", 0);
    sheet_add_column(table, "possible", 0);
    sheet_add_column(table, "fewest runs for all", -1);
    sheet_add_column(table, "says nothing from", 0);
    sheet_add_column(table, "not possible", -1);
    for (int i = 0; i < paper->table_count; i++)
        if (paper->tables[i].per_class && !paper->tables[i].printed)
            add_table(table, paper, &paper->tables[i]);
    const orthant_status status = table ? sheet_status(table) : ORTHANT_ERROR_MEMORY;
    if (status) {
        sheet_free(table);
        table = NULL;
    }
    *made = table;
    return status;
}
