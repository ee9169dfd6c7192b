/* The data and the limits that the benchmark measures beside. */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include "core/context.h"
#include "orthant/bench.h"
#include "orthant/graph.h"
#include "orthant/matrix.h"

/* Milliseconds, the best of `rounds`: every stored entry of X once, on all threads. A sparse entry
 * counts with its column and the row of `rank` numbers of a factor that it is multiplied with. */
orthant_status bench_read(orthant_context *ctx, const orthant_matrix *X, int64_t rank, int rounds,
                          double *ms);

/* How many products of each kind an update makes. */
typedef struct bench_products {
    int forth, back; /* X W and X'S */
    int tall;        /* n x k times k x k */
    int gram;        /* k x n times n x k */
} bench_products;

/* Milliseconds of these products of a dense X by the BLAS, on as many threads as the context has;
 * the best of `rounds`. */
orthant_status bench_blas(orthant_context *ctx, const orthant_matrix *X, int64_t rank,
                          bench_products count, int rounds, double *ms);

/* One iteration of grpnmf in plain loops and BLAS, the latter on as many threads as the context
 * has, in milliseconds. */
orthant_status bench_plain_graph(orthant_context *ctx, const orthant_matrix *X,
                                 const orthant_graph *graph, int64_t rank, double weight,
                                 int rounds, double *ms);

/* Data with the shape and the grain of real ones; fixed seeds, any number of threads. */
typedef struct bench_size {
    int64_t samples, features, stored; /* stored 0: dense */
    int64_t parts;                     /* that samples are mixed of */
} bench_size;

orthant_status bench_pictures(orthant_context *ctx, bench_size size, orthant_matrix **X);
orthant_status bench_text(orthant_context *ctx, bench_size size, orthant_matrix **X);
/* Points around `parts` centres; negative entries too. */
orthant_status bench_points(orthant_context *ctx, bench_size size, orthant_matrix **X);
/* Regions of a picture with a colour each, and which of them touch. */
orthant_status bench_regions(orthant_context *ctx, bench_size size, orthant_matrix **X,
                             orthant_graph **graph);

#endif
