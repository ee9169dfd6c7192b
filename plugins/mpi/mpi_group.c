/* The functions of orthant_group over MPI. */
#include <mpi.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "heartbeat.h"
#include "orthant/group.h"

#define TAG 1
#define MOST_BYTES ((int64_t)1 << 30) /* of a message: MPI counts in int */
#define PATIENT_TESTS 2000            /* without sleep in between */

typedef struct mpi_group {
    MPI_Comm comm;
    int rank, ranks;
    MPI_Request *requests;
    int count, capacity;
    heartbeat *heart;
    bool begun; /* MPI, by us */
} mpi_group;

static MPI_Request *next_request(mpi_group *g)
{
    if (g->count == g->capacity) {
        const int capacity = g->capacity ? 2 * g->capacity : 64;
        MPI_Request *more = realloc(g->requests, (size_t)capacity * sizeof *more);
        if (!more)
            return NULL;
        g->requests = more;
        g->capacity = capacity;
    }
    return &g->requests[g->count++];
}

/* Until all requests are done. For a while it looks without a pause, as messages take microseconds;
 * then it leaves the processor to those that are waited for. */
static bool wait_all(mpi_group *g)
{
    int done = 0;
    for (int64_t tests = 0; !done; tests++) {
        if (MPI_Testall(g->count, g->requests, &done, MPI_STATUSES_IGNORE) != MPI_SUCCESS)
            return false;
        if (!done && tests > PATIENT_TESTS)
            nanosleep(&(struct timespec){.tv_nsec = 20000}, NULL);
        else if (!done && tests % 16 == 15)
            sched_yield();
    }
    g->count = 0;
    return true;
}

/* In pieces that MPI can count. */
static bool move(mpi_group *g, int rank, char *bytes, int64_t left, bool send)
{
    while (left > 0) {
        const int piece = (int)(left < MOST_BYTES ? left : MOST_BYTES);
        MPI_Request *request = next_request(g);
        if (!request ||
            (send ? MPI_Isend(bytes, piece, MPI_BYTE, rank, TAG, g->comm, request)
                  : MPI_Irecv(bytes, piece, MPI_BYTE, rank, TAG, g->comm, request)) != MPI_SUCCESS)
            return false;
        bytes += piece;
        left -= piece;
    }
    return true;
}

static bool exchange(void *user, const void *const *send, const int64_t *send_bytes,
                     void *const *receive, const int64_t *receive_bytes)
{
    mpi_group *g = user;
    g->count = 0;
    for (int r = 0; r < g->ranks; r++)
        if (r != g->rank && !move(g, r, receive[r], receive_bytes[r], false))
            return false;
    /* each begins with the rank behind it: nobody is sent to by all at once */
    for (int i = 1; i < g->ranks; i++) {
        const int r = (g->rank + i) % g->ranks;
        if (!move(g, r, (char *)(uintptr_t)send[r], send_bytes[r], true))
            return false;
    }
    if (receive_bytes[g->rank] > 0)
        memmove(receive[g->rank], send[g->rank], (size_t)receive_bytes[g->rank]);
    return wait_all(g);
}

/* Short ones by MPI's own way, which knows the network; what it cannot count piece by piece. */
static bool gather(void *user, const void *own, void *all, const int64_t *bytes)
{
    mpi_group *g = user;
    int *counts = calloc(2 * (size_t)g->ranks, sizeof *counts), *places = counts + g->ranks;
    int64_t total = 0;
    bool done = false;
    if (!counts)
        return false;
    for (int r = 0; r < g->ranks; r++)
        total += bytes[r];
    g->count = 0;
    if (total < INT32_MAX) {
        for (int r = 0, at = 0; r < g->ranks; r++) {
            counts[r] = (int)bytes[r];
            places[r] = at;
            at += counts[r];
        }
        MPI_Request *request = next_request(g);
        done = request &&
               MPI_Iallgatherv(own, counts[g->rank], MPI_BYTE, all, counts, places, MPI_BYTE,
                               g->comm, request) == MPI_SUCCESS &&
               wait_all(g);
    } else {
        char *place = all;
        done = true;
        for (int r = 0; r < g->ranks && done; place += bytes[r++])
            if (r == g->rank)
                memmove(place, own, (size_t)bytes[r]);
            else
                done = move(g, r, place, bytes[r], false);
        for (int i = 1; i < g->ranks && done; i++)
            done = move(g, (g->rank + i) % g->ranks, (char *)(uintptr_t)own, bytes[g->rank], true);
        done = done && wait_all(g);
    }
    free(counts);
    return done;
}

static void end_all(void *user, const char *message)
{
    const mpi_group *g = user;
    fprintf(stderr, "orthant: process %d of %d: %s\n", g->rank, g->ranks, message);
    fflush(stderr);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static void end(void *user)
{
    mpi_group *g = user;
    heartbeat_end(g->heart);
    MPI_Comm_free(&g->comm);
    if (g->begun)
        MPI_Finalize();
    free(g->requests);
    free(g);
}

/* What the library looks for in a plug-in: fills the group in, and says how it ends. */
__attribute__((visibility("default"))) bool orthant_plugin_group(orthant_group *group,
                                                                 void (**ends)(void *user));

bool orthant_plugin_group(orthant_group *group, void (**ends)(void *user))
{
    int level, begun = 0;
    mpi_group *g = calloc(1, sizeof *g);
    if (!g)
        return false;
    MPI_Initialized(&begun);
    if (!begun && MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &level) != MPI_SUCCESS) {
        free(g);
        return false;
    }
    g->begun = !begun;
    MPI_Comm_dup(MPI_COMM_WORLD, &g->comm);
    MPI_Comm_set_errhandler(g->comm, MPI_ERRORS_RETURN);
    MPI_Comm_rank(g->comm, &g->rank);
    MPI_Comm_size(g->comm, &g->ranks);
    g->heart = heartbeat_begin(MPI_COMM_WORLD);
    *group = (orthant_group){.size = sizeof *group,
                             .rank = g->rank,
                             .ranks = g->ranks,
                             .user = g,
                             .exchange = exchange,
                             .gather = gather,
                             .abort = end_all};
    *ends = end;
    return true;
}
