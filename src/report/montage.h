/* The columns of a basis as pictures, tiled into one PNG. */
#ifndef REPORT_MONTAGE_H
#define REPORT_MONTAGE_H

#include "core/context.h"
#include "orthant/matrix.h"

typedef struct montage {
    unsigned char *png; /* the context's memory */
    size_t bytes;
    int width, height; /* pixels */
    int64_t shown;     /* columns: at most MONTAGE_MOST */
} montage;

#define MONTAGE_MOST 100

/* Each column between 0 (or its lowest entry, where that is negative) and its largest. Nothing, and
 * no error, where the shape does not fit the basis: png is NULL. */
orthant_status montage_make(orthant_context *ctx, const orthant_matrix *basis,
                            orthant_picture_shape shape, montage *made);

#endif
