/* Exact neighbours beside the bare product X X' by the BLAS, a slab of rows at a time, in one run:
 * generated samples of 784 features in classes that lie apart, k = 5.
 *
 *   neighbours [SAMPLES]      20,000 unless told; the aim of this project is set at 70,000 */
#include <cblas.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "core/context.h"
#include "core/parallel.h"
#include "core/random.h"
#include "data/matrix.h"
#include "orthant/orthant.h"

extern void openblas_set_num_threads(int threads);

enum { SAMPLES = 20000, FEATURES = 784, CLASSES = 10, NEIGHBOURS = 5, SLAB = 1000 };

typedef struct times {
    double wall, cpu;
} times;

static times now(void)
{
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    return (times){clock_seconds(),
                   (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
                       1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec)};
}

static times since(times begun)
{
    const times t = now();
    return (times){t.wall - begun.wall, t.cpu - begun.cpu};
}

static void fill(orthant_matrix *X)
{
    for (int64_t i = 0; i < X->rows; i++)
        for (int64_t l = 0; l < X->columns; l++) {
            const double centre =
                random_uniform(1, RANDOM_TEST, (uint64_t)(i % CLASSES), (uint64_t)l);
            const double noise = random_uniform(2, RANDOM_TEST, (uint64_t)i, (uint64_t)l);
            matrix_set_value(X, i * X->stride + l, centre > 0.5 ? 0.5 * centre + 0.5 * noise : 0);
        }
}

static times bare_product(const orthant_matrix *X, float *slab)
{
    const times begun = now();
    for (int64_t i = 0; i < X->rows; i += SLAB) {
        const int64_t rows = X->rows - i < SLAB ? X->rows - i : SLAB;
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)rows, (int)X->rows,
                    (int)X->columns, 1, (float *)X->values + i * X->stride, (int)X->stride,
                    X->values, (int)X->stride, 0, slab, (int)X->rows);
    }
    return since(begun);
}

int main(int count, char **words)
{
    const int64_t samples = count > 1 ? atoll(words[1]) : SAMPLES;
    orthant_context *ctx = NULL;
    orthant_matrix *X = NULL;
    orthant_graph *graph = NULL;
    float *slab = samples > 0 ? malloc((size_t)(SLAB * samples) * sizeof *slab) : NULL;
    if (!slab || orthant_context_create(&ctx) ||
        matrix_new_dense(ctx, ORTHANT_SINGLE, samples, FEATURES, &X)) {
        fprintf(stderr, "%s\n", ctx ? orthant_message(ctx) : "no memory");
        return 1;
    }
    fill(X);
    openblas_set_num_threads(parallel_threads(ctx));
    orthant_graph_options options = ORTHANT_GRAPH_DEFAULTS;
    options.neighbours = NEIGHBOURS;
    options.search = ORTHANT_SEARCH_EXACT;
    const times begun = now();
    if (orthant_graph_build(ctx, X, &options, &graph)) {
        fprintf(stderr, "%s\n", orthant_message(ctx));
        return 1;
    }
    const times found = since(begun), product = bare_product(X, slab);
    printf("%lld x %d, %d neighbours of each\n\n"
           "neighbours       %8.2f s %8.2f s of CPU\n"
           "bare product     %8.2f s %8.2f s of CPU\n"
           "ratio            %8.2f   %8.2f\n",
           (long long)samples, FEATURES, NEIGHBOURS, found.wall, found.cpu, product.wall,
           product.cpu, found.wall / product.wall, found.cpu / product.cpu);
    orthant_graph_free(graph);
    orthant_matrix_free(X);
    orthant_context_free(ctx);
    free(slab);
    return 0;
}
