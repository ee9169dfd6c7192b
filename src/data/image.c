/* Finds the decoder, checks sizes, applies the orientation and resizes. */
#include "data/image.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "core/file.h"
#include "core/memory.h"

typedef orthant_status (*decoder)(image_request *request, image *out);

/* The decoder by a file's first bytes, or NULL. */
static decoder find_decoder(const unsigned char start[8])
{
    static const unsigned char png[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    if (memcmp(start, png, 8) == 0)
        return image_decode_png;
    if (start[0] == 0xff && start[1] == 0xd8 && start[2] == 0xff)
        return image_decode_jpeg;
    if ((memcmp(start, "II", 2) == 0 && (start[2] == 42 || start[2] == 43) && start[3] == 0) ||
        (memcmp(start, "MM", 2) == 0 && (start[3] == 42 || start[3] == 43) && start[2] == 0))
        return image_decode_tiff;
    if (start[0] == 'P' && strchr("2356", start[1]) && start[1] && start[2] &&
        strchr(" \t\r\n#", start[2]))
        return image_decode_pnm;
    return NULL;
}

bool image_is_image(const char *path)
{
    static const char *const endings[] = {"png", "jpg", "jpeg", "tif", "tiff", "pgm", "ppm", "pnm"};
    char ending[16];
    unsigned char start[8] = {0};
    file_ending(path, ending);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (strcmp(ending, endings[i]) == 0)
            return true;
    FILE *file = fopen(path, "rb");
    if (!file)
        return false;
    const bool known = fread(start, 1, sizeof start, file) == sizeof start && find_decoder(start);
    fclose(file);
    return known;
}

/* The arrays of a picture whose size is set; on failure it has none. */
static orthant_status allocate_samples(orthant_context *ctx, bool deep, image *out)
{
    const int64_t samples = (int64_t)out->height * out->width * out->channels;
    out->deep = NULL;
    out->pixels = memory_new(ctx, samples, sizeof *out->pixels, "a picture");
    if (out->pixels && deep)
        out->deep = memory_new(ctx, samples, sizeof *out->deep, "a picture of 16 bits");
    if (out->pixels && (out->deep || !deep))
        return ORTHANT_OK;
    memory_free(ctx, out->pixels);
    out->pixels = NULL;
    return ORTHANT_ERROR_MEMORY;
}

void image_free(orthant_context *ctx, image *of)
{
    memory_free(ctx, of->pixels);
    memory_free(ctx, of->deep);
    *of = (image){0};
}

orthant_status image_begin(const image_request *request, image_header header, image *out)
{
    orthant_context *ctx = request->ctx;
    const int64_t height = header.height, width = header.width;
    if (height < 1 || width < 1)
        return fail(ctx, ORTHANT_ERROR_FORMAT, "%s: a picture without pixels", request->path);
    if (height > IMAGE_MOST_SIDE || width > IMAGE_MOST_SIDE || height * width > IMAGE_MOST_PIXELS)
        return fail(ctx, ORTHANT_ERROR_UNSUPPORTED,
                    "%s: a picture of %" PRId64 " x %" PRId64 "; the most is %d a side and %" PRId64
                    " pixels",
                    request->path, height, width, IMAGE_MOST_SIDE, IMAGE_MOST_PIXELS);
    if (header.pixels_a_byte > 0 && height * width / header.pixels_a_byte > request->file_bytes)
        return fail(ctx, ORTHANT_ERROR_FORMAT,
                    "%s: says it is a picture of %" PRId64 " x %" PRId64
                    ", more than a file of %" PRId64 " bytes can hold",
                    request->path, height, width, request->file_bytes);
    *out = (image){.height = (int)height, .width = (int)width, .channels = request->channels};
    if (request->rows)
        return request->rows->begin(request->rows->user, out->height, out->width);
    if (request->channels == 0)
        return ORTHANT_OK;
    return allocate_samples(ctx, header.deep, out);
}

static uint32_t over_black(uint32_t value, uint32_t alpha)
{
    return (value * alpha + 32767) / 65535;
}

/* To the nearest of 8 bits; what image_widen() gave comes back as it was. */
static unsigned char narrow(uint32_t value)
{
    return (unsigned char)((value + 128) / 257);
}

void image_put_row(image *out, int y, const uint16_t *row, int count)
{
    int64_t at = (int64_t)y * out->width * out->channels;
    for (int x = 0; x < out->width; x++, row += count, at += out->channels) {
        const bool colour = count > 2;
        uint32_t rgb[3] = {row[0], colour ? row[1] : row[0], colour ? row[2] : row[0]};
        for (int c = 0; c < 3 && count % 2 == 0; c++)
            rgb[c] = over_black(rgb[c], row[count - 1]);
        if (out->channels == 1)
            rgb[0] = (299 * rgb[0] + 587 * rgb[1] + 114 * rgb[2] + 500) / 1000;
        for (int c = 0; c < out->channels; c++) {
            out->pixels[at + c] = narrow(rgb[c]);
            if (out->deep)
                out->deep[at + c] = (uint16_t)rgb[c];
        }
    }
}

/* ---- upright ------------------------------------------------------------------------------ */

/* Where pixel (y, x) of the upright picture lies in the file's, which is `height` x `width`. */
static int64_t stored_place(int orientation, int64_t height, int64_t width, int64_t y, int64_t x)
{
    if (orientation >= 5) { /* the file's rows are the picture's columns */
        const int64_t swap = y;
        y = x;
        x = swap;
    }
    if (orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7)
        y = height - 1 - y;
    if (orientation == 2 || orientation == 3 || orientation == 7 || orientation == 8)
        x = width - 1 - x;
    return y * width + x;
}

/* Turns and mirrors what was read as its orientation says. */
static orthant_status stand_upright(orthant_context *ctx, int orientation, image *of)
{
    image upright = *of;
    if (orientation < 2)
        return ORTHANT_OK;
    if (orientation >= 5) {
        upright.height = of->width;
        upright.width = of->height;
    }
    if (!of->pixels) {
        *of = upright;
        return ORTHANT_OK;
    }
    const orthant_status status = allocate_samples(ctx, of->deep != NULL, &upright);
    if (status != ORTHANT_OK)
        return status;
    int64_t to = 0;
    for (int y = 0; y < upright.height; y++)
        for (int x = 0; x < upright.width; x++) {
            const int64_t from =
                stored_place(orientation, of->height, of->width, y, x) * of->channels;
            for (int c = 0; c < of->channels; c++, to++) {
                upright.pixels[to] = of->pixels[from + c];
                if (of->deep)
                    upright.deep[to] = of->deep[from + c];
            }
        }
    image_free(ctx, of);
    *of = upright;
    return ORTHANT_OK;
}

/* ---- reading ------------------------------------------------------------------------------ */

static orthant_status decode(image_request *request, image *out)
{
    orthant_context *ctx = request->ctx;
    unsigned char start[8] = {0};
    *out = (image){0};
    orthant_status status = file_size(ctx, request->path, &request->file_bytes);
    if (status == ORTHANT_OK)
        status = file_open(ctx, request->path, &request->file);
    if (status != ORTHANT_OK)
        return status;
    const size_t got = fread(start, 1, sizeof start, request->file);
    const decoder known = got == sizeof start ? find_decoder(start) : NULL;
    status = ferror(request->file) ? file_fail_read(ctx, request->path, errno)
                                   : file_rewind(ctx, request->path, request->file);
    if (status != ORTHANT_OK)
        goto done;
    if (request->rows && (known == image_decode_jpeg || known == image_decode_tiff))
        status =
            fail(ctx, ORTHANT_ERROR_UNSUPPORTED, "%s: labels cannot be read from %s; save %s",
                 request->path, known == image_decode_jpeg ? "JPEG, which changes them" : "TIFF",
                 "them as PNG, PGM, .npy, .mat or .csv");
    else if (known)
        status = known(request, out);
    else
        status = fail(ctx, ORTHANT_ERROR_FORMAT,
                      "%s: not a picture that can be read: expected PNG, JPEG, TIFF, PGM or PPM",
                      request->path);
done:
    fclose(request->file);
    if (status == ORTHANT_OK && !request->rows)
        status = stand_upright(ctx, request->orientation, out);
    if (status != ORTHANT_OK)
        image_free(ctx, out);
    return memory_name_file(ctx, request->path, status);
}

orthant_status image_read(orthant_context *ctx, const char *path, int channels, image *out)
{
    image_request request = {.ctx = ctx, .path = path, .channels = channels};
    if (channels != 1 && channels != 3) {
        *out = (image){0};
        return fail(ctx, ORTHANT_ERROR_ARGUMENT, "%s: %d channels asked for, expected 1 or 3", path,
                    channels);
    }
    return decode(&request, out);
}

orthant_status image_read_size(orthant_context *ctx, const char *path, image *out)
{
    image_request request = {.ctx = ctx, .path = path};
    return decode(&request, out);
}

orthant_status image_read_rows(orthant_context *ctx, const char *path, const image_rows *rows)
{
    image_request request = {.ctx = ctx, .path = path, .rows = rows};
    image size;
    return decode(&request, &size);
}

/* ---- another size ------------------------------------------------------------------------- */

/* For each new place along an axis: its first old place, how many, and their weights (which sum to
 * 1). */
typedef struct axis {
    int *first, *count;
    float *weight; /* `most` for each new place */
    int most;
} axis;

static void axis_free(orthant_context *ctx, axis *of)
{
    memory_free(ctx, of->first);
    memory_free(ctx, of->count);
    memory_free(ctx, of->weight);
}

/* The share of each old place that the new one covers. */
static void axis_shrink(axis *of, int from, int to)
{
    const double scale = (double)from / to;
    for (int i = 0; i < to; i++) {
        const double begin = i * scale, end = i == to - 1 ? from : (i + 1) * scale;
        const int first = (int)begin;
        int last = (int)ceil(end);
        last = last > from ? from : last;
        of->first[i] = first;
        of->count[i] = last - first;
        for (int p = first; p < last; p++) {
            const double low = p > begin ? p : begin, high = p + 1 < end ? p + 1 : end;
            of->weight[(int64_t)i * of->most + p - first] = (float)((high - low) / (end - begin));
        }
    }
}

/* Between the centres of two old places; beyond the outermost centres the border goes on. */
static void axis_grow(axis *of, int from, int to)
{
    for (int i = 0; i < to; i++) {
        double place = (i + 0.5) * from / to - 0.5;
        place = place < 0 ? 0 : place > from - 1 ? from - 1 : place;
        const int first = (int)place;
        const float share = (float)(place - first);
        of->first[i] = first;
        of->count[i] = first + 1 < from ? 2 : 1;
        of->weight[(int64_t)i * of->most] = of->count[i] == 2 ? 1 - share : 1;
        if (of->count[i] == 2)
            of->weight[(int64_t)i * of->most + 1] = share;
    }
}

static orthant_status axis_make(orthant_context *ctx, int from, int to, axis *made)
{
    *made = (axis){.most = to <= from ? from / to + 2 : 2};
    made->first = memory_new(ctx, to, sizeof *made->first, "a picture's axis");
    made->count = memory_new(ctx, to, sizeof *made->count, "a picture's axis");
    made->weight =
        memory_new(ctx, (int64_t)to * made->most, sizeof *made->weight, "a picture's axis");
    if (!made->first || !made->count || !made->weight)
        return ORTHANT_ERROR_MEMORY;
    if (to <= from)
        axis_shrink(made, from, to);
    else
        axis_grow(made, from, to);
    return ORTHANT_OK;
}

/* One row of the input along the columns' axis, in floats. */
static void resize_row(const image *in, int y, const axis *columns, int width, float *to)
{
    const int64_t row = (int64_t)y * in->width * in->channels;
    for (int x = 0; x < width; x++)
        for (int c = 0; c < in->channels; c++) {
            const float *weight = columns->weight + (int64_t)x * columns->most;
            float sum = 0;
            for (int p = 0; p < columns->count[x]; p++)
                sum += weight[p] *
                       image_value(in, row + (int64_t)(columns->first[x] + p) * in->channels + c);
            to[x * in->channels + c] = sum;
        }
}

/* Rows of `narrow` (in->height x line floats) along the rows' axis. */
static void resize_columns(const float *narrow, const axis *rows, int64_t line, image *out)
{
    for (int y = 0; y < out->height; y++)
        for (int64_t x = 0; x < line; x++) {
            const float *weight = rows->weight + (int64_t)y * rows->most;
            float sum = 0;
            for (int p = 0; p < rows->count[y]; p++)
                sum += weight[p] * narrow[(rows->first[y] + p) * line + x];
            sum = sum < 0 ? 0 : sum > 255 ? 255 : sum;
            out->pixels[y * line + x] = (unsigned char)(sum + 0.5f);
            if (out->deep)
                out->deep[y * line + x] = (uint16_t)(sum * 257.0f + 0.5f);
        }
}

orthant_status image_resize(orthant_context *ctx, const image *in, int height, int width,
                            image *out)
{
    axis rows = {0}, columns = {0};
    float *narrow = NULL;
    const image_request request = {.ctx = ctx, .path = "resizing", .channels = in->channels};
    *out = (image){0};
    const image_header header = {.height = height, .width = width, .deep = in->deep != NULL};
    orthant_status status = image_begin(&request, header, out);
    if (status == ORTHANT_OK)
        status = axis_make(ctx, in->height, height, &rows);
    if (status == ORTHANT_OK)
        status = axis_make(ctx, in->width, width, &columns);
    const int64_t line = (int64_t)width * in->channels;
    if (status == ORTHANT_OK &&
        !(narrow = memory_new(ctx, in->height * line, sizeof *narrow, "a picture")))
        status = ORTHANT_ERROR_MEMORY;
    if (status != ORTHANT_OK)
        goto done;
    for (int y = 0; y < in->height; y++)
        resize_row(in, y, &columns, width, narrow + y * line);
    resize_columns(narrow, &rows, line, out);
done:
    axis_free(ctx, &rows);
    axis_free(ctx, &columns);
    memory_free(ctx, narrow);
    if (status != ORTHANT_OK)
        image_free(ctx, out);
    return status;
}

/* ---- writing ------------------------------------------------------------------------------ */

orthant_status image_write_indexed_png(orthant_context *ctx, const image *in,
                                       const unsigned char *palette, const char *path)
{
    file_writer writer;
    unsigned char *bytes = NULL;
    size_t count = 0;
    orthant_status status = image_encode_png(ctx, in, palette, &bytes, &count);
    if (status == ORTHANT_OK)
        status = file_write_begin(ctx, path, &writer);
    if (status == ORTHANT_OK) {
        fwrite(bytes, 1, count, writer.file); /* file_write_end looks whether all arrived */
        status = file_write_end(&writer, status);
    }
    memory_free(ctx, bytes);
    return status;
}

orthant_status image_write_png(orthant_context *ctx, const image *in, const char *path)
{
    return image_write_indexed_png(ctx, in, NULL, path);
}
