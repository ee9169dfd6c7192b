/* A child process that crashes, hangs, takes memory, lies about its answer or tries what it may
 * not: its parent gets an error, and nothing of the child is left. */
#include "fixture.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/child.h"
#include "core/confine.h"

enum { BYTES, SLOTS, SHORT, FAIL, CRASH, ABORT, EXIT, HANG, BOMB, FORBIDDEN, READING };

#define MEGABYTE (INT64_C(1) << 20)

static unsigned char byte_at(int64_t i)
{
    return (unsigned char)(i * 31 + i / 251);
}

static void send_pattern(child *link, int64_t count, int64_t piece)
{
    unsigned char *bytes = malloc((size_t)piece);
    for (int64_t sent = 0; sent < count; sent += piece) {
        const int64_t part = sent + piece < count ? piece : count - sent;
        for (int64_t i = 0; i < part; i++)
            bytes[i] = byte_at(sent + i);
        child_send(link, bytes, part);
    }
    free(bytes);
}

static void send_slots(child *link, int64_t count)
{
    for (int64_t sent = 0; sent < count; sent += CHILD_SLOT_BYTES) {
        const int64_t part = sent + CHILD_SLOT_BYTES < count ? CHILD_SLOT_BYTES : count - sent;
        unsigned char *slot = child_slot(link);
        for (int64_t i = 0; i < part; i++)
            slot[i] = byte_at(sent + i);
        child_post(link, part);
    }
}

/* How many of these the child was able to do: none. */
static int forbidden(const char *path)
{
    int done = 0;
    done += open(path, O_WRONLY) >= 0;
    done += open("/tmp", O_RDWR | 020000000 /* O_TMPFILE */, 0600) >= 0;
    done += socket(AF_INET, SOCK_STREAM, 0) >= 0;
    done += unlink(path) == 0;
    done += rename(path, "/tmp/renamed") == 0;
    done += kill(getppid(), SIGUSR1) == 0;
    done += write(1, "x", 1) == 1;
    const pid_t again = fork();
    if (again == 0)
        _exit(0);
    return done + (again > 0);
}

static bool can_read(const char *path)
{
    const int file = open(path, O_RDONLY);
    if (file >= 0)
        close(file);
    return file >= 0;
}

static orthant_status serve(child *link, const child_request *request, void *user)
{
    orthant_context *ctx = user;
    volatile char *nothing = NULL;
    int64_t answer;
    switch (request->what) {
    case BYTES: send_pattern(link, request->count, request->first); break;
    case SLOTS: send_slots(link, request->count); break;
    case SHORT: send_pattern(link, request->count - 1, request->count); break;
    case FAIL:
        send_pattern(link, request->count, MEGABYTE);
        return (fail)(ctx, ORTHANT_ERROR_DATA, "%s", "the reason: 5%d of '100%s'");
    case CRASH:
        send_pattern(link, request->count, MEGABYTE);
        child_slot(link);
        *nothing = 1;
        break;
    case ABORT: abort();
    case EXIT: _exit(7);
    case HANG:
        for (;;)
            sched_yield();
    case BOMB:
        for (int64_t taken = 0; taken < 1024 * MEGABYTE; taken += MEGABYTE) {
            char *more = malloc((size_t)MEGABYTE);
            if (!more)
                return (fail)(ctx, ORTHANT_ERROR_MEMORY, "out of memory at %d MB",
                              (int)(taken / MEGABYTE));
            memset(more, 1, (size_t)MEGABYTE);
        }
        break;
    case FORBIDDEN:
        answer = forbidden(fixture_path("README.md"));
        child_send(link, &answer, sizeof answer);
        break;
    case READING:
        answer = can_read(fixture_path("README.md"));
        answer += confine_files() ? 2 : 0;
        answer += can_read(fixture_path("README.md")) ? 4 : 0;
        child_send(link, &answer, sizeof answer);
        break;
    default: break;
    }
    return ORTHANT_OK;
}

static child *start(orthant_context *ctx)
{
    child *link = NULL;
    const child_options options = {.path = "some.h5",
                                   .library = "the library",
                                   .bytes = 64 * MEGABYTE,
                                   .serve = serve,
                                   .user = ctx};
    expect_ok(ctx, child_start(ctx, &options, &link));
    return link;
}

static int open_files(void)
{
    int count = 0;
    DIR *folder = opendir("/proc/self/fd");
    assert_non_null(folder);
    while (readdir(folder))
        count++;
    closedir(folder);
    return count;
}

static void expect_no_child(void)
{
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
}

/* The pattern in pieces of `piece`. */
static orthant_status take_pattern(child *link, const child_request *request, int64_t piece)
{
    unsigned char *bytes = malloc((size_t)piece);
    orthant_status status = child_ask(link, request, request->count);
    for (int64_t got = 0; got < request->count && status == ORTHANT_OK; got += piece) {
        const int64_t part = got + piece < request->count ? piece : request->count - got;
        status = child_take(link, bytes, part);
        for (int64_t i = 0; i < part && status == ORTHANT_OK; i++)
            if (bytes[i] != byte_at(got + i))
                status = ORTHANT_ERROR_NUMERIC;
    }
    free(bytes);
    return status == ORTHANT_OK ? child_end(link) : status;
}

static void test_answers(void **state)
{
    static const int64_t counts[] = {0,
                                     1,
                                     CHILD_SLOT_BYTES - 1,
                                     CHILD_SLOT_BYTES,
                                     CHILD_SLOT_BYTES + 1,
                                     4 * CHILD_SLOT_BYTES + 12345};
    static const int64_t pieces[] = {17, 4096, CHILD_SLOT_BYTES, 3 * CHILD_SLOT_BYTES + 1};
    orthant_context *ctx = *state;
    child *link = start(ctx);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        for (size_t j = 0; j < sizeof pieces / sizeof *pieces; j++) {
            const int64_t other = pieces[(j + 1) % (sizeof pieces / sizeof *pieces)];
            const child_request bytes = {BYTES, 0, pieces[j], counts[i]};
            const child_request slots = {SLOTS, 0, 0, counts[i]};
            expect_ok(ctx, take_pattern(link, &bytes, other));
            expect_ok(ctx, take_pattern(link, &slots, pieces[j]));
        }
    child_close(link);
    expect_no_child();
}

/* The server fails in the middle of an answer: its message comes, and it can be asked again. */
static void test_failure_told(void **state)
{
    orthant_context *ctx = *state;
    child *link = start(ctx);
    const child_request failing = {FAIL, 0, 0, 3 * MEGABYTE}, good = {BYTES, 0, 999, 5000};
    unsigned char byte;
    orthant_status status = take_pattern(link, &failing, MEGABYTE);
    expect_failure(ctx, ORTHANT_ERROR_DATA, "the reason: 5%d of '100%s'", status);
    expect_ok(ctx, take_pattern(link, &good, 64));
    expect_ok(ctx, child_ask(link, &failing, 0));
    for (int64_t i = 0; i < failing.count; i++)
        expect_ok(ctx, child_take(link, &byte, 1));
    expect_failure(ctx, ORTHANT_ERROR_DATA, "the reason", child_take(link, &byte, 1));
    child_close(link);
}

static void test_length(void **state)
{
    orthant_context *ctx = *state;
    const child_request less = {SHORT, 0, 0, 1000}, more = {BYTES, 0, 1000, 1000};
    unsigned char bytes[1000];
    child *link = start(ctx);
    expect_ok(ctx, child_ask(link, &less, 0));
    expect_failure(ctx, ORTHANT_ERROR_FORMAT,
                   "some.h5: damaged: it does not hold as much as it says",
                   child_take(link, bytes, 1000));
    child_close(link);
    link = start(ctx);
    expect_ok(ctx, child_ask(link, &more, 0));
    expect_ok(ctx, child_take(link, bytes, 999));
    expect_failure(ctx, ORTHANT_ERROR_FORMAT, "as much as it says", child_end(link));
    expect_failure(ctx, ORTHANT_ERROR_FORMAT, "some.h5", child_ask(link, &more, 0));
    child_close(link);
    expect_no_child();
}

static void test_ends(void **state)
{
    static const struct {
        int what;
        int64_t count;
        const char *message;
    } cases[] = {{CRASH, 0, "some.h5: damaged: the library failed on it (signal 11)"},
                 {CRASH, 7 * MEGABYTE, "some.h5: damaged: the library failed on it (signal 11)"},
                 {ABORT, 1, "some.h5: damaged: the library failed on it (signal 6)"},
                 {EXIT, 1, "some.h5: damaged: the library failed on it (exit status 7)"}};
    orthant_context *ctx = *state;
    const int files = open_files();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const child_request request = {cases[i].what, 0, 0, cases[i].count};
        child *link = start(ctx);
        expect_failure(ctx, ORTHANT_ERROR_FORMAT,
                       SANITIZED && cases[i].what == CRASH ? "some.h5: damaged: the library failed"
                                                           : cases[i].message,
                       take_pattern(link, &request, MEGABYTE));
        expect_failure(ctx, ORTHANT_ERROR_FORMAT, "some.h5: damaged",
                       take_pattern(link, &request, MEGABYTE));
        child_close(link);
    }
    expect_no_child();
    assert_int_equal(open_files(), files);
}

static void on_alarm(int number)
{
    (void)number;
}

/* Signals that arrive meanwhile neither end the waiting nor make it longer. */
static void test_hang(void **state)
{
    orthant_context *ctx = *state;
    const child_request request = {HANG, 0, 0, 1};
    const struct itimerval often = {{0, 10000}, {0, 10000}}, never = {{0, 0}, {0, 0}};
    struct sigaction action = {.sa_handler = on_alarm}, before;
    sigaction(SIGALRM, &action, &before);
    setitimer(ITIMER_REAL, &often, NULL);
    ctx->child_time_limit_s = 0.3;
    const double began = clock_seconds();
    child *link = start(ctx);
    expect_failure(ctx, ORTHANT_ERROR_FORMAT,
                   "some.h5: damaged: the library did not come to an end with it in 0.3 s",
                   take_pattern(link, &request, 1));
    child_close(link);
    const double seconds = clock_seconds() - began;
    setitimer(ITIMER_REAL, &never, NULL);
    sigaction(SIGALRM, &before, NULL);
    assert_true(seconds >= 0.3 && seconds < 20);
    expect_no_child();
}

static void test_memory_bomb(void **state)
{
    orthant_context *ctx = *state;
    const child_request request = {BOMB, 0, 0, 1};
    if (SANITIZED)
        skip();
    child *link = start(ctx);
    expect_failure(ctx, ORTHANT_ERROR_MEMORY, "out of memory at", take_pattern(link, &request, 1));
    assert_true(atoi(strstr(orthant_message(ctx), " at ") + 4) <
                128); /* 64 and what the process had free */
    child_close(link);
}

static void test_confined(void **state)
{
    orthant_context *ctx = *state;
    const child_request request = {FORBIDDEN, 0, 0, 0}, reading = {READING, 0, 0, 0};
    int64_t done = -1;
    child *link = start(ctx);
    expect_ok(ctx, child_ask(link, &request, 0));
    expect_ok(ctx, child_take(link, &done, sizeof done));
    expect_ok(ctx, child_end(link));
#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__))
    assert_int_equal(done, 0);
    expect_ok(ctx, child_ask(link, &reading, 0));
    expect_ok(ctx, child_take(link, &done, sizeof done));
    expect_ok(ctx, child_end(link));
    assert_int_equal(done, 1 + 2);
#else
    (void)reading;
#endif
    child_close(link);
}

/* Asked to stop together with its parent (Ctrl-C goes to both), it goes on; killed, it is told. */
static void test_interrupted(void **state)
{
    orthant_context *ctx = *state;
    const child_request good = {BYTES, 0, 999, 5000};
    void (*before)(int) = signal(SIGINT, on_alarm);
    child *link = start(ctx);
    expect_ok(ctx, take_pattern(link, &good, 64));
    assert_int_equal(kill(0, SIGINT), 0);
    expect_ok(ctx, take_pattern(link, &good, 64));
    child_close(link);
    signal(SIGINT, before);
    expect_no_child();
}

static void *in_a_thread(void *failures)
{
    orthant_context *ctx = NULL;
    if (orthant_context_create(&ctx) != ORTHANT_OK)
        return failures;
    for (int i = 0; i < 15; i++) {
        const child_request good = {BYTES, 0, 4096, 3 * MEGABYTE}, crash = {ABORT, 0, 0, 1};
        child *link = start(ctx);
        if (take_pattern(link, &good, 1000000) != ORTHANT_OK ||
            take_pattern(link, &crash, 1) == ORTHANT_OK)
            ++*(int *)failures;
        child_close(link);
    }
    orthant_context_free(ctx);
    return NULL;
}

static void test_threads(void **state)
{
    pthread_t threads[4];
    int failures[4] = {0};
    const int files = open_files();
    (void)state;
    if (SANITIZED) /* their allocators keep their locks in a fork of several threads */
        skip();
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, in_a_thread, &failures[i]), 0);
    for (int i = 0; i < 4; i++) {
        void *result = NULL;
        pthread_join(threads[i], &result);
        assert_null(result);
        assert_int_equal(failures[i], 0);
    }
    assert_int_equal(open_files(), files);
    expect_no_child();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        fixture_test(test_answers),  fixture_test(test_failure_told),
        fixture_test(test_length),   fixture_test(test_ends),
        fixture_test(test_hang),     fixture_test(test_memory_bomb),
        fixture_test(test_confined), fixture_test(test_interrupted),
        fixture_test(test_threads),
    };
    setpgid(0, 0); /* test_interrupted sends to its group */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
