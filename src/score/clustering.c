/* Scores of found clusters beside the true classes, all from the contingency table n_ij with row
 * sums a_i, column sums b_j and total n. */
#include <inttypes.h>
#include <math.h>

#include "core/sized.h"
#include "core/memory.h"
#include "data/labels.h"
#include "orthant/score.h"
#include "score/information.h"

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

/* Everything but the accuracy, which can fail. */
static orthant_scores count_scores(const table *t, const information *known)
{
    const double clusters = known->clusters, classes = known->classes;
    const double v_measure = information_share(known, 0.5 * (clusters + classes));
    return (orthant_scores){
        .size = sizeof(orthant_scores),
        .nmi = information_share(known, fmax(clusters, classes)),
        .ari = ari(t),
        .purity = purity(t),
        .samples = t->samples,
        .clusters = t->clusters,
        .classes = t->classes,
        .nmi_arithmetic = v_measure,
        .nmi_geometric = information_share(known, sqrt(clusters * classes)),
        .nmi_min = information_share(known, fmin(clusters, classes)),
        .ami = information_adjusted(known),
        .homogeneity = classes > 0 ? information_share(known, classes) : 1.0,
        .completeness = clusters > 0 ? information_share(known, clusters) : 1.0,
        .v_measure = v_measure,
    };
}

orthant_status orthant_score_labels(orthant_context *context, const orthant_labels *found,
                                    const orthant_labels *truth, orthant_scores *scores)
{
    table t;
    information known;
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
    status = information_of(context, &t, &known);
    if (status == ORTHANT_OK) {
        found_scores = count_scores(&t, &known);
        status = accuracy(context, &t, &found_scores.accuracy);
    }
    table_free(context, &t);
    return status
               ? status
               : sized_give(context, "orthant_score_labels", &found_scores, sizeof *scores, scores);
}
