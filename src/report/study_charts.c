/* Scores over the number of classes, and over a swept parameter. */
#include "report/study_charts.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "core/text.h"
#include "data/csv_text.h"
#include "report/series.h"

#define MOST_VALUES 64 /* of a swept parameter */
/* From the smallest to the largest value of a parameter: more is shown on a logarithmic axis. */
#define LOGARITHMIC_FROM 20

void chart_file_name(char name[CHART_NAME], const char *first, const char *second)
{
    uint32_t hash = 2166136261u; /* FNV-1a: what is cut off still tells two names apart */
    for (const char *c = second; *c; c++)
        hash = (hash ^ (unsigned char)*c) * 16777619u;
    if (strlen(second) <= 68)
        snprintf(name, CHART_NAME, "%.20s-%.68s", first, second);
    else
        snprintf(name, CHART_NAME, "%.20s-%.59s-%08" PRIx32, first, second, hash);
    for (char *c = name; *c; c++)
        if (!strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-", *c))
            *c = '-';
}

void chart_data_name(FILE *file, const char *name, const char *suffix)
{
    const size_t length = chart_text_length(name);
    fprintf(file, "\"%s", csv_guard((piece){name, name + length}));
    for (size_t i = 0; i < length; i++)
        fputc((unsigned char)name[i] < 0x20 || name[i] == '"' ? '_' : name[i], file);
    fprintf(file, "%s\"", suffix);
}

static void write_field(FILE *file, double value)
{
    fputc(',', file);
    if (isfinite(value))
        fprintf(file, "%.9g", value);
}

/* A name in the header of a data file. */
static void write_title(FILE *file, const char *name, const char *suffix)
{
    fputc(',', file);
    chart_data_name(file, name, suffix);
}

/* A bar may reach beyond what a percentage can be; the axis does not follow it far. */
static void keep_percent(double range[2])
{
    range[0] = fmax(range[0], -2);
    range[1] = fmin(range[1], 102);
}

/* ---- against the number of classes ------------------------------------------------------------
 */

static double scale_of(study_measure measure)
{
    return measure == MEASURE_SECONDS || measure == MEASURE_ITERATIONS ? 1 : 100;
}

static orthant_status write_classes(chart_place *place, const study_book *book, int64_t dataset,
                                    study_measure measure, const char *name, int *rows)
{
    file_writer writer;
    const study_summary *s = &book->summary;
    const orthant_status status = chart_data_begin(place, name, &writer);
    if (status)
        return status;
    fputs("classes", writer.file);
    for (int64_t i = 0; i < book->shown; i++) {
        write_title(writer.file, s->method[book->shown_method[i]], "");
        write_title(writer.file, s->method[book->shown_method[i]], " sd");
    }
    fputc('\n', writer.file);
    for (int64_t c = 0; c < s->class_counts; c++) {
        bool any = false;
        for (int64_t i = 0; i < book->shown; i++)
            any = any || summary_cell(s, dataset, book->shown_method[i], c);
        if (!any)
            continue;
        fprintf(writer.file, "%" PRId64, s->classes[c]);
        for (int64_t i = 0; i < book->shown; i++) {
            const study_cell *cell = summary_cell(s, dataset, book->shown_method[i], c);
            write_field(writer.file, cell ? scale_of(measure) * cell->mean[measure] : (double)NAN);
            /* Without a deviation there is still a point. */
            const double deviation = cell ? cell->deviation[measure] : (double)NAN;
            write_field(writer.file, isnan(deviation) ? 0 : scale_of(measure) * deviation);
        }
        fputc('\n', writer.file);
        ++*rows;
    }
    return file_write_end(&writer, ORTHANT_OK);
}

/* How far the i-th method stands beside its number of classes, so that error bars do not cover each
 * other. */
static double aside(const study_book *book, int64_t i)
{
    const study_summary *s = &book->summary;
    double step = INFINITY;
    for (int64_t c = 1; c < s->class_counts; c++)
        step = fmin(step, (double)(s->classes[c] - s->classes[c - 1]));
    return 0.4 * step * ((double)i - 0.5 * (double)(book->shown - 1)) / (double)book->shown;
}

static void write_class_axis(FILE *script, const study_summary *s)
{
    fputs("set xlabel 'number of classes'\nset xtics (", script);
    for (int64_t c = 0; c < s->class_counts; c++)
        fprintf(script, "%s%" PRId64, c ? "," : "", s->classes[c]);
    fputs(")\n", script);
}

/* Every mean with its deviation, the latter not on a logarithmic axis. */
static series_axes axes_of_classes(const study_book *book, int64_t dataset, study_measure measure,
                                   bool bars)
{
    const study_summary *s = &book->summary;
    series_axes axes = {.across = "number of classes", .log_y = !bars};
    series_range_begin(axes.x);
    series_range_begin(axes.y);
    for (int64_t c = 0; c < s->class_counts; c++)
        for (int64_t i = 0; i < book->shown; i++) {
            const study_cell *cell = summary_cell(s, dataset, book->shown_method[i], c);
            if (!cell || isnan(cell->mean[measure]))
                continue;
            const double deviation = cell->deviation[measure], x = (double)s->classes[c];
            const double bar = bars && !isnan(deviation) ? deviation : 0;
            series_range_add(axes.x, x + (bars ? aside(book, i) : 0), false);
            series_range_add(axes.y, scale_of(measure) * (cell->mean[measure] - bar), axes.log_y);
            series_range_add(axes.y, scale_of(measure) * (cell->mean[measure] + bar), axes.log_y);
        }
    series_range_end(axes.x, false);
    if (!series_range_end(axes.y, axes.log_y)) {
        axes.y[0] = 0.1;
        axes.y[1] = 1;
    }
    if (bars)
        keep_percent(axes.y);
    return axes;
}

static orthant_status values_of_classes(chart_place *place, const study_book *book, int64_t dataset,
                                        study_measure measure, const series_axes *axes, bool bars,
                                        char **values)
{
    series line;
    const study_summary *s = &book->summary;
    *values = NULL;
    const orthant_status status = series_begin(place->ctx, &line, axes);
    if (status)
        return status;
    for (int64_t i = 0; i < book->shown; i++) {
        series_line(&line, s->method[book->shown_method[i]], bars ? aside(book, i) : 0);
        for (int64_t c = 0; c < s->class_counts; c++) {
            const study_cell *cell = summary_cell(s, dataset, book->shown_method[i], c);
            if (cell)
                series_point(&line, (double)s->classes[c], scale_of(measure) * cell->mean[measure],
                             scale_of(measure) * cell->deviation[measure]);
        }
        series_line_end(&line);
    }
    return series_end(&line, values);
}

static void write_class_lines(FILE *script, const study_book *book, const char *name, bool bars)
{
    const char *const *method = book->summary.method;
    fprintf(script, "plot '%s.csv'", name);
    for (int64_t i = 0; i < book->shown; i++) {
        const double x = bars ? aside(book, i) : 0;
        if (bars) {
            fprintf(script,
                    "%s using ($1%+.4f):%" PRId64 ":%" PRId64 " every ::1 notitle with yerrorbars",
                    i ? ", \\\n     ''" : "", x, 2 * i + 2, 2 * i + 3);
            chart_line(script, (int)i, 0.8);
            fputs(" ps 0", script);
        }
        fprintf(script, "%s using ($1%+.4f):%" PRId64 " every ::1 title ",
                i || bars ? ", \\\n     ''" : "", x, 2 * i + 2);
        chart_key_name(script, method[book->shown_method[i]]);
        fputs(" with linespoints", script);
        chart_line(script, (int)i, 1.6);
    }
    fputc('\n', script);
}

orthant_status study_chart_classes(chart_place *place, const study_book *book, int64_t dataset,
                                   study_measure measure)
{
    static const char *const words[MEASURE_COUNT] = {[MEASURE_ACCURACY] = "Accuracy",
                                                     [MEASURE_NMI] = "NMI",
                                                     [MEASURE_ITERATIONS] = "Iterations",
                                                     [MEASURE_SECONDS] = "Seconds of a run"};
    const bool score = measure == MEASURE_ACCURACY || measure == MEASURE_NMI;
    char name[CHART_NAME], caption[320], *values;
    int rows = 0;
    const char *data = book->summary.dataset[dataset];
    chart_file_name(name, measure_name(measure), data);
    snprintf(caption, sizeof caption, "%s on %.200s against the number of classes%s",
             words[measure] ? words[measure] : measure_name(measure), data,
             score ? "; bars are standard deviations." : "; the axis is logarithmic.");
    orthant_status status = write_classes(place, book, dataset, measure, name, &rows);
    if (status || rows < 2)
        return status;
    const series_axes axes = axes_of_classes(book, dataset, measure, score);
    status = values_of_classes(place, book, dataset, measure, &axes, score, &values);
    if (status)
        return status;
    chart drawn = {
        .place = place, .name = name, .description = caption, .caption = caption, .values = values};
    for (int64_t i = 0; i < book->shown; i++)
        chart_add_name(&drawn, book->summary.method[book->shown_method[i]]);
    status = chart_begin(&drawn);
    if (!status) {
        series_write_axes(drawn.script, &axes);
        write_class_axis(drawn.script, &book->summary);
        fprintf(drawn.script, "set ylabel '%s'\n%s",
                measure == MEASURE_ACCURACY ? "accuracy (%)"
                : measure == MEASURE_NMI    ? "NMI (%)"
                                            : measure_name(measure),
                score ? "" : "set format y '%g'\n");
        write_class_lines(drawn.script, book, name, score);
        status = chart_end(&drawn);
    }
    memory_free(place->ctx, values);
    return status;
}

/* ---- sweeps -----------------------------------------------------------------------------------
 */

/* "tnmf pooling_weight=0.1": one setting, whose value is a number. */
typedef struct swept {
    int method, parameter; /* lengths: of "tnmf", and up to the '=' */
    double value;
} swept;

static bool is_swept(const char *variant, swept *found)
{
    const char *space = strchr(variant, ' ');
    const char *equals = space ? strchr(space, '=') : NULL;
    if (!equals || strchr(space + 1, ' ') || !text_to_double(equals + 1, &found->value))
        return false;
    found->method = (int)(space - variant);
    found->parameter = (int)(equals - variant);
    return true;
}

/* A variant of the same method and parameter. */
static bool same_sweep(const char *variant, const char *other, swept *found)
{
    swept first;
    return is_swept(variant, &first) && is_swept(other, found) &&
           first.parameter == found->parameter && !strncmp(variant, other, (size_t)first.parameter);
}

/* The variants of the sweep that `first` begins, by rising value; 0 where another began it. */
static int sweep_of(const study_summary *s, int64_t first, int64_t member[MOST_VALUES],
                    double value[MOST_VALUES])
{
    int count = 0;
    swept found;
    for (int64_t m = 0; m < s->methods && count < MOST_VALUES; m++) {
        if (!same_sweep(s->method[first], s->method[m], &found))
            continue;
        if (m < first)
            return 0;
        int at = count++;
        for (; at > 0 && value[at - 1] > found.value; at--) {
            value[at] = value[at - 1];
            member[at] = member[at - 1];
        }
        value[at] = found.value;
        member[at] = m;
    }
    return count;
}

/* Of an average over the numbers of classes; 0 where a cell has no deviation. */
static double standard_error(const study_summary *s, int64_t dataset, int64_t method)
{
    double squares = 0, cells = 0;
    for (int64_t c = 0; c < s->class_counts; c++) {
        const study_cell *cell = summary_cell(s, dataset, method, c);
        if (!cell)
            continue;
        const double deviation = cell->deviation[MEASURE_ACCURACY];
        if (isnan(deviation))
            return 0;
        squares += deviation * deviation / (double)cell->count[MEASURE_ACCURACY];
        cells++;
    }
    return cells > 0 ? sqrt(squares) / cells : 0;
}

static orthant_status write_sweep(chart_place *place, const study_book *book, const char *name,
                                  const int64_t *member, const double *value, int count)
{
    file_writer writer;
    const study_summary *s = &book->summary;
    const orthant_status status = chart_data_begin(place, name, &writer);
    if (status)
        return status;
    fputs("value", writer.file);
    for (int64_t d = 0; d < s->datasets; d++) {
        write_title(writer.file, s->dataset[d], "");
        write_title(writer.file, s->dataset[d], " se");
    }
    fputc('\n', writer.file);
    for (int i = 0; i < count; i++) {
        fprintf(writer.file, "%.9g", value[i]);
        for (int64_t d = 0; d < s->datasets; d++) {
            write_field(writer.file, 100 * study_average(book, d, member[i], MEASURE_ACCURACY));
            write_field(writer.file, 100 * standard_error(s, d, member[i]));
        }
        fputc('\n', writer.file);
    }
    return file_write_end(&writer, ORTHANT_OK);
}

/* After "tnmf pooling_weight", the first `length` letters of a variant. */
static orthant_status name_sweep(orthant_context *ctx, const char *variant, int length,
                                 char name[CHART_NAME])
{
    char *sweep = memory_text(ctx, variant);
    if (!sweep)
        return ORTHANT_ERROR_MEMORY;
    sweep[length] = '\0';
    chart_file_name(name, "sweep", sweep);
    memory_free(ctx, sweep);
    return ORTHANT_OK;
}

static series_axes axes_of_sweep(const study_book *book, const char *label, const int64_t *member,
                                 const double *value, int count)
{
    series_axes axes = {.across = label,
                        .log_x = value[0] > 0 && value[count - 1] >= LOGARITHMIC_FROM * value[0]};
    series_range_begin(axes.x);
    series_range_begin(axes.y);
    for (int i = 0; i < count; i++) {
        series_range_add(axes.x, value[i], axes.log_x);
        for (int64_t d = 0; d < book->summary.datasets; d++) {
            const double mean = 100 * study_average(book, d, member[i], MEASURE_ACCURACY);
            const double error = 100 * standard_error(&book->summary, d, member[i]);
            series_range_add(axes.y, mean - error, false);
            series_range_add(axes.y, mean + error, false);
        }
    }
    series_range_end(axes.x, axes.log_x);
    if (!series_range_end(axes.y, false)) {
        axes.y[0] = 0;
        axes.y[1] = 100;
    }
    keep_percent(axes.y);
    return axes;
}

static orthant_status values_of_sweep(chart_place *place, const study_book *book,
                                      const series_axes *axes, const int64_t *member,
                                      const double *value, int count, char **values)
{
    series line;
    *values = NULL;
    const orthant_status status = series_begin(place->ctx, &line, axes);
    if (status)
        return status;
    for (int64_t d = 0; d < book->summary.datasets; d++) {
        series_line(&line, book->summary.dataset[d], 0);
        for (int i = 0; i < count; i++)
            series_point(&line, value[i], 100 * study_average(book, d, member[i], MEASURE_ACCURACY),
                         100 * standard_error(&book->summary, d, member[i]));
        series_line_end(&line);
    }
    return series_end(&line, values);
}

static void write_sweep_lines(FILE *script, const study_summary *s, const char *name)
{
    for (int64_t d = 0; d < s->datasets; d++) {
        fputs(d ? ", \\\n     ''" : "plot ", script);
        if (!d)
            fprintf(script, "'%s.csv'", name);
        fprintf(script, " using 1:%" PRId64 ":%" PRId64 " every ::1 notitle with yerrorbars",
                2 * d + 2, 2 * d + 3);
        chart_line(script, (int)d, 0.8);
        fprintf(script, " ps 0, \\\n     '' using 1:%" PRId64 " every ::1 title ", 2 * d + 2);
        chart_key_name(script, s->dataset[d]);
        fputs(" with linespoints", script);
        chart_line(script, (int)d, 1.6);
    }
    fputc('\n', script);
}

static orthant_status draw_sweep(chart_place *place, const study_book *book, int64_t first,
                                 const int64_t *member, const double *value, int count)
{
    swept sweep = {0};
    char method[96], label[96], name[CHART_NAME], caption[320], *values;
    const study_summary *s = &book->summary;
    is_swept(s->method[first], &sweep);
    snprintf(method, sizeof method, "%.*s", sweep.method, s->method[first]);
    snprintf(label, sizeof label, "%.*s", sweep.parameter - sweep.method - 1,
             s->method[first] + sweep.method + 1);
    const series_axes axes = axes_of_sweep(book, label, member, value, count);
    orthant_status status = name_sweep(place->ctx, s->method[first], sweep.parameter, name);
    if (!status)
        status = write_sweep(place, book, name, member, value, count);
    if (!status)
        status = values_of_sweep(place, book, &axes, member, value, count, &values);
    if (status)
        return status;
    snprintf(caption, sizeof caption,
             "Accuracy of %s against %s, averaged over numbers of "
             "classes; bars are standard errors.",
             method, label);
    chart drawn = {
        .place = place, .name = name, .description = caption, .caption = caption, .values = values};
    for (int64_t d = 0; d < s->datasets; d++)
        chart_add_name(&drawn, s->dataset[d]);
    status = chart_begin(&drawn);
    if (!status) {
        series_write_axes(drawn.script, &axes);
        fputs("set xlabel ", drawn.script);
        chart_text(drawn.script, label);
        fprintf(drawn.script, "\nset ylabel 'accuracy (%%)'\n%s",
                axes.log_x ? "set format x '%g'\n" : "");
        write_sweep_lines(drawn.script, s, name);
        status = chart_end(&drawn);
    }
    memory_free(place->ctx, values);
    return status;
}

orthant_status study_chart_sweeps(chart_place *place, const study_book *book, const char *heading,
                                  bool *any)
{
    orthant_status status = ORTHANT_OK;
    *any = false;
    for (int64_t m = 0; m < book->summary.methods && !status; m++) {
        int64_t member[MOST_VALUES];
        double value[MOST_VALUES];
        const int count = sweep_of(&book->summary, m, member, value);
        if (count < 2)
            continue;
        fputs(*any ? "" : heading, place->page);
        *any = true;
        status = draw_sweep(place, book, m, member, value, count);
    }
    return status;
}
