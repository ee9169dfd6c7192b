/* Pixels only: tints, borders, lines and dots on a canvas. */
#include "report/draw.h"

#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "vision/palette.h"

#define GRAPH_SIDE 900 /* pictures for graphs are enlarged towards this width */
#define MOST_ENLARGEMENT 4
#define MOST_GRAPH_SIDE 4000

static const unsigned char border_colour[3] = {255, 255, 255};
static const unsigned char edge_colour[3] = {255, 220, 0};
static const unsigned char shade_colour[3] = {0, 0, 0};

static orthant_status canvas_new(orthant_context *ctx, int height, int width, int channels,
                                 image *out)
{
    *out = (image){.height = height, .width = width, .channels = channels};
    out->pixels = memory_new(ctx, (int64_t)height * width, (size_t)channels, "a drawing");
    return out->pixels ? ORTHANT_OK : ORTHANT_ERROR_MEMORY;
}

static orthant_status canvas_from(orthant_context *ctx, const image *picture, image *out)
{
    const orthant_status status = canvas_new(ctx, picture->height, picture->width, 3, out);
    const int64_t pixels = (int64_t)picture->height * picture->width;
    for (int64_t p = 0; p < pixels && !status; p++)
        for (int c = 0; c < 3; c++)
            out->pixels[3 * p + c] =
                picture->pixels[p * picture->channels + (picture->channels == 3 ? c : 0)];
    return status;
}

static void put(image *on, int y, int x, const unsigned char colour[3])
{
    if (y >= 0 && x >= 0 && y < on->height && x < on->width)
        memcpy(on->pixels + 3 * ((int64_t)y * on->width + x), colour, 3);
}

/* ---- segments ---------------------------------------------------------------------------------
 */

/* Halfway to the segment's colour. */
static void tint(image *on, const int32_t *labels)
{
    int32_t known = -1;
    unsigned char colour[3] = {0};
    for (int64_t p = 0; p < (int64_t)on->height * on->width; p++) {
        if (labels[p] < 0)
            continue;
        if (labels[p] != known)
            palette_color(known = labels[p], colour);
        for (int c = 0; c < 3; c++)
            on->pixels[3 * p + c] = (unsigned char)((on->pixels[3 * p + c] + colour[c] + 1) / 2);
    }
}

/* A pixel whose right or lower neighbour has another label. */
static void trace_borders(image *on, const int32_t *labels)
{
    for (int y = 0; y < on->height; y++)
        for (int x = 0; x < on->width; x++) {
            const int64_t p = (int64_t)y * on->width + x;
            if ((x < on->width - 1 && labels[p] != labels[p + 1]) ||
                (y < on->height - 1 && labels[p] != labels[p + on->width]))
                put(on, y, x, border_colour);
        }
}

orthant_status draw_overlay(orthant_context *ctx, const image *picture, const int32_t *labels,
                            image *out)
{
    const orthant_status status = canvas_from(ctx, picture, out);
    if (!status) {
        tint(out, labels);
        trace_borders(out, labels);
    }
    return status;
}

orthant_status draw_borders(orthant_context *ctx, const image *picture, const int32_t *labels,
                            image *out)
{
    const orthant_status status = canvas_from(ctx, picture, out);
    if (!status)
        trace_borders(out, labels);
    return status;
}

/* ---- the graph --------------------------------------------------------------------------------
 */

static void draw_line(image *on, double y0, double x0, double y1, double x1)
{
    const double length = fmax(fabs(y1 - y0), fabs(x1 - x0));
    const int steps = (int)ceil(length) + 1;
    for (int i = 0; i <= steps; i++) {
        const double t = (double)i / steps;
        put(on, (int)lround(y0 + t * (y1 - y0)), (int)lround(x0 + t * (x1 - x0)), edge_colour);
    }
}

static void draw_dot(image *on, int y, int x, int radius, const unsigned char colour[3])
{
    for (int v = -radius - 1; v <= radius + 1; v++)
        for (int u = -radius - 1; u <= radius + 1; u++) {
            const int square = u * u + v * v;
            if (square <= radius * radius)
                put(on, y + v, x + u, colour);
            else if (square <= (radius + 1) * (radius + 1))
                put(on, y + v, x + u, shade_colour);
        }
}

static double enlargement_of(const image *picture)
{
    const int side = picture->height > picture->width ? picture->height : picture->width;
    const double wanted = fmin((double)GRAPH_SIDE / picture->width, MOST_ENLARGEMENT);
    return side * wanted > MOST_GRAPH_SIDE ? 1.0 : fmax(wanted, 1.0);
}

static void draw_edges(image *on, const orthant_graph *graph, const double *position, double scale)
{
    const orthant_matrix *a = graph->adjacency;
    for (int64_t i = 0; i < a->rows; i++)
        for (int64_t e = a->row_start[i]; e < a->row_start[i + 1]; e++) {
            const int64_t j = a->column[e];
            if (j > i)
                draw_line(on, scale * position[2 * i], scale * position[2 * i + 1],
                          scale * position[2 * j], scale * position[2 * j + 1]);
        }
}

orthant_status draw_graph(orthant_context *ctx, const image *picture, const orthant_graph *graph,
                          const double *position, const int32_t *labels, image *out)
{
    const double scale = enlargement_of(picture);
    const int64_t nodes = orthant_graph_nodes(graph);
    const int height = (int)lround(scale * picture->height);
    const int width = (int)lround(scale * picture->width);
    /* Dots of at most a third of the mean distance between nodes. */
    const int radius =
        (int)fmin(4.0, sqrt((double)height * width / (double)(nodes ? nodes : 1)) / 6.0);
    image colours = {0};
    *out = (image){0};
    orthant_status status = canvas_from(ctx, picture, &colours);
    if (!status)
        status = image_resize(ctx, &colours, height, width, out);
    if (!status)
        draw_edges(out, graph, position, scale);
    for (int64_t i = 0; i < nodes && !status; i++) {
        unsigned char colour[3];
        const int64_t y = (int64_t)position[2 * i], x = (int64_t)position[2 * i + 1];
        palette_color(labels[y * picture->width + x], colour);
        draw_dot(out, (int)lround(scale * position[2 * i]),
                 (int)lround(scale * position[2 * i + 1]), radius, colour);
    }
    image_free(ctx, &colours);
    return status;
}

/* ---- labels themselves ------------------------------------------------------------------------
 */

orthant_status draw_labels(orthant_context *ctx, const int32_t *labels, int height, int width,
                           image *out)
{
    const int64_t pixels = (int64_t)height * width;
    int32_t most = 0;
    for (int64_t p = 0; p < pixels; p++)
        most = labels[p] > most ? labels[p] : most;
    const int channels = most < 256 ? 1 : 3;
    const orthant_status status = canvas_new(ctx, height, width, channels, out);
    for (int64_t p = 0; p < pixels && !status; p++)
        for (int c = 0; c < channels; c++)
            out->pixels[p * channels + c] = (unsigned char)(labels[p] >> (8 * c));
    return status;
}
