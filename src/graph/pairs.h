/* Fast squared distances between all samples of one block and all of another, by products; never
 * more than a block by a block in memory.
 *
 *     |x - y|^2 = |x|^2 + |y|^2 - 2 <x, y>
 *
 * loses digits where x and y are near. Dense samples are therefore shifted by their mean, all are
 * scaled by a power of two (no square can overflow or vanish), and pairs_error() bounds what is
 * lost, so that a caller knows when to look at the samples themselves. */
#ifndef GRAPH_PAIRS_H
#define GRAPH_PAIRS_H

#include "data/matrix.h"
#include "kernel/kernel.h"

#define PAIRS_SCRATCH_PART 10 /* of the samples */

typedef struct pairs {
    orthant_context *ctx;
    const orthant_matrix *samples;
    const kernels *ops;
    int64_t block, blocks; /* samples of a block (the last may have fewer), and how many blocks */
    int64_t piece;         /* dense: features whose products are added at a time */
    bool exact;            /* small whole numbers: the fast distances are the distances */
    double scale;          /* samples are multiplied by it */
    void *shift;           /* dense: taken from each scaled sample; in the samples' precision */
    double *square;        /* |x|^2 of each sample, shifted and scaled */
    int threads;           /* that have a scratch of their own: no others may take part */
    char *scratch;
    int64_t scratch_bytes; /* of one thread */
    int64_t most_entries;  /* sparse: stored in a block; fewer than 2^31 */
} pairs;

/* What all scratch may take beside the samples: a part of them, or as much as what the search keeps
 * of each sample, where that is more. */
static inline int64_t pairs_scratch_limit(const orthant_matrix *samples, int64_t kept_bytes)
{
    const int64_t part = matrix_bytes(samples) / PAIRS_SCRATCH_PART,
                  kept = samples->rows * kept_bytes;
    return part > kept ? part : kept;
}

/* The threads' scratch takes at most `limit` bytes as far as small blocks and few threads allow. */
orthant_status pairs_begin(orthant_context *ctx, const orthant_matrix *samples, int64_t limit,
                           pairs *p);
void pairs_end(pairs *p);

static inline int64_t pairs_first(const pairs *p, int64_t block)
{
    return block * p->block;
}

static inline int64_t pairs_count(const pairs *p, int64_t block)
{
    const int64_t left = p->samples->rows - block * p->block;
    return left < p->block ? left : p->block;
}

/* Makes ready for the distances between two blocks in the thread's scratch. */
void pairs_prepare(const pairs *p, int64_t block, int64_t other, int thread);
/* From the `row`-th sample of `block` to all samples of `other`, times scale^2. */
void pairs_distances(const pairs *p, int64_t block, int64_t row, int64_t other, int thread,
                     float *distances);
/* Which of those, of dense samples in single precision, are not above `limit` or not above what the
 * samples of `other` have at `limits`: their numbers in the block, in order, and the distances; how
 * many. `squares` and `limits` are of all samples, followed by PAIRS_TILE more that may be read. */
#define PAIRS_TILE 64
int64_t pairs_near(const pairs *p, int64_t block, int64_t row, int64_t other, int thread,
                   const float *squares, float limit, const float *limits, int32_t *found,
                   float *distances);
/* How far the fast distance of sample i to any sample that is not farther than `distance` (scaled)
 * may be from the truth. */
double pairs_error(const pairs *p, int64_t i, double distance);

/* The parts for sparse samples: pairs_sparse.c. */
int64_t pairs_sparse_scratch(pairs *p);
void pairs_sparse_prepare(const pairs *p, int64_t other, int thread);
void pairs_sparse_distances(const pairs *p, int64_t i, int64_t other, int thread, float *distances);

#endif
