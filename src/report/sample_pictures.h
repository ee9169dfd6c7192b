/* Small pictures of samples side by side in one PNG, without gaps, in rows of ceil(sqrt(count)). */
#ifndef REPORT_SAMPLE_PICTURES_H
#define REPORT_SAMPLE_PICTURES_H

#include "core/context.h"
#include "data/image.h"
#include "orthant/matrix.h"

/* FOLDER/map.png of every step-th sample, each `height` x `width` pixels. Nothing, and 0 x 0, where
 * samples are no pictures, or too many. */
orthant_status sample_pictures_write(orthant_context *ctx, const orthant_matrix *samples,
                                     int64_t count, int64_t step, const char *folder, int *height,
                                     int *width);
/* The sheet of pictures beside the samples (data/beside.h); no pixels where there is none, or none
 * of these samples. */
orthant_status sample_pictures_open(orthant_context *ctx, const orthant_matrix *samples,
                                    image *sheet);

#endif
