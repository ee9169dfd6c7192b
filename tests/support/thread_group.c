#include "thread_group.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

typedef struct member {
    thread_group *all;
    int rank;
    const void *const *send;
    const int64_t *bytes;
    int64_t calls, sent;
    thread_member run;
    void *user;
} member;

struct thread_group {
    int ranks;
    int64_t fails;
    member *members;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int waiting;
    int64_t turn;
    bool ended; /* one has failed: nobody waits any more */
};

/* Until all are here; false where one will not come. */
static bool meet(thread_group *g)
{
    pthread_mutex_lock(&g->lock);
    const int64_t turn = g->turn;
    if (++g->waiting == g->ranks) {
        g->waiting = 0;
        g->turn++;
        pthread_cond_broadcast(&g->changed);
    }
    while (g->turn == turn && !g->ended)
        pthread_cond_wait(&g->changed, &g->lock);
    const bool met = g->turn != turn;
    pthread_mutex_unlock(&g->lock);
    return met;
}

static void end(thread_group *g)
{
    pthread_mutex_lock(&g->lock);
    g->ended = true;
    pthread_cond_broadcast(&g->changed);
    pthread_mutex_unlock(&g->lock);
}

/* In this one alone: the others wait until it abandons the group. */
static bool fails_now(member *m)
{
    return m->rank == m->all->ranks - 1 && ++m->calls == m->all->fails;
}

static bool exchange(void *user, const void *const *send, const int64_t *send_bytes,
                     void *const *receive, const int64_t *receive_bytes)
{
    member *m = user;
    if (fails_now(m))
        return false;
    m->send = send;
    m->bytes = send_bytes;
    if (!meet(m->all))
        return false;
    bool agree = true;
    for (int r = 0; r < m->all->ranks; r++) {
        const member *other = &m->all->members[r];
        agree &= other->bytes[m->rank] == receive_bytes[r];
        if (agree && receive_bytes[r] > 0)
            memcpy(receive[r], other->send[m->rank], (size_t)receive_bytes[r]);
        if (r != m->rank)
            m->sent += send_bytes[r];
    }
    if (!agree)
        end(m->all);
    return meet(m->all) && agree;
}

static bool gather(void *user, const void *own, void *all, const int64_t *bytes)
{
    member *m = user;
    const int ranks = m->all->ranks;
    const void **send = calloc((size_t)ranks, sizeof *send);
    void **receive = calloc((size_t)ranks, sizeof *receive);
    int64_t *sent = calloc((size_t)ranks, sizeof *sent);
    int64_t at = 0;
    for (int r = 0; r < ranks; r++) {
        send[r] = own;
        sent[r] = bytes[m->rank];
        receive[r] = (char *)all + at;
        at += bytes[r];
    }
    const bool done = exchange(m, send, sent, receive, bytes);
    free((void *)send);
    free(receive);
    free(sent);
    return done;
}

static void abandon(void *user, const char *message)
{
    (void)message;
    end(((member *)user)->all);
}

static void *run(void *user)
{
    member *m = user;
    const orthant_group group = {.size = sizeof group,
                                 .rank = m->rank,
                                 .ranks = m->all->ranks,
                                 .user = m,
                                 .exchange = exchange,
                                 .gather = gather,
                                 .abort = abandon};
    m->run(m->user, &group);
    return NULL;
}

int64_t thread_group_run(int ranks, int64_t fails, thread_member what, void *user)
{
    thread_group g = {.ranks = ranks, .fails = fails};
    pthread_t *threads = calloc((size_t)ranks, sizeof *threads);
    int64_t sent = 0;
    g.members = calloc((size_t)ranks, sizeof *g.members);
    pthread_mutex_init(&g.lock, NULL);
    pthread_cond_init(&g.changed, NULL);
    for (int r = 0; r < ranks; r++)
        g.members[r] = (member){.all = &g, .rank = r, .run = what, .user = user};
    for (int r = 0; r < ranks; r++)
        pthread_create(&threads[r], NULL, run, &g.members[r]);
    for (int r = 0; r < ranks; r++) {
        pthread_join(threads[r], NULL);
        sent += g.members[r].sent;
    }
    pthread_cond_destroy(&g.changed);
    pthread_mutex_destroy(&g.lock);
    free(g.members);
    free(threads);
    return sent;
}
