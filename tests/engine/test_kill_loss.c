/* What a kill costs: a fit writes down when each iteration ended, is killed (SIGKILL) at any
 * moment, and what is then found on the disk is held against that. A checkpoint is due after an
 * iteration where another one as long would end beyond the interval, and where as much time has
 * gone by since the last was written as writing it took. Times are the fit's own, so what is
 * asserted holds however slow or busy the machine is:
 *
 *   between two checkpoints that follow each other none was due;
 *   after the last one none was due, but for one that was being written, whose part is there.
 *
 * So a kill loses no more than the interval and what writing takes, where iterations take equally
 * long. KILLS=100 kills so often; KILLS_SEED=N begins elsewhere. */
#include "fixture.h"

#include <dirent.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/checkpoint.h"
#include "files.h"
#include "problem.h"
#include "thread_group.h"

#define INTERVAL 0.03 /* seconds */
#define MOST 4000000  /* iterations: far more than any that is seen */
#define ROUNDING 1e-9 /* seconds */

/* Shared with the process that is killed. */
typedef struct diary {
    atomic_int reached; /* iterations */
    double ended[MOST]; /* of each iteration, in seconds of the fit */
} diary;

typedef struct killed_fit {
    const char *path;   /* of its checkpoints */
    const char *stream; /* a file of the samples; NULL: they are in memory */
    int ranks;
    diary *diary;
} killed_fit;

static const problem_shape shape = {9000, 130, ORTHANT_SINGLE, false, 3, 0.7};

static bool note(void *user, const orthant_progress *progress)
{
    diary *d = user;
    if (strcmp(progress->phase, "fit") != 0 || progress->done >= MOST)
        return true;
    d->ended[progress->done] = progress->seconds;
    atomic_store(&d->reached, (int)progress->done);
    return true;
}

/* In the process that is killed, where no test can fail. */
static void must(orthant_context *ctx, orthant_status status)
{
    if (status) {
        fprintf(stderr, "%s\n", orthant_message(ctx));
        _exit(2);
    }
}

static void fit_member(void *user, const orthant_group *group)
{
    const killed_fit *k = user;
    test_problem p;
    orthant_result *result;
    orthant_read_options options = ORTHANT_READ_DEFAULTS;
    problem_make(&p, shape);
    must(p.ctx, orthant_context_set_threads(p.ctx, 1));
    orthant_model *model = problem_model(&p, "nmf", 5, "1000000000000");
    must(p.ctx, orthant_model_set(model, "solver", "mu"));
    must(p.ctx, orthant_model_set_checkpoint(model, k->path, INTERVAL));
    if (group) {
        must(p.ctx, orthant_context_set_group(p.ctx, group));
        must(p.ctx, orthant_matrix_share(p.X));
    }
    if (!group || group->rank == 0)
        orthant_context_set_progress(p.ctx, note, k->diary);
    if (k->stream) {
        orthant_matrix_free(p.X);
        options.stream = true;
        must(p.ctx, orthant_matrix_read(p.ctx, k->stream, &options, &p.X, NULL));
    }
    must(p.ctx, orthant_fit(model, p.X, &result)); /* until it is killed */
}

static pid_t begin(const killed_fit *k)
{
    atomic_store(&k->diary->reached, 0);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child)
        return child;
    if (k->ranks == 1)
        fit_member((void *)(uintptr_t)k, NULL);
    else
        thread_group_run(k->ranks, 0, fit_member, (void *)(uintptr_t)k);
    _exit(1);
}

static bool has_ended(pid_t child)
{
    return waitpid(child, NULL, WNOHANG) != 0;
}

/* The iteration that a checkpoint holds; -1 where there is none. */
static int iteration_of(orthant_context *ctx, const char *path)
{
    checkpoint_reader r;
    int found = -1;
    if (access(path, F_OK) == 0) {
        expect_ok(ctx, checkpoint_open(&r, ctx, path, NULL));
        assert_string_equal(r.file, path);
        found = (int)checkpoint_rows(&r, "history") - 1;
        checkpoint_close(&r);
    }
    return found;
}

/* Whether a checkpoint was being written; what was written of it is removed. */
static bool take_part(const char *path)
{
    bool found = false;
    char name[512];
    const char *base = strrchr(path, '/') + 1;
    DIR *folder = opendir(files_folder());
    for (struct dirent *entry = readdir(folder); entry; entry = readdir(folder))
        if (!strncmp(entry->d_name, base, strlen(base)) && strstr(entry->d_name, ".part-")) {
            assert_false(found);
            found = true;
            snprintf(name, sizeof name, "%s", files_path(entry->d_name));
        }
    closedir(folder);
    if (found)
        assert_int_equal(unlink(name), 0);
    return found;
}

/* The first iteration before `end` after which a checkpoint was due, `taken` being the last that
 * one holds (0: none does); `end` where there is none. */
static int first_due(const diary *d, int taken, int end)
{
    const double *t = d->ended;
    for (int i = taken + 1; i < end; i++)
        if (t[i] - t[taken] + (t[i] - t[i - 1]) >= INTERVAL + ROUNDING &&
            t[i] - t[taken + 1] >= t[taken + 1] - t[taken] + ROUNDING)
            return i;
    return end;
}

static void check_loss(orthant_context *ctx, const killed_fit *k, const char *previous)
{
    const diary *d = k->diary;
    const int reached = atomic_load(&d->reached), last = iteration_of(ctx, k->path),
              before = iteration_of(ctx, previous);
    const bool writing = take_part(k->path);
    assert_true(last <= reached && before <= last);
    if (before >= 0 && before < last && first_due(d, before, last) != last)
        fail_msg("checkpoints of the iterations %d and %d: the second was due after %d", before,
                 last, first_due(d, before, last));
    /* That of the iteration that was reached may not be begun. */
    int due = first_due(d, last < 0 ? 0 : last, reached);
    if (due < reached && writing)
        due = first_due(d, due, reached);
    if (due < reached)
        fail_msg(
            "killed %g s after iteration %d: the checkpoint holds %d, and one was due after %d",
            d->ended[reached], reached, last, due);
}

/* Killed at a moment of its own; but for the first time, when there are two checkpoints. */
static void kill_one(const killed_fit *k, const char *previous, bool at_once)
{
    int status;
    const pid_t child = begin(k);
    while (!has_ended(child) &&
           (at_once ? atomic_load(&k->diary->reached) == 0 : access(previous, F_OK) != 0))
        usleep(500);
    usleep((unsigned)(rand() % 60000));
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

static void check_kills(orthant_context *ctx, killed_fit k)
{
    const char *kills = getenv("KILLS"), *seed = getenv("KILLS_SEED");
    const int count = kills ? atoi(kills) / 3 + 1 : 4;
    char path[512], previous[528];
    snprintf(path, sizeof path, "%s", files_path("killed.checkpoint"));
    snprintf(previous, sizeof previous, "%s.previous", path);
    k.path = path;
    k.diary =
        mmap(NULL, sizeof *k.diary, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(k.diary != MAP_FAILED);
    srand(seed ? (unsigned)atoi(seed) : 1);
    for (int i = 0; i < count; i++) {
        kill_one(&k, previous, i == 0);
        check_loss(ctx, &k, previous);
        expect_ok(ctx, orthant_checkpoint_remove(ctx, path));
    }
    munmap(k.diary, sizeof *k.diary);
}

static void test_in_memory(void **state)
{
    check_kills(*state, (killed_fit){.ranks = 1});
}

static void test_streamed(void **state)
{
    test_problem p;
    char path[512];
    problem_make(&p, shape);
    snprintf(path, sizeof path, "%s", files_path("killed.npy"));
    expect_ok(p.ctx, orthant_matrix_write(p.ctx, p.X, path));
    problem_free(&p);
    check_kills(*state, (killed_fit){.ranks = 1, .stream = path});
}

static void test_ranks(void **state)
{
    check_kills(*state, (killed_fit){.ranks = 3});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        fixture_test(test_in_memory),
        fixture_test(test_streamed),
        fixture_test(test_ranks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
