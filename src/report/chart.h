/* Charts of a report, drawn by gnuplot as a program. Script, data and picture stay beside the page
 * for the user's own paper: FOLDER/charts/NAME.gp, NAME.csv, NAME.svg. */
#ifndef REPORT_CHART_H
#define REPORT_CHART_H

#include "core/file.h"
#include "core/text_stream.h"
#include "report/gnuplot.h"

#define CHART_FOLDER "charts"

/* Where charts go. gnuplot takes one script after the other while the page is being written; what
 * it drew is put into its places when the page is done. */
typedef struct chart_place {
    orthant_context *ctx;
    FILE *page;                /* write here */
    const char *folder;        /* of the page */
    FILE *target;              /* the page's file */
    text_stream text;          /* what was written to `page` */
    struct chart_shown *shown; /* in the page's order */
    int64_t count, capacity;
    gnuplot drawer; /* in that folder; started with the first chart, unless set to one that runs */
    bool missing;   /* gnuplot was not found, and the page says so */
} chart_place;

orthant_status chart_place_begin(chart_place *place, orthant_context *ctx, FILE *target,
                                 const char *folder);
/* Waits for gnuplot and, with `status` OK, writes the page with its charts to its file. Returns the
 * first failure. */
orthant_status chart_place_end(chart_place *place, orthant_status status);

typedef struct chart {
    chart_place *place;
    const char *name;
    const char *data;        /* link to the data, from the page's folder; NULL: charts/NAME.csv */
    const char *description; /* for those who cannot see it */
    const char *caption;     /* plain text */
    int width, height;       /* 0: 480 x 330; rows of the key behind the first are added */
    bool heat;               /* no grid, no border */
    /* What the script of the page shows under the mouse, as JSON (page.js); NULL: nothing. The
     * plot has a frame of fixed edges then, and the caller sets both ranges as they stand in it. */
    const char *values;
    int left;                /* pixels to the frame's left edge; 0: as usual */
    int names, longest_name; /* of the key, by chart_add_name */
    file_writer writer;      /* the script */
    FILE *script;            /* the same, to write to */
    /* Of the frame, as shares of the width and height: by chart_begin. */
    double frame_left, frame_bottom, frame_top;
} chart;

/* charts/NAME.csv, to be filled and ended by file_write_end. Needs no page. */
orthant_status chart_data_begin(chart_place *place, const char *name, file_writer *writer);
/* charts/NAME.svg, likewise. */
orthant_status chart_picture_begin(chart_place *place, const char *name, file_writer *writer);

/* A line that will have a name in the key: told before chart_begin, so that the key gets the rows
 * that it needs. */
void chart_add_name(chart *drawn, const char *name);
/* Opens the script and writes what all charts share; the caller goes on with chart->script. All
 * fields up to `heat` are set before, and the names added. */
orthant_status chart_begin(chart *drawn);
/* Has it drawn and shown at this place of the page; without gnuplot the page says so, once. */
orthant_status chart_end(chart *drawn);
/* No more charts for gnuplot are to come, so that it ends while the page is still written; one that
 * comes all the same gets a gnuplot of its own. */
void chart_last(chart_place *place);
/* In place of chart_end, where charts/NAME.svg is there already. */
orthant_status chart_end_drawn(chart *drawn);
/* In place of chart_end: nothing to draw. */
orthant_status chart_drop(chart *drawn);

/* How much of a name is shown: all, or the begin of a very long one, no letter cut in two. gnuplot
 * takes minutes for megabytes. */
size_t chart_text_length(const char *text);
/* A text for the script, in quotes, with nothing in it that could end it. */
void chart_text(FILE *script, const char *text);
/* The same where a script takes no more than the quotes. */
void chart_quoted(FILE *script, const char *text);
/* The name of a line, as much as the key has room for, where chart_text would take all. */
void chart_key_name(FILE *script, const char *name);
/* At most so many letters of a name, the last of which says that there are more. */
void chart_short_name(const char *name, int letters, char *text, size_t size);
/* " lw ... lc rgb ... dt ... pt ..." of the index-th line. */
void chart_line(FILE *script, int index, double width);

#endif
