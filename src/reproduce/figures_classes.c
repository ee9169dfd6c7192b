/* Measures against the number of classes: our curves and the paper's, from a table's runs and its
 * printed figures. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "reproduce/figures.h"
#include "study/papers.h"

typedef struct curves {
    const protocol_figure *figure;
    const protocol_runs *runs;
    const char *paper, *measure;
    study_measure which;
} curves;

static double paper_value(const curves *c, int64_t classes, const char *method)
{
    const paper_figure *found =
        paper_figure_find(c->paper, c->figure->table, dataset_known_as(c->runs->dataset), classes,
                          method, c->measure);
    return found ? paper_figure_value(found) : (double)NAN;
}

/* N, then ours and the paper's of each method; an empty field where there is none. */
static orthant_status write_curves(chart_place *place, const char *name, const curves *c)
{
    int64_t numbers[RUNS_MOST_CLASSES];
    const int count = class_numbers(c->figure->study.classes, numbers, RUNS_MOST_CLASSES);
    file_writer writer;
    char method[64];
    const orthant_status status = chart_data_begin(place, name, &writer);
    if (status)
        return status;
    fputs("classes", writer.file);
    for (const char *list = c->figure->study.methods; next_name(&list, method, sizeof method);)
        fprintf(writer.file, ",%s,%s_paper", method, method);
    fputc('\n', writer.file);
    for (int i = 0; i < count; i++) {
        fprintf(writer.file, "%" PRId64, numbers[i]);
        for (const char *list = c->figure->study.methods;
             next_name(&list, method, sizeof method);) {
            const double pair[2] = {
                100 * runs_measure(&c->runs->results, method, numbers[i], c->which).mean,
                paper_value(c, numbers[i], method)};
            for (int side = 0; side < 2; side++)
                if (isnan(pair[side]))
                    fputc(',', writer.file);
                else
                    fprintf(writer.file, ",%.5g", pair[side]);
        }
        fputc('\n', writer.file);
    }
    return file_write_end(&writer, ORTHANT_OK);
}

/* `side` 0: ours, 1: the paper's. */
static orthant_status draw_curves(chart_place *place, const char *data, const curves *c, int side)
{
    char name[128], caption[200], link[160], method[64];
    int line = 0;
    snprintf(name, sizeof name, "%s-%s", data, side ? "paper" : "ours");
    snprintf(link, sizeof link, CHART_FOLDER "/%s.csv", data);
    snprintf(caption, sizeof caption, "%s: %s (%%) against the number of classes, %s.",
             c->runs->dataset, c->measure, side ? "as the paper prints it" : "ours");
    chart drawn = {
        .place = place, .name = name, .data = link, .description = caption, .caption = caption};
    for (const char *list = c->figure->study.methods; next_name(&list, method, sizeof method);)
        chart_add_name(&drawn, method);
    const orthant_status status = chart_begin(&drawn);
    if (status)
        return status;
    fprintf(drawn.script, "set xlabel 'classes'\nset ylabel '%s (%%)'\n", c->measure);
    for (const char *list = c->figure->study.methods; next_name(&list, method, sizeof method);
         line++) {
        if (line)
            fputs(", \\\n     ''", drawn.script);
        else
            fprintf(drawn.script, "plot '%s.csv'", data);
        fprintf(drawn.script, " skip 1 using 1:%d title ", 2 + 2 * line + side);
        chart_text(drawn.script, method);
        fputs(" with linespoints", drawn.script);
        chart_line(drawn.script, line, 1.6);
    }
    fputc('\n', drawn.script);
    return chart_end(&drawn);
}

static bool paper_prints(const curves *c)
{
    int64_t numbers[RUNS_MOST_CLASSES];
    const int count = class_numbers(c->figure->study.classes, numbers, RUNS_MOST_CLASSES);
    char method[64];
    for (const char *list = c->figure->study.methods; next_name(&list, method, sizeof method);)
        for (int i = 0; i < count; i++)
            if (!isnan(paper_value(c, numbers[i], method)))
                return true;
    return false;
}

orthant_status figure_classes(chart_place *place, const protocol_figure *figure,
                              const protocol_runs *runs, const char *paper)
{
    char measure[32], name[100];
    orthant_status status = ORTHANT_OK;
    for (const char *list = figure->measures;
         next_name(&list, measure, sizeof measure) && !status;) {
        curves c = {.figure = figure, .runs = runs, .paper = paper, .measure = measure};
        measure_find(measure, &c.which);
        figure_name(figure, measure, name, sizeof name);
        status = write_curves(place, name, &c);
        for (int side = 0; side < 2 && !status; side++)
            if (side == 0 || paper_prints(&c))
                status = draw_curves(place, name, &c, side);
    }
    return status;
}
