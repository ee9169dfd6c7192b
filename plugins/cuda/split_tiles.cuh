/* X becomes tiles of split numbers (split.cuh). */
#ifndef CUDA_SPLIT_TILES_CUH
#define CUDA_SPLIT_TILES_CUH

#include "split.cuh"

/* The powers of samples: `power` brings them to their tiles' numbers, `back` from there. A warp for
 * each. */
static __global__ void find_powers(float *power, float *back, const float *X, int64_t stride,
                                   int64_t samples, int features)
{
    const int64_t row = blockIdx.x * (int64_t)blockDim.y + threadIdx.y;
    float most = 0;
    if (row >= samples)
        return;
    for (int i = threadIdx.x; i < features; i += 32)
        most = fmaxf(most, X[row * stride + i]);
    for (int width = 16; width > 0; width /= 2)
        most = fmaxf(most, __shfl_xor_sync(0xffffffffu, most, width));
    if (threadIdx.x == 0) {
        const float2 found = power_for(most);
        power[row] = found.x;
        back[row] = found.y;
    }
}

/* A block for each tile. */
template <int PLANES>
__global__ void __launch_bounds__(TILE_THREADS)
    make_split_tiles(uint4 *tiles, const float *power, const float *X, int64_t stride,
                     int64_t samples, int features)
{
    const int feature_tiles = (features + TILE - 1) / TILE;
    const int64_t first_row = blockIdx.x / feature_tiles * (int64_t)TILE;
    const int first = blockIdx.x % feature_tiles * TILE;
    uint4 *to = tiles + blockIdx.x * (tile_halves(PLANES) / 8);
    for (int i = threadIdx.x; i < TILE * TILE / 8; i += TILE_THREADS) {
        const int feature = first + i % 8 * 8, r = i / 8;
        const int64_t row = first_row + r;
        float v[8], powers[8];
        const float own = row < samples ? power[row] : 0;
#pragma unroll
        for (int e = 0; e < 8; e++) {
            v[e] = row < samples && feature + e < features ? X[row * stride + feature + e] : 0;
            powers[e] = own;
        }
        const split_eight s = split_row(v, powers);
        uint4 *at = to + (i % 8 * 8 + r / 8) * 8 * PLANES + r % 8;
        at[0] = s.high;
        if (PLANES == 2)
            at[8] = s.low;
    }
}

#endif
