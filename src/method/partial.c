/* orthant_partial_fit: one step of a fit of data that come in pieces (online.c), from what the step
 * before left. */
#include <stdio.h>
#include <string.h>

#include "method/method.h"
#include "method/online.h"

static const char *const carried[] = {"basis", "numerators", "denominators"};
enum { CARRIED = sizeof carried / sizeof *carried };

/* The starts in place of the model's own; false where the result has not all of them. */
static bool take_starts(orthant_model *model, const orthant_result *before)
{
    for (int i = 0; i < CARRIED; i++) {
        const orthant_matrix *factor = orthant_result_factor(before, carried[i]);
        if (!factor)
            return false;
        snprintf(model->starts[i].name, sizeof model->starts[i].name, "%s", carried[i]);
        model->starts[i].matrix = factor;
    }
    model->start_count = CARRIED;
    return true;
}

orthant_status orthant_partial_fit(orthant_model *model, const orthant_matrix *batch,
                                   const orthant_result *before, orthant_result **result)
{
    if (result)
        *result = NULL;
    const orthant_status refused =
        entry_check(model ? model->ctx : NULL, batch && result, __func__);
    if (refused)
        return refused;
    if (!parameter_has(&model->parameters, "partial"))
        return fail(model->ctx, ORTHANT_ERROR_ARGUMENT,
                    "method '%s' does not learn from data in pieces, as nmf and nmf-kl do",
                    model->method->name);
    const orthant_model as_it_was = *model;
    orthant_status status = orthant_model_set(model, "partial", "yes");
    if (!status)
        status = orthant_model_set(model, "batch", "0");
    if (!status && before && !take_starts(model, before))
        status = fail(model->ctx, ORTHANT_ERROR_ARGUMENT,
                      "the result is of no fit of a piece: it has no numerators and denominators");
    if (!status)
        status = orthant_fit(model, batch, result);
    *model = as_it_was;
    return status;
}
