/* Segmentation as its user sees it: options checked, results given out. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "core/sized.h"
#include "data/label_image.h"
#include "vision/handles.h"
#include "vision/superpixels.h"

/* ---- options ----------------------------------------------------------------------------------
 */

static orthant_status check_range(orthant_context *ctx, const char *name, double value,
                                  double least, double most)
{
    if (value >= least && value <= most)
        return ORTHANT_OK;
    return fail(ctx, ORTHANT_ERROR_ARGUMENT, "%s %g: expected a number from %g to %g", name, value,
                least, most);
}

static orthant_status check_numbers(orthant_context *ctx, const orthant_segment_options *o)
{
    /* 0 stands for the default. */
    const struct {
        const char *name;
        double value, least, most;
    } numbers[] = {
        {"graph_weight", o->graph_weight, -HUGE_VAL, 1e300},
        {"smallest", o->smallest, -HUGE_VAL, 1},
        {"segments", (double)o->segments, 0, 1e9},
        {"iterations", (double)o->iterations, 0, 1e9},
        {"window", o->window, 0, 2001},
        {"bins", o->bins == 1 ? -1 : o->bins, 0, 64},
        {"superpixels", (double)o->superpixels, 0, 1e9},
        {"smoothing", o->smoothing, 0, 20},
        {"parameter_count", o->parameter_count, 0, 1e6},
        {"neighbours", (double)o->neighbours, 0, 1000},
    };
    orthant_status status = ORTHANT_OK;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers && !status; i++)
        status =
            check_range(ctx, numbers[i].name, numbers[i].value, numbers[i].least, numbers[i].most);
    for (int i = 0; i < o->parameter_count && !status; i++)
        if (!o->parameters || !o->parameters[i])
            status = fail(ctx, ORTHANT_ERROR_ARGUMENT, "parameter %d is NULL", i + 1);
    return status;
}

static orthant_status find_nodes(orthant_context *ctx, const char *name, segment_nodes *nodes)
{
    static const char *const names[] = {
        [SEGMENT_PIXELS] = "pixels", [SEGMENT_WATERSHED] = "watershed", [SEGMENT_SLIC] = "slic"};
    *nodes = SEGMENT_SLIC;
    for (size_t i = 0; name && i < sizeof names / sizeof *names; i++)
        if (!strcmp(name, names[i])) {
            *nodes = (segment_nodes)i;
            return ORTHANT_OK;
        }
    return name ? fail(ctx, ORTHANT_ERROR_ARGUMENT,
                       "nodes '%.60s' are not known; there are slic, watershed and pixels", name)
                : ORTHANT_OK;
}

orthant_status segment_options_take(orthant_context *ctx, const char *function,
                                    const orthant_segment_options *given, segment_options *own)
{
    static const orthant_segment_options defaults = ORTHANT_SEGMENT_DEFAULTS;
    orthant_segment_options o;
    *own = (segment_options){0};
    orthant_status status = sized_take(ctx, function, given ? given : &defaults, &o, sizeof o);
    if (!status)
        status = check_numbers(ctx, &o);
    if (!status)
        status = find_nodes(ctx, o.nodes, &own->nodes);
    if (status)
        return status;
    own->method = o.method;
    own->segments = o.segments;
    own->iterations = o.iterations;
    own->seed = o.seed;
    own->graph_weight = o.graph_weight;
    own->features = o.features;
    own->feature_weights = o.feature_weights;
    own->bank = o.bank;
    own->window = o.window;
    own->bins = o.bins;
    own->binning = o.binning;
    own->finish = o.finish;
    own->superpixels = o.superpixels;
    own->edge_weights = o.edge_weights;
    own->smoothing = o.smoothing;
    own->smallest = o.smallest;
    own->init = o.init;
    own->snapshots = o.snapshots;
    own->parameters = o.parameters;
    own->parameter_count = o.parameter_count;
    own->neighbours = o.neighbours;
    return ORTHANT_OK;
}

/* ---- the work ---------------------------------------------------------------------------------
 */

static orthant_status new_segmentation(orthant_context *ctx, const char *name,
                                       orthant_segmentation **made)
{
    *made = memory_new(ctx, 1, sizeof **made, "a segmentation");
    if (!*made)
        return ORTHANT_ERROR_MEMORY;
    (*made)->ctx = (*made)->inner.ctx = ctx;
    (*made)->name = memory_text(ctx, name);
    return (*made)->name ? ORTHANT_OK : ORTHANT_ERROR_MEMORY;
}

static orthant_status finish(orthant_status status, orthant_segmentation *made,
                             orthant_segmentation **given)
{
    if (status)
        orthant_segmentation_free(made);
    else
        *given = made;
    return status;
}

orthant_status orthant_segment_image(orthant_context *context, const orthant_image *picture,
                                     const orthant_segment_options *options,
                                     orthant_segmentation **given)
{
    orthant_segmentation *made = NULL;
    segment_options own;
    if (given)
        *given = NULL;
    const orthant_status refused = entry_check(context, picture && given, __func__);
    if (refused)
        return refused;
    orthant_status status = segment_options_take(context, "orthant_segment_image", options, &own);
    if (!status)
        status = new_segmentation(context, picture->name, &made);
    if (!status)
        status = own.nodes == SEGMENT_PIXELS
                     ? segment_pixels(context, &picture->inner, &own, &made->inner)
                     : segment_superpixels(context, &picture->inner, &own, &made->inner);
    return finish(status, made, given);
}

orthant_status orthant_segment_cloud(orthant_context *context, const orthant_cloud *points,
                                     const orthant_segment_options *options,
                                     orthant_segmentation **given)
{
    orthant_segmentation *made = NULL;
    segment_options own;
    if (given)
        *given = NULL;
    const orthant_status refused = entry_check(context, points && given, __func__);
    if (refused)
        return refused;
    orthant_status status = segment_options_take(context, "orthant_segment_cloud", options, &own);
    if (!status)
        status = new_segmentation(context, points->inner.name, &made);
    if (!status)
        status = segment_cloud(context, &points->inner, &own, &made->inner);
    return finish(status, made, given);
}

void orthant_segmentation_free(orthant_segmentation *given)
{
    if (!given)
        return;
    segmentation_free(&given->inner);
    memory_free(given->ctx, given->name);
    memory_free(given->ctx, given);
}

orthant_status orthant_image_superpixels(orthant_context *context, const orthant_image *picture,
                                         const orthant_segment_options *options, int32_t *labels,
                                         int64_t *count)
{
    static const char function[] = "orthant_image_superpixels";
    segment_options own;
    superpixels set = {0};
    if (count)
        *count = 0;
    if (!context || !picture || !labels || !count)
        return fail(context, ORTHANT_ERROR_ARGUMENT, "%s: an argument is NULL", function);
    orthant_status status = segment_options_take(context, function, options, &own);
    if (!status && own.nodes == SEGMENT_PIXELS)
        status = fail(context, ORTHANT_ERROR_ARGUMENT,
                      "nodes 'pixels' are no superpixels; there are slic and watershed");
    if (!status)
        status = superpixels_make(context, &picture->inner, &own, &set);
    if (status)
        return status;
    memcpy(labels, set.region_of,
           (size_t)picture->inner.height * (size_t)picture->inner.width * sizeof *labels);
    *count = set.count;
    superpixels_free(&set);
    return ORTHANT_OK;
}

/* ---- what it gives out ------------------------------------------------------------------------
 */

orthant_status orthant_segmentation_describe(const orthant_segmentation *given,
                                             orthant_segmentation_info *info)
{
    if (!given)
        return ORTHANT_ERROR_ARGUMENT;
    const struct segmentation *s = &given->inner;
    const orthant_segmentation_info found = {.size = sizeof found,
                                             .count = s->count,
                                             .height = s->height,
                                             .width = s->width,
                                             .segments = s->segments,
                                             .estimated = s->estimated,
                                             .evidence = s->evidence,
                                             .nodes = s->nodes,
                                             .edges = s->edges,
                                             .iterations = s->iterations,
                                             .objective = s->objective,
                                             .graph_weight = s->graph_weight,
                                             .feature_seconds = s->feature_seconds,
                                             .fit_seconds = s->fit_seconds,
                                             .total_seconds = s->total_seconds,
                                             .snapshots = s->snapshot_count,
                                             .wanted = s->wanted,
                                             .interrupted = s->interrupted};
    return sized_give(given->ctx, "orthant_segmentation_describe", &found, sizeof found, info);
}

const int32_t *orthant_segmentation_labels(const orthant_segmentation *given)
{
    return given ? given->inner.labels : NULL;
}

const int32_t *orthant_segmentation_snapshot(const orthant_segmentation *given, int index,
                                             int64_t *iteration)
{
    if (!given || index < 0 || index >= given->inner.snapshot_count)
        return NULL;
    const segment_snapshot *shot = &given->inner.snapshots[index];
    if (iteration)
        *iteration = shot->iteration;
    return shot->labels;
}

const orthant_graph *orthant_segmentation_graph(const orthant_segmentation *given)
{
    return given ? given->inner.graph : NULL;
}

/* ---- scores -----------------------------------------------------------------------------------
 */

orthant_status orthant_cloud_truth(const orthant_cloud *given, orthant_label_images **truth)
{
    orthant_context *ctx = given ? given->ctx : NULL;
    label_image *added = NULL;
    if (truth)
        *truth = NULL;
    if (!given || !truth)
        return fail(ctx, ORTHANT_ERROR_ARGUMENT, "orthant_cloud_truth: an argument is NULL");
    if (!given->inner.label)
        return ORTHANT_OK;
    orthant_label_images *made = memory_new(ctx, 1, sizeof *made, "label images");
    if (!made)
        return ORTHANT_ERROR_MEMORY;
    made->inner.ctx = ctx;
    made->name = memory_text(ctx, given->inner.name);
    orthant_status status =
        made->name ? label_images_add(&made->inner, given->inner.count, 1, made->name, &added)
                   : ORTHANT_ERROR_MEMORY;
    label_writer writer;
    if (!status) {
        label_writer_begin(ctx, added, &writer);
        for (int64_t i = 0; i < given->inner.count && !status; i++)
            status = label_writer_put(&writer, i, given->inner.label[i]);
        label_writer_end(&writer);
    }
    if (status)
        orthant_label_images_free(made);
    else
        *truth = made;
    return status;
}

static orthant_status check_truth(const orthant_segmentation *given,
                                  const orthant_label_images *truth)
{
    const struct segmentation *found = &given->inner;
    const bool is_cloud = !found->height;
    const int64_t height = is_cloud ? found->count : found->height;
    const int64_t width = is_cloud ? 1 : found->width;
    for (int64_t i = 0; i < truth->inner.count; i++) {
        const label_image *t = &truth->inner.image[i];
        if ((t->height != height || t->width != width) &&
            !(is_cloud && t->height * t->width == height))
            return fail(given->ctx, ORTHANT_ERROR_DATA,
                        "%s is %" PRId64 " x %" PRId64 ", but %s is %" PRId64 " x %" PRId64
                        ": a truth has the size of what was segmented",
                        truth->name, t->height, t->width, given->name, height, width);
    }
    return ORTHANT_OK;
}

/* Points that have a segment, beside the same ones of the truth. */
static orthant_status score_points(orthant_context *ctx, const struct segmentation *found,
                                   const label_image *truth,
                                   const orthant_segmentation_options *options,
                                   orthant_segmentation_scores *scores)
{
    int64_t kept = 0;
    int32_t *pair = memory_new(ctx, 2 * found->count, sizeof *pair, "labels of points");
    if (!pair)
        return ORTHANT_ERROR_MEMORY;
    for (int64_t i = 0; i < found->count; i++)
        if (found->labels[i] >= 0) {
            pair[kept] = found->labels[i];
            pair[found->count + kept++] = truth->labels[i];
        }
    const orthant_status status =
        orthant_score_segmentation(ctx, pair, pair + found->count, kept, 1, options, scores);
    memory_free(ctx, pair);
    return status;
}

orthant_status orthant_segmentation_score(const orthant_segmentation *given,
                                          const orthant_label_images *truth,
                                          const orthant_segmentation_options *options,
                                          orthant_segmentation_scores *mean)
{
    orthant_context *ctx = given ? given->ctx : NULL;
    if (!given || !truth || !mean)
        return fail(ctx, ORTHANT_ERROR_ARGUMENT, "orthant_segmentation_score: an argument is NULL");
    const struct segmentation *found = &given->inner;
    const int64_t count = truth->inner.count;
    orthant_status status = check_truth(given, truth);
    if (status)
        return status;
    orthant_segmentation_scores *each = memory_new(ctx, count, sizeof *each, "scores");
    if (!each)
        return ORTHANT_ERROR_MEMORY;
    for (int64_t i = 0; i < count && !status; i++) {
        const label_image *t = &truth->inner.image[i];
        each[i].size = sizeof each[i];
        status = found->height
                     ? orthant_score_segmentation(ctx, found->labels, t->labels, found->height,
                                                  found->width, options, &each[i])
                     : score_points(ctx, found, t, options, &each[i]);
    }
    if (!status)
        orthant_segmentation_mean(each, count, mean);
    memory_free(ctx, each);
    return status;
}
