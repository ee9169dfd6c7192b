/* The protocol of parent and child: requests by a socket, answers in slots of shared memory. */
#include "core/child.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/confine.h"
#include "core/memory.h"

#define SLOTS 2
#define SLOWEST_BYTES_PER_SECOND 1e7

/* Shared: the slots, one read while the other is filled, and the message of a failure. */
typedef struct shared {
    unsigned char slot[SLOTS][CHILD_SLOT_BYTES];
    char message[sizeof((orthant_context *)NULL)->message];
} shared;

/* On the socket, child to parent: `bytes` of the next slot, or the answer's end. */
typedef struct announcement {
    int32_t end, status;
    int64_t bytes;
} announcement;

struct child {
    orthant_context *ctx;
    child_options options;
    shared *memory;
    int socket;
    pid_t process;
    int slot;       /* the next one */
    int64_t filled; /* child: bytes in it; parent: bytes that were announced */
    /* the parent's */
    int64_t taken; /* of those that were announced */
    double time_limit_s;
    bool ended; /* the answer's end was seen */
    /* the child's */
    int unreturned; /* slots that the parent has not read yet */
};

/* ---- the socket -------------------------------------------------------------------------------
 */

static bool send_all(int socket, const void *bytes, size_t count)
{
    const char *at = bytes;
    while (count > 0) {
        const ssize_t sent = send(socket, at, count, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent <= 0)
            return false;
        at += sent;
        count -= (size_t)sent;
    }
    return true;
}

static bool receive_all(int socket, void *bytes, size_t count)
{
    char *at = bytes;
    while (count > 0) {
        const ssize_t got = recv(socket, at, count, 0);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        at += got;
        count -= (size_t)got;
    }
    return true;
}

/* False when nothing came within the time. */
static bool wait_for_bytes(int socket, double seconds)
{
    const double end = clock_seconds() + seconds;
    for (;;) {
        struct pollfd on = {.fd = socket, .events = POLLIN};
        const double left = end - clock_seconds();
        const int ready = poll(&on, 1,
                               left <= 0    ? 0
                               : left > 1e6 ? (int)1e9
                                            : (int)(left * 1e3) + 1);
        if (ready > 0)
            return true;
        if ((ready == 0 && left <= 0) || (ready < 0 && errno != EINTR))
            return false;
    }
}

/* ---- the child's side -------------------------------------------------------------------------
 */

/* One byte for a slot that the parent has read. */
static void await_return(child *link)
{
    char returned;
    if (!receive_all(link->socket, &returned, 1))
        _exit(0); /* the parent is gone */
    link->unreturned--;
}

void *child_slot(child *link)
{
    if (link->filled > 0)
        child_post(link, link->filled);
    while (link->unreturned >= SLOTS)
        await_return(link);
    return link->memory->slot[link->slot];
}

void child_post(child *link, int64_t bytes)
{
    const announcement news = {.bytes = bytes};
    if (!send_all(link->socket, &news, sizeof news))
        _exit(0);
    link->slot = (link->slot + 1) % SLOTS;
    link->filled = 0;
    link->unreturned++;
}

void child_send(child *link, const void *bytes, int64_t count)
{
    const char *from = bytes;
    while (count > 0) {
        unsigned char *slot = link->filled > 0 ? link->memory->slot[link->slot] : child_slot(link);
        const int64_t free_bytes = CHILD_SLOT_BYTES - link->filled,
                      piece = count < free_bytes ? count : free_bytes;
        memcpy(slot + link->filled, from, (size_t)piece);
        link->filled += piece;
        from += piece;
        count -= piece;
        if (link->filled == CHILD_SLOT_BYTES)
            child_post(link, link->filled);
    }
}

static void serve(child *link)
{
    orthant_context *ctx = link->ctx;
    child_request request;
    link->socket = confine_process(link->socket, link->options.bytes);
    if (link->socket < 0)
        _exit(1);
    context_forked(ctx);
    while (receive_all(link->socket, &request, sizeof request)) {
        announcement news = {.end = 1};
        news.status = (int32_t)link->options.serve(link, &request, link->options.user);
        if (link->filled > 0)
            child_post(link, link->filled);
        memcpy(link->memory->message, ctx->message, sizeof ctx->message);
        if (!send_all(link->socket, &news, sizeof news))
            break;
        while (link->unreturned > 0)
            await_return(link);
    }
    _exit(0);
}

/* ---- the parent's side ------------------------------------------------------------------------
 */

/* Whatever it does; `how` it ended where it had done so already. */
static void end_process(child *link, int *how)
{
    *how = 0;
    if (link->process <= 0)
        return;
    kill(link->process, SIGKILL);
    while (waitpid(link->process, how, 0) < 0 && errno == EINTR)
        continue;
    link->process = 0;
}

orthant_status child_start(orthant_context *ctx, const child_options *options, child **link)
{
    int pair[2];
    child *made = *link = memory_new(ctx, 1, sizeof *made, "a child process");
    if (!made)
        return ORTHANT_ERROR_MEMORY;
    made->ctx = ctx;
    made->options = *options;
    made->socket = -1;
    made->memory =
        mmap(NULL, sizeof *made->memory, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (made->memory == MAP_FAILED) {
        made->memory = NULL;
        return fail(ctx, ORTHANT_ERROR_MEMORY,
                    "out of memory: %zu bytes to share with a child process", sizeof *made->memory);
    }
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
        return fail(ctx, ORTHANT_ERROR_IO, "%s: no child process can be started to read it: %s",
                    options->path,
                    errno == EMFILE || errno == ENFILE ? "too many open files"
                                                       : "there is no socket for it");
    made->process = fork();
    if (made->process == 0) {
        made->socket = pair[1];
        serve(made);
    }
    close(pair[1]);
    made->socket = pair[0];
    if (made->process < 0)
        return fail(ctx, ORTHANT_ERROR_MEMORY,
                    "%s: no child process can be started to read it: out of memory or processes",
                    options->path);
    return ORTHANT_OK;
}

void child_close(child *link)
{
    int how;
    if (!link)
        return;
    end_process(link, &how);
    if (link->socket >= 0)
        close(link->socket);
    if (link->memory)
        munmap(link->memory, sizeof *link->memory);
    memory_free(link->ctx, link);
}

/* Why it does not answer; it is ended where it still runs. */
static orthant_status fail_silent(child *link, bool in_time)
{
    const child_options *o = &link->options;
    int how;
    end_process(link, &how);
    link->ended = true;
    if (!in_time)
        return fail(link->ctx, ORTHANT_ERROR_FORMAT,
                    "%s: damaged: %s did not come to an end with it in %.3g s", o->path, o->library,
                    link->time_limit_s);
    if (WIFSIGNALED(how))
        return fail(link->ctx, ORTHANT_ERROR_FORMAT, "%s: damaged: %s failed on it (signal %d)",
                    o->path, o->library, WTERMSIG(how));
    return fail(link->ctx, ORTHANT_ERROR_FORMAT, "%s: damaged: %s failed on it (exit status %d)",
                o->path, o->library, WIFEXITED(how) ? WEXITSTATUS(how) : 0);
}

/* The next piece, or the answer's end with the server's status. */
static orthant_status next_news(child *link)
{
    announcement news;
    if (link->process <= 0)
        return fail_silent(link, true);
    if (!wait_for_bytes(link->socket, link->time_limit_s))
        return fail_silent(link, false);
    if (!receive_all(link->socket, &news, sizeof news))
        return fail_silent(link, true);
    if (!news.end && (news.bytes < 1 || news.bytes > CHILD_SLOT_BYTES))
        return fail_silent(link, true);
    link->ended = news.end;
    link->taken = 0;
    link->filled = news.end ? 0 : news.bytes;
    if (!news.end || news.status == ORTHANT_OK)
        return ORTHANT_OK;
    /* A copy: what the child can still change is not looked at twice. */
    char told[sizeof link->ctx->message];
    memcpy(told, link->memory->message, sizeof told);
    told[sizeof told - 1] = '\0';
    return fail(link->ctx,
                news.status > ORTHANT_OK && news.status <= ORTHANT_STOPPED
                    ? (orthant_status)news.status
                    : ORTHANT_ERROR_FORMAT,
                "%s", told);
}

static orthant_status fail_length(child *link)
{
    int how;
    end_process(link, &how);
    return fail(link->ctx, ORTHANT_ERROR_FORMAT, "%s: damaged: it does not hold as much as it says",
                link->options.path);
}

orthant_status child_ask(child *link, const child_request *request, int64_t bytes)
{
    link->ended = false;
    link->taken = link->filled = 0;
    link->time_limit_s = link->ctx->child_time_limit_s + (double)bytes / SLOWEST_BYTES_PER_SECOND;
    return link->process > 0 && send_all(link->socket, request, sizeof *request)
               ? ORTHANT_OK
               : fail_silent(link, true);
}

orthant_status child_take(child *link, void *bytes, int64_t count)
{
    char *to = bytes;
    while (count > 0) {
        while (link->taken == link->filled) {
            if (link->ended)
                return fail_length(link);
            const orthant_status status = next_news(link);
            if (status != ORTHANT_OK)
                return status;
        }
        const int64_t left = link->filled - link->taken, piece = count < left ? count : left;
        memcpy(to, link->memory->slot[link->slot] + link->taken, (size_t)piece);
        link->taken += piece;
        to += piece;
        count -= piece;
        if (link->taken < link->filled)
            continue;
        link->slot = (link->slot + 1) % SLOTS;
        if (!send_all(link->socket, "", 1))
            return fail_silent(link, true);
    }
    return ORTHANT_OK;
}

orthant_status child_end(child *link)
{
    if (link->taken == link->filled && !link->ended) {
        const orthant_status status = next_news(link);
        if (status != ORTHANT_OK)
            return status;
    }
    return link->ended ? ORTHANT_OK : fail_length(link);
}
