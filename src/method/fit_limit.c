/* The time limit over all that a fit does before its loop: whatever tells its progress is told to
 * stop when the limit has passed. The loop looks at the limit itself, and ends with a result. */
#include <string.h>

#include "engine/group.h"
#include "method/fit.h"

static bool tell_within(void *user, const orthant_progress *progress)
{
    fit_limit *limit = user;
    const bool is_loop = !strcmp(progress->phase, "fit");
    if (!is_loop && clock_seconds() - limit->begun >= limit->seconds) {
        limit->passed = true;
        return false;
    }
    return !limit->progress || limit->progress(limit->user, progress);
}

void fit_limit_begin(fit *f, fit_limit *limit)
{
    orthant_context *ctx = f->ctx;
    *limit = (fit_limit){ctx->progress, ctx->progress_user,
                         f->begun,      parameter_number(&f->model->parameters, "time_limit"),
                         false,         false};
    /* Processes that share samples wait for each other: none may leave alone. */
    limit->set = limit->seconds > 0 && !samples_here(f->samples).shared;
    if (limit->set) {
        orthant_context_set_progress(ctx, tell_within, limit);
        ctx->deadline = limit->begun + limit->seconds;
    }
}

orthant_status fit_limit_end(fit *f, const fit_limit *limit, orthant_status status)
{
    orthant_context *ctx = f->ctx;
    if (!limit->set)
        return status;
    orthant_context_set_progress(ctx, limit->progress, limit->user);
    ctx->deadline = 0;
    if (status != ORTHANT_STOPPED || !limit->passed || strstr(ctx->message, "time limit"))
        return status;
    char message[sizeof ctx->message];
    memcpy(message, ctx->message, sizeof message);
    return fail(ctx, status, "the time limit of %g s passed: %.900s", limit->seconds, message);
}
