/* sRGB to Lab in chunks, with a fast cube root. */
#include "vision/colour.h"

#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "core/parallel.h"

/* IEC 61966-2-1, the curve of sRGB. */
static double linear_from_srgb(double value)
{
    return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4);
}

/* CIE 15: the cube root with its straight piece near black. */
static double lab_curve(double t)
{
    return t > 216.0 / 24389.0 ? cbrt(t) : (24389.0 / 27.0 * t + 16.0) / 116.0;
}

#define CHUNK 64 /* pixels that are converted together */

typedef struct conversion {
    const image *picture;
    float *planes;
    float *linear;    /* of each sample value, 256 or, of a deep picture, 65536 */
    float *lightness; /* L of each grey */
} conversion;

/* A third of the bits is within 4 % of the root's; each of Halley's two steps triples the digits.
 * Unlike cbrtf it is inlined and taken of several values at once. */
static inline float cube_root(float x)
{
    int32_t bits;
    float y;
    memcpy(&bits, &x, sizeof bits);
    bits = (int32_t)((float)bits * (1.0f / 3.0f)) + 0x2a514067;
    memcpy(&y, &bits, sizeof y);
    for (int step = 0; step < 2; step++) {
        const float cube = y * y * y;
        y *= (cube + 2.0f * x) / (2.0f * cube + x);
    }
    return y;
}

static inline float fast_lab_curve(float t)
{
    const float curved = cube_root(t > 1e-6f ? t : 1e-6f);
    const float straight = (24389.0f / 27.0f * t + 16.0f) / 116.0f;
    return t > 216.0f / 24389.0f ? curved : straight;
}

static void convert_chunk(float (*rgb)[CHUNK], int count, float *restrict l, float *restrict a,
                          float *restrict b)
{
#pragma omp simd
    for (int i = 0; i < count; i++) {
        const float red = rgb[0][i], green = rgb[1][i], blue = rgb[2][i];
        const float x = fast_lab_curve((0.4124564f * red + 0.3575761f * green + 0.1804375f * blue) *
                                       (1.0f / 0.95047f));
        const float y = fast_lab_curve(0.2126729f * red + 0.7151522f * green + 0.0721750f * blue);
        const float z = fast_lab_curve((0.0193339f * red + 0.1191920f * green + 0.9503041f * blue) *
                                       (1.0f / 1.08883f));
        l[i] = 116.0f * y - 16.0f;
        a[i] = 500.0f * (x - y);
        b[i] = 200.0f * (y - z);
    }
}

static inline int level_of(const image *picture, int64_t i)
{
    return picture->deep ? picture->deep[i] : picture->pixels[i];
}

static void convert_row(void *user, int64_t row, int thread)
{
    const conversion *c = user;
    const int width = c->picture->width, channels = c->picture->channels;
    const int64_t pixels = (int64_t)c->picture->height * width;
    int64_t from = row * width * channels;
    float *to = c->planes + row * width;
    (void)thread;
    /* a and b of a grey are 0, as all memory is at first. */
    for (int x = 0; x < width && channels == 1; x++)
        to[x] = c->lightness[level_of(c->picture, from + x)];
    for (int x = 0; x < width && channels > 1; x += CHUNK) {
        float rgb[3][CHUNK];
        const int count = width - x < CHUNK ? width - x : CHUNK;
        for (int i = 0; i < count; i++, from += channels)
            for (int j = 0; j < 3; j++)
                rgb[j][i] = c->linear[level_of(c->picture, from + j)];
        convert_chunk(rgb, count, to + x, to + pixels + x, to + 2 * pixels + x);
    }
}

orthant_status colour_planes(orthant_context *ctx, const image *picture, float **planes)
{
    conversion c = {.picture = picture};
    const int64_t pixels = (int64_t)picture->height * picture->width;
    *planes = memory_new(ctx, 3 * pixels, sizeof **planes, "the colours of a picture");
    if (!*planes)
        return ORTHANT_ERROR_MEMORY;
    c.planes = *planes;
    const int levels = picture->deep ? 65536 : 256;
    c.linear = memory_new(ctx, 2 * levels, sizeof *c.linear, "the curve of colours");
    if (!c.linear) {
        memory_free(ctx, *planes);
        *planes = NULL;
        return ORTHANT_ERROR_MEMORY;
    }
    c.lightness = c.linear + levels;
    for (int i = 0; i < levels; i++) {
        const double value = linear_from_srgb(i / (levels - 1.0));
        c.linear[i] = (float)value;
        c.lightness[i] = (float)(116.0 * lab_curve(value) - 16.0);
    }
    parallel_for(ctx, picture->height, convert_row, &c);
    memory_free(ctx, c.linear);
    return ORTHANT_OK;
}

orthant_status colour_grey(orthant_context *ctx, const image *picture, float **grey)
{
    const int64_t pixels = (int64_t)picture->height * picture->width;
    *grey = memory_new(ctx, pixels, sizeof **grey, "the grey of a picture");
    if (!*grey)
        return ORTHANT_ERROR_MEMORY;
    for (int64_t p = 0; p < pixels; p++) {
        const int64_t at = p * picture->channels;
        const float first = image_value(picture, at);
        (*grey)[p] =
            (picture->channels == 1 ? first
                                    : 0.2989f * first + 0.5870f * image_value(picture, at + 1) +
                                          0.1140f * image_value(picture, at + 2)) /
            255.0f;
    }
    return ORTHANT_OK;
}
