/* What the subcommands share: how they speak, and how they end. */
#ifndef APP_COMMAND_H
#define APP_COMMAND_H

#include "options.h"
#include "orthant/orthant.h"

enum { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2 };

/* One line on standard error; returns EXIT_USAGE. */
int usage_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The context's message on standard error, and the exit status that goes with the status. */
int report_failure(const orthant_context *ctx, orthant_status status);
/* Flushes standard output: EXIT_DONE, or EXIT_FAILED when not all could be written. */
int finish_output(void);

/* ", did you mean 'x'?" where a candidate is near, else "". */
const char *suggestion(const char *name, const char *const *candidates, int count, char *text,
                       size_t size);

/* Talks to the user while the library works. */
typedef struct talk {
    bool quiet, progress, terminal;
    bool finishing; /* what follows is short: an interrupt no longer stops it */
    bool line;      /* a progress line stands on the screen */
    double last_drawn;
    FILE *history;   /* of the fit that is being made, for `orthant view`; NULL: none */
    double kept;     /* when its last line was written */
    int64_t reached; /* the last line's iteration */
} talk;

/* A context with log, progress, threads and precision as the options say. Returns 0 or the exit
 * status. */
int context_open(const arguments *given, talk *speech, orthant_context **ctx);
/* A note of the command's own, where the user wants notes. */
void talk_note(talk *speech, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Removes the progress line. */
void talk_clear(talk *speech);
/* The name of that file in the folder of a claim. */
#define HISTORY_LIVE "history.csv"
/* From now on the objective of a fit goes there too; where it cannot be, nothing is missing. */
void talk_keep_history(talk *speech, const char *folder);
void talk_end_history(talk *speech);
/* From now on Ctrl-C and SIGTERM end the command with a message: as long as it reads alone. */
void interrupt_begin(void);
/* From now on they ask for a stop after the iteration; a second one kills. */
void interrupt_watch(void);
bool interrupt_seen(void);
/* From now on the command ends with a message where the file at `path`, which is memory-mapped, is
 * cut off by another program. */
void mapping_watch(const char *path);
/* The exit status of a command that was stopped, as a shell gives it: 130 or 143. */
int interrupt_exit(void);
/* Says that it was interrupted, and what became of the work; returns that exit status. */
int interrupt_tell(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The same of a result that so many iterations gave: in the folder, or, where it is NULL, printed.
 */
int interrupt_tell_iterations(const char *folder, int64_t iterations);
/* At the end of a command: the same, where nothing was said yet. Without an interrupt it returns
 * `exit_status`. */
int interrupt_finish(int exit_status);

/* How many processes mpirun started as one program, 1 without it, and which of them this is. */
int64_t processes_started(void);
int64_t processes_rank(void);
/* Threads for each, where several share a machine's processors; 0: as many as it sees. */
int64_t processes_threads(void);

/* The NMI that --nmi asks for, and its name. */
const char *score_nmi_kind(const arguments *given);
double score_nmi(const arguments *given, const orthant_scores *scores);

int run_methods(const arguments *given);
int run_info(const arguments *given);
int run_convert(const arguments *given);
int run_fit(const arguments *given);
int run_cluster(const arguments *given);
int run_transform(const arguments *given);
int run_predict(const arguments *given);
int run_inverse(const arguments *given);
int run_complete(const arguments *given);
int run_score(const arguments *given);
int run_score_segmentation(const arguments *given);
int run_graph(const arguments *given);
int run_segment(const arguments *given);
int run_features(const arguments *given);
int run_words(const arguments *given);
int run_reproduce(const arguments *given);
int run_report(const arguments *given);
int run_view(const arguments *given);
int run_bench(const arguments *given);
int run_demo(const arguments *given);
int run_compare(const arguments *given);
int run_ranks(const arguments *given);
int run_consensus(const arguments *given);

/* Its row of the table of subcommands. */
extern const subcommand view_command;

#endif
