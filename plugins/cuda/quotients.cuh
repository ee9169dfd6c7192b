/* The passes of the Kullback-Leibler loss that are compiled (quotient_pass.cuh), and what goes in.
 */
#ifndef CUDA_QUOTIENTS_CUH
#define CUDA_QUOTIENTS_CUH

#include "keyed.cuh"
#include "update.cuh"

/* A tile of X: blocks of 2 x 2 numbers, 32 for each two samples, in an order by which neither those
 * of neighbouring samples nor those of neighbouring features meet in a bank of shared memory. */
#define QUOTIENT_TILE_BYTES (TILE * TILE * (int)sizeof(float))

__host__ __device__ constexpr int tile_order(int pair_of_samples)
{
    return (pair_of_samples & 1) << 2 | (pair_of_samples & 2);
}

/* TILE rows of a factor as keys, as in split.cuh; each row has one power of two, which stands
 * behind them. */
__host__ __device__ constexpr int quotient_key_bytes(int columns, int planes)
{
    return TILE * columns * 2 * planes + TILE * 4;
}

struct quotient_arguments {
    const float *X; /* tiles */
    int samples, features;
    const float *rows; /* their factor, rows of KP numbers */
    const char *keys;
    float *runs; /* sums of each run, `run_size` numbers apart */
    int64_t run_size;
    double *divergence; /* of each block of threads: sum of x log(x / y) */
    keyed_plan plan;
};

/* What refresh_quotients (quotient_rows.cuh) makes of a factor's rows: new ones, where `updates`,
 * keys, and shares of the sums of their columns. */
struct quotient_refresh {
    float *rows; /* count x KP */
    int64_t count;
    int rank;
    bool updates;
    run_list numerators;
    const double *denominators; /* of each column */
    double added;               /* to them */
    double exponent;
    extrapolation<float> on;
    char *keys;
    double *parts; /* of each block of threads, KP */
};

#define REFRESH_THREADS 256

/* The passes of a number of columns, and refresh_quotients. */
struct quotient_kind {
    keyed_kind passes;
    const void *refresh;
    int refresh_rows; /* of a block of threads at once */
};

/* planes: 1, or 2 for single precision's accuracy. */
const quotient_kind *quotient_kinds(int planes, int *count);

#endif
