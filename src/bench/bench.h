/* Speed on standard shapes, beside the limits of the machine measured in the same run: the peak of
 * multiply-adds that never leave the registers, one read of X, and the bare products of an update
 * by the BLAS. */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include "core/context.h"
#include "orthant/graph.h"
#include "orthant/matrix.h"

typedef struct bench_options {
    bool quick;       /* fewer digits and rounds, no large similarity */
    const char *data; /* a folder with the research sets; NULL: all data are generated */
} bench_options;

/* One method with one solver on one shape. */
typedef struct bench_row {
    const char *shape;
    bool generated;
    int64_t samples, features, stored, rank; /* stored: entries of X that are kept in memory */
    double read_ms;                          /* one read of X */
    double blas_ms;              /* the products of one update by the BLAS; NaN where X is sparse */
    const char *method, *solver; /* solver "": the method has one alone */
    double ms, alone_ms;         /* per iteration: on all threads, and on one */
    double flops;                /* of its products with X */
    double quality;              /* the objective that the first solver ends with ... */
    int64_t quality_iterations;  /* ... after so many iterations */
    double quality_s;            /* seconds to that objective; NaN where it was not reached */
} bench_row;

/* Called with each row as soon as it is measured. */
typedef void (*bench_listener)(void *user, const bench_row *row);

/* ORTHANT_STOPPED where the progress callback asks for it. */
orthant_status bench_run(orthant_context *ctx, const bench_options *options,
                         bench_listener listener, void *user);

/* GFLOP/s of multiply-adds in single precision that never leave the registers, all threads; the
 * best of `rounds`. */
double bench_peak(orthant_context *ctx, int rounds);

/* ---- within the benchmark ---- */

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
