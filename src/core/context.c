/* The context's settings, messages, log and progress. */
#include "core/context.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "core/memory.h"
#include "core/parallel.h"
#include "core/sized.h"
#include "orthant/version.h"

#define LARGE_PAGE ((size_t)1 << 21)
#define WORTH_LARGE_PAGES (4 * LARGE_PAGE)
#define CHILD_TIME_LIMIT_S 15

const char *orthant_version(void)
{
    return ORTHANT_VERSION;
}

const char *orthant_status_name(orthant_status status)
{
    switch (status) {
    case ORTHANT_OK: return "ok";
    case ORTHANT_ERROR_ARGUMENT: return "argument";
    case ORTHANT_ERROR_FORMAT: return "format";
    case ORTHANT_ERROR_IO: return "io";
    case ORTHANT_ERROR_MEMORY: return "memory";
    case ORTHANT_ERROR_DATA: return "data";
    case ORTHANT_ERROR_NUMERIC: return "numeric";
    case ORTHANT_ERROR_UNSUPPORTED: return "unsupported";
    case ORTHANT_STOPPED: return "stopped";
    }
    return "unknown";
}

/* Blocks of data are asked for in pages of 2 MB: handing out a matrix in pages of 4 kB takes longer
 * than reading a file into it, and fits that go through it are a tenth slower. */
static void *allocate_aligned(void *user, size_t size, size_t alignment)
{
    (void)user;
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    if (size >= WORTH_LARGE_PAGES) {
        void *block = NULL;
        if (posix_memalign(&block, LARGE_PAGE, size))
            return NULL;
        madvise(block, size / LARGE_PAGE * LARGE_PAGE, MADV_HUGEPAGE);
        return block;
    }
#endif
    return aligned_alloc(alignment, size);
}

static void release_aligned(void *user, void *memory)
{
    (void)user;
    free(memory);
}

orthant_status orthant_context_create(orthant_context **context)
{
    if (!context)
        return ORTHANT_ERROR_ARGUMENT;
    *context = calloc(1, sizeof **context);
    if (!*context)
        return ORTHANT_ERROR_MEMORY;
    (*context)->processors = parallel_processors();
    (*context)->allocate = allocate_aligned;
    (*context)->release = release_aligned;
    (*context)->memory_limit = memory_default_limit();
    (*context)->child_time_limit_s = CHILD_TIME_LIMIT_S;
    return ORTHANT_OK;
}

void context_release(orthant_context *ctx)
{
    if (!ctx->closed || ctx->memory > 0)
        return;
    parallel_release(ctx);
    free(ctx);
}

void orthant_context_free(orthant_context *context)
{
    if (!context || context->closed)
        return;
    parallel_release(context); /* threads end now, whatever lives on */
    if (context->group_ends)
        context->group_ends(context->group.user);
    context->group = (orthant_group){0};
    context->group_ends = NULL;
    context->closed = true;
    context->log = NULL;
    context->progress = NULL;
    context_release(context);
}

const char *orthant_message(const orthant_context *context)
{
    return context ? context->message : "";
}

orthant_status orthant_context_set_threads(orthant_context *context, int threads)
{
    const orthant_status refused = entry_check(context, true, __func__);
    if (refused)
        return refused;
    if (threads < 0 || threads > PARALLEL_MOST_THREADS)
        return fail(context, ORTHANT_ERROR_ARGUMENT,
                    "threads = %d: must be between 0 (all processors) and %d", threads,
                    PARALLEL_MOST_THREADS);
    context->threads = threads;
    return ORTHANT_OK;
}

int orthant_context_threads(const orthant_context *context)
{
    return context ? parallel_threads(context) : 0;
}

void orthant_context_set_precision(orthant_context *context, orthant_precision precision)
{
    if (context && (precision == ORTHANT_SINGLE || precision == ORTHANT_DOUBLE))
        context->precision = precision;
}

orthant_precision orthant_context_precision(const orthant_context *context)
{
    return context ? context->precision : ORTHANT_SINGLE;
}

void orthant_context_set_confined(orthant_context *context, bool confined)
{
    if (context)
        context->confined = confined;
}

bool orthant_context_confined(const orthant_context *context)
{
    return context && context->confined;
}

orthant_status orthant_context_set_group(orthant_context *context, const orthant_group *group)
{
    orthant_group own = {0};
    orthant_status status = entry_check(context, true, __func__);
    if (!status)
        status = sized_take(context, __func__, group, &own, sizeof own);
    if (status)
        return status;
    if (group && (own.ranks < 1 || own.rank < 0 || own.rank >= own.ranks || !own.exchange ||
                  !own.gather || !own.abort))
        return fail(context, ORTHANT_ERROR_ARGUMENT,
                    "%s: rank %d of %d: a group has a rank below the number of its ranks, and "
                    "three functions",
                    __func__, own.rank, own.ranks);
    if (context->group_ends)
        return fail(context, ORTHANT_ERROR_ARGUMENT,
                    "%s: the context has the group of a plug-in, which ends with it: make another "
                    "context",
                    __func__);
    context->group = own;
    context->group_broken = false;
    return ORTHANT_OK;
}

int orthant_context_ranks(const orthant_context *context)
{
    return context && context->group.ranks ? context->group.ranks : 1;
}

int orthant_context_rank(const orthant_context *context)
{
    return context ? context->group.rank : 0;
}

void orthant_context_set_log(orthant_context *context, orthant_log_function log, void *user)
{
    if (!context || context->closed)
        return;
    context->log = log;
    context->log_user = user;
}

void orthant_context_set_progress(orthant_context *context, orthant_progress_function progress,
                                  void *user)
{
    if (!context || context->closed)
        return;
    context->progress = progress;
    context->progress_user = user;
}

orthant_status orthant_context_set_allocator(orthant_context *context,
                                             orthant_allocate_function allocate,
                                             orthant_release_function release, void *user)
{
    const orthant_status refused = entry_check(context, true, __func__);
    if (refused)
        return refused;
    if (context->memory)
        return fail(context, ORTHANT_ERROR_ARGUMENT,
                    "the allocator must be set before anything is made in the context");
    context->allocate = allocate ? allocate : allocate_aligned;
    context->release = release ? release : release_aligned;
    context->allocator_user = user;
    return ORTHANT_OK;
}

void orthant_context_set_memory_limit(orthant_context *context, size_t bytes)
{
    if (context)
        context->memory_limit = bytes ? bytes : memory_default_limit();
}

size_t orthant_context_memory_limit(const orthant_context *context)
{
    return context ? context->memory_limit : 0;
}

size_t orthant_context_memory(const orthant_context *context)
{
    return context ? context->memory : 0;
}

size_t orthant_context_peak_memory(const orthant_context *context)
{
    return context ? context->peak_memory : 0;
}

void orthant_context_reset_peak_memory(orthant_context *context)
{
    if (context)
        context->peak_memory = context->memory;
}

void context_forked(orthant_context *ctx)
{
    ctx->allocate = allocate_aligned;
    ctx->release = release_aligned;
    ctx->log = NULL;
    ctx->progress = NULL;
}

/* A message is one line, and quotes what stands in files: ends of lines, and the escapes that steer
 * a terminal, become '?'. */
static void write_message(char *message, size_t size, const char *format, va_list arguments)
{
    vsnprintf(message, size, format, arguments);
    for (unsigned char *at = (unsigned char *)message; *at; at++)
        if (*at < 0x20 || *at == 0x7f)
            *at = '?';
}

orthant_status fail(orthant_context *ctx, orthant_status status, const char *format, ...)
{
    if (ctx) {
        va_list arguments;
        va_start(arguments, format);
        write_message(ctx->message, sizeof ctx->message, format, arguments);
        va_end(arguments);
    }
    return status;
}

orthant_status entry_check(orthant_context *ctx, bool arguments, const char *function)
{
    if (!ctx || !arguments)
        return fail(ctx, ORTHANT_ERROR_ARGUMENT, "%s: an argument is NULL", function);
    if (ctx->closed)
        return fail(ctx, ORTHANT_ERROR_ARGUMENT,
                    "%s: the context was freed; what was made in it can only be read and freed",
                    function);
    return ORTHANT_OK;
}

static void log_message(orthant_context *ctx, orthant_log_level level, const char *format,
                        va_list arguments)
{
    char message[1024];
    if (!ctx || !ctx->log)
        return;
    write_message(message, sizeof message, format, arguments);
    ctx->log(ctx->log_user, level, message);
}

void log_note(orthant_context *ctx, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    log_message(ctx, ORTHANT_LOG_NOTE, format, arguments);
    va_end(arguments);
}

void log_warning(orthant_context *ctx, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    log_message(ctx, ORTHANT_LOG_WARNING, format, arguments);
    va_end(arguments);
}

bool progress_tell(orthant_context *ctx, const char *phase, int64_t done, int64_t total,
                   double seconds, double objective)
{
    const orthant_progress progress = {sizeof progress, phase, done, total, seconds, objective};
    return !ctx->progress || ctx->progress(ctx->progress_user, &progress);
}

double clock_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

bool deadline_passed(const orthant_context *ctx)
{
    return ctx->deadline > 0 && clock_seconds() >= ctx->deadline;
}
