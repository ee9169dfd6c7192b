/* Between the files of the segmentation criteria. In their table the found regions are the clusters
 * (sizes S_b), the true regions the classes (R_a), and T_ab counts the pixels of both; n pixels. */
#ifndef SCORE_SEGMENTATION_H
#define SCORE_SEGMENTATION_H

#include "orthant/segmentation.h"
#include "score/table.h"

/* CS, OS, US, ME, NE and their means over the thresholds. */
orthant_status score_regions(orthant_context *ctx, const table *t, double threshold,
                             orthant_segmentation_scores *scores);
/* What rests on the matching: O, C, CA, ..., the F-measure. */
orthant_status score_pixels(orthant_context *ctx, const table *t,
                            orthant_segmentation_scores *scores);
/* GCE, LCE, Mirkin, van Dongen, VI, covering, PRI. */
orthant_status score_partitions(orthant_context *ctx, const table *t,
                                orthant_segmentation_scores *scores);

/* Numbers the 4-connected pieces of equal labels from 0, in the order of their first pixels. */
orthant_status components_label(orthant_context *ctx, const int32_t *labels, int64_t height,
                                int64_t width, int32_t *component);

#endif
