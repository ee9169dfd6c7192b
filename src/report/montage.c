/* Each column is scaled to its own range and drawn as a tile. */
#include "report/montage.h"

#include <math.h>

#include "core/memory.h"
#include "data/image.h"

#define GAP 1
#define MOST_ACROSS 10
#define GAP_GREY 128
#define MOST_PIXELS ((int64_t)1 << 26)

/* Where the pixel (row, column, channel) stands in a sample. */
static int64_t pixel_index(orthant_picture_shape shape, int row, int column, int channel)
{
    if (shape.column_major)
        return ((int64_t)channel * shape.width + column) * shape.height + row;
    return ((int64_t)row * shape.width + column) * shape.channels + channel;
}

static void draw_tile(image *canvas, int top, int left, const orthant_matrix *basis,
                      orthant_picture_shape shape, int64_t part)
{
    double lowest = 0, largest = 0;
    for (int64_t i = 0; i < orthant_matrix_rows(basis); i++) {
        const double value = orthant_matrix_get(basis, i, part);
        lowest = fmin(lowest, value);
        largest = fmax(largest, value);
    }
    const double scale = largest > lowest ? 255 / (largest - lowest) : 0;
    for (int row = 0; row < shape.height; row++)
        for (int column = 0; column < shape.width; column++)
            for (int channel = 0; channel < shape.channels; channel++) {
                const double value =
                    orthant_matrix_get(basis, pixel_index(shape, row, column, channel), part);
                const int64_t pixel = (int64_t)(top + row) * canvas->width + left + column;
                canvas->pixels[pixel * shape.channels + channel] =
                    (unsigned char)lrint(scale * (value - lowest));
            }
}

orthant_status montage_make(orthant_context *ctx, const orthant_matrix *basis,
                            orthant_picture_shape shape, montage *made)
{
    *made = (montage){0};
    const int64_t size = (int64_t)shape.height * shape.width * shape.channels;
    if (size <= 0 || size != orthant_matrix_rows(basis) || orthant_matrix_columns(basis) < 1)
        return ORTHANT_OK;
    const int64_t parts = orthant_matrix_columns(basis);
    const int shown = (int)(parts < MONTAGE_MOST ? parts : MONTAGE_MOST);
    const int across = shown < MOST_ACROSS ? shown : MOST_ACROSS;
    const int down = (shown + across - 1) / across;
    image canvas = {
        .height = down * (shape.height + GAP) + GAP,
        .width = across * (shape.width + GAP) + GAP,
        .channels = shape.channels,
    };
    const int64_t pixels = (int64_t)canvas.height * canvas.width * canvas.channels;
    if (pixels > MOST_PIXELS)
        return ORTHANT_OK;
    canvas.pixels = memory_new(ctx, pixels, 1, "the pictures of the basis");
    if (!canvas.pixels)
        return ORTHANT_ERROR_MEMORY;
    for (int64_t i = 0; i < pixels; i++)
        canvas.pixels[i] = GAP_GREY;
    for (int i = 0; i < shown; i++)
        draw_tile(&canvas, GAP + i / across * (shape.height + GAP),
                  GAP + i % across * (shape.width + GAP), basis, shape, i);
    const orthant_status status = image_encode_png(ctx, &canvas, NULL, &made->png, &made->bytes);
    made->width = canvas.width;
    made->height = canvas.height;
    made->shown = shown;
    memory_free(ctx, canvas.pixels);
    return status;
}
