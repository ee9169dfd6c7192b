/* --help and --help-all, from the tables of options.c and subcommands.c. */
#include <string.h>

#include "command.h"

#define WIDTH 79
#define INDENT 26
#define MOST_AT_ONCE 20 /* options; of more, --help shows those that most need */

void print_printable(FILE *out, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        fputc((unsigned char)text[i] < ' ' || text[i] == 0x7f ? '?' : text[i], out);
}

void print_wrapped(FILE *out, const char *text, int indent)
{
    int column = indent;
    while (*text) {
        const int length = (int)strcspn(text, " ");
        if (column > indent && column + 1 + length > WIDTH) {
            fprintf(out, "\n%*s", indent, "");
            column = indent;
        } else if (column > indent) {
            fputc(' ', out);
            column++;
        }
        print_printable(out, text, (size_t)length);
        column += length;
        text += length;
        text += strspn(text, " ");
    }
    fputc('\n', out);
}

/* What an option says in one subcommand, where the table speaks of several. */
static const struct {
    const char *command;
    option_id id;
    const char *help;
} said[] = {
    {"fit", OPTION_METHOD, "the method (default nmf); `orthant methods` lists all"},
    {"cluster", OPTION_METHOD, "the method (default nmf); `orthant methods` lists all"},
    {"consensus", OPTION_METHOD, "the method (default nmf); `orthant methods` lists all"},
    {"ranks", OPTION_METHOD, "the method (default nmf); `orthant methods` lists all"},
    {"segment", OPTION_METHOD,
     "grpnmf (the default), gnmf, nmf or kmeans; for pixels also grpnmf+, fseg, convex-nmf and "
     "onmf"},
    {"fit", OPTION_RANK,
     "number of parts (required); or auto, or a range as in 2:8, which `orthant ranks` chooses "
     "from"},
    {"cluster", OPTION_RANK,
     "number of parts and clusters (required); or auto, or a range as in 2:8, which `orthant "
     "ranks` chooses from"},
    {"consensus", OPTION_RANK, "number of parts (required)"},
    {"ranks", OPTION_RANK,
     "the numbers of parts to try: a list, as in 2:12, 5:60:5 or 3,5,8 (default 2:12)"},
    {"segment", OPTION_RANK, "number of segments (default auto: as the features suggest)"},
    {"transform", OPTION_ITERATIONS, "at most so many iterations for a sample (default 500)"},
    {"predict", OPTION_ITERATIONS, "at most so many iterations for a sample (default 500)"},
    {"fit", OPTION_ITERATIONS, "at most so many iterations (default: the method's)"},
    {"cluster", OPTION_ITERATIONS, "at most so many iterations (default: the method's)"},
    {"consensus", OPTION_ITERATIONS, "at most so many iterations of a fit (default: the method's)"},
    {"segment", OPTION_ITERATIONS, "at most so many iterations (default: by the nodes)"},
    {"ranks", OPTION_ITERATIONS, "at most so many iterations of a fit (default: the method's)"},
    {"compare", OPTION_ITERATIONS, "at most so many iterations of a run (default: the method's)"},
    {"transform", OPTION_TOLERANCE,
     "a sample is done when its projected gradient is below this share (default 1e-10)"},
    {"predict", OPTION_TOLERANCE,
     "a sample is done when its projected gradient is below this share (default 1e-10)"},
    {"fit", OPTION_TOLERANCE,
     "stop when the objective falls, over 10 iterations, by less than this share per iteration "
     "(default 1e-5; 0: never)"},
    {"cluster", OPTION_TOLERANCE,
     "stop when the objective falls, over 10 iterations, by less than this share per iteration "
     "(default 1e-5; 0: never)"},
    {"fit", OPTION_RESUME,
     "go on from RUN.checkpoint: the same command, but for iterations, tolerance and time limit, "
     "ends with the same bits as if it had never stopped"},
    {"cluster", OPTION_RESUME,
     "go on from RUN.checkpoint: the same command, but for iterations, tolerance and time limit, "
     "ends with the same bits as if it had never stopped"},
    {"compare", OPTION_RESUME, "nothing: a study always goes on in the folder where it stopped"},
    {"ranks", OPTION_RESUME, "nothing: a survey always goes on in the folder where it stopped"},
    {"reproduce", OPTION_RESUME,
     "nothing: a reproduction always goes on in the folder where it stopped"},
    {"segment", OPTION_INIT, "kmeans (the default) or random"},
    {"fit", OPTION_CLASSES, "draw N classes of the data by the seed and leave the others out"},
    {"cluster", OPTION_CLASSES, "draw N classes of the data by the seed and leave the others out"},
    {"compare", OPTION_CLASSES,
     "numbers of classes to draw: a list, as in 2:10, 2:10:2 or 5,10,20 (default all)"},
    {"compare", OPTION_REPEATS, "draws and starts for each number of classes (default 10)"},
    {"ranks", OPTION_REPEATS, "fits of each criterion for each rank (default 20)"},
    {"consensus", OPTION_REPEATS, "starts (default 100)"},
    {"reproduce", OPTION_REPEATS, "draws of each row (default: the paper's)"},
    {"segment", OPTION_THRESHOLD,
     "share of a region that must be found to count, above 0.5 (default 0.75)"},
    {"score", OPTION_THRESHOLD,
     "share of a region that must be found to count, above 0.5 (default 0.75)"},
    {"consensus", OPTION_THRESHOLD,
     "parts whose mean distance to their nearest neighbours is above this are left out (default "
     "0.5; 2: none)"},
    {"fit", OPTION_FEATURE_WEIGHTS,
     "a file with a weight of each feature in the loss, a row or a "
     "column"},
    {"cluster", OPTION_FEATURE_WEIGHTS,
     "a file with a weight of each feature in the loss, a row or a column"},
    {"consensus", OPTION_FEATURE_WEIGHTS,
     "a file with a weight of each feature in the loss, a row or a column"},
    {"segment", OPTION_FEATURE_WEIGHTS, "a number for each group of features, as in 1,0.5"},
    {"segment", OPTION_TRUTH,
     "the true segments: a label image, or a .mat file of several annotators (default: the label "
     "field of a cloud; none: do not score)"},
    {"features", OPTION_WORDS, "size of the vocabulary of sift-words (default 500)"},
    {"fit", OPTION_WORDS, "a file with the features' names, one per line, for the report"},
    {"cluster", OPTION_WORDS, "a file with the features' names, one per line, for the report"},
    {"consensus", OPTION_WORDS, "a file with the features' names, one per line, for the report"},
    {"report", OPTION_WORDS, "a file with the features' names, one per line"},
    {"bench", OPTION_DATA, "a folder with the papers' data sets (default: generated data)"},
    {"reproduce", OPTION_DATA, "the folder with the papers' data sets"},
};

static bool takes(const subcommand *command, option_id id)
{
    for (const option_id *own = command->options; *own != OPTION_NONE; own++)
        if (*own == id)
            return true;
    return false;
}

static const char *help_of(const subcommand *command, const option *o)
{
    if (o->id == OPTION_PRECISION && !takes(command, OPTION_DEVICE))
        return "single or double (default single)";
    for (size_t i = 0; i < sizeof said / sizeof *said; i++)
        if (said[i].id == o->id && !strcmp(said[i].command, command->name))
            return said[i].help;
    return o->help;
}

/* What its value is called; NULL: it has none. */
static const char *value_of(const subcommand *command, const option *o)
{
    if (o->id == OPTION_WORDS)
        return strcmp(command->name, "features") ? "FILE" : "N";
    return o->value;
}

static void print_option(FILE *out, const subcommand *command, const option *o)
{
    char head[64];
    const char *value = value_of(command, o);
    snprintf(head, sizeof head, "  %c%c%s--%s%s%s", o->letter ? '-' : ' ',
             o->letter ? o->letter : ' ', o->letter ? ", " : "  ", o->name, value ? " " : "",
             value ? value : "");
    if (strlen(head) >= INDENT - 1)
        fprintf(out, "%s\n%*s", head, INDENT, "");
    else
        fprintf(out, "%-*s", INDENT, head);
    print_wrapped(out, help_of(command, o), INDENT);
}

/* Options that few need. */
static bool is_rare(option_id id)
{
    static const option_id rare[] = {OPTION_CHECKPOINT,    OPTION_START,
                                     OPTION_FIX,           OPTION_SEARCH,
                                     OPTION_SIMILARITY,    OPTION_POOLING,
                                     OPTION_MASK,          OPTION_BATCH,
                                     OPTION_CLASSES,       OPTION_SAMPLE_WEIGHTS,
                                     OPTION_CLUSTERS,      OPTION_FEATURE_WEIGHTS,
                                     OPTION_RESTARTS,      OPTION_ID_COLUMN,
                                     OPTION_MAP,           OPTION_STREAM,
                                     OPTION_ORDER,         OPTION_COLOR,
                                     OPTION_DEVICE_MEMORY, OPTION_MEMORY,
                                     OPTION_PROGRESS,      OPTION_NMI,
                                     OPTION_NOISE,         OPTION_SMOOTHING,
                                     OPTION_NEIGHBOURHOOD, OPTION_SMALLEST,
                                     OPTION_BANK,          OPTION_WINDOW,
                                     OPTION_BINS,          OPTION_BINNING,
                                     OPTION_EDGES,         OPTION_NEIGHBOURS,
                                     OPTION_THRESHOLD,     OPTION_LABELS_RULE,
                                     OPTION_SOLVER,        OPTION_TOLERANCE,
                                     OPTION_TIME_LIMIT,    OPTION_LABELLED_PER_CLASS};
    for (size_t i = 0; i < sizeof rare / sizeof *rare; i++)
        if (rare[i] == id)
            return true;
    return false;
}

/* "--name" in one of the examples. */
static bool is_in_examples(const subcommand *command, option_id id)
{
    const char *name = option_describe(id)->name;
    const size_t length = strlen(name);
    for (const char *at = command->examples; (at = strstr(at, "--")); at += 2) {
        const char *word = at + 2;
        if (!strncmp(word, name, length) && (!word[length] || strchr(" \n=", word[length])))
            return true;
    }
    return false;
}

/* What --help leaves to --help-all. */
static bool is_left(const subcommand *command, option_id id)
{
    return is_rare(id) && !is_in_examples(command, id) && !(id == OPTION_CLASSES && command->lists);
}

/* Where a subcommand has few options, all are shown. */
static int count_left(const subcommand *command)
{
    int all = 0, left = 0;
    for (const option_id *id = command->options; *id != OPTION_NONE; id++) {
        all++;
        left += is_left(command, *id);
    }
    return all > MOST_AT_ONCE ? left : 0;
}

/* Each line of `text` with `indent` before it. */
static void print_lines(FILE *out, const char *indent, const char *text)
{
    while (*text) {
        const int length = (int)strcspn(text, "\n");
        fprintf(out, "%s%.*s\n", indent, length, text);
        text += length + (text[length] == '\n');
    }
}

void help_print(FILE *out, const subcommand *command, bool all)
{
    const int left = all ? 0 : count_left(command);
    fputs("Usage:\n", out);
    print_lines(out, "  orthant ", command->usage);
    fputs("\nExamples:\n", out);
    print_lines(out, "  ", command->examples);
    fputc('\n', out);
    print_wrapped(out, command->description, 0);
    fputs("\nOptions:\n", out);
    for (const option_id *id = command->options; *id != OPTION_NONE; id++)
        if (!left || !is_left(command, *id))
            print_option(out, command, option_describe(*id));
    print_option(out, command, option_describe(OPTION_HELP));
    print_option(out, command, option_describe(OPTION_HELP_ALL));
    if (left)
        fprintf(out, "\n%d more options, for special cases: orthant %s --help-all\n", left,
                command->name);
}

void help_print_all(FILE *out)
{
    fputs("Orthant: nonnegative matrix factorisation for clustering and segmentation.\n\nUsage:\n"
          "  orthant SUBCOMMAND [ARGUMENTS] [OPTIONS]\n\nSubcommands:\n",
          out);
    for (int i = 0; i < subcommand_count; i++)
        fprintf(out, "  %-12s %s\n", subcommands[i]->name, subcommands[i]->title);
    fputs(
        "\nOptions:\n"
        "  -h, --help   this text; `orthant help SUBCOMMAND` tells more\n"
        "      --version\n"
        "               the version\n"
        "\nExamples:\n"
        "  orthant cluster faces.mat -m gnmf -k 40\n"
        "  orthant methods gnmf\n"
        "\nExit status: 0 done, 1 failed, 2 wrong usage, 130 stopped by Ctrl-C,\n143 by SIGTERM.\n",
        out);
}
