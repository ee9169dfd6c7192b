/* X, and a factor's rows, as numbers of half precision: each is the sum of a high and a low part
 * times a power of two (split_pass.cuh). */
#ifndef CUDA_SPLIT_CUH
#define CUDA_SPLIT_CUH

#include "halves.cuh"
#include "keyed.cuh"
#include "update.cuh"

/* Numbers lie in blocks of 8 x 8 halves, 128 bytes: for each of their planes, the high parts and,
 * of two, the low ones, a block. A tile of X has 8 blocks of samples for each of its 8 blocks of
 * features; the tiles of 64 samples lie behind each other. What is no sample or feature is 0. */
__host__ __device__ inline int64_t tile_halves(int planes)
{
    return (int64_t)TILE * TILE * planes;
}

/* TILE rows of a factor as keys: for each 8 of them the blocks of a plane's columns, plane by
 * plane; then a float for each column, by which its products are multiplied. */
__host__ __device__ constexpr int key_bytes(int columns, int planes)
{
    return TILE * columns * 2 * planes + columns * 4;
}

struct split_arguments {
    const __half *X;   /* tiles */
    const float *back; /* of each sample: its numbers are those of its tiles times that */
    int samples, features;
    const char *keys;
    float *runs; /* sums of each run, `run_size` numbers apart */
    int64_t run_size;
    keyed_plan plan;
};

/* What refresh_rows (split_rows.cuh) makes of a factor's rows: new ones, where `updates`, keys, and
 * shares of their Gram matrix. */
struct refresh_arguments {
    float *rows; /* count x KP */
    int64_t count;
    bool updates;
    run_list numerators;
    const float *square; /* KP x KP: denominators are rows times that */
    float added;         /* to them */
    double exponent;
    extrapolation<float> on;
    const float *factor; /* of each row, of its keys; NULL: 1 */
    char *keys;
    float *grams; /* each block's share of rows' rows, KP x KP */
};


/* The passes of a number of columns, and refresh_rows. */
struct split_kind {
    keyed_kind passes;
    const void *refresh;
    int refresh_threads, refresh_bytes; /* of a block; of shared memory */
    int refresh_blocks;                 /* of a multiprocessor */
};

/* planes: 1, or 2 for single precision's accuracy. */
const split_kind *split_kinds(int planes, int *count);

#endif
