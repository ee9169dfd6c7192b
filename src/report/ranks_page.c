/* Charts and tables of a survey of ranks, from its ranks.json. */
#include "report/ranks_page.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/file.h"
#include "core/memory.h"
#include "core/text.h"
#include "orthant/ranks.h"
#include "report/chart.h"
#include "report/html.h"
#include "report/ranks_record.h"
#include "report/series.h"
#include "report/settings.h"
#include "report/tables.h"
#include "report/text_file.h"
#include "report/text_output.h"

#define SCREEN_WIDTH 79
#define MOST_TICKS 16

static const json_value *rows_of(const json_value *json)
{
    const json_value *rows = json_member(json, "rows");
    return rows ? rows->child : NULL;
}

static double recommended(const json_value *json)
{
    return json_member_number(json_member(json, "recommended"), "k");
}

static const json_value *reasons_of(const json_value *json)
{
    const json_value *list = json_member(json_member(json, "recommended"), "reasons");
    return list ? list->child : NULL;
}

/* Whether the survey has the measure: some criteria may have been left out. */
static bool has_measure(const json_value *json, const char *measure)
{
    return json_member(rows_of(json), measure) != NULL;
}

static double deviation_of(const json_value *row, const char *measure)
{
    char name[80];
    snprintf(name, sizeof name, "%.60s_deviation", measure);
    return json_member_number(row, name);
}

/* ---- tables -----------------------------------------------------------------------------------
 */

static bool is_objective(const char *measure)
{
    return strstr(measure, "objective") != NULL;
}

/* Objectives have any size; all else is a share or a correlation. */
static int decimals_of(const json_value *json, const char *measure)
{
    double largest = 0;
    if (!is_objective(measure))
        return 4;
    for (const json_value *row = rows_of(json); row; row = row->next)
        largest = fmax(largest, fabs(json_member_number(row, measure)));
    return largest >= 1e4 ? 0 : largest >= 10 ? 2 : 5;
}

static void mark_measure(sheet *table, int column, const char *measure)
{
    if (!strcmp(measure, "error") || !strcmp(measure, "entry_error"))
        sheet_mark_column(table, column, true);
    else if (!strcmp(measure, "cophenetic") || !strcmp(measure, "dispersion"))
        sheet_mark_column(table, column, false);
}

sheet *ranks_sheet(orthant_context *ctx, const json_value *json)
{
    char caption[320];
    const char *measure;
    snprintf(caption, sizeof caption,
             "What speaks for each rank of %.60s on %.160s; recommended: k = %.0f.",
             json_member_text(json, "method", ""),
             path_name(json_member_text(json_member(json, "data"), "path", "")), recommended(json));
    sheet *table = sheet_new(ctx, "ranks", caption);
    sheet_add_column(table, "k", 0);
    for (int i = 0; (measure = orthant_ranks_measure(i)); i++)
        if (has_measure(json, measure))
            sheet_add_column(table, orthant_ranks_measure_title(i), decimals_of(json, measure));
    for (const json_value *row = rows_of(json); row; row = row->next) {
        sheet_add_row(table, false);
        sheet_add_number(table, json_member_number(row, "k"));
        for (int i = 0; (measure = orthant_ranks_measure(i)); i++)
            if (has_measure(json, measure))
                sheet_add_mean(table, json_member_number(row, measure), deviation_of(row, measure));
    }
    for (int i = 0, column = 1; (measure = orthant_ranks_measure(i)); i++)
        if (has_measure(json, measure))
            mark_measure(table, column++, measure);
    return table;
}

/* Sentences, broken at spaces, further lines indented. */
static void print_sentence(FILE *out, const char *text)
{
    int column = 2;
    fputs("- ", out);
    while (*text) {
        const int length = (int)strcspn(text, " ");
        if (column > 2 && column + length > SCREEN_WIDTH) {
            fputs("\n  ", out);
            column = 2;
        }
        fprintf(out, "%.*s", length, text);
        column += length + 1;
        text += length;
        text += *text == ' ';
        fputs(*text && column + (int)strcspn(text, " ") <= SCREEN_WIDTH ? " " : "", out);
    }
    fputc('\n', out);
}

void ranks_screen(const json_value *json, FILE *out)
{
    static const struct {
        const char *measure, *title;
    } shown[] = {{"error", "blocks"},          {"entry_error", "entries"},
                 {"explained", "explained"},   {"permuted_explained", "permuted"},
                 {"cophenetic", "cophenetic"}, {"dispersion", "dispersion"},
                 {"silhouette", "silh."},      {"least_silhouette", "least"}};
    const size_t count = sizeof shown / sizeof *shown;
    fputs("     k", out);
    for (size_t i = 0; i < count; i++)
        if (has_measure(json, shown[i].measure))
            fprintf(out, " %7s", shown[i].title);
    fputc('\n', out);
    for (const json_value *row = rows_of(json); row; row = row->next) {
        const double k = json_member_number(row, "k");
        fprintf(out, "%c%5.0f", fabs(k - recommended(json)) < 0.5 ? '*' : ' ', k);
        for (size_t i = 0; i < count; i++) {
            const double value = json_member_number(row, shown[i].measure);
            if (!has_measure(json, shown[i].measure))
                continue;
            const int width = (int)strlen(shown[i].title) < 7 ? 7 : (int)strlen(shown[i].title);
            if (isnan(value))
                fprintf(out, " %*s", width, "-");
            else
                fprintf(out, " %*.4f", width, value);
        }
        fputc('\n', out);
    }
    fprintf(out, "\nrecommended  k = %.0f\n", recommended(json));
    for (const json_value *reason = reasons_of(json); reason; reason = reason->next)
        print_sentence(out, reason->text ? reason->text : "");
}

orthant_status orthant_ranks_tables(const orthant_ranks *ranks, const char *format, char **text)
{
    json_value *json = NULL;
    sheet_format kind = SHEET_MARKDOWN;
    text_output output;
    bool screen;
    if (text)
        *text = NULL;
    if (!ranks || !format || !text)
        return fail(ranks ? ranks->ctx : NULL, ORTHANT_ERROR_ARGUMENT,
                    "orthant_ranks_tables: an argument is NULL");
    if (!tables_format(format, &screen, &kind))
        return tables_refuse_format(ranks->ctx, format);
    orthant_status status = ranks_record_of(ranks, &json);
    if (status)
        return status;
    status = text_output_begin(ranks->ctx, &output);
    if (!status) {
        sheet *table = screen ? NULL : ranks_sheet(ranks->ctx, json);
        if (screen)
            ranks_screen(json, output.file);
        else if (!(status = table ? sheet_status(table) : ORTHANT_ERROR_MEMORY))
            sheet_write(table, kind, output.file);
        sheet_free(table);
        status = text_output_end(&output, status, text);
    }
    json_free(ranks->ctx, json);
    return status;
}

/* ---- charts -----------------------------------------------------------------------------------
 */

typedef struct lines_chart {
    const char *name, *axis, *caption;
    struct {
        const char *measure, *title;
    } line[2];
} lines_chart;

static const lines_chart charts[] = {
    {"ranks-error",
     "held-out error",
     "The held-out error: the share of the squares of what is held out, a block or entries one by "
     "one, that is not predicted; bars are standard deviations over the repeats.",
     {{"error", "blocks"}, {"entry_error", "entries"}}},
    {"ranks-stability",
     "silhouette",
     "How stable the parts are: silhouettes of the parts that come back from perturbed data.",
     {{"silhouette", "mean"}, {"least_silhouette", "smallest of a part"}}},
    {"ranks-starts",
     "agreement",
     "How far the clusters of the starts agree.",
     {{"cophenetic", "cophenetic correlation"}, {"dispersion", "dispersion"}}},
    {"ranks-explained",
     "explained share",
     "The share of the squares that is explained, beside that of data whose features are permuted.",
     {{"explained", "data"}, {"permuted_explained", "permuted data"}}},
};

static orthant_status write_points(chart_place *place, const json_value *json,
                                   const lines_chart *of)
{
    file_writer writer;
    const orthant_status status = chart_data_begin(place, of->name, &writer);
    if (status)
        return status;
    fputs("k", writer.file);
    for (int i = 0; i < 2 && of->line[i].measure; i++)
        fprintf(writer.file, ",%s,%s_deviation", of->line[i].measure, of->line[i].measure);
    fputc('\n', writer.file);
    for (const json_value *row = rows_of(json); row; row = row->next) {
        fprintf(writer.file, "%.0f", json_member_number(row, "k"));
        for (int i = 0; i < 2 && of->line[i].measure; i++) {
            const double value = json_member_number(row, of->line[i].measure);
            const double deviation = deviation_of(row, of->line[i].measure);
            char text[32] = "";
            if (isfinite(value))
                text_write_double(text, value, false);
            fprintf(writer.file, ",%s", text);
            text_write_double(text, isfinite(deviation) ? deviation : 0, false);
            fprintf(writer.file, ",%s", text);
        }
        fputc('\n', writer.file);
    }
    return file_write_end(&writer, ORTHANT_OK);
}

/* Labels at ranks alone, as many as have room. */
static void write_ticks(FILE *script, const json_value *json)
{
    int count = 0, at = 0;
    for (const json_value *row = rows_of(json); row; row = row->next)
        count++;
    const int step = (count + MOST_TICKS - 1) / MOST_TICKS;
    fputs("set xtics (", script);
    for (const json_value *row = rows_of(json); row; row = row->next, at++)
        if (at % step == 0)
            fprintf(script, "%s%.0f", at ? ", " : "", json_member_number(row, "k"));
    fputs(")\n", script);
}

static series_axes axes_of(const json_value *json, const lines_chart *of, int lines)
{
    series_axes axes = {.across = "k"};
    series_range_begin(axes.x);
    series_range_begin(axes.y);
    for (const json_value *row = rows_of(json); row; row = row->next) {
        series_range_add(axes.x, json_member_number(row, "k"), false);
        for (int i = 0; i < lines; i++) {
            const double value = json_member_number(row, of->line[i].measure);
            const double deviation = deviation_of(row, of->line[i].measure);
            series_range_add(axes.y, value - (isfinite(deviation) ? deviation : 0), false);
            series_range_add(axes.y, value + (isfinite(deviation) ? deviation : 0), false);
        }
    }
    series_range_end(axes.x, false);
    if (!series_range_end(axes.y, false)) {
        axes.y[0] = 0;
        axes.y[1] = 1;
    }
    return axes;
}

static orthant_status values_of(orthant_context *ctx, const json_value *json, const lines_chart *of,
                                int lines, const series_axes *axes, char **values)
{
    series s;
    *values = NULL;
    const orthant_status status = series_begin(ctx, &s, axes);
    if (status)
        return status;
    for (int i = 0; i < lines; i++) {
        series_line(&s, of->line[i].title, 0);
        for (const json_value *row = rows_of(json); row; row = row->next)
            series_point(&s, json_member_number(row, "k"),
                         json_member_number(row, of->line[i].measure),
                         deviation_of(row, of->line[i].measure));
        series_line_end(&s);
    }
    return series_end(&s, values);
}

static void write_script(FILE *script, const json_value *json, const lines_chart *of, int lines)
{
    fprintf(script,
            "set xlabel 'k'\nset ylabel '%s'\n"
            "set arrow from %.0f, graph 0 to %.0f, graph 1 nohead dt 3 lc rgb '#808080'\n",
            of->axis, recommended(json), recommended(json));
    write_ticks(script, json);
    fprintf(script, "plot '%s.csv'", of->name);
    for (int i = 0; i < lines; i++) {
        fprintf(script, "%s using 1:%d:%d every ::1 notitle with yerrorbars",
                i ? ", \\\n     ''" : "", 2 * i + 2, 2 * i + 3);
        chart_line(script, i, 0.8);
        fprintf(script, " ps 0, \\\n     '' using 1:%d every ::1 title ", 2 * i + 2);
        chart_text(script, of->line[i].title);
        fputs(" with linespoints", script);
        chart_line(script, i, 1.6);
    }
    fputc('\n', script);
}

static orthant_status draw_chart(chart_place *place, const json_value *json, const lines_chart *of)
{
    char *values;
    /* Permuted data alone, or one rank, make no chart. */
    if (!has_measure(json, of->line[0].measure) || !rows_of(json)->next)
        return ORTHANT_OK;
    const int lines = of->line[1].measure && has_measure(json, of->line[1].measure) ? 2 : 1;
    const series_axes axes = axes_of(json, of, lines);
    orthant_status status = write_points(place, json, of);
    if (!status)
        status = values_of(place->ctx, json, of, lines, &axes, &values);
    if (status)
        return status;
    chart drawn = {.place = place,
                   .name = of->name,
                   .description = of->caption,
                   .caption = of->caption,
                   .values = values};
    for (int i = 0; i < lines; i++)
        chart_add_name(&drawn, of->line[i].title);
    status = chart_begin(&drawn);
    if (!status) {
        series_write_axes(drawn.script, &axes);
        write_script(drawn.script, json, of, lines);
        status = chart_end(&drawn);
    }
    memory_free(place->ctx, values);
    return status;
}

/* ---- the page ---------------------------------------------------------------------------------
 */

static void write_summary(FILE *page, const json_value *json)
{
    const json_value *data = json_member(json, "data");
    fprintf(page, "<p class=\"lead\">Recommended: <strong>k = %.0f</strong> parts of ",
            recommended(json));
    html_text(page, json_member_text(json, "method", ""));
    fputs(" for ", page);
    html_text(page, path_name(json_member_text(data, "path", "")));
    fputs(" (", page);
    html_count(page, json_member_number(data, "samples"));
    fputs(" samples, ", page);
    html_count(page, json_member_number(data, "features"));
    fputs(" features).</p>\n<ul>\n", page);
    for (const json_value *reason = reasons_of(json); reason; reason = reason->next) {
        fputs("<li>", page);
        html_text(page, reason->text ? reason->text : "");
        fputs("</li>\n", page);
    }
    fputs("</ul>\n", page);
}

static void write_criteria(FILE *page, const json_value *json)
{
    const json_value *asked = json_member(json, "criteria");
    fputs("<h2>The criteria</h2>\n<ul>\n", page);
    for (int i = 0; orthant_ranks_criterion(i); i++)
        for (const json_value *name = asked ? asked->child : NULL; name; name = name->next)
            if (name->kind == JSON_TEXT && !strcmp(name->text, orthant_ranks_criterion(i))) {
                fprintf(page, "<li><code>%s</code>: ", orthant_ranks_criterion(i));
                html_text(page, orthant_ranks_criterion_help(i));
                fputs(".</li>\n", page);
            }
    fputs("</ul>\n", page);
}

static void write_origin(FILE *page, const json_value *json)
{
    static const char *const keys[] = {"seed",    "repeats",     "noise", "consensus_samples",
                                       "version", "cpu_kernels", "blas"};
    const json_value *given = json_member(json, "settings");
    const char *command = json_member_text(json, "command", "");
    fputs("<h2>How it was made</h2>\n", page);
    if (*command) {
        fputs("<pre>", page);
        html_text(page, command);
        fputs("</pre>\n", page);
    }
    fputs("<p class=\"soft\">Every fit: <a href=\"fits.csv\">fits.csv</a>; means and deviations: "
          "<a href=\"ranks.csv\">ranks.csv</a>.</p>\n<table class=\"settings\">\n",
          page);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (json_member(json, keys[i]))
            html_row(page, keys[i], json_member(json, keys[i]));
    for (const json_value *s = given ? given->child : NULL; s; s = s->next)
        if (!json_member(json, json_member_text(s, "name", "")))
            html_row(page, json_member_text(s, "name", ""), json_member(s, "value"));
    fputs("</table>\n", page);
}

static orthant_status write_body(chart_place *place, const json_value *json)
{
    orthant_status status = ORTHANT_OK;
    write_summary(place->page, json);
    html_contents(place->page);
    fputs("<h2>Charts</h2>\n<p class=\"soft\">The vertical line marks the recommended rank.</p>\n"
          "<div class=\"charts\">\n",
          place->page);
    for (size_t i = 0; i < sizeof charts / sizeof *charts && !status; i++)
        status = draw_chart(place, json, &charts[i]);
    chart_last(place);
    fputs("</div>\n<h2>Every rank</h2>\n", place->page);
    sheet *table = status ? NULL : ranks_sheet(place->ctx, json);
    if (!status)
        status = table ? sheet_status(table) : ORTHANT_ERROR_MEMORY;
    if (!status)
        sheet_write(table, SHEET_HTML, place->page);
    sheet_free(table);
    write_criteria(place->page, json);
    write_origin(place->page, json);
    return status;
}

orthant_status ranks_page_write(orthant_context *ctx, const char *folder)
{
    json_value *json = NULL;
    file_writer writer;
    char title[400];
    orthant_status status = ranks_record_read(ctx, folder, &json);
    if (status)
        return status;
    snprintf(title, sizeof title, "How many parts: %.60s on %.300s",
             json_member_text(json, "method", ""),
             path_name(json_member_text(json_member(json, "data"), "path", "")));
    char *path = path_join(ctx, folder, "report.html");
    status = path ? file_write_begin(ctx, path, &writer) : ORTHANT_ERROR_MEMORY;
    if (!status) {
        chart_place place;
        writer.remade = true;
        status = chart_place_begin(&place, ctx, writer.file, folder);
        if (!status) {
            html_page_begin(place.page, title);
            status = write_body(&place, json);
            html_page_end(place.page);
        }
        status = file_write_end(&writer, chart_place_end(&place, status));
    }
    memory_free(ctx, path);
    json_free(ctx, json);
    return status;
}
