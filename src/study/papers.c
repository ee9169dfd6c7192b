/* The figures that the papers print: rows made from data/papers by the build. */
#include "study/papers.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const paper_figure figures[] = {
#include "papers.inc"
};
#define FIGURES ((int64_t)(sizeof figures / sizeof *figures))

const paper_figure *paper_figure_at(int64_t index)
{
    return index >= 0 && index < FIGURES ? &figures[index] : NULL;
}

const paper_figure *paper_figure_find(const char *paper, const char *table, const char *dataset,
                                      int64_t classes, const char *method, const char *measure)
{
    char row[24] = "";
    if (classes == 0)
        snprintf(row, sizeof row, "average");
    else if (classes > 0)
        snprintf(row, sizeof row, "%" PRId64, classes);
    for (int64_t i = 0; i < FIGURES; i++) {
        const paper_figure *figure = &figures[i];
        if (strcmp(figure->paper, paper) == 0 && strcmp(figure->table, table) == 0 &&
            strcmp(figure->dataset, dataset) == 0 && strcmp(figure->classes, row) == 0 &&
            strcmp(figure->method, method) == 0 && strcmp(figure->measure, measure) == 0)
            return figure;
    }
    return NULL;
}

static double in_percent(const paper_figure *figure, double printed)
{
    return strcmp(figure->unit, "fraction") == 0 ? 100 * printed : printed;
}

double paper_figure_value(const paper_figure *figure)
{
    return in_percent(figure, strtod(figure->value, NULL));
}

double paper_figure_spread(const paper_figure *figure)
{
    return *figure->spread ? in_percent(figure, strtod(figure->spread, NULL)) : (double)NAN;
}

double paper_figure_digit(const paper_figure *figure)
{
    const char *point = strchr(figure->value, '.');
    const int decimals = point ? (int)strspn(point + 1, "0123456789") : 0;
    return in_percent(figure, pow(10, -decimals));
}

bool paper_figure_misprinted(const paper_figure *figure)
{
    return strncmp(figure->note, "misprint", 8) == 0;
}
