/* Texture segmentation. Bands of the picture, local spectral histograms at the nodes of a lattice,
 * a factorisation of the histograms into parts, and labels for all pixels (J. Yuan, D. Wang, A. M.
 * Cheriyadat, Factorization-based texture segmentation, TIP 2015, with the factorisation of C. G.
 * Bampis, P. Maragos, A. C. Bovik, ICIP 2016).
 *
 * Published (`finish` "none"): as many parts as segments, labels by the largest share. By default
 * there are twice as many parts, whose connected pieces are merged until the segments are left, and
 * borders are then drawn by what tells the segments' own histograms apart. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/memory.h"
#include "core/parallel.h"
#include "core/text.h"
#include "vision/bands.h"
#include "vision/discriminant.h"
#include "vision/parts.h"
#include "vision/refine.h"
#include "vision/regions.h"
#include "vision/segment.h"

#define DEFAULT_WINDOW 41
#define MOST_WINDOW 2001
#define ITERATIONS 500
#define DEFAULT_BINS 11
#define MOST_SEGMENTS 250
#define MOST_PIECES 1024 /* that are merged pair by pair */
#define REFINEMENTS 5
#define COUNTING_PARTS 24 /* where the number of segments is not known */
/* A merge of two segments costs more than these shares of the histograms' energy: of what varies,
 * all but the first direction, and of everything. */
#define VARYING_SHARE 0.026
#define WHOLE_SHARE 0.0015
/* Of the mean scatter within pieces. */
#define MERGING_RIDGE 0.05
/* Published: what is noise when segments are counted, as FSEG's MATLAB program has it, a share of
 * the energy, and as its Python program has it, the mean energy of a pixel. */
#define TAIL 0.05
#define TAIL_MEAN 0.045

typedef enum finish_kind { FINISH_REGIONS, FINISH_TEXTURES, FINISH_NONE } finish_kind;

typedef struct pixel_work {
    orthant_context *ctx;
    const image *picture;
    const segment_options *options;
    const char *method;
    int window, bins;
    band_binning binning;
    finish_kind finish;
    stop_plan stops;
    band_set bands;
    lattice nodes;
    orthant_matrix *histograms;
    subspace space;
    int64_t rank; /* directions in which the histograms differ at all */
    int64_t segments;
    parts_outcome parts;
    int32_t *node_labels;
    segmentation *out;
} pixel_work;

/* ---- what the user chose ---- */

static orthant_status choose_words(pixel_work *w)
{
    const segment_options *o = w->options;
    const char *binning = o->binning ? o->binning : "population";
    const char *finish = o->finish ? o->finish : "regions";
    w->method = o->method ? o->method : "grpnmf";
    if (!parts_method_known(w->method))
        return fail(w->ctx, ORTHANT_ERROR_ARGUMENT,
                    "method '%s' cannot segment pixels; grpnmf, fseg, kmeans, nmf, onmf and "
                    "convex-nmf can",
                    w->method);
    if (o->parameter_count && !strcmp(w->method, "kmeans"))
        return fail(w->ctx, ORTHANT_ERROR_ARGUMENT,
                    "parameter '%s': '%s' of pixels has no parameters", o->parameters[0],
                    w->method);
    if (o->graph_weight > 0.0)
        return fail(w->ctx, ORTHANT_ERROR_ARGUMENT,
                    "graph_weight %g: pixels have no graph; use superpixels (nodes = 'slic')",
                    o->graph_weight);
    if (strcmp(binning, "width") != 0 && strcmp(binning, "population") != 0)
        return fail(w->ctx, ORTHANT_ERROR_ARGUMENT,
                    "binning '%s' is not known; there are width and population", binning);
    w->binning = strcmp(binning, "width") == 0 ? BANDS_EQUAL_WIDTH : BANDS_EQUAL_POPULATION;
    if (strcmp(finish, "regions") == 0)
        w->finish = FINISH_REGIONS;
    else if (strcmp(finish, "textures") == 0)
        w->finish = FINISH_TEXTURES;
    else if (strcmp(finish, "none") == 0)
        w->finish = FINISH_NONE;
    else
        return fail(w->ctx, ORTHANT_ERROR_ARGUMENT,
                    "finish '%s' is not known; there are regions, textures and none", finish);
    return ORTHANT_OK;
}

static orthant_status choose(pixel_work *w)
{
    const segment_options *o = w->options;
    const int64_t pixels = (int64_t)w->picture->height * w->picture->width;
    const orthant_status status = choose_words(w);
    if (status)
        return status;
    w->window = o->window ? o->window : DEFAULT_WINDOW;
    w->bins = o->bins ? o->bins : DEFAULT_BINS;
    if (w->window < 1 || w->window > MOST_WINDOW)
        return fail(w->ctx, ORTHANT_ERROR_ARGUMENT, "a window of %d pixels: expected 1 to %d",
                    w->window, MOST_WINDOW);
    if (o->segments < 0 || o->segments > MOST_SEGMENTS)
        return fail(w->ctx, ORTHANT_ERROR_ARGUMENT,
                    "%" PRId64 " segments: expected 1 to %d, or 0 to have them counted",
                    o->segments, MOST_SEGMENTS);
    if (o->segments > pixels)
        return fail(w->ctx, ORTHANT_ERROR_DATA,
                    "a picture of %d x %d pixels cannot have %" PRId64
                    " segments; ask for at most %" PRId64,
                    w->picture->height, w->picture->width, o->segments, pixels);
    return stops_plan(w->ctx, w->method, o->snapshots, o->iterations, ITERATIONS, &w->stops);
}

/* ---- features ---- */

static orthant_status make_features(pixel_work *w)
{
    orthant_status status =
        bands_create(w->ctx, w->picture, w->options->bank, w->bins, w->binning, &w->bands);
    if (status)
        return status;
    /* Histograms change little over an eighth of their window. */
    w->nodes =
        lattice_bounded(w->bands.height, w->bands.width, w->window / 8 > 1 ? w->window / 8 : 1);
    if ((status = spectral_histograms(&w->bands, &w->nodes, w->window, &w->histograms)) ||
        (status = subspace_create(w->ctx, w->histograms, &w->space)))
        return status;
    for (w->rank = 0; w->rank < w->space.features && subspace_tail(&w->space, w->rank) > 1e-6;)
        w->rank++;
    w->out->nodes = lattice_nodes(&w->nodes);
    return ORTHANT_OK;
}

/* ---- how many ---- */

/* The eigenvalues' tail sums, in the report and for the published rule. */
static void tell_tails(pixel_work *w, int64_t count)
{
    segmentation *out = w->out;
    text_append(out->evidence, sizeof out->evidence,
                "energy of the histograms beyond the first 1, 2, ... directions:");
    for (int64_t i = 1; i <= count && i < w->space.features; i++)
        text_append(out->evidence, sizeof out->evidence, " %.3f", subspace_tail(&w->space, i));
}

/* FSEG's rules: as many as leave less than a twentieth of the energy, or less than so much of a
 * node's. */
static void count_by_tails(pixel_work *w)
{
    const bool by_mean = w->options->counting && strcmp(w->options->counting, "mean") == 0;
    const int64_t most = w->rank < MOST_SEGMENTS ? w->rank : MOST_SEGMENTS;
    double whole = 0.0;
    for (int64_t i = 0; i < w->space.features; i++)
        whole += w->space.energy[i];
    const double least = by_mean ? TAIL_MEAN * (double)w->histograms->rows / whole : TAIL;
    for (w->segments = 0; w->segments < most && subspace_tail(&w->space, w->segments) > least;)
        w->segments++;
    if (w->segments < 2 && w->rank >= 2)
        w->segments = 2;
    tell_tails(w, w->segments + 2);
    text_append(w->out->evidence, sizeof w->out->evidence,
                "; %" PRId64 " directions leave less than %.2g", w->segments, least);
}

/* One more than the merges that cost too much. */
static void count_by_merges(pixel_work *w, const region_merge *merges, int64_t pieces)
{
    segmentation *out = w->out;
    double varying = 0.0;
    for (int64_t i = w->space.features - 1; i > 0; i--)
        varying += w->space.energy[i];
    const double whole = varying + w->space.energy[0];
    w->segments = 1;
    for (int64_t step = 0; step < pieces - 1; step++)
        if (merges[step].cost > VARYING_SHARE * varying && merges[step].cost > WHOLE_SHARE * whole)
            w->segments++;
    text_append(out->evidence, sizeof out->evidence,
                "merging 2, 3, ... segments costs, as shares of the energy that varies:");
    for (int64_t k = 1; k < pieces && k <= w->segments + 2; k++)
        text_append(out->evidence, sizeof out->evidence, " %.3f",
                    merges[pieces - 1 - k].cost / varying);
    text_append(out->evidence, sizeof out->evidence, "; %" PRId64 " cost more than %g; ",
                w->segments - 1, VARYING_SHARE);
    tell_tails(w, w->segments + 2);
}

/* What is known before the parts are. */
static void begin_counting(pixel_work *w)
{
    w->segments = w->options->segments;
    if (w->segments > w->rank) {
        log_warning(w->ctx,
                    "the picture's histograms differ in %" PRId64 " ways alone: %" PRId64
                    " segments instead of %" PRId64,
                    w->rank, w->rank, w->segments);
        w->segments = w->rank;
    }
    w->out->estimated = !w->options->segments;
    if (w->rank < 2) {
        w->segments = 1;
        text_append(w->out->evidence, sizeof w->out->evidence, "all histograms are the same");
    } else if (w->out->estimated && w->finish == FINISH_NONE) {
        count_by_tails(w);
    }
    w->out->wanted = w->out->estimated ? w->segments : w->options->segments;
}

/* ---- from nodes to pixels ---- */

typedef struct interpolation {
    const pixel_work *work;
    const orthant_matrix *shares; /* of the nodes */
    int32_t *labels;              /* of the pixels */
} interpolation;

/* The lattice's row below or at a place and the share of the next one. */
static float between(const lattice *l, int place, int count, int *low, int *high)
{
    const float at = ((float)place - (float)(l->step / 2)) / (float)l->step;
    const float within = at > 0.0f ? at : 0.0f;
    *low = (int)within < count - 1 ? (int)within : count - 1;
    *high = *low + 1 < count ? *low + 1 : *low;
    return within - (float)*low < 1.0f ? within - (float)*low : 1.0f;
}

/* A pixel's shares are interpolated between those of the four nodes around it: they change linearly
 * where a window crosses a straight border. */
static void label_row(void *user, int64_t y, int thread)
{
    const interpolation *from = user;
    const pixel_work *w = from->work;
    const orthant_matrix *s = from->shares;
    const float *values = s->values;
    int top, bottom, left, right;
    const float down = between(&w->nodes, (int)y, w->nodes.rows, &top, &bottom);
    (void)thread;
    for (int x = 0; x < w->bands.width; x++) {
        const float along = between(&w->nodes, x, w->nodes.columns, &left, &right);
        const float *a = values + ((int64_t)top * w->nodes.columns + left) * s->stride;
        const float *b = values + ((int64_t)top * w->nodes.columns + right) * s->stride;
        const float *c = values + ((int64_t)bottom * w->nodes.columns + left) * s->stride;
        const float *d = values + ((int64_t)bottom * w->nodes.columns + right) * s->stride;
        float largest = 0.0f;
        int32_t best = 0;
        for (int32_t k = 0; k < s->columns; k++) {
            const float above = a[k] + along * (b[k] - a[k]), below = c[k] + along * (d[k] - c[k]);
            const float share = above + down * (below - above);
            if (k == 0 || share > largest) {
                largest = share;
                best = k;
            }
        }
        from->labels[y * w->bands.width + x] = best;
    }
}

/* ---- parts and their labels ---- */

static int32_t largest_of(const float *row, int64_t count)
{
    int32_t best = 0;
    for (int32_t k = 1; k < count; k++)
        if (row[k] > row[best])
            best = k;
    return best;
}

/* The parts as they are, not merged and without the finish: what the factorisation has found. */
static orthant_status keep_snapshot(void *user, const orthant_matrix *shares, int64_t iteration)
{
    pixel_work *w = user;
    segmentation *out = w->out;
    interpolation from = {w, shares,
                          memory_new(w->ctx, out->count, sizeof(int32_t), "labels of pixels")};
    if (!from.labels)
        return ORTHANT_ERROR_MEMORY;
    parallel_for(w->ctx, w->bands.height, label_row, &from);
    out->snapshots[out->snapshot_count++] = (segment_snapshot){iteration, from.labels};
    return ORTHANT_OK;
}

static orthant_status find_parts(pixel_work *w)
{
    const int64_t nodes = lattice_nodes(&w->nodes);
    int64_t parts = w->finish == FINISH_NONE ? w->segments : 2 * w->segments;
    parts = parts ? parts : COUNTING_PARTS;
    parts = parts < w->rank ? parts : w->rank;
    parts = parts < nodes ? parts : nodes;
    const int reach = w->window / 2 / w->nodes.step;
    const parts_request request = {.method = w->method,
                                   .nodes = &w->nodes,
                                   .histograms = w->histograms,
                                   .space = &w->space,
                                   .dimensions = parts,
                                   .parts = parts,
                                   .reach = reach > 0 ? reach : 1,
                                   .iterations = w->options->iterations,
                                   .stops = &w->stops,
                                   .keep = keep_snapshot,
                                   .user = w,
                                   .seed = w->options->seed,
                                   .parameters = w->options->parameters,
                                   .parameter_count = w->options->parameter_count};
    return parts_find(w->ctx, &request, &w->parts);
}

static void label_nodes(pixel_work *w)
{
    const orthant_matrix *s = w->parts.shares;
    for (int64_t i = 0; i < s->rows; i++)
        w->node_labels[i] = largest_of((const float *)s->values + i * s->stride, s->columns);
}

/* Pieces smaller than a fraction of the window tell nothing; and there must not be too many. */
static orthant_status find_pieces(pixel_work *w, int32_t *piece, int64_t *pieces)
{
    const lattice *l = &w->nodes;
    const int64_t across = w->window / l->step;
    int64_t least = across * across / 8 > 1 ? across * across / 8 : 1;
    orthant_status status = ORTHANT_OK;
    do {
        int64_t *size = NULL;
        if ((status = regions_drop_small(w->ctx, w->node_labels, l->rows, l->columns, least)) ||
            (status = regions_components(w->ctx, w->node_labels, l->rows, l->columns, piece, pieces,
                                         &size)))
            return status;
        memory_free(w->ctx, size);
        least *= 2;
    } while (*pieces > MOST_PIECES);
    return status;
}

static orthant_status plan_merges(pixel_work *w, const int32_t *piece, int64_t pieces,
                                  const orthant_matrix *features, region_merge *merges)
{
    return regions_merge(w->ctx, piece, pieces, w->nodes.rows, w->nodes.columns, features,
                         w->finish == FINISH_REGIONS, merges);
}

/* The histograms in units of how they scatter within pieces. */
static orthant_status whiten(pixel_work *w, const int32_t *piece, int64_t pieces,
                             orthant_matrix **whitened)
{
    discriminant d = {0};
    orthant_status status =
        discriminant_create(w->ctx, w->histograms, piece, pieces, MERGING_RIDGE, &d);
    if (!status)
        status = discriminant_whiten(&d, w->histograms, whitened);
    discriminant_free(&d);
    return status;
}

static orthant_status merge_pieces(pixel_work *w)
{
    const int64_t nodes = lattice_nodes(&w->nodes);
    int64_t pieces = 0;
    region_merge *merges = NULL;
    orthant_matrix *whitened = NULL;
    int32_t *label_of = NULL;
    int32_t *piece = memory_new(w->ctx, nodes, sizeof *piece, "pieces of textures");
    orthant_status status = piece ? find_pieces(w, piece, &pieces) : ORTHANT_ERROR_MEMORY;
    if (status)
        goto done;
    merges = memory_new(w->ctx, pieces, sizeof *merges, "merged regions");
    label_of = memory_new(w->ctx, pieces, sizeof *label_of, "merged regions");
    status = ORTHANT_ERROR_MEMORY;
    if (!merges || !label_of)
        goto done;
    if (w->out->estimated) {
        if ((status = plan_merges(w, piece, pieces, w->parts.projected, merges)))
            goto done;
        count_by_merges(w, merges, pieces);
        w->out->wanted = w->segments;
    }
    w->segments = w->segments < pieces ? w->segments : pieces;
    if ((status = whiten(w, piece, pieces, &whitened)) ||
        (status = plan_merges(w, piece, pieces, whitened, merges)) ||
        (status = regions_cut(w->ctx, merges, pieces, w->segments, label_of)))
        goto done;
    for (int64_t i = 0; i < nodes; i++)
        w->node_labels[i] = label_of[piece[i]];
done:
    orthant_matrix_free(whitened);
    memory_free(w->ctx, piece);
    memory_free(w->ctx, merges);
    memory_free(w->ctx, label_of);
    return status;
}

/* ---- the finish ---- */

static void label_nearest(pixel_work *w)
{
    for (int y = 0; y < w->bands.height; y++)
        for (int x = 0; x < w->bands.width; x++)
            w->out->labels[(int64_t)y * w->bands.width + x] =
                w->node_labels[(int64_t)(y / w->nodes.step) * w->nodes.columns + x / w->nodes.step];
}

static orthant_status finish_labels(pixel_work *w)
{
    const refine_windows windows = {.small = (w->window + 1) / 6,
                                    .wide = w->window / 4 > 1 ? w->window / 4 : 1};
    const int64_t least = (int64_t)w->window * w->window / 8;
    if (w->finish == FINISH_NONE) {
        interpolation from = {w, w->parts.shares, w->out->labels};
        parallel_for(w->ctx, w->bands.height, label_row, &from);
        return ORTHANT_OK;
    }
    label_nodes(w);
    orthant_status status = merge_pieces(w);
    if (status)
        return status;
    label_nearest(w);
    status = refine_labels(&w->bands, w->out->labels, w->segments, windows, REFINEMENTS,
                           w->finish == FINISH_REGIONS);
    if (!status && w->finish == FINISH_TEXTURES)
        status = regions_drop_small(w->ctx, w->out->labels, w->bands.height, w->bands.width, least);
    return status;
}

/* Labels 0, 1, ... in the order of their first pixels. */
static orthant_status number_labels(pixel_work *w)
{
    int32_t *number = memory_new(w->ctx, MOST_SEGMENTS, sizeof *number, "numbers of segments");
    if (!number)
        return ORTHANT_ERROR_MEMORY;
    memset(number, -1, MOST_SEGMENTS * sizeof *number);
    w->out->segments = 0;
    for (int64_t p = 0; p < w->out->count; p++) {
        int32_t *label = &w->out->labels[p];
        if (number[*label] < 0)
            number[*label] = (int32_t)w->out->segments++;
        *label = number[*label];
    }
    memory_free(w->ctx, number);
    return ORTHANT_OK;
}

/* ---- the whole ---- */

static orthant_status run(pixel_work *w, double began)
{
    segmentation *out = w->out;
    orthant_status status = choose(w);
    if (status || (status = make_features(w)))
        return status;
    out->count = (int64_t)out->height * out->width;
    out->labels = memory_new(w->ctx, out->count, sizeof *out->labels, "labels of pixels");
    w->node_labels = memory_new(w->ctx, out->nodes, sizeof *w->node_labels, "labels of nodes");
    if (!out->labels || !w->node_labels)
        return ORTHANT_ERROR_MEMORY;
    begin_counting(w);
    out->feature_seconds = clock_seconds() - began;
    if (w->segments != 1) {
        const double fitting = clock_seconds();
        if ((status = find_parts(w)))
            return status;
        out->fit_seconds = clock_seconds() - fitting;
        out->iterations = w->parts.iterations;
        out->interrupted = w->parts.interrupted;
        out->objective = w->parts.objective;
        if ((status = finish_labels(w)))
            return status;
    }
    return number_labels(w);
}

orthant_status segment_pixels(orthant_context *ctx, const image *picture,
                              const segment_options *options, segmentation *out)
{
    const double began = clock_seconds();
    pixel_work w = {.ctx = ctx, .picture = picture, .options = options, .out = out};
    *out = (segmentation){.ctx = ctx, .height = picture->height, .width = picture->width};
    const orthant_status status = run(&w, began);
    out->total_seconds = clock_seconds() - began;
    bands_free(&w.bands);
    orthant_matrix_free(w.histograms);
    subspace_free(&w.space);
    parts_free(&w.parts);
    memory_free(ctx, w.node_labels);
    if (status)
        segmentation_free(out);
    return status;
}
