/* Borders of a segmentation made exact: every pixel goes to the segment under whose histograms what
 * is around it is most likely. */
#ifndef VISION_REFINE_H
#define VISION_REFINE_H

#include "vision/bands.h"

/* Repeats, at most `iterations` times: the shares p of the bins of each band within each segment;
 * log p of every pixel's bins, summed over the bands and smoothed by four means over 2 radius + 1
 * rows and columns; every pixel to the segment with the largest sum. Where `connected` a segment
 * keeps its largest component alone. `labels` are 0 .. segments - 1; some may be gone after it. */
orthant_status refine_labels(const band_set *bands, int32_t *labels, int64_t segments, int radius,
                             int iterations, bool connected);

#endif
