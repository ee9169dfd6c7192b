/* The neighbour graph: an edge where one of two samples is among the nearest of the other, weighted
 *
 *     binary 1      heat exp(-|x - y|^2 / (2 t^2))      cosine <x, y> / (|x| |y|)
 *
 * Weights that are not above zero (a zero sample's cosine, a heat that underflows) make no edge. Of
 * samples with missing entries distances and cosines are those of known.h. */
#include "graph/graph.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "core/parallel.h"
#include "core/sized.h"
#include "graph/joins.h"
#include "graph/known.h"
#include "graph/neighbours.h"
#include "graph/rows.h"
#include "kernel/kernel.h"

#define ROWS_OF_A_TASK 64

orthant_status orthant_edge_weight_parse(orthant_context *context, const char *name,
                                         orthant_edge_weight *weight)
{
    static const char *const names[] = {"binary", "heat", "cosine"};
    for (int w = 0; w < 3; w++)
        if (name && weight && strcmp(name, names[w]) == 0) {
            *weight = (orthant_edge_weight)w;
            return ORTHANT_OK;
        }
    return fail(context, ORTHANT_ERROR_ARGUMENT,
                "no edge weight '%s'; there are binary, heat and cosine", name ? name : "");
}

orthant_status orthant_search_parse(orthant_context *context, const char *name,
                                    orthant_search *search)
{
    static const char *const names[] = {"auto", "exact", "approximate"};
    for (int s = 0; s < 3; s++)
        if (name && search && strcmp(name, names[s]) == 0) {
            *search = (orthant_search)s;
            return ORTHANT_OK;
        }
    return fail(context, ORTHANT_ERROR_ARGUMENT,
                "no search '%s'; there are auto, exact and approximate", name ? name : "");
}

/* ---- weights ---- */

typedef struct weighing {
    const orthant_matrix *samples;
    orthant_edge_weight kind;
    double width_squared;    /* heat: t^2 */
    const double *length;    /* cosine: |x| of each sample */
    const known_rows *known; /* NULL where all entries are */
    joins lists;
    double *weight; /* beside lists.joined */
} weighing;

static double weigh(const weighing *w, int64_t i, int64_t j)
{
    if (w->known && w->kind == ORTHANT_EDGE_COSINE)
        return known_cosine(w->known, i, j);
    if (w->kind == ORTHANT_EDGE_COSINE) {
        const double lengths = w->length[i] * w->length[j];
        return lengths > 0.0 ? rows_dot(w->samples, i, j) / lengths : 0.0;
    }
    const double distance =
        w->known ? known_distance(w->known, i, j) : rows_distance(w->samples, i, j, INFINITY);
    return distance > 0.0 ? exp(-distance / (2.0 * w->width_squared)) : 1.0;
}

static void weigh_rows(void *user, int64_t task, int thread)
{
    const weighing *w = user;
    const int64_t first = task * ROWS_OF_A_TASK, left = w->samples->rows - first;
    const int64_t end = left < ROWS_OF_A_TASK ? first + left : first + ROWS_OF_A_TASK;
    (void)thread;
    for (int64_t i = first; i < end; i++)
        for (int64_t e = w->lists.start[i]; e < w->lists.start[i + 1]; e++)
            w->weight[e] = weigh(w, i, w->lists.joined[e]);
}

/* The mean of |x_i - x_j|^2 over all n^2 pairs is twice the mean of |x_i - mean|^2; over the
 * entries that a sparse matrix does not store, x is 0. */
orthant_status graph_mean_squared_distance(orthant_context *ctx, const orthant_matrix *samples,
                                           double *mean_distance)
{
    const int64_t n = samples->rows, m = samples->columns;
    double *mean = memory_new(ctx, m, sizeof *mean, "the mean of the samples");
    if (!mean)
        return ORTHANT_ERROR_MEMORY;
    if (!samples->sparse)
        kernel_table(samples->precision)->column_sums(matrix_array(samples), mean);
    else
        for (int64_t e = 0; e < samples->row_start[n]; e++)
            mean[samples->column[e]] += matrix_value(samples, e);
    double means = 0.0, total = 0.0;
    for (int64_t l = 0; l < m; l++) {
        mean[l] /= (double)n;
        means += mean[l] * mean[l];
    }
    for (int64_t i = 0; i < n; i++) {
        const int64_t first = samples->sparse ? samples->row_start[i] : i * samples->stride;
        const int64_t end = samples->sparse ? samples->row_start[i + 1] : first + m;
        double sum = samples->sparse ? means : 0.0;
        for (int64_t e = first; e < end; e++) {
            const double centre = mean[samples->sparse ? samples->column[e] : e - first];
            const double value = matrix_value(samples, e);
            sum += (value - centre) * (value - centre) - (samples->sparse ? centre * centre : 0.0);
        }
        total += sum;
    }
    *mean_distance = 2.0 * total / (double)n;
    memory_free(ctx, mean);
    return ORTHANT_OK;
}

/* The adjacency of the joined samples whose weight counts. */
static orthant_status gather(orthant_context *ctx, const weighing *w, orthant_matrix **adjacency)
{
    const int64_t n = w->samples->rows;
    const orthant_precision precision = w->samples->precision;
    int64_t stored = 0;
    for (int64_t e = 0; e < w->lists.start[n]; e++)
        stored += graph_weight_counts(precision, w->weight[e]);
    const orthant_status status = matrix_new_sparse(ctx, precision, n, n, stored, adjacency);
    if (status != ORTHANT_OK)
        return status;
    stored = 0;
    for (int64_t i = 0; i < n; i++) {
        for (int64_t e = w->lists.start[i]; e < w->lists.start[i + 1]; e++)
            if (graph_weight_counts(precision, w->weight[e])) {
                (*adjacency)->column[stored] = w->lists.joined[e];
                matrix_set_value(*adjacency, stored++, w->weight[e]);
            }
        (*adjacency)->row_start[i + 1] = stored;
    }
    return ORTHANT_OK;
}

static orthant_status weigh_edges(orthant_context *ctx, weighing *w, double heat_width,
                                  orthant_graph **graph)
{
    const int64_t n = w->samples->rows;
    orthant_matrix *adjacency = NULL;
    double *length = NULL;
    orthant_status status = ORTHANT_OK;
    w->width_squared = heat_width * heat_width;
    if (w->kind == ORTHANT_EDGE_HEAT && heat_width <= 0.0 && w->known)
        w->width_squared = w->known->mean_square_distance;
    else if (w->kind == ORTHANT_EDGE_HEAT && heat_width <= 0.0)
        status = graph_mean_squared_distance(ctx, w->samples, &w->width_squared);
    if (status != ORTHANT_OK)
        goto done;
    status = ORTHANT_ERROR_MEMORY;
    w->weight = memory_new(ctx, w->lists.start[n], sizeof *w->weight, "weights of edges");
    w->length = length = memory_new(ctx, n, sizeof *length, "lengths of the samples");
    if (!w->weight || !length)
        goto done;
    if (!w->known)
        matrix_row_squares(w->samples, length);
    for (int64_t i = 0; i < n; i++)
        length[i] = sqrt(length[i]);
    parallel_for(ctx, (n + ROWS_OF_A_TASK - 1) / ROWS_OF_A_TASK, weigh_rows, w);
    status = gather(ctx, w, &adjacency);
    if (status == ORTHANT_OK)
        status = graph_around(ctx, adjacency, graph);
done:
    memory_free(ctx, length);
    memory_free(ctx, w->weight);
    return status;
}

static orthant_status check_options(orthant_context *ctx, const orthant_matrix *samples,
                                    int64_t neighbours, orthant_edge_weight weight,
                                    double heat_width)
{
    const orthant_status here = matrix_check_here(samples, "a search for neighbours");
    if (here)
        return here;
    const int64_t n = matrix_total(samples);
    if (neighbours < 1 || neighbours >= n)
        return fail(ctx, ORTHANT_ERROR_ARGUMENT,
                    "%" PRId64 " neighbours of %" PRId64 " samples: must be from 1 to %" PRId64,
                    neighbours, n, n - 1);
    if (n >= INT32_MAX)
        return fail(ctx, ORTHANT_ERROR_UNSUPPORTED,
                    "a graph over %" PRId64 " samples: at most %d are supported", n, INT32_MAX - 1);
    if (weight < ORTHANT_EDGE_BINARY || weight > ORTHANT_EDGE_COSINE)
        return fail(ctx, ORTHANT_ERROR_ARGUMENT, "edge weight %d: unknown", (int)weight);
    if (!(heat_width >= 0.0 && isfinite(heat_width)))
        return fail(ctx, ORTHANT_ERROR_ARGUMENT,
                    "heat width %g: must be 0 (from the data) or positive", heat_width);
    return ORTHANT_OK;
}

orthant_status graph_check(orthant_context *ctx, const orthant_matrix *samples, int64_t neighbours,
                           orthant_edge_weight weight, double heat_width)
{
    const orthant_status status = check_options(ctx, samples, neighbours, weight, heat_width);
    return status ? status : matrix_check(samples, false, "data", "graph");
}

static bool some_missing(const orthant_graph_options *options)
{
    return options->missing && strcmp(options->missing, "none") != 0;
}

/* Neighbours by all entries, or by those that are known in both of two samples. */
static orthant_status find_nearest(orthant_context *ctx, const orthant_matrix *samples,
                                   const orthant_graph_options *options, const search_clock *clock,
                                   known_rows *known, int32_t *nearest)
{
    if (!some_missing(options))
        return neighbours_find(ctx, samples, options->neighbours, options->search, clock, nearest);
    if (options->search == ORTHANT_SEARCH_APPROXIMATE)
        return fail(ctx, ORTHANT_ERROR_ARGUMENT,
                    "search = 'approximate': with missing entries all pairs of samples are "
                    "compared; take auto or exact");
    const orthant_status status = known_rows_make(ctx, samples, options->missing, known);
    return status ? status : known_neighbours(known, options->neighbours, clock, nearest);
}

orthant_status graph_build(orthant_context *ctx, const orthant_matrix *samples,
                           const orthant_graph_options *options, const search_clock *clock,
                           orthant_graph **graph)
{
    const int64_t n = samples->rows, neighbours = options->neighbours;
    known_rows known = {.ctx = ctx};
    weighing w = {.samples = samples,
                  .kind = options->weight,
                  .known = some_missing(options) ? &known : NULL};
    int64_t count;
    orthant_status status = (w.known ? check_options : graph_check)(
        ctx, samples, neighbours, options->weight, options->heat_width);
    if (status != ORTHANT_OK)
        return status;
    if (!size_multiply(n, neighbours, &count) || count > INT64_MAX / 64)
        return fail(ctx, ORTHANT_ERROR_MEMORY,
                    "out of memory: %" PRId64 " neighbours of each of %" PRId64
                    " samples do not fit",
                    neighbours, n);
    int32_t *nearest = memory_new(ctx, count, sizeof *nearest, "nearest samples");
    status = nearest ? find_nearest(ctx, samples, options, clock, &known, nearest)
                     : ORTHANT_ERROR_MEMORY;
    if (status == ORTHANT_OK)
        status = joins_make(ctx, n, neighbours, nearest, 0, NULL, &w.lists);
    memory_free(ctx, nearest);
    if (status == ORTHANT_OK)
        status = options->weight == ORTHANT_EDGE_BINARY
                     ? joins_to_graph(ctx, samples->precision, n, &w.lists, graph)
                     : weigh_edges(ctx, &w, options->heat_width, graph);
    joins_free(ctx, &w.lists);
    known_rows_free(&known);
    return status;
}

orthant_status orthant_graph_build(orthant_context *context, const orthant_matrix *samples,
                                   const orthant_graph_options *options, orthant_graph **graph)
{
    orthant_graph_options own = ORTHANT_GRAPH_DEFAULTS;
    if (graph)
        *graph = NULL;
    orthant_status status = entry_check(context, samples && graph, __func__);
    if (!status && options)
        status = sized_take(context, __func__, options, &own, sizeof own);
    if (status)
        return status;
    if (own.search < ORTHANT_SEARCH_AUTO || own.search > ORTHANT_SEARCH_APPROXIMATE)
        return fail(context, ORTHANT_ERROR_ARGUMENT, "search %d: unknown", (int)own.search);
    if (!(own.time_limit_s >= 0))
        return fail(context, ORTHANT_ERROR_ARGUMENT, "time limit %g: must be 0 (none) or seconds",
                    own.time_limit_s);
    const search_clock clock = {clock_seconds(), own.time_limit_s};
    return graph_build(context, samples, &own, &clock, graph);
}

orthant_status orthant_graph_neighbours(orthant_context *context, const orthant_matrix *samples,
                                        int64_t neighbours, orthant_edge_weight weight,
                                        double heat_width, orthant_graph **graph)
{
    orthant_graph_options options = ORTHANT_GRAPH_DEFAULTS;
    options.neighbours = neighbours;
    options.weight = weight;
    options.heat_width = heat_width;
    if (graph)
        *graph = NULL;
    const orthant_status status = entry_check(context, samples && graph, __func__);
    return status ? status : orthant_graph_build(context, samples, &options, graph);
}
