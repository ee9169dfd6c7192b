/* Charts and pictures of the papers' figures, from kept runs and sweeps. */
#include "reproduce/figures.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "report/history.h"
#include "report/html.h"
#include "report/rank_diagram.h"
#include "report/text_file.h"
#include "study/summary.h"

#define MOST_VALUES 32
#define MOST_RANKED 64
#define MOST_POINTS 500 /* of a line */

void figure_name(const protocol_figure *figure, const char *part, char *name, size_t size)
{
    snprintf(name, size, "figure-%s%s%s", figure->number, *part ? "-" : "", part);
    for (char *at = name; *at; at++)
        if (*at == ' ')
            *at = '-';
}

bool next_name(const char **list, char *name, size_t size)
{
    const size_t length = strcspn(*list, ",");
    if (!length)
        return false;
    snprintf(name, size, "%.*s", (int)length, *list);
    *list += length + ((*list)[length] == ',');
    return true;
}

static char *kept_path(const protocol_runs *runs, const char *method, const char *file)
{
    char *folder =
        runs->results.count ? runs_kept(runs, method, runs->results.row[0].classes) : NULL;
    char *path = folder ? path_join(runs->ctx, folder, file) : NULL;
    memory_free(runs->ctx, folder);
    return path;
}

orthant_status kept_matrix(const protocol_runs *runs, const char *method, const char *file,
                           orthant_matrix **matrix)
{
    const orthant_read_options options = {.size = sizeof options, .truth = "none"};
    char *path = kept_path(runs, method, file);
    const orthant_status status =
        path ? orthant_matrix_read(runs->ctx, path, &options, matrix, NULL) : ORTHANT_ERROR_MEMORY;
    memory_free(runs->ctx, path);
    return status;
}

orthant_status kept_labels(const protocol_runs *runs, const char *method, const char *file,
                           orthant_labels **labels)
{
    char *path = kept_path(runs, method, file);
    const orthant_status status =
        path ? orthant_labels_read(runs->ctx, path, labels) : ORTHANT_ERROR_MEMORY;
    memory_free(runs->ctx, path);
    return status;
}

/* The first line names the data, the others go on with it. */
static void plot_begin(const chart *drawn, int line)
{
    if (line)
        fputs(", \\\n     ''", drawn->script);
    else
        fprintf(drawn->script, "plot '%s.csv'", drawn->name);
}

/* ---- ranks ---- */

static orthant_status draw_ranks(chart_place *place, const study_summary *summary,
                                 const study_ranking *ranking)
{
    char caption[240];
    const char *name[MOST_RANKED];
    const int methods = (int)(ranking->methods < MOST_RANKED ? ranking->methods : MOST_RANKED);
    for (int i = 0; i < methods; i++)
        name[i] = summary->method[ranking->method[i]];
    snprintf(caption, sizeof caption,
             "Mean ranks of the accuracies over %" PRId64
             " rows; methods joined by a bar are less than the critical difference of %.2f apart "
             "(0.05). Friedman's test: p = %.2g.",
             ranking->rows, ranking->test.critical_difference, ranking->test.chi2_p);
    return rank_diagram_draw(place, name, ranking->mean_rank, methods,
                             ranking->test.critical_difference, caption);
}

static orthant_status show_ranks(chart_place *place, const protocol_figure *figure,
                                 const protocol_runs *runs)
{
    study_results some = {0};
    study_summary summary = {0};
    study_ranking ranking = {0};
    orthant_status status = runs_of_methods(&runs->results, figure->study.methods, &some);
    if (!status)
        status = summary_make(place->ctx, &some, &summary);
    if (status) {
        results_free(&some);
        return status;
    }
    status = ranking_make(&summary, MEASURE_ACCURACY, 0.05, &ranking);
    if (status == ORTHANT_ERROR_ARGUMENT) {
        fputs("<p class=\"soft\">There are too few rows to rank the methods.</p>\n", place->page);
        status = ORTHANT_OK;
    } else if (!status) {
        status = draw_ranks(place, &summary, &ranking);
    }
    ranking_free(place->ctx, &ranking);
    summary_free(&summary);
    results_free(&some);
    return status;
}

/* ---- sweeps ---- */

/* Values of the parameter in the order of the plan, from labels "method parameter=value". */
static int sweep_values(const protocol_runs *runs, const char *parameter, double *values)
{
    int count = 0;
    for (int64_t i = 0; i < runs->results.count; i++) {
        const char *at = strchr(runs->results.row[i].method, ' ');
        const size_t length = strlen(parameter);
        if (!at || strncmp(at + 1, parameter, length) || at[1 + length] != '=')
            continue;
        const double value = strtod(at + length + 2, NULL);
        bool known = false;
        for (int v = 0; v < count; v++)
            known = known || values[v] == value;
        if (!known && count < MOST_VALUES)
            values[count++] = value;
    }
    return count;
}

static runs_cell sweep_cell(const protocol_runs *runs, const char *method, const char *parameter,
                            double value, study_measure measure)
{
    for (int64_t i = 0; i < runs->results.count; i++) {
        const char *label = runs->results.row[i].method;
        const char *at = strchr(label, ' ');
        const size_t length = strlen(parameter);
        if (at && (size_t)(at - label) == strlen(method) &&
            !strncmp(label, method, strlen(method)) && !strncmp(at + 1, parameter, length) &&
            strtod(at + length + 2, NULL) == value)
            return runs_measure(&runs->results, label, 0, measure);
    }
    return (runs_cell){.mean = NAN, .deviation = NAN};
}

/* value, then mean and standard error of each method. */
static orthant_status write_sweep(chart_place *place, const char *name,
                                  const protocol_figure *figure, const protocol_runs *runs,
                                  study_measure measure, const double *values, int count)
{
    file_writer writer;
    char method[64];
    const orthant_status status = chart_data_begin(place, name, &writer);
    if (status)
        return status;
    fprintf(writer.file, "%s", figure->parameter);
    for (const char *list = figure->study.methods; next_name(&list, method, sizeof method);)
        fprintf(writer.file, ",%s,%s_error", method, method);
    fputc('\n', writer.file);
    for (int v = 0; v < count; v++) {
        fprintf(writer.file, "%g", values[v]);
        for (const char *list = figure->study.methods; next_name(&list, method, sizeof method);) {
            const runs_cell cell = sweep_cell(runs, method, figure->parameter, values[v], measure);
            fprintf(writer.file, ",%.6g,%.6g", 100 * cell.mean,
                    cell.count > 1 ? 100 * cell.deviation / sqrt((double)cell.count) : 0);
        }
        fputc('\n', writer.file);
    }
    return file_write_end(&writer, ORTHANT_OK);
}

static orthant_status draw_sweep(chart_place *place, const char *name,
                                 const protocol_figure *figure, const char *measure,
                                 const double *values, int count)
{
    char caption[200], method[64];
    int lines = 0;
    snprintf(caption, sizeof caption, "%.100s: %s (%%) with standard errors.", figure->title,
             measure);
    chart drawn = {.place = place, .name = name, .description = caption, .caption = caption};
    for (const char *list = figure->study.methods; next_name(&list, method, sizeof method);)
        chart_add_name(&drawn, method);
    const orthant_status status = chart_begin(&drawn);
    if (status)
        return status;
    if (count > 1 && values[0] > 0 && values[count - 1] / values[0] > 20)
        fputs("set logscale x\n", drawn.script);
    fputs("set xlabel ", drawn.script);
    chart_text(drawn.script, figure->parameter);
    fprintf(drawn.script, "\nset ylabel '%s (%%)'\nset offsets graph 0.04, graph 0.04\n", measure);
    for (const char *list = figure->study.methods; next_name(&list, method, sizeof method);
         lines++) {
        plot_begin(&drawn, lines);
        fprintf(drawn.script, " skip 1 using 1:%d:%d title ", 2 + 2 * lines, 3 + 2 * lines);
        chart_text(drawn.script, method);
        fputs(" with yerrorlines", drawn.script);
        chart_line(drawn.script, lines, 1.6);
    }
    fputc('\n', drawn.script);
    return chart_end(&drawn);
}

orthant_status figure_sweep(chart_place *place, const protocol_figure *figure,
                            const protocol_runs *runs)
{
    double values[MOST_VALUES];
    char measure[32], name[100];
    orthant_status status = ORTHANT_OK;
    const int count = sweep_values(runs, figure->parameter, values);
    for (const char *list = figure->measures;
         next_name(&list, measure, sizeof measure) && !status;) {
        study_measure which = MEASURE_ACCURACY;
        measure_find(measure, &which);
        figure_name(figure, measure, name, sizeof name);
        status = write_sweep(place, name, figure, runs, which, values, count);
        if (!status)
            status = draw_sweep(place, name, figure, measure, values, count);
    }
    return status;
}

/* ---- convergence ---- */

/* SNMF's and WNMF's objectives are whole squares, RMND's is half of one. */
static double comparable(const protocol_figure *figure, const char *method)
{
    return strstr(figure->study.methods, "rmnd") && strcmp(method, "rmnd") ? 0.5 : 1;
}

/* A block for each method, as gnuplot's `index` counts them. */
static orthant_status write_curve(FILE *file, const protocol_runs *runs, const char *method,
                                  double scale)
{
    history found = {0};
    char *path = kept_path(runs, method, "history.csv");
    const orthant_status status =
        path ? history_read(runs->ctx, path, &found) : ORTHANT_ERROR_MEMORY;
    memory_free(runs->ctx, path);
    if (status)
        return status;
    const int column = history_column(&found, "objective");
    fprintf(file, "# %s\niteration,objective\n", method);
    for (int64_t row = 0; column >= 0 && row < found.rows; row += 1 + row / MOST_POINTS)
        fprintf(file, "%.0f,%.9g\n", found.values[row * found.columns],
                scale * found.values[row * found.columns + column]);
    fputs("\n\n", file);
    history_free(runs->ctx, &found);
    return ORTHANT_OK;
}

orthant_status figure_convergence(chart_place *place, const protocol_figure *figure,
                                  const protocol_runs *runs)
{
    char name[100], method[64];
    file_writer writer;
    int lines = 0;
    chart drawn = {
        .place = place, .name = name, .description = figure->title, .caption = figure->title};
    figure_name(figure, "", name, sizeof name);
    orthant_status status = chart_data_begin(place, name, &writer);
    if (status)
        return status;
    for (const char *list = figure->study.methods;
         !status && next_name(&list, method, sizeof method);) {
        chart_add_name(&drawn, method);
        status = write_curve(writer.file, runs, method, comparable(figure, method));
    }
    status = file_write_end(&writer, status);
    if (!status)
        status = chart_begin(&drawn);
    if (status)
        return status;
    fputs("set logscale xy\nset format y '10^{%T}'\nset xlabel 'iteration'\n"
          "set ylabel 'objective'\n",
          drawn.script);
    for (const char *list = figure->study.methods; next_name(&list, method, sizeof method);
         lines++) {
        plot_begin(&drawn, lines);
        fprintf(drawn.script, " index %d using 1:2 every ::2 title ", lines);
        chart_text(drawn.script, method);
        fputs(" with lines", drawn.script);
        chart_line(drawn.script, lines, 1.6);
    }
    fputc('\n', drawn.script);
    return chart_end(&drawn);
}

/* ---- points in the plane ---- */

/* x, y, cluster; and behind an empty line the basis. */
static orthant_status write_points(FILE *file, const protocol_runs *runs, const char *method)
{
    const orthant_matrix *samples = runs->samples;
    orthant_matrix *basis = NULL;
    orthant_labels *labels = NULL;
    orthant_status status = kept_matrix(runs, method, "basis.npy", &basis);
    if (!status)
        status = kept_labels(runs, method, "labels.csv", &labels);
    if (!status && (orthant_matrix_rows(basis) != 2 ||
                    orthant_labels_count(labels) != orthant_matrix_rows(samples)))
        status = fail(runs->ctx, ORTHANT_ERROR_FORMAT, "%s: not the factors of points in the plane",
                      runs->folder);
    for (int64_t i = 0; !status && i < orthant_matrix_rows(samples); i++)
        fprintf(file, "%.5g,%.5g,%" PRId64 "\n", orthant_matrix_get(samples, i, 0),
                orthant_matrix_get(samples, i, 1), orthant_labels_values(labels)[i]);
    fputs("\n\n", file);
    for (int64_t k = 0; !status && k < orthant_matrix_columns(basis); k++)
        fprintf(file, "%.5g,%.5g\n", orthant_matrix_get(basis, 0, k),
                orthant_matrix_get(basis, 1, k));
    orthant_labels_free(labels);
    orthant_matrix_free(basis);
    return status;
}

static orthant_status draw_points(chart_place *place, const char *name, const char *method,
                                  int64_t clusters)
{
    char caption[160];
    snprintf(caption, sizeof caption,
             "%s: points in the colour of their cluster, rings where the basis vectors lie.",
             method);
    chart drawn = {.place = place, .name = name, .description = caption, .caption = caption};
    const orthant_status status = chart_begin(&drawn);
    if (status)
        return status;
    fputs("unset key\nset size ratio -1\nset offsets graph 0.05, graph 0.05, graph 0.05, graph "
          "0.05\n",
          drawn.script);
    for (int64_t c = 0; c < clusters; c++) {
        plot_begin(&drawn, (int)c);
        fprintf(drawn.script, " index 0 using ($3==%" PRId64 "?$1:1/0):2 with points", c);
        chart_line(drawn.script, (int)c, 1.6);
        fprintf(drawn.script, " title 'cluster %" PRId64 "'", c);
    }
    fputs(", \\\n     '' index 1 using 1:2 with points pt 6 ps 2.4 lw 2 lc rgb '#000000' "
          "title 'basis vectors'\n",
          drawn.script);
    return chart_end(&drawn);
}

orthant_status figure_points(chart_place *place, const protocol_figure *figure,
                             const protocol_runs *runs)
{
    char name[100], method[64];
    orthant_status status = ORTHANT_OK;
    for (const char *list = figure->study.methods;
         !status && next_name(&list, method, sizeof method);) {
        file_writer writer;
        figure_name(figure, method, name, sizeof name);
        status = chart_data_begin(place, name, &writer);
        if (status)
            break;
        status = file_write_end(&writer, write_points(writer.file, runs, method));
        if (!status)
            status = draw_points(place, name, method, runs->results.row[0].classes);
    }
    return status;
}

/* ---- all kinds ---- */

orthant_status figure_show(chart_place *place, const protocol_figure *figure,
                           const protocol_runs *runs, const char *paper)
{
    switch (figure->kind) {
    case FIGURE_CLASSES: return figure_classes(place, figure, runs, paper);
    case FIGURE_RANKS: return show_ranks(place, figure, runs);
    case FIGURE_SWEEP: return figure_sweep(place, figure, runs);
    case FIGURE_CONVERGENCE: return figure_convergence(place, figure, runs);
    case FIGURE_BASES: return figure_bases(place, figure, runs);
    case FIGURE_POINTS: return figure_points(place, figure, runs);
    case FIGURE_SIMILARITY: return figure_similarity(place, figure, runs);
    }
    return ORTHANT_OK;
}
