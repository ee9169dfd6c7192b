/* A cloud's points to segments: features, the graph of the nearest neighbours in space, a
 * factorisation of both (Bampis, Maragos, Bovik, Projective non-negative matrix factorization for
 * unsupervised graph clustering, ICIP 2016, section 4.3: k = 8, lambda = 500), labels back to
 * points. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/memory.h"
#include "graph/joins.h"
#include "graph/kdtree.h"
#include "orthant/fit.h"
#include "vision/cloud.h"
#include "vision/cloud_features.h"
#include "vision/likeness_count.h"
#include "vision/normals.h"
#include "vision/segment.h"
#include "vision/start.h"
#include "vision/stops.h"

#define DEFAULT_NEIGHBOURS 8
#define NORMAL_NEIGHBOURS 30
#define DEFAULT_ITERATIONS 500
#define DEFAULT_GRAPH_WEIGHT 500.0
#define GNMF_GRAPH_WEIGHT 100.0
/* Where segments are counted: points that are looked at, and what is alike of features in 0 .. 1.
 */
#define MOST_COUNTED 20000
#define LIKENESS_WIDTH 0.3

typedef struct cloud_work {
    orthant_context *ctx;
    const cloud *points;
    const segment_options *options;
    const char *method;
    bool with_graph; /* the method takes one */
    cloud_groups groups;
    double *position; /* kept x 3 */
    kdtree tree;
    int64_t listed;   /* neighbours in `nearest`, fewer where the cloud is small */
    int32_t *nearest; /* kept x listed */
    float *normals;   /* kept x 3 */
    orthant_matrix *features;
    orthant_graph *graph;
    orthant_matrix *start; /* kept x segments */
    int64_t segments;
    uint64_t seed;
    stop_plan stops;
    segmentation *out;
} cloud_work;

static bool one_of(const char *name, const char *const *names)
{
    for (; *names; names++)
        if (strcmp(name, *names) == 0)
            return true;
    return false;
}

static orthant_status check_method(cloud_work *w)
{
    static const char *const all[] = {"grpnmf", "gnmf", "nmf", "kmeans", NULL};
    static const char *const with_graph[] = {"grpnmf", "gnmf", NULL};
    w->method = w->options->method && *w->options->method ? w->options->method : "grpnmf";
    if (!one_of(w->method, all))
        return fail(w->ctx, ORTHANT_ERROR_ARGUMENT,
                    "method '%s' does not segment points; these do: grpnmf, gnmf, nmf, kmeans",
                    w->method);
    w->with_graph = one_of(w->method, with_graph) && w->options->graph_weight != 0.0;
    return ORTHANT_OK;
}

static orthant_status check_numbers(cloud_work *w)
{
    const cloud *points = w->points;
    const int64_t segments = w->options->segments;
    if (points->kept == 0)
        return fail(w->ctx, ORTHANT_ERROR_DATA,
                    "%s: none of its %" PRId64 " points has finite coordinates", points->name,
                    points->count);
    if (segments > points->kept)
        return fail(w->ctx, ORTHANT_ERROR_ARGUMENT,
                    "%s: %" PRId64 " segments of %" PRId64 " points%s: expected no more segments "
                    "than points",
                    points->name, segments, points->kept,
                    points->kept < points->count ? " with finite coordinates" : "");
    if (w->options->neighbours < 0)
        return fail(w->ctx, ORTHANT_ERROR_ARGUMENT, "%" PRId64 " neighbours, expected 1 or more",
                    w->options->neighbours);
    return ORTHANT_OK;
}

/* ---- nodes ---- */

static orthant_status find_neighbours(cloud_work *w, int64_t wanted)
{
    const int64_t n = w->points->kept;
    int64_t entries;
    w->listed = wanted < n - 1 ? wanted : n - 1;
    w->position = memory_new(w->ctx, 3 * n, sizeof *w->position, "points");
    if (!w->position)
        return ORTHANT_ERROR_MEMORY;
    for (int64_t i = 0; i < n; i++)
        memcpy(w->position + 3 * i, w->points->position + 3 * (int64_t)w->points->keep[i],
               3 * sizeof *w->position);
    const orthant_status status = kdtree_make(w->ctx, w->position, n, &w->tree);
    if (status != ORTHANT_OK || w->listed == 0)
        return status;
    if (!size_multiply(n, w->listed, &entries))
        entries = INT64_MAX;
    w->nearest = memory_new(w->ctx, entries, sizeof *w->nearest, "nearest points");
    return w->nearest ? kdtree_neighbours(&w->tree, w->listed, NULL, w->nearest)
                      : ORTHANT_ERROR_MEMORY;
}

/* The file's normals where it has them, of unit length; else those of the neighbours' plane. */
static orthant_status find_normals(cloud_work *w)
{
    const cloud *points = w->points;
    const int64_t used = w->listed < NORMAL_NEIGHBOURS ? w->listed : NORMAL_NEIGHBOURS;
    w->normals = memory_new(w->ctx, 3 * points->kept, sizeof *w->normals, "normals");
    if (!w->normals)
        return ORTHANT_ERROR_MEMORY;
    normals_find(w->ctx, w->position, points->kept, w->nearest, w->listed, used, points->viewpoint,
                 w->normals, NULL);
    if (points->normal)
        normals_take(points->normal, points->keep, points->kept, w->normals);
    return ORTHANT_OK;
}

/* The first `used` of each point's neighbours to the front, one point behind the other. */
static void shorten_lists(cloud_work *w, int64_t used)
{
    for (int64_t i = 0; used > 0 && i < w->points->kept; i++)
        memmove(w->nearest + i * used, w->nearest + i * w->listed,
                (size_t)used * sizeof *w->nearest);
    w->listed = used;
}

static orthant_status make_graph(cloud_work *w, int64_t neighbours)
{
    const int64_t n = w->points->kept;
    int64_t parts = 0, bridges = 0;
    int32_t *bridge = NULL;
    joins lists = {0};
    shorten_lists(w, neighbours < w->listed ? neighbours : w->listed);
    orthant_status status =
        kdtree_bridges(&w->tree, w->listed, w->nearest, &parts, &bridges, &bridge);
    if (status == ORTHANT_OK)
        status = joins_make(w->ctx, n, w->listed, w->nearest, bridges, bridge, &lists);
    if (status == ORTHANT_OK)
        status = joins_to_graph(w->ctx, w->ctx->precision, n, &lists, &w->graph);
    if (status == ORTHANT_OK && parts > 1)
        log_note(w->ctx, "the graph had %" PRId64 " parts; each was joined to the nearest other",
                 parts);
    joins_free(w->ctx, &lists);
    memory_free(w->ctx, bridge);
    return status;
}

static orthant_status make_nodes(cloud_work *w)
{
    const segment_options *o = w->options;
    const int64_t neighbours = o->neighbours > 0 ? o->neighbours : DEFAULT_NEIGHBOURS;
    const bool normals = w->groups.taken[GROUP_NORMALS];
    const int64_t for_normals = normals ? NORMAL_NEIGHBOURS : 0;
    const int64_t for_graph = w->with_graph ? neighbours : 0;
    orthant_status status = ORTHANT_OK;
    if (normals || w->with_graph)
        status = find_neighbours(w, for_normals > for_graph ? for_normals : for_graph);
    if (status == ORTHANT_OK && normals)
        status = find_normals(w);
    if (status == ORTHANT_OK)
        status = cloud_features(w->ctx, w->points, &w->groups, w->normals, &w->features);
    if (status == ORTHANT_OK && w->with_graph)
        status = make_graph(w, for_graph);
    return status;
}

/* ---- how many ---- */

/* Of some of the points, evenly over the file, by their features. */
static orthant_status choose_segments(cloud_work *w)
{
    const int64_t n = w->points->kept, every = (n + MOST_COUNTED - 1) / MOST_COUNTED;
    const int64_t rows = (n + every - 1) / every, m = w->features->columns;
    orthant_matrix *some = NULL;
    w->segments = w->options->segments;
    if (w->segments > 0)
        return ORTHANT_OK;
    w->out->estimated = true;
    orthant_status status = matrix_new_dense(w->ctx, ORTHANT_SINGLE, rows, m, &some);
    for (int64_t i = 0; i < rows && status == ORTHANT_OK; i++)
        for (int64_t j = 0; j < m; j++)
            matrix_set_value(some, i * some->stride + j,
                             matrix_value(w->features, i * every * w->features->stride + j));
    const likeness_request request = {some, NULL, LIKENESS_WIDTH, "the features"};
    if (status == ORTHANT_OK)
        status = likeness_count(w->ctx, &request, &w->segments, w->out->evidence,
                                sizeof w->out->evidence);
    orthant_matrix_free(some);
    return status;
}

/* ---- labels ---- */

static orthant_status set_number(orthant_model *model, const char *name, double value)
{
    char text[32];
    snprintf(text, sizeof text, "%.17g", value);
    return orthant_model_set(model, name, text);
}

static orthant_status set_up_model(const cloud_work *w, orthant_model *model)
{
    const segment_options *o = w->options;
    const bool is_grpnmf = strcmp(w->method, "grpnmf") == 0;
    orthant_status status = ORTHANT_OK;
    if (o->seed > 0)
        status = set_number(model, "seed", (double)o->seed);
    if (status == ORTHANT_OK && w->graph)
        status = orthant_model_set_graph(model, w->graph);
    if (status == ORTHANT_OK && is_grpnmf)
        status = set_number(model, "graph_weight",
                            o->graph_weight >= 0.0 ? o->graph_weight : DEFAULT_GRAPH_WEIGHT);
    else if (status == ORTHANT_OK && strcmp(w->method, "gnmf") == 0)
        status = set_number(model, "graph_weight",
                            o->graph_weight >= 0.0 ? o->graph_weight : GNMF_GRAPH_WEIGHT);
    return status;
}

/* A label for every point of the cloud: used ones are numbered from 0 without gaps, in their order;
 * missing points get -1. */
static orthant_status take_labels(const cloud_work *w, const orthant_result *result,
                                  int32_t **labels, int64_t *used)
{
    orthant_labels *found = NULL;
    int32_t *number = memory_new(w->ctx, w->segments, sizeof *number, "segments");
    orthant_status status = ORTHANT_ERROR_MEMORY;
    *used = 0;
    *labels = memory_new(w->ctx, w->points->count, sizeof **labels, "labels of points");
    if (!number || !*labels)
        goto done;
    memset(*labels, -1, (size_t)w->points->count * sizeof **labels);
    /* One segment needs no factorisation. */
    status =
        result ? orthant_result_labels(result, NULL, w->segments, 10, w->seed, &found) : ORTHANT_OK;
    if (status != ORTHANT_OK)
        goto done;
    const int64_t *label = found ? orthant_labels_values(found) : NULL;
    for (int64_t i = 0; i < w->points->kept; i++)
        number[label ? label[i] : 0] = 1;
    for (int64_t s = 0; s < w->segments; s++)
        number[s] = number[s] ? (int32_t)(*used)++ : -1;
    for (int64_t i = 0; i < w->points->kept; i++)
        (*labels)[w->points->keep[i]] = number[label ? label[i] : 0];
done:
    orthant_labels_free(found);
    memory_free(w->ctx, number);
    if (status != ORTHANT_OK) {
        memory_free(w->ctx, *labels);
        *labels = NULL;
    }
    return status;
}

static orthant_status keep_snapshot(void *user, const orthant_result *result, int64_t iteration)
{
    cloud_work *w = user;
    segmentation *out = w->out;
    int64_t used;
    segment_snapshot *shot = &out->snapshots[out->snapshot_count];
    const orthant_status status = take_labels(w, result, &shot->labels, &used);
    shot->iteration = iteration;
    out->snapshot_count += status == ORTHANT_OK;
    return status;
}

static orthant_status fit_labels(cloud_work *w)
{
    segmentation *out = w->out;
    const segment_options *o = w->options;
    orthant_model *model = NULL;
    orthant_result *result = NULL;
    stops_end end;
    orthant_status status = orthant_model_create(w->ctx, w->method, w->segments, &model);
    if (status == ORTHANT_OK)
        status = set_up_model(w, model);
    if (status == ORTHANT_OK && strcmp(w->method, "grpnmf") == 0) {
        status = start_from_centres(w->ctx, w->features, w->segments, w->seed, &w->start);
        if (status == ORTHANT_OK)
            status = orthant_model_set_start(model, "encoding", w->start);
    }
    if (status == ORTHANT_OK)
        status = segment_set_parameters(w->ctx, o->parameters, o->parameter_count, model);
    if (status == ORTHANT_OK)
        status = stops_fit(model, w->features, &w->stops, keep_snapshot, w, &result, &end);
    if (status == ORTHANT_OK) {
        out->iterations = end.iterations;
        out->interrupted = end.interrupted;
        out->objective = orthant_result_objective(result);
        status = take_labels(w, result, &out->labels, &out->segments);
    }
    orthant_result_free(result);
    orthant_model_free(model);
    return status;
}

static orthant_status run(cloud_work *w)
{
    segmentation *out = w->out;
    const double begin = clock_seconds();
    orthant_status status = make_nodes(w);
    if (status == ORTHANT_OK)
        status = choose_segments(w);
    out->wanted = w->segments;
    out->feature_seconds = clock_seconds() - begin;
    if (status == ORTHANT_OK)
        status =
            w->segments > 1 ? fit_labels(w) : take_labels(w, NULL, &out->labels, &out->segments);
    out->fit_seconds = clock_seconds() - begin - out->feature_seconds;
    out->nodes = w->points->kept;
    out->edges = w->graph ? orthant_graph_edges(w->graph) : 0;
    out->graph = w->graph;
    out->total_seconds = clock_seconds() - begin;
    return status;
}

orthant_status segment_cloud(orthant_context *ctx, const struct cloud *points,
                             const segment_options *options, segmentation *out)
{
    cloud_work w = {.ctx = ctx, .points = points, .options = options, .out = out};
    w.seed = options->seed > 0 ? options->seed : 1;
    *out = (segmentation){.ctx = ctx, .count = points->count};
    orthant_status status = check_method(&w);
    if (status == ORTHANT_OK)
        status = check_numbers(&w);
    if (status == ORTHANT_OK)
        status =
            cloud_groups_parse(ctx, points, options->features, options->feature_weights, &w.groups);
    if (status == ORTHANT_OK)
        status = stops_plan(ctx, w.method, options->snapshots, options->iterations,
                            DEFAULT_ITERATIONS, &w.stops);
    if (status == ORTHANT_OK)
        status = run(&w);
    memory_free(ctx, w.position);
    memory_free(ctx, w.nearest);
    memory_free(ctx, w.normals);
    kdtree_free(&w.tree);
    orthant_matrix_free(w.features);
    orthant_matrix_free(w.start);
    if (status != ORTHANT_OK)
        segmentation_free(out);
    return status;
}
