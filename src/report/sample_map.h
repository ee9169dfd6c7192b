/* Where a run's samples lie beside each other, and what the page shows of each: written with the
 * run, as the page does not have the samples.
 *
 *   map.npy   n x 5, a row for each sample: first two principal components of the encodings at unit
 *             length, two coordinates of their neighbour layout (graph/layout.h), and the length of
 *             what the factors leave of the sample beside its own; NaN where that is not known
 *   map.png   small pictures of the samples, in rows of ceil(sqrt(n))
 *   map.json  names of samples and classes, rows of samples that were drawn
 *
 * Of more than SAMPLE_MAP_MOST samples every s-th, s the smallest with which they fit. */
#ifndef REPORT_SAMPLE_MAP_H
#define REPORT_SAMPLE_MAP_H

#include "orthant/run.h"

#define SAMPLE_MAP_MOST 100000
enum { MAP_PCA, MAP_NEAR = 2, MAP_ERROR = 4, MAP_COLUMNS };

static inline int64_t sample_map_step(int64_t samples)
{
    return samples < 1 ? 1 : (samples + SAMPLE_MAP_MOST - 1) / SAMPLE_MAP_MOST;
}

static inline int64_t sample_map_count(int64_t samples)
{
    const int64_t step = sample_map_step(samples);
    return (samples + step - 1) / step;
}

/* Nothing where samples or labels and encodings are not at hand. */
orthant_status sample_map_write(orthant_context *ctx, const orthant_run *run, const char *folder);

#endif
