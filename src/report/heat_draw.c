/* An SVG with the map as an embedded PNG, axes and a colour bar. */
#include "report/heat_draw.h"

#include <math.h>

#include "core/memory.h"
#include "core/text.h"
#include "data/image.h"
#include "report/html.h"
#include "report/text_file.h"

#define LARGEST_TABLE ((int64_t)1 << 26)
#define TICKS 5 /* steps of the colour bar */

/* Dark to light as viridis goes: equal steps look equal, in grey and to colour-blind eyes too. */
static const unsigned char colours[][3] = {{0x44, 0x01, 0x54}, {0x41, 0x44, 0x87},
                                           {0x2a, 0x78, 0x8e}, {0x22, 0xa8, 0x84},
                                           {0x7a, 0xd1, 0x51}, {0xfd, 0xe7, 0x25}};
#define COLOURS ((int)(sizeof colours / sizeof *colours))

void heat_write_palette(FILE *script)
{
    fputs("set palette defined (", script);
    for (int i = 0; i < COLOURS; i++)
        fprintf(script, "%s%d '#%02x%02x%02x'", i ? ", " : "", i, colours[i][0], colours[i][1],
                colours[i][2]);
    fputs(")\n", script);
}

static void fill_palette(unsigned char palette[IMAGE_PALETTE])
{
    for (int i = 0; i < IMAGE_PALETTE / 3; i++) {
        const double at = (double)(i * (COLOURS - 1)) / (IMAGE_PALETTE / 3 - 1);
        const int below = at >= COLOURS - 1 ? COLOURS - 2 : (int)at;
        for (int c = 0; c < 3; c++)
            palette[3 * i + c] = (unsigned char)lrint(
                colours[below][c] + (at - below) * (colours[below + 1][c] - colours[below][c]));
    }
}

/* ---- numbers to pixels ------------------------------------------------------------------------
 */

static unsigned char pixel_of(double value, double lowest)
{
    const double share = (value - lowest) / (1 - lowest);
    return (unsigned char)lrint(255 * fmin(fmax(share, 0), 1));
}

/* "0", "1" or "0.57", with a minus sign or without, as nearly all entries are, in hundredths;
 * returns where it ends, or NULL. Eight bytes of `text` can be read. */
static const char *read_hundredths(const char *text, int *value)
{
    const bool negative = *text == '-';
    const char *at = text + negative;
    if (*at != '0' && *at != '1')
        return NULL;
    *value = 100 * (*at++ - '0');
    if (*at == '.') {
        const int tenths = at[1] - '0', hundredths = at[2] - '0';
        if (tenths < 0 || tenths > 9 || hundredths < 0 || hundredths > 9)
            return NULL;
        *value += 10 * tenths + hundredths;
        at += 3;
    }
    if (*value > 100 || (*at != ',' && *at != '\n'))
        return NULL;
    *value = negative ? -*value : *value;
    return at;
}

/* False where the text is not rows of so many numbers. */
static bool fill_pixels(const char *text, size_t length, const heat_map *map, image *picture)
{
    const char *at = text, *end = text + length;
    const int64_t count = map->rows * map->columns;
    unsigned char pixel[201]; /* of -1, -0.99, ..., 1 */
    for (int i = 0; i <= 200; i++)
        pixel[i] = pixel_of((i - 100) / 100.0, map->lowest);
    for (int64_t i = 0; i < count; i++) {
        int hundredths;
        const char *next = end - at >= 8 ? read_hundredths(at, &hundredths) : NULL;
        if (next) {
            picture->pixels[i] = pixel[100 + hundredths];
        } else {
            double value;
            next = text_read_double(at, end, &value);
            if (!next || next == end)
                return false;
            picture->pixels[i] = pixel_of(value, map->lowest);
        }
        if (*next != ((i + 1) % map->columns ? ',' : '\n'))
            return false;
        at = next + 1;
    }
    return at == end;
}

static orthant_status make_picture(chart_place *place, const char *name, const heat_map *map,
                                   unsigned char **png, size_t *bytes)
{
    orthant_context *ctx = place->ctx;
    char *text = NULL, file[160];
    unsigned char palette[IMAGE_PALETTE];
    size_t length = 0;
    int64_t pixels;
    image picture = {.height = (int)map->rows, .width = (int)map->columns, .channels = 1};
    snprintf(file, sizeof file, CHART_FOLDER "/%.100s.csv", name);
    char *path = path_join(ctx, place->folder, file);
    orthant_status status =
        path ? text_file_read(ctx, path, LARGEST_TABLE, &text, &length) : ORTHANT_ERROR_MEMORY;
    if (!status && size_multiply(map->rows, map->columns, &pixels) && pixels <= IMAGE_MOST_PIXELS) {
        picture.pixels = memory_new(ctx, pixels, 1, "a heat map");
        status = picture.pixels ? ORTHANT_OK : ORTHANT_ERROR_MEMORY;
    }
    fill_palette(palette);
    if (!status && picture.pixels && fill_pixels(text, length, map, &picture))
        status = image_encode_png(ctx, &picture, palette, png, bytes);
    memory_free(ctx, picture.pixels);
    memory_free(ctx, text);
    memory_free(ctx, path);
    return status;
}

/* ---- the drawing ------------------------------------------------------------------------------
 */

typedef struct frame {
    double x, y, width, height;
} frame;

static void write_text(FILE *svg, double x, double y, const char *rest, const char *text)
{
    fprintf(svg,
            "<text x=\"%.2f\" y=\"%.2f\" fill=\"rgb(128,128,128)\" font-family=\"sans-serif\" "
            "font-size=\"14\"%s>%s</text>\n",
            x, y, rest, text);
}

static void write_lines(FILE *svg, const heat_map *map, frame f)
{
    const sample_order *order = map->order;
    if (order->clusters > HEAT_MOST_LINES)
        return;
    fputs("<path stroke=\"#ffffff\" stroke-width=\"0.75\" fill=\"none\" d=\"", svg);
    for (int64_t i = 1; i < order->count; i++) {
        if (order->cluster[i] == order->cluster[i - 1])
            continue;
        const double at = (double)i / (double)order->count;
        fprintf(svg, "M%.2f,%.2f v%.2f ", f.x + at * f.width, f.y, f.height);
        if (map->both)
            fprintf(svg, "M%.2f,%.2f h%.2f ", f.x, f.y + at * f.height, f.width);
    }
    fputs("\"/>\n", svg);
}

static void write_bar(FILE *svg, const heat_map *map, frame f)
{
    const double x = f.x + f.width + 8;
    fputs("<defs><linearGradient id=\"colours\" x1=\"0\" y1=\"1\" x2=\"0\" y2=\"0\">", svg);
    for (int i = 0; i < COLOURS; i++)
        fprintf(svg, "<stop offset=\"%g\" stop-color=\"#%02x%02x%02x\"/>",
                (double)i / (COLOURS - 1), colours[i][0], colours[i][1], colours[i][2]);
    fprintf(svg,
            "</linearGradient></defs>\n<rect x=\"%.2f\" y=\"%.2f\" width=\"16\" height=\"%.2f\" "
            "fill=\"url(#colours)\"/>\n",
            x, f.y, f.height);
    for (int i = 0; i <= TICKS; i++) {
        char tick[32];
        snprintf(tick, sizeof tick, "%.2g", map->lowest + (1 - map->lowest) * i / TICKS);
        write_text(svg, x + 22, f.y + f.height - f.height * i / TICKS + 5, "", tick);
    }
}

static void write_drawing(FILE *svg, const heat_map *map, int width, int height,
                          const unsigned char *png, size_t bytes)
{
    frame f = {10, 10, width - 75, height - 20};
    if (map->below)
        f.height -= 20;
    if (map->beside) {
        f.x += 20;
        f.width -= 20;
    }
    if (map->both)
        f.width = f.height = fmin(f.width, f.height);
    fprintf(svg,
            "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n"
            "<svg viewBox=\"0 0 %d %d\" xmlns=\"http://www.w3.org/2000/svg\">\n"
            "<desc>Produced by Orthant</desc>\n"
            "<image x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" "
            "preserveAspectRatio=\"none\" style=\"image-rendering:pixelated\" "
            "href=\"data:image/png;base64,",
            width, height, f.x, f.y, f.width, f.height);
    html_base64(svg, png, bytes);
    fputs("\"/>\n", svg);
    write_lines(svg, map, f);
    write_bar(svg, map, f);
    if (map->below)
        write_text(svg, f.x + f.width / 2, f.y + f.height + 20, " text-anchor=\"middle\"",
                   map->below);
    if (map->beside) {
        char turn[96];
        snprintf(turn, sizeof turn, " text-anchor=\"middle\" transform=\"rotate(-90,%.2f,%.2f)\"",
                 f.x - 10, f.y + f.height / 2);
        write_text(svg, f.x - 10, f.y + f.height / 2, turn, map->beside);
    }
    fputs("</svg>\n", svg);
}

orthant_status heat_draw(chart_place *place, const char *name, const heat_map *map, int width,
                         int height, bool *done)
{
    file_writer writer;
    unsigned char *png = NULL;
    size_t bytes = 0;
    *done = false;
    orthant_status status = make_picture(place, name, map, &png, &bytes);
    if (!status && png)
        status = chart_picture_begin(place, name, &writer);
    if (!status && png) {
        write_drawing(writer.file, map, width, height, png, bytes);
        status = file_write_end(&writer, ORTHANT_OK);
        *done = !status;
    }
    memory_free(place->ctx, png);
    return status;
}
