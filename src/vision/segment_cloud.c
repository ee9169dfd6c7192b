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
#include "vision/normals.h"
#include "vision/segment.h"
#include "vision/start.h"

#define DEFAULT_NEIGHBOURS 8
#define NORMAL_NEIGHBOURS 30
#define DEFAULT_ITERATIONS 500
#define DEFAULT_GRAPH_WEIGHT 500.0

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
    int64_t *label;        /* of the kept points */
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
    if (segments < 1)
        return fail(w->ctx, ORTHANT_ERROR_ARGUMENT,
                    "the number of segments of a cloud is not estimated; give it with -k, as in -k "
                    "2");
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
    return w->nearest ? kdtree_neighbours(&w->tree, w->listed, w->nearest) : ORTHANT_ERROR_MEMORY;
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
        status = joins_to_graph(w->ctx, n, &lists, &w->graph);
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
    const bool projective = strcmp(w->method, "grpnmf") == 0;
    orthant_status status = ORTHANT_OK;
    if (o->iterations > 0 || projective)
        status = set_number(model, "iterations",
                            (double)(o->iterations > 0 ? o->iterations : DEFAULT_ITERATIONS));
    if (status == ORTHANT_OK && o->seed > 0)
        status = set_number(model, "seed", (double)o->seed);
    if (status == ORTHANT_OK && w->graph)
        status = orthant_model_set_graph(model, w->graph);
    if (status == ORTHANT_OK && projective)
        status = set_number(model, "graph_weight",
                            o->graph_weight >= 0.0 ? o->graph_weight : DEFAULT_GRAPH_WEIGHT);
    else if (status == ORTHANT_OK && strcmp(w->method, "gnmf") == 0 && o->graph_weight >= 0.0)
        status = set_number(model, "graph_weight", o->graph_weight);
    return status;
}

static orthant_status fit_labels(cloud_work *w, segmentation *out)
{
    orthant_model *model = NULL;
    orthant_result *result = NULL;
    orthant_labels *labels = NULL;
    const uint64_t seed = w->options->seed > 0 ? w->options->seed : 1;
    orthant_status status = orthant_model_create(w->ctx, w->method, w->options->segments, &model);
    if (status == ORTHANT_OK)
        status = set_up_model(w, model);
    if (status == ORTHANT_OK && strcmp(w->method, "grpnmf") == 0) {
        status = start_from_centres(w->ctx, w->features, w->options->segments, seed, &w->start);
        if (status == ORTHANT_OK)
            status = orthant_model_set_start(model, "encoding", w->start);
    }
    if (status == ORTHANT_OK)
        status = orthant_fit(model, w->features, &result);
    if (status == ORTHANT_OK)
        status = orthant_result_labels(result, NULL, w->options->segments, 10, seed, &labels);
    if (status == ORTHANT_OK) {
        memcpy(w->label, orthant_labels_values(labels), (size_t)w->points->kept * sizeof *w->label);
        out->iterations = orthant_result_iterations(result);
        out->objective = orthant_result_objective(result);
    }
    orthant_labels_free(labels);
    orthant_result_free(result);
    orthant_model_free(model);
    return status;
}

/* Labels that are used are numbered from 0 without gaps, in their order; missing points get -1. */
static orthant_status give_labels(cloud_work *w, segmentation *out)
{
    int32_t *number = memory_new(w->ctx, w->options->segments, sizeof *number, "segments");
    out->labels = memory_new(w->ctx, w->points->count, sizeof *out->labels, "labels of points");
    if (!number || !out->labels) {
        memory_free(w->ctx, number);
        return ORTHANT_ERROR_MEMORY;
    }
    for (int64_t i = 0; i < w->points->kept; i++)
        number[w->label[i]] = 1;
    for (int64_t s = 0; s < w->options->segments; s++)
        number[s] = number[s] ? (int32_t)out->segments++ : -1;
    for (int64_t i = 0; i < w->points->count; i++)
        out->labels[i] = -1;
    for (int64_t i = 0; i < w->points->kept; i++)
        out->labels[w->points->keep[i]] = number[w->label[i]];
    memory_free(w->ctx, number);
    return ORTHANT_OK;
}

static orthant_status run(cloud_work *w, segmentation *out)
{
    const double begin = clock_seconds();
    orthant_status status = make_nodes(w);
    out->feature_seconds = clock_seconds() - begin;
    w->label = memory_new(w->ctx, w->points->kept, sizeof *w->label, "labels of points");
    if (status == ORTHANT_OK && !w->label)
        status = ORTHANT_ERROR_MEMORY;
    /* One segment needs no factorisation. */
    if (status == ORTHANT_OK && w->options->segments > 1)
        status = fit_labels(w, out);
    out->fit_seconds = clock_seconds() - begin - out->feature_seconds;
    if (status == ORTHANT_OK)
        status = give_labels(w, out);
    out->nodes = w->points->kept;
    out->edges = w->graph ? orthant_graph_edges(w->graph) : 0;
    out->graph = w->graph;
    out->total_seconds = clock_seconds() - begin;
    return status;
}

orthant_status segment_cloud(orthant_context *ctx, const struct cloud *points,
                             const segment_options *options, segmentation *out)
{
    cloud_work w = {.ctx = ctx, .points = points, .options = options};
    *out = (segmentation){.ctx = ctx, .count = points->count};
    orthant_status status = check_method(&w);
    if (status == ORTHANT_OK)
        status = check_numbers(&w);
    if (status == ORTHANT_OK)
        status =
            cloud_groups_parse(ctx, points, options->features, options->feature_weights, &w.groups);
    if (status == ORTHANT_OK)
        status = run(&w, out);
    memory_free(ctx, w.position);
    memory_free(ctx, w.nearest);
    memory_free(ctx, w.normals);
    memory_free(ctx, w.label);
    kdtree_free(&w.tree);
    orthant_matrix_free(w.features);
    orthant_matrix_free(w.start);
    if (status != ORTHANT_OK)
        segmentation_free(out);
    return status;
}
