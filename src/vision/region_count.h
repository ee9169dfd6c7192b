/* How many segments a picture's regions suggest. */
#ifndef VISION_REGION_COUNT_H
#define VISION_REGION_COUNT_H

#include "vision/superpixels.h"

/* Each region is described by its likeness, exp(-d^2 / (2 t^2)) of the Lab distance, to the colours
 * of a small palette; the number of segments is that of the principal directions needed until what
 * is left of the energy is below a share, as factorisation-based segmentation does it with its
 * histograms (J. Yuan, D. Wang, A. Cheriyadat, Factorization-based texture segmentation, TIP 2015).
 * `evidence` tells the shares that decided. */
orthant_status region_count(const superpixels *set, int64_t *segments, char *evidence, size_t size);

#endif
