/* Preloaded into the command by tests/faults/drive: fails the n-th allocation that is made after
 * main began, and stops the clock, so that what a run writes does not depend on how long it took.
 *
 *   FAULTS_ALLOCATION=N: fails the N-th allocation; without it, none.
 *
 *   FAULTS_REPORT=FILE: gets the number of allocations, and where the failed one was asked for.
 *
 *   FAULTS_CLOCK=1: stops the clock.
 *
 * Children of the command are left alone. The command's file operations are the tracer's
 * (tracer.c): a library's own reads and writes do not pass through functions that could be replaced
 * here. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "marker.h"

#define DEEPEST 40
#define STOPPED_AT 1700000000 /* seconds since 1970 */

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

static atomic_long asked;
static long failing; /* 0: none */
static bool counting, clock_stopped;
static int report = -1;
static pid_t process;
static int (*real_main)(int, char **, char **);

/* HDF5 ends the process where it finds no memory. */
static bool is_spared(const char *library)
{
    return strstr(library, "libhdf5") != NULL;
}

/* Tells where the allocation was asked for; false where it must not fail. */
static bool tell_place(void)
{
    void *frame[DEEPEST];
    bool spares = false;
    counting = false;
    const int depth = backtrace(frame, DEEPEST);
    for (int i = 0; i < depth; i++) {
        Dl_info from;
        spares = spares || (dladdr(frame[i], &from) && is_spared(from.dli_fname));
    }
    if (report >= 0) {
        dprintf(report, "%s\n", spares ? "spared" : "failed");
        backtrace_symbols_fd(frame, depth, report);
    }
    counting = true;
    return !spares;
}

/* Counts one allocation; true where it is to fail. */
static bool fails(void)
{
    if (!counting || getpid() != process)
        return false;
    const long number = atomic_fetch_add(&asked, 1) + 1;
    if (number != failing || !tell_place())
        return false;
    errno = ENOMEM;
    return true;
}

void *malloc(size_t size)
{
    return fails() ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    return fails() ? NULL : __libc_calloc(count, size);
}

void *realloc(void *block, size_t size)
{
    return fails() ? NULL : __libc_realloc(block, size);
}

void *reallocarray(void *block, size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes)) {
        errno = ENOMEM;
        return NULL;
    }
    return realloc(block, bytes);
}

void *memalign(size_t alignment, size_t size)
{
    return fails() ? NULL : __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return memalign(alignment, size);
}

int posix_memalign(void **block, size_t alignment, size_t size)
{
    void *made = memalign(alignment, size);
    if (!made)
        return ENOMEM;
    *block = made;
    return 0;
}

/* Memory without a file is an allocation; a file's is a file operation. */
void *mmap(void *at, size_t length, int protection, int flags, int file, off_t offset)
{
    if ((flags & MAP_ANONYMOUS) && fails())
        return MAP_FAILED;
    return (void *)syscall(SYS_mmap, at, length, protection, flags, file, offset);
}

int clock_gettime(clockid_t clock, struct timespec *now)
{
    if (!clock_stopped)
        return (int)syscall(SYS_clock_gettime, clock, now);
    *now = (struct timespec){.tv_sec = STOPPED_AT};
    return 0;
}

time_t time(time_t *now)
{
    struct timespec at;
    clock_gettime(CLOCK_REALTIME, &at);
    if (now)
        *now = at.tv_sec;
    return at.tv_sec;
}

int gettimeofday(struct timeval *now, void *zone)
{
    struct timespec at;
    (void)zone;
    clock_gettime(CLOCK_REALTIME, &at);
    *now = (struct timeval){at.tv_sec, at.tv_nsec / 1000};
    return 0;
}

static int counted_main(int count, char **words, char **environment)
{
    /* Its first call allocates. */
    void *frame[1];
    backtrace(frame, 1);
    unsetenv("LD_PRELOAD");
    /* What the loader did is not the command's; the tracer begins here too. */
    syscall(SYS_close, FAULTS_MARKER);
    counting = true;
    const int status = real_main(count, words, environment);
    counting = false;
    if (report >= 0)
        dprintf(report, "allocations %ld\n", atomic_load(&asked));
    return status;
}

int __libc_start_main(int (*program)(int, char **, char **), int count, char **words,
                      void (*begin)(void), void (*end)(void), void (*loader)(void), void *stack)
{
    int (*start)(int (*)(int, char **, char **), int, char **, void (*)(void), void (*)(void),
                 void (*)(void), void *);
    const char *number = getenv("FAULTS_ALLOCATION"), *file = getenv("FAULTS_REPORT");
    *(void **)&start = dlsym(RTLD_NEXT, "__libc_start_main");
    failing = number ? strtol(number, NULL, 10) : 0;
    clock_stopped = getenv("FAULTS_CLOCK") != NULL;
    if (file)
        report = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    process = getpid();
    real_main = program;
    return start(counted_main, count, words, begin, end, loader, stack);
}
