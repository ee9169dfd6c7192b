/* Labels that several starts agree on (Strehl and Ghosh 2002; Fred and Jain 2005).
 *
 * Each start has labels of its own. The co-association C_ij of two samples is the share of the R
 * starts in which they have one label. With z_i the indicators of a sample's labels, an entry for
 * each label of each start, |z_i - z_j|^2 = 2 R (1 - C_ij): k-means on the z_i clusters by the
 * co-association and takes n R k numbers, where C itself has n^2. */
#include "method/ensemble.h"

#include <string.h>

#include "cluster/rescaled.h"
#include "core/memory.h"

/* "consensus-kmeans:relation" is "kmeans:relation" for each start; without a rule behind it NULL,
 * the method's own. */
static const char *rule_of_each(const char *rule)
{
    const size_t length = strlen(CONSENSUS_RULE);
    return !rule_is_consensus(rule) ? rule : rule[length] == '-' ? rule + length + 1 : NULL;
}

void ensemble_free(ensemble *e)
{
    if (!e)
        return;
    memory_free(e->ctx, e->label);
    memory_free(e->ctx, e);
}

/* ------------------------------------------------------------------ the starts */

typedef struct voting {
    ensemble *e;
    const start_watch *before;
    const char *rule;
    int64_t clusters;
    int restarts;
    uint64_t seed;
} voting;

static orthant_status prepare(void *user, int64_t start)
{
    const voting *v = user;
    return v->before ? v->before->prepare(v->before->user, start) : ORTHANT_OK;
}

static orthant_status take_labels(void *user, int64_t start, const orthant_result *result)
{
    const voting *v = user;
    ensemble *e = v->e;
    orthant_labels *labels = NULL;
    const orthant_status status = orthant_result_labels(result, v->rule, v->clusters, v->restarts,
                                                        start_seed(v->seed, start), &labels);
    if (status)
        return status;
    const int64_t *value = orthant_labels_values(labels);
    for (int64_t i = 0; i < e->samples; i++) {
        e->label[start * e->samples + i] = (int32_t)value[i];
        if (value[i] >= e->most)
            e->most = value[i] + 1;
    }
    e->starts = start + 1;
    orthant_labels_free(labels);
    return ORTHANT_OK;
}

static ensemble *new_ensemble(orthant_context *ctx, int64_t starts, int64_t samples)
{
    int64_t count;
    ensemble *e = memory_new(ctx, 1, sizeof *e, "labels of starts");
    if (!e)
        return NULL;
    *e = (ensemble){.ctx = ctx, .samples = samples};
    if (size_multiply(starts, samples, &count))
        e->label = memory_new(ctx, count, sizeof *e->label, "labels of starts");
    if (e->label)
        return e;
    ensemble_free(e);
    return NULL;
}

orthant_status fit_ensemble(orthant_model *model, const orthant_matrix *samples, int64_t starts,
                            const char *rule, int64_t clusters, int restarts,
                            const start_watch *before, orthant_result **result)
{
    if (samples->part.total)
        return fail(model->ctx, ORTHANT_ERROR_UNSUPPORTED,
                    "labels by '" CONSENSUS_RULE "' take all samples in one process");
    voting v = {.e = new_ensemble(model->ctx, starts, samples->rows),
                .before = before,
                .rule = rule_of_each(rule),
                .clusters = clusters,
                .restarts = restarts,
                .seed = (uint64_t)parameter_whole(&model->parameters, "seed")};
    if (!v.e)
        return ORTHANT_ERROR_MEMORY;
    const start_watch watch = {prepare, take_labels, &v};
    const orthant_status status = fit_starts(model, samples, starts, &watch, result);
    if (status)
        ensemble_free(v.e);
    else
        (*result)->ensemble = v.e;
    return status;
}

orthant_status orthant_fit_ensemble(orthant_model *model, const orthant_matrix *samples,
                                    int64_t starts, const char *rule, int64_t clusters,
                                    int restarts, orthant_result **result)
{
    kept_graph own = {0};
    if (result)
        *result = NULL;
    orthant_status status = entry_check(model ? model->ctx : NULL, samples && result, __func__);
    if (!status)
        status = starts_check(model, starts, 2);
    if (status)
        return status;
    if (!model->kept_graph)
        /* cppcheck-suppress autoVariables ; it is taken back below */
        model->kept_graph = &own;
    status = fit_ensemble(model, samples, starts, rule, clusters, restarts, NULL, result);
    if (model->kept_graph == &own)
        model->kept_graph = NULL;
    kept_graph_release(&own);
    return status;
}

/* ------------------------------------------------------------------ what they agree on */

orthant_status ensemble_labels(const ensemble *e, int64_t clusters, int restarts, uint64_t seed,
                               orthant_labels **labels)
{
    orthant_matrix *indicators = NULL;
    double inertia;
    orthant_status status =
        matrix_new_dense(e->ctx, ORTHANT_SINGLE, e->samples, e->starts * e->most, &indicators);
    for (int64_t r = 0; r < e->starts && !status; r++)
        for (int64_t i = 0; i < e->samples; i++)
            matrix_set_value(
                indicators, i * indicators->stride + r * e->most + e->label[r * e->samples + i], 1);
    if (!status)
        status =
            orthant_labels_kmeans(e->ctx, indicators, clusters, restarts, seed, labels, &inertia);
    orthant_matrix_free(indicators);
    return status;
}
