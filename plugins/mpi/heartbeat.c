#include "heartbeat.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define TICK_S 0.1
#define TICKS_OF_A_BEAT 10
#define MOST_SILENT_TICKS 70
#define TAG 1

enum { BEAT, LAST_BEAT };
enum { NOT_YET, GOES, NEVER };

struct heartbeat {
    MPI_Comm comm;
    int rank, ranks;
    pthread_t thread;
    atomic_int begins; /* GOES, or NEVER where another rank has no thread */
    atomic_bool ends;
};

static void sleep_tick(void)
{
    nanosleep(&(struct timespec){.tv_nsec = (long)(TICK_S * 1e9)}, NULL);
}

static int before(const heartbeat *h)
{
    return (h->rank + h->ranks - 1) % h->ranks;
}

static void send_beat(const heartbeat *h, char kind)
{
    MPI_Send(&kind, 1, MPI_CHAR, (h->rank + 1) % h->ranks, TAG, h->comm);
}

static void give_up(const heartbeat *h)
{
    fprintf(stderr,
            "orthant: process %d of %d has not answered for %.0f seconds: it is stopped or its "
            "machine is gone; all end\n",
            before(h), h->ranks, MOST_SILENT_TICKS * TICK_S);
    fflush(stderr);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

/* Ticks are counted, not the clock: where all processes were stopped for a while they go on. */
static void *run(void *user)
{
    heartbeat *h = user;
    int tick = 0, silent = 0;
    bool last_sent = false, last_seen = false;
    while (atomic_load(&h->begins) == NOT_YET)
        sleep_tick();
    if (atomic_load(&h->begins) == NEVER)
        return NULL;
    while (!last_sent || !last_seen) {
        MPI_Status status;
        int there = 1;
        while (there && !last_seen) {
            char kind = BEAT;
            MPI_Iprobe(before(h), TAG, h->comm, &there, &status);
            if (!there)
                break;
            MPI_Recv(&kind, 1, MPI_CHAR, before(h), TAG, h->comm, MPI_STATUS_IGNORE);
            last_seen = kind == LAST_BEAT;
            silent = 0;
        }
        if (atomic_load(&h->ends) && !last_sent) {
            send_beat(h, LAST_BEAT);
            last_sent = true;
        } else if (!last_sent && tick % TICKS_OF_A_BEAT == 0) {
            send_beat(h, BEAT);
        }
        if (!last_seen && ++silent > MOST_SILENT_TICKS)
            give_up(h);
        tick++;
        sleep_tick();
    }
    return NULL;
}

static bool all_can(MPI_Comm comm, bool own)
{
    int here = own, all = 0;
    return MPI_Allreduce(&here, &all, 1, MPI_INT, MPI_MIN, comm) == MPI_SUCCESS && all;
}

/* A rank without a thread would seem silent to the next: all have one, or none. */
heartbeat *heartbeat_begin(MPI_Comm world)
{
    int level = MPI_THREAD_SINGLE, ranks = 1;
    heartbeat *h = calloc(1, sizeof *h);
    MPI_Query_thread(&level);
    MPI_Comm_size(world, &ranks);
    if (!all_can(world, h && level >= MPI_THREAD_MULTIPLE && ranks > 1)) {
        free(h);
        return NULL;
    }
    MPI_Comm_dup(world, &h->comm);
    MPI_Comm_rank(h->comm, &h->rank);
    h->ranks = ranks;
    const bool made = !pthread_create(&h->thread, NULL, run, h), all = all_can(h->comm, made);
    atomic_store(&h->begins, all ? GOES : NEVER);
    if (all)
        return h;
    if (made)
        pthread_join(h->thread, NULL);
    MPI_Comm_free(&h->comm);
    free(h);
    return NULL;
}

void heartbeat_end(heartbeat *h)
{
    if (!h)
        return;
    atomic_store(&h->ends, true);
    pthread_join(h->thread, NULL);
    MPI_Comm_free(&h->comm);
    free(h);
}
