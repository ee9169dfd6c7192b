/* Whole pictures as rows of features. */
#ifndef VISION_PICTURE_FEATURES_H
#define VISION_PICTURE_FEATURES_H

#include "data/matrix.h"
#include "data/picture_list.h"

#define PICTURE_FEATURE_KINDS "sift-words|gabor|lab|spectral-histogram"

typedef struct picture_feature_settings {
    const char *kind; /* one of PICTURE_FEATURE_KINDS:
                         sift-words: counts of visual words
                         gabor: mean and standard deviation of each filter's modulus, 80 columns
                         lab: shares of 16 bins of each of L, a and b, 48 columns
                         spectral-histogram: shares of 11 bins of each band of the bank */
    int64_t words;    /* sift-words */
    uint64_t seed;    /* sift-words */
    const char *bank; /* spectral-histogram: see filters.h; NULL is "texture" */
} picture_feature_settings;

/* One row per picture; all entries are nonnegative. */
orthant_status picture_features(const picture_list *list, const picture_feature_settings *settings,
                                orthant_matrix **features);

#endif
