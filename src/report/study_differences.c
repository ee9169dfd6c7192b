/* Paired differences as a table, and as intervals around zero. */
#include "report/study_differences.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "report/html.h"
#include "report/series.h"
#include "report/study_charts.h"
#include "study/differences.h"

#define NAME "differences"
#define MOST_PAIRED 24   /* methods of which every pair is listed */
#define LETTER 9         /* pixels of a name's letter beside the frame */
#define LONGEST_NAME 30  /* letters of a name beside the frame; the table has all of it */
#define INTERVAL_ROW 30  /* pixels */
#define INTERVAL_REST 92 /* above and below the rows */

/* The methods that are shown, the best average first, and what each but the first is behind it. */
typedef struct compared {
    orthant_context *ctx;
    int64_t *order;
    const char **name;
    study_differences found;
} compared;

static void compared_free(compared *c)
{
    differences_free(&c->found);
    memory_free(c->ctx, c->name);
    memory_free(c->ctx, c->order);
}

static orthant_status compared_make(const study_book *book, compared *c)
{
    *c = (compared){.ctx = book->ctx, .found.ctx = book->ctx};
    c->order = memory_new(book->ctx, book->shown, sizeof *c->order, "an order of methods");
    c->name = memory_new(book->ctx, book->shown, sizeof *c->name, "names of methods");
    orthant_status status = c->order && c->name ? ORTHANT_OK : ORTHANT_ERROR_MEMORY;
    if (!status) {
        study_order(book, c->order);
        for (int64_t i = 0; i < book->shown; i++)
            c->name[i] = book->summary.method[c->order[i]];
        status = differences_make(book->ctx, &book->results, MEASURE_ACCURACY, c->name[0],
                                  c->name + 1, book->shown - 1, &c->found);
    }
    if (status)
        compared_free(c);
    return status;
}

/* ---- tables -----------------------------------------------------------------------------------
 */

static void add_columns(sheet *table)
{
    sheet_add_column(table, "difference", 1);
    sheet_add_column(table, "from", 1);
    sheet_add_column(table, "to", 1);
    sheet_add_counts(table, "draws");
    sheet_add_counts(table, "better in");
}

static void add_difference(sheet *table, const study_difference *d)
{
    sheet_add_number(table, 100 * d->mean);
    sheet_add_number(table, 100 * (d->mean - d->half));
    sheet_add_number(table, 100 * (d->mean + d->half));
    sheet_add_number(table, (double)d->draws);
    sheet_add_number(table, (double)d->better);
}

static sheet *table_of(const compared *c)
{
    char caption[400];
    snprintf(caption, sizeof caption,
             "Accuracy less that of %.200s on the same draws, in points: mean and 95 %% interval.",
             c->name[0]);
    sheet *table = sheet_new(c->ctx, NAME, caption);
    sheet_add_column(table, "method", -1);
    add_columns(table);
    for (int64_t i = 0; i < c->found.count; i++) {
        sheet_add_row(table, false);
        sheet_add_text(table, c->found.difference[i].method);
        add_difference(table, &c->found.difference[i]);
    }
    return table;
}

sheet *study_table_differences(const study_book *book, orthant_status *status)
{
    compared c;
    sheet *table = NULL;
    *status = compared_make(book, &c);
    if (*status)
        return NULL;
    if (c.found.count) {
        table = table_of(&c);
        *status = sheet_status(table);
    }
    compared_free(&c);
    return table;
}

/* Every method behind the first two, less each that is better on average. */
static orthant_status write_pairs(FILE *page, const study_book *book, const compared *c)
{
    orthant_status status = ORTHANT_OK;
    if (book->shown < 3 || book->shown > MOST_PAIRED)
        return ORTHANT_OK;
    sheet *table = sheet_new(c->ctx, NAME "-pairs",
                             "Accuracy of the first less that of the second on the same draws, in "
                             "points: mean and 95 % interval.");
    sheet_add_column(table, "method", -1);
    sheet_add_column(table, "less", -1);
    add_columns(table);
    if (table)
        table->head_columns = 2;
    for (int64_t i = 0; i + 1 < book->shown && !status; i++) {
        study_differences found;
        status = differences_make(c->ctx, &book->results, MEASURE_ACCURACY, c->name[i],
                                  c->name + i + 1, book->shown - i - 1, &found);
        for (int64_t j = 0; j < found.count && !status; j++) {
            sheet_add_row(table, false);
            sheet_add_text(table, found.difference[j].method);
            sheet_add_text(table, c->name[i]);
            add_difference(table, &found.difference[j]);
        }
        differences_free(&found);
    }
    if (!status)
        status = sheet_status(table);
    if (!status) {
        fputs("<details><summary>Every pair of methods</summary>\n", page);
        sheet_write(table, SHEET_HTML, page);
        fputs("</details>\n", page);
    }
    sheet_free(table);
    return status;
}

/* ---- the chart --------------------------------------------------------------------------------
 */

static orthant_status write_data(chart_place *place, const compared *c)
{
    file_writer writer;
    const orthant_status status = chart_data_begin(place, NAME, &writer);
    if (status)
        return status;
    fputs("place,method,difference,low,high,draws\n", writer.file);
    for (int64_t i = 0; i < c->found.count; i++) {
        const study_difference *d = &c->found.difference[i];
        /* Without an interval there is still a point. */
        const double half = isnan(d->half) ? 0 : d->half;
        fprintf(writer.file, "%" PRId64 ",", c->found.count - i);
        chart_data_name(writer.file, d->method, "");
        fprintf(writer.file, ",%.9g,%.9g,%.9g,%" PRId64 "\n", 100 * d->mean, 100 * (d->mean - half),
                100 * (d->mean + half), d->draws);
    }
    return file_write_end(&writer, ORTHANT_OK);
}

static series_axes axes_of(const compared *c)
{
    series_axes axes = {
        .across = "difference", .y = {0.4, (double)c->found.count + 0.6}, .sideways = true};
    series_range_begin(axes.x);
    series_range_add(axes.x, 0, false);
    for (int64_t i = 0; i < c->found.count; i++) {
        const study_difference *d = &c->found.difference[i];
        const double half = isnan(d->half) ? 0 : d->half;
        series_range_add(axes.x, 100 * (d->mean - half), false);
        series_range_add(axes.x, 100 * (d->mean + half), false);
    }
    series_range_end(axes.x, false);
    return axes;
}

static orthant_status values_of(const compared *c, const series_axes *axes, char **values)
{
    series line;
    *values = NULL;
    const orthant_status status = series_begin(c->ctx, &line, axes);
    if (status)
        return status;
    for (int64_t i = 0; i < c->found.count; i++) {
        const study_difference *d = &c->found.difference[i];
        series_line(&line, d->method, 0);
        series_point(&line, (double)(c->found.count - i), 100 * d->mean, 100 * d->half);
        series_line_end(&line);
    }
    return series_end(&line, values);
}

/* Names beside the frame, and the interval of each at its height. */
static void write_script(FILE *script, const compared *c)
{
    fputs("set xlabel 'points of accuracy'\nset grid xtics noytics\nunset key\nset ytics (",
          script);
    for (int64_t i = 0; i < c->found.count; i++) {
        char name[4 * LONGEST_NAME + 8];
        chart_short_name(c->found.difference[i].method, LONGEST_NAME, name, sizeof name);
        fputs(i ? ", " : "", script);
        chart_quoted(script, name);
        fprintf(script, " %" PRId64, c->found.count - i);
    }
    fputs(") noenhanced textcolor rgb '#000000'\n"
          "set arrow from 0, graph 0 to 0, graph 1 nohead lw 1 lc rgb '#808080'\n"
          "plot '" NAME ".csv' using 3:1:4:5 every ::1 notitle with xerrorbars",
          script);
    chart_line(script, 0, 1.6);
    fputc('\n', script);
}

static orthant_status draw(chart_place *place, const compared *c)
{
    char caption[480], *values;
    int longest = 0;
    const series_axes axes = axes_of(c);
    for (int64_t i = 0; i < c->found.count; i++) {
        const int length = (int)strnlen(c->found.difference[i].method, LONGEST_NAME);
        longest = length > longest ? length : longest;
    }
    snprintf(caption, sizeof caption,
             "How many points of accuracy each method has more than %.200s on the same draws: mean "
             "and 95 %% interval. An interval that holds 0 leaves open which of the two is better.",
             c->name[0]);
    orthant_status status = write_data(place, c);
    if (!status)
        status = values_of(c, &axes, &values);
    if (status)
        return status;
    chart drawn = {.place = place,
                   .name = NAME,
                   .description = caption,
                   .caption = caption,
                   .width = 560,
                   .height = INTERVAL_REST + INTERVAL_ROW * (int)c->found.count,
                   .left = LETTER * longest + 16,
                   .values = values};
    status = chart_begin(&drawn);
    if (!status) {
        series_write_axes(drawn.script, &axes);
        write_script(drawn.script, c);
        status = chart_end(&drawn);
    }
    memory_free(place->ctx, values);
    return status;
}

/* ---- on the page ------------------------------------------------------------------------------
 */

static void write_caution(FILE *page, const study_summary *s)
{
    fputs("<p class=\"soft\">Read them with care: draws of one data set share samples, so that "
          "they are not independent, and the intervals are narrower than those of new data. ",
          page);
    if (s->datasets > 1)
        fputs("Differences from one data set to the next tell more than those between draws of the "
              "same one. ",
              page);
    else
        fputs("All draws are of one data set: what is found here may not hold on another. ", page);
    fputs("The reference is the best of this very study, which flatters it a little.</p>\n", page);
}

orthant_status study_differences_show(chart_place *place, const study_book *book)
{
    compared c;
    sheet *table = NULL;
    orthant_status status = compared_make(book, &c);
    if (status)
        return status;
    if (c.found.count) {
        fputs("<h2>Differences on the same draws</h2>\n", place->page);
        table = table_of(&c);
        status = sheet_status(table);
        if (!status) {
            sheet_write(table, SHEET_HTML, place->page);
            status = draw(place, &c);
        }
        write_caution(place->page, &book->summary);
        if (!status)
            status = write_pairs(place->page, book, &c);
    }
    sheet_free(table);
    compared_free(&c);
    return status;
}
