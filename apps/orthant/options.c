/* The table of options, and the parser that works from it. */
#include "options.h"

#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "text.h"

/* ---- the table --------------------------------------------------------------------------------
 */

static const option table[] = {
    {OPTION_METHOD, "method", 'm', "NAME", NULL,
     "the method (default nmf, of segment grpnmf); `orthant methods` lists all"},
    {OPTION_RANK, "rank", 'k', "K", NULL,
     "number of parts, clusters or segments (required; of segment also auto, the default); of fit "
     "and cluster also auto or a range, as in 2:8, which `orthant ranks` chooses from; of ranks a "
     "list, as in 2:12, 5:60:5 or 3,5,8 (default 2:12)"},
    {OPTION_OUTPUT, "output", 'o', "PATH", NULL, "where the result is written"},
    {OPTION_FORCE, "force", 0, NULL, NULL, "replace the run that the output folder holds"},
    {OPTION_PARAMETER, "parameter", 'p', "NAME=VALUE", NULL,
     "a parameter of the method, see `orthant methods NAME`; can be repeated"},
    {OPTION_LOSS, "loss", 0, "LOSS",
     "frobenius|kl|is|beta:B|huber:D|l1|euclidean-entrywise|kullback-leibler|itakura-saito",
     "the loss of a factor model: frobenius, kl (kullback-leibler), is (itakura-saito), beta:B (a "
     "beta divergence, B from -1 to 3), huber:D (squares, linear from D on), l1 or "
     "euclidean-entrywise"},
    {OPTION_TERM, "term", 0, "NAME=WEIGHT", NULL,
     "adds a term to a factor model: graph, topographic, class, local, a-optimal, sparsity, ridge, "
     "smooth, orthogonal, the last four also of the basis (sparsity-basis, ...), volume; can be "
     "repeated"},
    {OPTION_ITERATIONS, "iterations", 0, "N", NULL,
     "at most so many iterations (default: the method's; of new samples: 500)"},
    {OPTION_TOLERANCE, "tolerance", 0, "X", NULL,
     "stop when the objective falls, over 10 iterations, by less than this share per iteration "
     "(default 1e-5; 0: never). transform: a sample is done when its projected gradient is below "
     "this share (default 1e-10)"},
    {OPTION_TIME_LIMIT, "time-limit", 0, "S", NULL,
     "stop after so many seconds (default 0: no limit)"},
    {OPTION_CHECKPOINT, "checkpoint", 0, "S", NULL,
     "with -o RUN: every S seconds what the fit has goes to RUN.checkpoint, which is removed when "
     "the run is done (default 300); or off"},
    {OPTION_RESUME, "resume", 0, NULL, NULL,
     "go on from RUN.checkpoint: the same command, but for iterations, tolerance and time limit, "
     "ends with the same bits as if it had never stopped. compare, ranks, reproduce: they always "
     "do"},
    {OPTION_SEED, "seed", 0, "N", NULL, "seed of all random numbers (default 1)"},
    {OPTION_INIT, "init", 0, "START", NULL,
     "random, uniform, nndsvd, nndsvda, nndsvdar, kmeans, or the folder of an earlier run"},
    {OPTION_START, "start", 0, "START", NULL,
     "a starting factor used as it is: --start basis=W.npy, can be repeated; or best-of:R, the "
     "start of R with the lowest objective, or consensus:R, the parts that R starts agree on"},
    {OPTION_FIX, "fix", 0, "basis=FILE", NULL,
     "parts that the fit does not change: the first columns of the basis, or all of it, from a "
     "file of a row for each feature"},
    {OPTION_SOLVER, "solver", 0, "NAME", NULL,
     "mu (the papers' multiplicative updates), emu (extrapolated), hals (coordinate descent), "
     "newton (the same for the loss kl) or auto: hals for plain nmf, else mu"},
    {OPTION_GRAPH, "graph", 0, "GRAPH", NULL,
     "knn:N (N nearest neighbours) or a file with a graph (.mtx, .npy, ...)"},
    {OPTION_WEIGHTS, "weights", 0, "KIND", "binary|heat|cosine",
     "edge weights: binary, heat or cosine"},
    {OPTION_HEAT_WIDTH, "heat-width", 0, "T", NULL,
     "width of the heat weights (default 0: the root of the mean squared distance)"},
    {OPTION_SEARCH, "search", 0, "KIND", "auto|exact|approximate",
     "for nearest neighbours: exact, approximate (misses a few, for very many samples) or auto: "
     "approximate above 50,000 samples of more than a few features"},
    {OPTION_SIMILARITY, "similarity", 0, "KIND", "auto|gaussian|knn:P|given",
     "methods on similarities: gaussian, of all pairs of samples; knn:P, of P nearest neighbours "
     "alone; auto (default): knn:20 above 5,000 samples; given, DATA is the n x n matrix"},
    {OPTION_POOLING, "pooling", 0, "POOLS", NULL,
     "pools of the topographic term: all, grid, grid:RxC or a file"},
    {OPTION_MASK, "mask", 0, "FILE", NULL,
     "weights of the entries, as large as DATA: 0 is not known, 1 counts (solvers mu and emu)"},
    {OPTION_MISSING, "missing", 0, "KIND", "none|nan|zeros",
     "entries that are not known: nan (of CSV files also empty cells) or zeros, what a sparse DATA "
     "does not store"},
    {OPTION_BATCH, "batch", 0, "ROWS", NULL,
     "fit by batches of so many samples: the basis is updated after each, and an iteration is a "
     "pass over all (nmf and nmf-kl; -p forget=F, fresh=N, batch_order=random)"},
    {OPTION_SAMPLE_WEIGHTS, "sample-weights", 0, "FILE", NULL,
     "a weight of each sample in the loss, a row or a column"},
    {OPTION_TRAINING, "training", 0, "FILE", NULL,
     "the samples of RUN, where it has a graph (default: the file that RUN names)"},
    {OPTION_AT, "at", 0, "FILE", NULL,
     "entries by their rows and columns, from 0, two numbers a line: their fitted values"},
    {OPTION_LABELS, "labels", 0, "FILE", NULL,
     "known labels for methods that use them; -1: not known"},
    {OPTION_LABELLED_FRACTION, "labelled-fraction", 0, "F", NULL,
     "take this share of the true labels of each class, rounded up, as known"},
    {OPTION_LABELLED_PER_CLASS, "labelled-per-class", 0, "N", NULL,
     "take N of the true labels of each class as known"},
    {OPTION_CLASSES, "classes", 0, "N", NULL,
     "draw N classes of the data by the seed and leave the others out; compare: a list, as in "
     "2:10, "
     "2:10:2 or 5,10,20 (default all)"},
    {OPTION_METHODS, "methods", 0, "LIST", NULL,
     "the methods to compare, with a comma between them"},
    {OPTION_REPEATS, "repeats", 0, "R", NULL,
     "draws and starts for each number of classes (default 10); ranks: fits of each criterion for "
     "each rank (default 20); consensus: starts (default 100)"},
    {OPTION_CRITERIA, "criteria", 0, "LIST", NULL,
     "some of blocks, speckled, starts, perturbed, permuted (default: all that data and method "
     "take)"},
    {OPTION_NOISE, "noise", 0, "F", NULL,
     "the largest share by which an entry of perturbed data is changed (default 0.03)"},
    {OPTION_SWEEP, "sweep", 0, "M.P=LIST", NULL,
     "method M also with each of these values of its parameter P: tnmf.pooling_weight=0.1,1,10; "
     "can "
     "be repeated"},
    {OPTION_FROM, "from", 0, "FILE", NULL,
     "only the tables and statistics of a results.csv; nothing is run"},
    {OPTION_LABELS_RULE, "labels-rule", 0, "RULE", NULL,
     "how factors become labels: kmeans, kmeans-scaled (as if basis vectors had unit length), "
     "kmeans-unit (rows at unit length), argmax, argmax-scaled, snmf, wnmf, each also with "
     ":FACTOR, best-of, or, with --start best-of:R, consensus: what R starts agree on, each "
     "labelled by the method's rule, or by RULE in consensus-RULE (default: the method's)"},
    {OPTION_CLUSTERS, "clusters", 0, "N", NULL,
     "clusters of the k-means on the factor (default: K)"},
    {OPTION_RESTARTS, "restarts", 0, "N", NULL, "starts of k-means, the best counts (default 10)"},
    {OPTION_SCALE, "scale", 0, "KIND", "none|unit|max|tfidf",
     "scale the samples: none, unit (length 1), max (all by the largest), tfidf (default none)"},
    {OPTION_VARIABLE, "variable", 0, "NAME", NULL,
     "which variable of a .mat or .npz file (default: found)"},
    {OPTION_TRUTH, "truth", 0, "FILE", NULL,
     "true labels: a file, a variable or a column of the data's file, or none (default: found)"},
    {OPTION_LABEL_COLUMN, "label-column", 0, "NAME", NULL,
     "the column of a table that holds the true labels, numbers or names: --truth for columns"},
    {OPTION_ID_COLUMN, "id-column", 0, "NAME", NULL,
     "the column of a table that holds the samples' names; they go to RUN/samples.csv"},
    {OPTION_DROP, "drop", 0, "LIST", NULL,
     "columns of a table that are no features, with commas between their names"},
    {OPTION_TRANSPOSE, "transpose", 0, NULL, NULL, "the file holds samples as columns"},
    {OPTION_MAP, "map", 0, NULL, NULL,
     "memory-map a .npy file even where it is scaled or larger than --memory; it must not change "
     "meanwhile"},
    {OPTION_STREAM, "stream", 0, NULL, NULL,
     "leave the data in their file (.npy, HDF5, .csr) and read them strip by strip in each "
     "iteration; done by "
     "itself where they do not fit into --memory"},
    {OPTION_SIZE, "size", 0, "HxW", NULL,
     "height and width to bring images to; or of the pictures in a matrix"},
    {OPTION_ORDER, "order", 0, "KIND", "row|column",
     "how samples of --size list their pixels: row by row, or column by column (MATLAB's order)"},
    {OPTION_COLOR, "color", 0, NULL, NULL, "keep the colours of images (default: grey)"},
    {OPTION_SEGMENTATION, "segmentation", 0, NULL, NULL,
     "the files are label images: all criteria of segmentation"},
    {OPTION_THRESHOLD, "threshold", 0, "K", NULL,
     "share of a region that must be found, above 0.5 (default 0.75); consensus: parts whose mean "
     "distance to their nearest neighbours is above this are left out (default 0.5; 2: none)"},
    {OPTION_NEIGHBOURHOOD, "neighbourhood", 0, "F", NULL,
     "how many neighbours those are, as a share of the starts (default 0.3)"},
    {OPTION_COMPONENTS, "components", 0, NULL, NULL,
     "every 4-connected piece of a label is a region of its own"},
    {OPTION_NODES, "nodes", 0, "KIND", "pixels|watershed|slic",
     "what is labelled: pixels (texture), or regions by watershed or slic (default slic)"},
    {OPTION_FEATURES, "features", 0, "LIST", NULL,
     "of regions: lab, rgb, gabor, space, histogram (default lab); of points: color, space, "
     "normals"},
    {OPTION_FEATURE_WEIGHTS, "feature-weights", 0, "WEIGHTS", NULL,
     "a file with a weight of each feature in the loss, a row or a column; segment: a number for "
     "each group of features, as in 1,0.5"},
    {OPTION_EDGES, "edges", 0, "KIND", "binary|color",
     "weights of the graph of regions: binary, or color: like neighbours more (default color)"},
    {OPTION_SUPERPIXELS, "superpixels", 0, "N", NULL, "slic: about so many regions (default 400)"},
    {OPTION_SMOOTHING, "smoothing", 0, "S", NULL,
     "watershed: Gaussian of S pixels before the gradient (default 0: none)"},
    {OPTION_SMALLEST, "smallest", 0, "F", NULL,
     "regions: pieces below this share of the picture join what is around them (default 0.01)"},
    {OPTION_BANK, "bank", 0, "NAME", NULL,
     "bands of a texture: texture, demo, a or b (default texture)"},
    {OPTION_WINDOW, "window", 0, "N", NULL,
     "pixels: side of the window of a histogram (default 41)"},
    {OPTION_BINS, "bins", 0, "N", NULL, "bins of a band's histogram (default 11)"},
    {OPTION_BINNING, "binning", 0, "KIND", "width|population",
     "bins of equal width or equal population (default population)"},
    {OPTION_FINISH, "finish", 0, "KIND", "regions|textures|pieces|none",
     "what a segment is: one region, a texture in any place, each connected piece of one, or what "
     "the factors say (default: regions for pixels, pieces for superpixels)"},
    {OPTION_NEIGHBOURS, "neighbours", 0, "N", NULL,
     "points: neighbours of a point in the graph (default 8)"},
    {OPTION_SNAPSHOTS, "snapshots", 0, "LIST", NULL,
     "keep the segments after these iterations too, as in 2,450,1000"},
    {OPTION_DRAW, "draw", 0, "LIST", NULL,
     "what is drawn over the picture: overlay, boundaries, graph (default overlay)"},
    {OPTION_DATA, "data", 0, "DIR", NULL,
     "the folder with the papers' data sets (bench: default generated data)"},
    {OPTION_TABLES, "tables", 0, "LIST", NULL,
     "these tables alone, as in II,III, or all; with --figures and --claims those too (default: "
     "everything)"},
    {OPTION_FIGURES, "figures", 0, "LIST", NULL, "these figures alone, as in 1,7, or all"},
    {OPTION_CLAIMS, "claims", 0, "LIST", NULL,
     "these theorems and claims alone, as in theorem-1,cost, or all"},
    {OPTION_LIST, "list", 0, NULL, NULL,
     "no runs: every table, figure, theorem and claim of the paper with its state in RUN"},
    {OPTION_DIGITS, "digits", 0, NULL, NULL,
     "no runs: which printed accuracies can be means of the stated number of runs"},
    {OPTION_QUICK, "quick", 0, NULL, NULL,
     "few classes, repeats and iterations: to see that all works"},
    {OPTION_KIND, "kind", 0, "KIND", "sift-words|gabor|lab|spectral-histogram",
     "features of a picture: sift-words, gabor, lab or spectral-histogram (default sift-words)"},
    {OPTION_WORDS, "words", 0, "N|FILE", NULL,
     "features: size of sift-words' vocabulary (default 500); otherwise a file with the features' "
     "names, one per line, so that the report shows each part's words"},
    {OPTION_STOP_WORDS, "stop-words", 0, "WORDS", NULL,
     "words that are not counted: english (a list of its own), none (default), or a file with a "
     "word per line"},
    {OPTION_MIN_COUNT, "min-count", 0, "N", NULL,
     "leave out words that occur less often in all documents together"},
    {OPTION_MIN_DOCUMENTS, "min-documents", 0, "N", NULL,
     "leave out words that fewer documents have"},
    {OPTION_MAX_WORDS, "max-words", 0, "N", NULL,
     "of the words that are left, the most frequent (default: all)"},
    {OPTION_FORMAT, "format", 0, "KIND", "md|tex|csv",
     "print the tables as Markdown, LaTeX (booktabs) or CSV, for a paper"},
    {OPTION_PRECISION, "precision", 0, "KIND", "single|double|tf32",
     "single or double (default single); with --device also tf32: single, with products that "
     "round"},
    {OPTION_DEVICE, "device", 0, "DEVICE", NULL,
     "where iterations and the search for neighbours run: cpu (default), cuda or cuda:N; `orthant "
     "info` lists the devices"},
    {OPTION_DEVICE_MEMORY, "device-memory", 0, "SIZE", NULL,
     "the most memory of the device that the fit takes, as in 16G (default: what is free)"},
    {OPTION_THREADS, "threads", 0, "N", NULL,
     "threads (default 0: every processor); changes no result"},
    {OPTION_MEMORY, "memory", 0, "SIZE", NULL,
     "the most memory for data and results, as in 512M or 4G (default: three quarters of what is "
     "free); what a file promises beyond it is refused"},
    {OPTION_EXPLAIN, "explain", 0, NULL, NULL,
     "print the plan of the fit (threads, strips, memory, what an iteration reads and computes) "
     "and fit nothing"},
    {OPTION_NMI, "nmi", 0, "KIND", "max|arithmetic|geometric|min",
     "what NMI divides the mutual information by: the larger of the two entropies (max, as in the "
     "papers, the default), their mean (arithmetic, as scikit-learn), the root of their product "
     "(geometric) or the smaller one (min)"},
    {OPTION_JSON, "json", 0, NULL, NULL, "print JSON"},
    {OPTION_QUIET, "quiet", 0, NULL, NULL, "no notes, warnings and progress on standard error"},
    {OPTION_PROGRESS, "progress", 0, NULL, NULL,
     "show progress even when standard error is no terminal"},
    {OPTION_NO_BROWSER, "no-browser", 0, NULL, NULL, "only print the address"},
    {OPTION_HELP, "help", 'h', NULL, NULL, "how it is used, and the options that most need"},
    {OPTION_HELP_ALL, "help-all", 0, NULL, NULL, "the same with every option"},
};
#define TABLE_COUNT ((int)(sizeof table / sizeof *table))

const option *option_describe(option_id id)
{
    for (int i = 0; i < TABLE_COUNT; i++)
        if (table[i].id == id)
            return &table[i];
    return NULL;
}

static bool takes(const subcommand *command, option_id id)
{
    for (const option_id *o = command->options; *o != OPTION_NONE; o++)
        if (*o == id)
            return true;
    return id == OPTION_HELP || id == OPTION_HELP_ALL;
}

/* ---- parsing ----------------------------------------------------------------------------------
 */

static const option *find_name(const char *name, size_t length)
{
    for (int i = 0; i < TABLE_COUNT; i++)
        if (strlen(table[i].name) == length && !strncmp(table[i].name, name, length))
            return &table[i];
    return NULL;
}

static const option *find_letter(char letter)
{
    for (int i = 0; i < TABLE_COUNT; i++)
        if (letter && table[i].letter == letter)
            return &table[i];
    return NULL;
}

const option *option_named(const char *name)
{
    return find_name(name, strlen(name));
}

static int unknown_option(const subcommand *command, const char *word)
{
    const char *names[TABLE_COUNT];
    char name[64], near[96];
    int count = 0;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(word, "="), word);
    if (!strcmp(name, "--restarts") && takes(command, OPTION_START))
        return usage_error("%s: no option '--restarts', which is of k-means; --start best-of:N "
                           "keeps the best of N starts",
                           command->name);
    for (int i = 0; i < TABLE_COUNT; i++)
        if (takes(command, table[i].id))
            names[count++] = table[i].name;
    const char *nearest = nearest_name(name + strspn(name, "-"), names, count);
    near[0] = '\0';
    if (nearest)
        snprintf(near, sizeof near, ", did you mean '--%s'?", nearest);
    return usage_error("%s: no option '%s'%s%s%s", command->name, name, near,
                       nearest ? "" : "; see orthant help ", nearest ? "" : command->name);
}

/* True when `value` is one of "a|b|c"; "knn:P" takes a number in the place of a capital letter,
 * which the library looks at. */
static bool is_choice(const char *choices, const char *value)
{
    const size_t length = strlen(value);
    for (const char *at = choices; *at;) {
        const size_t word = strcspn(at, "|");
        const bool numbered =
            word > 2 && at[word - 2] == ':' && at[word - 1] >= 'A' && at[word - 1] <= 'Z';
        if (numbered ? length >= word && !strncmp(at, value, word - 1)
                     : word == length && !strncmp(at, value, length))
            return true;
        at += word + (at[word] == '|');
    }
    return false;
}

/* The same for each of several with a comma between them. */
static bool are_choices(const char *choices, const char *values)
{
    for (const char *at = values; at;) {
        char value[64];
        const size_t length = strcspn(at, ",");
        snprintf(value, sizeof value, "%.*s", (int)length, at);
        if (length >= sizeof value || !is_choice(choices, value))
            return false;
        at = at[length] ? at + length + 1 : NULL;
    }
    return true;
}

static int add_option(arguments *given, const option *o, const char *value)
{
    if (o->value && (!value || !*value))
        return usage_error("%s: option --%s needs a value (%s)", given->command->name, o->name,
                           o->value);
    if (!o->value && value)
        return usage_error("%s: option --%s takes no value, found '%s'", given->command->name,
                           o->name, value);
    if (o->choices && !(given->command->lists ? are_choices : is_choice)(o->choices, value))
        return usage_error("--%s %s: expected one of %s", o->name, value, o->choices);
    given->option[given->options].id = o->id;
    given->option[given->options++].value = value;
    return 0;
}

/* One option at words[*at], with the value behind it where it is a word of its own. */
static int parse_option(arguments *given, int count, char **words, int *at)
{
    const char *word = words[*at];
    const bool is_long = word[1] == '-';
    const char *equals = is_long ? strchr(word, '=') : NULL;
    const size_t length = equals ? (size_t)(equals - word) - 2 : strlen(word) - (is_long ? 2 : 0);
    const option *o = is_long ? find_name(word + 2, length) : find_letter(word[1]);
    const char *value = equals ? equals + 1 : !is_long && word[2] ? word + 2 : NULL;
    if (!o || !takes(given->command, o->id))
        return unknown_option(given->command, word);
    if (o->value && !value && *at + 1 < count)
        value = words[++*at];
    return add_option(given, o, value);
}

int options_parse(const subcommand *command, int count, char **words, arguments *given)
{
    bool options_end = false;
    given->command = command;
    for (int at = 0; at < count; at++) {
        const char *word = words[at];
        if (!options_end && !strcmp(word, "--")) {
            options_end = true;
        } else if (!options_end && word[0] == '-' && word[1]) {
            const int failed = parse_option(given, count, words, &at);
            if (failed)
                return failed;
        } else if (given->count == command->most) {
            return usage_error("%s: one argument too many: '%s'", command->name, word);
        } else {
            given->word[given->count++] = word;
        }
    }
    if (given->count < command->fewest && !option_given(given, OPTION_HELP) &&
        !option_given(given, OPTION_HELP_ALL))
        return usage_error("%s: %s is missing; see orthant help %s", command->name,
                           command->missing, command->name);
    return 0;
}

const char *option_nth(const arguments *given, option_id id, int index)
{
    for (int i = 0; i < given->options; i++)
        if (given->option[i].id == id && index-- == 0)
            return given->option[i].value;
    return NULL;
}

bool option_given(const arguments *given, option_id id)
{
    for (int i = 0; i < given->options; i++)
        if (given->option[i].id == id)
            return true;
    return false;
}

const char *option_value(const arguments *given, option_id id)
{
    for (int i = given->options; i-- > 0;)
        if (given->option[i].id == id)
            return given->option[i].value;
    return NULL;
}

int option_whole(const arguments *given, option_id id, int64_t least, int64_t most,
                 int64_t otherwise, int64_t *value)
{
    const char *text = option_value(given, id);
    *value = otherwise;
    if (!text)
        return 0;
    if (!parse_int64(text, value))
        return usage_error("--%s %s: expected a whole number", option_describe(id)->name, text);
    if (*value < least || *value > most)
        return usage_error("--%s %s: expected a number from %lld to %lld",
                           option_describe(id)->name, text, (long long)least, (long long)most);
    return 0;
}

int option_bytes(const arguments *given, option_id id, int64_t otherwise, int64_t *value)
{
    const char *text = option_value(given, id), units[] = "KMGT";
    char digits[32];
    int64_t bytes = 0;
    *value = otherwise;
    if (!text)
        return 0;
    const size_t length = strcspn(text, units);
    const char *unit = text[length] ? strchr(units, text[length]) : NULL;
    snprintf(digits, sizeof digits, "%.*s", (int)(length < sizeof digits ? length : 0), text);
    if ((unit && text[length + 1]) || !parse_int64(digits, &bytes) || bytes < 1 ||
        bytes > INT64_MAX >> (unit ? 10 * (unit - units + 1) : 0))
        return usage_error("--%s %s: expected a size as in 800000000, 512M or 4G",
                           option_describe(id)->name, text);
    *value = bytes << (unit ? 10 * (unit - units + 1) : 0);
    return 0;
}

int option_number(const arguments *given, option_id id, double least, double most, double otherwise,
                  double *value)
{
    const char *text = option_value(given, id);
    *value = otherwise;
    if (!text)
        return 0;
    if (!parse_double(text, value))
        return usage_error("--%s %s: expected a number", option_describe(id)->name, text);
    if (*value < least || *value > most)
        return usage_error("--%s %s: expected a number from %g to %g", option_describe(id)->name,
                           text, least, most);
    return 0;
}
