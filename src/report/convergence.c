/* One run's objective with its parts; several runs on common axes. */
#include "report/convergence.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "report/html.h"
#include "report/series.h"
#include "report/text_output.h"

/* Of a line; more cannot be seen, and would make the page heavy. */
#define MOST_POINTS 1000
/* Iterations from which on not every one is told under the mouse. */
#define THINNED_FROM 100
/* Of an objective above its lowest value, as a share of its fall. */
#define LOWEST_SHOWN 1e-6

static void say_nothing_fell(FILE *page)
{
    fputs("<p class=\"soft\">There is nothing to draw: the objective did not change.</p>\n", page);
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

/* What is drawn of a run: the relative error where the loss tells it, else the objective and its
 * parts; both axes from the lowest to the largest value behind the start, which is far above. */
typedef struct panel {
    const history *h;
    int loss;    /* the column that the relative error follows from; -1: none */
    double unit; /* relative error = unit * sqrt(loss) */
    bool parts;  /* the columns themselves */
    double low, high;
    bool flat; /* nothing changes */
    bool log;
} panel;

static double error_at(const panel *p, int64_t row)
{
    const double loss = p->h->values[row * p->h->columns + p->loss];
    return loss >= 0 ? p->unit * sqrt(loss) : (double)NAN;
}

/* By the run's own error at the end: the loss is a multiple of |X - S W'|^2. */
static void find_error(panel *p, const run_record *record)
{
    const double ended = record_number(record, "relative_error");
    const double last = p->loss >= 0 && p->h->rows
                            ? p->h->values[(p->h->rows - 1) * p->h->columns + p->loss]
                            : (double)NAN;
    if (strcmp(record_text(record, "loss"), "frobenius") || !(last > 0) || !(ended > 0))
        p->loss = -1;
    else
        p->unit = ended / sqrt(last);
}

static void widen(panel *p, double value)
{
    if (value > 0 && isfinite(value)) {
        p->low = fmin(p->low, value);
        p->high = fmax(p->high, value);
    }
}

static panel panel_make(const run_record *record)
{
    const history *h = &record->history;
    panel p = {.h = h, .loss = h->rows > 1 ? history_column(h, "loss") : -1, .low = INFINITY};
    find_error(&p, record);
    p.parts = p.loss < 0;
    for (int c = 2; c < h->columns; c++)
        p.parts |= c > 3 && is_drawn(h, c);
    for (int64_t row = 1; row < h->rows; row++) {
        if (!p.parts)
            widen(&p, error_at(&p, row));
        for (int c = 2; c < h->columns && p.parts; c++)
            if (is_drawn(h, c))
                widen(&p, h->values[row * h->columns + c]);
    }
    p.flat = !(p.high > p.low);
    p.log = p.high > 10 * p.low;
    /* An error that hardly falls still gets an axis whose numbers differ. */
    const double edge = fmax(0.05 * (p.high - p.low), 1e-3 * p.high);
    p.high = p.log ? 1.2 * p.high : p.high + edge;
    p.low = p.log ? p.low / 1.2 : p.low - edge;
    return p;
}

static bool panel_is_empty(const panel *p)
{
    return p->flat || p->h->rows < 3;
}

/* Iteration, seconds, relative error, and the columns: thinner where they lie closer. */
static void write_values(FILE *file, const panel *p)
{
    const history *h = p->h;
    json_writer json = {.file = file, .compact = true, .in_page = true};
    json_open_object(&json, NULL);
    json_truth(&json, "logX", true);
    json_truth(&json, "logY", p->log);
    json_open_array(&json, "range");
    json_number(&json, NULL, h->values[h->columns]);
    json_number(&json, NULL, h->values[(h->rows - 1) * h->columns]);
    json_number(&json, NULL, p->low);
    json_number(&json, NULL, p->high);
    json_close(&json);
    json_open_array(&json, "names");
    json_text(&json, NULL, "iteration");
    json_text(&json, NULL, "seconds");
    if (p->loss >= 0)
        json_text(&json, NULL, "relative error");
    for (int c = 2; c < h->columns; c++)
        if (is_drawn(h, c))
            json_text(&json, NULL, h->name[c]);
    json_close(&json);
    json_truth(&json, "firstOnly", !p->parts);
    json_truth(&json, "skipFirst", p->parts && p->loss >= 0);
    json_open_array(&json, "rows");
    for (int64_t row = 1; row < h->rows; row += 1 + row / 200) {
        const double *value = h->values + row * h->columns;
        json_open_array(&json, NULL);
        json_number(&json, NULL, value[0]);
        json_number(&json, NULL, (double)(float)value[1]);
        if (p->loss >= 0)
            json_number(&json, NULL, (double)(float)error_at(p, row));
        for (int c = 2; c < h->columns; c++)
            if (is_drawn(h, c))
                json_number(&json, NULL, (double)(float)value[c]);
        json_close(&json);
    }
    json_close(&json);
    json_close(&json);
}

/* What the panel shows, as its axis says it. */
static const char *names_of(const panel *p)
{
    int drawn = 0;
    for (int c = 2; c < p->h->columns; c++)
        drawn += is_drawn(p->h, c);
    return !p->parts ? "relative error" : drawn > 1 ? "objective and its parts" : "objective";
}

static void write_lines(FILE *script, const panel *p)
{
    const history *h = p->h;
    const int64_t every = 1 + h->rows / MOST_POINTS;
    int lines = 0;
    fprintf(script,
            "set logscale x\nset xlabel 'iteration'\nset xrange [%g:%g]\nset ylabel '%s'\n"
            "set yrange [%g:%g]\nset format y '%%.6g'\n%s",
            h->values[h->columns], h->values[(h->rows - 1) * h->columns], names_of(p), p->low,
            p->high, p->log ? "set logscale y\n" : "");
    if (!p->parts) {
        fprintf(script,
                "plot '../history.csv' every %" PRId64 "::1 using 1:(%.9g*sqrt($%d)) title ", every,
                p->unit, p->loss + 1);
        chart_text(script, "relative error");
        fputs(" with lines", script);
        chart_line(script, 0, 2);
    }
    for (int c = 2; c < h->columns && p->parts; c++) {
        if (!is_drawn(h, c))
            continue;
        fprintf(script, "%s every %" PRId64 "::1 using 1:%d title ",
                lines ? ", \\\n     ''" : "plot '../history.csv'", every, c + 1);
        chart_text(script, h->name[c]);
        fputs(" with lines", script);
        chart_line(script, lines++, 2);
    }
    fputc('\n', script);
}

static orthant_status draw_panel(chart_place *place, const panel *p, const char *values)
{
    char caption[200], description[80];
    const history *h = p->h;
    snprintf(description, sizeof description, "Chart: the %s over the iterations", names_of(p));
    snprintf(caption, sizeof caption, "The %s over the iterations; all %.0f took %.3g s.",
             names_of(p), h->values[(h->rows - 1) * h->columns],
             h->values[(h->rows - 1) * h->columns + 1]);
    chart drawn = {
        .place = place,
        .name = "convergence",
        .data = "history.csv",
        .description = description,
        .caption = caption,
        .width = 560,
        .height = 330,
        .values = values,
    };
    for (int c = 2; c < h->columns && p->parts; c++)
        if (is_drawn(h, c))
            chart_add_name(&drawn, h->name[c]);
    if (!p->parts)
        chart_add_name(&drawn, "relative error");
    const orthant_status status = chart_begin(&drawn);
    if (status)
        return status;
    write_lines(drawn.script, p);
    return chart_end(&drawn);
}

orthant_status convergence_of_run(chart_place *place, const run_record *record)
{
    const panel p = panel_make(record);
    text_output output;
    char *values = NULL;
    fputs("<h2>Convergence</h2>\n", place->page);
    if (panel_is_empty(&p)) {
        fputs("<p class=\"soft\">There is nothing to draw: nothing changed behind the first "
              "iteration.</p>\n",
              place->page);
        return ORTHANT_OK;
    }
    orthant_status status = text_output_begin(place->ctx, &output);
    if (status)
        return status;
    write_values(output.file, &p);
    status = text_output_end(&output, ORTHANT_OK, &values);
    if (!status)
        status = draw_panel(place, &p, values);
    memory_free(place->ctx, values);
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

/* From the first iteration behind the start to the longest run's last. */
static series_axes axes_of_runs(const run_list *list, bool time)
{
    series_axes axes = {.across = time ? "seconds" : "iteration",
                        .y = {LOWEST_SHOWN, 1},
                        .log_x = true,
                        .log_y = true};
    series_range_begin(axes.x);
    for (int i = 0; i < list->count; i++) {
        const history *h = &list->record[i].history;
        if (objective_fall(h).column < 0)
            continue;
        for (int64_t row = 1; row < h->rows; row++)
            series_range_add(axes.x, h->values[row * h->columns + time], true);
    }
    if (!(axes.x[0] <= axes.x[1])) /* no clock has told a time */
        axes.x[0] = axes.x[1] = 1;
    if (axes.x[0] >= axes.x[1])
        axes.x[1] = 2 * axes.x[0];
    return axes;
}

/* The points of a run, thinner where they lie closer. */
static void add_line(series *s, const run_record *record, bool time)
{
    const history *h = &record->history;
    const fall found = objective_fall(h);
    series_line(s, record->name, 0);
    for (int64_t row = 1; row < h->rows; row += 1 + row / THINNED_FROM) {
        const double *value = h->values + row * h->columns;
        const double above = (value[found.column] - found.lowest) / found.height;
        if (above >= LOWEST_SHOWN && value[time] > 0)
            series_point(s, value[time], above, (double)NAN);
    }
    series_line_end(s);
}

static orthant_status values_of_runs(chart_place *place, const run_list *list,
                                     const series_axes *axes, bool time, char **values)
{
    series s;
    *values = NULL;
    const orthant_status status = series_begin(place->ctx, &s, axes);
    if (status)
        return status;
    for (int i = 0; i < list->count; i++)
        if (objective_fall(&list->record[i].history).column >= 0)
            add_line(&s, &list->record[i], time);
    return series_end(&s, values);
}

static void write_run_lines(FILE *script, const run_list *list, const char *name, bool time)
{
    int lines = 0;
    for (int i = 0; i < list->count; i++) {
        if (objective_fall(&list->record[i].history).column < 0)
            continue;
        fputs(lines ? ", \\\n     ''" : "plot ", script);
        if (!lines)
            fprintf(script, "'%.120s.csv'", name);
        fprintf(script, " index %d using %d:4 every ::1 title ", lines, time ? 2 : 1);
        chart_key_name(script, list->record[i].name);
        fputs(" with lines", script);
        chart_line(script, lines++, 1.6);
    }
    fputc('\n', script);
}

static orthant_status draw_runs(chart_place *place, const run_list *list, const char *name,
                                bool time)
{
    char file[160], data[160], *values;
    const series_axes axes = axes_of_runs(list, time);
    snprintf(file, sizeof file, "%.120s%s", name, time ? "-time" : "");
    snprintf(data, sizeof data, CHART_FOLDER "/%.120s.csv", name);
    orthant_status status = values_of_runs(place, list, &axes, time, &values);
    if (status)
        return status;
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
        .values = values,
    };
    for (int i = 0; i < list->count; i++)
        if (objective_fall(&list->record[i].history).column >= 0)
            chart_add_name(&drawn, list->record[i].name);
    status = chart_begin(&drawn);
    if (!status) {
        series_write_axes(drawn.script, &axes);
        fprintf(drawn.script,
                "set format x '%%g'\nset format y '10^{%%T}'\nset xlabel '%s'\n"
                "set ylabel 'above the lowest'\n",
                axes.across);
        write_run_lines(drawn.script, list, name, time);
        status = chart_end(&drawn);
    }
    memory_free(place->ctx, values);
    return status;
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
