/* Samples whose fits end where they are stationary, and how far codes are from encodings. */
#ifndef SUPPORT_ROUND_TRIP_H
#define SUPPORT_ROUND_TRIP_H

#include "orthant/orthant.h"

orthant_matrix *planted_samples(orthant_context *ctx, int64_t n, int64_t m);

/* Over the samples without a label; labels: NULL where none has one. */
double round_trip_error(const orthant_matrix *codes, const orthant_matrix *encoding,
                        const orthant_labels *labels);

#endif
