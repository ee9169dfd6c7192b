/* Clusters by themselves: sizes, cohesion, and the silhouette (Rousseeuw 1987)
 *
 *     s(i) = (b(i) - a(i)) / max(a(i), b(i)),    0 for a sample that is a cluster by itself.
 *
 * Up to CLUSTERS_EXACT_SAMPLES points a is the mean distance to the others of its cluster and b the
 * smallest mean distance to those of another one. Above, that would take n^2 distances: a and b are
 * the distances to the own and to the nearest other centre (the simplified silhouette, Hruschka et
 * al. 2004), O(n c k). */
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
#include "score/clusters.h"

#define EXACT_COLUMNS 1000
#define BLOCK 64

/* What is summed over samples: silhouettes, squared distances to the own centre and to the mean. */
enum { SILHOUETTE, WITHIN, SCATTER, SUMS };

typedef struct clustered {
    orthant_context *ctx;
    sample_share share; /* of the samples, with other processes */
    const orthant_matrix *points;
    int64_t n, k, clusters;
    const int64_t *of; /* n: the cluster of a sample, -1: none */
    int64_t *size;     /* of each cluster, in all processes */
    int64_t counted;   /* samples that have a cluster */
    double *centre;    /* clusters x k, then the mean of all */
    double *scratch;   /* of each thread */
    int64_t scratch_numbers;
    double *sums; /* of each block or chunk */
    double total[SUMS];
    /* where it is exact: */
    bool exact;
    int64_t *order; /* samples by cluster, those without one left out */
    int64_t *first; /* clusters + 1: where each begins in `order` */
    double *values; /* k x counted: the points in `order`, feature by feature */
} clustered;

/* ------------------------------------------------------------------ setup */

static void clustered_free(clustered *c)
{
    void *all[] = {c->size, c->order, c->first, c->centre, c->values, c->scratch, c->sums};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        memory_free(c->ctx, all[i]);
}

static orthant_status count_samples(clustered *c)
{
    c->size = memory_new(c->ctx, c->clusters, sizeof *c->size, "sizes of clusters");
    if (!c->size)
        return ORTHANT_ERROR_MEMORY;
    for (int64_t i = 0; i < c->n; i++)
        if (c->of[i] >= 0)
            c->size[c->of[i]]++;
    group_add_wholes(&c->share, c->size, c->clusters);
    for (int64_t l = 0; l < c->clusters; l++)
        c->counted += c->size[l];
    if (c->counted == 0)
        return fail(c->ctx, ORTHANT_ERROR_ARGUMENT, "no sample of %" PRId64 " has a cluster",
                    c->share.cut.samples);
    c->exact = c->counted <= CLUSTERS_EXACT_SAMPLES && c->k <= EXACT_COLUMNS && !c->share.shared;
    return ORTHANT_OK;
}

/* Centres and the mean of all, the same bits in any number of processes. */
static orthant_status find_centres(clustered *c)
{
    const sample_share *s = &c->share;
    const int64_t k = c->k, width = (c->clusters + 1) * k;
    double *slots = memory_new(c->ctx, CHUNK_SUM_SLOTS * width, sizeof *slots, "sums of clusters");
    double *row = memory_new(c->ctx, k, sizeof *row, "a point");
    c->centre = memory_new(c->ctx, width, sizeof *c->centre, "centres of clusters");
    const orthant_status status = slots && row && c->centre ? ORTHANT_OK : ORTHANT_ERROR_MEMORY;
    chunk_sum sum;
    if (!status) {
        chunk_sum_begin(&sum, s, width, slots);
        for (int64_t chunk = s->first_chunk; chunk < s->end_chunk; chunk++, chunk_sum_next(&sum))
            for (int64_t i = share_chunk_first(s, chunk); i < share_chunk_end(s, chunk); i++) {
                if (c->of[i] < 0)
                    continue;
                double *own = chunk_sum_row(&sum) + c->of[i] * k,
                       *all = chunk_sum_row(&sum) + c->clusters * k;
                matrix_copy_row(c->points, i, row);
                for (int64_t j = 0; j < k; j++) {
                    own[j] += row[j];
                    all[j] += row[j];
                }
            }
        chunk_sum_end(&sum, c->centre);
        for (int64_t l = 0; l <= c->clusters; l++)
            for (int64_t j = 0; j < k; j++)
                c->centre[l * k + j] /=
                    (double)(l < c->clusters ? larger(c->size[l], 1) : c->counted);
    }
    memory_free(c->ctx, slots);
    memory_free(c->ctx, row);
    return status;
}

/* The points by cluster and feature by feature. */
static orthant_status sort_points(clustered *c)
{
    orthant_context *ctx = c->ctx;
    double *row = memory_new(ctx, c->k, sizeof *row, "a point");
    c->first = memory_new(ctx, c->clusters + 1, sizeof *c->first, "sizes of clusters");
    c->order = memory_new(ctx, c->n, sizeof *c->order, "samples by cluster");
    c->values = memory_new(ctx, c->counted * c->k, sizeof *c->values, "points");
    if (!row || !c->first || !c->order || !c->values) {
        memory_free(ctx, row);
        return ORTHANT_ERROR_MEMORY;
    }
    for (int64_t l = 0; l < c->clusters; l++)
        c->first[l + 1] = c->first[l] + c->size[l];
    for (int64_t i = 0; i < c->n; i++) {
        if (c->of[i] < 0)
            continue;
        const int64_t at = c->first[c->of[i]]++;
        c->order[at] = i;
        matrix_copy_row(c->points, i, row);
        for (int64_t j = 0; j < c->k; j++)
            c->values[j * c->counted + at] = row[j];
    }
    for (int64_t l = 0; l < c->clusters; l++)
        c->first[l] -= c->size[l];
    memory_free(ctx, row);
    return ORTHANT_OK;
}

static orthant_status setup(clustered *c)
{
    orthant_status status = count_samples(c);
    if (!status)
        status = find_centres(c);
    if (!status && c->exact)
        status = sort_points(c);
    if (status)
        return status;
    const int64_t tasks =
        larger(pieces(c->counted, BLOCK), c->share.end_chunk - c->share.first_chunk);
    c->scratch_numbers = c->exact ? c->counted : c->k;
    c->scratch = memory_new(c->ctx, c->scratch_numbers * parallel_threads(c->ctx),
                            sizeof *c->scratch, "distances");
    c->sums = memory_new(c->ctx, SUMS * tasks, sizeof *c->sums, "sums");
    return c->scratch && c->sums ? ORTHANT_OK : ORTHANT_ERROR_MEMORY;
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
        if (!c->size[l])
            continue;
        const double square = squared_distance(row, c->centre + l * c->k, c->k);
        if (l == cluster)
            own = square;
        else
            other = fmin(other, square);
    }
    return silhouette(sqrt(own), sqrt(other));
}

/* `row` is its point. */
static void add_distances(const clustered *c, const double *row, int64_t cluster, double *sums)
{
    sums[WITHIN] += squared_distance(row, c->centre + cluster * c->k, c->k);
    sums[SCATTER] += squared_distance(row, c->centre + c->clusters * c->k, c->k);
}

static void exact_task(void *user, int64_t index, int thread)
{
    const clustered *c = user;
    double *scratch = c->scratch + thread * c->scratch_numbers, *sums = c->sums + SUMS * index;
    const int64_t end = smaller((index + 1) * BLOCK, c->counted);
    for (int64_t at = index * BLOCK; at < end; at++) {
        const int64_t cluster = c->of[c->order[at]];
        sums[SILHOUETTE] += c->size[cluster] == 1 ? 0 : exact_silhouette(c, at, cluster, scratch);
    }
}

static void chunk_task(void *user, int64_t index, int thread)
{
    const clustered *c = user;
    const sample_share *s = &c->share;
    double *row = c->scratch + thread * c->scratch_numbers, *sums = c->sums + SUMS * index;
    const int64_t chunk = s->first_chunk + index;
    for (int64_t i = share_chunk_first(s, chunk); i < share_chunk_end(s, chunk); i++) {
        const int64_t cluster = c->of[i];
        if (cluster < 0)
            continue;
        matrix_copy_row(c->points, i, row);
        add_distances(c, row, cluster, sums);
        if (!c->exact && c->size[cluster] > 1)
            sums[SILHOUETTE] += simplified_silhouette(c, row, cluster);
    }
}

/* ------------------------------------------------------------------ all of them */

static void add_chunks(clustered *c)
{
    const int64_t chunks = c->share.end_chunk - c->share.first_chunk;
    double slots[SUMS * CHUNK_SUM_SLOTS] = {0};
    chunk_sum sum;
    parallel_for(c->ctx, chunks, chunk_task, c);
    chunk_sum_begin(&sum, &c->share, SUMS, slots);
    for (int64_t i = 0; i < chunks; i++) {
        memcpy(chunk_sum_row(&sum), c->sums + SUMS * i, SUMS * sizeof(double));
        chunk_sum_next(&sum);
    }
    chunk_sum_end(&sum, c->total);
}

static void add_exact(clustered *c)
{
    const int64_t blocks = pieces(c->counted, BLOCK);
    memset(c->sums, 0, (size_t)(SUMS * blocks) * sizeof *c->sums);
    parallel_for(c->ctx, blocks, exact_task, c);
    for (int64_t b = 0; b < blocks; b++)
        c->total[SILHOUETTE] += c->sums[SUMS * b + SILHOUETTE];
}

static orthant_cluster_scores scores_of(const clustered *c)
{
    orthant_cluster_scores s = {
        .size = sizeof s, .exact = c->exact, .samples = c->counted, .smallest = c->counted};
    for (int64_t l = 0; l < c->clusters; l++) {
        if (!c->size[l])
            continue;
        s.clusters++;
        s.smallest = smaller(s.smallest, c->size[l]);
        s.largest = larger(s.largest, c->size[l]);
    }
    s.silhouette = s.clusters > 1 ? c->total[SILHOUETTE] / (double)c->counted : (double)NAN;
    s.cohesion = c->total[SCATTER] > 0 ? fmax(1 - c->total[WITHIN] / c->total[SCATTER], 0) : 1;
    return s;
}

orthant_status clusters_score(const sample_share *share, const orthant_matrix *points,
                              const int64_t *of, int64_t clusters, orthant_cluster_scores *scores)
{
    orthant_context *ctx = share->ctx;
    clustered c = {.ctx = ctx,
                   .share = *share,
                   .points = points,
                   .n = points->rows,
                   .k = points->columns,
                   .clusters = clusters,
                   .of = of};
    int64_t width;
    orthant_status status = ORTHANT_OK;
    if (!size_multiply(clusters + 1, CHUNK_SUM_SLOTS * points->columns, &width))
        status = fail(ctx, ORTHANT_ERROR_MEMORY, "out of memory: centres of clusters");
    if (!status)
        status = group_agree(&c.share, setup(&c));
    if (!status) {
        add_chunks(&c);
        if (c.exact)
            add_exact(&c);
        *scores = scores_of(&c);
    }
    clustered_free(&c);
    return status;
}

/* With clusters as numbers in the order of their labels. */
static orthant_status score_labels(const sample_share *s, const orthant_matrix *points,
                                   const orthant_labels *labels, orthant_cluster_scores *scores)
{
    orthant_context *ctx = s->ctx;
    int64_t clusters = 0, *of = memory_new(ctx, labels->count, sizeof *of, "clusters of samples");
    orthant_status status =
        of ? labels_to_classes(ctx, labels, of, &clusters) : ORTHANT_ERROR_MEMORY;
    if (!status)
        status = clusters_score(s, points, of, clusters, scores);
    memory_free(ctx, of);
    return status;
}

/* `features` are those of the samples, by which the work is cut. */
static orthant_status score_points(orthant_context *ctx, const orthant_matrix *points,
                                   int64_t features, const orthant_labels *labels,
                                   orthant_cluster_scores *scores)
{
    orthant_cluster_scores found = {.size = sizeof found};
    orthant_status status = matrix_check_here(points, "scores of clusters");
    if (status)
        return status;
    if (labels->count != points->rows)
        return fail(ctx, ORTHANT_ERROR_ARGUMENT,
                    "%" PRId64 " labels, but %" PRId64 " points: give one of each per sample",
                    labels->count, points->rows);
    if (samples_here(points).shared)
        return fail(ctx, ORTHANT_ERROR_UNSUPPORTED,
                    "scores of clusters take all points in one process");
    const sample_share s = samples_here_of(ctx, points->rows, features, false);
    status = score_labels(&s, points, labels, &found);
    return status ? status
                  : sized_give(ctx, "orthant_score_clusters", &found, sizeof found, scores);
}

orthant_status orthant_score_clusters(orthant_context *context, const orthant_matrix *points,
                                      const orthant_labels *labels, orthant_cluster_scores *scores)
{
    const orthant_status refused = entry_check(context, points && labels && scores, __func__);
    return refused ? refused : score_points(context, points, points->columns, labels, scores);
}

orthant_status clusters_points(const orthant_result *result, const char *rule,
                               const orthant_matrix **factor, orthant_matrix **copy)
{
    const char *colon = strchr(rule, ':'), *name = colon ? colon + 1 : "encoding";
    const bool scaled = rule_is_scaled(rule), unit = !scaled && strncmp(rule, "argmax", 6) &&
                                                     strncmp(rule, "kmeans:", 7) &&
                                                     strcmp(rule, "kmeans");
    const double *columns = scaled && !strcmp(name, "encoding") ? result->label_scale : NULL;
    *copy = NULL;
    *factor = orthant_result_factor(result, name);
    if (!*factor)
        return fail(result->ctx, ORTHANT_ERROR_ARGUMENT,
                    "the fit has no factor '%s' whose rows the labels '%s' are read from", name,
                    rule);
    if (!unit && !columns)
        return ORTHANT_OK;
    const orthant_status status = rescaled_copy(result->ctx, *factor, columns, unit, copy);
    if (!status)
        (*copy)->part = (*factor)->part;
    return status;
}

orthant_status orthant_result_score_clusters(const orthant_result *result, const char *rule,
                                             const orthant_labels *labels,
                                             orthant_cluster_scores *scores)
{
    orthant_matrix *copy = NULL;
    const orthant_matrix *factor = NULL;
    orthant_status status =
        entry_check(result ? result->ctx : NULL, rule && labels && scores, __func__);
    if (!status)
        status = clusters_points(result, rule, &factor, &copy);
    if (!status)
        status = score_points(result->ctx, copy ? copy : factor, result->features, labels, scores);
    orthant_matrix_free(copy);
    return status;
}
