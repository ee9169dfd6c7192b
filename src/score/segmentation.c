/* All segmentation criteria of one pair of label images. */
#include "score/segmentation.h"

#include <inttypes.h>

#include "core/memory.h"
#include "core/sized.h"

#define USUAL_THRESHOLD 0.75

static orthant_status score_table(orthant_context *ctx, const table *t, double threshold,
                                  orthant_segmentation_scores *scores)
{
    orthant_status status = score_regions(ctx, t, threshold, scores);
    if (status == ORTHANT_OK)
        status = score_pixels(ctx, t, scores);
    if (status == ORTHANT_OK)
        status = score_partitions(ctx, t, scores);
    scores->regions_found = (double)t->clusters;
    scores->regions_true = (double)t->classes;
    scores->pixels = t->samples;
    return status;
}

static orthant_status make_table(orthant_context *ctx, const int32_t *found, const int32_t *truth,
                                 int64_t height, int64_t width, bool components, table *t)
{
    int32_t *pieces = NULL, *true_pieces = NULL;
    orthant_status status = ORTHANT_ERROR_MEMORY;
    if (!components)
        return table_of_images(ctx, height * width, found, truth, t);
    *t = (table){0};
    pieces = memory_new(ctx, height * width, sizeof *pieces, "pieces of regions");
    if (pieces)
        true_pieces = memory_new(ctx, height * width, sizeof *true_pieces, "pieces of regions");
    if (!true_pieces)
        goto done;
    status = components_label(ctx, found, height, width, pieces);
    if (status == ORTHANT_OK)
        status = components_label(ctx, truth, height, width, true_pieces);
    if (status == ORTHANT_OK)
        status = table_of_images(ctx, height * width, pieces, true_pieces, t);
done:
    memory_free(ctx, pieces);
    memory_free(ctx, true_pieces);
    return status;
}

orthant_status orthant_score_segmentation(orthant_context *context, const int32_t *found,
                                          const int32_t *truth, int64_t height, int64_t width,
                                          const orthant_segmentation_options *options,
                                          orthant_segmentation_scores *scores)
{
    orthant_segmentation_options own;
    orthant_segmentation_scores made = {.size = sizeof made};
    int64_t pixels;
    table t;
    orthant_status status = entry_check(context, found && truth && scores, __func__);
    if (!status)
        status = sized_take(context, __func__, options, &own, sizeof own);
    if (status)
        return status;
    const double threshold = own.threshold != 0.0 ? own.threshold : USUAL_THRESHOLD;
    if (!(threshold > 0.5 && threshold <= 1.0))
        return fail(context, ORTHANT_ERROR_ARGUMENT,
                    "threshold %g: expected a share above 0.5 and up to 1", threshold);
    if (height < 1 || width < 1 || !size_multiply(height, width, &pixels) || pixels > INT32_MAX)
        return fail(context, ORTHANT_ERROR_ARGUMENT,
                    "label images of %" PRId64 " x %" PRId64 ": expected 1 to %d pixels", height,
                    width, INT32_MAX);
    status = make_table(context, found, truth, height, width, own.components, &t);
    if (status == ORTHANT_OK)
        status = score_table(context, &t, threshold, &made);
    table_free(context, &t);
    return status ? status : sized_give(context, __func__, &made, sizeof made, scores);
}
