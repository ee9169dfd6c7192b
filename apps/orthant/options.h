/* The options of all subcommands, each described once: parsing, --help and completion come from
 * these tables. */
#ifndef APP_OPTIONS_H
#define APP_OPTIONS_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "orthant/context.h"

typedef enum option_id {
    OPTION_NONE,
    OPTION_METHOD,
    OPTION_RANK,
    OPTION_OUTPUT,
    OPTION_FORCE,
    OPTION_PARAMETER,
    OPTION_LOSS,
    OPTION_TERM,
    OPTION_ITERATIONS,
    OPTION_TOLERANCE,
    OPTION_TIME_LIMIT,
    OPTION_CHECKPOINT,
    OPTION_RESUME,
    OPTION_SEED,
    OPTION_INIT,
    OPTION_START,
    OPTION_FIX,
    OPTION_SOLVER,
    OPTION_GRAPH,
    OPTION_WEIGHTS,
    OPTION_HEAT_WIDTH,
    OPTION_SEARCH,
    OPTION_SIMILARITY,
    OPTION_POOLING,
    OPTION_MASK,
    OPTION_MISSING,
    OPTION_BATCH,
    OPTION_SAMPLE_WEIGHTS,
    OPTION_TRAINING,
    OPTION_AT,
    OPTION_LABELS,
    OPTION_LABELLED_FRACTION,
    OPTION_LABELLED_PER_CLASS,
    OPTION_CLASSES,
    OPTION_METHODS,
    OPTION_REPEATS,
    OPTION_CRITERIA,
    OPTION_NOISE,
    OPTION_SWEEP,
    OPTION_FROM,
    OPTION_LABELS_RULE,
    OPTION_CLUSTERS,
    OPTION_RESTARTS,
    OPTION_SCALE,
    OPTION_VARIABLE,
    OPTION_TRUTH,
    OPTION_LABEL_COLUMN,
    OPTION_ID_COLUMN,
    OPTION_DROP,
    OPTION_TRANSPOSE,
    OPTION_MAP,
    OPTION_STREAM,
    OPTION_SIZE,
    OPTION_ORDER,
    OPTION_COLOR,
    OPTION_SEGMENTATION,
    OPTION_THRESHOLD,
    OPTION_NEIGHBOURHOOD,
    OPTION_COMPONENTS,
    OPTION_NODES,
    OPTION_FEATURES,
    OPTION_FEATURE_WEIGHTS,
    OPTION_EDGES,
    OPTION_SUPERPIXELS,
    OPTION_SMOOTHING,
    OPTION_SMALLEST,
    OPTION_BANK,
    OPTION_WINDOW,
    OPTION_BINS,
    OPTION_BINNING,
    OPTION_FINISH,
    OPTION_NEIGHBOURS,
    OPTION_SNAPSHOTS,
    OPTION_DRAW,
    OPTION_KIND,
    OPTION_DATA,
    OPTION_TABLES,
    OPTION_FIGURES,
    OPTION_CLAIMS,
    OPTION_LIST,
    OPTION_QUICK,
    OPTION_DIGITS,
    OPTION_WORDS,
    OPTION_STOP_WORDS,
    OPTION_MIN_COUNT,
    OPTION_MIN_DOCUMENTS,
    OPTION_MAX_WORDS,
    OPTION_FORMAT,
    OPTION_PRECISION,
    OPTION_DEVICE,
    OPTION_DEVICE_MEMORY,
    OPTION_THREADS,
    OPTION_MEMORY,
    OPTION_EXPLAIN,
    OPTION_NMI,
    OPTION_JSON,
    OPTION_QUIET,
    OPTION_PROGRESS,
    OPTION_NO_BROWSER,
    OPTION_HELP,
    OPTION_HELP_ALL
} option_id;

typedef struct option {
    option_id id;
    const char *name;
    char letter;
    const char *value;   /* what stands for the value in --help; NULL: a switch */
    const char *choices; /* "a|b|c": nothing else is taken; NULL: anything */
    const char *help;
} option;

typedef struct arguments arguments;

#define WORDS_ANY INT_MAX

typedef struct subcommand {
    const char *name;
    const char *title;
    const char *usage;        /* lines without "orthant" */
    const char *description;  /* a paragraph, wrapped where it is printed */
    const char *examples;     /* lines without indent */
    int fewest, most;         /* arguments that are no options; WORDS_ANY: as many as there are */
    const char *missing;      /* what is missing when there are too few */
    bool lists;               /* options with choices take several, with a comma between them */
    bool shares;              /* processes that mpirun starts share the samples; others: refused */
    const option_id *options; /* ends with OPTION_NONE; --help is added by itself */
    int (*run)(const arguments *given);
} subcommand;

/* What the user typed. */
struct arguments {
    const subcommand *command;
    int count;
    const char **word;
    int options;
    struct {
        option_id id;
        const char *value;
    } * option;       /* in the order given */
    const char *line; /* the whole command, quoted for a shell */
};

extern const subcommand *const subcommands[];
extern const int subcommand_count;

/* The option's table row. */
const option *option_describe(option_id id);
/* The row of an option by its long name; NULL where there is none. */
const option *option_named(const char *name);

/* Fills `given` from the words behind the subcommand; its arrays take all of them.
 * Returns 0, or the exit status after the error was told. */
int options_parse(const subcommand *command, int count, char **words, arguments *given);

bool option_given(const arguments *given, option_id id);
/* The last value, or NULL. */
const char *option_value(const arguments *given, option_id id);
/* The i-th value of a repeatable option, or NULL. */
const char *option_nth(const arguments *given, option_id id, int index);
/* The value as a whole number between bounds, `otherwise` where it was not given. Returns 0 or the
 * exit status. */
int option_whole(const arguments *given, option_id id, int64_t least, int64_t most,
                 int64_t otherwise, int64_t *value);
/* The value as a number of bytes: a whole number, alone or with K, M, G or T (of 1024) behind it.
 */
int option_bytes(const arguments *given, option_id id, int64_t otherwise, int64_t *value);
int option_number(const arguments *given, option_id id, double least, double most, double otherwise,
                  double *value);

/* `text` from column `indent` on, broken at spaces to fit 80 columns, further lines indented. */
void print_wrapped(FILE *out, const char *text, int indent);
/* So many bytes of a text that a file holds: what would steer a terminal becomes '?'. */
void print_printable(FILE *out, const char *text, size_t length);
/* `all`: the rare options too. */
void help_print(FILE *out, const subcommand *command, bool all);
void help_print_all(FILE *out);
/* The words that can follow: orthant --complete SUBCOMMAND [OPTION [LINE...]]. Behind a parameter
 * OPTION is "-p NAME="; LINE is what stands before, where a method may be named. */
int complete_print(int count, char **words);

#endif
