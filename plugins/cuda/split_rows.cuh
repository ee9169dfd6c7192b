/* New rows of a factor, the keys that they become (split.cuh), and their Gram matrix. */
#ifndef CUDA_SPLIT_ROWS_CUH
#define CUDA_SPLIT_ROWS_CUH

#include "split_pass.cuh"

#define ROWS_WARPS (ROWS_THREADS / 32)
#define ROWS_EACH (TILE / ROWS_WARPS) /* of a warp: every ROWS_WARPS-th of a tile */

/* WIDE: columns of a thread, 32 apart. Of a Gram matrix a thread has 4 x EACH numbers, and SPLITS
 * groups of threads have some of the rows each. */
template <int KP> struct rows_shape {
    static constexpr int LD = KP + 4, WIDE = (KP + 31) / 32;
    static constexpr int EACH = KP > 64 ? 8 : 4, SIDE = KP / EACH, GROUP = KP / 4 * SIDE,
                         SPLITS = ROWS_THREADS / GROUP;
    static constexpr int BYTES = (TILE * LD + KP * KP + TILE + KP) * (int)sizeof(float);
};

/* A thread's numbers of a tile's rows. */
template <int KP> struct row_numbers {
    float at[ROWS_EACH][rows_shape<KP>::WIDE];
};

/* work(number, row among the tile's, column) for each. */
template <int KP, typename WORK> __device__ inline void each_number(row_numbers<KP> &v, WORK work)
{
#pragma unroll
    for (int i = 0; i < ROWS_EACH; i++)
#pragma unroll
        for (int j = 0; j < rows_shape<KP>::WIDE; j++) {
            const int column = threadIdx.x % 32 + 32 * j;
            if (column < KP)
                work(v.at[i][j], (int)threadIdx.x / 32 + i * ROWS_WARPS, column);
        }
}

template <int KP>
__device__ inline void fetch(row_numbers<KP> &v, const float *from, int64_t first, int64_t count)
{
    each_number<KP>(v, [&](float &x, int row, int column) {
        x = first + row < count ? from[(first + row) * KP + column] : 0;
    });
}

/* D = rows square */
template <int KP>
__device__ inline void make_denominators(row_numbers<KP> &D, const float *rows, const float *square)
{
    constexpr int WIDE = rows_shape<KP>::WIDE, LD = rows_shape<KP>::LD;
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
#pragma unroll 2
    for (int l = 0; l < KP; l += 4) {
        float s[4][WIDE];
#pragma unroll
        for (int e = 0; e < 4; e++)
#pragma unroll
            for (int j = 0; j < WIDE; j++)
                s[e][j] = square[(l + e) * KP + (lane + 32 * j < KP ? lane + 32 * j : 0)];
#pragma unroll
        for (int i = 0; i < ROWS_EACH; i++) {
            const float4 v = *(const float4 *)(rows + (warp + i * ROWS_WARPS) * LD + l);
#pragma unroll
            for (int j = 0; j < WIDE; j++)
                D.at[i][j] =
                    fmaf(v.w, s[3][j],
                         fmaf(v.z, s[2][j], fmaf(v.y, s[1][j], fmaf(v.x, s[0][j], D.at[i][j]))));
        }
    }
}

/* The tile's rows, each times its factor, as keys. `powers`: KP numbers. */
template <int KP, int PLANES>
__device__ inline void pack_tile(char *keys, const float *rows, const float *factors, float *powers)
{
    constexpr int LD = rows_shape<KP>::LD;
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (int column = warp; column < KP; column += ROWS_WARPS) {
        float most = fmaxf(rows[lane * LD + column] * factors[lane],
                           rows[(lane + 32) * LD + column] * factors[lane + 32]);
#pragma unroll
        for (int width = 16; width > 0; width /= 2)
            most = fmaxf(most, __shfl_xor_sync(0xffffffffu, most, width));
        if (lane == 0) {
            const float2 found = power_for(most);
            powers[column] = found.x;
            ((float *)(keys + TILE * KP * 2 * PLANES))[column] = found.y;
        }
    }
    __syncthreads();
    for (int i = threadIdx.x; i < TILE * KP / 8; i += ROWS_THREADS) {
        const int r = i / KP * 8 + i % 8, column = i % KP / 8 * 8;
        const float factor = factors[r];
        const float4 a = *(const float4 *)(rows + r * LD + column),
                     b = *(const float4 *)(rows + r * LD + column + 4);
        const float v[8] = {a.x * factor, a.y * factor, a.z * factor, a.w * factor,
                            b.x * factor, b.y * factor, b.z * factor, b.w * factor};
        float power[8];
#pragma unroll
        for (int e = 0; e < 8; e++)
            power[e] = powers[column + e];
        const split_eight s = split_row(v, power);
        uint4 *to = (uint4 *)keys + r / 8 * (KP * PLANES) + column + r % 8;
        to[0] = s.high;
        if (PLANES == 2)
            to[KP] = s.low;
    }
}

template <int KP> struct gram_share {
    using shape = rows_shape<KP>;
    static constexpr int EACH = shape::EACH, SPLITS = shape::SPLITS;
    const int part = threadIdx.x / shape::GROUP, a = threadIdx.x % shape::GROUP / shape::SIDE * 4,
              b = threadIdx.x % shape::SIDE * EACH;
    float sums[4][EACH] = {};

    __device__ void add(const float *rows)
    {
        if (part >= SPLITS)
            return;
#pragma unroll 2
        for (int r = part; r < TILE; r += SPLITS) {
            const float *row = rows + r * shape::LD;
            const float4 v = *(const float4 *)(row + a);
            const float left[4] = {v.x, v.y, v.z, v.w};
            float right[EACH];
#pragma unroll
            for (int e = 0; e < EACH; e += 4)
                *(float4 *)(right + e) = *(const float4 *)(row + b + e);
#pragma unroll
            for (int e = 0; e < 4; e++)
#pragma unroll
                for (int f = 0; f < EACH; f++)
                    sums[e][f] += left[e] * right[f];
        }
    }

    /* to = the sum of all parts, in their order. */
    __device__ void finish(float *to, float *scratch)
    {
        for (int turn = 0; turn < SPLITS; turn++) {
            __syncthreads();
            if (part != turn)
                continue;
#pragma unroll
            for (int e = 0; e < 4; e++)
#pragma unroll
                for (int f = 0; f < EACH; f++) {
                    const int at = (a + e) * KP + b + f;
                    const float before = turn > 0 ? scratch[at] : 0;
                    (turn + 1 < SPLITS ? scratch : to)[at] = before + sums[e][f];
                }
        }
    }
};

/* While one tile is worked on, the numbers of the next one are fetched. */
template <int KP, int PLANES>
__global__ void __launch_bounds__(ROWS_THREADS, 1) refresh_rows(const refresh_arguments p)
{
    constexpr int LD = rows_shape<KP>::LD;
    extern __shared__ __align__(16) float shared[];
    float *rows = shared, *square = rows + TILE * LD, *factors = square + KP * KP,
          *powers = factors + TILE;
    const run_list &from = p.numerators;
    const int64_t step = gridDim.x * (int64_t)TILE;
    gram_share<KP> gram;
    row_numbers<KP> next, next_N;
    const auto factor_at = [&](int64_t first) {
        const int64_t row = first + threadIdx.x;
        return p.factor && threadIdx.x < TILE && row < p.count ? p.factor[row] : 1;
    };
    const auto runs_at = [&](int64_t first) {
        return from.counts && first < p.count ? from.counts[(int)first / from.rows] : 1;
    };
    float next_factor = factor_at(blockIdx.x * (int64_t)TILE);
    int next_runs = runs_at(blockIdx.x * (int64_t)TILE);
    fetch<KP>(next, p.rows, blockIdx.x * (int64_t)TILE, p.count);
    if (p.updates) {
        fetch<KP>(next_N, from.runs, blockIdx.x * (int64_t)TILE, p.count);
        for (int i = threadIdx.x; i < KP * KP; i += ROWS_THREADS)
            square[i] = p.square[i];
    }
    for (int64_t first = blockIdx.x * (int64_t)TILE; first < p.count; first += step) {
        row_numbers<KP> N = next_N, D = {};
        __syncthreads();
        each_number<KP>(next, [&](float &x, int row, int column) { rows[row * LD + column] = x; });
        if (threadIdx.x < TILE)
            factors[threadIdx.x] = next_factor;
        const int runs = next_runs;
        __syncthreads();
        fetch<KP>(next, p.rows, first + step, p.count);
        next_factor = factor_at(first + step);
        next_runs = runs_at(first + step);
        if (p.updates) {
            fetch<KP>(next_N, from.runs, first + step, p.count);
            row_numbers<KP> more;
            if (runs > 1)
                fetch<KP>(more, from.runs + from.run_size, first, p.count);
            make_denominators<KP>(D, rows, square);
            for (int run = 1; run < runs; run++) {
                if (run > 1)
                    fetch<KP>(more, from.runs + run * from.run_size, first, p.count);
#pragma unroll
                for (int i = 0; i < ROWS_EACH; i++)
#pragma unroll
                    for (int j = 0; j < rows_shape<KP>::WIDE; j++)
                        N.at[i][j] += more.at[i][j];
            }
            __syncthreads();
#pragma unroll
            for (int i = 0; i < ROWS_EACH; i++)
#pragma unroll
                for (int j = 0; j < rows_shape<KP>::WIDE; j++) {
                    const int row = threadIdx.x / 32 + i * ROWS_WARPS,
                              column = threadIdx.x % 32 + 32 * j;
                    const int64_t at = (first + row) * KP + column;
                    float *own = rows + row * LD + column;
                    if (first + row < p.count && column < KP)
                        p.rows[at] = *own =
                            p.on(updated(*own, N.at[i][j], D.at[i][j] + p.added, p.exponent), at);
                }
            __syncthreads();
        }
        pack_tile<KP, PLANES>(p.keys + first / TILE * key_bytes(KP, PLANES), rows, factors, powers);
        gram.add(rows);
    }
    gram.finish(p.grams + (int64_t)blockIdx.x * KP * KP, square);
}

template <int KP, int GROUPS, int STAGES, int PLANES> split_kind make_split_kind()
{
    return {make_kind<KP, GROUPS, STAGES, PLANES>(), (const void *)refresh_rows<KP, PLANES>,
            rows_shape<KP>::BYTES};
}

#endif
