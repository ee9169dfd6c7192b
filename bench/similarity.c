/* One iteration of the methods on a dense similarity, 1,440 x 1,440 with 20 clusters as COIL20 has,
 * beside BLAS in the same run: one product K A, and all products of the same update (for rmnd with
 * two trials of the step for each of its four steps) without anything between them. Single
 * precision; all threads. */
#include <cblas.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/context.h"
#include "core/random.h"
#include "data/matrix.h"
#include "engine/fit.h"
#include "orthant/orthant.h"

enum { SAMPLES = 1440, FEATURES = 64, RANK = 20, ROUNDS = 5 };

static orthant_matrix *make_similarity(orthant_context *ctx)
{
    orthant_matrix *X = NULL, *K = NULL;
    if (matrix_new_dense(ctx, ORTHANT_SINGLE, SAMPLES, FEATURES, &X))
        return NULL;
    for (int64_t e = 0; e < SAMPLES * FEATURES; e++) {
        const uint64_t cluster = (uint64_t)(e / FEATURES % RANK),
                       feature = (uint64_t)(e % FEATURES);
        matrix_set_value(X, e,
                         random_uniform(1, RANDOM_TEST, cluster, feature) +
                             0.5 * random_normal(2, RANDOM_TEST, (uint64_t)e, 0));
    }
    if (orthant_similarity_gaussian(ctx, X, 0, 1, &K))
        K = NULL;
    orthant_matrix_free(X);
    return K;
}

/* Milliseconds an iteration, the best of some rounds; products with K an iteration. */
static double time_fit(orthant_context *ctx, const orthant_matrix *K, const char *method,
                       double *products)
{
    double best = 1e300;
    for (int round = 0; round < ROUNDS; round++) {
        orthant_model *model = NULL;
        orthant_result *result = NULL;
        if (orthant_model_create(ctx, method, RANK, &model) ||
            orthant_model_set(model, "iterations", "50") ||
            orthant_model_set(model, "tolerance", "0") || orthant_model_set_similarity(model, K) ||
            orthant_fit(model, K, &result)) {
            fprintf(stderr, "%s\n", orthant_message(ctx));
            exit(1);
        }
        const double each = 1e3 * orthant_result_seconds(result) / 50;
        best = each < best ? each : best;
        *products = (double)result->products / 50;
        orthant_result_free(result);
        orthant_model_free(model);
    }
    return best;
}

/* How many products of each shape an update has. */
typedef struct shape_counts {
    const char *method;
    int similarity; /* n x n times n x k */
    int tall;       /* n x k times k x k */
    int gram;       /* k x n times n x k */
} shape_counts;

static double time_blas(const float *K, shape_counts c)
{
    float *A = calloc(SAMPLES * RANK, sizeof *A), *B = calloc(SAMPLES * RANK, sizeof *B);
    float *G = calloc(RANK * RANK, sizeof *G);
    double best = 1e300;
    for (int i = 0; A && i < SAMPLES * RANK; i++)
        A[i] = (float)random_uniform(3, RANDOM_TEST, (uint64_t)i, 0);
    for (int round = 0; A && B && G && round < 4 * ROUNDS; round++) {
        const double begin = clock_seconds();
        for (int i = 0; i < c.similarity; i++)
            cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, SAMPLES, RANK, SAMPLES, 1, K,
                        SAMPLES, A, RANK, 0, B, RANK);
        for (int i = 0; i < c.gram; i++)
            cblas_sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, RANK, RANK, SAMPLES, 1, A, RANK, A,
                        RANK, 0, G, RANK);
        for (int i = 0; i < c.tall; i++)
            cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, SAMPLES, RANK, RANK, 1, A, RANK,
                        G, RANK, 0, B, RANK);
        const double each = 1e3 * (clock_seconds() - begin);
        best = each < best ? each : best;
    }
    free(A);
    free(B);
    free(G);
    return best;
}

int main(void)
{
    static const shape_counts counts[] = {
        {"snmf", 1, 1, 1},   /* K A; A G; A'A */
        {"wnmf", 1, 2, 2},   /* K A; K A S, A S G S; A'A, A'K A */
        {"rmnd", 2, 16, 29}, /* K A, K E; E and M two each, the gradient three; trials three each */
    };
    orthant_context *ctx = NULL;
    if (orthant_context_create(&ctx))
        return 1;
    orthant_matrix *K = make_similarity(ctx);
    if (!K) {
        fprintf(stderr, "%s\n", orthant_message(ctx));
        return 1;
    }
    printf("one product K A by BLAS: %.3f ms\n", time_blas(K->values, (shape_counts){"", 1, 0, 0}));
    printf("%-6s %12s %22s %26s\n", "", "ms/iteration", "products K A/iteration",
           "all its products by BLAS");
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        double products = 0;
        const double ours = time_fit(ctx, K, counts[i].method, &products);
        printf("%-6s %12.3f %22.2f %23.3f ms\n", counts[i].method, ours, products,
               time_blas(K->values, counts[i]));
    }
    orthant_matrix_free(K);
    orthant_context_free(ctx);
    return 0;
}
