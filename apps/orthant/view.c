/* orthant view: a run's report in the browser, or the curve of a fit that is being made. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "command.h"
#include "json.h"
#include "serve.h"
#include "text.h"

extern char **environ;

#define PATH_LENGTH 4096

static const char *const live_lines[] = {
#include "live.inc"
};

typedef struct viewing {
    char folder[PATH_LENGTH]; /* RUN, without slashes at its end */
    char *live;               /* the page of a fit that is being made */
} viewing;

/* ---- a fit that is being made -----------------------------------------------------------------
 */

/* Whether its writer still holds the lock on that folder. */
static bool is_held(int at, const char *name)
{
    const int opened = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    const bool held = opened >= 0 && flock(opened, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK;
    if (opened >= 0)
        close(opened);
    return held;
}

/* The history in a folder "NAME.part-PID-N" of `above`; -1 where there is none. */
static int find_history(const char *above, const char *name)
{
    int file = -1;
    const size_t length = strlen(name);
    DIR *open = opendir(above);
    for (struct dirent *entry; open && file < 0 && (entry = readdir(open));) {
        const char *part = entry->d_name;
        if (strncmp(part, name, length) || strncmp(part + length, ".part-", 6) ||
            !is_held(dirfd(open), part))
            continue;
        const int folder =
            openat(dirfd(open), part, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        file = folder >= 0 ? serve_open_file(folder, HISTORY_LIVE) : -1;
        if (folder >= 0)
            close(folder);
    }
    if (open)
        closedir(open);
    return file;
}

/* Beside the run, or in it where nothing can lie beside it. */
static int open_history(const viewing *v)
{
    char above[PATH_LENGTH];
    snprintf(above, sizeof above, "%s", v->folder);
    char *slash = strrchr(above, '/');
    const char *name = slash ? v->folder + (slash - above) + 1 : v->folder;
    if (slash)
        slash[slash == above ? 1 : 0] = '\0';
    const int file = find_history(slash ? above : ".", name);
    return file >= 0 ? file : find_history(v->folder, "");
}

/* "": the report, or the page that shows the curve; "history": the curve. */
static int answer_special(void *user, const char *path, int *file, const char **text)
{
    const viewing *v = user;
    if (!strcmp(path, "history")) {
        *file = open_history(v);
        return 1;
    }
    if (*path)
        return 0;
    const int history = open_history(v);
    if (history >= 0) {
        close(history);
        *text = v->live;
        return 1;
    }
    const int folder = open(v->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    *file = folder >= 0 ? serve_open_file(folder, "report.html") : -1;
    if (folder >= 0)
        close(folder);
    return 1;
}

/* ---- the command ------------------------------------------------------------------------------
 */

/* Where there is a screen; nobody waits for it, and whether it came is for the user to see. */
static void open_browser(const char *address)
{
    posix_spawn_file_actions_t actions;
    pid_t child;
    char *const words[] = {(char *)"xdg-open", (char *)address, NULL};
    if ((!getenv("DISPLAY") && !getenv("WAYLAND_DISPLAY")) ||
        posix_spawn_file_actions_init(&actions))
        return;
    signal(SIGCHLD, SIG_IGN);
    if (!posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0) &&
        !posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0) &&
        !posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0))
        posix_spawnp(&child, words[0], &actions, NULL, words, environ);
    posix_spawn_file_actions_destroy(&actions);
}

static int make_live_page(viewing *v)
{
    size_t bytes = 1;
    for (size_t i = 0; i < sizeof live_lines / sizeof *live_lines; i++)
        bytes += strlen(live_lines[i]);
    char *at = v->live = malloc(bytes);
    if (!at) {
        usage_error("out of memory");
        return EXIT_FAILED;
    }
    for (size_t i = 0; i < sizeof live_lines / sizeof *live_lines; i++) {
        const size_t length = strlen(live_lines[i]);
        memcpy(at, live_lines[i], length);
        at += length;
    }
    *at = '\0';
    return 0;
}

/* There must be something to look at. */
static int check_folder(viewing *v, const char *given)
{
    size_t length = strlen(given);
    while (length > 1 && given[length - 1] == '/')
        length--;
    if (!length || length >= sizeof v->folder - 16)
        return usage_error("view: '%.40s' is no folder's name", given);
    memcpy(v->folder, given, length);
    v->folder[length] = '\0';
    int file = -1;
    const char *text = NULL;
    answer_special(v, "", &file, &text);
    if (file >= 0)
        close(file);
    if (file >= 0 || text)
        return 0;
    if (path_is_folder(v->folder))
        usage_error("%s: there is no report.html, and no fit that is being made; `orthant report "
                    "%s` makes the page of a run",
                    v->folder, v->folder);
    else
        usage_error("%s: %s", v->folder,
                    path_exists(v->folder) ? "is a file, expected a run's folder"
                                           : "there is no such folder, and no fit that makes it");
    return EXIT_FAILED;
}

static int tell_address(const arguments *given, const char *address)
{
    json_printer json = {.file = stdout};
    if (option_given(given, OPTION_JSON)) {
        json_begin_object(&json, NULL);
        json_put_text(&json, "address", address);
        json_end(&json);
    } else {
        printf("%s\n", address);
    }
    return finish_output();
}

int run_view(const arguments *given)
{
    viewing *v = calloc(1, sizeof *v);
    server s = {.special = answer_special, .user = v};
    char address[96];
    if (!v) {
        usage_error("out of memory");
        return EXIT_FAILED;
    }
    int failed = make_live_page(v);
    if (!failed)
        failed = check_folder(v, given->word[0]);
    const int error = failed ? 0 : serve_open(&s);
    if (error) {
        usage_error("view: no port of 127.0.0.1 can be opened: %s", strerror(error));
        failed = EXIT_FAILED;
    }
    if (!failed) {
        interrupt_watch();
        s.folder = v->folder;
        snprintf(address, sizeof address, "http://127.0.0.1:%d/%s/", s.port, s.token);
        failed = tell_address(given, address);
        if (!failed && !option_given(given, OPTION_NO_BROWSER))
            open_browser(address);
        if (!failed && !option_given(given, OPTION_QUIET))
            fprintf(stderr, "orthant: note: serves %s until Ctrl-C\n", v->folder);
        if (!failed)
            serve_run(&s, interrupt_seen);
        if (!failed && !option_given(given, OPTION_QUIET))
            fprintf(stderr, "orthant: note: ended\n");
    }
    free(v->live);
    free(v);
    return failed;
}

static const option_id view_options[] = {OPTION_NO_BROWSER, OPTION_JSON, OPTION_QUIET, OPTION_NONE};
const subcommand view_command = {
    .name = "view",
    .title = "a run's report in the browser, or the curve of a running fit",
    .usage = "view RUN [--no-browser]",
    .description =
        "Serves the folder RUN to the browser of this machine, until Ctrl-C. While a fit writes to "
        "RUN, the page shows its objective as it falls, and the report when it is done. The "
        "address has a random port of 127.0.0.1 and a random token; nothing is changed, and "
        "nothing outside RUN can be read.",
    .examples = "orthant view run\northant fit X.npy -k 50 -o run & orthant view run\n"
                "orthant view run --no-browser",
    .fewest = 1,
    .most = 1,
    .missing = "RUN",
    .options = view_options,
    .run = run_view,
};
