/* One pass over a dense X of single precision, multiplicative updates, quadratic loss: new
 * encodings, X'S and S'S with one read of X.
 *
 * A cluster of blocks works on a tile of R samples. Each of its blocks holds a panel of features:
 * their rows of W, and of the sums A that the cluster makes; each warp of a block holds some
 * features of the panel.
 *
 *     X_p of the tile    from memory into a ring of stages, by the copy engine
 *     N_w = X_w W_w      of a warp's features; the warps' added up in shared memory
 *     N   = sum of N_p   over the blocks of the cluster, read from each other's shared memory
 *     S'  = S .* N ./ (S G)
 *     A_w += X_w' S'     in registers, to the end of the pass
 *
 * The sums of a tile are made while the next tile's numerators of other warps and blocks are awaited.
 * Which tile a cluster takes follows from its number, and every sum has one order. */
#ifndef CUDA_FROBENIUS_PASS_CUH
#define CUDA_FROBENIUS_PASS_CUH

#include <cooperative_groups.h>

#include "copies.cuh"
#include "launches.cuh"
#include "passes.cuh"
#include "tensor.cuh"
#include "update.cuh"

/* KP: columns of the factors. A block has WARPS warps with TM tiles of 16 features each; a tile of
 * X has RT times 16 samples, and STAGES of them are under way or in use. */
template <int KP, int WARPS, int TM, int RT, int STAGES> struct pass_shape {
    static constexpr int R = 16 * RT, P = 16 * TM * WARPS, NT = KP / 8, MT = (KP + 15) / 16;
    static constexpr int LDX = P + 4; /* 4 mod 8: no two lanes meet in a bank */
    static constexpr int LDS = KP + 2; /* of four numbers each: 2 mod 8 for the same reason */
    static constexpr int THREADS = 32 * WARPS;
    static constexpr int DT = (RT * NT + WARPS - 1) / WARPS; /* tiles of S' that a warp makes */
    static constexpr int BT = (MT * NT + WARPS - 1) / WARPS; /* tiles of S'S that a warp may hold */
    static constexpr int X_SIZE = STAGES * R * LDX, G_SIZE = KP * KP, OLD_SIZE = STAGES * R * KP,
                         NEW_SIZE = 4 * (R * LDS + 16), LOCAL_SIZE = 3 * RT * NT * 32 * 4,
                         PARTIAL_SIZE = WARPS * RT * NT * 32 * 4;
    static constexpr int BYTES =
        4 * (X_SIZE + G_SIZE + OLD_SIZE + NEW_SIZE + LOCAL_SIZE + PARTIAL_SIZE) + 8 * STAGES;
};

/* b(row, column) of a product's right side, in the order in which the lanes read it. */
template <int NT> __device__ inline int column_place(int row, int column)
{
    return (((row / 8) * NT + column / 8) * 32 + (column % 8) * 4 + row % 4) * 2 + row % 8 / 4;
}

/* New encodings of a tile lie in shared memory as they are multiplied: for samples 2i and 2i + 1 and
 * a column the high parts of both and then the low parts, at place i * LDS + column. */
__device__ inline tile_columns new_columns(const float4 *place)
{
    const float4 v = *place;
    return {{__float_as_uint(v.x), __float_as_uint(v.y)},
            {__float_as_uint(v.z), __float_as_uint(v.w)}};
}

__device__ inline tile_rows new_rows(const float4 *place)
{
    const tile_columns v = new_columns(place), w = new_columns(place + 8);
    return {{v.high[0], w.high[0], v.high[1], w.high[1]}, {v.low[0], w.low[0], v.low[1], w.low[1]}};
}

/* A += X' S of a tile, and S'S. The tile's products are summed apart: tensor cores cut off what does
 * not fit into a sum, and a long one would fall behind. */
template <typename shape, int KP, int TM, int RT, bool EXACT>
__device__ inline void add_sums(float (&A)[TM][KP / 8][4], float (&B)[shape::BT][4],
                                const float *x, const float4 *fresh, int task, int tasks)
{
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, t = lane % 4;
    float sums[TM][KP / 8][4] = {}, squares[shape::BT][4] = {};
#pragma unroll
    for (int step = 0; step < 2 * RT; step++) {
        const float4 *s = fresh + (4 * step + t) * shape::LDS;
        const float *x0 = x + (8 * step + 2 * t) * shape::LDX + warp * TM * 16 + g,
                    *x1 = x0 + shape::LDX;
        tile_columns b[shape::NT];
#pragma unroll
        for (int j = 0; j < shape::NT; j++)
            b[j] = new_columns(s + 8 * j + g);
#pragma unroll
        for (int i = 0; i < TM; i++) {
            const tile_rows a = split_rows(x0[16 * i], x0[16 * i + 8], x1[16 * i], x1[16 * i + 8]);
#pragma unroll
            for (int j = 0; j < shape::NT; j++)
                multiply_split<EXACT>(sums[i][j], a, b[j]);
        }
#pragma unroll
        for (int i = 0; i < shape::BT; i++) {
            const int at = task + i * tasks;
            if (at < shape::MT * shape::NT)
                multiply_split<true>(squares[i], new_rows(s + at / shape::NT * 16 + g),
                                     new_columns(s + at % shape::NT * 8 + g));
        }
    }
#pragma unroll
    for (int i = 0; i < TM; i++)
#pragma unroll
        for (int j = 0; j < shape::NT; j++)
#pragma unroll
            for (int e = 0; e < 4; e++)
                A[i][j][e] += sums[i][j][e];
#pragma unroll
    for (int i = 0; i < shape::BT; i++)
#pragma unroll
        for (int e = 0; e < 4; e++)
            B[i][e] += squares[i][e];
}

/* What the ranks from `first` on have at one place, one after the other; read at once. */
template <int COUNT>
__device__ inline void add_ranks(float2 &total, const cooperative_groups::cluster_group &cluster,
                                 float2 *place, int first)
{
    float2 v[COUNT];
#pragma unroll
    for (int i = 0; i < COUNT; i++)
        v[i] = *cluster.map_shared_rank(place, first + i);
#pragma unroll
    for (int i = 0; i < COUNT; i++)
        total.x += v[i].x, total.y += v[i].y;
}

template <int KP, int WARPS, int TM, int RT, int STAGES, bool EXACT>
__global__ void __launch_bounds__(WARPS * 32, 1) frobenius_pass(const pass_arguments p)
{
    using shape = pass_shape<KP, WARPS, TM, RT, STAGES>;
    constexpr int R = shape::R, P = shape::P, NT = shape::NT, LDX = shape::LDX, LDS = shape::LDS;
    constexpr int SETS = RT * NT <= 4 ? 2 : 1; /* of accumulators, where there are few */
    extern __shared__ __align__(128) float memory[];
    float *Xs = memory, *old = Xs + shape::X_SIZE, *Gs = old + shape::OLD_SIZE,
          *zeros = Gs + shape::G_SIZE;
    float4 *fresh = (float4 *)zeros, *local = (float4 *)(zeros + shape::NEW_SIZE), *below = local + 2 * RT * NT * 32,
           *partial = below + RT * NT * 32;
    uint64_t *full = (uint64_t *)(partial + WARPS * RT * NT * 32);

    const cooperative_groups::cluster_group cluster = cooperative_groups::this_cluster();
    const int blocks = (int)cluster.num_blocks(), rank = (int)cluster.block_rank();
    const int group = blockIdx.x / blocks, groups = gridDim.x / blocks;
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, t4 = lane % 4;
    const int first = rank * P, own = max(0, min(P, p.features - first)),
              width = (own + 3) / 4 * 4; /* rows of X are padded to that */
    const int tiles = (p.samples + R - 1) / R,
              count = group < tiles ? (tiles - group + groups - 1) / groups : 0;

    /* what the copies leave out */
    for (int i = threadIdx.x; i < STAGES * R * (LDX - width); i += shape::THREADS)
        Xs[i / (LDX - width) * LDX + width + i % (LDX - width)] = 0;
    if (threadIdx.x == 0)
        for (int s = 0; s < STAGES; s++)
            barrier_init(full + s, 1);
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();

    auto fetch = [&](int turn) { /* by the first warp */
        if (turn >= count)
            return;
        const int stage = turn % STAGES, row = (group + turn * groups) * R,
                  rows = min(R, p.samples - row);
        if (lane == 0)
            barrier_expect(full + stage, (uint32_t)(rows * (width + KP) * 4));
        __syncwarp();
        for (int i = lane; i < rows && width > 0; i += 32)
            copy_row(Xs + (stage * R + i) * LDX, p.X + (row + i) * p.x_stride + first,
                     (uint32_t)(width * 4), full + stage);
        if (lane == 31)
            copy_row(old + stage * R * KP, p.from + (int64_t)row * KP, (uint32_t)(rows * KP * 4),
                     full + stage);
    };
    if (warp == 0)
        for (int s = 0; s < STAGES - 1; s++)
            fetch(s);

    for (int i = threadIdx.x; i < shape::NEW_SIZE; i += shape::THREADS)
        zeros[i] = 0;
    /* The launch before writes neither X nor S, and all before it had ended when this one began. */
    follow_launch();
    for (int i = threadIdx.x; i < KP * KP; i += shape::THREADS)
        Gs[column_place<NT>(i / KP, i % KP)] = p.G[i];
    float2 W[2 * TM][NT]; /* the warp's rows, as they are multiplied */
#pragma unroll
    for (int step = 0; step < 2 * TM; step++)
#pragma unroll
        for (int j = 0; j < NT; j++) {
            const int feature = (warp * TM * 2 + step) * 8 + t4;
            const float *w = p.W + (int64_t)(first + feature) * KP + 8 * j + g;
            W[step][j] = make_float2(feature < own ? w[0] : 0, feature + 4 < own ? w[4 * KP] : 0);
        }
    __syncthreads();

    float A[TM][NT][4] = {}, B[shape::BT][4] = {};
    const int task = rank * WARPS + warp, tasks = blocks * WARPS;
    for (int turn = 0; turn < count; turn++) {
        const int stage = turn % STAGES, before = (turn + STAGES - 1) % STAGES,
                  row = (group + turn * groups) * R;
        float *x = Xs + stage * R * LDX, *s = old + stage * R * KP;
        float4 *next = fresh + (turn % 2) * (R / 2) * LDS,
               *last = fresh + ((turn + 1) % 2) * (R / 2) * LDS;
        barrier_wait(full + stage, (uint32_t)(turn / STAGES % 2));
        if (row + R > p.samples) { /* the last tile: no samples behind its end */
            const int rows = p.samples - row;
            for (int i = threadIdx.x; i < (R - rows) * LDX; i += shape::THREADS)
                x[rows * LDX + i] = 0;
            for (int i = threadIdx.x; i < (R - rows) * KP; i += shape::THREADS)
                s[rows * KP + i] = 0;
            __syncthreads();
        }

        /* the numerators of the warp's features */
        float N[SETS][RT][NT][4] = {};
#pragma unroll
        for (int step = 0; step < 2 * TM; step++) {
            const int feature = (warp * TM * 2 + step) * 8;
            tile_rows a[RT];
#pragma unroll
            for (int i = 0; i < RT; i++) {
                float v[4];
                load_rows(v, x + (16 * i + lane % 16) * LDX + feature + lane / 16 * 4);
                a[i] = split_rows(v[0], v[1], v[2], v[3]);
            }
#pragma unroll
            for (int j = 0; j < NT; j++) {
                if (2 * TM * NT * 4 > 64) /* split anew for each tile: there are no registers for it */
                    asm volatile("" : "+f"(W[step][j].x), "+f"(W[step][j].y));
                const tile_columns b = split_columns(W[step][j].x, W[step][j].y);
#pragma unroll
                for (int i = 0; i < RT; i++)
                    multiply_split<EXACT>(N[step % SETS][i][j], a[i], b);
            }
        }
#pragma unroll
        for (int i = 0; i < RT; i++)
#pragma unroll
            for (int j = 0; j < NT; j++) {
                float v[4];
                for (int e = 0; e < 4; e++)
                    v[e] = SETS == 2 ? N[0][i][j][e] + N[SETS - 1][i][j][e] : N[0][i][j][e];
                partial[(warp * RT * NT + i * NT + j) * 32 + lane] =
                    make_float4(v[0], v[1], v[2], v[3]);
            }
        /* the denominators */
        float D[shape::DT][4] = {}, small[shape::DT][4] = {};
#pragma unroll
        for (int step = 0; step < KP / 8; step++)
#pragma unroll
            for (int d = 0; d < shape::DT; d++) {
                const int at = warp + d * WARPS, i = at / NT, j = at % NT;
                if (at >= RT * NT)
                    continue;
                float v[4];
                load_rows(v, s + (16 * i + lane % 16) * KP + 8 * step + lane / 16 * 4);
                const float2 w = ((const float2 *)Gs)[(step * NT + j) * 32 + lane];
                const tile_rows a = split_rows(v[0], v[1], v[2], v[3]);
                const tile_columns b = split_columns(w.x, w.y);
                multiply_tile(D[d], a.high, b.high);
                multiply_tile(small[d], a.low, b.high);
                multiply_tile(small[d], a.high, b.low);
            }
#pragma unroll
        for (int d = 0; d < shape::DT; d++)
            if (warp + d * WARPS < RT * NT)
                below[(warp + d * WARPS) * 32 + lane] =
                    make_float4(D[d][0] + small[d][0], D[d][1] + small[d][1],
                                D[d][2] + small[d][2], D[d][3] + small[d][3]);
        __syncthreads();

        float4 *sum = local + (turn % 2) * RT * NT * 32;
        if (blocks > 1) {
            for (int i = threadIdx.x; i < RT * NT * 32; i += shape::THREADS) {
                float4 total = partial[i];
#pragma unroll
                for (int w = 1; w < WARPS; w++) {
                    const float4 v = partial[w * RT * NT * 32 + i];
                    total.x += v.x, total.y += v.y, total.z += v.z, total.w += v.w;
                }
                sum[i] = total;
            }
            asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
        }
        if (turn > 0)
            add_sums<shape, KP, TM, RT, EXACT>(A, B, Xs + before * R * LDX, last, task, tasks);
        if (blocks > 1)
            asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");

        /* new encodings, two neighbours at a time */
        for (int item = threadIdx.x; item < RT * NT * 64; item += shape::THREADS) {
            const int at = item / 64, place = item % 64 / 2, half = item % 2;
            const int r = at / NT * 16 + place / 4 + 8 * half, c = at % NT * 8 + place % 4 * 2;
            float2 above = {0, 0};
            if (blocks == 1) {
#pragma unroll
                for (int part = 0; part < WARPS; part++) {
                    const float2 v = ((const float2 *)(partial + part * RT * NT * 32))[item];
                    above.x += v.x, above.y += v.y;
                }
            } else if (blocks == 2) {
                add_ranks<2>(above, cluster, (float2 *)sum + item, 0);
            } else {
                for (int part = 0; part < blocks; part += 4)
                    add_ranks<4>(above, cluster, (float2 *)sum + item, part);
            }
            const float2 start = *(const float2 *)(s + r * KP + c),
                         under = ((const float2 *)below)[item],
                         value = {updated(start.x, above.x, under.x, p.exponent),
                                  updated(start.y, above.y, under.y, p.exponent)};
            const split_number v = split(value.x), w = split(value.y);
            uint32_t *to = (uint32_t *)(next + r / 2 * LDS + c) + r % 2;
            to[0] = v.high;
            to[2] = v.low;
            to[4] = w.high;
            to[6] = w.low;
            if (at % blocks == rank && row + r < p.samples)
                *(float2 *)(p.to + (int64_t)(row + r) * KP + c) = value;
        }
        __syncthreads();
        if (warp == 0)
            fetch(turn + STAGES - 1); /* the stage before this one: nobody reads it any more */
    }
    if (count > 0)
        add_sums<shape, KP, TM, RT, EXACT>(A, B, Xs + (count - 1) % STAGES * R * LDX,
                                           fresh + (count - 1) % 2 * (R / 2) * LDS, task, tasks);

    float *to = p.sums + (int64_t)group * (p.features + KP) * KP;
#pragma unroll
    for (int i = 0; i < TM; i++)
#pragma unroll
        for (int half = 0; half < 2; half++) {
            const int feature = (warp * TM + i) * 16 + g + 8 * half;
            if (feature < own)
#pragma unroll
                for (int j = 0; j < NT; j++)
                    *(float2 *)(to + (int64_t)(first + feature) * KP + 8 * j + 2 * t4) =
                        make_float2(A[i][j][2 * half], A[i][j][2 * half + 1]);
        }
#pragma unroll
    for (int i = 0; i < shape::BT; i++) {
        const int at = task + i * tasks;
        if (at < shape::MT * NT)
#pragma unroll
            for (int half = 0; half < 2; half++) {
                const int r = at / NT * 16 + g + 8 * half, c = at % NT * 8 + 2 * t4;
                if (r < KP)
                    *(float2 *)(to + (int64_t)(p.features + r) * KP + c) =
                        make_float2(B[i][2 * half], B[i][2 * half + 1]);
            }
    }
    cluster.sync(); /* others may still read what is here */
}

#endif
