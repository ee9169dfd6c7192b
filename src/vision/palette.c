/* A fixed palette for the first labels, then hues at the golden angle. */
#include "vision/palette.h"

#include <math.h>

/* Eight that people with any colour vision tell apart, after M. Petroff, Accessible color sequences
 * for data visualization, 2021, less its two greys; then hues at the golden angle, whose neighbours
 * never meet. */
static const unsigned char first_colors[][3] = {
    {63, 144, 218},  {255, 169, 14}, {189, 31, 1},    {131, 45, 182},
    {146, 218, 221}, {169, 107, 89}, {185, 172, 112}, {231, 99, 0},
};
#define FIRST_COLORS ((int64_t)(sizeof first_colors / sizeof *first_colors))

static unsigned char channel(double hue, double offset, double brightness)
{
    const double place = fmod(hue + offset, 1.0) * 6.0;
    const double share = fmin(fmax(fabs(place - 3.0) - 1.0, 0.0), 1.0);
    return (unsigned char)(brightness * (0.25 + 0.75 * share) + 0.5);
}

void palette_color(int64_t label, unsigned char color[3])
{
    if (label < 0 || label < FIRST_COLORS) {
        static const unsigned char none[3] = {128, 128, 128};
        const unsigned char *from = label < 0 ? none : first_colors[label];
        for (int c = 0; c < 3; c++)
            color[c] = from[c];
        return;
    }
    const double hue = fmod((double)label * 0.61803398874989485, 1.0);
    const double brightness = label % 3 == 0 ? 250.0 : label % 3 == 1 ? 200.0 : 150.0;
    color[0] = channel(hue, 0.0, brightness);
    color[1] = channel(hue, 2.0 / 3.0, brightness);
    color[2] = channel(hue, 1.0 / 3.0, brightness);
}

void palette_fill(unsigned char palette[256 * 3])
{
    for (int i = 0; i < 256; i++)
        palette_color(i, palette + 3 * i);
}
