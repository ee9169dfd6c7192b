/* Inside of the context, and how the library fails: `return fail(ctx, ORTHANT_ERROR_..., "...")`.
 */
#ifndef CORE_CONTEXT_H
#define CORE_CONTEXT_H

#include <stdarg.h>

#include "orthant/context.h"
#include "orthant/group.h"

struct orthant_context {
    int threads;    /* 0: as many as there are */
    int processors; /* how many there are */
    orthant_precision precision;
    orthant_log_function log;
    void *log_user;
    orthant_progress_function progress;
    void *progress_user;
    double deadline; /* clock_seconds() at which what is under way has to end; 0: none */
    orthant_allocate_function allocate;
    orthant_release_function release;
    void *allocator_user;
    size_t memory, peak_memory; /* bytes */
    size_t memory_limit;        /* bytes that `memory` must not pass */
    struct thread_pool *pool;   /* made when first used; see core/parallel.c */
    int pool_threads;           /* that it was made for */
    bool confined;              /* files are read in a confined child process; see core/child.h */
    double child_time_limit_s;  /* within which a child must send something */
    orthant_group group;        /* ranks = 0: none */
    void (*group_ends)(void *user);        /* of a plug-in's; or NULL */
    bool group_broken;                     /* one of its functions failed: none is called again */
    const struct device_interface *device; /* where fits run; NULL: on the CPU */
    const struct device_search *device_search; /* what it does beside fits; or NULL */
    int device_number;
    char device_name[48];       /* "cuda:0" */
    size_t device_memory_limit; /* bytes; 0: all that is free */
    int64_t device_strip_bytes; /* set by tests alone, as the next: see engine/device.h */
    bool device_streams;
    bool rounds_products; /* of fits on a device, in single precision */
    bool closed;          /* freed by its user; lives until the last of its objects is freed */
    char message[1024];
};

/* Sets the message and returns `status`. */
orthant_status fail(orthant_context *ctx, orthant_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* At the entry of a public function, by its name: refuses a NULL context, arguments that may not be
 * NULL (`arguments` false) and a context that was freed. */
orthant_status entry_check(orthant_context *ctx, bool arguments, const char *function);

void log_note(orthant_context *ctx, const char *format, ...) __attribute__((format(printf, 2, 3)));
void log_warning(orthant_context *ctx, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* False when the user wants to stop. */
bool progress_tell(orthant_context *ctx, const char *phase, int64_t done, int64_t total,
                   double seconds, double objective);

/* Frees a closed context that holds nothing any more. */
void context_release(orthant_context *ctx);

/* In a forked child: memory comes from the C library, and nobody is told anything. */
void context_forked(orthant_context *ctx);

/* Seconds on a clock that never jumps. */
double clock_seconds(void);
/* For threads that may not tell progress: only the caller's own may. */
bool deadline_passed(const orthant_context *ctx);

#endif
