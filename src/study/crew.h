/* Jobs side by side on the threads of a context: each thread has a context of its own, and what a
 * job leaves behind is taken in by one thread at a time. */
#ifndef STUDY_CREW_H
#define STUDY_CREW_H

#include <pthread.h>
#include <stdatomic.h>

#include "core/context.h"

typedef struct crew {
    orthant_context *ctx; /* the one whose threads these are */
    const char *phase;    /* of the progress: "runs" */
    int workers;
    orthant_context **worker; /* one for each thread */
    int64_t count;            /* of jobs */
    pthread_mutex_t lock;     /* for all below, the context, and what the jobs leave */
    int64_t finished;
    double began, told;
    orthant_status status; /* the first failure that ends them all */
    atomic_bool stop;
} crew;

/* Does one job on worker[thread]; leaves what it found between crew_enter and crew_leave. */
typedef void (*crew_job)(void *user, int64_t index, int thread);

/* For `count` jobs; crew_end in any case. */
orthant_status crew_begin(orthant_context *ctx, const char *phase, int64_t count, crew *c);
/* All jobs, the first first. Returns what ended them all, or ORTHANT_STOPPED without a message
 * where the progress callback asked for it. */
orthant_status crew_run(crew *c, crew_job job, void *user);
void crew_end(crew *c);

bool crew_stopped(const crew *c);
/* Takes the lock; false where all is being stopped, and then what the job found does not count.
 * crew_leave follows either way. */
bool crew_enter(crew *c);
/* `finished`: the job is done with this; `status` is what ends all jobs. */
void crew_leave(crew *c, bool finished, orthant_status status);

#endif
