/* The iterations at which a fit pauses, and the fit from one pause to the next. */
#include "vision/stops.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/text.h"

static orthant_status add_stop(orthant_context *ctx, const char *text, stop_plan *plan)
{
    int64_t iteration;
    const int64_t last = plan->count ? plan->at[plan->count - 1] : 0;
    if (!text_to_int64(text, &iteration) || iteration <= last)
        return fail(ctx, ORTHANT_ERROR_ARGUMENT,
                    "snapshots: '%s': expected iterations in rising order, as in 2,450,1000", text);
    if (plan->count == SEGMENT_MOST_SNAPSHOTS)
        return fail(ctx, ORTHANT_ERROR_ARGUMENT, "snapshots: at most %d", SEGMENT_MOST_SNAPSHOTS);
    plan->at[plan->count++] = iteration;
    return ORTHANT_OK;
}

orthant_status stops_plan(orthant_context *ctx, const char *method, const char *list,
                          int64_t iterations, int64_t usual, stop_plan *plan)
{
    orthant_status status = ORTHANT_OK;
    *plan = (stop_plan){.count = 0};
    list = list ? list : "";
    if (*list && (strcmp(method, "kmeans") == 0 || strcmp(method, "fseg") == 0))
        return fail(ctx, ORTHANT_ERROR_ARGUMENT,
                    "snapshots: %s has none; use grpnmf or another factorisation by updates",
                    method);
    while (*list && !status) {
        char word[24];
        const size_t length = strcspn(list, ",");
        snprintf(word, sizeof word, "%.*s", length < sizeof word ? (int)length : 23, list);
        status = add_stop(ctx, word, plan);
        list += length + (list[length] == ',');
    }
    if (status)
        return status;
    const int64_t last = plan->count ? plan->at[plan->count - 1] : 0;
    if (iterations <= 0)
        iterations = last > usual ? last : usual;
    if (last > iterations)
        return fail(ctx, ORTHANT_ERROR_ARGUMENT,
                    "snapshots: %" PRId64 " is past the last of %" PRId64 " iterations", last,
                    iterations);
    plan->at[plan->count++] = iterations;
    return ORTHANT_OK;
}

static orthant_status fit_piece(orthant_model *model, const orthant_matrix *features,
                                int64_t iterations, orthant_result **result)
{
    orthant_result *before = *result;
    char text[24];
    snprintf(text, sizeof text, "%" PRId64, iterations);
    orthant_status status = orthant_model_set(model, "iterations", text);
    for (int i = 0; before && i < orthant_result_factor_count(before) && !status; i++) {
        const char *factor = orthant_result_factor_name(before, i);
        status = orthant_model_set_start(model, factor, orthant_result_factor(before, factor));
    }
    /* the stages of a continuation lie behind */
    if (before && !status && orthant_model_get(model, "stages", text, sizeof text) == ORTHANT_OK)
        status = orthant_model_set(model, "stages", "0");
    *result = NULL;
    if (!status)
        status = orthant_fit(model, features, result);
    orthant_result_free(before);
    return status;
}

orthant_status stops_fit(orthant_model *model, const orthant_matrix *features,
                         const stop_plan *plan, stops_keep keep, void *user,
                         orthant_result **result, stops_end *end)
{
    /* A fit that may end between two stops shows the same labels at both. */
    orthant_status status =
        plan->count > 1 ? orthant_model_set(model, "tolerance", "0") : ORTHANT_OK;
    *result = NULL;
    *end = (stops_end){0};
    for (int i = 0; i < plan->count && !status; i++) {
        const int64_t piece = plan->at[i] - end->iterations;
        if (piece > 0 && !end->interrupted) {
            status = fit_piece(model, features, piece, result);
            end->iterations += status ? 0 : orthant_result_iterations(*result);
            end->interrupted = orthant_result_stopped(*result);
        }
        if (!status && i < plan->count - 1)
            status = keep(user, *result, plan->at[i]);
    }
    if (status) {
        orthant_result_free(*result);
        *result = NULL;
    }
    return status;
}
