/* Farthest points among the features from inside of regions; weights by least squares. */
#include "vision/seeds.h"

#include <float.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "cluster/kmeans.h"
#include "core/memory.h"
#include "kernel/blas.h"
#include "kernel/kernel.h"
#include "kernel/lapack.h"

#define INSIDE 0.4 /* of the largest edgeness: nodes inside of a texture */
#define LLOYD_ITERATIONS 100

static const float *row_of(const orthant_matrix *m, int64_t row)
{
    return (const float *)m->values + row * m->stride;
}

static double distance(const orthant_matrix *z, int64_t a, int64_t b)
{
    const float *p = row_of(z, a), *q = row_of(z, b);
    double sum = 0.0;
    for (int64_t j = 0; j < z->columns; j++) {
        const double d = (double)p[j] - (double)q[j];
        sum += d * d;
    }
    return sum;
}

void seeds_edgeness(const lattice *nodes, const orthant_matrix *features, int reach,
                    float *edgeness)
{
    for (int y = 0; y < nodes->rows; y++)
        for (int x = 0; x < nodes->columns; x++) {
            const int64_t i = (int64_t)y * nodes->columns + x;
            const int64_t down = (int64_t)reach * nodes->columns;
            const bool inside =
                y >= reach && x >= reach && y + reach < nodes->rows && x + reach < nodes->columns;
            edgeness[i] = inside ? (float)(sqrt(distance(features, i - down, i + down)) +
                                           sqrt(distance(features, i - reach, i + reach)))
                                 : INFINITY;
        }
}

/* The nodes inside of textures, in order; all nodes where these are fewer than the parts. */
static int64_t choose_inside(const lattice *nodes, const float *edgeness, int64_t parts,
                             int64_t *chosen)
{
    const int64_t count = lattice_nodes(nodes);
    float largest = 0.0f;
    int64_t inside = 0;
    for (int64_t i = 0; i < count; i++)
        if (edgeness[i] <= FLT_MAX && edgeness[i] > largest)
            largest = edgeness[i];
    for (int64_t i = 0; i < count; i++)
        if (edgeness[i] <= (float)INSIDE * largest)
            chosen[inside++] = i;
    if (inside >= parts)
        return inside;
    for (int64_t i = 0; i < count; i++)
        chosen[i] = i;
    return count;
}

static orthant_status gather(orthant_context *ctx, const orthant_matrix *features,
                             const int64_t *chosen, int64_t count, orthant_matrix **points)
{
    const orthant_status status =
        matrix_new_factor(ctx, ORTHANT_SINGLE, count, features->columns, points);
    for (int64_t i = 0; !status && i < count; i++)
        memcpy((float *)(*points)->values + i * (*points)->stride, row_of(features, chosen[i]),
               (size_t)features->columns * sizeof(float));
    return status;
}

/* The longest point, then each time the one that is farthest from the nearest of those before. */
static orthant_status farthest_points(orthant_context *ctx, const orthant_matrix *points,
                                      int64_t parts, double *centres)
{
    double *nearest = memory_new(ctx, points->rows, sizeof *nearest, "distances to seeds");
    int64_t next = 0;
    double longest = -1.0;
    if (!nearest)
        return ORTHANT_ERROR_MEMORY;
    for (int64_t i = 0; i < points->rows; i++) {
        double square = 0.0;
        for (int64_t j = 0; j < points->columns; j++)
            square += (double)row_of(points, i)[j] * (double)row_of(points, i)[j];
        if (square > longest) {
            longest = square;
            next = i;
        }
        nearest[i] = INFINITY;
    }
    for (int64_t part = 0; part < parts; part++) {
        const int64_t newest = next;
        for (int64_t j = 0; j < points->columns; j++)
            centres[part * points->columns + j] = (double)row_of(points, newest)[j];
        double farthest = -1.0;
        for (int64_t i = 0; i < points->rows; i++) {
            nearest[i] = fmin(nearest[i], distance(points, i, newest));
            if (nearest[i] > farthest) {
                farthest = nearest[i];
                next = i;
            }
        }
    }
    memory_free(ctx, nearest);
    return ORTHANT_OK;
}

orthant_status seeds_centres(orthant_context *ctx, const lattice *nodes,
                             const orthant_matrix *features, int reach, int64_t parts,
                             double **centres)
{
    const int64_t count = lattice_nodes(nodes);
    orthant_matrix *points = NULL;
    kmeans_outcome outcome = {0};
    orthant_status status = ORTHANT_ERROR_MEMORY;
    float *edgeness = memory_new(ctx, count, sizeof *edgeness, "edgeness");
    int64_t *chosen = memory_new(ctx, count, sizeof *chosen, "nodes inside of textures");
    *centres = memory_new(ctx, parts * features->columns, sizeof **centres, "seeds");
    if (!edgeness || !chosen || !*centres)
        goto done;
    seeds_edgeness(nodes, features, reach, edgeness);
    const int64_t inside = choose_inside(nodes, edgeness, parts, chosen);
    if ((status = gather(ctx, features, chosen, inside, &points)) ||
        (status = farthest_points(ctx, points, parts, *centres)) ||
        (status = kmeans_run(ctx, points, parts, 1, LLOYD_ITERATIONS, 0, *centres, &outcome)))
        goto done;
    memcpy(*centres, outcome.centres, (size_t)(parts * features->columns) * sizeof **centres);
done:
    kmeans_free(ctx, &outcome);
    orthant_matrix_free(points);
    memory_free(ctx, edgeness);
    memory_free(ctx, chosen);
    if (status) {
        memory_free(ctx, *centres);
        *centres = NULL;
    }
    return status;
}

/* pinv(C), dimensions x parts, column-major. */
static orthant_status pseudo_inverse(orthant_context *ctx, const double *centres, int64_t parts,
                                     int64_t dimensions, double **inverse)
{
    const int64_t larger = parts > dimensions ? parts : dimensions;
    orthant_status status = ORTHANT_ERROR_MEMORY;
    lapack_int rank = 0;
    double *work = memory_new(ctx, parts * dimensions, sizeof *work, "seeds");
    double *singular = memory_new(ctx, larger, sizeof *singular, "seeds");
    *inverse = memory_new(ctx, larger * parts, sizeof **inverse, "the inverse of seeds");
    if (!work || !singular || !*inverse || blas_check_memory(ctx))
        goto done;
    for (int64_t i = 0; i < parts; i++) {
        (*inverse)[i * larger + i] = 1.0;
        for (int64_t j = 0; j < dimensions; j++)
            work[j * parts + i] = centres[i * dimensions + j];
    }
    blas_enter();
    const lapack_int failed = LAPACKE_dgelsd(
        LAPACK_COL_MAJOR, (lapack_int)parts, (lapack_int)dimensions, (lapack_int)parts, work,
        (lapack_int)parts, *inverse, (lapack_int)larger, singular, 1e-6, &rank);
    blas_leave();
    status =
        failed ? lapack_fail(ctx, failed, "the weights of the seeds did not converge") : ORTHANT_OK;
done:
    memory_free(ctx, work);
    memory_free(ctx, singular);
    return status;
}

orthant_status seeds_weights(orthant_context *ctx, const orthant_matrix *features,
                             const double *centres, int64_t parts, orthant_matrix **weights)
{
    const kernels *ops = kernel_table(ORTHANT_SINGLE);
    const int64_t dimensions = features->columns;
    const int64_t larger = parts > dimensions ? parts : dimensions;
    double *inverse = NULL;
    orthant_matrix *right = NULL;
    *weights = NULL;
    orthant_status status = pseudo_inverse(ctx, centres, parts, dimensions, &inverse);
    if (status || (status = matrix_new_factor(ctx, ORTHANT_SINGLE, dimensions, parts, &right)) ||
        (status = matrix_new_factor(ctx, ORTHANT_SINGLE, features->rows, parts, weights)))
        goto done;
    for (int64_t i = 0; i < dimensions; i++)
        for (int64_t j = 0; j < parts; j++)
            ((float *)right->values)[i * right->stride + j] = (float)inverse[j * larger + i];
    ops->product(matrix_array(*weights), matrix_array(features), matrix_array(right), false);
done:
    memory_free(ctx, inverse);
    orthant_matrix_free(right);
    return status;
}
