/* Contexts for threads, progress of all jobs together, and the end of them all. */
#include "study/crew.h"

#include <math.h>

#include "core/memory.h"
#include "core/parallel.h"

#define TELL_SECONDS 0.05

/* With the lock held. */
static void tell(crew *c, bool always)
{
    const double now = clock_seconds();
    if (!always && now - c->told < TELL_SECONDS)
        return;
    c->told = now;
    if (!progress_tell(c->ctx, c->phase, c->finished, c->count, now - c->began, (double)NAN))
        atomic_store(&c->stop, true);
}

static bool on_progress(void *user, const orthant_progress *progress)
{
    crew *c = user;
    (void)progress;
    if (!pthread_mutex_trylock(&c->lock)) {
        tell(c, false);
        pthread_mutex_unlock(&c->lock);
    }
    return !atomic_load(&c->stop);
}

orthant_status crew_begin(orthant_context *ctx, const char *phase, int64_t count, crew *c)
{
    const int threads = parallel_threads(ctx);
    const int spare = count > 0 && count < threads ? threads / (int)count : 1;
    *c = (crew){.ctx = ctx, .phase = phase, .count = count, .began = clock_seconds()};
    pthread_mutex_init(&c->lock, NULL);
    c->worker = memory_new(ctx, threads, sizeof(orthant_context *), "the threads of a study");
    if (!c->worker)
        return ORTHANT_ERROR_MEMORY;
    c->workers = threads;
    for (int i = 0; i < threads; i++) {
        if (orthant_context_create(&c->worker[i]))
            return fail(ctx, ORTHANT_ERROR_MEMORY, "out of memory for the threads of a study");
        orthant_context_set_threads(c->worker[i], spare);
        orthant_context_set_precision(c->worker[i], orthant_context_precision(ctx));
        orthant_context_set_confined(c->worker[i], orthant_context_confined(ctx));
        orthant_context_set_progress(c->worker[i], on_progress, c);
    }
    return ORTHANT_OK;
}

orthant_status crew_run(crew *c, crew_job job, void *user)
{
    parallel_for(c->ctx, c->count, job, user);
    if (c->status)
        return c->status;
    return atomic_load(&c->stop) && c->finished < c->count ? ORTHANT_STOPPED : ORTHANT_OK;
}

void crew_end(crew *c)
{
    for (int i = 0; i < c->workers; i++)
        orthant_context_free(c->worker[i]);
    memory_free(c->ctx, c->worker);
    pthread_mutex_destroy(&c->lock);
}

bool crew_stopped(const crew *c)
{
    return atomic_load(&c->stop);
}

bool crew_enter(crew *c)
{
    pthread_mutex_lock(&c->lock);
    return !atomic_load(&c->stop);
}

void crew_leave(crew *c, bool finished, orthant_status status)
{
    if (finished && !atomic_load(&c->stop)) {
        c->finished++;
        tell(c, true);
    }
    if (status && !c->status)
        c->status = status;
    if (c->status)
        atomic_store(&c->stop, true);
    pthread_mutex_unlock(&c->lock);
}
