/* The only code that knows threads. Work is cut into tasks by the problem's size alone, and no two
 * tasks write to the same memory, so any number of threads gives the same bits. */
#ifndef CORE_PARALLEL_H
#define CORE_PARALLEL_H

#include "core/context.h"

#define PARALLEL_MOST_THREADS 1024

/* How many this process may use. */
int parallel_processors(void);
int parallel_threads(const orthant_context *ctx);

/* Calls task(user, i, thread) for i = 0 .. count - 1, in any order; 0 <= thread <
 * min(count, parallel_threads(ctx)). Not from inside a task, nor on one context from two threads at
 * once. */
typedef void (*parallel_task)(void *user, int64_t index, int thread);
void parallel_for(orthant_context *ctx, int64_t count, parallel_task task, void *user);
/* The same by no more than `most` threads, for tasks that need much memory each. */
void parallel_for_few(orthant_context *ctx, int most, int64_t count, parallel_task task,
                      void *user);

/* Ends the context's threads. */
void parallel_release(orthant_context *ctx);

#endif
