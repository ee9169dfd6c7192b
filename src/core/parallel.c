/* A context's threads. They wait for work by spinning for some microseconds, which is how long the
 * gap between two passes of an iteration is, and sleep after that.
 *
 * Not OpenMP: its threads spin for milliseconds at every barrier, and how long is read from the
 * environment when the program starts, out of a library's reach. On a machine that has other work
 * an iteration then takes ten times as long. */
#define _GNU_SOURCE /* for the processors that this process may use */
#include "core/parallel.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "core/memory.h"

#define SPINS 4000 /* some 20 to 50 microseconds */
#define PARTICIPANT_BITS 12

typedef struct worker {
    struct thread_pool *pool;
    pthread_t thread;
    int index; /* 1, 2, ...: 0 is the caller */
} worker;

typedef struct thread_pool {
    pid_t process; /* a forked child has none of its parent's threads */
    int threads;   /* the caller counted in */
    worker *workers;

    pthread_mutex_t lock;
    pthread_cond_t begin, end;
    /* Changes with every piece of work, under the lock: a counter above PARTICIPANT_BITS, and below
     * it how many threads take part. The others need not even look. */
    atomic_ullong round;
    atomic_int running; /* workers that take part and are not done */
    int spins;          /* none where there are more threads than processors */
    bool quit;

    parallel_task task;
    void *user;
    int64_t count;
    atomic_llong next; /* the next task to take */
} thread_pool;

static inline void relax(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#else
    atomic_signal_fence(memory_order_seq_cst);
#endif
}

static void take_tasks(thread_pool *pool, int thread)
{
    for (;;) {
        const int64_t i = atomic_fetch_add_explicit(&pool->next, 1, memory_order_relaxed);
        if (i >= pool->count)
            return;
        pool->task(pool->user, i, thread);
    }
}

/* Waits until the round is another than `seen`. */
static unsigned long long await_round(thread_pool *pool, unsigned long long seen)
{
    for (int i = 0; i < pool->spins; i++) {
        const unsigned long long round = atomic_load_explicit(&pool->round, memory_order_acquire);
        if (round != seen)
            return round;
        relax();
    }
    pthread_mutex_lock(&pool->lock);
    while (atomic_load(&pool->round) == seen)
        pthread_cond_wait(&pool->begin, &pool->lock);
    const unsigned long long round = atomic_load(&pool->round);
    pthread_mutex_unlock(&pool->lock);
    return round;
}

static void *work(void *argument)
{
    worker *me = argument;
    thread_pool *pool = me->pool;
    unsigned long long round = 0;
    for (;;) {
        round = await_round(pool, round);
        if (me->index >= (int)(round & ((1 << PARTICIPANT_BITS) - 1)))
            continue;
        if (pool->quit)
            return NULL;
        take_tasks(pool, me->index);
        if (atomic_fetch_sub(&pool->running, 1) == 1) {
            pthread_mutex_lock(&pool->lock);
            pthread_cond_signal(&pool->end);
            pthread_mutex_unlock(&pool->lock);
        }
    }
}

static void await_workers(thread_pool *pool)
{
    for (int i = 0; i < pool->spins; i++) {
        if (!atomic_load_explicit(&pool->running, memory_order_acquire))
            return;
        relax();
    }
    pthread_mutex_lock(&pool->lock);
    while (atomic_load(&pool->running))
        pthread_cond_wait(&pool->end, &pool->lock);
    pthread_mutex_unlock(&pool->lock);
}

static void begin_round(thread_pool *pool, int participants)
{
    pthread_mutex_lock(&pool->lock);
    const unsigned long long count = atomic_load(&pool->round) >> PARTICIPANT_BITS;
    atomic_store(&pool->running, participants - 1);
    atomic_store_explicit(&pool->round,
                          (count + 1) << PARTICIPANT_BITS | (unsigned long long)participants,
                          memory_order_release);
    pthread_cond_broadcast(&pool->begin);
    pthread_mutex_unlock(&pool->lock);
}

void parallel_release(orthant_context *ctx)
{
    thread_pool *pool = ctx->pool;
    ctx->pool = NULL;
    if (!pool)
        return;
    if (pool->process == getpid()) {
        pool->quit = true;
        begin_round(pool, pool->threads);
        for (int i = 0; i < pool->threads - 1; i++)
            pthread_join(pool->workers[i].thread, NULL);
        pthread_mutex_destroy(&pool->lock);
        pthread_cond_destroy(&pool->begin);
        pthread_cond_destroy(&pool->end);
    }
    ctx->release(ctx->allocator_user, pool);
}

/* Where the system gives fewer threads than asked for, or no memory, the work is done by fewer. The
 * pool lives as long as the context, so it does not count as memory that the user's objects hold.
 */
static thread_pool *pool_start(orthant_context *ctx, int threads, int processors)
{
    const size_t pool_bytes = (sizeof(thread_pool) + MEMORY_ALIGNMENT - 1) / MEMORY_ALIGNMENT *
                              MEMORY_ALIGNMENT,
                 bytes = pool_bytes + ((size_t)threads * sizeof(worker) + MEMORY_ALIGNMENT - 1) /
                                          MEMORY_ALIGNMENT * MEMORY_ALIGNMENT;
    thread_pool *pool = ctx->allocate(ctx->allocator_user, bytes, MEMORY_ALIGNMENT);
    if (!pool)
        return NULL;
    memset(pool, 0, bytes);
    worker *workers = (worker *)((char *)pool + pool_bytes);
    pool->process = getpid();
    pool->workers = workers;
    pool->threads = 1;
    pool->spins = threads <= processors ? SPINS : 0;
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->begin, NULL);
    pthread_cond_init(&pool->end, NULL);
    for (int i = 1; i < threads; i++) {
        worker *next = &workers[i - 1];
        *next = (worker){.pool = pool, .index = i};
        if (pthread_create(&next->thread, NULL, work, next))
            break;
        pool->threads++;
    }
    return pool;
}

int parallel_processors(void)
{
    long count = sysconf(_SC_NPROCESSORS_ONLN);
#ifdef __linux__
    cpu_set_t allowed;
    if (!sched_getaffinity(0, sizeof allowed, &allowed))
        count = CPU_COUNT(&allowed);
#endif
    return count < 1 ? 1 : count > PARALLEL_MOST_THREADS ? PARALLEL_MOST_THREADS : (int)count;
}

int parallel_threads(const orthant_context *ctx)
{
    return ctx->threads > 0 ? ctx->threads : ctx->processors;
}

/* The pool for as many threads as the context asks for now. */
static thread_pool *pool_of(orthant_context *ctx)
{
    const int threads = parallel_threads(ctx);
    thread_pool *pool = ctx->pool;
    if (pool && (pool->process != getpid() || ctx->pool_threads != threads))
        parallel_release(ctx);
    if (!ctx->pool) {
        ctx->pool = pool_start(ctx, threads, ctx->processors);
        ctx->pool_threads = threads;
    }
    return ctx->pool;
}

void parallel_for_few(orthant_context *ctx, int most, int64_t count, parallel_task task, void *user)
{
    thread_pool *pool = count > 1 && most > 1 && parallel_threads(ctx) > 1 ? pool_of(ctx) : NULL;
    if (!pool || pool->threads == 1) {
        for (int64_t i = 0; i < count; i++)
            task(user, i, 0);
        return;
    }
    pool->task = task;
    pool->user = user;
    pool->count = count;
    atomic_store(&pool->next, 0);
    const int threads = most < pool->threads ? most : pool->threads;
    begin_round(pool, count < threads ? (int)count : threads);
    take_tasks(pool, 0);
    await_workers(pool);
}

void parallel_for(orthant_context *ctx, int64_t count, parallel_task task, void *user)
{
    parallel_for_few(ctx, parallel_threads(ctx), count, task, user);
}
