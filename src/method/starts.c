#include "method/starts.h"

#include <stdio.h>

#include "core/memory.h"
#include "core/random.h"

#define MOST_STARTS 10000

uint64_t start_seed(uint64_t seed, int64_t start)
{
    return start ? 1 + random_below(seed, RANDOM_START, (uint64_t)start, 0, (UINT64_C(1) << 31) - 1)
                 : seed;
}

orthant_status start_set_seed(orthant_model *model, uint64_t seed, int64_t start)
{
    char text[32];
    snprintf(text, sizeof text, "%llu", (unsigned long long)start_seed(seed, start));
    return orthant_model_set(model, "seed", text);
}

/* Of several the one with the lowest objective. */
static void keep_better(orthant_result **kept, orthant_result *next)
{
    const bool better = !*kept || orthant_result_objective(next) < orthant_result_objective(*kept);
    orthant_result_free(better ? *kept : next);
    *kept = better ? next : *kept;
}

orthant_status fit_starts(orthant_model *model, const orthant_matrix *samples, int64_t starts,
                          const start_watch *watch, orthant_result **result)
{
    const uint64_t seed = (uint64_t)parameter_whole(&model->parameters, "seed");
    double seconds = 0,
           *objective = memory_new(model->ctx, starts, sizeof *objective, "objectives");
    orthant_status status = objective ? ORTHANT_OK : ORTHANT_ERROR_MEMORY;
    orthant_result *kept = NULL;
    bool stopped = false;
    int64_t made = 0;
    while (made < starts && !stopped && !status) {
        orthant_result *next = NULL;
        status = start_set_seed(model, seed, made);
        if (!status && watch)
            status = watch->prepare(watch->user, made);
        if (!status)
            status = orthant_fit(model, samples, &next);
        if (!status && watch && watch->made)
            status = watch->made(watch->user, made, next);
        if (status) {
            orthant_result_free(next);
            break;
        }
        stopped = orthant_result_stopped(next);
        seconds += orthant_result_seconds(next);
        objective[made++] = orthant_result_objective(next);
        keep_better(&kept, next);
    }
    const orthant_status restored = start_set_seed(model, seed, 0);
    if (!status)
        status = restored;
    if (status) {
        orthant_result_free(kept);
        memory_free(model->ctx, objective);
        return status;
    }
    kept->starts.objective = objective;
    kept->starts.count = made;
    kept->starts.seconds = seconds;
    *result = kept;
    return ORTHANT_OK;
}

orthant_status starts_check(const orthant_model *model, int64_t starts, int64_t least)
{
    if (starts < least || starts > MOST_STARTS)
        return fail(model->ctx, ORTHANT_ERROR_ARGUMENT, "%lld starts: expected %lld to %d",
                    (long long)starts, (long long)least, MOST_STARTS);
    if (starts > 1 && (model->checkpoint.path || model->checkpoint.resume))
        return fail(model->ctx, ORTHANT_ERROR_ARGUMENT,
                    "several starts would share one checkpoint; a trial has one for each");
    return ORTHANT_OK;
}

orthant_status orthant_fit_starts(orthant_model *model, const orthant_matrix *samples,
                                  int64_t starts, orthant_result **result)
{
    kept_graph own = {0};
    if (result)
        *result = NULL;
    orthant_status status = entry_check(model ? model->ctx : NULL, samples && result, __func__);
    if (!status)
        status = starts_check(model, starts, 1);
    if (status)
        return status;
    if (starts > 1 && !model->kept_graph)
        /* cppcheck-suppress autoVariables ; it is taken back below */
        model->kept_graph = &own;
    status = fit_starts(model, samples, starts, NULL, result);
    if (model->kept_graph == &own)
        model->kept_graph = NULL;
    kept_graph_release(&own);
    return status;
}
