#include "vision/colour.h"

#include <math.h>

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

static void linear_to_lab(double r, double g, double b, double lab[3])
{
    const double x = lab_curve((0.4124564 * r + 0.3575761 * g + 0.1804375 * b) / 0.95047);
    const double y = lab_curve(0.2126729 * r + 0.7151522 * g + 0.0721750 * b);
    const double z = lab_curve((0.0193339 * r + 0.1191920 * g + 0.9503041 * b) / 1.08883);
    lab[0] = 116.0 * y - 16.0;
    lab[1] = 500.0 * (x - y);
    lab[2] = 200.0 * (y - z);
}

void colour_to_lab(const unsigned char rgb[3], double lab[3])
{
    linear_to_lab(linear_from_srgb(rgb[0] / 255.0), linear_from_srgb(rgb[1] / 255.0),
                  linear_from_srgb(rgb[2] / 255.0), lab);
}

typedef struct conversion {
    const image *picture;
    float *planes;
    double linear[256]; /* of each sample value */
} conversion;

static void convert_row(void *user, int64_t row, int thread)
{
    const conversion *c = user;
    const int width = c->picture->width, channels = c->picture->channels;
    const int64_t pixels = (int64_t)c->picture->height * width;
    const unsigned char *from = c->picture->pixels + row * width * channels;
    float *to = c->planes + row * width;
    (void)thread;
    for (int x = 0; x < width; x++, from += channels) {
        double lab[3];
        linear_to_lab(c->linear[from[0]], c->linear[from[channels > 1 ? 1 : 0]],
                      c->linear[from[channels > 1 ? 2 : 0]], lab);
        for (int i = 0; i < 3; i++)
            to[i * pixels + x] = channels > 1 || i == 0 ? (float)lab[i] : 0.0f;
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
    for (int i = 0; i < 256; i++)
        c.linear[i] = linear_from_srgb(i / 255.0);
    parallel_for(ctx, picture->height, convert_row, &c);
    return ORTHANT_OK;
}

orthant_status colour_grey(orthant_context *ctx, const image *picture, float **grey)
{
    const int64_t pixels = (int64_t)picture->height * picture->width;
    const unsigned char *from = picture->pixels;
    *grey = memory_new(ctx, pixels, sizeof **grey, "the grey of a picture");
    if (!*grey)
        return ORTHANT_ERROR_MEMORY;
    for (int64_t p = 0; p < pixels; p++, from += picture->channels)
        (*grey)[p] =
            picture->channels == 1
                ? (float)from[0] / 255.0f
                : (0.2989f * (float)from[0] + 0.5870f * (float)from[1] + 0.1140f * (float)from[2]) /
                      255.0f;
    return ORTHANT_OK;
}
