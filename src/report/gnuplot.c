/* Starts gnuplot, feeds it through a pipe and ends it after a time limit. */
#include "report/gnuplot.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/text.h"
#include "report/chart.h"

#define USUAL_SECONDS 60 /* that all charts of a page may take; they take one or two */

double gnuplot_seconds(void)
{
    double seconds = 0;
    const char *given = getenv("ORTHANT_GNUPLOT_SECONDS");
    return given && text_to_double(given, &seconds) && seconds > 0 && seconds < 1e6 ? seconds
                                                                                    : USUAL_SECONDS;
}

/* In the child: gnuplot in `folder`, silent; what it reads from `input` are its commands. It leads
 * a group of its own, so that a script by that name ends with all that it started, and dies with
 * its parent, so that nothing is drawn into a folder that a killed command has left. */
static void become_gnuplot(const char *folder, int input, pid_t parent)
{
    char *const arguments[] = {"gnuplot", "-d", "-", NULL};
    const int nowhere = open("/dev/null", O_WRONLY);
    signal(SIGXFSZ, SIG_DFL);
    if (!prctl(PR_SET_PDEATHSIG, SIGKILL) && getppid() == parent && !setpgid(0, 0) &&
        !chdir(folder) && dup2(input, 0) == 0 && dup2(nowhere, 1) == 1 && dup2(nowhere, 2) == 2)
        execvp(arguments[0], arguments);
}

/* The process shares our memory until it is gnuplot, and tells by it where it could not become so.
 * A fork would copy the tables of all our memory. */
static bool spawn(const char *folder, int input, pid_t *child)
{
    volatile bool failed = false;
    const pid_t parent = getpid();
    *child = vfork();
    if (*child == 0) {
        become_gnuplot(folder, input, parent);
        failed = true;
        _exit(127);
    }
    if (*child > 0 && failed)
        while (waitpid(*child, NULL, 0) < 0 && errno == EINTR)
            ;
    return *child > 0 && !failed;
}

/* A socket and not a pipe: who writes to a gnuplot that died gets an error, not a signal. */
void gnuplot_start(gnuplot *g, const char *folder)
{
    int ends[2];
    pid_t child;
    const struct timeval patience = {.tv_sec = (time_t)gnuplot_seconds() + 1};
    g->fed = false;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return;
    setsockopt(ends[0], SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
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

/* Waits for the process; false where it has not ended after so many seconds. */
static bool wait_for(pid_t process, double seconds, int *state)
{
    const double until = clock_seconds() + seconds;
    struct timespec pause = {.tv_nsec = 500000};
    for (;;) {
        const pid_t ended = waitpid(process, state, WNOHANG);
        if (ended == process || (ended < 0 && errno != EINTR))
            return true;
        if (clock_seconds() >= until)
            return false;
        nanosleep(&pause, NULL);
        if (pause.tv_nsec < 10000000)
            pause.tv_nsec += pause.tv_nsec / 4;
    }
}

bool gnuplot_end(gnuplot *g)
{
    const pid_t process = (pid_t)g->process;
    int state = -1;
    gnuplot_close(g);
    if (!g->runs)
        return false;
    g->runs = false;
    const bool ended = g->fed && wait_for(process, gnuplot_seconds(), &state);
    g->hung = g->hung || (g->fed && !ended);
    if (!ended) {
        kill(-process, SIGKILL);
        while (waitpid(process, &state, 0) < 0 && errno == EINTR)
            ;
    }
    return ended && WIFEXITED(state) && WEXITSTATUS(state) == 0;
}
