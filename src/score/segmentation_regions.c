/* Correct, split, merged, missed and noise regions (Hoover et al. 1996; Haindl and Mikes 2008).
 *
 * At a threshold k > 1/2 a true region a and a found region b are
 *     a correct pair        when T_ab >= k R_a and T_ab >= k S_b;
 *     a is over-segmented   when at least two b with T_ab >= k S_b cover it: their sum is >= k R_a;
 *     b under-segments      when at least two a with T_ab >= k R_a fill it: their sum is >= k S_b;
 *     a is missed, b noise  when none of these holds for it, as the whole or as a piece.
 * Every condition that holds at k holds at all lower thresholds, so each region has a limit for
 * each: the largest k at which it holds. One pass gives the values at every threshold. */
#include "score/segmentation.h"

#include <math.h>
#include <stdlib.h>

#include "core/memory.h"

#define SAMPLES 100    /* of the curves, at 0.5 + (j + 1/2) / 200 */
#define TOLERANCE 1e-9 /* pixels: 3 of 4 are enough for 0.75 */

/* The regions of one of the two partitions. */
typedef struct side {
    int64_t count;
    const int64_t *size;
    double *correct; /* limits: as one of a pair, ... */
    double *split;   /* ... as a whole with pieces of the other side, ... */
    double *piece;   /* ... as a piece of a split whole */
} side;

/* A region and the only one of the other side that can hold more than half of it. */
typedef struct membership {
    int64_t piece, whole, shared;
    double share;
} membership;

static double share_of(int64_t shared, int64_t size)
{
    return ((double)shared + TOLERANCE) / (double)size;
}

static void find_correct(const table *t, side *found, side *truth)
{
    for (int64_t e = 0; e < t->cells; e++) {
        const table_cell c = t->cell[e];
        const double limit = fmin(share_of(c.count, t->cluster_size[c.cluster]),
                                  share_of(c.count, t->class_size[c.class]));
        found->correct[c.cluster] = fmax(found->correct[c.cluster], limit);
        truth->correct[c.class] = fmax(truth->correct[c.class], limit);
    }
}

static int by_whole_and_share(const void *left, const void *right)
{
    const membership *a = left, *b = right;
    if (a->whole != b->whole)
        return a->whole < b->whole ? -1 : 1;
    if (a->share < b->share || a->share > b->share)
        return a->share > b->share ? -1 : 1;
    return a->piece < b->piece ? -1 : a->piece > b->piece;
}

/* With the p largest shares as pieces, p >= 2, a whole is split up to the smaller of the last share
 * and what the pieces cover of it. */
static double split_limit(const membership *member, int64_t count, int64_t whole_size)
{
    double limit = 0.0;
    int64_t covered = 0;
    for (int64_t p = 0; p < count; p++) {
        covered += member[p].shared;
        if (p > 0)
            limit = fmax(limit, fmin(member[p].share, share_of(covered, whole_size)));
    }
    return limit;
}

static orthant_status find_split(orthant_context *ctx, const table *t, bool truth_is_whole,
                                 side *pieces, side *wholes)
{
    membership *member = memory_new(ctx, pieces->count, sizeof *member, "pieces of regions");
    int64_t count = 0;
    if (!member)
        return ORTHANT_ERROR_MEMORY;
    for (int64_t e = 0; e < t->cells; e++) {
        const table_cell c = t->cell[e];
        const int64_t piece = truth_is_whole ? c.cluster : c.class;
        const int64_t whole = truth_is_whole ? c.class : c.cluster;
        if (2 * c.count > pieces->size[piece])
            member[count++] =
                (membership){piece, whole, c.count, share_of(c.count, pieces->size[piece])};
    }
    qsort(member, (size_t)count, sizeof *member, by_whole_and_share);
    for (int64_t first = 0, end; first < count; first = end) {
        const int64_t whole = member[first].whole;
        for (end = first + 1; end < count && member[end].whole == whole; end++)
            ;
        const double limit = split_limit(member + first, end - first, wholes->size[whole]);
        wholes->split[whole] = limit;
        for (int64_t p = first; p < end; p++)
            pieces->piece[member[p].piece] = fmin(member[p].share, limit);
    }
    memory_free(ctx, member);
    return ORTHANT_OK;
}

/* A share of the regions in percent: at the threshold, and as the mean over the samples. */
typedef struct tally {
    double at, bar;
} tally;

static void count_limit(tally *sum, double limit, double threshold)
{
    sum->at += limit >= threshold ? 1.0 : 0.0;
    sum->bar += fmin(fmax(floor((limit - 0.5) * 2 * SAMPLES + 0.5), 0.0), SAMPLES) / SAMPLES;
}

typedef struct region_tallies {
    tally correct, split, known; /* known: in any of the roles */
} region_tallies;

static region_tallies count_side(const side *of, double threshold)
{
    region_tallies sums = {.known = {.at = 0.0}};
    for (int64_t i = 0; i < of->count; i++) {
        count_limit(&sums.correct, of->correct[i], threshold);
        count_limit(&sums.split, of->split[i], threshold);
        count_limit(&sums.known, fmax(fmax(of->correct[i], of->split[i]), of->piece[i]), threshold);
    }
    return sums;
}

static double percent(double sum, int64_t count)
{
    return 100.0 * sum / (double)count;
}

static void tell(const side *found, const side *truth, double threshold,
                 orthant_segmentation_scores *scores)
{
    const region_tallies f = count_side(found, threshold), r = count_side(truth, threshold);
    scores->cs = percent(r.correct.at, truth->count);
    scores->os = percent(r.split.at, truth->count);
    scores->us = percent(f.split.at, found->count);
    scores->me = percent((double)truth->count - r.known.at, truth->count);
    scores->ne = percent((double)found->count - f.known.at, found->count);
    scores->cs_bar = percent(r.correct.bar, truth->count);
    scores->os_bar = percent(r.split.bar, truth->count);
    scores->us_bar = percent(f.split.bar, found->count);
    scores->me_bar = percent((double)truth->count - r.known.bar, truth->count);
    scores->ne_bar = percent((double)found->count - f.known.bar, found->count);
}

static orthant_status side_make(orthant_context *ctx, int64_t count, const int64_t *size,
                                side *made)
{
    *made = (side){.count = count, .size = size};
    made->correct = memory_new(ctx, count, sizeof *made->correct, "limits of regions");
    made->split = memory_new(ctx, count, sizeof *made->split, "limits of regions");
    made->piece = memory_new(ctx, count, sizeof *made->piece, "limits of regions");
    return made->correct && made->split && made->piece ? ORTHANT_OK : ORTHANT_ERROR_MEMORY;
}

static void side_free(orthant_context *ctx, side *of)
{
    memory_free(ctx, of->correct);
    memory_free(ctx, of->split);
    memory_free(ctx, of->piece);
}

orthant_status score_regions(orthant_context *ctx, const table *t, double threshold,
                             orthant_segmentation_scores *scores)
{
    side found = {0}, truth = {0};
    orthant_status status = side_make(ctx, t->clusters, t->cluster_size, &found);
    if (status == ORTHANT_OK)
        status = side_make(ctx, t->classes, t->class_size, &truth);
    if (status != ORTHANT_OK)
        goto done;
    find_correct(t, &found, &truth);
    status = find_split(ctx, t, true, &found, &truth);
    if (status == ORTHANT_OK)
        status = find_split(ctx, t, false, &truth, &found);
    if (status == ORTHANT_OK)
        tell(&found, &truth, threshold, scores);
done:
    side_free(ctx, &found);
    side_free(ctx, &truth);
    return status;
}
