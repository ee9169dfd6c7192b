/* Pictures: rows of pixels from the top, channels interleaved; 8 bits per sample, and 16 beside
 * them where the file has more than 8. */
#ifndef DATA_IMAGE_H
#define DATA_IMAGE_H

#include <stdio.h>

#include "core/context.h"

#define IMAGE_MOST_SIDE 65535
#define IMAGE_MOST_PIXELS (INT64_C(1) << 28)

typedef struct image {
    int height, width, channels; /* 1: grey; 3: red, green, blue */
    unsigned char *pixels;       /* height x width x channels */
    uint16_t *deep;              /* the same in 0 .. 65535 where the file has more than 8 bits per
                                  * sample; else NULL */
} image;

/* Sample `i` in 0 .. 255, with what a deep picture has between whole numbers. */
static inline float image_value(const image *of, int64_t i)
{
    return of->deep ? (float)of->deep[i] / 257.0f : (float)of->pixels[i];
}

/* PNG, JPEG, TIFF (its first page), PGM and PPM, told apart by their first bytes. `channels` is 1
 * (grey = .299 R + .587 G + .114 B) or 3. What is transparent is black. Pictures stand upright as
 * their EXIF data (JPEG, PNG) or their TIFF tag say. Of PNG, TIFF, PGM and PPM with more than 8
 * bits per sample out->deep holds 16, but for tiled TIFF files, which are brought to 8. */
orthant_status image_read(orthant_context *ctx, const char *path, int channels, image *out);
/* Height and width alone, from the header; out->pixels stays NULL. */
orthant_status image_read_size(orthant_context *ctx, const char *path, image *out);
/* By its ending or its first bytes. */
bool image_is_image(const char *path);
void image_free(orthant_context *ctx, image *of);

/* Area averages where an axis shrinks, bilinear where it grows. */
orthant_status image_resize(orthant_context *ctx, const image *in, int height, int width,
                            image *out);

/* A PNG in memory (memory_free), or as a file. Where `palette` is not NULL, the samples of a grey
 * picture stand for its colours (red, green, blue each). */
#define IMAGE_PALETTE (256 * 3)
orthant_status image_encode_png(orthant_context *ctx, const image *in, const unsigned char *palette,
                                unsigned char **bytes, size_t *count);
orthant_status image_write_png(orthant_context *ctx, const image *in, const char *path);
orthant_status image_write_indexed_png(orthant_context *ctx, const image *in,
                                       const unsigned char *palette, const char *path);

/* Takes a picture row by row with the samples that the file holds: not turned upright, not scaled,
 * not blended, a palette's index instead of its colour. `count` samples per pixel as for
 * image_put_row. */
typedef struct image_rows {
    void *user;
    orthant_status (*begin)(void *user, int height, int width);
    orthant_status (*row)(void *user, int y, const uint16_t *samples, int count);
} image_rows;
/* PNG, PGM and PPM; the others are refused. */
orthant_status image_read_rows(orthant_context *ctx, const char *path, const image_rows *rows);

/* ---- between image.c and the decoders ----------------------------------------------------- */

typedef struct image_request {
    orthant_context *ctx;
    const char *path;
    FILE *file;
    int64_t file_bytes;
    int channels;           /* 0: the size alone, or: */
    const image_rows *rows; /* who takes the rows; else NULL */
    int orientation;        /* set by the decoder: of EXIF, 1 to 8; 0 where nothing is said */
} image_request;

orthant_status image_decode_png(image_request *request, image *out);
orthant_status image_decode_jpeg(image_request *request, image *out);
orthant_status image_decode_tiff(image_request *request, image *out);
orthant_status image_decode_pnm(image_request *request, image *out);

/* What a decoder finds in a picture's header. */
typedef struct image_header {
    int64_t height, width;
    int64_t pixels_a_byte; /* the format's best packing; 0: no bound */
    bool deep;             /* more than 8 bits per sample */
} image_header;

/* Refuses sizes past the limits and such as the file cannot hold, and allocates the pixels unless
 * the size alone is asked for. */
orthant_status image_begin(const image_request *request, image_header header, image *out);
/* The pixels of row `y` from `count` samples per pixel, each in 0 .. 65535: 1 grey, 2 grey and
 * alpha, 3 colours, 4 colours and alpha. */
void image_put_row(image *out, int y, const uint16_t *row, int count);
/* 8 bits per sample as 16. */
static inline uint16_t image_widen(unsigned value)
{
    return (uint16_t)(value * 257);
}

#endif
