/* Pictures of a size that features are taken at. */
#ifndef VISION_PICTURE_H
#define VISION_PICTURE_H

#include "data/image.h"

#define PICTURE_MOST_SIDE 512

/* Read as image_read does; a side longer than PICTURE_MOST_SIDE is brought to it, the other in
 * proportion. */
orthant_status picture_read(orthant_context *ctx, const char *path, int channels, image *out);

#endif
