/* A picture's regions to segments (Bampis, Maragos, Bovik, Projective non-negative matrix
 * factorization for unsupervised graph clustering, ICIP 2016, section 4.2): regions of a watershed
 * or SLIC, their features, the graph of neighbouring regions, a factorisation of both, and the
 * labels back to the pixels. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cluster/kmeans.h"
#include "core/memory.h"
#include "core/text.h"
#include "graph/regions.h"
#include "orthant/fit.h"
#include "vision/likeness_count.h"
#include "vision/lines.h"
#include "vision/region_features.h"
#include "vision/regions.h"
#include "vision/stops.h"

#define DEFAULT_ITERATIONS 300
/* lambda = this * regions^(3/2) * the mean squared length of a region's features: a border of a
 * given length then costs the same part of the loss, however many regions there are. */
#define GRAPH_SHARE 0.003
#define START_RESTARTS 3
#define PARTS_A_REGION 2
#define START_FLOOR 0.2
#define DEFAULT_SMALLEST 0.01
#define LIKENESS_WIDTH 15.0 /* Lab, where segments are counted */

typedef struct work {
    orthant_context *ctx;
    const image *picture;
    const segment_options *options;
    const char *method;
    bool with_graph;
    superpixels set;
    orthant_matrix *features;
    orthant_matrix *start; /* encoding */
    orthant_model *model;
    bool regions, pieces; /* what a segment is */
    double smallest;      /* share of the picture */
    int64_t segments;
    int64_t parts; /* of the factorisation: more than the segments where these are merged of them */
    stop_plan stops;
    segmentation *out;
} work;

/* ---- the options ------------------------------------------------------------------------------
 */

static bool one_of(const char *name, const char *const *names)
{
    for (; *names; names++)
        if (strcmp(name, *names) == 0)
            return true;
    return false;
}

static orthant_status check_method(work *w)
{
    static const char *const all[] = {"grpnmf", "gnmf", "nmf", "kmeans", NULL};
    static const char *const with_graph[] = {"grpnmf", "gnmf", NULL};
    w->method = w->options->method && *w->options->method ? w->options->method : "grpnmf";
    if (!one_of(w->method, all))
        return fail(w->ctx, ORTHANT_ERROR_ARGUMENT,
                    "method '%s' does not segment regions; these do: grpnmf, gnmf, nmf, kmeans",
                    w->method);
    w->with_graph = one_of(w->method, with_graph);
    return ORTHANT_OK;
}

static orthant_status check_words(work *w)
{
    static const char *const finishes[] = {"regions", "textures", "pieces", "none", NULL};
    static const char *const edges[] = {"binary", "color", NULL};
    static const char *const starts[] = {"kmeans", "random", NULL};
    const segment_options *o = w->options;
    const char *finish = o->finish ? o->finish : "pieces";
    if (!one_of(finish, finishes))
        return fail(w->ctx, ORTHANT_ERROR_ARGUMENT,
                    "finish '%s' is not known; there are regions, textures, pieces and none",
                    finish);
    if (o->edge_weights && !one_of(o->edge_weights, edges))
        return fail(w->ctx, ORTHANT_ERROR_ARGUMENT,
                    "edge weights '%s' are not known; there are binary and color", o->edge_weights);
    if (o->init && !one_of(o->init, starts))
        return fail(w->ctx, ORTHANT_ERROR_ARGUMENT,
                    "start '%s' is not known for regions; there are kmeans and random", o->init);
    w->regions = strcmp(finish, "regions") == 0;
    w->pieces = strcmp(finish, "pieces") == 0;
    w->smallest = strcmp(finish, "none") == 0 ? 0.0
                  : o->smallest >= 0.0        ? o->smallest
                                              : DEFAULT_SMALLEST;
    return ORTHANT_OK;
}

/* ---- nodes ------------------------------------------------------------------------------------
 */

static orthant_status colours_of_regions(const superpixels *set, orthant_matrix **colours)
{
    const orthant_status status =
        matrix_new_dense(set->ctx, ORTHANT_SINGLE, set->count, 3, colours);
    for (int64_t r = 0; r < set->count && !status; r++)
        for (int c = 0; c < 3; c++)
            matrix_set_value(*colours, r * (*colours)->stride + c, set->lab[3 * r + c]);
    return status;
}

static orthant_status count_segments(work *w)
{
    orthant_matrix *colours = NULL;
    orthant_status status = colours_of_regions(&w->set, &colours);
    const likeness_request request = {colours, w->set.size, LIKENESS_WIDTH, "colour"};
    if (!status)
        status = likeness_count(w->ctx, &request, &w->segments, w->out->evidence,
                                sizeof w->out->evidence);
    orthant_matrix_free(colours);
    return status;
}

static orthant_status choose_segments(work *w)
{
    segmentation *out = w->out;
    w->segments = w->options->segments;
    if (w->segments <= 0) {
        out->estimated = true;
        const orthant_status status = count_segments(w);
        out->wanted = w->segments;
        return status;
    }
    out->wanted = w->segments;
    if (w->segments > w->set.count)
        return fail(w->ctx, ORTHANT_ERROR_DATA,
                    "the picture has %" PRId64 " region%s, fewer than the %" PRId64
                    " segments asked for; ask for fewer or, with slic, for more superpixels",
                    w->set.count, w->set.count == 1 ? "" : "s", w->segments);
    return ORTHANT_OK;
}

static orthant_status make_nodes(work *w)
{
    const segment_options *o = w->options;
    const bool binary = o->edge_weights && strcmp(o->edge_weights, "binary") == 0;
    segmentation *out = w->out;
    orthant_status status = superpixels_make(w->ctx, w->picture, o, &w->set);
    if (!status)
        status = choose_segments(w);
    if (!status)
        status = region_features(&w->set, o, &w->features);
    if (!status)
        status = graph_of_regions(w->ctx, w->set.region_of, w->picture->height, w->picture->width,
                                  w->set.count, binary ? NULL : w->set.lab, 3, &out->graph);
    if (status)
        return status;
    out->nodes = w->set.count;
    out->edges = orthant_graph_edges(out->graph);
    return ORTHANT_OK;
}

/* ---- the model --------------------------------------------------------------------------------
 */

static orthant_status set_number(work *w, const char *name, double value)
{
    char text[32];
    text_write_double(text, value, false);
    return orthant_model_set(w->model, name, text);
}

static double default_graph_weight(const work *w)
{
    const double count = (double)w->set.count;
    return GRAPH_SHARE * sqrt(count) * matrix_squares(w->features);
}

/* Memberships of a k-means of the regions with a floor under them: from a random start the
 * multiplicative updates end in poorer minima. */
static orthant_status make_start(work *w)
{
    kmeans_outcome clusters = {0};
    const int64_t n = w->set.count;
    const double scale = sqrt((double)w->parts / (double)n);
    orthant_status status = kmeans_run(w->ctx, w->features, w->parts, START_RESTARTS, 100,
                                       w->options->seed, NULL, &clusters);
    if (!status)
        status = matrix_new_dense(w->ctx, w->ctx->precision, n, w->parts, &w->start);
    for (int64_t i = 0; i < n && !status; i++)
        for (int64_t k = 0; k < w->parts; k++)
            matrix_set_value(w->start, i * w->start->stride + k,
                             scale * (START_FLOOR + (clusters.label[i] == k)));
    kmeans_free(w->ctx, &clusters);
    return status ? status : orthant_model_set_start(w->model, "encoding", w->start);
}

static orthant_status make_grpnmf(work *w)
{
    orthant_status status = orthant_model_set(w->model, "exponent", "1");
    if (!status && !(w->options->init && strcmp(w->options->init, "random") == 0))
        status = make_start(w);
    return status;
}

static orthant_status make_model(work *w)
{
    const segment_options *o = w->options;
    const int64_t most = w->regions ? PARTS_A_REGION * w->segments : w->segments;
    w->parts = most < w->set.count ? most : w->set.count;
    orthant_status status = orthant_model_create(w->ctx, w->method, w->parts, &w->model);
    if (!status)
        status = set_number(w, "seed", (double)o->seed);
    if (w->with_graph)
        w->out->graph_weight = o->graph_weight >= 0.0 ? o->graph_weight : default_graph_weight(w);
    if (!status && w->with_graph)
        status = set_number(w, "graph_weight", w->out->graph_weight);
    if (!status && w->with_graph)
        status = orthant_model_set_graph(w->model, w->out->graph);
    if (!status && strcmp(w->method, "grpnmf") == 0)
        status = make_grpnmf(w);
    return status ? status
                  : segment_set_parameters(w->ctx, o->parameters, o->parameter_count, w->model);
}

/* ---- the fit ----------------------------------------------------------------------------------
 */

/* The labels of the result, for each pixel. */
static orthant_status label_pixels(work *w, const orthant_result *result, int32_t *labels)
{
    orthant_labels *found = NULL;
    int32_t *of_region = memory_new(w->ctx, w->set.count, sizeof *of_region, "labels of regions");
    orthant_status status =
        of_region ? orthant_result_labels(result, NULL, w->parts, 10, w->options->seed, &found)
                  : ORTHANT_ERROR_MEMORY;
    if (!status) {
        for (int64_t i = 0; i < w->set.count; i++)
            of_region[i] = (int32_t)orthant_labels_values(found)[i];
        status = lines_fill(w->ctx, w->set.region_of, w->picture->height, w->picture->width,
                            of_region, labels);
    }
    orthant_labels_free(found);
    memory_free(w->ctx, of_region);
    return status;
}

/* Ward's merging of neighbouring pieces by their colours until the segments are left. */
static orthant_status merge_pieces(work *w, const int32_t *piece, int64_t count, int32_t *label_of)
{
    const int64_t pixels = (int64_t)w->picture->height * w->picture->width;
    orthant_matrix *colours = NULL;
    region_merge *merges = memory_new(w->ctx, count, sizeof *merges, "merges of regions");
    orthant_status status = merges ? matrix_new_dense(w->ctx, ORTHANT_SINGLE, pixels, 3, &colours)
                                   : ORTHANT_ERROR_MEMORY;
    if (!status) {
        for (int64_t p = 0; p < pixels; p++)
            for (int c = 0; c < 3; c++)
                ((float *)colours->values)[p * colours->stride + c] = w->set.planes[c * pixels + p];
        status = regions_merge(w->ctx, piece, count, w->picture->height, w->picture->width, colours,
                               true, merges);
    }
    if (!status)
        status = regions_cut(w->ctx, merges, count, w->segments, label_of);
    orthant_matrix_free(colours);
    memory_free(w->ctx, merges);
    return status;
}

/* Each piece of a label becomes a segment, or is merged with others until these are left. */
static orthant_status tell_pieces_apart(work *w, int32_t *labels)
{
    const int height = w->picture->height, width = w->picture->width;
    const int64_t pixels = (int64_t)height * width;
    int64_t count = 0, *size = NULL;
    int32_t *label_of = NULL;
    int32_t *piece = memory_new(w->ctx, pixels, sizeof *piece, "pieces of segments");
    orthant_status status =
        piece ? regions_components(w->ctx, labels, height, width, piece, &count, &size)
              : ORTHANT_ERROR_MEMORY;
    if (!status && w->regions && count > w->segments) {
        label_of = memory_new(w->ctx, count, sizeof *label_of, "pieces of segments");
        status = label_of ? merge_pieces(w, piece, count, label_of) : ORTHANT_ERROR_MEMORY;
    }
    for (int64_t p = 0; p < pixels && !status; p++)
        labels[p] = label_of ? label_of[piece[p]] : piece[p];
    memory_free(w->ctx, label_of);
    memory_free(w->ctx, size);
    memory_free(w->ctx, piece);
    return status;
}

/* Numbers in the order of the first pixels; *used says how many there are. */
static orthant_status renumber(work *w, int32_t *labels, int64_t *used)
{
    const int64_t pixels = (int64_t)w->picture->height * w->picture->width;
    int32_t most = 0;
    for (int64_t p = 0; p < pixels; p++)
        most = labels[p] > most ? labels[p] : most;
    int32_t *number = memory_new(w->ctx, (int64_t)most + 1, sizeof *number, "labels");
    if (!number)
        return ORTHANT_ERROR_MEMORY;
    *used = 0;
    for (int64_t p = 0; p < pixels; p++) {
        if (!number[labels[p]])
            number[labels[p]] = (int32_t)++ * used;
        labels[p] = number[labels[p]] - 1;
    }
    memory_free(w->ctx, number);
    return ORTHANT_OK;
}

static orthant_status take_labels(work *w, const orthant_result *result, int32_t **labels,
                                  int64_t *used)
{
    const int height = w->picture->height, width = w->picture->width;
    const int64_t pixels = (int64_t)height * width;
    *labels = memory_new(w->ctx, pixels, sizeof **labels, "labels of pixels");
    orthant_status status = *labels ? label_pixels(w, result, *labels) : ORTHANT_ERROR_MEMORY;
    if (!status && w->smallest > 0.0)
        status = regions_drop_small(w->ctx, *labels, height, width,
                                    (int64_t)(w->smallest * (double)pixels));
    if (!status && (w->regions || w->pieces))
        status = tell_pieces_apart(w, *labels);
    if (!status)
        status = renumber(w, *labels, used);
    if (status) {
        memory_free(w->ctx, *labels);
        *labels = NULL;
    }
    return status;
}

static orthant_status keep_snapshot(void *user, const orthant_result *result, int64_t iteration)
{
    work *w = user;
    segmentation *out = w->out;
    int64_t used;
    segment_snapshot *shot = &out->snapshots[out->snapshot_count];
    const orthant_status status = take_labels(w, result, &shot->labels, &used);
    shot->iteration = iteration;
    out->snapshot_count += !status;
    return status;
}

static bool all_alike(const work *w)
{
    const orthant_matrix *f = w->features;
    for (int64_t i = 1; i < f->rows; i++)
        for (int64_t j = 0; j < f->columns; j++)
            if (matrix_value(f, i * f->stride + j) != matrix_value(f, j))
                return false;
    return true;
}

/* There is nothing to factor where no region differs from another. */
static orthant_status label_as_one(work *w)
{
    segmentation *out = w->out;
    const int64_t pixels = (int64_t)w->picture->height * w->picture->width;
    if (w->segments > 1)
        log_note(w->ctx, "all regions of the picture look alike: one segment instead of %" PRId64,
                 w->segments);
    out->segments = 1;
    out->labels = memory_new(w->ctx, pixels, sizeof *out->labels, "labels of pixels");
    return out->labels ? ORTHANT_OK : ORTHANT_ERROR_MEMORY;
}

static orthant_status fit_and_label(work *w)
{
    segmentation *out = w->out;
    orthant_result *result = NULL;
    stops_end end;
    orthant_status status =
        stops_fit(w->model, w->features, &w->stops, keep_snapshot, w, &result, &end);
    if (!status) {
        out->iterations = end.iterations;
        out->interrupted = end.interrupted;
        out->objective = orthant_result_objective(result);
        status = take_labels(w, result, &out->labels, &out->segments);
    }
    orthant_result_free(result);
    return status;
}

/* ---- the whole --------------------------------------------------------------------------------
 */

static void hand_over(work *w)
{
    segmentation *out = w->out;
    out->count = (int64_t)w->picture->height * w->picture->width;
    out->height = w->picture->height;
    out->width = w->picture->width;
    out->node_of = w->set.region_of;
    out->position = w->set.position;
    w->set.region_of = NULL;
    w->set.position = NULL;
}

orthant_status segment_superpixels(orthant_context *ctx, const image *picture,
                                   const segment_options *options, segmentation *out)
{
    const double begin = clock_seconds();
    double fitting = begin;
    work w = {.ctx = ctx, .picture = picture, .options = options, .out = out};
    w.set.ctx = ctx;
    *out = (segmentation){.ctx = ctx};
    orthant_status status = segment_check_size(ctx, "the picture", picture->height, picture->width);
    if (!status)
        status = check_method(&w);
    if (!status)
        status = check_words(&w);
    if (!status)
        status = stops_plan(ctx, w.method, options->snapshots, options->iterations,
                            DEFAULT_ITERATIONS, &w.stops);
    if (!status)
        status = make_nodes(&w);
    fitting = clock_seconds();
    if (!status && all_alike(&w)) {
        status = label_as_one(&w);
    } else if (!status) {
        status = make_model(&w);
        if (!status)
            status = fit_and_label(&w);
    }
    if (!status)
        hand_over(&w);
    out->feature_seconds = fitting - begin;
    out->fit_seconds = clock_seconds() - fitting;
    out->total_seconds = clock_seconds() - begin;
    orthant_model_free(w.model);
    orthant_matrix_free(w.start);
    orthant_matrix_free(w.features);
    superpixels_free(&w.set);
    if (status)
        segmentation_free(out);
    return status;
}
