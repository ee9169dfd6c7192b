/* orthant segment: read, segment, score, write. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "core/memory.h"
#include "core/text.h"
#include "data/label_image.h"
#include "report/segment_run.h"

#define MOST_PARAMETERS 32

typedef struct job {
    const arguments *given;
    talk speech;
    orthant_context *ctx;
    const char *path, *output;
    segment_options options;
    const char *parameters[MOST_PARAMETERS];
    int draw;
    double threshold;
    image picture;
    cloud points;
    bool is_cloud, segmented;
    segmentation found;
    label_images truth;
    orthant_segmentation_scores scores;
    int64_t annotators; /* 0: not scored */
} job;

/* ---- options ----------------------------------------------------------------------------------
 */

static int read_rank(job *j)
{
    const char *text = option_value(j->given, OPTION_RANK);
    if (!text || strcmp(text, "auto") == 0)
        return 0;
    if (!text_to_int64(text, &j->options.segments))
        return usage_error("-k %s: expected a whole number or auto", text);
    if (j->options.segments < 1)
        return usage_error("-k %s: expected at least 1, or auto", text);
    return 0;
}

static int read_draw(job *j)
{
    static const struct {
        const char *name;
        int flag;
    } kinds[] = {{"overlay", SEGMENT_DRAW_OVERLAY},
                 {"boundaries", SEGMENT_DRAW_BORDERS},
                 {"graph", SEGMENT_DRAW_GRAPH}};
    const char *list = option_value(j->given, OPTION_DRAW);
    j->draw = list ? 0 : SEGMENT_DRAW_OVERLAY;
    while (list && *list) {
        const size_t length = strcspn(list, ",");
        int flag = 0;
        for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
            if (strlen(kinds[i].name) == length && !strncmp(kinds[i].name, list, length))
                flag = kinds[i].flag;
        if (!flag)
            return usage_error("--draw %.*s: expected overlay, boundaries or graph", (int)length,
                               list);
        j->draw |= flag;
        list += length + (list[length] == ',');
    }
    if (j->draw & SEGMENT_DRAW_GRAPH && j->options.nodes == SEGMENT_PIXELS)
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
            if (!text_to_double(pair + sizeof weight - 1, &j->options.graph_weight) ||
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
    segment_options *o = &j->options;
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
    return j->is_cloud                             ? KIND_POINTS
           : j->options.nodes == SEGMENT_PIXELS    ? KIND_PIXELS
           : j->options.nodes == SEGMENT_WATERSHED ? KIND_WATERSHED
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
    const char *nodes = option_value(given, OPTION_NODES);
    j->path = given->word[0];
    j->output = option_value(given, OPTION_OUTPUT);
    j->options = (segment_options){
        .nodes = nodes && !strcmp(nodes, "pixels")      ? SEGMENT_PIXELS
                 : nodes && !strcmp(nodes, "watershed") ? SEGMENT_WATERSHED
                                                        : SEGMENT_SLIC,
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
        failed = read_draw(j);
    if (!failed && option_given(given, OPTION_DRAW) && !j->output)
        failed = usage_error("--draw needs -o RUN, the folder for the drawings");
    if (!failed && option_given(given, OPTION_SNAPSHOTS) && !j->output)
        failed = usage_error("--snapshots needs -o RUN, the folder for the pictures");
    return failed;
}

/* ---- the work ---------------------------------------------------------------------------------
 */

/* A picture without colours has one channel: it is a third of the work, and the bands of a texture
 * do not count it three times. */
static orthant_status read_picture(job *j)
{
    image size;
    orthant_status status = image_read_size(j->ctx, j->path, &size);
    if (!status)
        status = segment_check_size(j->ctx, j->path, size.height, size.width);
    if (!status)
        status = image_read(j->ctx, j->path, 3, &j->picture);
    if (status)
        return status;
    const int64_t pixels = (int64_t)j->picture.height * j->picture.width;
    for (int64_t p = 0; p < pixels; p++) {
        const float red = image_value(&j->picture, 3 * p);
        if (red != image_value(&j->picture, 3 * p + 1) ||
            red != image_value(&j->picture, 3 * p + 2))
            return ORTHANT_OK;
    }
    image_free(j->ctx, &j->picture);
    return image_read(j->ctx, j->path, 1, &j->picture);
}

static int read_data(job *j)
{
    j->is_cloud = cloud_is_cloud(j->path);
    const int failed = check_options(j);
    return failed ? failed
                  : report_failure(j->ctx, j->is_cloud ? cloud_read(j->ctx, j->path, &j->points)
                                                       : read_picture(j));
}

static int find_segments(job *j)
{
    orthant_status status;
    if (j->is_cloud)
        status = segment_cloud(j->ctx, &j->points, &j->options, &j->found);
    else if (j->options.nodes == SEGMENT_PIXELS)
        status = segment_pixels(j->ctx, &j->picture, &j->options, &j->found);
    else
        status = segment_superpixels(j->ctx, &j->picture, &j->options, &j->found);
    j->segmented = !status;
    j->speech.finishing = true;
    talk_clear(&j->speech);
    return report_failure(j->ctx, status);
}

static orthant_status check_truth(const job *j, const char *path)
{
    const segmentation *found = &j->found;
    const int64_t height = j->is_cloud ? found->count : found->height;
    const int64_t width = j->is_cloud ? 1 : found->width;
    for (int64_t i = 0; i < j->truth.count; i++) {
        const label_image *t = &j->truth.image[i];
        if ((t->height != height || t->width != width) &&
            !(j->is_cloud && t->height * t->width == height))
            return fail(j->ctx, ORTHANT_ERROR_DATA,
                        "%s is %" PRId64 " x %" PRId64 ", but %s is %" PRId64 " x %" PRId64
                        ": a truth has the size of what was segmented",
                        path, t->height, t->width, j->path, height, width);
    }
    return ORTHANT_OK;
}

/* Pixels or points that have a segment, beside the same ones of the truth. */
static orthant_status score_one(job *j, const label_image *truth,
                                orthant_segmentation_scores *scores)
{
    const segmentation *found = &j->found;
    const orthant_segmentation_options options = {.threshold = j->threshold};
    if (!j->is_cloud)
        return orthant_score_segmentation(j->ctx, found->labels, truth->labels, found->height,
                                          found->width, &options, scores);
    int64_t kept = 0;
    int32_t *pair = memory_new(j->ctx, 2 * found->count, sizeof *pair, "labels of points");
    if (!pair)
        return ORTHANT_ERROR_MEMORY;
    for (int64_t i = 0; i < found->count; i++)
        if (found->labels[i] >= 0) {
            pair[kept] = found->labels[i];
            pair[found->count + kept++] = truth->labels[i];
        }
    const orthant_status status =
        orthant_score_segmentation(j->ctx, pair, pair + found->count, kept, 1, &options, scores);
    memory_free(j->ctx, pair);
    return status;
}

static int score(job *j)
{
    const char *path = option_value(j->given, OPTION_TRUTH);
    orthant_segmentation_scores *each = NULL;
    if (!path)
        return 0;
    orthant_status status = check_truth(j, path);
    if (!status) {
        each = memory_new(j->ctx, j->truth.count, sizeof *each, "scores");
        status = each ? ORTHANT_OK : ORTHANT_ERROR_MEMORY;
    }
    for (int64_t i = 0; i < j->truth.count && !status; i++)
        status = score_one(j, &j->truth.image[i], &each[i]);
    if (!status) {
        orthant_segmentation_mean(each, j->truth.count, &j->scores);
        j->annotators = j->truth.count;
    }
    memory_free(j->ctx, each);
    return report_failure(j->ctx, status);
}

/* ---- telling ----------------------------------------------------------------------------------
 */

static segment_run run_of(const job *j)
{
    return (segment_run){
        .command = j->given->line,
        .data_path = j->path,
        .options = &j->options,
        .found = &j->found,
        .picture = j->is_cloud ? NULL : &j->picture,
        .cloud = j->is_cloud ? &j->points : NULL,
        .draw = j->draw,
        .truth_path = option_value(j->given, OPTION_TRUTH),
        .annotators = j->annotators,
        .scores = j->annotators ? &j->scores : NULL,
    };
}

static void print_criteria(const job *j)
{
    orthant_criterion_info info;
    for (int i = 0; j->annotators && !orthant_criterion_at(i, &info); i++)
        printf("%-12s %9.*f %s  %s\n", info.name, info.percent ? 2 : 4,
               orthant_criterion_value(&j->scores, i), info.percent ? "%" : " ", info.title);
    if (j->annotators > 1)
        printf("%-12s means over %" PRId64 " annotators\n", "truth", j->annotators);
}

static void print_summary(const job *j)
{
    const segmentation *found = &j->found;
    const segment_run run = run_of(j);
    orthant_method_info method;
    const char *name = j->options.method ? j->options.method : "grpnmf";
    const bool known = !orthant_method_info_by_name(j->ctx, name, &method);
    printf("%-12s %s%s%s%s\n", "method", name, known ? " (" : "", known ? method.title : "",
           known ? ")" : "");
    if (j->is_cloud)
        printf("%-12s %s: %" PRId64 " points\n", "data", j->path, found->count);
    else
        printf("%-12s %s: %d x %d pixels\n", "data", j->path, found->width, found->height);
    printf("%-12s %" PRId64 " (%s), %" PRId64 " edges\n", "nodes", found->nodes,
           segment_nodes_name(&run), found->edges);
    printf("%-12s %" PRId64, "segments", found->segments);
    if (j->options.segments && found->segments > j->options.segments)
        printf(", the connected pieces of %" PRId64 " (--finish textures leaves them together)",
               j->options.segments);
    printf("%s%s\n",
           found->estimated   ? ", estimated: "
           : *found->evidence ? ": "
                              : "",
           found->evidence);
    printf("%-12s %" PRId64 ", objective %.8g\n", "iterations", found->iterations,
           found->objective);
    printf("%-12s %.2f (features %.2f, fit %.2f)\n", "seconds", found->total_seconds,
           found->feature_seconds, found->fit_seconds);
    print_criteria(j);
    if (j->output)
        printf("%-12s %s\n", "run", j->output);
}

static int tell(job *j)
{
    const segment_run run = run_of(j);
    int failed = 0;
    if (j->output)
        failed = report_failure(j->ctx, segment_run_write(j->ctx, &run, j->output));
    if (!failed && option_given(j->given, OPTION_JSON)) {
        json_writer json = {.file = stdout, .compact = true};
        failed = report_failure(j->ctx, segment_run_describe(j->ctx, &run, NULL, &json));
    } else if (!failed) {
        print_summary(j);
    }
    return failed ? failed : finish_output();
}

static void close_job(job *j)
{
    if (!j->ctx)
        return;
    if (j->segmented)
        segmentation_free(&j->found);
    label_images_free(&j->truth);
    if (j->is_cloud)
        cloud_free(&j->points);
    image_free(j->ctx, &j->picture);
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
    if (!failed && j->output)
        failed = report_failure(j->ctx, orthant_run_check(j->ctx, j->output));
    interrupt_watch();
    if (!failed)
        failed = read_data(j);
    if (!failed && truth)
        failed = report_failure(j->ctx, label_images_read(j->ctx, truth, &j->truth));
    if (!failed)
        failed = find_segments(j);
    if (!failed)
        failed = score(j);
    if (!failed)
        failed = tell(j);
    close_job(j);
    free(j);
    return !failed && interrupt_seen() ? interrupt_exit() : failed;
}
