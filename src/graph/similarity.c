/* The similarity of RMND, (4.3) and (4.4):
 *
 *   k_ij = exp(-|x_i - x_j|^2 / (2 t^2)) where i is one of j's nearest neighbours or j one of i's,
 *          else 0; k_ii = 1
 *   t^2  = scale / (2 n^2) times the sum over all pairs of |x_i - x_j|^2
 *
 * With all neighbours it is dense; with fewer it is the neighbour graph with heat weights and a
 * diagonal. Distances come from the samples themselves, in double. */
#include "graph/similarity.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "core/parallel.h"
#include "graph/graph.h"
#include "graph/rows.h"

#define TILE 32 /* samples of a side: what a tile reads stays in a cache */

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
} gaussian;

/* Both halves at once, so that they have the same bits. */
static void fill_tiles(void *user, int64_t task, int thread)
{
    const gaussian *g = user;
    orthant_matrix *K = g->similarity;
    const int64_t top = task * TILE, n = K->rows;
    (void)thread;
    for (int64_t left = 0; left <= top; left += TILE)
        for (int64_t i = top; i < top + TILE && i < n; i++)
            for (int64_t j = left; j < left + TILE && j <= i; j++) {
                const double distance = rows_distance(g->samples, i, j, INFINITY);
                const double value = distance > 0 ? exp(-distance / (2 * g->width_squared)) : 1;
                matrix_set_value(K, i * K->stride + j, value);
                matrix_set_value(K, j * K->stride + i, value);
            }
}

static orthant_status fill_all(orthant_context *ctx, gaussian *g)
{
    const int64_t n = g->samples->rows;
    const orthant_status status =
        matrix_new_dense(ctx, g->samples->precision, n, n, &g->similarity);
    if (!status)
        parallel_for(ctx, (n + TILE - 1) / TILE, fill_tiles, g);
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

static orthant_status fill_neighbours(orthant_context *ctx, int64_t neighbours, gaussian *g)
{
    orthant_graph *graph = NULL;
    orthant_status status = orthant_graph_neighbours(ctx, g->samples, neighbours, ORTHANT_EDGE_HEAT,
                                                     sqrt(g->width_squared), &graph);
    if (!status)
        status = add_diagonal(ctx, graph, g);
    orthant_graph_free(graph);
    return status;
}

orthant_status orthant_similarity_gaussian(orthant_context *context, const orthant_matrix *samples,
                                           int64_t neighbours, double scale,
                                           orthant_matrix **similarity)
{
    gaussian g = {.samples = samples};
    double mean = 0;
    if (similarity)
        *similarity = NULL;
    const orthant_status refused = entry_check(context, samples && similarity, __func__);
    if (refused)
        return refused;
    if (neighbours < 0 || neighbours >= samples->rows)
        return fail(context, ORTHANT_ERROR_ARGUMENT,
                    "%" PRId64 " neighbours of %" PRId64
                    " samples: must be 0 (all) or from 1 to %" PRId64,
                    neighbours, samples->rows, samples->rows - 1);
    if (!(scale > 0 && isfinite(scale)))
        return fail(context, ORTHANT_ERROR_ARGUMENT, "scale %g: must be above 0", scale);
    orthant_status status = matrix_check(samples, false, "data", "similarity");
    if (!status)
        status = graph_mean_squared_distance(context, samples, &mean);
    if (status)
        return status;
    g.width_squared = 0.5 * scale * mean;
    status = neighbours == 0 || neighbours == samples->rows - 1
                 ? fill_all(context, &g)
                 : fill_neighbours(context, neighbours, &g);
    if (!status)
        *similarity = g.similarity;
    return status;
}
