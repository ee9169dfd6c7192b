/* New rows of a factor by the Kullback-Leibler loss, the keys that they become (quotients.cuh), and
 * the sums of their columns. */
#ifndef CUDA_QUOTIENT_ROWS_CUH
#define CUDA_QUOTIENT_ROWS_CUH

#include "quotient_pass.cuh"

/* A thread has 8 columns, and neighbours the rest of a row. */
template <int KP> struct refresh_shape {
    static constexpr int LANES = KP / 8, ROWS = REFRESH_THREADS / LANES;
};

__device__ inline void load_eight(float (&v)[8], const float *from)
{
    *(float4 *)v = *(const float4 *)from;
    *(float4 *)(v + 4) = *(const float4 *)(from + 4);
}

__device__ inline void store_eight(float *to, const float (&v)[8])
{
    *(float4 *)to = *(const float4 *)v;
    *(float4 *)(to + 4) = *(const float4 *)(v + 4);
}

/* The numerators of a row's eight columns at `at`. */
__device__ inline void sum_eight(float (&N)[8], const run_list &from, int64_t row, int64_t at)
{
    const int count = from.counts ? from.counts[(int)row / from.rows] : 1;
    load_eight(N, from.runs + at);
    for (int run = 1; run < count; run++) {
        float more[8];
        load_eight(more, from.runs + run * from.run_size + at);
#pragma unroll
        for (int e = 0; e < 8; e++)
            N[e] += more[e];
    }
}

/* A row's eight columns, by the threads that have it, as a row of keys. */
template <int KP, int PLANES>
__device__ inline void write_key(char *keys, int64_t row, int column, const float (&v)[8])
{
    char *tile = keys + row / TILE * quotient_key_bytes(KP, PLANES);
    const int r = (int)(row % TILE);
    float most = 0, powers[8];
#pragma unroll
    for (int e = 0; e < 8; e++)
        most = fmaxf(most, v[e]);
#pragma unroll
    for (int width = refresh_shape<KP>::LANES / 2; width > 0; width /= 2)
        most = fmaxf(most, __shfl_xor_sync(0xffffffffu, most, width));
    const float power = power_for(most).x;
#pragma unroll
    for (int e = 0; e < 8; e++)
        powers[e] = power;
    const split_eight s = split_row(v, powers);
    uint4 *to = (uint4 *)tile + r / 8 * (KP * PLANES) + column + r % 8;
    to[0] = s.high;
    if (PLANES == 2)
        to[KP] = s.low;
    if (column == 0)
        ((float *)(tile + TILE * KP * 2 * PLANES))[r] = power;
}

template <int KP, int PLANES>
__global__ void __launch_bounds__(REFRESH_THREADS) refresh_quotients(const quotient_refresh p)
{
    using shape = refresh_shape<KP>;
    __shared__ double sums[shape::ROWS][KP];
    const int column = threadIdx.x % shape::LANES * 8, own = threadIdx.x / shape::LANES;
    double totals[8] = {};
    float D[8] = {};
    follow_launch();
    for (int e = 0; e < 8 && p.updates; e++)
        D[e] = (float)(p.denominators[column + e] + p.added);
    /* Keys come in whole tiles; those behind the rows are 0. */
    for (int64_t row = blockIdx.x * (int64_t)shape::ROWS + own;
         row < (p.count + TILE - 1) / TILE * TILE; row += gridDim.x * (int64_t)shape::ROWS) {
        const int64_t at = row * KP + column;
        float v[8] = {};
        if (row < p.count) {
            load_eight(v, p.rows + at);
            if (p.updates) {
                float N[8];
                sum_eight(N, p.numerators, row, at);
#pragma unroll
                for (int e = 0; e < 8; e++)
                    v[e] = column + e < p.rank ? p.on(updated(v[e], N[e], D[e], p.exponent), at + e)
                                               : 0;
                store_eight(p.rows + at, v);
            }
        }
        write_key<KP, PLANES>(p.keys, row, column, v);
#pragma unroll
        for (int e = 0; e < 8; e++)
            totals[e] += (double)v[e];
    }
#pragma unroll
    for (int e = 0; e < 8; e++)
        sums[own][column + e] = totals[e];
    __syncthreads();
    if (threadIdx.x >= KP)
        return;
    double total = 0;
    for (int i = 0; i < shape::ROWS; i++)
        total += sums[i][threadIdx.x];
    p.parts[blockIdx.x * KP + threadIdx.x] = total;
}

template <int KP, int GROUPS, int STAGES, int PLANES> quotient_kind make_quotient_kind()
{
    return {{KP, make_quotient_side<KP, GROUPS, STAGES, false, PLANES>(),
             make_quotient_side<KP, GROUPS, STAGES, true, PLANES>()},
            (const void *)refresh_quotients<KP, PLANES>,
            refresh_shape<KP>::ROWS};
}

#endif
