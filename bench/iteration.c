/* One iteration of the factor model on standard shapes, beside two limits measured in the same run:
 * one read of X, and the two bare BLAS products X W and X'S that every other implementation makes.
 * Random data; single precision; all threads. */
#include <cblas.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/context.h"
#include "core/random.h"
#include "data/matrix.h"
#include "orthant/orthant.h"

#define ROUNDS 5

typedef struct shape {
    const char *name;
    int64_t samples, features, rank;
    double density; /* 1: dense */
    const char *iterations;
} shape;

static const shape shapes[] = {
    {"faces", 400, 1024, 40, 1, "100"},       {"digits", 10000, 784, 10, 1, "20"},
    {"digits", 10000, 784, 50, 1, "10"},      {"digits", 70000, 784, 10, 1, "5"},
    {"text", 8293, 18933, 30, 0.00248, "10"},
};

static orthant_matrix *make_data(orthant_context *ctx, const shape *s)
{
    orthant_matrix *X = NULL;
    const bool sparse = s->density < 1;
    const int64_t stored = (int64_t)(s->density * (double)s->features);
    const int64_t count = s->samples * (sparse ? stored : s->features);
    if (sparse ? matrix_new_sparse(ctx, ORTHANT_SINGLE, s->samples, s->features, count, &X)
               : matrix_new_dense(ctx, ORTHANT_SINGLE, s->samples, s->features, &X))
        return NULL;
    for (int64_t e = 0; e < count; e++) {
        matrix_set_value(X, e, random_uniform(1, RANDOM_TEST, (uint64_t)e, 0));
        if (sparse) {
            /* columns of a row rise: one in each of `stored` equal pieces */
            const int64_t piece = e % stored, width = s->features / stored;
            X->column[e] =
                (int32_t)(piece * width +
                          (int64_t)random_below(1, RANDOM_TEST, (uint64_t)e, 1, (uint64_t)width));
        }
    }
    for (int64_t i = 0; sparse && i <= s->samples; i++)
        X->row_start[i] = i * stored;
    return X;
}

/* Milliseconds an iteration, the best of some rounds. */
static double time_fit(orthant_context *ctx, const orthant_matrix *X, const shape *s,
                       const char *method)
{
    double best = 1e300;
    for (int round = 0; round < ROUNDS; round++) {
        orthant_model *model = NULL;
        orthant_result *result = NULL;
        if (orthant_model_create(ctx, method, s->rank, &model) ||
            orthant_model_set(model, "iterations", s->iterations) ||
            orthant_model_set(model, "tolerance", "0") || orthant_fit(model, X, &result)) {
            fprintf(stderr, "%s\n", orthant_message(ctx));
            exit(1);
        }
        const double each =
            1e3 * orthant_result_seconds(result) / (double)orthant_result_iterations(result);
        best = each < best ? each : best;
        orthant_result_free(result);
        orthant_model_free(model);
    }
    return best;
}

static double time_read(const orthant_matrix *X)
{
    const float *values = X->values;
    const int64_t count = X->rows * X->columns;
    double best = 1e300;
    for (int round = 0; round < ROUNDS; round++) {
        float sums[16] = {0};
        const double begin = clock_seconds();
        for (int64_t e = 0; e + 16 <= count; e += 16)
            for (int j = 0; j < 16; j++)
                sums[j] += values[e + j];
        const double each = 1e3 * (clock_seconds() - begin) + (sums[0] < 0 ? 1 : 0);
        best = each < best ? each : best;
    }
    return best;
}

static double time_blas(const orthant_matrix *X, const shape *s)
{
    const int n = (int)s->samples, m = (int)s->features, k = (int)s->rank;
    float *W = calloc((size_t)(m * k), sizeof *W), *S = calloc((size_t)(n * k), sizeof *S);
    double best = 1e300;
    for (int round = 0; round < ROUNDS && W && S; round++) {
        const double begin = clock_seconds();
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, k, m, 1, X->values, m, W, k, 0, S,
                    k);
        cblas_sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, m, k, n, 1, X->values, m, S, k, 0, W,
                    k);
        const double each = 1e3 * (clock_seconds() - begin);
        best = each < best ? each : best;
    }
    free(W);
    free(S);
    return best;
}

int main(void)
{
    orthant_context *ctx = NULL;
    if (orthant_context_create(&ctx))
        return 1;
    printf("kernels %s, %d threads; BLAS: %s\n", orthant_cpu_kernels(),
           orthant_context_threads(ctx), orthant_blas_description());
    printf("milliseconds an iteration (best of %d)\n\n", ROUNDS);
    printf("%-8s %7s %7s %5s %9s %9s %10s %9s %8s\n", "shape", "n", "m", "k", "nmf", "nmf-kl",
           "1 thread", "2 BLAS", "1 read");
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        const shape *s = &shapes[i];
        orthant_matrix *X = make_data(ctx, s);
        if (!X) {
            fprintf(stderr, "%s\n", orthant_message(ctx));
            return 1;
        }
        const double nmf = time_fit(ctx, X, s, "nmf"), kl = time_fit(ctx, X, s, "nmf-kl");
        orthant_context_set_threads(ctx, 1);
        const double alone = time_fit(ctx, X, s, "nmf");
        orthant_context_set_threads(ctx, 0);
        printf("%-8s %7d %7d %5d %9.3f %9.3f %10.3f", s->name, (int)s->samples, (int)s->features,
               (int)s->rank, nmf, kl, alone);
        if (X->sparse)
            printf(" %9s %8s\n", "-", "-");
        else
            printf(" %9.3f %8.3f\n", time_blas(X, s), time_read(X));
        orthant_matrix_free(X);
    }
    orthant_context_free(ctx);
    return 0;
}
