/* Borders of a segmentation made exact: every pixel goes to the segment to which the windows around
 * it most likely belong. */
#ifndef VISION_REFINE_H
#define VISION_REFINE_H

#include "vision/bands.h"

/* Windows of 2 small + 1 and 2 wide + 1 rows and columns. */
typedef struct refine_windows {
    int small, wide;
} refine_windows;

/* Repeats, at most `iterations` times: what tells the segments apart is learnt from the histograms
 * of small windows inside them, in the first round the log-likelihoods of bins, then the linear
 * discriminant; each window's score for every segment; its votes, in proportion to exp(20 score) or
 * exp(0.3 score); the votes smoothed by four means over the wide window; every pixel to the segment
 * with most votes. Where `connected` a segment keeps its largest component alone. `labels` are
 * 0 .. segments - 1; some may be gone after it. */
orthant_status refine_labels(const band_set *bands, int32_t *labels, int64_t segments,
                             refine_windows windows, int iterations, bool connected);

#endif
