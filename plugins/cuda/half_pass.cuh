/* One pass over a dense X of single precision as frobenius_pass.cuh makes it, for more parts, by
 * products of half precision: twice as many per cycle as TF32, with the same eleven bits.
 *
 * Each number times a power of two is the sum of two of half precision, x 2^e = high + low, and
 * high*high + high*low + low*high is summed in single precision. The power is such that the largest
 * number of a group, 16 samples of X, a column of W (of a block's features) or of 16 samples of S,
 * is just below 2^15: a number keeps 22 bits if it is above 2^-17 of the largest of its group, and
 * smaller ones are rounded to multiples of 2^-39 of it.
 *
 * A cluster of C blocks works on a tile of 16 C samples; each block has a panel of features: their
 * rows of W in shared memory, and in registers their rows of the sums A.
 *
 *     X of the tile     from memory by the copy engine, then split where it lies: 8 high parts and
 *                       their 8 low parts take the place of 8 numbers
 *     N = X W           of 16 samples and some features by each warp
 *     S' = S .* N ./ (S G)   of 16 samples by each block, which adds up their N from all warps of
 *                       the cluster and gives S', split, to all blocks
 *     A += X' S'        of some features and all samples by each warp
 *
 * While one tile is worked on, the next one is on its way. Every sum has one order. */
#ifndef CUDA_HALF_PASS_CUH
#define CUDA_HALF_PASS_CUH

#include <cooperative_groups.h>
#include <cuda_fp16.h>

#include "copies.cuh"
#include "passes.cuh"
#include "tensor.cuh"
#include "update.cuh"

#define HALF_WARPS 8
#define HALF_STAGES 2
#define HALF_ROWS 16 /* samples of a group */

/* KP: columns of the factors; C: blocks of a cluster; TM: most tiles of 16 features of a warp. */
template <int KP_, int C_, int TM_> struct half_shape {
    static constexpr int KP = KP_, C = C_, TM = TM_;
    static constexpr int NT = KP / 8, MT = (KP + 15) / 16, R = HALF_ROWS * C,
                         KG = HALF_WARPS / C;         /* groups of features among the warps */
    static constexpr int MOST = 16 * TM * HALF_WARPS; /* features of a block */
    static_assert(NT <= HALF_WARPS && HALF_WARPS % C == 0 && R % 32 == 0, "warps without work");

    __host__ __device__ static constexpr int stride(int panel)
    {
        return panel + 4; /* an odd number of 16 bytes, modulo 128: no two lanes meet in a bank */
    }
    static constexpr int bytes(int panel)
    {
        return HALF_STAGES * (R * stride(panel) * 4 + C * 8 + 8) + panel * KP * 4 +
               HALF_WARPS * NT * 32 * 16 + C * NT * 32 * 16 + (C + 1) * KP * 4 + 8;
    }
};

/* c += a b, a 16 x 16 and b 16 x 8. With g = lane / 4 and t = lane % 4 a lane holds, two
 * neighbouring inner indices in a register,
 *
 *     a: (g, 2t), (g + 8, 2t), (g, 2t + 8), (g + 8, 2t + 8)
 *     b: (2t, g), (2t + 8, g)
 *     c: as in tensor.cuh */
__device__ inline void multiply_halves(float c[4], const uint32_t a[4], uint32_t b0, uint32_t b1)
{
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, "
        "{%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

/* Sums of COUNT tiles side by side, so that none waits for its last product; of each right side the
 * high parts are in x and y, the low parts in z and w. The small products first. */
template <int COUNT>
__device__ inline void multiply_halves(float (*c)[4], const uint32_t high[4], const uint32_t low[4],
                                       const uint4 *b)
{
#pragma unroll
    for (int j = 0; j < COUNT; j++)
        multiply_halves(c[j], low, b[j].x, b[j].y);
#pragma unroll
    for (int j = 0; j < COUNT; j++)
        multiply_halves(c[j], high, b[j].z, b[j].w);
#pragma unroll
    for (int j = 0; j < COUNT; j++)
        multiply_halves(c[j], high, b[j].x, b[j].y);
}

/* Four matrices of 8 x 8 halves; a lane gives the address of a row. */
__device__ inline void load_halves(uint32_t r[4], const void *row)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(shared_address(row)));
}

__device__ inline void load_transposed(uint32_t r[4], const void *row)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(shared_address(row)));
}

/* What (row g, columns 2t and 2t + 1) was is (rows 2t and 2t + 1, column g). */
__device__ inline uint32_t transposed(uint32_t v)
{
    uint32_t r;
    asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(r) : "r"(v));
    return r;
}

/* The power of two that brings `most` just below 2^15, and its inverse. */
__device__ inline float2 power_for(float most)
{
    const uint32_t field = min(268u - (__float_as_uint(most) >> 23), 253u);
    return make_float2(__uint_as_float(field << 23), __uint_as_float((254 - field) << 23));
}

__device__ inline uint32_t bits_of(__half2 v)
{
    return *(const uint32_t *)&v;
}

/* Two numbers, split. */
struct split_pair {
    uint32_t high, low;
};

__device__ inline split_pair split_halves(float x, float y)
{
    const __half2 high = __floats2half2_rn(x, y);
    const float2 back = __half22float2(high);
    return {bits_of(high), bits_of(__floats2half2_rn(x - back.x, y - back.y))};
}

/* powers[group] for the largest of 16 samples each; a block for each group, a warp for each row. */
static __global__ void find_powers(float2 *powers, const float *X, int64_t stride, int samples,
                                   int features)
{
    __shared__ float all[HALF_ROWS];
    const int row = blockIdx.x * HALF_ROWS + threadIdx.y;
    float most = 0;
    if (row < samples)
        for (int i = threadIdx.x; i < features; i += 32)
            most = fmaxf(most, X[row * stride + i]);
    for (int width = 16; width > 0; width /= 2)
        most = fmaxf(most, __shfl_xor_sync(0xffffffffu, most, width));
    all[threadIdx.y] = most;
    __syncthreads();
    if (threadIdx.x == 0 && threadIdx.y == 0) {
        for (int i = 1; i < HALF_ROWS; i++)
            most = fmaxf(most, all[i]);
        powers[blockIdx.x] = power_for(most);
    }
}

/* Eight numbers in shared memory become their eight high and eight low parts; those from `count`
 * on are zero. */
__device__ inline void split_in_place(float4 *at, float power, int count)
{
    const float4 v = at[0], none = {0, 0, 0, 0}, w = count > 4 ? at[1] : none;
    const split_pair a = split_halves(v.x * power, v.y * power),
                     b = split_halves(v.z * power, v.w * power),
                     c = split_halves(w.x * power, w.y * power),
                     d = split_halves(w.z * power, w.w * power);
    *(uint4 *)at = make_uint4(a.high, b.high, c.high, d.high);
    *(uint4 *)(at + 1) = make_uint4(a.low, b.low, c.low, d.low);
}

/* The panel's rows of W, split, in the order in which they are multiplied; `back`: the inverse
 * powers of its columns. */
template <typename shape>
__device__ inline void load_basis(uint4 *to, float *back, float *scratch, const float *W, int own,
                                  int steps)
{
    constexpr int KP = shape::KP, NT = shape::NT, PARTS = 32 * HALF_WARPS / KP;
    const int column = threadIdx.x % KP, part = threadIdx.x / KP;
    float most = 0;
    if (part < PARTS) {
#pragma unroll 8
        for (int i = part; i < own; i += PARTS)
            most = fmaxf(most, W[i * KP + column]);
        scratch[part * KP + column] = most;
    }
    __syncthreads();
    if (part == 0) {
        for (int i = 1; i < PARTS; i++)
            most = fmaxf(most, scratch[i * KP + column]);
        back[column] = power_for(most).y;
        scratch[column] = power_for(most).x;
    }
    __syncthreads();
    for (int i = threadIdx.x; i < steps * NT * 32; i += 32 * HALF_WARPS) {
        const int lane = i % 32, feature = i / 32 / NT * 16 + lane % 4 * 2,
                  c = i / 32 % NT * 8 + lane / 4;
        const float power = scratch[c];
        float v[4];
#pragma unroll
        for (int e = 0; e < 4; e++) {
            const int f = feature + e % 2 + e / 2 * 8;
            v[e] = f < own ? W[f * KP + c] * power : 0;
        }
        const split_pair a = split_halves(v[0], v[1]), b = split_halves(v[2], v[3]);
        to[i] = make_uint4(a.high, b.high, a.low, b.low);
    }
}

/* D = S G of 16 samples and the warp's 8 columns. */
template <int NT>
__device__ inline void make_denominators(float (&D)[4], const float2 (&upper)[NT],
                                         const float2 (&lower)[NT], const float2 (&G)[NT])
{
    float high[4] = {}, low[4] = {}, right_low[4] = {};
#pragma unroll
    for (int s = 0; s < NT; s++) {
        const tile_rows a = split_rows(upper[s].x, lower[s].x, upper[s].y, lower[s].y);
        const tile_columns b = split_columns(G[s].x, G[s].y);
        multiply_tile(high, a.high, b.high);
        multiply_tile(low, a.low, b.high);
        multiply_tile(right_low, a.high, b.low);
    }
#pragma unroll
    for (int e = 0; e < 4; e++)
        D[e] = high[e] + (low[e] + right_low[e]);
}

/* A += X'S of a tile. */
template <typename shape>
__device__ inline void add_features(float (&A)[shape::TM][shape::NT][4], const float *x, int stride,
                                    const uint4 *fresh, const float *fresh_back,
                                    const float2 *powers, int steps)
{
    constexpr int NT = shape::NT, KP = shape::KP;
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const float *row = x + (lane / 16 * 8 + lane % 8) * stride + lane / 8 % 2 * 8;
#pragma unroll
    for (int r = 0; r < shape::C; r++) {
        uint4 b[NT];
        float2 back[NT];
        const float power = powers[r].y;
#pragma unroll
        for (int j = 0; j < NT; j++) {
            b[j] = fresh[(r * NT + j) * 32 + lane];
            const float2 v = *(const float2 *)(fresh_back + r * KP + 8 * j + lane % 4 * 2);
            back[j] = make_float2(v.x * power, v.y * power);
        }
#pragma unroll
        for (int i = 0; i < shape::TM; i++) {
            const int tile = warp + i * HALF_WARPS;
            if (tile >= steps)
                continue;
            uint32_t high[4], low[4];
            load_transposed(high, row + HALF_ROWS * r * stride + tile * 16);
            load_transposed(low, row + HALF_ROWS * r * stride + tile * 16 + 4);
            float sums[NT][4] = {};
            multiply_halves<NT>(sums, high, low, b);
#pragma unroll
            for (int j = 0; j < NT; j++) {
                A[i][j][0] += sums[j][0] * back[j].x;
                A[i][j][1] += sums[j][1] * back[j].y;
                A[i][j][2] += sums[j][2] * back[j].x;
                A[i][j][3] += sums[j][3] * back[j].y;
            }
        }
    }
}

/* B += S'S of a block's 16 samples: the warp's 8 columns. */
template <typename shape>
__device__ inline void add_squares(float (&B)[shape::MT][4], const uint4 *fresh, const float *back)
{
    constexpr int NT = shape::NT;
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, t = lane % 4;
    const uint4 none = {0, 0, 0, 0}, b = fresh[warp * 32 + lane];
    const float2 right = *(const float2 *)(back + 8 * warp + 2 * t);
#pragma unroll
    for (int i = 0; i < shape::MT; i++) {
        const bool whole = 2 * i + 1 < NT;
        const uint4 v = fresh[2 * i * 32 + lane], w = whole ? fresh[(2 * i + 1) * 32 + lane] : none;
        const uint32_t high[4] = {v.x, w.x, v.y, w.y}, low[4] = {v.z, w.z, v.w, w.w};
        const float upper = back[16 * i + g], lower = whole ? back[16 * i + 8 + g] : 0;
        float sums[1][4] = {};
        multiply_halves<1>(sums, high, low, &b);
        B[i][0] += sums[0][0] * upper * right.x;
        B[i][1] += sums[0][1] * upper * right.y;
        B[i][2] += sums[0][2] * lower * right.x;
        B[i][3] += sums[0][3] * lower * right.y;
    }
}

template <int KP, int C, int TM>
__global__ void __launch_bounds__(32 * HALF_WARPS, 1) half_pass(const pass_arguments p)
{
    using shape = half_shape<KP, C, TM>;
    constexpr int R = shape::R, NT = shape::NT, KG = shape::KG, THREADS = 32 * HALF_WARPS;
    extern __shared__ __align__(128) float memory[];
    const int stride = shape::stride(p.panel), steps = p.panel / 16;
    float *Xs = memory;
    uint4 *basis = (uint4 *)(Xs + HALF_STAGES * R * stride), *fresh = basis + steps * NT * 32;
    float4 *partial = (float4 *)(fresh + C * NT * 32);
    float *old = (float *)partial; /* the block's samples of S, when nobody has numerators there */
    float *fresh_back = (float *)(partial + HALF_WARPS * NT * 32),
          *basis_back = fresh_back + C * KP;
    float2 *powers = (float2 *)(basis_back + KP);
    uint64_t *full = (uint64_t *)(powers + HALF_STAGES * C), *old_full = full + HALF_STAGES;

    const cooperative_groups::cluster_group cluster = cooperative_groups::this_cluster();
    const int rank = (int)cluster.block_rank(), group = blockIdx.x / C, groups = gridDim.x / C;
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, t = lane % 4;
    const int first = rank * p.panel, own = max(0, min(p.panel, p.features - first)),
              width = (own + 3) / 4 * 4; /* rows of X are padded to that */
    const int tiles = (p.samples + R - 1) / R,
              count = group < tiles ? (tiles - group + groups - 1) / groups : 0;
    const bool updates = warp < NT; /* has columns of the encodings */

    for (int i = threadIdx.x; i < HALF_STAGES * R * (stride - width); i += THREADS)
        Xs[i / (stride - width) * stride + width + i % (stride - width)] = 0;
    if (threadIdx.x == 0)
        for (int s = 0; s < HALF_STAGES + 1; s++)
            barrier_init(full + s, 1);
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();

    const auto row_of = [&](int turn) { return (group + turn * groups) * R; };
    const auto fetch = [&](int turn) { /* by the first warp */
                                       if (turn >= count)
                                           return;
                                       const int stage = turn % HALF_STAGES, row = row_of(turn),
                                                 rows = min(R, p.samples - row);
                                       if (lane == 0) {
                                           barrier_expect(full + stage,
                                                          (uint32_t)(rows * width * 4 + C * 8));
                                           copy_row((float *)(powers + stage * C),
                                                    (const float *)(p.powers + row / HALF_ROWS),
                                                    C * 8, full + stage);
                                       }
                                       __syncwarp();
                                       for (int i = lane; i < rows && width > 0; i += 32)
                                           copy_row(Xs + (stage * R + i) * stride,
                                                    p.X + (row + i) * p.x_stride + first,
                                                    (uint32_t)(width * 4), full + stage);
    };
    const auto fetch_old = [&](int turn) { /* by one thread */
                                           const int row = row_of(turn) + HALF_ROWS * rank,
                                                     rows = max(0, min(HALF_ROWS, p.samples - row));
                                           barrier_expect(old_full, (uint32_t)(rows * KP * 4));
                                           if (rows > 0)
                                               copy_row(old, p.from + (int64_t)row * KP,
                                                        (uint32_t)(rows * KP * 4), old_full);
    };
    /* half of the features of a tile, where they lie */
    const auto split_tile = [&](int turn, int half) {
        if (turn >= count)
            return;
        const int stage = turn % HALF_STAGES;
        barrier_wait(full + stage, (uint32_t)(turn / HALF_STAGES % 2));
#pragma unroll
        for (int part = 0; part < R / 32; part++) {
            const int r = part * 32 + lane;
            const float power = powers[stage * C + r / HALF_ROWS].x;
            float4 *at = (float4 *)(Xs + (stage * R + r) * stride);
            if (row_of(turn) + r < p.samples)
#pragma unroll 2
                for (int f = (2 * warp + half) * 8; f < width; f += 16 * HALF_WARPS)
                    split_in_place(at + f / 4, power, width - f);
            else
                for (int f = (2 * warp + half) * 8; f < p.panel; f += 16 * HALF_WARPS)
                    at[f / 4] = at[f / 4 + 1] = make_float4(0, 0, 0, 0);
        }
    };
    if (warp == 0)
        for (int s = 0; s < HALF_STAGES; s++)
            fetch(s);
    load_basis<shape>(basis, basis_back, (float *)partial, p.W + (int64_t)first * KP, own, steps);
    float2 G[NT];
    if (updates)
#pragma unroll
        for (int s = 0; s < NT; s++) {
            const float *at = p.G + (8 * s + 2 * t) * KP + 8 * warp + g;
            G[s] = make_float2(at[0], at[KP]);
        }
    split_tile(0, 0);
    split_tile(0, 1);
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    cluster.sync(); /* all blocks are there, and W */
    if (threadIdx.x == 0 && count > 0)
        fetch_old(0);

    float A[TM][NT][4] = {}, B[shape::MT][4] = {}, D[4] = {}, v[4] = {};
    /* S of the block's samples, its columns of this warp, and their denominators */
    const auto read_old = [&](int turn) {
        if (turn >= count || !updates)
            return;
        const int left = p.samples - row_of(turn) - HALF_ROWS * rank - g;
        const float2 none = {0, 0};
        float2 upper[NT], lower[NT];
        barrier_wait(old_full, (uint32_t)(turn % 2));
#pragma unroll
        for (int s = 0; s < NT; s++) {
            upper[s] = left > 0 ? *(const float2 *)(old + g * KP + 8 * s + 2 * t) : none;
            lower[s] = left > 8 ? *(const float2 *)(old + (g + 8) * KP + 8 * s + 2 * t) : none;
            if (s == warp)
                v[0] = upper[s].x, v[1] = upper[s].y, v[2] = lower[s].x, v[3] = lower[s].y;
        }
        make_denominators<NT>(D, upper, lower, G);
    };
    read_old(0);
    __syncthreads();

    for (int turn = 0; turn < count; turn++) {
        const int stage = turn % HALF_STAGES, mine = row_of(turn) + HALF_ROWS * rank + g;
        const float *x = Xs + stage * R * stride;

        /* the numerators of 16 samples, from some features */
        {
            const int sixteen = warp % C, part = warp / C;
            const float *at = x + (HALF_ROWS * sixteen + lane % 16) * stride + lane / 16 * 8;
            float N[NT][4] = {};
#pragma unroll 2
            for (int step = part; step < steps; step += KG) {
                uint32_t high[4], low[4];
                uint4 w[NT];
                load_halves(high, at + 16 * step);
                load_halves(low, at + 16 * step + 4);
#pragma unroll
                for (int j = 0; j < NT; j++)
                    w[j] = basis[(step * NT + j) * 32 + lane];
                multiply_halves<NT>(N, high, low, w);
            }
            const float power = powers[stage * C + sixteen].y;
#pragma unroll
            for (int j = 0; j < NT; j++) {
                const float2 found = *(const float2 *)(basis_back + 8 * j + 2 * t),
                             back = {found.x * power, found.y * power};
                partial[((part * C + sixteen) * NT + j) * 32 + lane] = make_float4(
                    N[j][0] * back.x, N[j][1] * back.y, N[j][2] * back.x, N[j][3] * back.y);
            }
        }
        asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
        split_tile(turn + 1, 0);
        asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");

        /* new encodings */
        if (updates) {
            float4 parts[HALF_WARPS];
            float N[4] = {};
#pragma unroll
            for (int i = 0; i < HALF_WARPS; i++)
                parts[i] = *cluster.map_shared_rank(
                    partial + ((i % KG * C + rank) * NT + warp) * 32 + lane, i / KG);
#pragma unroll
            for (int i = 0; i < HALF_WARPS; i++)
                N[0] += parts[i].x, N[1] += parts[i].y, N[2] += parts[i].z, N[3] += parts[i].w;
#pragma unroll
            for (int e = 0; e < 4; e++)
                v[e] = updated(v[e], N[e], D[e], p.exponent);
            float most[2] = {fmaxf(v[0], v[2]), fmaxf(v[1], v[3])};
#pragma unroll
            for (int width = 4; width < 32; width *= 2)
#pragma unroll
                for (int e = 0; e < 2; e++)
                    most[e] = fmaxf(most[e], __shfl_xor_sync(0xffffffffu, most[e], width));
            const float2 even = power_for(most[0]), odd = power_for(most[1]);
            const split_pair a = split_halves(v[0] * even.x, v[1] * odd.x),
                             b = split_halves(v[2] * even.x, v[3] * odd.x);
            const uint4 columns = make_uint4(transposed(a.high), transposed(b.high),
                                             transposed(a.low), transposed(b.low));
#pragma unroll
            for (int i = 0; i < C; i++) {
                cluster.map_shared_rank(fresh, i)[(rank * NT + warp) * 32 + lane] = columns;
                if (g == 0)
                    *(float2 *)(cluster.map_shared_rank(fresh_back, i) + rank * KP + 8 * warp +
                                2 * t) = make_float2(even.y, odd.y);
            }
        }
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
        split_tile(turn + 1, 1);
        asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
        if (threadIdx.x == 0 && turn + 1 < count)
            fetch_old(turn + 1);

        /* written here, since the barriers would wait for it */
        if (updates) {
            float *to = p.to + (int64_t)mine * KP + 8 * warp + 2 * t;
            if (mine < p.samples)
                *(float2 *)to = make_float2(v[0], v[1]);
            if (mine + 8 < p.samples)
                *(float2 *)(to + 8 * KP) = make_float2(v[2], v[3]);
        }
        add_features<shape>(A, x, stride, fresh, fresh_back, powers + stage * C, steps);
        if (updates)
            add_squares<shape>(B, fresh + rank * NT * 32, fresh_back + rank * KP);
        read_old(turn + 1);
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        __syncthreads();
        if (warp == 0)
            fetch(turn + HALF_STAGES);
    }

    float *to = p.sums + (int64_t)group * (p.features + KP) * KP;
#pragma unroll
    for (int i = 0; i < TM; i++)
#pragma unroll
        for (int half = 0; half < 2; half++) {
            const int feature = (warp + i * HALF_WARPS) * 16 + g + 8 * half;
            if (feature < own)
#pragma unroll
                for (int j = 0; j < NT; j++)
                    *(float2 *)(to + (int64_t)(first + feature) * KP + 8 * j + 2 * t) =
                        make_float2(A[i][j][2 * half], A[i][j][2 * half + 1]);
        }
    /* the blocks' shares of B, which the first one adds up */
    float *squares = (float *)basis;
    if (updates)
#pragma unroll
        for (int i = 0; i < shape::MT; i++)
#pragma unroll
            for (int half = 0; half < 2; half++) {
                const int r = i * 16 + g + 8 * half;
                if (r < KP)
                    *(float2 *)(squares + r * KP + 8 * warp + 2 * t) =
                        make_float2(B[i][2 * half], B[i][2 * half + 1]);
            }
    cluster.sync();
    if (rank == 0)
        for (int i = threadIdx.x; i < KP * KP; i += THREADS) {
            float total = 0;
#pragma unroll
            for (int each = 0; each < C; each++)
                total += cluster.map_shared_rank(squares, each)[i];
            to[(int64_t)p.features * KP + i] = total;
        }
    cluster.sync(); /* others may still read what is here */
}

#endif
