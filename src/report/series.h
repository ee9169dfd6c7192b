/* The numbers of a chart of several lines, as the page shows them under the mouse (charts.js). */
#ifndef REPORT_SERIES_H
#define REPORT_SERIES_H

#include "report/json.h"
#include "report/text_output.h"

/* The axes of a chart: what its script and its values agree on. */
typedef struct series_axes {
    const char *across;          /* what the points are found by: "number of classes" */
    double x[2], y[2];           /* from, to */
    bool log_x, log_y, sideways; /* sideways: points are found by their height */
} series_axes;

typedef struct series {
    text_output output;
    json_writer json;
} series;

/* An axis that nothing was added to, to be widened by values; values that are not finite do not
 * count, and on a logarithmic axis none but those above 0. */
void series_range_begin(double range[2]);
void series_range_add(double range[2], double value, bool log);
/* Room beside the outermost values; false where there was none. A range of one value gets a width.
 */
bool series_range_end(double range[2], bool log);

/* "set xrange [...]", ... and the logarithmic axes, for a script. */
void series_write_axes(FILE *script, const series_axes *axes);

orthant_status series_begin(orthant_context *ctx, series *s, const series_axes *axes);
/* A line of the chart; `shift`: it is drawn so far beside its points. */
void series_line(series *s, const char *name, double shift);
/* A point of it; the spread, behind a plus-minus, may be NaN. */
void series_point(series *s, double x, double y, double spread);
void series_line_end(series *s);
/* The JSON (memory_free). To be called once after a begin that did not fail. */
orthant_status series_end(series *s, char **values);

#endif
