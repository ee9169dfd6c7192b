/* X, and a factor's rows, as numbers of half precision: each is the sum of a high and a low part
 * times a power of two (split_pass.cuh). */
#ifndef CUDA_SPLIT_CUH
#define CUDA_SPLIT_CUH

#include <cuda_fp16.h>

#include "keyed.cuh"
#include "update.cuh"

#define TILE 64 /* samples, and features, of a tile */

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

/* Of two halves each. */
struct split_pair {
    uint32_t high, low;
};

__device__ inline split_pair split_halves(float x, float y)
{
    const __half2 high = __floats2half2_rn(x, y);
    const float2 back = __half22float2(high);
    const __half2 low = __floats2half2_rn(x - back.x, y - back.y);
    return {*(const uint32_t *)&high, *(const uint32_t *)&low};
}

/* The power of two that brings `most` just below 2^15, and its inverse. */
__device__ inline float2 power_for(float most)
{
    const uint32_t field = min(268u - (__float_as_uint(most) >> 23), 253u);
    return make_float2(__uint_as_float(field << 23), __uint_as_float((254 - field) << 23));
}

struct split_eight {
    uint4 high, low;
};

__device__ inline split_eight split_row(const float (&v)[8], const float (&power)[8])
{
    split_pair s[4];
#pragma unroll
    for (int i = 0; i < 4; i++)
        s[i] = split_halves(v[2 * i] * power[2 * i], v[2 * i + 1] * power[2 * i + 1]);
    return {make_uint4(s[0].high, s[1].high, s[2].high, s[3].high),
            make_uint4(s[0].low, s[1].low, s[2].low, s[3].low)};
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

#define SPLIT_THREADS 256 /* of make_tiles */
#define ROWS_THREADS 512  /* of refresh_rows */

/* The passes of a number of columns, and refresh_rows. */
struct split_kind {
    keyed_kind passes;
    const void *refresh;
    int refresh_bytes; /* of shared memory */
};

/* planes: 1, or 2 for single precision's accuracy. */
const split_kind *split_kinds(int planes, int *count);

#endif
