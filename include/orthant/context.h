/** @file
 * The context: threads, precision, log, progress, memory, and the last error's message. */
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

/** How a call ended. */
typedef enum orthant_status {
    ORTHANT_OK = 0,            /**< 0, and the only value that is no failure */
    ORTHANT_ERROR_ARGUMENT,    /**< a wrong value, name or combination: the caller's to mend */
    ORTHANT_ERROR_FORMAT,      /**< what stands in a file is not what its kind promises */
    ORTHANT_ERROR_IO,          /**< a file that cannot be opened, read or written */
    ORTHANT_ERROR_MEMORY,      /**< an allocation failed, or a size does not fit */
    ORTHANT_ERROR_DATA,        /**< data that the method cannot take: negative, not finite, ... */
    ORTHANT_ERROR_NUMERIC,     /**< a computation that did not come to a result */
    ORTHANT_ERROR_UNSUPPORTED, /**< right, but not in this build or on this machine */
    ORTHANT_STOPPED            /**< a callback asked to stop before there was a result */
} orthant_status;

/** The numbers of a matrix. */
typedef enum orthant_precision {
    ORTHANT_SINGLE = 0, /**< float */
    ORTHANT_DOUBLE = 1  /**< double */
} orthant_precision;

/** A context; opaque. */
typedef struct orthant_context orthant_context;

/** What a long computation tells. */
typedef struct orthant_progress {
    size_t size;       /**< of what the library knows of this struct */
    const char *phase; /**< "fit", "neighbours", "k-means", ... */
    int64_t done;      /**< steps made */
    int64_t total;     /**< steps at most; 0 when unknown */
    double seconds;    /**< since the phase began */
    double objective;  /**< NaN where there is none */
} orthant_progress;

/** Returns false to stop after this step, or after the next where that was made before this one was
 * measured, and is not called again; a fit then ends with a valid result marked stopped, other
 * computations with ORTHANT_STOPPED. It comes in the thread that made the call, of studies and
 * surveys of ranks in any of the context's threads, one at a time, and must not change
 * the context. */
typedef bool (*orthant_progress_function)(void *user, const orthant_progress *progress);

/** How much a message of the log matters. */
typedef enum orthant_log_level {
    ORTHANT_LOG_NOTE = 0,   /**< good to know */
    ORTHANT_LOG_WARNING = 1 /**< probably not what was meant */
} orthant_log_level;
/** Hears remarks, one line each without a newline; the message is good during the call alone. */
typedef void (*orthant_log_function)(void *user, orthant_log_level level, const char *message);

/** Returns memory of that size and of that alignment (a power of two), or NULL. */
typedef void *(*orthant_allocate_function)(void *user, size_t size, size_t alignment);
/** Takes back what the allocate function gave. */
typedef void (*orthant_release_function)(void *user, void *memory);

/** The library's version, "0.2.0"; ORTHANT_VERSION is that of the headers. */
ORTHANT_API const char *orthant_version(void);
/** The name of a status: "ok", "argument", "format", ...; "unknown" for what is none. */
ORTHANT_API const char *orthant_status_name(orthant_status status);

/** A context with the defaults below. Its threads begin with the first computation.
 * @return ORTHANT_ERROR_MEMORY, without a message, as there is no context to ask. */
ORTHANT_API orthant_status orthant_context_create(orthant_context **context);
/** Ends the context's threads and frees it; objects made in it stay readable until they are freed
 * themselves (orthant.h). NULL is fine, here and in every _free. */
ORTHANT_API void orthant_context_free(orthant_context *context);

/** The message of the last failure, one line without a newline; "" when there was none. It is
 * good until the next call that fails. */
ORTHANT_API const char *orthant_message(const orthant_context *context);

/** How many threads computations may use; 0 (the default) takes every processor that this process
 * may use.
 * @return ORTHANT_ERROR_ARGUMENT for less than 0 or more than 1024. */
ORTHANT_API orthant_status orthant_context_set_threads(orthant_context *context, int threads);
/** How many threads computations use, at least 1. */
ORTHANT_API int orthant_context_threads(const orthant_context *context);

/** The precision of matrices that are read or created from now on; single by default. A fit runs in
 * the precision of its data, whatever this says. */
ORTHANT_API void orthant_context_set_precision(orthant_context *context,
                                               orthant_precision precision);
/** The precision of matrices that are read or created. */
ORTHANT_API orthant_precision orthant_context_precision(const orthant_context *context);

/** Whether HDF5 and MATLAB files are read in a child process, so that one which is damaged, or made
 * to do harm, ends the child and not this process; off by default, on in the command. The child is
 * forked for each file, has a limit on its memory and on the time in which it must send something,
 * writes no file, opens no file after the first, and on Linux (x86-64, ARM64) has no system calls
 * but those that reading takes. Filters of HDF5 that are plug-ins cannot be loaded in it. No other
 * thread may be inside HDF5 or matio, outside of confined contexts, while a file is opened. */
ORTHANT_API void orthant_context_set_confined(orthant_context *context, bool confined);
/** Whether files are read in a child process. */
ORTHANT_API bool orthant_context_confined(const orthant_context *context);

/** Who hears remarks: a layout that was copied, samples that did not converge, ... NULL, the
 * default: nobody. It may come in any function that is given this context or an object of it. */
ORTHANT_API void orthant_context_set_log(orthant_context *context, orthant_log_function log,
                                         void *user);
/** Who hears how far long computations are, and may stop them; NULL, the default: nobody. */
ORTHANT_API void orthant_context_set_progress(orthant_context *context,
                                              orthant_progress_function progress, void *user);

/** Where the context's memory comes from, before anything else is made in it; NULL for both takes
 * the C library's. The two must work as long as an object of the context lives. They are called by
 * the thread that makes a call, never by the context's own threads.
 * @return ORTHANT_ERROR_ARGUMENT where the context holds something already. */
ORTHANT_API orthant_status orthant_context_set_allocator(orthant_context *context,
                                                         orthant_allocate_function allocate,
                                                         orthant_release_function release,
                                                         void *user);

/** The most bytes that the context's objects may hold together. 0 (the default) takes three
 * quarters of the memory that is free at the time of the call or of the context's making. What
 * would pass the limit, whatever a file's header promises, is refused with ORTHANT_ERROR_MEMORY
 * before it is allocated, and the message gives both numbers. */
ORTHANT_API void orthant_context_set_memory_limit(orthant_context *context, size_t bytes);
/** The limit in bytes. */
ORTHANT_API size_t orthant_context_memory_limit(const orthant_context *context);

/** Bytes that the context's objects hold now; borrowed and memory-mapped arrays are not counted. */
ORTHANT_API size_t orthant_context_memory(const orthant_context *context);
/** The most bytes that they held since the context was made or the last reset. */
ORTHANT_API size_t orthant_context_peak_memory(const orthant_context *context);
/** Begins to count the peak anew, from what is held now. */
ORTHANT_API void orthant_context_reset_peak_memory(orthant_context *context);

/** What the library found of the CPU: "avx512", "avx2" or "baseline". */
ORTHANT_API const char *orthant_cpu_kernels(void);
/** The BLAS that the library uses, in its own words. */
ORTHANT_API const char *orthant_blas_description(void);

#ifdef __cplusplus
}
#endif
#endif
