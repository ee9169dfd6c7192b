/* For posix_spawn_file_actions_addchdir_np. */
#define _GNU_SOURCE
#include "report/chart.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/memory.h"
#include "report/html.h"
#include "report/text_file.h"

#define LARGEST_CHART ((int64_t)1 << 24)
#define USUAL_WIDTH 480
#define USUAL_HEIGHT 330
/* Of the key, in pixels: a row, and what gnuplot leaves in a column for a letter and for the
 * sample of the line. The key begins where the axis does, behind its numbers and its title. */
#define KEY_ROW 23
#define KEY_LETTER 10
#define KEY_SAMPLE 50
#define KEY_BEGIN 90

/* Told apart by colour-blind readers too (Okabe and Ito), and after one round by their dashes. The
 * page has the same in its style. */
static const char *const line_colours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00",
                                           "#56b4e9", "#7f7f7f", "#332288", "#882255", "#999933"};
static const int point_types[] = {7, 5, 9, 13, 11, 6, 4, 8, 12, 10};
#define LINE_COLOURS ((int)(sizeof line_colours / sizeof *line_colours))

/* ---- files ------------------------------------------------------------------------------------
 */

/* FOLDER/charts/NAME.ENDING; NULL without memory. */
static char *chart_path(chart_place *place, const char *name, const char *ending)
{
    char file[160];
    snprintf(file, sizeof file, CHART_FOLDER "/%.100s.%s", name, ending);
    return path_join(place->ctx, place->folder, file);
}

static orthant_status make_folder(chart_place *place)
{
    orthant_status status = ORTHANT_OK;
    char *path = path_join(place->ctx, place->folder, CHART_FOLDER);
    if (!path)
        return ORTHANT_ERROR_MEMORY;
    if (mkdir(path, 0777) != 0 && errno != EEXIST)
        status = fail(place->ctx, ORTHANT_ERROR_IO, "%s: cannot be made", path);
    memory_free(place->ctx, path);
    return status;
}

static orthant_status open_file(chart_place *place, const char *name, const char *ending,
                                file_writer *writer)
{
    char *path = NULL;
    orthant_status status = make_folder(place);
    if (status)
        return status;
    path = chart_path(place, name, ending);
    status = path ? file_write_begin(place->ctx, path, writer) : ORTHANT_ERROR_MEMORY;
    memory_free(place->ctx, path);
    if (!status)
        writer->remade = true;
    return status;
}

orthant_status chart_data_begin(chart_place *place, const char *name, file_writer *writer)
{
    return open_file(place, name, "csv", writer);
}

/* ---- the script -------------------------------------------------------------------------------
 */

void chart_text(FILE *script, const char *text)
{
    fputc('\'', script);
    for (; *text; text++)
        fputc((unsigned char)*text < 0x20 || strchr("'\"\\`", *text) ? '_' : *text, script);
    fputs("' noenhanced", script);
}

void chart_line(FILE *script, int index, double width)
{
    fprintf(script, " lw %g lc rgb '%s' dt %d pt %d", width, line_colours[index % LINE_COLOURS],
            index / LINE_COLOURS % 5 + 1, point_types[index % LINE_COLOURS]);
}

void chart_add_name(chart *drawn, const char *name)
{
    const int length = (int)strnlen(name, 1000);
    drawn->names++;
    drawn->longest_name = length > drawn->longest_name ? length : drawn->longest_name;
}

/* gnuplot counts on the whole width for a key, though it does not begin at the edge. */
static int key_columns(const chart *drawn, int width)
{
    const int columns =
        (width - KEY_BEGIN + KEY_LETTER) / (KEY_SAMPLE + KEY_LETTER * drawn->longest_name);
    return columns > drawn->names ? drawn->names : columns < 1 ? 1 : columns;
}

orthant_status chart_begin(chart *drawn)
{
    const int width = drawn->width ? drawn->width : USUAL_WIDTH;
    const int columns = drawn->names ? key_columns(drawn, width) : 0;
    const int rows = columns ? (drawn->names + columns - 1) / columns : 1;
    const int height = (drawn->height ? drawn->height : USUAL_HEIGHT) + KEY_ROW * (rows - 1);
    const orthant_status status = open_file(drawn->place, drawn->name, "gp", &drawn->writer);
    if (status)
        return status;
    drawn->script = drawn->writer.file;
    fprintf(drawn->script,
            "# gnuplot %s.gp\n"
            "if (!exists('output')) output = '%s.svg'\n"
            "set terminal svg size %d,%d dynamic enhanced font 'sans-serif,14' linewidth 1.25\n"
            "set output output\n"
            "set datafile separator ','\n",
            drawn->name, drawn->name, width, height);
    if (!drawn->heat)
        fputs("set key above left Left reverse samplen 2 spacing 1.1 textcolor rgb '#000000'\n"
              "set grid ytics lt 1 lc rgb '#c8c8c8' lw 0.8\n"
              "set border 1 lc rgb '#808080'\n"
              "set tics nomirror scale 0.5 textcolor rgb '#808080'\n"
              "set ytics scale 0\n"
              "set bars 0.6\n"
              "set pointsize 0.7\n",
              drawn->script);
    if (columns)
        fprintf(drawn->script, "set key maxcols %d\n", columns);
    return ORTHANT_OK;
}

/* ---- gnuplot ----------------------------------------------------------------------------------
 */

/* gnuplot in `folder`, silent, with `assignment` made before the script. True when it ended well.
 */
static bool run_gnuplot(const char *folder, const char *assignment, const char *script)
{
    char *arguments[] = {"gnuplot", "-d", "-e", (char *)assignment, (char *)script, NULL};
    posix_spawn_file_actions_t actions;
    pid_t child;
    int state = -1;
    if (posix_spawn_file_actions_init(&actions) != 0)
        return false;
    bool started = posix_spawn_file_actions_addchdir_np(&actions, folder) == 0 &&
                   posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0) == 0 &&
                   posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0) == 0 &&
                   posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0) == 0 &&
                   posix_spawnp(&child, "gnuplot", &actions, NULL, arguments, environ) == 0;
    posix_spawn_file_actions_destroy(&actions);
    return started && waitpid(child, &state, 0) == child && WIFEXITED(state) &&
           WEXITSTATUS(state) == 0;
}

/* Draws charts/NAME.svg; *done says whether it is there. */
static orthant_status draw(chart_place *place, const char *name, bool *done)
{
    char assignment[160], script[128];
    char *folder = path_join(place->ctx, place->folder, CHART_FOLDER);
    char *part = chart_path(place, name, "svg.part"), *picture = chart_path(place, name, "svg");
    const orthant_status status = folder && part && picture ? ORTHANT_OK : ORTHANT_ERROR_MEMORY;
    *done = false;
    if (!status) {
        snprintf(assignment, sizeof assignment, "output = '%.100s.svg.part'", name);
        snprintf(script, sizeof script, "%.100s.gp", name);
        *done = run_gnuplot(folder, assignment, script) && rename(part, picture) == 0;
        if (!*done)
            unlink(part);
    }
    memory_free(place->ctx, picture);
    memory_free(place->ctx, part);
    memory_free(place->ctx, folder);
    return status;
}

/* ---- the page ---------------------------------------------------------------------------------
 */

static void write_links(const chart *drawn, bool picture)
{
    FILE *page = drawn->place->page;
    fprintf(page, " <a href=\"" CHART_FOLDER "/%s.gp\">script</a> <a href=\"", drawn->name);
    if (drawn->data)
        html_text(page, drawn->data);
    else
        fprintf(page, CHART_FOLDER "/%s.csv", drawn->name);
    fputs("\">data</a>", page);
    if (picture)
        fprintf(page, " <a href=\"" CHART_FOLDER "/%s.svg\">SVG</a>", drawn->name);
}

static void tell_missing(chart_place *place)
{
    if (!place->missing)
        fputs("<p class=\"note\">Charts are not drawn: gnuplot was not found or failed. Their "
              "scripts and data are in the folder charts; install gnuplot and make the page again "
              "with <code>orthant report</code>.</p>\n",
              place->page);
    place->missing = true;
}

static orthant_status show(const chart *drawn)
{
    chart_place *place = drawn->place;
    char *svg = NULL;
    size_t length;
    char *path = chart_path(place, drawn->name, "svg");
    orthant_status status = path ? text_file_read(place->ctx, path, LARGEST_CHART, &svg, &length)
                                 : ORTHANT_ERROR_MEMORY;
    if (!status) {
        fputs("<figure>", place->page);
        html_svg(place->page, svg, drawn->name, drawn->description);
        fputs("<figcaption>", place->page);
        html_text(place->page, drawn->caption);
        write_links(drawn, true);
        fputs("</figcaption></figure>\n", place->page);
    }
    memory_free(place->ctx, svg);
    memory_free(place->ctx, path);
    return status;
}

orthant_status chart_end(chart *drawn)
{
    bool done = false;
    orthant_status status = file_write_end(&drawn->writer, ORTHANT_OK);
    if (!status)
        status = draw(drawn->place, drawn->name, &done);
    if (!status && done)
        return show(drawn);
    if (!status)
        tell_missing(drawn->place);
    return status;
}

orthant_status chart_drop(chart *drawn)
{
    file_write_end(&drawn->writer, ORTHANT_ERROR_ARGUMENT);
    return ORTHANT_OK;
}
