/* orthant demo: clusters the handwritten digits that come with Orthant by six methods, cuts a
 * picture into segments, and prints the table. Each step is a command that a user could type, run
 * as one. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "command.h"

extern char **environ;

#define PATH_LENGTH 4096
#define MOST_WORDS 32

typedef struct demo {
    char program[PATH_LENGTH], digits[PATH_LENGTH], scene[PATH_LENGTH], truth[PATH_LENGTH];
    const char *output;
    bool quiet, force, json;
} demo;

/* FOLDER/NAME, of which there is a file. */
static bool find_file(char *path, const char *folder, const char *name)
{
    const int length = snprintf(path, PATH_LENGTH, "%s/%s", folder, name);
    return length > 0 && length < PATH_LENGTH && access(path, R_OK) == 0;
}

/* Installed, the data lie beside the program; built, in the sources above it. */
static bool find_data(demo *d)
{
    static const char *const places[] = {ORTHANT_DEMO_DATA, "../data"};
    const ssize_t length = readlink("/proc/self/exe", d->program, sizeof d->program - 1);
    if (length <= 0)
        return false;
    d->program[length] = '\0';
    const char *end = strrchr(d->program, '/');
    for (size_t i = 0; end && i < sizeof places / sizeof *places; i++) {
        char folder[2 * PATH_LENGTH];
        snprintf(folder, sizeof folder, "%.*s/%s", (int)(end - d->program), d->program, places[i]);
        if (find_file(d->digits, folder, "digits/digits-images-idx3-ubyte.gz") &&
            find_file(d->scene, folder, "scene/scene.png") &&
            find_file(d->truth, folder, "scene/scene-truth.png"))
            return true;
    }
    return false;
}

/* Its exit status; its results go into the folder and not to the screen. */
static int run_command(const demo *d, char **words, bool shown)
{
    posix_spawn_file_actions_t actions;
    pid_t child;
    int status = 0, error = posix_spawn_file_actions_init(&actions);
    if (error)
        return usage_error("demo: cannot begin a command: %s", strerror(error));
    if (!shown)
        error = posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    if (!error)
        error = posix_spawn(&child, d->program, &actions, NULL, words, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (error) {
        usage_error("demo: cannot begin a command: %s", strerror(error));
        return EXIT_FAILED;
    }
    /* A Ctrl-C that came to this process alone is the child's too; as another signal, so that one
     * from the terminal is not its second. */
    bool passed_on = false;
    pid_t ended;
    while (!(ended = waitpid(child, &status, WNOHANG)) || (ended < 0 && errno == EINTR)) {
        const struct timespec pause = {0, 10000000};
        if (interrupt_seen() && !passed_on)
            passed_on = !kill(child, SIGTERM);
        nanosleep(&pause, NULL);
    }
    if (ended < 0)
        return EXIT_FAILED;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* `more` ends with NULL. */
static int run_step(const demo *d, const char *command, const char *data, const char *name,
                    const char *const *more)
{
    char folder[PATH_LENGTH];
    const char *words[MOST_WORDS] = {"orthant", command,   data, "--seed",
                                     "1",       "--quiet", "-o", folder};
    int count = 8;
    const int length = snprintf(folder, sizeof folder, "%s/%s", d->output, name);
    if (length < 0 || length >= (int)sizeof folder)
        return usage_error("demo: the name of the folder is too long");
    if (d->force)
        words[count++] = "--force";
    while (*more && count < MOST_WORDS - 1)
        words[count++] = *more++;
    if (!d->quiet)
        fprintf(stderr, "demo: %s\n", name);
    return run_command(d, (char **)words, false);
}

static int cluster_digits(const demo *d)
{
    /* Weights are not scale-free: samples of unit length want a larger one than the paper's 10. */
    static const struct {
        const char *method, *more[5];
    } steps[] = {{"kmeans", {NULL}},
                 {"nmf", {NULL}},
                 {"gnmf", {"-p", "graph_weight=100"}},
                 {"tnmf", {NULL}},
                 {"cdnmf-kl", {"--labelled-fraction", "0.1", "-p", "class_weight=100"}},
                 {"nlcf", {NULL}}};
    int failed = 0;
    for (size_t i = 0; i < sizeof steps / sizeof *steps && !failed; i++) {
        const char *more[16] = {"-m", steps[i].method, "-k", "10", "--scale", "unit"};
        for (int j = 0; steps[i].more[j]; j++)
            more[6 + j] = steps[i].more[j];
        failed = run_step(d, "cluster", d->digits, steps[i].method, more);
    }
    return failed;
}

static int segment_scene(const demo *d)
{
    const char *const more[] = {"-k", "6", "--truth", d->truth, "--draw", "overlay,graph", NULL};
    return run_step(d, "segment", d->scene, "scene", more);
}

int run_demo(const arguments *given)
{
    demo d = {.output = option_value(given, OPTION_OUTPUT),
              .force = option_given(given, OPTION_FORCE),
              .json = option_given(given, OPTION_JSON),
              .quiet = option_given(given, OPTION_QUIET)};
    if (!d.output)
        d.output = "demo-run";
    if (!find_data(&d)) {
        usage_error("demo: the digits and the picture are not where Orthant was installed");
        return EXIT_FAILED;
    }
    interrupt_watch();
    int failed = cluster_digits(&d);
    if (!failed)
        failed = segment_scene(&d);
    if (failed && interrupt_seen())
        return interrupt_tell("the runs in %s are whole; --force begins again", d.output);
    if (failed)
        return failed;
    if (!d.json)
        printf("1,797 handwritten digits, 8 x 8 pixels, 10 clusters (cdnmf-kl knows a tenth of the "
               "labels):\n\n");
    failed = finish_output();
    char *const words[] = {(char *)"orthant", (char *)"report", (char *)d.output,
                           d.json ? (char *)"--json" : NULL, NULL};
    return failed ? failed : run_command(&d, (char **)words, true);
}
