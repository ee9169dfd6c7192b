/* orthant segment: read, segment, score, write. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "text.h"

#define MOST_PARAMETERS 32

typedef struct job {
    const arguments *given;
    talk speech;
    orthant_context *ctx;
    const char *path, *output;
    orthant_run_claim *claim; /* on the output */
    orthant_segment_options options;
    const char *parameters[MOST_PARAMETERS];
    double threshold;
    orthant_image *picture;
    orthant_cloud *points;
    bool is_cloud;
    orthant_segmentation *found;
    orthant_segmentation_info info;
    orthant_label_images *truth;
    orthant_segmentation_scores scores;
    int64_t annotators; /* 0: not scored */
} job;

/* ---- options ----------------------------------------------------------------------------------
 */

static const char *nodes_of(const job *j)
{
    return j->options.nodes ? j->options.nodes : "slic";
}

static int read_rank(job *j)
{
    const char *text = option_value(j->given, OPTION_RANK);
    if (!text || strcmp(text, "auto") == 0)
        return 0;
    if (!parse_int64(text, &j->options.segments))
        return usage_error("-k %s: expected a whole number or auto", text);
    if (j->options.segments < 1)
        return usage_error("-k %s: expected at least 1, or auto", text);
    return 0;
}

static bool draws_graph(const char *list)
{
    bool graph = false;
    while (list && *list) {
        const size_t length = strcspn(list, ",");
        graph = graph || (length == 5 && !strncmp(list, "graph", 5));
        list += length + (list[length] == ',');
    }
    return graph;
}

static int check_draw(const job *j)
{
    static const char *const kinds[] = {"overlay", "boundaries", "graph"};
    for (const char *list = option_value(j->given, OPTION_DRAW); list && *list;) {
        const size_t length = strcspn(list, ",");
        bool known = false;
        for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
            known = known || (strlen(kinds[i]) == length && !strncmp(kinds[i], list, length));
        if (!known)
            return usage_error("--draw %.*s: expected overlay, boundaries or graph", (int)length,
                               list);
        list += length + (list[length] == ',');
    }
    if (draws_graph(option_value(j->given, OPTION_DRAW)) && !strcmp(nodes_of(j), "pixels"))
        return usage_error("--draw graph: pixels have no graph; use --nodes slic or watershed");
    return 0;
}

/* graph_weight is every kind of nodes' own; the others are the method's. */
static int read_parameters(job *j)
{
    const char *pair;
    for (int i = 0; (pair = option_nth(j->given, OPTION_PARAMETER, i)); i++) {
        static const char weight[] = "graph_weight=";
        if (!strncmp(pair, weight, sizeof weight - 1)) {
            if (!parse_double(pair + sizeof weight - 1, &j->options.graph_weight) ||
                j->options.graph_weight < 0)
                return usage_error("-p %s: expected a number from 0 on", pair);
            continue;
        }
        if (!strchr(pair, '='))
            return usage_error("--parameter %s: expected a name, an equals sign and a value", pair);
        if (j->options.parameter_count == MOST_PARAMETERS)
            return usage_error("more than %d parameters", MOST_PARAMETERS);
        j->parameters[j->options.parameter_count++] = pair;
    }
    j->options.parameters = j->parameters;
    return 0;
}

static int read_numbers(job *j)
{
    orthant_segment_options *o = &j->options;
    int64_t seed = 1, window = 0, bins = 0;
    int failed = option_whole(j->given, OPTION_ITERATIONS, 1, 1000000000, 0, &o->iterations);
    if (!failed)
        failed = option_whole(j->given, OPTION_SEED, 0, INT64_MAX, 1, &seed);
    if (!failed)
        failed = option_whole(j->given, OPTION_WINDOW, 1, 2001, 0, &window);
    if (!failed)
        failed = option_whole(j->given, OPTION_BINS, 2, 64, 0, &bins);
    if (!failed)
        failed = option_whole(j->given, OPTION_SUPERPIXELS, 1, 1000000000, 0, &o->superpixels);
    if (!failed)
        failed = option_whole(j->given, OPTION_NEIGHBOURS, 1, 1000, 0, &o->neighbours);
    if (!failed)
        failed = option_number(j->given, OPTION_SMOOTHING, 0, 20, 0, &o->smoothing);
    if (!failed)
        failed = option_number(j->given, OPTION_SMALLEST, 0, 1, -1, &o->smallest);
    if (!failed)
        failed = option_number(j->given, OPTION_THRESHOLD, 0.5, 1, 0.75, &j->threshold);
    o->seed = (uint64_t)seed;
    o->window = (int)window;
    o->bins = (int)bins;
    return failed;
}

enum { KIND_PIXELS = 1, KIND_WATERSHED = 2, KIND_SLIC = 4, KIND_POINTS = 8 };

static int kind_of(const job *j)
{
    return j->is_cloud                         ? KIND_POINTS
           : !strcmp(nodes_of(j), "pixels")    ? KIND_PIXELS
           : !strcmp(nodes_of(j), "watershed") ? KIND_WATERSHED
                                               : KIND_SLIC;
}

/* Refuses options that these nodes would ignore. */
static int check_options(const job *j)
{
    enum { REGIONS = KIND_WATERSHED | KIND_SLIC, PICTURES = KIND_PIXELS | REGIONS };
    static const struct {
        option_id option;
        int kinds;
        const char *what;
    } only[] = {
        {OPTION_NODES, PICTURES, "pictures"},
        {OPTION_DRAW, PICTURES, "pictures"},
        {OPTION_FINISH, PICTURES, "pictures"},
        {OPTION_BANK, PICTURES, "pictures"},
        {OPTION_BINS, PICTURES, "pictures"},
        {OPTION_BINNING, PICTURES, "pictures"},
        {OPTION_WINDOW, KIND_PIXELS, "--nodes pixels"},
        {OPTION_EDGES, REGIONS, "--nodes slic or watershed"},
        {OPTION_SMALLEST, REGIONS, "--nodes slic or watershed"},
        {OPTION_INIT, REGIONS, "--nodes slic or watershed"},
        {OPTION_SUPERPIXELS, KIND_SLIC, "--nodes slic"},
        {OPTION_SMOOTHING, KIND_WATERSHED, "--nodes watershed"},
        {OPTION_FEATURES, REGIONS | KIND_POINTS, "regions and points"},
        {OPTION_FEATURE_WEIGHTS, REGIONS | KIND_POINTS, "regions and points"},
        {OPTION_NEIGHBOURS, KIND_POINTS, "clouds"},
    };
    for (size_t i = 0; i < sizeof only / sizeof *only; i++)
        if (option_given(j->given, only[i].option) && !(only[i].kinds & kind_of(j)))
            return usage_error("segment: --%s is for %s", option_describe(only[i].option)->name,
                               only[i].what);
    return 0;
}

static int read_options(job *j)
{
    const arguments *given = j->given;
    j->path = given->word[0];
    j->output = option_value(given, OPTION_OUTPUT);
    j->options = (orthant_segment_options){
        .size = sizeof j->options,
        .nodes = option_value(given, OPTION_NODES),
        .method = option_value(given, OPTION_METHOD),
        .graph_weight = -1,
        .features = option_value(given, OPTION_FEATURES),
        .feature_weights = option_value(given, OPTION_FEATURE_WEIGHTS),
        .bank = option_value(given, OPTION_BANK),
        .binning = option_value(given, OPTION_BINNING),
        .finish = option_value(given, OPTION_FINISH),
        .edge_weights = option_value(given, OPTION_EDGES),
        .init = option_value(given, OPTION_INIT),
        .snapshots = option_value(given, OPTION_SNAPSHOTS),
    };
    int failed = read_rank(j);
    if (!failed)
        failed = read_numbers(j);
    if (!failed)
        failed = read_parameters(j);
    if (!failed)
        failed = check_draw(j);
    if (!failed && option_given(given, OPTION_DRAW) && !j->output)
        failed = usage_error("--draw needs -o RUN, the folder for the drawings");
    if (!failed && option_given(given, OPTION_SNAPSHOTS) && !j->output)
        failed = usage_error("--snapshots needs -o RUN, the folder for the pictures");
    return failed;
}

/* ---- the work ---------------------------------------------------------------------------------
 */

static int read_data(job *j)
{
    j->is_cloud = orthant_file_is_cloud(j->path);
    const int failed = check_options(j);
    return failed ? failed
                  : report_failure(j->ctx, j->is_cloud
                                               ? orthant_cloud_read(j->ctx, j->path, &j->points)
                                               : orthant_image_read(j->ctx, j->path, &j->picture));
}

static int find_segments(job *j)
{
    orthant_status status = j->is_cloud
                                ? orthant_segment_cloud(j->ctx, j->points, &j->options, &j->found)
                                : orthant_segment_image(j->ctx, j->picture, &j->options, &j->found);
    j->info.size = sizeof j->info;
    if (!status)
        status = orthant_segmentation_describe(j->found, &j->info);
    j->speech.finishing = true;
    talk_clear(&j->speech);
    return report_failure(j->ctx, status);
}

static int score(job *j)
{
    const orthant_segmentation_options options = {.size = sizeof options,
                                                  .threshold = j->threshold};
    if (!j->truth)
        return 0;
    j->annotators = orthant_label_images_count(j->truth);
    j->scores.size = sizeof j->scores;
    return report_failure(j->ctx,
                          orthant_segmentation_score(j->found, j->truth, &options, &j->scores));
}

/* ---- telling ----------------------------------------------------------------------------------
 */

static orthant_segment_run run_of(const job *j)
{
    return (orthant_segment_run){
        .size = sizeof(orthant_segment_run),
        .command = j->given->line,
        .data_path = j->path,
        .options = &j->options,
        .segmentation = j->found,
        .image = j->picture,
        .cloud = j->points,
        .draw = option_value(j->given, OPTION_DRAW),
        .truth_path = option_given(j->given, OPTION_TRUTH) ? option_value(j->given, OPTION_TRUTH)
                      : j->truth                           ? "the label field of the cloud"
                                                           : NULL,
        .truth = j->truth,
        .annotators = j->annotators,
        .scores = j->annotators ? &j->scores : NULL,
    };
}

static void print_criteria(const job *j)
{
    orthant_criterion_info info = {.size = sizeof info};
    for (int i = 0; j->annotators && !orthant_criterion_at(i, &info); i++)
        printf("%-12s %9.*f %s  %s\n", info.name, info.percent ? 2 : 4,
               orthant_criterion_value(&j->scores, i), info.percent ? "%" : " ", info.title);
    if (j->annotators > 1)
        printf("%-12s means over %" PRId64 " annotators\n", "truth", j->annotators);
}

static void print_summary(const job *j)
{
    const orthant_segmentation_info *found = &j->info;
    orthant_method_info method = {.size = sizeof method};
    const char *name = j->options.method ? j->options.method : "grpnmf";
    const bool known = !orthant_method_info_by_name(j->ctx, name, &method);
    printf("%-12s %s%s%s%s\n", "method", name, known ? " (" : "", known ? method.title : "",
           known ? ")" : "");
    if (j->is_cloud)
        printf("%-12s %s: %" PRId64 " points\n", "data", j->path, found->count);
    else
        printf("%-12s %s: %d x %d pixels\n", "data", j->path, found->width, found->height);
    printf("%-12s %" PRId64 " (%s), %" PRId64 " edges\n", "nodes", found->nodes,
           j->is_cloud ? "points" : nodes_of(j), found->edges);
    printf("%-12s %" PRId64, "segments", found->segments);
    if (found->segments > found->wanted)
        printf(", the connected pieces of %" PRId64 " (--finish textures leaves them together)",
               found->wanted);
    else if (found->segments < found->wanted)
        printf(" of the %" PRId64 " that were %s", found->wanted,
               found->estimated ? "estimated" : "asked for");
    printf("%s%s\n",
           found->estimated   ? ", estimated: "
           : *found->evidence ? ": "
                              : "",
           found->evidence);
    printf("%-12s %" PRId64 "%s, objective %.8g\n", "iterations", found->iterations,
           found->interrupted ? ", stopped before the last" : "", found->objective);
    printf("%-12s %.2f (features %.2f, fit %.2f)\n", "seconds", found->total_seconds,
           found->feature_seconds, found->fit_seconds);
    print_criteria(j);
    if (j->output)
        printf("%-12s %s\n", "run", j->output);
}

/* What there is by then is the result. */
static void tell_stop(const job *j)
{
    if (j->info.interrupted && interrupt_seen())
        interrupt_tell_iterations(j->output, j->info.iterations);
}

static int tell(job *j)
{
    const orthant_segment_run run = run_of(j);
    char *text = NULL;
    int failed = 0;
    if (j->output)
        failed = report_failure(j->ctx, orthant_segment_run_write(j->ctx, &run, j->output));
    if (!failed && option_given(j->given, OPTION_JSON)) {
        failed = report_failure(j->ctx, orthant_segment_run_describe(j->ctx, &run, &text));
        if (!failed)
            fputs(text, stdout);
        orthant_text_free(j->ctx, text);
    } else if (!failed) {
        print_summary(j);
    }
    if (!failed)
        tell_stop(j);
    return failed ? failed : finish_output();
}

static void close_job(job *j)
{
    orthant_run_claim_free(j->claim);
    orthant_segmentation_free(j->found);
    orthant_label_images_free(j->truth);
    orthant_cloud_free(j->points);
    orthant_image_free(j->picture);
    orthant_context_free(j->ctx);
}

int run_segment(const arguments *given)
{
    job *j = calloc(1, sizeof *j);
    if (!j) {
        usage_error("out of memory");
        return EXIT_FAILED;
    }
    j->given = given;
    const char *truth = option_value(given, OPTION_TRUTH);
    int failed = read_options(j);
    if (!failed)
        failed = context_open(given, &j->speech, &j->ctx);
    interrupt_watch(); /* a claim is to be given back */
    if (!failed && j->output)
        failed = report_failure(j->ctx, orthant_run_claim_take(j->ctx, j->output,
                                                               option_given(given, OPTION_FORCE),
                                                               &j->claim));
    if (!failed)
        failed = read_data(j);
    if (!failed && truth && strcmp(truth, "none"))
        failed = report_failure(j->ctx, orthant_label_images_read(j->ctx, truth, &j->truth));
    if (!failed && !truth && j->is_cloud)
        failed = report_failure(j->ctx, orthant_cloud_truth(j->points, &j->truth));
    if (!failed)
        failed = find_segments(j);
    if (!failed)
        failed = score(j);
    if (!failed)
        failed = tell(j);
    close_job(j);
    free(j);
    return failed;
}
