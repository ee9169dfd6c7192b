/* What a factorisation sees of each region. */
#ifndef VISION_REGION_FEATURES_H
#define VISION_REGION_FEATURES_H

#include "vision/superpixels.h"

#define REGION_FEATURES_DEFAULT "lab"

/* The options' groups one after the other, nonnegative, a row per region:
 *     lab        mean L, a, b, shifted by their least value where that is negative, over 100
 *     rgb        mean red, green, blue, 0 to 1
 *     space      mean row and column over the picture's longer side
 *     gabor      mean moduli of the 40 Gabor responses of the grey plane, each 0 to 1 over the
 *                regions
 *     histogram  shares of the bins of each band of the options' bank
 * `feature_weights` multiply the groups. */
orthant_status region_features(const superpixels *set, const segment_options *options,
                               orthant_matrix **features);

#endif
