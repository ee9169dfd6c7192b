/* Centres by k-means, weights by least squares, columns of unit length. */
#include "vision/start.h"

#include <math.h>
#include <stdio.h>

#include "core/memory.h"
#include "core/parallel.h"
#include "orthant/fit.h"

#define ROWS_OF_A_TASK 4096
#define FLOOR 1e-4 /* zeros would stay zeros */
#define RIDGE 1e-9 /* of the mean diagonal: two centres may be one point or none */
#define KMEANS_ROUNDS 30

/* G <- the inverse of G + ridge (k x k, positive definite), by Gauss and Jordan. */
static void invert(double *G, double *inverse, int64_t k)
{
    double trace = 0.0;
    for (int64_t i = 0; i < k; i++)
        trace += G[i * k + i];
    for (int64_t i = 0; i < k; i++) {
        G[i * k + i] += RIDGE * trace / (double)k + 1e-300;
        for (int64_t j = 0; j < k; j++)
            inverse[i * k + j] = i == j;
    }
    for (int64_t p = 0; p < k; p++) {
        const double scale = 1.0 / G[p * k + p];
        for (int64_t j = 0; j < k; j++) {
            G[p * k + j] *= scale;
            inverse[p * k + j] *= scale;
        }
        for (int64_t i = 0; i < k; i++) {
            const double factor = G[i * k + p];
            if (i == p || factor == 0.0)
                continue;
            for (int64_t j = 0; j < k; j++) {
                G[i * k + j] -= factor * G[p * k + j];
                inverse[i * k + j] -= factor * inverse[p * k + j];
            }
        }
    }
}

typedef struct weighing {
    const orthant_matrix *features;
    const double *solver; /* m x k: C (C'C)^-1 */
    orthant_matrix *start;
    double *row; /* threads x m */
} weighing;

static void weigh_rows(void *user, int64_t task, int thread)
{
    const weighing *w = user;
    const int64_t m = w->features->columns, k = w->start->columns;
    const int64_t first = task * ROWS_OF_A_TASK, left = w->features->rows - first;
    double *row = w->row + thread * m;
    for (int64_t i = first; i < first + (left < ROWS_OF_A_TASK ? left : ROWS_OF_A_TASK); i++) {
        matrix_copy_row(w->features, i, row);
        for (int64_t c = 0; c < k; c++) {
            double weight = 0.0;
            for (int64_t f = 0; f < m; f++)
                weight += row[f] * w->solver[f * k + c];
            matrix_set_value(w->start, i * w->start->stride + c, fmax(weight, FLOOR));
        }
    }
}

static void unit_columns(orthant_matrix *start)
{
    for (int64_t c = 0; c < start->columns; c++) {
        double squares = 0.0;
        for (int64_t i = 0; i < start->rows; i++) {
            const double value = matrix_value(start, i * start->stride + c);
            squares += value * value;
        }
        for (int64_t i = 0; i < start->rows; i++) {
            const int64_t at = i * start->stride + c;
            matrix_set_value(start, at, matrix_value(start, at) / sqrt(squares));
        }
    }
}

/* solver = C (C'C)^-1 of the centres C (m x k). */
static orthant_status make_solver(orthant_context *ctx, const orthant_matrix *centres,
                                  double *solver)
{
    const int64_t m = centres->rows, k = centres->columns;
    double *work = memory_new(ctx, 2 * k * k, sizeof *work, "products of centres");
    if (!work)
        return ORTHANT_ERROR_MEMORY;
    for (int64_t a = 0; a < k; a++)
        for (int64_t b = 0; b < k; b++)
            for (int64_t f = 0; f < m; f++)
                work[a * k + b] +=
                    orthant_matrix_get(centres, f, a) * orthant_matrix_get(centres, f, b);
    invert(work, work + k * k, k);
    for (int64_t f = 0; f < m; f++)
        for (int64_t c = 0; c < k; c++)
            for (int64_t b = 0; b < k; b++)
                solver[f * k + c] += orthant_matrix_get(centres, f, b) * work[k * k + b * k + c];
    memory_free(ctx, work);
    return ORTHANT_OK;
}

static orthant_status find_centres(orthant_context *ctx, const orthant_matrix *features,
                                   int64_t segments, uint64_t seed, orthant_result **result)
{
    orthant_model *model = NULL;
    char rounds[16], seed_text[24];
    snprintf(rounds, sizeof rounds, "%d", KMEANS_ROUNDS);
    snprintf(seed_text, sizeof seed_text, "%llu", (unsigned long long)seed);
    orthant_status status = orthant_model_create(ctx, "kmeans", segments, &model);
    if (status == ORTHANT_OK)
        status = orthant_model_set(model, "iterations", rounds);
    if (status == ORTHANT_OK)
        status = orthant_model_set(model, "seed", seed_text);
    if (status == ORTHANT_OK)
        status = orthant_fit(model, features, result);
    orthant_model_free(model);
    return status;
}

orthant_status start_from_centres(orthant_context *ctx, const orthant_matrix *features,
                                  int64_t segments, uint64_t seed, orthant_matrix **start)
{
    orthant_result *centres = NULL;
    weighing w = {.features = features};
    double *solver = NULL;
    *start = NULL;
    orthant_status status = find_centres(ctx, features, segments, seed, &centres);
    if (status == ORTHANT_OK)
        status = matrix_new_dense(ctx, features->precision, features->rows, segments, start);
    if (status != ORTHANT_OK)
        goto done;
    w.start = *start;
    w.solver = solver =
        memory_new(ctx, features->columns * segments, sizeof *solver, "weights over centres");
    w.row =
        memory_new(ctx, parallel_threads(ctx) * features->columns, sizeof *w.row, "rows of nodes");
    status = solver && w.row ? make_solver(ctx, orthant_result_factor(centres, "basis"), solver)
                             : ORTHANT_ERROR_MEMORY;
    if (status != ORTHANT_OK)
        goto done;
    parallel_for(ctx, (features->rows + ROWS_OF_A_TASK - 1) / ROWS_OF_A_TASK, weigh_rows, &w);
    unit_columns(*start);
done:
    if (status != ORTHANT_OK) {
        orthant_matrix_free(*start);
        *start = NULL;
    }
    orthant_result_free(centres);
    memory_free(ctx, solver);
    memory_free(ctx, w.row);
    return status;
}
