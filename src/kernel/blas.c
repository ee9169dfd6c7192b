/* The BLAS, for what is too large or too rare for kernels of our own. */
#include "kernel/blas.h"

#include <pthread.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/resource.h>

/* OpenBLAS takes a buffer of 128 MiB for each thread, and asks for ever where it gets none. */
#define BUFFER ((uint64_t)130 << 20)
/* What the libraries and small data take beside the buffers. */
#define REST ((uint64_t)1 << 30)

extern char *openblas_get_config(void);
extern int openblas_get_num_threads(void);
extern void openblas_set_num_threads(int threads);
/* OpenBLAS's build without threads has none to end. */
extern int blas_thread_shutdown_(void) __attribute__((weak));

const char *orthant_blas_description(void)
{
    return openblas_get_config();
}

/* Bytes of address space that the process may have: `ulimit -v` and `ulimit -d`. */
static rlim_t space_limit(void)
{
    struct rlimit space = {RLIM_INFINITY, RLIM_INFINITY}, data = space;
    getrlimit(RLIMIT_AS, &space);
    getrlimit(RLIMIT_DATA, &data);
    return space.rlim_cur < data.rlim_cur ? space.rlim_cur : data.rlim_cur;
}

bool blas_threads_fit(void)
{
    const int threads = openblas_get_num_threads();
    const rlim_t limit = space_limit();
    return threads < 2 || limit == RLIM_INFINITY || limit >= REST + 2 * BUFFER * (uint64_t)threads;
}

/* The number of OpenBLAS's threads belongs to the process, and so does the number of those who rely
 * on it: with one per context the first to leave would give threads to the others. */
static struct {
    pthread_mutex_t lock;
    int64_t inside; /* calls between blas_enter and blas_leave */
    int threads;    /* that the program had set before the first of them */
} process = {.lock = PTHREAD_MUTEX_INITIALIZER};

int blas_set_threads(int threads)
{
    const int before = openblas_get_num_threads();
    /* Setting a number starts threads that were ended, even where it is that number already. */
    if (before != threads)
        openblas_set_num_threads(threads);
    return before;
}

void blas_enter(void)
{
    pthread_mutex_lock(&process.lock);
    if (process.inside++ == 0)
        process.threads = blas_set_threads(1);
    pthread_mutex_unlock(&process.lock);
}

void blas_leave(void)
{
    pthread_mutex_lock(&process.lock);
    if (--process.inside == 0)
        blas_set_threads(process.threads);
    pthread_mutex_unlock(&process.lock);
}

void blas_end_threads(void)
{
    blas_set_threads(1);
    if (blas_thread_shutdown_)
        blas_thread_shutdown_();
}

orthant_status blas_check_memory(orthant_context *ctx)
{
    if (space_limit() == RLIM_INFINITY)
        return ORTHANT_OK;
    void *buffer = mmap(NULL, BUFFER, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (buffer == MAP_FAILED)
        return fail(ctx, ORTHANT_ERROR_MEMORY,
                    "out of memory: the BLAS needs a buffer of 128 MiB, and the limit on address "
                    "space (ulimit -v) leaves none");
    munmap(buffer, BUFFER);
    return ORTHANT_OK;
}
