/* Small pictures of samples in one file. */
#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "core/part.h"
#include "data/beside.h"

#define LARGEST_SIDE 64
#define USUAL_SIDE 32
#define LEAST_SIDE 8
#define MOST_VALUES ((int64_t)1 << 23)       /* a page has to stay light */
#define MOST_LARGE_VALUES ((int64_t)1 << 21) /* with squares above the usual size */

int64_t thumbnails_across(int64_t count)
{
    int64_t across = (int64_t)sqrt((double)count);
    return across + (across * across < count);
}

static int side_for(int64_t count)
{
    for (int side = LARGEST_SIDE; side >= LEAST_SIDE; side--)
        if ((int64_t)side * side * 3 <=
            (side > USUAL_SIDE ? MOST_LARGE_VALUES : MOST_VALUES) / count)
            return side;
    return 0;
}

static unsigned char *place(const image *sheet, int side, int64_t across, int64_t at)
{
    return sheet->pixels +
           (at / across * side * (int64_t)sheet->width + at % across * side) * sheet->channels;
}

/* A picture that is higher than wide has white on both sides. */
static orthant_status put_picture(orthant_context *ctx, const char *file, int side, int64_t at,
                                  int64_t across, const image *sheet)
{
    image whole = {0}, small = {0};
    orthant_status status = image_read(ctx, file, 3, &whole);
    if (!status) {
        const double scale =
            (double)side / (whole.height > whole.width ? whole.height : whole.width);
        const int height = (int)fmax(1, rint(scale * whole.height));
        const int width = (int)fmax(1, rint(scale * whole.width));
        status = image_resize(ctx, &whole, height, width, &small);
    }
    if (!status) {
        unsigned char *to =
            place(sheet, side, across, at) +
            ((side - small.height) / 2 * (int64_t)sheet->width + (side - small.width) / 2) * 3;
        for (int y = 0; y < small.height; y++)
            memcpy(to + 3 * (int64_t)y * sheet->width, small.pixels + 3 * (int64_t)y * small.width,
                   (size_t)small.width * 3);
    }
    image_free(ctx, &small);
    image_free(ctx, &whole);
    return status;
}

orthant_status thumbnails_write(orthant_context *ctx, const name_list *files, const char *path)
{
    const int64_t across = thumbnails_across(files->count);
    const int side = files->count > 0 ? side_for(files->count) : 0;
    orthant_status status = ORTHANT_OK;
    if (!side)
        return ORTHANT_OK;
    image sheet = {.height = (int)((files->count + across - 1) / across) * side,
                   .width = (int)across * side,
                   .channels = 3};
    const int64_t bytes = (int64_t)sheet.height * sheet.width * 3;
    sheet.pixels = memory_new(ctx, bytes, 1, "pictures of samples");
    if (!sheet.pixels)
        return ORTHANT_ERROR_MEMORY;
    memset(sheet.pixels, 255, (size_t)bytes);
    for (int64_t i = 0; i < files->count && !status; i++)
        status = put_picture(ctx, names_at(files, i), side, i, across, &sheet);
    part_sweep_file(path);
    if (!status)
        status = image_write_png(ctx, &sheet, path);
    memory_free(ctx, sheet.pixels);
    return status;
}

int thumbnails_side(const image *sheet, int64_t count)
{
    const int64_t across = thumbnails_across(count);
    const int side = across > 0 ? (int)(sheet->width / across) : 0;
    const bool whole = side > 0 && side <= LARGEST_SIDE && side * across == sheet->width &&
                       (count + across - 1) / across * side == sheet->height;
    return whole && sheet->channels == 3 ? side : 0;
}

void thumbnails_take(const image *sheet, int64_t count, int64_t sample, unsigned char *to)
{
    const int side = thumbnails_side(sheet, count);
    const unsigned char *from = place(sheet, side, thumbnails_across(count), sample);
    for (int y = 0; y < side; y++)
        memcpy(to + 3 * (int64_t)y * side, from + 3 * (int64_t)y * sheet->width, (size_t)side * 3);
}
