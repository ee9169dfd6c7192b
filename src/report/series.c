/* Ranges of axes, and the points of lines as JSON. */
#include "report/series.h"

#include <math.h>

void series_range_begin(double range[2])
{
    range[0] = INFINITY;
    range[1] = -INFINITY;
}

void series_range_add(double range[2], double value, bool log)
{
    if (!isfinite(value) || (log && value <= 0))
        return;
    range[0] = fmin(range[0], value);
    range[1] = fmax(range[1], value);
}

bool series_range_end(double range[2], bool log)
{
    if (!(range[0] <= range[1]))
        return false;
    if (log) {
        const double room = fmax(pow(range[1] / range[0], 0.05), 1.1);
        range[0] /= room;
        range[1] *= room;
    } else {
        const double width = range[1] - range[0];
        const double room = width > 0 ? 0.05 * width : fmax(0.05 * fabs(range[1]), 0.5);
        range[0] -= room;
        range[1] += room;
    }
    return true;
}

/* Gnuplot names powers of ten alone, of which a short logarithmic axis holds one at most. */
static void write_short_log(FILE *script, const double range[2])
{
    static const double step[] = {1, 2, 5};
    const char *between = "set ytics (";
    if (!(range[1] / range[0] < 100))
        return;
    for (double power = floor(log10(range[0])); power <= log10(range[1]); power++)
        for (int i = 0; i < 3; i++) {
            const double at = step[i] * pow(10, power);
            if (at < range[0] || at > range[1])
                continue;
            fprintf(script, "%s'%.6g' %.6g", between, at, at);
            between = ", ";
        }
    fputs(between[0] == ',' ? ")\n" : "", script);
}

void series_write_axes(FILE *script, const series_axes *axes)
{
    fprintf(script, "set xrange [%.9g:%.9g]\nset yrange [%.9g:%.9g]\n%s%s", axes->x[0], axes->x[1],
            axes->y[0], axes->y[1], axes->log_x ? "set logscale x\n" : "",
            axes->log_y ? "set logscale y\n" : "");
    if (axes->log_y)
        write_short_log(script, axes->y);
}

/* Seven digits: more than a reader is shown. */
static void write_number(json_writer *json, const char *key, double number)
{
    json_raw(json, key);
    if (isfinite(number))
        fprintf(json->file, "%.7g", number);
    else
        fputs("null", json->file);
}

orthant_status series_begin(orthant_context *ctx, series *s, const series_axes *axes)
{
    const orthant_status status = text_output_begin(ctx, &s->output);
    if (status)
        return status;
    s->json = (json_writer){.file = s->output.file, .compact = true, .in_page = true};
    json_open_object(&s->json, NULL);
    json_text(&s->json, "across", axes->across);
    json_truth(&s->json, "logX", axes->log_x);
    json_truth(&s->json, "logY", axes->log_y);
    json_truth(&s->json, "sideways", axes->sideways);
    json_open_array(&s->json, "range");
    for (int i = 0; i < 2; i++)
        write_number(&s->json, NULL, axes->x[i]);
    for (int i = 0; i < 2; i++)
        write_number(&s->json, NULL, axes->y[i]);
    json_close(&s->json);
    json_open_array(&s->json, "lines");
    return ORTHANT_OK;
}

void series_line(series *s, const char *name, double shift)
{
    json_open_object(&s->json, NULL);
    json_text(&s->json, "name", name);
    write_number(&s->json, "shift", shift);
    json_open_array(&s->json, "points");
}

void series_point(series *s, double x, double y, double spread)
{
    json_open_array(&s->json, NULL);
    write_number(&s->json, NULL, x);
    write_number(&s->json, NULL, y);
    if (!isnan(spread))
        write_number(&s->json, NULL, spread);
    json_close(&s->json);
}

void series_line_end(series *s)
{
    json_close(&s->json);
    json_close(&s->json);
}

orthant_status series_end(series *s, char **values)
{
    json_close(&s->json);
    json_close(&s->json);
    return text_output_end(&s->output, ORTHANT_OK, values);
}
