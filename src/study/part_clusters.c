/* k-means of parts where each cluster takes exactly one part of each run: the parts of a run go to
 * the centres by the best one-to-one matching of cosines, centres are the means of their parts.
 *
 * With unit parts p and the mean c of a cluster of R parts, the mean distance of p to another
 * cluster is 1 - <p, c>, and to the others of its own R (1 - <p, c>) / (R - 1). */
#include "study/part_clusters.h"

#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "score/assignment.h"

#define MOST_ROUNDS 50

void parts_of_basis(const orthant_matrix *basis, float *parts)
{
    const int64_t m = basis->rows, k = basis->columns;
    for (int64_t p = 0; p < k; p++) {
        double square = 0;
        for (int64_t j = 0; j < m; j++) {
            const double value = matrix_value(basis, j * basis->stride + p);
            square += value * value;
        }
        const double scale = square > 0 ? 1 / sqrt(square) : 0;
        for (int64_t j = 0; j < m; j++)
            parts[p * m + j] = (float)(scale * matrix_value(basis, j * basis->stride + p));
    }
}

typedef struct clusters {
    orthant_context *ctx;
    float *const *run;
    int64_t runs, k, features;
    double *centre;   /* k x features: means */
    double *cosine;   /* k x k: of a run's parts with the centres */
    int64_t *cluster; /* runs x k: of each part */
    int64_t *found;   /* k */
    assignment_pair *pair;
} clusters;

static double dot(const float *part, const double *centre, int64_t count)
{
    double sum = 0;
    for (int64_t j = 0; j < count; j++)
        sum += (double)part[j] * centre[j];
    return sum;
}

static void find_cosines(const clusters *c, int64_t run)
{
    for (int64_t p = 0; p < c->k; p++)
        for (int64_t q = 0; q < c->k; q++)
            c->cosine[p * c->k + q] =
                dot(c->run[run] + p * c->features, c->centre + q * c->features, c->features);
}

/* The parts of a run to their clusters; *changed where one goes to another. */
static orthant_status assign(const clusters *c, int64_t run, bool *changed)
{
    find_cosines(c, run);
    /* Only pairs above 0 are matched; all are, so that every part finds a cluster. */
    for (int64_t i = 0; i < c->k * c->k; i++)
        c->pair[i] = (assignment_pair){i / c->k, i % c->k, 2 + c->cosine[i]};
    const orthant_status status =
        assignment_largest(c->ctx, c->k, c->k, c->pair, c->k * c->k, c->found);
    int64_t *of = c->cluster + run * c->k;
    *changed = *changed || memcmp(of, c->found, (size_t)c->k * sizeof *of) != 0;
    memcpy(of, c->found, (size_t)c->k * sizeof *of);
    return status;
}

static void move_centres(const clusters *c)
{
    memset(c->centre, 0, (size_t)(c->k * c->features) * sizeof *c->centre);
    for (int64_t r = 0; r < c->runs; r++)
        for (int64_t p = 0; p < c->k; p++) {
            const float *part = c->run[r] + p * c->features;
            double *centre = c->centre + c->cluster[r * c->k + p] * c->features;
            for (int64_t j = 0; j < c->features; j++)
                centre[j] += (double)part[j] / (double)c->runs;
        }
}

static double silhouette_of(const clusters *c, int64_t part, int64_t own)
{
    double beside = INFINITY;
    const double runs = (double)c->runs;
    const double within = fmax(0, runs * (1 - c->cosine[part * c->k + own]) / (runs - 1));
    for (int64_t q = 0; q < c->k; q++)
        if (q != own)
            beside = fmin(beside, 1 - c->cosine[part * c->k + q]);
    const double larger = fmax(within, beside);
    return larger > 0 ? (beside - within) / larger : 0;
}

static void judge(const clusters *c, part_stability *stability)
{
    double *sum = c->centre + c->k * c->features;
    for (int64_t r = 0; r < c->runs; r++) {
        find_cosines(c, r);
        for (int64_t p = 0; p < c->k; p++) {
            const int64_t own = c->cluster[r * c->k + p];
            sum[own] += silhouette_of(c, p, own);
        }
    }
    *stability = (part_stability){0, INFINITY};
    for (int64_t q = 0; q < c->k; q++) {
        const double mean = sum[q] / (double)c->runs;
        stability->silhouette += mean / (double)c->k;
        stability->least_silhouette = fmin(stability->least_silhouette, mean);
    }
}

static orthant_status find_clusters(const clusters *c)
{
    orthant_status status = ORTHANT_OK;
    bool changed = true;
    for (int64_t i = 0; i < c->k * c->features; i++)
        c->centre[i] = (double)c->run[0][i];
    for (int round = 0; round < MOST_ROUNDS && changed && !status; round++) {
        changed = false;
        for (int64_t r = 0; r < c->runs && !status; r++)
            status = assign(c, r, &changed);
        move_centres(c);
    }
    return status;
}

orthant_status part_clusters_judge(orthant_context *ctx, float *const *run, int64_t runs, int64_t k,
                                   int64_t features, part_stability *stability)
{
    clusters c = {.ctx = ctx, .run = run, .runs = runs, .k = k, .features = features};
    *stability = (part_stability){(double)NAN, (double)NAN};
    if (k < 2)
        return ORTHANT_OK;
    c.centre = memory_new(ctx, k * (features + 1), sizeof *c.centre, "clusters of parts");
    c.cosine = memory_new(ctx, k * k, sizeof *c.cosine, "cosines of parts");
    c.cluster = memory_new(ctx, runs * k, sizeof *c.cluster, "clusters of parts");
    c.found = memory_new(ctx, k, sizeof *c.found, "clusters of parts");
    c.pair = memory_new(ctx, k * k, sizeof *c.pair, "pairs of parts");
    orthant_status status = c.centre && c.cosine && c.cluster && c.found && c.pair
                                ? find_clusters(&c)
                                : ORTHANT_ERROR_MEMORY;
    if (!status)
        judge(&c, stability);
    memory_free(ctx, c.pair);
    memory_free(ctx, c.found);
    memory_free(ctx, c.cluster);
    memory_free(ctx, c.cosine);
    memory_free(ctx, c.centre);
    return status;
}
