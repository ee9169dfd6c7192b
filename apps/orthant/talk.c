/* Standard error: errors, notes and warnings, the progress line; and Ctrl-C and SIGTERM. */
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "command.h"
#include "hints.h"
#include "text.h"

#define REDRAW_SECONDS 0.1
#define LINE_SECONDS 1.0

/* The signal's number. A handler can reach nothing else. */
static volatile sig_atomic_t interrupted;
static bool interrupt_told;
/* What is said when the memory-mapped file is cut off, for the same reason, by one thread. */
static char cut_off[1280];
static atomic_flag cut_off_said = ATOMIC_FLAG_INIT;

/* One line whatever the message quotes: a path may hold a newline. */
static void make_one_line(char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < 0x20 || *text == 0x7f)
            *text = '?';
}

static void say(const char *kind, const char *message)
{
    char text[1280], line[1320];
    if (processes_rank() > 0)
        return; /* the first process says it for all */
    hints_add(message, text, sizeof text);
    snprintf(line, sizeof line, "orthant: %s%s", kind, text);
    make_one_line(line);
    fprintf(stderr, "%s\n", line);
}

int usage_error(const char *format, ...)
{
    char message[1024];
    va_list values;
    va_start(values, format);
    vsnprintf(message, sizeof message, format, values);
    va_end(values);
    say("", message);
    return EXIT_USAGE;
}

int report_failure(const orthant_context *ctx, orthant_status status)
{
    const char *message = orthant_message(ctx);
    if (!status)
        return EXIT_DONE;
    if (interrupt_seen() && status == ORTHANT_STOPPED) {
        return interrupt_tell("stopped before there was a result");
    }
    say("", *message ? message : orthant_status_name(status));
    return status == ORTHANT_ERROR_ARGUMENT ? EXIT_USAGE : EXIT_FAILED;
}

int finish_output(void)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return EXIT_DONE;
    say("", "standard output cannot be written");
    return EXIT_FAILED;
}

const char *suggestion(const char *name, const char *const *candidates, int count, char *text,
                       size_t size)
{
    const char *nearest = nearest_name(name, candidates, count);
    text[0] = '\0';
    if (nearest)
        snprintf(text, size, ", did you mean '%s'?", nearest);
    return text;
}

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void talk_clear(talk *speech)
{
    if (speech->line)
        fputs("\r\033[K", stderr);
    speech->line = false;
}

void talk_note(talk *speech, const char *format, ...)
{
    char message[1024];
    va_list values;
    va_start(values, format);
    vsnprintf(message, sizeof message, format, values);
    va_end(values);
    talk_clear(speech);
    if (!speech->quiet)
        say("note: ", message);
}

static void on_log(void *user, orthant_log_level level, const char *message)
{
    talk *speech = user;
    talk_clear(speech);
    if (!speech->quiet)
        say(level == ORTHANT_LOG_WARNING ? "warning: " : "note: ", message);
}

static void describe_progress(const orthant_progress *progress, char *line, size_t size)
{
    const double rate = progress->seconds > 0 ? (double)progress->done / progress->seconds : 0;
    line[0] = '\0';
    append_text(line, size, "%s %lld", progress->phase, (long long)progress->done);
    if (progress->total > 0)
        append_text(line, size, " of %lld", (long long)progress->total);
    if (rate > 0)
        append_text(line, size, "  %.*f/s", rate < 10 ? 2 : 0, rate);
    if (rate > 0 && progress->total > progress->done)
        append_text(line, size, "  %.0f s left",
                    ceil((double)(progress->total - progress->done) / rate));
    if (!isnan(progress->objective))
        append_text(line, size, "  objective %.6g", progress->objective);
}

static void draw_progress(talk *speech, const orthant_progress *progress)
{
    char line[256];
    struct winsize window;
    describe_progress(progress, line, sizeof line);
    if (!speech->terminal) {
        fprintf(stderr, "%s\n", line);
        return;
    }
    const int width = ioctl(STDERR_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 1
                          ? window.ws_col - 1
                          : 79;
    fprintf(stderr, "\r%.*s\033[K", width, line);
    fflush(stderr);
    speech->line = true;
}

void talk_keep_history(talk *speech, const char *folder)
{
    char path[4096];
    const int length = snprintf(path, sizeof path, "%s/%s", folder, HISTORY_LIVE);
    speech->history = length > 0 && length < (int)sizeof path ? fopen(path, "we") : NULL;
}

void talk_end_history(talk *speech)
{
    if (speech->history)
        fclose(speech->history);
    speech->history = NULL;
}

/* About two lines a second at first, a thousand for each tenfold of the time. A lower iteration is
 * another start's: its curve takes the place of the one before. */
static void keep_history(talk *speech, const orthant_progress *progress, double now)
{
    const double pause = fmax(0.5, progress->seconds / 500);
    if (!speech->history || isnan(progress->objective) || strcmp(progress->phase, "fit") ||
        (speech->kept > 0 && now - speech->kept < pause))
        return;
    if (speech->kept == 0 || progress->done < speech->reached) {
        rewind(speech->history);
        if (ftruncate(fileno(speech->history), 0))
            return;
        fputs("iteration,objective,seconds\n", speech->history);
    }
    fprintf(speech->history, "%lld,%.9g,%.3f\n", (long long)progress->done, progress->objective,
            progress->seconds);
    fflush(speech->history);
    speech->kept = now;
    speech->reached = progress->done;
}

static bool on_progress(void *user, const orthant_progress *progress)
{
    talk *speech = user;
    const double now = seconds_now();
    keep_history(speech, progress, now);
    const double pause = speech->terminal ? REDRAW_SECONDS : LINE_SECONDS;
    if (speech->progress && now - speech->last_drawn >= pause) {
        speech->last_drawn = now;
        draw_progress(speech, progress);
    }
    return speech->finishing || !interrupt_seen();
}

static void on_interrupt(int number)
{
    interrupted = number;
}

/* Before anything is written there is nothing to end in order. */
static void on_early_interrupt(int number)
{
    static const char by_key[] = "orthant: interrupted by Ctrl-C: nothing was written\n",
                      by_term[] = "orthant: interrupted by SIGTERM: nothing was written\n";
    const ssize_t written = number == SIGINT ? write(STDERR_FILENO, by_key, sizeof by_key - 1)
                                             : write(STDERR_FILENO, by_term, sizeof by_term - 1);
    (void)written;
    _exit(128 + number);
}

static void watch(void (*handler)(int))
{
    const int signals[] = {SIGINT, SIGTERM};
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    /* The second of a kind finds the default again. */
    action.sa_flags = (int)(SA_RESETHAND | SA_RESTART);
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        sigaction(signals[i], &action, NULL);
}

void interrupt_begin(void)
{
    watch(on_early_interrupt);
}

void interrupt_watch(void)
{
    watch(on_interrupt);
}

/* The memory of a file ends where the file does. */
static void on_cut_off(int number)
{
    (void)number;
    while (atomic_flag_test_and_set(&cut_off_said))
        pause();
    const ssize_t written = write(STDERR_FILENO, cut_off, strlen(cut_off));
    (void)written;
    _exit(EXIT_FAILED);
}

void mapping_watch(const char *path)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_cut_off;
    sigemptyset(&action.sa_mask);
    char name[1200];
    snprintf(name, sizeof name, "%s", path);
    make_one_line(name);
    snprintf(cut_off, sizeof cut_off,
             "orthant: %s: was cut off, or could not be read, while it was used\n", name);
    sigaction(SIGBUS, &action, NULL);
}

bool interrupt_seen(void)
{
    return interrupted != 0;
}

int interrupt_exit(void)
{
    return 128 + (int)interrupted;
}

int interrupt_tell(const char *format, ...)
{
    char message[1024];
    va_list values;
    va_start(values, format);
    vsnprintf(message, sizeof message, format, values);
    va_end(values);
    say(interrupt_exit() == 143 ? "interrupted by SIGTERM: " : "interrupted by Ctrl-C: ", message);
    interrupt_told = true;
    return interrupt_exit();
}

int interrupt_tell_iterations(const char *folder, int64_t iterations)
{
    return interrupt_tell("%s %s what %" PRId64 " iteration%s gave",
                          folder ? folder : "what is printed", folder ? "holds" : "is", iterations,
                          iterations == 1 ? "" : "s");
}

int interrupt_finish(int exit_status)
{
    if (!interrupt_seen())
        return exit_status;
    if (!interrupt_told)
        interrupt_tell(exit_status ? "nothing is half-written"
                                   : "when the work was done; what was written is whole");
    return interrupt_exit();
}

/* What is for fits on a device. */
static int check_device_options(const arguments *given)
{
    const char *precision = option_value(given, OPTION_PRECISION),
               *device = option_value(given, OPTION_DEVICE);
    if (device && strcmp(device, "cpu") != 0)
        return 0;
    if (precision && !strcmp(precision, "tf32"))
        return usage_error("%s: --precision tf32 is for fits on a device, as in --device cuda; "
                           "here it is single or double",
                           given->command->name);
    if (option_given(given, OPTION_DEVICE_MEMORY))
        return usage_error("%s: --device-memory is for what runs on a device, as in --device cuda",
                           given->command->name);
    return 0;
}

static orthant_status choose_device(const arguments *given, orthant_context *ctx)
{
    const char *precision = option_value(given, OPTION_PRECISION),
               *device = option_value(given, OPTION_DEVICE);
    orthant_context_set_product_rounding(ctx, precision && !strcmp(precision, "tf32"));
    return device ? orthant_context_set_device(ctx, device) : ORTHANT_OK;
}

int context_open(const arguments *given, talk *speech, orthant_context **ctx)
{
    int64_t threads = 0, memory = 0, device_memory = 0;
    const char *precision = option_value(given, OPTION_PRECISION);
    *ctx = NULL;
    *speech = (talk){.quiet = option_given(given, OPTION_QUIET), .terminal = isatty(STDERR_FILENO)};
    speech->progress = !speech->quiet && (speech->terminal || option_given(given, OPTION_PROGRESS));
    int failed = option_whole(given, OPTION_THREADS, 0, 1024, 0, &threads);
    if (!failed)
        failed = option_bytes(given, OPTION_MEMORY, 0, &memory);
    if (!failed)
        failed = option_bytes(given, OPTION_DEVICE_MEMORY, 0, &device_memory);
    if (!failed)
        failed = check_device_options(given);
    if (failed)
        return failed;
    if (orthant_context_create(ctx)) {
        say("", "out of memory");
        return EXIT_FAILED;
    }
    orthant_context_set_confined(*ctx, true);
    orthant_context_set_log(*ctx, on_log, speech);
    orthant_context_set_progress(*ctx, on_progress, speech);
    if (memory)
        orthant_context_set_memory_limit(*ctx, (size_t)memory);
    orthant_context_set_device_memory_limit(*ctx, (size_t)device_memory);
    if (precision && !strcmp(precision, "double"))
        orthant_context_set_precision(*ctx, ORTHANT_DOUBLE);
    failed = report_failure(*ctx, orthant_context_set_threads(*ctx, (int)threads));
    if (!failed)
        failed = report_failure(*ctx, choose_device(given, *ctx));
    if (failed) {
        orthant_context_free(*ctx);
        *ctx = NULL;
    }
    return failed;
}
