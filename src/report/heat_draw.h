/* The picture of a heat map: numbers to colours, without gnuplot, whose reading of so many numbers
 * takes longer than a fit of some thousand samples. */
#ifndef REPORT_HEAT_DRAW_H
#define REPORT_HEAT_DRAW_H

#include "report/chart.h"
#include "report/sample_order.h"

#define HEAT_MOST_LINES 20 /* between clusters; more would cover the map */

typedef struct heat_map {
    int64_t rows, columns;      /* of charts/NAME.csv */
    double lowest;              /* the first colour's; the last one's is 1 */
    const sample_order *order;  /* columns are samples */
    bool both;                  /* and so are rows */
    const char *below, *beside; /* names of the axes, or NULL */
} heat_map;

/* "set palette ..." for a gnuplot that draws the same. */
void heat_write_palette(FILE *script);

/* charts/NAME.svg from charts/NAME.csv, `width` x `height`; *done is false where the file does not
 * hold such numbers. */
orthant_status heat_draw(chart_place *place, const char *name, const heat_map *map, int width,
                         int height, bool *done);

#endif
