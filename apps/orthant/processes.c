/* What mpirun, or a job system that stands in for it, tells the processes that it starts. */
#define _GNU_SOURCE /* for the processors that this process may use */
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

#include "command.h"
#include "text.h"

/* The first of these that is set to a whole number. */
static int64_t told(const char *const *names, int64_t otherwise)
{
    int64_t value;
    for (; *names; names++) {
        const char *text = getenv(*names);
        if (text && parse_int64(text, &value))
            return value;
    }
    return otherwise;
}

int64_t processes_started(void)
{
    return told((const char *const[]){"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", NULL}, 1);
}

int64_t processes_rank(void)
{
    return told((const char *const[]){"OMPI_COMM_WORLD_RANK", "PMI_RANK", NULL}, 0);
}

int64_t processes_threads(void)
{
    const int64_t here = told((const char *const[]){"OMPI_COMM_WORLD_LOCAL_SIZE", NULL}, 1);
    const long all = sysconf(_SC_NPROCESSORS_ONLN);
    cpu_set_t own;
    if (here < 2 || all < 1 || sched_getaffinity(0, sizeof own, &own) || CPU_COUNT(&own) < all)
        return 0; /* processes that are bound to processors have them for themselves */
    return all / here > 1 ? all / here : 1;
}
