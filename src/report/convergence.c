/* One run's objective with its parts; several runs on common axes. */
#include "report/convergence.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "report/html.h"

/* Of a line; more cannot be seen, and would make the page heavy. */
#define MOST_POINTS 1000

static void say_nothing_fell(FILE *page)
{
    fputs("<p class=\"soft\">There is nothing to draw: the objective did not change.</p>\n", page);
}

static void write_axes(FILE *script, bool time, const char *vertical)
{
    fprintf(script, "set logscale y\nset format y '10^{%%T}'\nset xlabel '%s'\nset ylabel '%s'\n",
            time ? "seconds" : "iteration", vertical);
}

/* ---- one run ----------------------------------------------------------------------------------
 */

static bool has_positive(const history *h, int column)
{
    for (int64_t row = 0; row < h->rows; row++)
        if (h->values[row * h->columns + column] > 0)
            return true;
    return false;
}

/* Not the step, not a single part that is the objective itself, nothing that a logarithmic axis has
 * no place for. */
static bool is_drawn(const history *h, int column)
{
    const bool repeats = column == 3 && h->columns == 4;
    return strcmp(h->name[column], "step") && !repeats && has_positive(h, column);
}

/* The objective and its parts, each a column of history.csv. Returns the number of lines. */
static int write_parts(FILE *script, const history *h, bool time)
{
    int lines = 0;
    write_axes(script, time, "objective and its parts");
    for (int c = 2; c < h->columns; c++) {
        if (!is_drawn(h, c))
            continue;
        fprintf(script, "%s every %" PRId64 "::1 using %d:%d title ",
                lines ? ", \\\n     ''" : "plot '../history.csv'", 1 + h->rows / MOST_POINTS,
                time ? 2 : 1, c + 1);
        chart_text(script, h->name[c]);
        fputs(" with lines", script);
        chart_line(script, lines++, 2);
    }
    fputc('\n', script);
    return lines;
}

static orthant_status draw_run(chart_place *place, const run_record *record, bool time, int *lines)
{
    chart drawn = {
        .place = place,
        .name = time ? "convergence-time" : "convergence",
        .data = "history.csv",
        .description = time ? "Chart: the objective and its parts over time"
                            : "Chart: the objective and its parts over the iterations",
        .caption = time ? "The objective and its parts over time."
                        : "The objective and its parts over the iterations.",
    };
    for (int c = 2; c < record->history.columns; c++)
        if (is_drawn(&record->history, c))
            chart_add_name(&drawn, record->history.name[c]);
    const orthant_status status = chart_begin(&drawn);
    if (status)
        return status;
    *lines = write_parts(drawn.script, &record->history, time);
    return *lines ? chart_end(&drawn) : chart_drop(&drawn);
}

orthant_status convergence_of_run(chart_place *place, const run_record *record)
{
    int lines = 0;
    fputs("<h2>Convergence</h2>\n<div class=\"charts\">\n", place->page);
    orthant_status status = draw_run(place, record, false, &lines);
    if (!status && lines)
        status = draw_run(place, record, true, &lines);
    if (!status && !lines)
        say_nothing_fell(place->page);
    fputs("</div>\n", place->page);
    return status;
}

/* ---- several ----------------------------------------------------------------------------------
 */

/* The objective of a run from its start (1) down to its lowest (0). */
typedef struct fall {
    int column; /* -1: nothing to draw */
    double lowest, height;
} fall;

static fall objective_fall(const history *h)
{
    fall found = {.column = h->rows ? history_column(h, "objective") : -1, .lowest = INFINITY};
    for (int64_t row = 0; found.column >= 0 && row < h->rows; row++)
        found.lowest = fmin(found.lowest, h->values[row * h->columns + found.column]);
    if (found.column >= 0)
        found.height = h->values[found.column] - found.lowest;
    int64_t drawn = 0; /* points that a logarithmic chart has: no zeros */
    for (int64_t row = 1; found.column >= 0 && row < h->rows; row++)
        drawn += h->values[row * h->columns + found.column] > found.lowest;
    if (!(found.height > 0) || drawn < 2)
        found.column = -1;
    return found;
}

static void write_number(FILE *file, double number)
{
    fputc(',', file);
    if (isfinite(number))
        fprintf(file, "%.9g", number);
}

/* A block of lines for each run, two empty lines between them, as gnuplot's `index` counts. */
static void write_block(FILE *file, const run_record *record, const fall *found)
{
    const history *h = &record->history;
    fputs("# ", file);
    for (const char *c = record->name; *c; c++)
        fputc((unsigned char)*c < 0x20 ? '_' : *c, file);
    fputs("\niteration,seconds,objective,above_lowest\n", file);
    /* Ever thinner, as on a logarithmic axis they lie ever closer. */
    for (int64_t row = 0; row < h->rows; row += 1 + row / (MOST_POINTS / 2)) {
        const double *value = h->values + row * h->columns;
        fprintf(file, "%.0f", value[0]);
        write_number(file, value[1]);
        write_number(file, value[found->column]);
        write_number(file, (value[found->column] - found->lowest) / found->height);
        fputc('\n', file);
    }
    fputs("\n\n", file);
}

static orthant_status write_blocks(chart_place *place, const run_list *list, const char *name)
{
    file_writer writer;
    const orthant_status status = chart_data_begin(place, name, &writer);
    if (status)
        return status;
    for (int i = 0; i < list->count; i++) {
        const fall found = objective_fall(&list->record[i].history);
        if (found.column >= 0)
            write_block(writer.file, &list->record[i], &found);
    }
    return file_write_end(&writer, ORTHANT_OK);
}

static orthant_status draw_runs(chart_place *place, const run_list *list, const char *name,
                                bool time)
{
    int lines = 0;
    char file[160], data[160];
    snprintf(file, sizeof file, "%.120s%s", name, time ? "-time" : "");
    snprintf(data, sizeof data, CHART_FOLDER "/%.120s.csv", name);
    chart drawn = {
        .place = place,
        .name = file,
        .data = data,
        .description = time ? "Chart: each run's objective above its lowest over time"
                            : "Chart: each run's objective above its lowest over the iterations",
        .caption =
            time ? "The same over time: how soon each is how near to its own lowest value."
                 : "How far each objective is above its own lowest value, as a share of its whole "
                   "fall; both axes logarithmic.",
    };
    for (int i = 0; i < list->count; i++)
        if (objective_fall(&list->record[i].history).column >= 0)
            chart_add_name(&drawn, list->record[i].name);
    const orthant_status status = chart_begin(&drawn);
    if (status)
        return status;
    write_axes(drawn.script, time, "above the lowest");
    fputs("set logscale x\nset yrange [1e-6:1]\n", drawn.script);
    if (time)
        fputs("set format x '10^{%T}'\n", drawn.script);
    for (int i = 0; i < list->count; i++) {
        if (objective_fall(&list->record[i].history).column < 0)
            continue;
        fputs(lines ? ", \\\n     ''" : "plot ", drawn.script);
        if (!lines)
            fprintf(drawn.script, "'%.120s.csv'", name);
        fprintf(drawn.script, " index %d using %d:4 every ::1 title ", lines, time ? 2 : 1);
        chart_text(drawn.script, list->record[i].name);
        fputs(" with lines", drawn.script);
        chart_line(drawn.script, lines++, 1.6);
    }
    fputc('\n', drawn.script);
    return chart_end(&drawn);
}

orthant_status convergence_of_runs(chart_place *place, const run_list *list, const char *name)
{
    int falling = 0;
    orthant_status status = ORTHANT_OK;
    for (int i = 0; i < list->count; i++)
        falling += objective_fall(&list->record[i].history).column >= 0;
    fputs("<div class=\"charts\">\n", place->page);
    if (falling) {
        status = write_blocks(place, list, name);
        if (!status)
            status = draw_runs(place, list, name, false);
        if (!status)
            status = draw_runs(place, list, name, true);
    } else {
        say_nothing_fell(place->page);
    }
    fputs("</div>\n", place->page);
    return status;
}
