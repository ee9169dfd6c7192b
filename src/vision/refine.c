/* Windows of the size that tells textures apart are far wider than what is known about a border.
 * Once the segments are about right their histograms are known from thousands of windows, and then
 * much smaller windows decide. Both scores of a window are linear in its histogram, so they are
 * means of what its pixels' bins add.
 *
 * The first labels may be wrong by half a window. The discriminant would take a segment of two
 * textures for one that scatters; under the likelihoods of bins each of the two stays likely, and
 * the border moves. So the first round goes by likelihoods and the others by the discriminant,
 * which sees past light and shade. Both learn from windows inside the segments alone.
 *
 * Windows vote before they are smoothed. Smoothed scores would give the strip between two segments
 * to a third one that is broad: it is a fair second everywhere. */
#include "vision/refine.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "core/parallel.h"
#include "vision/discriminant.h"
#include "vision/regions.h"
#include "vision/spectral.h"

#define PASSES 4   /* box means in a row are nearly a Gaussian */
#define LEAST 1e-3 /* share of a bin that a segment does not have */
#define RIDGE 0.02 /* of the scatter of the histograms of small windows */
/* Of votes. By likelihood a window counts as so many independent values of a band. */
#define LIKELIHOOD_SHARPNESS 20.0f
/* By discriminant: histograms are not as normal as it takes them. */
#define DISCRIMINANT_SHARPNESS 0.3f

typedef struct refining {
    const band_set *bands;
    int64_t segments, stride; /* stride: segments rounded up to a whole vector */
    refine_windows windows;
    int strip, halo; /* a task has `strip` rows and needs `halo` more above and below */
    const int32_t *labels;
    int32_t *next;
    lattice nodes; /* where histograms of small windows are taken to learn from */
    int32_t *node_labels;
    orthant_matrix *histograms;
    double *weights; /* bands x bins: of one segment */
    float *table;    /* bands x bins x stride: what a bin adds to the score of a segment */
    float sharpness; /* of votes, which go with exp(sharpness x score) */
    float *offsets;  /* a segment: what its scores begin with */
    float *scores;   /* a thread: rows of a strip with its halos, each width x stride */
    float *scratch;  /* a thread: as many again */
    int64_t rows;    /* of a strip with its halos */
} refining;

/* A bin adds its log p under the segment. */
static void take_likelihoods(refining *r, const discriminant *d)
{
    for (int64_t s = 0; s < r->segments; s++) {
        r->offsets[s] = 0.0f;
        for (int64_t f = 0; f < d->features; f++)
            r->table[f * r->stride + s] = (float)log(LEAST + d->means[s * d->features + f]);
    }
    r->sharpness = LIKELIHOOD_SHARPNESS / (float)r->bands->bands;
}

/* A bin adds its weight for the segment. */
static void take_weights(refining *r, const discriminant *d)
{
    for (int64_t s = 0; s < r->segments; s++) {
        double offset;
        discriminant_weights(d, s, r->weights, &offset);
        r->offsets[s] = (float)offset;
        for (int64_t f = 0; f < d->features; f++)
            r->table[f * r->stride + s] = (float)r->weights[f];
    }
    r->sharpness = DISCRIMINANT_SHARPNESS;
}

static orthant_status learn(refining *r, bool by_likelihood)
{
    const band_set *b = r->bands;
    discriminant d = {0};
    orthant_status status = regions_inside(b->ctx, r->labels, b->height, b->width, &r->nodes,
                                           r->windows.small, r->segments, r->node_labels);
    if (status || (status = discriminant_create(b->ctx, r->histograms, r->node_labels, r->segments,
                                                RIDGE, &d)))
        return status;
    if (by_likelihood)
        take_likelihoods(r, &d);
    else
        take_weights(r, &d);
    discriminant_free(&d);
    return ORTHANT_OK;
}

/* What the bins of the pixels of one row add to the scores. */
static void score_row(const refining *r, int y, float *to)
{
    const band_set *b = r->bands;
    const int64_t pixels = (int64_t)b->height * b->width, stride = r->stride;
    memset(to, 0, (size_t)(b->width * stride) * sizeof *to);
    for (int band = 0; band < b->bands; band++) {
        const uint8_t *bin = b->bin + band * pixels + (int64_t)y * b->width;
        const float *table = r->table + (int64_t)band * b->bins * stride;
        for (int x = 0; x < b->width; x++) {
            const float *from = table + bin[x] * stride;
            float *sum = to + x * stride;
#pragma omp simd
            for (int64_t s = 0; s < stride; s++)
                sum[s] += from[s];
        }
    }
}

/* Means over 2 radius + 1 entries, clipped to the `count` that there are; an entry is `width`
 * values and entries lie `width` apart. `sum` is scratch for `width` values. */
static void box_mean(const float *from, float *to, int64_t count, int64_t width, int radius,
                     float *sum)
{
    int64_t begin = 0, end = 0;
    memset(sum, 0, (size_t)width * sizeof *sum);
    for (int64_t i = 0; i < count; i++) {
        const int64_t last = i + radius + 1 < count ? i + radius + 1 : count;
        for (; end < last; end++) {
            const float *enter = from + end * width;
#pragma omp simd
            for (int64_t s = 0; s < width; s++)
                sum[s] += enter[s];
        }
        if (i - radius > begin) {
            const float *leave = from + begin++ * width;
#pragma omp simd
            for (int64_t s = 0; s < width; s++)
                sum[s] -= leave[s];
        }
        const float share = 1.0f / (float)(end - begin);
        float *mean = to + i * width;
#pragma omp simd
        for (int64_t s = 0; s < width; s++)
            mean[s] = share * sum[s];
    }
}

/* Shares of one in place of scores. */
static void vote(const refining *r, float *scores, int64_t pixels)
{
    for (int64_t p = 0; p < pixels; p++, scores += r->stride) {
        float most = -FLT_MAX, sum = 0.0f;
        for (int64_t s = 0; s < r->segments; s++) {
            scores[s] += r->offsets[s];
            most = scores[s] > most ? scores[s] : most;
        }
        for (int64_t s = 0; s < r->segments; s++) {
            scores[s] = expf(r->sharpness * (scores[s] - most));
            sum += scores[s];
        }
        for (int64_t s = 0; s < r->segments; s++)
            scores[s] /= sum;
    }
}

static void choose_row(const refining *r, const float *scores, int32_t *to)
{
    for (int x = 0; x < r->bands->width; x++) {
        const float *score = scores + x * r->stride;
        int32_t best = 0;
        for (int32_t s = 1; s < r->segments; s++)
            if (score[s] > score[best])
                best = s;
        to[x] = best;
    }
}

static void refine_strip(void *user, int64_t task, int thread)
{
    const refining *r = user;
    const int height = r->bands->height, width = r->bands->width;
    const int first = (int)task * r->strip;
    const int end = first + r->strip < height ? first + r->strip : height;
    const int top = first > r->halo ? first - r->halo : 0;
    const int bottom = height - end > r->halo ? end + r->halo : height;
    const int64_t across = width * r->stride, numbers = (r->rows + 1) * across;
    float *a = r->scores + thread * numbers, *b = r->scratch + thread * numbers,
          *sum = b + r->rows * across;
    for (int y = top; y < bottom; y++) {
        score_row(r, y, b + (y - top) * across);
        box_mean(b + (y - top) * across, a + (y - top) * across, width, r->stride, r->windows.small,
                 sum);
    }
    box_mean(a, b, bottom - top, across, r->windows.small, sum);
    vote(r, b, (int64_t)(bottom - top) * width);
    for (int y = top; y < bottom; y++) {
        float *row = b + (y - top) * across, *other = a + (y - top) * across;
        for (int pass = 0; pass < PASSES; pass += 2) {
            box_mean(row, other, width, r->stride, r->windows.wide, sum);
            box_mean(other, row, width, r->stride, r->windows.wide, sum);
        }
    }
    for (int pass = 0; pass < PASSES; pass += 2) {
        box_mean(b, a, bottom - top, across, r->windows.wide, sum);
        box_mean(a, b, bottom - top, across, r->windows.wide, sum);
    }
    for (int y = first; y < end; y++)
        choose_row(r, b + (y - top) * across, r->next + (int64_t)y * width);
}

static int64_t strips(const refining *r)
{
    return (r->bands->height + r->strip - 1) / r->strip;
}

static orthant_status new_scratch(orthant_context *ctx, refining *r)
{
    const band_set *b = r->bands;
    const int64_t tasks = strips(r), features = (int64_t)b->bands * b->bins;
    const int64_t threads = parallel_threads(ctx) < tasks ? parallel_threads(ctx) : tasks;
    const int64_t numbers = threads * (r->rows + 1) * b->width * r->stride;
    r->next = memory_new(ctx, (int64_t)b->height * b->width, sizeof *r->next, "refined labels");
    r->node_labels =
        memory_new(ctx, lattice_nodes(&r->nodes), sizeof *r->node_labels, "labels of windows");
    r->weights = memory_new(ctx, features, sizeof *r->weights, "weights of bins");
    r->table = memory_new(ctx, features * r->stride, sizeof *r->table, "weights of bins");
    r->offsets = memory_new(ctx, r->stride, sizeof *r->offsets, "weights of bins");
    r->scores = memory_new(ctx, numbers, sizeof *r->scores, "scores of pixels");
    r->scratch = memory_new(ctx, numbers, sizeof *r->scratch, "scores of pixels");
    return r->next && r->node_labels && r->weights && r->table && r->offsets && r->scores &&
                   r->scratch
               ? ORTHANT_OK
               : ORTHANT_ERROR_MEMORY;
}

static void free_scratch(orthant_context *ctx, refining *r)
{
    memory_free(ctx, r->next);
    memory_free(ctx, r->node_labels);
    memory_free(ctx, r->weights);
    memory_free(ctx, r->table);
    memory_free(ctx, r->offsets);
    memory_free(ctx, r->scores);
    memory_free(ctx, r->scratch);
    orthant_matrix_free(r->histograms);
}

orthant_status refine_labels(const band_set *bands, int32_t *labels, int64_t segments,
                             refine_windows windows, int iterations, bool connected)
{
    orthant_context *ctx = bands->ctx;
    const size_t bytes = (size_t)bands->height * (size_t)bands->width * sizeof *labels;
    refining r = {.bands = bands, .segments = segments, .windows = windows, .labels = labels};
    r.stride = (segments + 3) / 4 * 4;
    r.halo = windows.small + PASSES * windows.wide;
    r.strip = 2 * r.halo > 64 ? 2 * r.halo : 64;
    r.rows = bands->height < r.strip + 2 * r.halo ? bands->height : r.strip + 2 * r.halo;
    r.nodes = lattice_bounded(bands->height, bands->width, windows.small / 2 + 1);
    orthant_status status = new_scratch(ctx, &r);
    if (status ||
        (status = spectral_histograms(bands, &r.nodes, 2 * windows.small + 1, &r.histograms)))
        goto done;
    for (int i = 0; i < iterations; i++) {
        if ((status = learn(&r, i == 0)))
            break;
        parallel_for(ctx, strips(&r), refine_strip, &r);
        if (connected && (status = regions_keep_largest(ctx, r.next, bands->height, bands->width)))
            break;
        const bool settled = i > 0 && memcmp(labels, r.next, bytes) == 0;
        memcpy(labels, r.next, bytes);
        if (settled)
            break;
    }
done:
    free_scratch(ctx, &r);
    return status;
}
