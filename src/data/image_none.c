/* Builds without libpng, libjpeg-turbo and libtiff: their pictures are refused (PGM and PPM are
 * read), and PNG files are written without packing them. */
#include <string.h>

#include "core/memory.h"
#include "data/image.h"
#include "data/inflate.h"

static orthant_status refuse(const image_request *request, const char *kind)
{
    return fail(
        request->ctx, ORTHANT_ERROR_UNSUPPORTED,
        "%s: this build of Orthant reads no %s pictures; save it as PGM or PPM, or build Orthant "
        "with -DORTHANT_VISION=ON",
        request->path, kind);
}

orthant_status image_decode_png(image_request *request, image *out)
{
    (void)out;
    return refuse(request, "PNG");
}

orthant_status image_decode_jpeg(image_request *request, image *out)
{
    (void)out;
    return refuse(request, "JPEG");
}

orthant_status image_decode_tiff(image_request *request, image *out)
{
    (void)out;
    return refuse(request, "TIFF");
}

/* ---- PNG (ISO/IEC 15948) with stored blocks ------------------------------------------------- */

#define MOST_STORED 65535 /* bytes of a block */

typedef struct png_bytes {
    unsigned char *next;
    uint32_t adler_low, adler_high; /* of what is packed */
} png_bytes;

static void put_number(png_bytes *to, uint32_t value)
{
    for (int shift = 24; shift >= 0; shift -= 8)
        *to->next++ = (unsigned char)(value >> shift);
}

static void put_chunk_head(png_bytes *to, int64_t bytes, const char *kind)
{
    put_number(to, (uint32_t)bytes);
    memcpy(to->next, kind, 4);
    to->next += 4;
}

/* The checksum of kind and contents, `bytes` of these. */
static void put_chunk_end(png_bytes *to, int64_t bytes)
{
    put_number(to, crc32_add(0, to->next - bytes - 4, (size_t)bytes + 4));
}

static void put_header(png_bytes *to, const image *in, bool palette)
{
    put_chunk_head(to, 13, "IHDR");
    put_number(to, (uint32_t)in->width);
    put_number(to, (uint32_t)in->height);
    *to->next++ = 8;                                       /* bits */
    *to->next++ = in->channels == 3 ? 2 : palette ? 3 : 0; /* colour type */
    for (int i = 0; i < 3; i++)
        *to->next++ = 0; /* deflate, filters of each row, not interlaced */
    put_chunk_end(to, 13);
}

static void add_adler(png_bytes *to, const unsigned char *bytes, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        to->adler_low = (to->adler_low + bytes[i]) % 65521;
        to->adler_high = (to->adler_high + to->adler_low) % 65521;
    }
}

/* Rows of `line` bytes, each a block of its own (two where it is longer than one can be), with the
 * filter 0 in front. */
static void put_row(png_bytes *to, const unsigned char *row, int64_t line, bool last)
{
    const unsigned char filter = 0;
    int64_t left = line + 1;
    add_adler(to, &filter, 1);
    add_adler(to, row, line);
    for (bool first = true; left > 0; first = false) {
        const int64_t size = left < MOST_STORED ? left : MOST_STORED;
        const int64_t pixels = size - first;
        left -= size;
        *to->next++ = last && left == 0;
        *to->next++ = (unsigned char)size;
        *to->next++ = (unsigned char)(size >> 8);
        *to->next++ = (unsigned char)~size;
        *to->next++ = (unsigned char)(~size >> 8);
        if (first)
            *to->next++ = filter;
        memcpy(to->next, row, (size_t)pixels);
        to->next += pixels;
        row += pixels;
    }
}

static void put_pixels(png_bytes *to, const image *in, int64_t packed)
{
    const int64_t line = (int64_t)in->width * in->channels;
    put_chunk_head(to, packed, "IDAT");
    *to->next++ = 0x78; /* zlib's header */
    *to->next++ = 0x01;
    for (int y = 0; y < in->height; y++)
        put_row(to, in->pixels + y * line, line, y == in->height - 1);
    put_number(to, to->adler_high << 16 | to->adler_low);
    put_chunk_end(to, packed);
}

orthant_status image_encode_png(orthant_context *ctx, const image *in, const unsigned char *palette,
                                unsigned char **bytes, size_t *count)
{
    static const unsigned char signature[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    *bytes = NULL;
    *count = 0;
    if (!in->pixels || in->height < 1 || in->width < 1 || (in->channels != 1 && in->channels != 3))
        return fail(ctx, ORTHANT_ERROR_ARGUMENT,
                    "a picture of %d x %d with %d channels cannot be written as PNG", in->height,
                    in->width, in->channels);
    const bool coloured = palette && in->channels == 1;
    const int64_t line = (int64_t)in->width * in->channels + 1;
    const int64_t packed =
        2 + in->height * (line + 5 * ((line + MOST_STORED - 1) / MOST_STORED)) + 4;
    if (packed > INT32_MAX)
        return fail(ctx, ORTHANT_ERROR_UNSUPPORTED,
                    "a picture of %d x %d is too large for a PNG that is not packed; build Orthant "
                    "with -DORTHANT_VISION=ON",
                    in->height, in->width);
    const int64_t most = 8 + 4 * 12 + 13 + IMAGE_PALETTE + packed;
    *bytes = memory_new(ctx, most, 1, "a PNG");
    if (!*bytes)
        return ORTHANT_ERROR_MEMORY;
    png_bytes to = {.next = *bytes, .adler_low = 1};
    memcpy(to.next, signature, sizeof signature);
    to.next += sizeof signature;
    put_header(&to, in, coloured);
    if (coloured) {
        put_chunk_head(&to, IMAGE_PALETTE, "PLTE");
        memcpy(to.next, palette, IMAGE_PALETTE);
        to.next += IMAGE_PALETTE;
        put_chunk_end(&to, IMAGE_PALETTE);
    }
    put_pixels(&to, in, packed);
    put_chunk_head(&to, 0, "IEND");
    put_chunk_end(&to, 0);
    *count = (size_t)(to.next - *bytes);
    return ORTHANT_OK;
}
