/* Clusters by themselves: sizes, cohesion, and the silhouette (Rousseeuw 1987)
 *
 *     s(i) = (b(i) - a(i)) / max(a(i), b(i)),    0 for a sample that is a cluster by itself.
 *
 * Up to EXACT_SAMPLES points a is the mean distance to the others of its cluster and b the smallest
 * mean distance to those of another one. Above, that would take n^2 distances: a and b are the
 * distances to the own and to the nearest other centre (the simplified silhouette, Hruschka et al.
 * 2004), O(n c k). */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "cluster/rescaled.h"
#include "core/memory.h"
#include "core/parallel.h"
#include "core/pieces.h"
#include "core/sized.h"
#include "data/labels.h"
#include "engine/group.h"
#include "method/fit.h"
#include "orthant/score.h"

#define EXACT_SAMPLES 4000
#define EXACT_COLUMNS 1000
#define BLOCK 64

typedef struct clustered {
    orthant_context *ctx;
    const orthant_matrix *points;
    int64_t n, k, clusters;
    int64_t *of;     /* n: the cluster of a sample, -1: none */
    int64_t *size;   /* of each cluster */
    int64_t *order;  /* samples by cluster, those without one left out */
    int64_t *first;  /* clusters + 1: where each begins in `order` */
    double *centre;  /* clusters x k */
    double *mean;    /* k, of all */
    double *values;  /* k x counted: the points in `order`, feature by feature, where it is exact */
    double *scratch; /* of each thread */
    int64_t scratch_numbers;
    double *sums;    /* of each block: silhouettes, within, scatter */
    int64_t counted; /* samples that have a cluster */
    bool exact;
} clustered;

/* ------------------------------------------------------------------ setup */

static void clustered_free(clustered *c)
{
    void *all[] = {c->of,   c->size,   c->order,   c->first, c->centre,
                   c->mean, c->values, c->scratch, c->sums};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        memory_free(c->ctx, all[i]);
}

static orthant_status sort_samples(clustered *c)
{
    c->size = memory_new(c->ctx, c->clusters, sizeof *c->size, "sizes of clusters");
    c->first = memory_new(c->ctx, c->clusters + 1, sizeof *c->first, "sizes of clusters");
    c->order = memory_new(c->ctx, c->n, sizeof *c->order, "samples by cluster");
    if (!c->size || !c->first || !c->order)
        return ORTHANT_ERROR_MEMORY;
    for (int64_t i = 0; i < c->n; i++)
        if (c->of[i] >= 0)
            c->size[c->of[i]]++;
    for (int64_t l = 0; l < c->clusters; l++)
        c->first[l + 1] = c->first[l] + c->size[l];
    c->counted = c->first[c->clusters];
    for (int64_t i = 0; i < c->n; i++)
        if (c->of[i] >= 0)
            c->order[c->first[c->of[i]]++] = i;
    for (int64_t l = 0; l < c->clusters; l++)
        c->first[l] -= c->size[l];
    return ORTHANT_OK;
}

/* Centres and the mean of all; where it is exact the points in another order too. */
static orthant_status take_points(clustered *c)
{
    const int64_t k = c->k;
    double *row = memory_new(c->ctx, k, sizeof *row, "a point");
    if (!row)
        return ORTHANT_ERROR_MEMORY;
    for (int64_t at = 0, l = 0; at < c->counted; at++) {
        while (at >= c->first[l + 1])
            l++;
        matrix_copy_row(c->points, c->order[at], row);
        for (int64_t j = 0; j < k; j++) {
            c->centre[l * k + j] += row[j];
            c->mean[j] += row[j];
            if (c->exact)
                c->values[j * c->counted + at] = row[j];
        }
    }
    for (int64_t l = 0; l < c->clusters; l++)
        for (int64_t j = 0; j < k; j++)
            c->centre[l * k + j] /= (double)c->size[l];
    for (int64_t j = 0; j < k; j++)
        c->mean[j] /= (double)c->counted;
    memory_free(c->ctx, row);
    return ORTHANT_OK;
}

static orthant_status setup(clustered *c, const orthant_labels *labels)
{
    orthant_context *ctx = c->ctx;
    orthant_status status;
    int64_t cells = 0;
    c->of = memory_new(ctx, c->n, sizeof *c->of, "clusters of samples");
    if (!c->of)
        return ORTHANT_ERROR_MEMORY;
    if ((status = labels_to_classes(ctx, labels, c->of, &c->clusters)) ||
        (status = sort_samples(c)))
        return status;
    if (c->counted == 0)
        return fail(ctx, ORTHANT_ERROR_ARGUMENT, "no sample of %" PRId64 " has a cluster", c->n);
    c->exact = c->counted <= EXACT_SAMPLES && c->k <= EXACT_COLUMNS;
    c->scratch_numbers = c->exact ? c->counted : c->k;
    if (!size_multiply(c->clusters, c->k, &cells))
        return fail(ctx, ORTHANT_ERROR_MEMORY, "out of memory for the centres of clusters");
    c->centre = memory_new(ctx, cells, sizeof *c->centre, "centres of clusters");
    c->mean = memory_new(ctx, c->k, sizeof *c->mean, "the centre of all samples");
    c->values = memory_new(ctx, c->exact ? c->counted * c->k : 0, sizeof *c->values, "points");
    c->scratch = memory_new(ctx, c->scratch_numbers * parallel_threads(ctx), sizeof *c->scratch,
                            "distances");
    c->sums = memory_new(ctx, 3 * pieces(c->counted, BLOCK), sizeof *c->sums, "sums");
    if (!c->centre || !c->mean || !c->values || !c->scratch || !c->sums)
        return ORTHANT_ERROR_MEMORY;
    return take_points(c);
}

/* ------------------------------------------------------------------ one sample */

static double squared_distance(const double *a, const double *b, int64_t k)
{
    double sum = 0;
    for (int64_t j = 0; j < k; j++)
        sum += (a[j] - b[j]) * (a[j] - b[j]);
    return sum;
}

static double silhouette(double own, double other)
{
    const double larger_one = fmax(own, other);
    return larger_one > 0 && isfinite(other) ? (other - own) / larger_one : 0;
}

/* By the distances to all points; no sum changes its order, so that it can run side by side. */
static double exact_silhouette(const clustered *c, int64_t at, int64_t cluster, double *distance)
{
    double own = 0, other = INFINITY;
    memset(distance, 0, (size_t)c->counted * sizeof *distance);
    for (int64_t j = 0; j < c->k; j++) {
        const double *values = c->values + j * c->counted, here = values[at];
        for (int64_t i = 0; i < c->counted; i++)
            distance[i] += (values[i] - here) * (values[i] - here);
    }
    for (int64_t i = 0; i < c->counted; i++)
        distance[i] = sqrt(distance[i]);
    for (int64_t l = 0; l < c->clusters; l++) {
        double sum = 0;
        for (int64_t i = c->first[l]; i < c->first[l + 1]; i++)
            sum += distance[i];
        if (l == cluster)
            own = sum / (double)(c->size[l] - 1);
        else
            other = fmin(other, sum / (double)c->size[l]);
    }
    return silhouette(own, other);
}

static double simplified_silhouette(const clustered *c, const double *row, int64_t cluster)
{
    double own = 0, other = INFINITY;
    for (int64_t l = 0; l < c->clusters; l++) {
        const double square = squared_distance(row, c->centre + l * c->k, c->k);
        if (l == cluster)
            own = square;
        else
            other = fmin(other, square);
    }
    return silhouette(sqrt(own), sqrt(other));
}

static void add_sample(const clustered *c, int64_t at, int64_t cluster, double *scratch,
                       double *sums)
{
    const double *centre = c->centre + cluster * c->k;
    const bool alone = c->size[cluster] == 1;
    if (c->exact) {
        for (int64_t j = 0; j < c->k; j++) {
            const double x = c->values[j * c->counted + at];
            sums[1] += (x - centre[j]) * (x - centre[j]);
            sums[2] += (x - c->mean[j]) * (x - c->mean[j]);
        }
        sums[0] += alone ? 0 : exact_silhouette(c, at, cluster, scratch);
        return;
    }
    matrix_copy_row(c->points, c->order[at], scratch);
    sums[0] += alone ? 0 : simplified_silhouette(c, scratch, cluster);
    sums[1] += squared_distance(scratch, centre, c->k);
    sums[2] += squared_distance(scratch, c->mean, c->k);
}

static void block_task(void *user, int64_t index, int thread)
{
    const clustered *c = user;
    double *scratch = c->scratch + thread * c->scratch_numbers, *sums = c->sums + 3 * index;
    const int64_t end = smaller((index + 1) * BLOCK, c->counted);
    for (int64_t at = index * BLOCK; at < end; at++)
        add_sample(c, at, c->of[c->order[at]], scratch, sums);
}

/* ------------------------------------------------------------------ all of them */

static orthant_cluster_scores add_up(const clustered *c)
{
    orthant_cluster_scores s = {.size = sizeof s,
                                .exact = c->exact,
                                .samples = c->counted,
                                .clusters = c->clusters,
                                .smallest = c->counted};
    double silhouettes = 0, within = 0, scatter = 0;
    for (int64_t b = 0; b < pieces(c->counted, BLOCK); b++) {
        silhouettes += c->sums[3 * b];
        within += c->sums[3 * b + 1];
        scatter += c->sums[3 * b + 2];
    }
    for (int64_t l = 0; l < c->clusters; l++) {
        s.smallest = smaller(s.smallest, c->size[l]);
        s.largest = larger(s.largest, c->size[l]);
    }
    s.silhouette = c->clusters > 1 ? silhouettes / (double)c->counted : (double)NAN;
    s.cohesion = scatter > 0 ? fmax(1 - within / scatter, 0) : 1;
    return s;
}

orthant_status orthant_score_clusters(orthant_context *context, const orthant_matrix *points,
                                      const orthant_labels *labels, orthant_cluster_scores *scores)
{
    orthant_status status = entry_check(context, points && labels && scores, __func__);
    if (!status)
        status = matrix_check_here(points, "scores of clusters");
    if (status)
        return status;
    if (labels->count != points->rows)
        return fail(context, ORTHANT_ERROR_ARGUMENT,
                    "%" PRId64 " labels, but %" PRId64 " points: give one of each per sample",
                    labels->count, points->rows);
    clustered c = {.ctx = context, .points = points, .n = points->rows, .k = points->columns};
    orthant_cluster_scores found = {.size = sizeof found};
    status = setup(&c, labels);
    if (!status) {
        parallel_for(context, pieces(c.counted, BLOCK), block_task, &c);
        found = add_up(&c);
    }
    clustered_free(&c);
    return status ? status : sized_give(context, __func__, &found, sizeof found, scores);
}

orthant_status orthant_result_score_clusters(const orthant_result *result, const char *rule,
                                             const orthant_labels *labels,
                                             orthant_cluster_scores *scores)
{
    orthant_matrix *points = NULL;
    orthant_status status =
        entry_check(result ? result->ctx : NULL, rule && labels && scores, __func__);
    if (status)
        return status;
    const char *colon = strchr(rule, ':'), *name = colon ? colon + 1 : "encoding";
    const orthant_matrix *factor = orthant_result_factor(result, name);
    if (!factor)
        return fail(result->ctx, ORTHANT_ERROR_ARGUMENT,
                    "the fit has no factor '%s' whose rows the labels '%s' are read from", name,
                    rule);
    if (samples_here(factor).shared)
        return fail(result->ctx, ORTHANT_ERROR_UNSUPPORTED,
                    "scores of clusters take all encodings in one process");
    const bool unit =
        strncmp(rule, "argmax", 6) && strncmp(rule, "kmeans:", 7) && strcmp(rule, "kmeans");
    const double *columns = strcmp(name, "encoding") ? NULL : result->label_scale;
    if (unit || columns)
        status = rescaled_copy(result->ctx, factor, columns, unit, &points);
    if (!status)
        status = orthant_score_clusters(result->ctx, points ? points : factor, labels, scores);
    orthant_matrix_free(points);
    return status;
}
