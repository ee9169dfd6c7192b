/* The context: threads, precision, log, progress, memory, and the last error's message. */
#ifndef ORTHANT_CONTEXT_H
#define ORTHANT_CONTEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(ORTHANT_BUILD) && defined(__GNUC__)
#define ORTHANT_API __attribute__((visibility("default")))
#else
#define ORTHANT_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef enum orthant_status {
    ORTHANT_OK = 0,
    ORTHANT_ERROR_ARGUMENT,    /* a wrong value, name or combination: the caller's to mend */
    ORTHANT_ERROR_FORMAT,      /* what stands in a file is not what its kind promises */
    ORTHANT_ERROR_IO,          /* a file that cannot be opened, read or written */
    ORTHANT_ERROR_MEMORY,      /* an allocation failed, or a size does not fit */
    ORTHANT_ERROR_DATA,        /* data that the method cannot take: negative, not finite, ... */
    ORTHANT_ERROR_NUMERIC,     /* a computation that did not come to a result */
    ORTHANT_ERROR_UNSUPPORTED, /* right, but not in this build or on this machine */
    ORTHANT_STOPPED            /* the progress callback asked to stop before there was a result */
} orthant_status;

typedef enum orthant_precision { ORTHANT_SINGLE = 0, ORTHANT_DOUBLE = 1 } orthant_precision;

typedef struct orthant_context orthant_context;

/* What a long computation tells: phase is "fit", "neighbours", "k-means", ... `total` is 0 when
 * unknown. */
typedef struct orthant_progress {
    const char *phase;
    int64_t done, total;
    double seconds;   /* since the phase began */
    double objective; /* NaN where there is none */
} orthant_progress;

/* Returns false to stop after this step, or after the next where that was made before this one was
 * measured, and is not called again; a fit then ends with a valid result marked stopped. It must
 * not change the context. */
typedef bool (*orthant_progress_function)(void *user, const orthant_progress *progress);

typedef enum orthant_log_level { ORTHANT_LOG_NOTE = 0, ORTHANT_LOG_WARNING = 1 } orthant_log_level;
typedef void (*orthant_log_function)(void *user, orthant_log_level level, const char *message);

/* `allocate` returns memory of that size and of that alignment (a power of two), or NULL. */
typedef void *(*orthant_allocate_function)(void *user, size_t size, size_t alignment);
typedef void (*orthant_release_function)(void *user, void *memory);

ORTHANT_API const char *orthant_version(void);
ORTHANT_API const char *orthant_status_name(orthant_status status); /* "argument", "format", ... */

ORTHANT_API orthant_status orthant_context_create(orthant_context **context);
ORTHANT_API void orthant_context_free(
    orthant_context *context); /* NULL is fine, here and in every _free */

/* The message of the last failure, one line without a newline; "" when there was none. */
ORTHANT_API const char *orthant_message(const orthant_context *context);

/* 0 (the default) takes every processor that this process may use. */
ORTHANT_API orthant_status orthant_context_set_threads(orthant_context *context, int threads);
ORTHANT_API int orthant_context_threads(const orthant_context *context);

/* The precision of matrices that are read or made from now on; single by default. */
ORTHANT_API void orthant_context_set_precision(orthant_context *context,
                                               orthant_precision precision);
ORTHANT_API orthant_precision orthant_context_precision(const orthant_context *context);

/* Whether HDF5 and MATLAB files are read in a child process, so that one which is damaged, or made
 * to do harm, ends the child and not this process; off by default, on in the command. The child is
 * forked for each file, has a limit on its memory and on the time in which it must send something,
 * writes no file, opens no file after the first, and on Linux (x86-64, ARM64) has no system calls
 * but those that reading takes. Filters of HDF5 that are plug-ins cannot be loaded in it. No other
 * thread may be inside HDF5 or matio, outside of confined contexts, while a file is opened. */
ORTHANT_API void orthant_context_set_confined(orthant_context *context, bool confined);
ORTHANT_API bool orthant_context_confined(const orthant_context *context);

ORTHANT_API void orthant_context_set_log(orthant_context *context, orthant_log_function log,
                                         void *user);
ORTHANT_API void orthant_context_set_progress(orthant_context *context,
                                              orthant_progress_function progress, void *user);

/* Before anything else is made in the context. */
ORTHANT_API orthant_status orthant_context_set_allocator(orthant_context *context,
                                                         orthant_allocate_function allocate,
                                                         orthant_release_function release,
                                                         void *user);

/* The most bytes that the context's objects may hold together. 0 (the default) takes three quarters
 * of the memory that is free at the time of the call or of the context's making. What would pass
 * the limit, whatever a file's header promises, is refused with ORTHANT_ERROR_MEMORY before it is
 * allocated, and the message gives both numbers. */
ORTHANT_API void orthant_context_set_memory_limit(orthant_context *context, size_t bytes);
ORTHANT_API size_t orthant_context_memory_limit(const orthant_context *context);

/* Bytes that the context's objects hold now, and the most they held since the last reset. */
ORTHANT_API size_t orthant_context_memory(const orthant_context *context);
ORTHANT_API size_t orthant_context_peak_memory(const orthant_context *context);
ORTHANT_API void orthant_context_reset_peak_memory(orthant_context *context);

/* What the library found of the machine: "avx512", "avx2" or "baseline", and the BLAS's own words.
 */
ORTHANT_API const char *orthant_cpu_kernels(void);
ORTHANT_API const char *orthant_blas_description(void);

#ifdef __cplusplus
}
#endif
#endif
