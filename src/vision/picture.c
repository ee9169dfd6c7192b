/* Reads a picture and scales its longer side. */
#include "vision/picture.h"

#include <math.h>

static int scaled_side(int side, double scale)
{
    const int scaled = (int)lround(side * scale);
    return scaled < 1 ? 1 : scaled;
}

orthant_status picture_read(orthant_context *ctx, const char *path, int channels, image *out)
{
    image read;
    orthant_status status = image_read(ctx, path, channels, &read);
    const int longest = read.height > read.width ? read.height : read.width;
    if (status || longest <= PICTURE_MOST_SIDE) {
        *out = read;
        return status;
    }
    const double scale = (double)PICTURE_MOST_SIDE / longest;
    status = image_resize(ctx, &read, scaled_side(read.height, scale),
                          scaled_side(read.width, scale), out);
    image_free(ctx, &read);
    return status;
}
