/* The similarity of RMND, (4.3) and (4.4):
 *
 *   k_ij = exp(-|x_i - x_j|^2 / (2 t^2)) where i is one of j's nearest neighbours or j one of i's,
 *          else 0; k_ii = 1
 *   t^2  = scale / (2 n^2) times the sum over all pairs of |x_i - x_j|^2
 *
 * With all neighbours it is dense; with fewer it is the neighbour graph with heat weights and a
 * diagonal. Distances come from the samples themselves, in double; all those of dense samples in
 * single precision by products. */
#include "graph/similarity.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "core/parallel.h"
#include "core/pieces.h"
#include "graph/graph.h"
#include "graph/pairs.h"
#include "graph/rows.h"

#define TILE 32     /* samples of a side: what a tile reads stays in a cache */
#define BATCH 128   /* pairs of blocks between two looks at the clock */
#define NEAR 1e-3f  /* of the samples' squares: distances below are taken from the samples */
#define NARROW 0.05 /* scale, below which distances have to be exact */

/* ---- checks ---- */

typedef struct asymmetry {
    double size, there, back;
    int64_t row, column;
} asymmetry;

static void compare(const orthant_matrix *matrix, int64_t i, int64_t j, double value,
                    asymmetry *worst)
{
    const double back = orthant_matrix_get(matrix, j, i), size = fabs(value - back);
    if (size > worst->size)
        *worst = (asymmetry){size, value, back, i, j};
}

static asymmetry largest_asymmetry(const orthant_matrix *matrix)
{
    asymmetry worst = {0};
    for (int64_t i = 0; matrix->sparse && i < matrix->rows; i++)
        for (int64_t e = matrix->row_start[i]; e < matrix->row_start[i + 1]; e++)
            compare(matrix, i, matrix->column[e], matrix_value(matrix, e), &worst);
    for (int64_t top = 0; !matrix->sparse && top < matrix->rows; top += TILE)
        for (int64_t left = 0; left <= top; left += TILE)
            for (int64_t i = top; i < top + TILE && i < matrix->rows; i++)
                for (int64_t j = left; j < left + TILE && j < i; j++)
                    compare(matrix, i, j, matrix_value(matrix, i * matrix->stride + j), &worst);
    return worst;
}

orthant_status similarity_check(const orthant_matrix *similarity, bool nonnegative,
                                const char *name, const char *method)
{
    /* What rounding may leave where both halves were computed on their own. */
    const double rounding = similarity->precision == ORTHANT_DOUBLE ? 1e-12 : 1e-6;
    if (similarity->rows != similarity->columns)
        return fail(similarity->ctx, ORTHANT_ERROR_DATA,
                    "%s is %" PRId64 " x %" PRId64 "; a similarity is square", name,
                    similarity->rows, similarity->columns);
    const orthant_status status = matrix_check(similarity, nonnegative, name, method);
    if (status)
        return status;
    const asymmetry worst = largest_asymmetry(similarity);
    if (worst.size > rounding * matrix_largest(similarity))
        return fail(similarity->ctx, ORTHANT_ERROR_DATA,
                    "%s is not symmetric: entry (%" PRId64 ", %" PRId64 ") is %g, entry (%" PRId64
                    ", %" PRId64 ") is %g, the largest difference of all; '%s' needs a symmetric "
                    "similarity, such as (K + K') / 2",
                    name, worst.row + 1, worst.column + 1, worst.there, worst.column + 1,
                    worst.row + 1, worst.back, method);
    return ORTHANT_OK;
}

/* ---- all pairs ---- */

typedef struct gaussian {
    const orthant_matrix *samples;
    orthant_matrix *similarity;
    double width_squared; /* t^2 */
    pairs pairs;          /* fast distances, in single precision */
    float *distances;     /* threads x block */
    int64_t blocks;
    int64_t first_task; /* of the batch at hand */
} gaussian;

static double kernel_value(const gaussian *g, double distance)
{
    return distance > 0 ? exp(-distance / (2 * g->width_squared)) : 1;
}

/* From the samples in double; both halves at once, so that they have the same bits. */
static void fill_exactly(void *user, int64_t task, int thread)
{
    const gaussian *g = user;
    orthant_matrix *K = g->similarity;
    int64_t row, column;
    (void)thread;
    pair_of(g->first_task + task, &row, &column);
    const int64_t top = row * TILE, left = column * TILE, n = K->rows;
    for (int64_t i = top; i < top + TILE && i < n; i++)
        for (int64_t j = left; j < left + TILE && j <= i; j++) {
            const double value = kernel_value(g, rows_distance(g->samples, i, j, INFINITY));
            matrix_set_value(K, i * K->stride + j, value);
            matrix_set_value(K, j * K->stride + i, value);
        }
}

/* Copies a block into its place on the other side of the diagonal, by tiles that stay in a cache.
 */
static void mirror_block(orthant_matrix *K, int64_t top, int64_t left, int64_t rows,
                         int64_t columns)
{
    float *values = K->values;
    for (int64_t i0 = top; i0 < top + rows; i0 += TILE)
        for (int64_t j0 = left; j0 < left + columns; j0 += TILE)
            for (int64_t j = j0; j < j0 + TILE && j < left + columns; j++)
                for (int64_t i = i0 > j ? i0 : j + 1; i < i0 + TILE && i < top + rows; i++)
                    values[j * K->stride + i] = values[i * K->stride + j];
}

/* By products (pairs.h). Samples that are nearer than products tell are looked at themselves. */
static void fill_by_products(void *user, int64_t task, int thread)
{
    const gaussian *g = user;
    const pairs *p = &g->pairs;
    orthant_matrix *K = g->similarity;
    float *distances = g->distances + thread * p->block;
    int64_t block, other;
    pair_of(g->first_task + task, &block, &other);
    const int64_t top = pairs_first(p, block), left = pairs_first(p, other),
                  rows = pairs_count(p, block), columns = pairs_count(p, other);
    const float width = (float)(-1 / (2 * g->width_squared * p->scale * p->scale));
    pairs_prepare(p, block, other, thread);
    for (int64_t i = 0; i < rows; i++) {
        float *to = (float *)K->values + (top + i) * K->stride + left;
        const int64_t end = block == other ? i : columns;
        pairs_distances(p, block, i, other, thread, distances);
        for (int64_t j = 0; j < end; j++)
            to[j] = expf(width * distances[j]);
        for (int64_t j = 0; j < end; j++)
            if (distances[j] <= NEAR * (p->square[top + i] + p->square[left + j]))
                to[j] =
                    (float)kernel_value(g, rows_distance(g->samples, top + i, left + j, INFINITY));
        if (block == other)
            to[i] = 1;
    }
    mirror_block(K, top, left, rows, columns);
}

/* All pairs of blocks, in batches between which the clock is looked at. */
static orthant_status fill_blocks(orthant_context *ctx, const search_clock *clock, gaussian *g,
                                  parallel_task task)
{
    const int64_t count = g->blocks * (g->blocks + 1) / 2;
    orthant_status status = ORTHANT_OK;
    for (g->first_task = 0; g->first_task < count && !status; g->first_task += BATCH) {
        status = stage_tell(ctx, clock, "similarity", g->first_task, count);
        if (!status)
            parallel_for(ctx, g->first_task + BATCH < count ? BATCH : count - g->first_task, task,
                         g);
    }
    return status;
}

/* Distances by products are off by a few roundings of the samples' squares: of no account beside
 * the rounding of K in single precision, unless the similarity is narrow. */
static orthant_status fill_all(orthant_context *ctx, const search_clock *clock, double scale,
                               gaussian *g)
{
    const orthant_matrix *X = g->samples;
    const int64_t n = X->rows;
    const double largest = matrix_largest(X);
    const bool fast = X->precision == ORTHANT_SINGLE && !X->sparse && scale >= NARROW && n > TILE &&
                      largest > 1e-12 && largest < 1e12;
    orthant_status status = matrix_new_dense(ctx, X->precision, n, n, &g->similarity);
    if (!status && !fast) {
        g->blocks = (n + TILE - 1) / TILE;
        return fill_blocks(ctx, clock, g, fill_exactly);
    }
    /* Without a limit on the scratch: blocks by the samples alone, and so the same bits. */
    if (!status)
        status = pairs_begin(ctx, X, INT64_MAX, &g->pairs);
    g->blocks = g->pairs.blocks;
    g->distances =
        memory_new(ctx, parallel_threads(ctx) * g->pairs.block, sizeof *g->distances, "distances");
    if (!status)
        status = g->distances ? fill_blocks(ctx, clock, g, fill_by_products) : ORTHANT_ERROR_MEMORY;
    memory_free(ctx, g->distances);
    pairs_end(&g->pairs);
    return status;
}

/* ---- some neighbours ---- */

/* The graph's edges and a diagonal of ones. */
static orthant_status add_diagonal(orthant_context *ctx, const orthant_graph *graph, gaussian *g)
{
    const orthant_matrix *edges = graph->adjacency;
    const int64_t n = edges->rows;
    orthant_matrix *K;
    const orthant_status status = matrix_new_sparse(ctx, g->samples->precision, n, n,
                                                    edges->row_start[n] + n, &g->similarity);
    if (status)
        return status;
    K = g->similarity;
    for (int64_t i = 0, at = 0; i < n; i++) {
        bool placed = false;
        for (int64_t e = edges->row_start[i]; e <= edges->row_start[i + 1]; e++) {
            const bool last = e == edges->row_start[i + 1];
            if (!placed && (last || edges->column[e] > i)) {
                K->column[at] = (int32_t)i;
                matrix_set_value(K, at++, 1);
                placed = true;
            }
            if (!last) {
                K->column[at] = edges->column[e];
                matrix_set_value(K, at++, matrix_value(edges, e));
            }
        }
        K->row_start[i + 1] = at;
    }
    return ORTHANT_OK;
}

static orthant_status fill_neighbours(orthant_context *ctx, const similarity_options *options,
                                      const search_clock *clock, gaussian *g)
{
    const orthant_graph_options edges = {.size = sizeof edges,
                                         .neighbours = options->neighbours,
                                         .weight = ORTHANT_EDGE_HEAT,
                                         .heat_width = sqrt(g->width_squared),
                                         .search = options->search};
    orthant_graph *graph = NULL;
    orthant_status status = graph_build(ctx, g->samples, &edges, clock, &graph);
    if (!status)
        status = add_diagonal(ctx, graph, g);
    orthant_graph_free(graph);
    return status;
}

orthant_status similarity_build(orthant_context *ctx, const orthant_matrix *samples,
                                const similarity_options *options, const search_clock *clock,
                                orthant_matrix **similarity)
{
    const int64_t neighbours = options->neighbours, n = samples->rows;
    gaussian g = {.samples = samples};
    double mean = 0;
    *similarity = NULL;
    orthant_status status = matrix_check_here(samples, "a similarity");
    if (status)
        return status;
    if (neighbours < 0 || neighbours >= n)
        return fail(ctx, ORTHANT_ERROR_ARGUMENT,
                    "a similarity between the %" PRId64 " nearest neighbours of each of %" PRId64
                    " samples: must be from 1 to %" PRId64
                    ", a sample has no more; or 'gaussian', which takes all pairs",
                    neighbours, n, n - 1);
    if (!(options->scale > 0 && isfinite(options->scale)))
        return fail(ctx, ORTHANT_ERROR_ARGUMENT, "scale %g: must be above 0", options->scale);
    status = matrix_check(samples, false, "data", "similarity");
    if (!status)
        status = graph_mean_squared_distance(ctx, samples, &mean);
    if (status)
        return status;
    g.width_squared = 0.5 * options->scale * mean;
    status = neighbours == 0 || neighbours == n - 1 ? fill_all(ctx, clock, options->scale, &g)
                                                    : fill_neighbours(ctx, options, clock, &g);
    if (status)
        orthant_matrix_free(g.similarity);
    else
        *similarity = g.similarity;
    return status;
}

orthant_status orthant_similarity_gaussian(orthant_context *context, const orthant_matrix *samples,
                                           int64_t neighbours, double scale,
                                           orthant_matrix **similarity)
{
    const similarity_options options = {neighbours, scale, ORTHANT_SEARCH_AUTO};
    const search_clock clock = {.begun = clock_seconds()};
    if (similarity)
        *similarity = NULL;
    const orthant_status refused = entry_check(context, samples && similarity, __func__);
    return refused ? refused : similarity_build(context, samples, &options, &clock, similarity);
}
