/* A picture as bands (its colours and filter responses), each value as the number of a bin. */
#ifndef VISION_BANDS_H
#define VISION_BANDS_H

#include "data/image.h"

#define BANDS_MOST_BINS 64
#define BANDS_MOST_PIXELS (INT64_C(1) << 26)

typedef struct band_set {
    orthant_context *ctx;
    int height, width, bands, bins;
    uint8_t *bin; /* bands x height x width, 0 .. bins - 1 */
} band_set;

/* Of equal width between a band's least and largest value, or of about equal population. A constant
 * band is all in bin 0. */
typedef enum band_binning { BANDS_EQUAL_WIDTH, BANDS_EQUAL_POPULATION } band_binning;

/* Bins of one band; `values` must be finite. */
void bands_quantise(const float *values, int64_t count, int bins, band_binning binning,
                    uint8_t *bin);

/* Bands of the bank `name` (see filters.h). */
orthant_status bands_create(orthant_context *ctx, const image *picture, const char *bank, int bins,
                            band_binning binning, band_set *out);
void bands_free(band_set *bands);

#endif
