/* Scores of found clusters beside the true classes, all from the contingency table n_ij with row
 * sums a_i, column sums b_j and total n. */
#include <inttypes.h>
#include <math.h>

#include "core/sized.h"
#include "core/memory.h"
#include "data/labels.h"
#include "orthant/score.h"
#include "score/table.h"

/* The share of samples under the best matching. */
static orthant_status accuracy(orthant_context *ctx, const table *t, double *score)
{
    int64_t matched = 0;
    int64_t *class_of = memory_new(ctx, t->clusters, sizeof *class_of, "a matching");
    const orthant_status status = class_of ? table_match(ctx, t, class_of) : ORTHANT_ERROR_MEMORY;
    for (int64_t e = 0; e < t->cells && !status; e++)
        if (class_of[t->cell[e].cluster] == t->cell[e].class)
            matched += t->cell[e].count;
    *score = (double)matched / (double)t->samples;
    memory_free(ctx, class_of);
    return status;
}

static double entropy(const int64_t *size, int64_t count, double n)
{
    double sum = 0.0;
    for (int64_t i = 0; i < count; i++)
        sum -= (double)size[i] / n * log((double)size[i] / n);
    return sum;
}

/* Mutual information over the larger entropy. */
static double nmi(const table *t)
{
    const double n = (double)t->samples;
    const double larger =
        fmax(entropy(t->cluster_size, t->clusters, n), entropy(t->class_size, t->classes, n));
    double information = 0.0;
    if (t->clusters == 1 && t->classes == 1)
        return 1.0;
    for (int64_t e = 0; e < t->cells; e++) {
        const table_cell c = t->cell[e];
        const double together = (double)c.count;
        information += together / n *
                       log(together * n /
                           ((double)t->cluster_size[c.cluster] * (double)t->class_size[c.class]));
    }
    return fmin(fmax(information / larger, 0.0), 1.0);
}

static double pairs_of(double count)
{
    return 0.5 * count * (count - 1.0);
}

/* Hubert and Arabie 1985; 1 where both partitions are trivial in the same way. */
static double ari(const table *t)
{
    double together = 0.0, clusters = 0.0, classes = 0.0;
    for (int64_t e = 0; e < t->cells; e++)
        together += pairs_of((double)t->cell[e].count);
    for (int64_t i = 0; i < t->clusters; i++)
        clusters += pairs_of((double)t->cluster_size[i]);
    for (int64_t j = 0; j < t->classes; j++)
        classes += pairs_of((double)t->class_size[j]);
    const double all = pairs_of((double)t->samples);
    const double expected = all > 0.0 ? clusters * classes / all : 0.0;
    const double most = 0.5 * (clusters + classes);
    return most > expected ? (together - expected) / (most - expected) : 1.0;
}

/* Every cluster counts its largest class. */
static double purity(const table *t)
{
    int64_t sum = 0;
    for (int64_t e = 0; e < t->cells;) {
        int64_t largest = 0;
        const int64_t cluster = t->cell[e].cluster;
        for (; e < t->cells && t->cell[e].cluster == cluster; e++)
            largest = t->cell[e].count > largest ? t->cell[e].count : largest;
        sum += largest;
    }
    return (double)sum / (double)t->samples;
}

orthant_status orthant_score_labels(orthant_context *context, const orthant_labels *found,
                                    const orthant_labels *truth, orthant_scores *scores)
{
    table t;
    const orthant_status refused = entry_check(context, found && truth && scores, __func__);
    if (refused)
        return refused;
    if (found->count != truth->count)
        return fail(context, ORTHANT_ERROR_ARGUMENT,
                    "%" PRId64 " found labels, but %" PRId64
                    " true ones: give one of each per sample",
                    found->count, truth->count);
    orthant_status status = table_make(context, found, truth, &t);
    if (status != ORTHANT_OK)
        return status;
    orthant_scores found_scores = {.size = sizeof found_scores};
    double matched = 0.0;
    status = accuracy(context, &t, &matched);
    if (status == ORTHANT_OK)
        found_scores = (orthant_scores){sizeof found_scores, matched,   nmi(&t),    ari(&t),
                                        purity(&t),          t.samples, t.clusters, t.classes};
    table_free(context, &t);
    return status
               ? status
               : sized_give(context, "orthant_score_labels", &found_scores, sizeof *scores, scores);
}
