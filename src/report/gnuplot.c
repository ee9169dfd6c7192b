/* For posix_spawn_file_actions_addchdir_np. */
#define _GNU_SOURCE
#include "report/gnuplot.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "report/chart.h"

/* gnuplot in `folder`, silent; what it reads from `input` are its commands. */
static bool spawn(const char *folder, int input, pid_t *child)
{
    char *arguments[] = {"gnuplot", "-d", "-", NULL};
    posix_spawn_file_actions_t actions;
    if (posix_spawn_file_actions_init(&actions) != 0)
        return false;
    const bool started =
        posix_spawn_file_actions_addchdir_np(&actions, folder) == 0 &&
        posix_spawn_file_actions_adddup2(&actions, input, 0) == 0 &&
        posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0) == 0 &&
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0) == 0 &&
        posix_spawnp(child, "gnuplot", &actions, NULL, arguments, environ) == 0;
    posix_spawn_file_actions_destroy(&actions);
    return started;
}

/* A socket and not a pipe: who writes to a gnuplot that died gets an error, not a signal. */
void gnuplot_start(gnuplot *g, const char *folder)
{
    int ends[2];
    pid_t child;
    g->fed = false;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return;
    if (spawn(folder, ends[1], &child)) {
        g->feed = ends[0];
        g->process = (int)child;
        g->runs = true;
    } else {
        close(ends[0]);
    }
    close(ends[1]);
}

void gnuplot_draw(gnuplot *g, const char *name)
{
    char commands[400];
    const int length =
        snprintf(commands, sizeof commands,
                 "%soutput = '%.100s.svg.part'\nload '%.100s.gp'\nunset output\nreset\n",
                 g->fed ? "" : "cd '" CHART_FOLDER "'\n", name, name);
    g->fed = true;
    for (ssize_t sent = 0, now; sent < length; sent += now) {
        now = send(g->feed, commands + sent, (size_t)(length - sent), MSG_NOSIGNAL);
        if (now < 0 && errno == EINTR)
            now = 0;
        else if (now <= 0)
            return;
    }
}

void gnuplot_close(gnuplot *g)
{
    if (g->feed >= 0)
        close(g->feed);
    g->feed = -1;
}

bool gnuplot_end(gnuplot *g)
{
    int state = -1;
    pid_t ended;
    gnuplot_close(g);
    if (!g->runs)
        return false;
    g->runs = false;
    if (!g->fed)
        kill((pid_t)g->process, SIGKILL);
    do
        ended = waitpid((pid_t)g->process, &state, 0);
    while (ended < 0 && errno == EINTR);
    return ended == (pid_t)g->process && WIFEXITED(state) && WEXITSTATUS(state) == 0;
}
