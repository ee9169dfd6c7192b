/* The fits of a consensus: many starts, and one more with the parts that they agree on held. */
#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "core/sized.h"
#include "method/consensus_parts.h"
#include "method/factor.h"
#include "method/method.h"
#include "method/starts.h"

/* Whether every start would be the same. */
static orthant_status check_starts_differ(const orthant_model *model)
{
    const char *init = parameter_text(&model->parameters, "init");
    for (int i = 0; i < model->start_count; i++)
        if (model->starts[i].matrix)
            return fail(model->ctx, ORTHANT_ERROR_ARGUMENT,
                        "a consensus is of starts that differ, and the start of the %s is given",
                        model->starts[i].name);
    if (!strcmp(init, "nndsvd") || !strcmp(init, "nndsvda"))
        return fail(model->ctx, ORTHANT_ERROR_ARGUMENT,
                    "a consensus is of starts that differ, and init = '%s' makes them all the "
                    "same; take random, uniform, nndsvdar or kmeans",
                    init);
    return ORTHANT_OK;
}

orthant_status consensus_check_model(const orthant_model *model)
{
    if (model->method->run != factor_run)
        return fail(model->ctx, ORTHANT_ERROR_ARGUMENT,
                    "method '%s' has no consensus: its parts cannot be held while the encodings "
                    "are fitted; models of a loss and terms have one, as nmf",
                    model->method->name);
    if (model->fixed_basis && model->fixed_basis->columns >= model->rank)
        return fail(model->ctx, ORTHANT_ERROR_ARGUMENT,
                    "a consensus finds the parts that are not fixed, and %lld fixed ones are given "
                    "of %lld",
                    (long long)model->fixed_basis->columns, (long long)model->rank);
    if (model->ctx->device)
        return fail(model->ctx, ORTHANT_ERROR_ARGUMENT,
                    "a consensus holds its parts, which a device cannot; it runs on the CPU");
    return check_starts_differ(model);
}

/* What the starts leave behind. */
typedef struct gathering {
    orthant_model *model;
    const orthant_matrix *samples;
    const start_watch *before;
    consensus *found;
    double *objective; /* of each start */
    double seconds;    /* of all fits */
} gathering;

static orthant_status fit_one(gathering *g, int64_t number, uint64_t seed, orthant_result **result)
{
    orthant_status status = start_set_seed(g->model, seed, number);
    if (!status && g->before)
        status = g->before->prepare(g->before->user, number);
    if (!status)
        status = orthant_fit(g->model, g->samples, result);
    if (!status)
        g->seconds += orthant_result_seconds(*result);
    return status;
}

static orthant_status fit_all(gathering *g, uint64_t seed)
{
    const int64_t starts = g->found->info.starts;
    orthant_status status = ORTHANT_OK;
    for (int64_t s = 0; s < starts && !status; s++) {
        orthant_result *one = NULL;
        status = fit_one(g, s, seed, &one);
        if (!status && orthant_result_stopped(one))
            status = fail(g->model->ctx, ORTHANT_STOPPED,
                          "stopped in start %lld of %lld: there is no consensus yet",
                          (long long)s + 1, (long long)starts);
        if (!status) {
            g->objective[s] = orthant_result_objective(one);
            consensus_take(g->found, s, orthant_result_factor(one, "basis"));
        }
        orthant_result_free(one);
    }
    return status;
}

/* The encodings, with the model's own seed. The parts have unit length, which is all that
 * normalise=basis asks for; a fit that holds parts does not take it. */
static orthant_status fit_held(gathering *g, uint64_t seed, const orthant_matrix *basis,
                               orthant_result **result)
{
    const orthant_matrix *given = g->model->fixed_basis;
    const bool unit = !strcmp(parameter_text(&g->model->parameters, "normalise"), "basis");
    orthant_status status = start_set_seed(g->model, seed, 0);
    if (!status && unit)
        status = orthant_model_set(g->model, "normalise", "none");
    g->model->fixed_basis = basis;
    if (!status && g->before)
        status = g->before->prepare(g->before->user, g->found->info.starts);
    if (!status)
        status = orthant_fit(g->model, g->samples, result);
    g->model->fixed_basis = given;
    if (!status)
        g->seconds += orthant_result_seconds(*result);
    const orthant_status restored =
        unit ? orthant_model_set(g->model, "normalise", "basis") : ORTHANT_OK;
    return status ? status : restored;
}

orthant_status fit_consensus(orthant_model *model, const orthant_matrix *samples,
                             const orthant_consensus_options *options, const start_watch *before,
                             orthant_result **result)
{
    orthant_context *ctx = model->ctx;
    const uint64_t seed = (uint64_t)parameter_whole(&model->parameters, "seed");
    const int64_t fixed = model->fixed_basis ? model->fixed_basis->columns : 0;
    gathering g = {.model = model, .samples = samples, .before = before};
    orthant_matrix *basis = NULL;
    orthant_status status = consensus_check_model(model);
    if (!status)
        status =
            consensus_new(ctx, options, model->rank - fixed, fixed, samples->columns, &g.found);
    if (status)
        return status;
    g.objective = memory_new(ctx, options->starts, sizeof *g.objective, "objectives");
    status = g.objective ? fit_all(&g, seed) : ORTHANT_ERROR_MEMORY;
    if (!status)
        status = consensus_find(g.found, model->fixed_basis, options->restarts, seed, &basis);
    if (!status)
        status = fit_held(&g, seed, basis, result);
    const orthant_status restored = start_set_seed(model, seed, 0);
    orthant_matrix_free(basis);
    if (!status)
        status = restored;
    if (status) {
        orthant_result_free(*result);
        *result = NULL;
        consensus_free(g.found);
        memory_free(ctx, g.objective);
        return status;
    }
    (*result)->starts.objective = g.objective;
    (*result)->starts.count = options->starts;
    (*result)->starts.seconds = g.seconds;
    (*result)->consensus = g.found;
    return ORTHANT_OK;
}

orthant_status orthant_fit_consensus(orthant_model *model, const orthant_matrix *samples,
                                     const orthant_consensus_options *options,
                                     orthant_result **result)
{
    kept_graph own = {0};
    orthant_consensus_options taken;
    if (result)
        *result = NULL;
    const orthant_status refused =
        entry_check(model ? model->ctx : NULL, samples && result, __func__);
    if (refused)
        return refused;
    orthant_status status = consensus_options(model->ctx, options, &taken);
    if (!status && (model->checkpoint.path || model->checkpoint.resume))
        status = fail(model->ctx, ORTHANT_ERROR_ARGUMENT,
                      "several starts would share one checkpoint; a trial has one for each");
    if (status)
        return status;
    if (!model->kept_graph)
        /* cppcheck-suppress autoVariables ; it is taken back below */
        model->kept_graph = &own;
    status = fit_consensus(model, samples, &taken, NULL, result);
    if (model->kept_graph == &own)
        model->kept_graph = NULL;
    kept_graph_release(&own);
    return status;
}

/* ---- what was found ---------------------------------------------------------------------------
 */

static orthant_status refuse(const orthant_result *result, bool given, const char *function)
{
    const orthant_status refused = entry_check(result ? result->ctx : NULL, given, function);
    if (refused)
        return refused;
    return result->consensus ? ORTHANT_OK
                             : fail(result->ctx, ORTHANT_ERROR_ARGUMENT,
                                    "%s: the result is of one start or the best of several, and "
                                    "no consensus",
                                    function);
}

orthant_status orthant_result_consensus(const orthant_result *result, orthant_consensus_info *info)
{
    const orthant_status refused = refuse(result, info != NULL, __func__);
    return refused ? refused
                   : sized_give(result->ctx, __func__, &result->consensus->info,
                                sizeof result->consensus->info, info);
}

orthant_status orthant_result_consensus_part(const orthant_result *result, int64_t index,
                                             orthant_consensus_part *part)
{
    const orthant_status refused = refuse(result, part != NULL, __func__);
    if (refused)
        return refused;
    const consensus *c = result->consensus;
    const int64_t count = c->info.fixed + c->rank;
    if (index < 0 || index >= count)
        return fail(result->ctx, ORTHANT_ERROR_ARGUMENT,
                    "the consensus has %lld parts, and none with the number %lld", (long long)count,
                    (long long)index);
    return sized_give(result->ctx, __func__, &c->part[index], sizeof *c->part, part);
}

orthant_status orthant_result_consensus_member(const orthant_result *result, int64_t index,
                                               orthant_consensus_member *member)
{
    const orthant_status refused = refuse(result, member != NULL, __func__);
    if (refused)
        return refused;
    const consensus *c = result->consensus;
    if (index < 0 || index >= c->info.members)
        return fail(result->ctx, ORTHANT_ERROR_ARGUMENT,
                    "the consensus is of %lld parts, and none has the number %lld",
                    (long long)c->info.members, (long long)index);
    return sized_give(result->ctx, __func__, &c->member[index], sizeof *c->member, member);
}
