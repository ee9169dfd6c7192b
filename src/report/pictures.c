/* Saves the montages of basis and encoding and shows them in the page. */
#include "report/pictures.h"

#include <inttypes.h>
#include <math.h>

#include "core/file.h"
#include "core/memory.h"
#include "data/matrix.h"
#include "report/html.h"
#include "report/montage.h"
#include "report/text_file.h"

/* What a tile should measure on the page. */
#define TILE_PIXELS 48
#define FEWEST_PARTS 9

static orthant_status save_png(orthant_context *ctx, const run_record *record, const char *name,
                               const montage *made)
{
    file_writer writer;
    char *path = path_join(ctx, record->folder, name);
    orthant_status status = path ? file_write_begin(ctx, path, &writer) : ORTHANT_ERROR_MEMORY;
    if (!status) {
        writer.remade = true;
        fwrite(made->png, 1, made->bytes, writer.file);
        status = file_write_end(&writer, ORTHANT_OK);
    }
    memory_free(ctx, path);
    return status;
}

static void show(FILE *page, const montage *made, int tile_width, const char *description,
                 const char *caption)
{
    const int zoom = (TILE_PIXELS + tile_width - 1) / tile_width;
    fputs("<figure>", page);
    html_png(page, made->png, made->bytes, made->width, zoom, description);
    fputs("<figcaption>", page);
    html_text(page, caption);
    fputs("</figcaption></figure>\n", page);
}

orthant_status pictures_basis(orthant_context *ctx, FILE *page, const run_record *record,
                              const orthant_matrix *basis, const char *name, const char *before,
                              bool *shown)
{
    montage made = {0};
    char description[256], caption[256];
    const orthant_picture_shape shape = record_picture(record);
    orthant_status status = ORTHANT_OK;
    *shown = false;
    if (basis && shape.height)
        status = montage_make(ctx, basis, shape, &made);
    if (!status && made.png)
        status = save_png(ctx, record, "basis.png", &made);
    if (!status && made.png) {
        const bool all = made.shown == orthant_matrix_columns(basis);
        snprintf(description, sizeof description, "The %s%" PRId64 " basis pictures of %.100s",
                 all ? "" : "first ", made.shown, name);
        snprintf(caption, sizeof caption, "%.100s: %s%" PRId64 " parts", name,
                 all ? "" : "the first ", made.shown);
        fputs(before, page);
        show(page, &made, shape.width, description, caption);
        *shown = true;
    }
    memory_free(ctx, made.png);
    return status;
}

/* The most square of the grids that hold all parts with nothing left over, or almost. */
static orthant_picture_shape grid_of(int64_t parts)
{
    int64_t height = (int64_t)sqrt((double)parts);
    for (int64_t h = height; h * 3 >= height && h > 1; h--)
        if (parts % h == 0) {
            height = h;
            break;
        }
    return (orthant_picture_shape){(int)height, (int)((parts + height - 1) / height), 1, false};
}

orthant_status pictures_encoding(orthant_context *ctx, FILE *page, const run_record *record,
                                 const orthant_matrix *encoding, const sample_order *order,
                                 const char *before)
{
    montage made = {0};
    orthant_matrix *tiles = NULL;
    char description[256];
    const int64_t parts = encoding ? orthant_matrix_columns(encoding) : 0;
    if (!record_picture(record).height || parts < FEWEST_PARTS || parts > 10000 || !order->count)
        return ORTHANT_OK;
    const orthant_picture_shape shape = grid_of(parts);
    const int64_t shown = order->count < MONTAGE_MOST ? order->count : MONTAGE_MOST;
    orthant_status status =
        matrix_new_dense(ctx, ORTHANT_DOUBLE, (int64_t)shape.height * shape.width, shown, &tiles);
    for (int64_t i = 0; i < shown && !status; i++)
        for (int64_t p = 0; p < parts; p++)
            matrix_set_value(
                tiles, p * tiles->stride + i,
                orthant_matrix_get(encoding, order->sample[i * order->count / shown], p));
    if (!status)
        status = montage_make(ctx, tiles, shape, &made);
    if (!status && made.png)
        status = save_png(ctx, record, "encoding.png", &made);
    if (!status && made.png) {
        snprintf(description, sizeof description,
                 "Encodings of %" PRId64
                 " samples, ordered by cluster: a tile is a sample, a pixel "
                 "of it (%d x %d) a part.",
                 made.shown, shape.height, shape.width);
        fputs(before, page);
        show(page, &made, shape.width, description, description);
    }
    memory_free(ctx, made.png);
    orthant_matrix_free(tiles);
    return status;
}
