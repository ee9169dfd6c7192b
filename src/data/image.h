/* Pictures: rows of pixels from the top, 8 bits a channel, channels interleaved. */
#ifndef DATA_IMAGE_H
#define DATA_IMAGE_H

#include <stdio.h>

#include "core/context.h"

#define IMAGE_MOST_SIDE 65535
#define IMAGE_MOST_PIXELS (INT64_C(1) << 28)

typedef struct image {
    int height, width, channels; /* 1: grey; 3: red, green, blue */
    unsigned char *pixels;       /* height x width x channels */
} image;

/* PNG, JPEG, TIFF (its first page), PGM and PPM, told apart by their first bytes. `channels` is 1
 * (grey = .299 R + .587 G + .114 B) or 3. What is transparent is black. Deeper samples are brought
 * to 8 bits. */
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

/* Takes a picture row by row with the samples that the file holds: not scaled, not blended, a
 * palette's index instead of its colour. `count` samples a pixel as for image_put_row. */
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
} image_request;

orthant_status image_decode_png(const image_request *request, image *out);
orthant_status image_decode_jpeg(const image_request *request, image *out);
orthant_status image_decode_tiff(const image_request *request, image *out);
orthant_status image_decode_pnm(const image_request *request, image *out);

/* Refuses sizes past the limits and such as the file cannot hold (`pixels_a_byte` is the format's
 * best packing), and makes room for the pixels unless the size alone is asked for. */
orthant_status image_begin(const image_request *request, int64_t height, int64_t width,
                           int64_t pixels_a_byte, image *out);
/* The pixels of row `y` from `count` samples a pixel: 1 grey, 2 grey and alpha, 3 colours, 4
 * colours and alpha. */
void image_put_row(image *out, int y, const unsigned char *row, int count);

#endif
