/* Criteria of two partitions as wholes, which need no matching: consistency errors (Martin et al.
 * 2001), the metrics of Mirkin (1996), van Dongen (2000) and Meila (2007), the covering (Arbelaez
 * et al. 2011) and the Rand index (Rand 1971; Unnikrishnan et al. 2007). */
#include "score/segmentation.h"

#include <math.h>

#include "core/memory.h"

/* What the sums over cells and regions come to. */
typedef struct sums {
    double truth_error, found_error, least_error; /* pixels: sum T e1, T e2, T min(e1, e2) */
    double squares_truth, squares_found, squares; /* of R, S and T */
    double conditional;                           /* sum T (ln(R / T) + ln(S / T)) */
    int64_t largest_truth, largest_found;         /* sum_a max_b T, sum_b max_a T */
    double covered;                               /* sum_a R max_b IoU */
} sums;

static void add_cells(const table *t, sums *s)
{
    for (int64_t e = 0; e < t->cells; e++) {
        const double T = (double)t->cell[e].count;
        const double R = (double)t->class_size[t->cell[e].class];
        const double S = (double)t->cluster_size[t->cell[e].cluster];
        const double e1 = (R - T) / R, e2 = (S - T) / S;
        s->truth_error += T * e1;
        s->found_error += T * e2;
        s->least_error += T * fmin(e1, e2);
        s->squares += T * T;
        s->conditional += T * (log(R / T) + log(S / T));
    }
    for (int64_t a = 0; a < t->classes; a++)
        s->squares_truth += (double)t->class_size[a] * (double)t->class_size[a];
    for (int64_t b = 0; b < t->clusters; b++)
        s->squares_found += (double)t->cluster_size[b] * (double)t->cluster_size[b];
}

/* The largest overlap and the best Jaccard index of every region. */
static void find_largest(const table *t, int64_t *largest, double *best, sums *s)
{
    for (int64_t e = 0; e < t->cells;) {
        const int64_t b = t->cell[e].cluster;
        int64_t most = 0;
        for (; e < t->cells && t->cell[e].cluster == b; e++) {
            const int64_t a = t->cell[e].class, T = t->cell[e].count;
            const int64_t both = t->class_size[a] + t->cluster_size[b] - T;
            most = T > most ? T : most;
            largest[a] = T > largest[a] ? T : largest[a];
            best[a] = fmax(best[a], (double)T / (double)both);
        }
        s->largest_found += most;
    }
    for (int64_t a = 0; a < t->classes; a++) {
        s->largest_truth += largest[a];
        s->covered += (double)t->class_size[a] * best[a];
    }
}

static void tell(const sums *s, int64_t pixels, orthant_segmentation_scores *scores)
{
    const double n = (double)pixels;
    const double apart = fmax(s->squares_truth + s->squares_found - 2.0 * s->squares, 0.0);
    scores->gce = 100.0 * fmin(s->truth_error, s->found_error) / n;
    scores->lce = 100.0 * s->least_error / n;
    scores->dm = 100.0 * apart / (n * n);
    scores->dd = 100.0 * (double)(2 * pixels - s->largest_truth - s->largest_found) / (2.0 * n);
    scores->vi_nats = s->conditional / n;
    scores->vi = scores->vi_nats / log(2.0);
    scores->covering = s->covered / n;
    /* One pixel has no pair to disagree about, and nothing to inform about. */
    scores->dvi = pixels > 1 ? 100.0 * scores->vi_nats / log(n) : 0.0;
    scores->pri = pixels > 1 ? 1.0 - apart / (n * (n - 1.0)) : 1.0;
}

orthant_status score_partitions(orthant_context *ctx, const table *t,
                                orthant_segmentation_scores *scores)
{
    sums s = {0};
    orthant_status status = ORTHANT_ERROR_MEMORY;
    int64_t *largest = memory_new(ctx, t->classes, sizeof *largest, "overlaps of regions");
    double *best = memory_new(ctx, t->classes, sizeof *best, "overlaps of regions");
    if (!largest || !best)
        goto done;
    add_cells(t, &s);
    find_largest(t, largest, best, &s);
    tell(&s, t->samples, scores);
    status = ORTHANT_OK;
done:
    memory_free(ctx, largest);
    memory_free(ctx, best);
    return status;
}
