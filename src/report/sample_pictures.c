/* Each sample is scaled to its own range, made small and put into its place. */
#include "report/sample_pictures.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "core/file.h"
#include "core/memory.h"
#include "data/beside.h"
#include "data/matrix.h"
#include "report/text_file.h"

#define LARGEST_SIDE 32
#define LEAST_SIDE 8
#define MOST_VALUES ((int64_t)1 << 23) /* of the whole picture: a page has to stay light */

static int64_t pixel_index(orthant_picture_shape shape, int row, int column, int channel)
{
    if (shape.column_major)
        return ((int64_t)channel * shape.width + column) * shape.height + row;
    return ((int64_t)row * shape.width + column) * shape.channels + channel;
}

static void draw_sample(const orthant_matrix *samples, int64_t sample, image *tile)
{
    const orthant_picture_shape shape = orthant_matrix_picture(samples);
    double lowest = 0, largest = 0;
    for (int64_t j = 0; j < samples->columns; j++) {
        const double value = orthant_matrix_get(samples, sample, j);
        lowest = fmin(lowest, value);
        largest = fmax(largest, value);
    }
    const double scale = largest > lowest ? 255 / (largest - lowest) : 0;
    unsigned char *to = tile->pixels;
    for (int row = 0; row < shape.height; row++)
        for (int column = 0; column < shape.width; column++)
            for (int channel = 0; channel < shape.channels; channel++)
                *to++ = (unsigned char)lrint(
                    scale *
                    (orthant_matrix_get(samples, sample, pixel_index(shape, row, column, channel)) -
                     lowest));
}

/* The largest size at which all of them fit; height 0: none. */
static image small_size(orthant_picture_shape shape, int64_t count)
{
    const int longest = shape.height > shape.width ? shape.height : shape.width;
    for (int side = longest < LARGEST_SIDE ? longest : LARGEST_SIDE; side > 0; side--) {
        const int height = (shape.height * side + longest - 1) / longest;
        const int width = (shape.width * side + longest - 1) / longest;
        if (side < LEAST_SIDE && side < longest)
            break;
        if ((int64_t)height * width * shape.channels <= MOST_VALUES / count &&
            thumbnails_across(count) <= IMAGE_MOST_SIDE / side)
            return (image){.height = height, .width = width, .channels = shape.channels};
    }
    return (image){0};
}

static void put(const image *tile, int64_t at, int64_t across, image *sheet)
{
    const int64_t top = at / across * tile->height, left = at % across * tile->width;
    const int64_t line = (int64_t)tile->width * tile->channels;
    for (int64_t row = 0; row < tile->height; row++)
        memcpy(sheet->pixels + ((top + row) * sheet->width + left) * sheet->channels,
               tile->pixels + row * line, (size_t)line);
}

static orthant_status fill(orthant_context *ctx, const orthant_matrix *samples, int64_t count,
                           int64_t step, const image *size, image *sheet)
{
    const orthant_picture_shape shape = orthant_matrix_picture(samples);
    const bool shrinks = size->height < shape.height;
    image whole = {.height = shape.height, .width = shape.width, .channels = shape.channels};
    orthant_status status = ORTHANT_OK;
    whole.pixels = memory_new(ctx, samples->columns, 1, "a sample's picture");
    if (!whole.pixels)
        return ORTHANT_ERROR_MEMORY;
    for (int64_t i = 0; i < count && !status; i++) {
        image small = {0};
        draw_sample(samples, i * step, &whole);
        if (shrinks)
            status = image_resize(ctx, &whole, size->height, size->width, &small);
        if (!status)
            put(shrinks ? &small : &whole, i, thumbnails_across(count), sheet);
        image_free(ctx, &small);
    }
    memory_free(ctx, whole.pixels);
    return status;
}

orthant_status sample_pictures_open(orthant_context *ctx, const orthant_matrix *samples,
                                    image *sheet)
{
    *sheet = (image){0};
    if (!samples->sheet)
        return ORTHANT_OK;
    const orthant_status status = image_read(ctx, samples->sheet, 3, sheet);
    if (status == ORTHANT_ERROR_MEMORY)
        return status;
    if (status || !thumbnails_side(sheet, samples->rows)) {
        log_note(ctx, "%s: does not show the %" PRId64 " samples: it is left out", samples->sheet,
                 samples->rows);
        image_free(ctx, sheet);
        *sheet = (image){0};
    }
    return ORTHANT_OK;
}

/* Of features of pictures: those of the sheet beside them. */
static orthant_status write_from_sheet(orthant_context *ctx, const orthant_matrix *samples,
                                       int64_t count, int64_t step, const char *path, int *height,
                                       int *width)
{
    image from, sheet = {.channels = 3}, tile = {.channels = 3};
    const int64_t across = thumbnails_across(count);
    orthant_status status = sample_pictures_open(ctx, samples, &from);
    if (status || !from.pixels)
        return status;
    tile.height = tile.width = thumbnails_side(&from, samples->rows);
    sheet.height = (int)((count + across - 1) / across) * tile.height;
    sheet.width = (int)across * tile.width;
    const int64_t bytes = (int64_t)sheet.height * sheet.width * 3;
    sheet.pixels = memory_new(ctx, bytes, 1, "pictures of samples");
    tile.pixels = memory_new(ctx, (int64_t)tile.height * tile.width * 3, 1, "a sample's picture");
    status = sheet.pixels && tile.pixels ? ORTHANT_OK : ORTHANT_ERROR_MEMORY;
    for (int64_t i = 0; i < count && !status; i++) {
        thumbnails_take(&from, samples->rows, i * step, tile.pixels);
        put(&tile, i, across, &sheet);
    }
    if (!status)
        status = image_write_png(ctx, &sheet, path);
    if (!status) {
        *height = tile.height;
        *width = tile.width;
    }
    memory_free(ctx, tile.pixels);
    memory_free(ctx, sheet.pixels);
    image_free(ctx, &from);
    return status;
}

static orthant_status write_from_entries(orthant_context *ctx, const orthant_matrix *samples,
                                         int64_t count, int64_t step, const char *path, int *height,
                                         int *width)
{
    const orthant_picture_shape shape = orthant_matrix_picture(samples);
    if (!shape.height || (shape.channels != 1 && shape.channels != 3) || count < 1 ||
        orthant_matrix_is_streamed(samples) ||
        (int64_t)shape.height * shape.width * shape.channels != samples->columns)
        return ORTHANT_OK;
    const image size = small_size(shape, count);
    if (!size.height)
        return ORTHANT_OK;
    const int64_t across = thumbnails_across(count), down = (count + across - 1) / across;
    image sheet = {.height = (int)(down * size.height),
                   .width = (int)(across * size.width),
                   .channels = size.channels};
    sheet.pixels = memory_new(ctx, (int64_t)sheet.height * sheet.width * sheet.channels, 1,
                              "pictures of samples");
    orthant_status status = sheet.pixels ? ORTHANT_OK : ORTHANT_ERROR_MEMORY;
    if (!status)
        status = fill(ctx, samples, count, step, &size, &sheet);
    if (!status)
        status = image_write_png(ctx, &sheet, path);
    if (!status) {
        *height = size.height;
        *width = size.width;
    }
    memory_free(ctx, sheet.pixels);
    return status;
}

orthant_status sample_pictures_write(orthant_context *ctx, const orthant_matrix *samples,
                                     int64_t count, int64_t step, const char *folder, int *height,
                                     int *width)
{
    *height = *width = 0;
    char *path = path_join(ctx, folder, "map.png");
    if (!path)
        return ORTHANT_ERROR_MEMORY;
    const orthant_status status =
        samples->sheet ? write_from_sheet(ctx, samples, count, step, path, height, width)
                       : write_from_entries(ctx, samples, count, step, path, height, width);
    memory_free(ctx, path);
    return status;
}
