/* Finds the groups that are not told apart and draws axis, names and bars as SVG. */
#include "report/rank_diagram.h"

#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "report/study_charts.h"

#define AXIS_WIDTH 340  /* pixels */
#define LETTER 9        /* of a name */
#define LONGEST_NAME 40 /* letters that are shown of a name */

int rank_groups(const double *rank, int methods, double difference, rank_group *group)
{
    int count = 0, reached = -1;
    for (int first = 0; first < methods; first++) {
        int last = first;
        while (last + 1 < methods && rank[last + 1] - rank[first] < difference)
            last++;
        /* One that ends where an earlier one did lies within it. */
        if (last > first && last > reached)
            group[count++] = (rank_group){first, last};
        reached = last > reached ? last : reached;
    }
    return count;
}

static orthant_status write_data(chart_place *place, const char *const *name, const double *rank,
                                 int methods)
{
    file_writer writer;
    const orthant_status status = chart_data_begin(place, "ranks", &writer);
    if (status)
        return status;
    fputs("method,mean_rank\n", writer.file);
    for (int i = 0; i < methods; i++) {
        chart_data_name(writer.file, name[i], "");
        fprintf(writer.file, ",%.9g\n", rank[i]);
    }
    return file_write_end(&writer, ORTHANT_OK);
}

static void line(FILE *script, double x0, double y0, double x1, double y1, double width)
{
    fprintf(script, "set arrow from %.4f,%.4f to %.4f,%.4f nohead lw %g lc rgb '#000000'\n", x0, y0,
            x1, y1, width);
}

/* The axis with a tick at every whole rank, and the critical difference above it. */
static void write_axis(FILE *script, int methods, double difference)
{
    line(script, 1, 0, methods, 0, 1);
    for (int r = 1; r <= methods; r++) {
        line(script, r, 0, r, 0.18, 1);
        fprintf(script, "set label '%d' at %d,0.55 center tc rgb '#808080'\n", r, r);
    }
    const double end = 1 + difference;
    line(script, 1, 1.35, end, 1.35, 1);
    line(script, 1, 1.2, 1, 1.5, 1);
    line(script, end, 1.2, end, 1.5, 1);
    fprintf(script, "set label 'critical difference %.2f' at %.4f,1.85 center tc rgb '#000000'\n",
            difference, 1 + difference / 2);
}

/* From its place on the axis down and out to its name: the better half to the left. */
static void write_method(FILE *script, const char *name, double rank, int index, int methods,
                         double below, double margin, double right)
{
    const int half = (methods + 1) / 2;
    const bool left = index < half;
    const double y = -below - 0.9 * (left ? index + 1 : methods - index);
    line(script, rank, 0, rank, y, 0.8);
    line(script, rank, y, left ? 1 - margin : right, y, 0.8);
    char text[4 * LONGEST_NAME + 8];
    chart_short_name(name, LONGEST_NAME, text, sizeof text);
    fputs("set label ", script);
    chart_text(script, text);
    fprintf(script, " at %.4f,%.4f %s tc rgb '#000000' offset %s0.5,0\n", left ? 1 - margin : right,
            y + 0.04, left ? "right" : "left", left ? "-" : "");
    fprintf(script, "set label '%.2f' at %.4f,%.4f %s tc rgb '#808080' font ',11'\n", rank,
            left ? 1.05 - margin : right - 0.05, y + 0.32, left ? "left" : "right");
}

/* Pixels for the names on either side. */
static int name_width(const char *const *name, int methods)
{
    int longest = 0;
    for (int i = 0; i < methods; i++) {
        const int length = (int)strnlen(name[i], LONGEST_NAME);
        longest = length > longest ? length : longest;
    }
    return LETTER * longest + 12;
}

static void write_diagram(FILE *script, const char *const *name, const double *rank, int methods,
                          double difference, const rank_group *group, int groups)
{
    const double beside = name_width(name, methods);
    const double edge = beside / (AXIS_WIDTH + 2 * beside);
    const double below = 0.35 * (groups + 1);
    /* The critical difference of few methods is longer than their axis. */
    const double margin = 0.1 * methods, right = fmax(methods, 1 + difference) + margin;
    fprintf(script,
            "unset border\nunset tics\nunset grid\nunset key\n"
            "set lmargin at screen %.4f\nset rmargin at screen %.4f\n"
            "set tmargin 0\nset bmargin 0\n"
            "set xrange [%.4f:%.4f]\nset yrange [%.4f:2.3]\n",
            edge, 1 - edge, 1 - margin, right, -below - 0.9 * ((methods + 1) / 2) - 0.5);
    write_axis(script, methods, difference);
    for (int i = 0; i < methods; i++)
        write_method(script, name[i], rank[i], i, methods, below, margin, right);
    for (int g = 0; g < groups; g++)
        line(script, rank[group[g].first] - 0.06, -0.35 * (g + 1), rank[group[g].last] + 0.06,
             -0.35 * (g + 1), 4.5);
    fputs("plot NaN notitle\n", script);
}

orthant_status rank_diagram_draw(chart_place *place, const char *const *name, const double *rank,
                                 int methods, double difference, const char *caption)
{
    rank_group *group = memory_new(place->ctx, methods, sizeof *group, "groups of methods");
    orthant_status status = group ? write_data(place, name, rank, methods) : ORTHANT_ERROR_MEMORY;
    if (!status) {
        const int groups = rank_groups(rank, methods, difference, group);
        chart drawn = {
            .place = place,
            .name = "ranks",
            .description = "Critical-difference diagram: methods on an axis of mean ranks, the "
                           "best on the left; thick bars join those that are not significantly "
                           "apart",
            .caption = caption,
            .width = AXIS_WIDTH + 2 * name_width(name, methods),
            .height = 110 + 12 * groups + 28 * ((methods + 1) / 2),
        };
        status = chart_begin(&drawn);
        if (!status) {
            write_diagram(drawn.script, name, rank, methods, difference, group, groups);
            status = chart_end(&drawn);
        }
    }
    memory_free(place->ctx, group);
    return status;
}
