/* Writes script and data of each chart, has gnuplot draw it and puts the picture into the page. */
#include "report/chart.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/memory.h"
#include "report/html.h"
#include "report/text_file.h"

#define LARGEST_CHART ((int64_t)1 << 24)
#define LONGEST_TEXT 200 /* bytes of a name in a chart */
#define USUAL_WIDTH 480
#define USUAL_HEIGHT 330
/* Of the key, in pixels: a row, and what gnuplot leaves in a column for a letter and for the
 * sample of the line. The key begins where the axis does, behind its numbers and its title. */
#define KEY_ROW 23
#define KEY_LETTER 10
#define KEY_SAMPLE 50
#define KEY_BEGIN 90
/* That a name has in the key; the page's buttons have all of it. */
#define KEY_LETTERS ((USUAL_WIDTH - KEY_BEGIN - KEY_SAMPLE) / KEY_LETTER)

/* The frame of a chart with values in pixels, on the right as a share of the width. */
#define FRAME_LEFT 96
#define FRAME_RIGHT 0.97
#define FRAME_BOTTOM 66
#define FRAME_ABOVE 14 /* beside the key's */

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

orthant_status chart_picture_begin(chart_place *place, const char *name, file_writer *writer)
{
    return open_file(place, name, "svg", writer);
}

/* ---- the script -------------------------------------------------------------------------------
 */

size_t chart_text_length(const char *text)
{
    size_t length = strnlen(text, LONGEST_TEXT);
    while (length && ((unsigned char)text[length] & 0xc0) == 0x80)
        length--;
    return length;
}

void chart_quoted(FILE *script, const char *text)
{
    const size_t length = chart_text_length(text);
    fputc('\'', script);
    for (size_t i = 0; i < length; i++)
        fputc((unsigned char)text[i] < 0x20 || strchr("'\"\\`", text[i]) ? '_' : text[i], script);
    fputc('\'', script);
}

void chart_text(FILE *script, const char *text)
{
    chart_quoted(script, text);
    fputs(" noenhanced", script);
}

void chart_key_name(FILE *script, const char *name)
{
    char text[4 * KEY_LETTERS + 8];
    chart_short_name(name, KEY_LETTERS, text, sizeof text);
    chart_text(script, text);
}

void chart_short_name(const char *name, int letters, char *text, size_t size)
{
    size_t length = 0, begin = 0;
    int count = 0;
    for (; name[length]; length++)
        if (((unsigned char)name[length] & 0xc0) != 0x80 && ++count == letters)
            begin = length;
    if (count <= letters)
        snprintf(text, size, "%s", name);
    else
        snprintf(text, size, "%.*s\xe2\x80\xa6", (int)(begin + 4 < size ? begin : size - 4), name);
}

void chart_line(FILE *script, int index, double width)
{
    fprintf(script, " lw %g lc rgb '%s' dt %d pt %d", width, line_colours[index % LINE_COLOURS],
            index / LINE_COLOURS % 5 + 1, point_types[index % LINE_COLOURS]);
}

void chart_add_name(chart *drawn, const char *name)
{
    const int length = (int)strnlen(name, KEY_LETTERS);
    drawn->names++;
    drawn->longest_name = length > drawn->longest_name ? length : drawn->longest_name;
}

static int frame_left(const chart *drawn)
{
    return drawn->left ? drawn->left : FRAME_LEFT;
}

/* gnuplot counts on the whole width for a key, though it does not begin at the edge. */
static int key_columns(const chart *drawn, int width)
{
    /* Beside a frame of fixed edges it has the frame's width. */
    const int room = drawn->values ? (int)(FRAME_RIGHT * width) - frame_left(drawn)
                                   : width - KEY_BEGIN + KEY_LETTER;
    const int columns = room / (KEY_SAMPLE + KEY_LETTER * drawn->longest_name);
    return columns > drawn->names ? drawn->names : columns < 1 ? 1 : columns;
}

orthant_status chart_begin(chart *drawn)
{
    const int width = drawn->width ? drawn->width : USUAL_WIDTH;
    const int columns = drawn->names ? key_columns(drawn, width) : 0;
    const int rows = columns ? (drawn->names + columns - 1) / columns : drawn->values ? 0 : 1;
    const int height =
        (drawn->height ? drawn->height : USUAL_HEIGHT) + KEY_ROW * (rows > 1 ? rows - 1 : 0);
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
    drawn->frame_left = (double)frame_left(drawn) / width;
    drawn->frame_bottom = (double)FRAME_BOTTOM / height;
    drawn->frame_top = 1 - (double)(KEY_ROW * rows + FRAME_ABOVE) / height;
    if (drawn->values)
        fprintf(drawn->script,
                "set lmargin at screen %g\nset rmargin at screen %g\n"
                "set bmargin at screen %g\nset tmargin at screen %g\n",
                drawn->frame_left, FRAME_RIGHT, drawn->frame_bottom, drawn->frame_top);
    return ORTHANT_OK;
}

/* ---- the page ---------------------------------------------------------------------------------
 */

/* A chart that waits for its picture. */
typedef struct chart_shown {
    size_t at;  /* in the page's text */
    bool ready; /* NAME.svg is there */
    bool told;  /* gnuplot was told to draw it with the others */
    char *name, *data, *description, *caption;
    char *values;             /* or NULL */
    double left, bottom, top; /* of the frame */
} chart_shown;

static void write_links(FILE *page, const chart_shown *shown)
{
    fprintf(page, " <a href=\"" CHART_FOLDER "/%s.gp\">script</a> <a href=\"", shown->name);
    html_text(page, shown->data);
    fprintf(page, "\">data</a> <a href=\"" CHART_FOLDER "/%s.svg\">SVG</a>", shown->name);
}

static void tell_missing(chart_place *place)
{
    if (!place->missing)
        fprintf(place->target,
                "<p class=\"note\">Charts are not drawn: gnuplot %s. Their "
                "scripts and data are in the folder charts; %s and make the page again "
                "with <code>orthant report</code>.</p>\n",
                place->drawer.hung ? "did not end in time" : "was not found or failed",
                place->drawer.hung ? "see why" : "install gnuplot");
    if (!place->missing && place->drawer.hung)
        log_warning(place->ctx,
                    "%s: gnuplot was stopped after %g s: the page is without its charts "
                    "(ORTHANT_GNUPLOT_SECONDS gives it longer)",
                    place->folder, gnuplot_seconds());
    place->missing = true;
}

/* What gnuplot left there is a whole drawing. */
static orthant_status is_drawing(chart_place *place, const char *path, bool *whole)
{
    int64_t bytes = 0;
    size_t length;
    char *svg = NULL;
    *whole = false;
    if (!file_exists(path))
        return ORTHANT_OK;
    orthant_status status = file_size(place->ctx, path, &bytes);
    if (!status && bytes <= LARGEST_CHART)
        status = text_file_read(place->ctx, path, LARGEST_CHART, &svg, &length);
    *whole = svg && html_is_svg(svg);
    memory_free(place->ctx, svg);
    return status;
}

/* NAME.svg.part to NAME.svg, where it is a drawing. */
static orthant_status take_picture(chart_place *place, chart_shown *shown, bool drawn)
{
    char *part = chart_path(place, shown->name, "svg.part");
    char *picture = chart_path(place, shown->name, "svg");
    orthant_status status = part && picture ? ORTHANT_OK : ORTHANT_ERROR_MEMORY;
    if (!status && !shown->ready) {
        bool whole = false;
        if (drawn)
            status = is_drawing(place, part, &whole);
        shown->ready = whole && rename(part, picture) == 0;
        if (!shown->ready)
            unlink(part);
    }
    memory_free(place->ctx, picture);
    memory_free(place->ctx, part);
    return status;
}

static orthant_status show(chart_place *place, const chart_shown *shown)
{
    FILE *page = place->target;
    char *svg = NULL;
    size_t length;
    char *path = chart_path(place, shown->name, "svg");
    orthant_status status = path ? text_file_read(place->ctx, path, LARGEST_CHART, &svg, &length)
                                 : ORTHANT_ERROR_MEMORY;
    if (!status) {
        fputs("<figure>", page);
        html_svg(page, svg, shown->name, shown->description);
        fputs("<figcaption>", page);
        html_text(page, shown->caption);
        write_links(page, shown);
        fputs("</figcaption>", page);
        if (shown->values)
            fprintf(page,
                    "<script type=\"application/json\" class=\"values\" data-frame=\"%g %g %g "
                    "%g\">%s</script>",
                    shown->left, FRAME_RIGHT, shown->bottom, shown->top, shown->values);
        fputs("</figure>\n", page);
    }
    memory_free(place->ctx, svg);
    memory_free(place->ctx, path);
    return status;
}

static void draw(chart_place *place, chart_shown *shown)
{
    if (!place->drawer.runs)
        gnuplot_start(&place->drawer, place->folder);
    shown->told = place->drawer.feed >= 0;
    if (shown->told)
        gnuplot_draw(&place->drawer, shown->name);
}

/* After a failure each script gets a gnuplot of its own, so that one that fails takes none of the
 * others with it. */
static orthant_status take_pictures(chart_place *place, bool all)
{
    orthant_status status = ORTHANT_OK;
    for (int64_t i = 0; i < place->count && !status; i++) {
        bool drawn = all && place->shown[i].told;
        if (!drawn && !place->shown[i].ready && place->drawer.process && !place->drawer.hung) {
            draw(place, &place->shown[i]);
            drawn = gnuplot_end(&place->drawer);
        }
        if (!status)
            status = take_picture(place, &place->shown[i], drawn);
    }
    return status;
}

/* The page's own text from one chart to the next; none may be there at all. */
static void write_text(const chart_place *place, size_t from, size_t to)
{
    if (to > from)
        fwrite(place->text.text + from, 1, to - from, place->target);
}

static orthant_status write_page(chart_place *place)
{
    orthant_status status = ORTHANT_OK;
    size_t at = 0;
    for (int64_t i = 0; i < place->count && !status; i++) {
        const chart_shown *shown = &place->shown[i];
        write_text(place, at, shown->at);
        at = shown->at;
        if (shown->ready)
            status = show(place, shown);
        else
            tell_missing(place);
    }
    if (!status)
        write_text(place, at, place->text.length);
    return status;
}

orthant_status chart_place_begin(chart_place *place, orthant_context *ctx, FILE *target,
                                 const char *folder)
{
    *place = (chart_place){.ctx = ctx, .folder = folder, .target = target, .drawer = GNUPLOT_NONE};
    const orthant_status status = text_stream_open(ctx, &place->text);
    place->page = place->text.file;
    return status;
}

orthant_status chart_place_end(chart_place *place, orthant_status status)
{
    const bool all = gnuplot_end(&place->drawer);
    if (place->page) {
        if (!status)
            status = text_stream_close(&place->text);
        if (!status)
            status = take_pictures(place, all);
        if (!status)
            status = write_page(place);
        text_stream_free(&place->text);
    }
    for (int64_t i = 0; i < place->count; i++) {
        chart_shown *shown = &place->shown[i];
        char *const owned[] = {shown->name, shown->data, shown->description, shown->caption,
                               shown->values};
        for (size_t o = 0; o < sizeof owned / sizeof *owned; o++)
            memory_free(place->ctx, owned[o]);
    }
    memory_free(place->ctx, place->shown);
    return status;
}

/* ---- the end of a chart -----------------------------------------------------------------------
 */

static orthant_status reserve(chart_place *place)
{
    if (place->count < place->capacity)
        return ORTHANT_OK;
    const int64_t capacity = place->capacity ? 2 * place->capacity : 16;
    chart_shown *shown =
        memory_resize(place->ctx, place->shown, capacity, sizeof *shown, "the charts of a page");
    if (!shown)
        return ORTHANT_ERROR_MEMORY;
    place->shown = shown;
    place->capacity = capacity;
    return ORTHANT_OK;
}

static orthant_status remember(const chart *drawn, bool ready)
{
    chart_place *place = drawn->place;
    char data[160];
    orthant_status status = reserve(place);
    if (status)
        return status;
    snprintf(data, sizeof data, CHART_FOLDER "/%.100s.csv", drawn->name);
    chart_shown *shown = &place->shown[place->count++];
    shown->name = memory_text(place->ctx, drawn->name);
    shown->data = memory_text(place->ctx, drawn->data ? drawn->data : data);
    shown->description = memory_text(place->ctx, drawn->description);
    shown->caption = memory_text(place->ctx, drawn->caption);
    shown->values = drawn->values ? memory_text(place->ctx, drawn->values) : NULL;
    shown->left = drawn->frame_left;
    shown->bottom = drawn->frame_bottom;
    shown->top = drawn->frame_top;
    shown->ready = ready;
    if (!shown->name || !shown->data || !shown->description || !shown->caption ||
        (drawn->values && !shown->values))
        return ORTHANT_ERROR_MEMORY;
    if (fflush(place->page) != 0)
        return fail(place->ctx, ORTHANT_ERROR_MEMORY, "out of memory: a page does not fit");
    shown->at = place->text.length;
    return ORTHANT_OK;
}

orthant_status chart_end(chart *drawn)
{
    chart_place *place = drawn->place;
    orthant_status status = file_write_end(&drawn->writer, ORTHANT_OK);
    if (!status)
        status = remember(drawn, false);
    if (!status)
        draw(place, &place->shown[place->count - 1]);
    return status;
}

void chart_last(chart_place *place)
{
    gnuplot_close(&place->drawer);
}

orthant_status chart_end_drawn(chart *drawn)
{
    const orthant_status status = file_write_end(&drawn->writer, ORTHANT_OK);
    return status ? status : remember(drawn, true);
}

orthant_status chart_drop(chart *drawn)
{
    file_write_end(&drawn->writer, ORTHANT_ERROR_ARGUMENT);
    return ORTHANT_OK;
}
