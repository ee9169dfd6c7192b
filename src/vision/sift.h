/* SIFT descriptors of many pictures (D. Lowe, Distinctive image features from scale-invariant
 * keypoints, IJCV 2004), VLFeat's. */
#ifndef VISION_SIFT_H
#define VISION_SIFT_H

#include "data/picture_list.h"

#define SIFT_LENGTH 128

/* Descriptors are brought to 0 .. 255 as Lowe's program and VLFeat's write them. */
typedef struct sift_set {
    orthant_context *ctx;
    int64_t pictures;
    int64_t *start; /* pictures + 1: the picture's first descriptor */
    unsigned char *values;
    int64_t capacity;
} sift_set;

/* At the points that VLFeat finds with its own thresholds, in its order; a picture may have none.
 * Larger pictures are brought to PICTURE_MOST_SIDE first. */
orthant_status sift_extract(const picture_list *list, sift_set *out);
void sift_free(sift_set *set);

#endif
