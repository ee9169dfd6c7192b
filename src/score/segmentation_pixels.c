/* Criteria that match every true region with at most one found region (Haindl and Mikes 2008): the
 * one-to-one matching with the largest total overlap. For a true region a, nii is its overlap with
 * its partner and m the partner's size, both 0 where it has none. */
#include "score/segmentation.h"

#include <math.h>
#include <stdlib.h>

#include "core/memory.h"
#include "score/assignment.h"

/* The partners: class_of[b] is found region b's, and for each true region nii and m. */
typedef struct partners {
    int64_t *class_of; /* clusters; -1 alone */
    int64_t *overlap;  /* clusters: T with the partner */
    int64_t *nii, *m;  /* classes */
    assignment_pair *pair;
} partners;

#define SLIGHT 0.05

/* Of matchings with the same overlap the one with the largest sum of Jaccard indices counts, not
 * the order of the regions; all these indices together weigh less than a pixel. Slight overlaps
 * have no such weight: thousands of hardly different values would make the search long. */
static void weigh_pairs(const table *t, assignment_pair *pair)
{
    const int64_t most = t->classes < t->clusters ? t->classes : t->clusters;
    const double little = 0.5 / (double)(1 + most);
    for (int64_t e = 0; e < t->cells; e++) {
        const table_cell c = t->cell[e];
        const int64_t both = t->cluster_size[c.cluster] + t->class_size[c.class] - c.count;
        const double jaccard = (double)c.count / (double)both;
        pair[e] = (assignment_pair){c.cluster, c.class,
                                    (double)c.count + (jaccard < SLIGHT ? 0.0 : little * jaccard)};
    }
}

static orthant_status find_partners(orthant_context *ctx, const table *t, partners *p)
{
    p->pair = memory_new(ctx, t->cells, sizeof *p->pair, "overlaps of regions");
    p->class_of = memory_new(ctx, t->clusters, sizeof *p->class_of, "partners of regions");
    p->overlap = memory_new(ctx, t->clusters, sizeof *p->overlap, "partners of regions");
    p->nii = memory_new(ctx, t->classes, sizeof *p->nii, "partners of regions");
    p->m = memory_new(ctx, t->classes, sizeof *p->m, "partners of regions");
    if (!p->pair || !p->class_of || !p->overlap || !p->nii || !p->m)
        return ORTHANT_ERROR_MEMORY;
    weigh_pairs(t, p->pair);
    const orthant_status status =
        assignment_largest(ctx, t->clusters, t->classes, p->pair, t->cells, p->class_of);
    for (int64_t e = 0; e < t->cells && status == ORTHANT_OK; e++) {
        const table_cell c = t->cell[e];
        if (p->class_of[c.cluster] == c.class) {
            p->overlap[c.cluster] = p->nii[c.class] = c.count;
            p->m[c.class] = t->cluster_size[c.cluster];
        }
    }
    return status;
}

static int by_number(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return a < b ? -1 : a > b;
}

/* The median over regions of the share that the partner does not have, in percent. */
static orthant_status median_error(orthant_context *ctx, int64_t count, const int64_t *size,
                                   const int64_t *shared, double *median)
{
    double *error = memory_new(ctx, count, sizeof *error, "errors of regions");
    if (!error)
        return ORTHANT_ERROR_MEMORY;
    for (int64_t i = 0; i < count; i++)
        error[i] = (double)(size[i] - shared[i]) / (double)size[i];
    qsort(error, (size_t)count, sizeof *error, by_number);
    *median = 100.0 * (error[(count - 1) / 2] + error[count / 2]) / 2.0;
    memory_free(ctx, error);
    return ORTHANT_OK;
}

static double root_mean_square(const table *t, const partners *p)
{
    const double n = (double)t->samples;
    const int64_t regions = t->classes > t->clusters ? t->classes : t->clusters;
    double squares = 0.0;
    for (int64_t a = 0; a < t->classes; a++)
        squares += pow((double)(p->m[a] - t->class_size[a]) / n, 2.0);
    for (int64_t b = 0; b < t->clusters; b++)
        if (p->class_of[b] < 0)
            squares += pow((double)t->cluster_size[b] / n, 2.0);
    return 100.0 * sqrt(squares / (double)regions);
}

/* The sums over true regions, each weighted by its share of the pixels. */
static void add_regions(const table *t, const partners *p, orthant_segmentation_scores *scores)
{
    const double n = (double)t->samples;
    int64_t assigned = 0;
    for (int64_t a = 0; a < t->classes; a++) {
        const double R = (double)t->class_size[a], m = (double)p->m[a], nii = (double)p->nii[a];
        const double weight = 100.0 * R / n;
        scores->ca += weight * nii / (R + m - nii);
        scores->c_weighted += 100.0 * (m - nii) / n;
        scores->ea += weight * 2.0 * nii / (R + m);
        scores->ms += 100.0 * (1.5 * nii - 0.5 * m) / n;
        if (m > 0.0) {
            scores->cc += weight * nii / m;
            scores->ci += 100.0 * nii * sqrt(R / m) / n;
        }
        /* A region that is the whole picture leaves nothing for a partner to take wrongly. */
        if (R < n)
            scores->ii += weight * (m - nii) / (n - R);
        assigned += p->nii[a];
    }
    scores->co = 100.0 * (double)assigned / n;
    scores->i = scores->o_weighted = 100.0 * (double)(t->samples - assigned) / n;
}

/* The mean of the F-measure's curve, P R ln(R / P) / (R - P), which is P where both are equal. */
static double mean_f(double P, double R)
{
    const double excess = (R - P) / P;
    return P <= 0.0 ? 0.0 : fabs(excess) < 1e-12 ? P : R * log1p(excess) / excess;
}

orthant_status score_pixels(orthant_context *ctx, const table *t,
                            orthant_segmentation_scores *scores)
{
    partners p = {0};
    orthant_status status = find_partners(ctx, t, &p);
    if (status == ORTHANT_OK)
        status = median_error(ctx, t->classes, t->class_size, p.nii, &scores->o);
    if (status == ORTHANT_OK)
        status = median_error(ctx, t->clusters, t->cluster_size, p.overlap, &scores->c);
    if (status == ORTHANT_OK) {
        add_regions(t, &p, scores);
        scores->rm = root_mean_square(t, &p);
        scores->f = orthant_segmentation_f(scores, 0.5);
        scores->f_bar = mean_f(scores->cc, scores->co);
    }
    memory_free(ctx, p.pair);
    memory_free(ctx, p.class_of);
    memory_free(ctx, p.overlap);
    memory_free(ctx, p.nii);
    memory_free(ctx, p.m);
    return status;
}
