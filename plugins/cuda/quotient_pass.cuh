/* Of the Kullback-Leibler loss, single precision, X dense: sums of the quotients P = X ./ (S W'),
 *
 *     N = P W     for the rows of S, with the rows of W as keys
 *     A = P' S    for the rows of W, with the rows of S as keys
 *
 * with nothing of P's size stored. Each warp has 16 RT rows, whose factor stays in its registers;
 * 16 keys and the tile of X that they meet come into a ring of stages in shared memory:
 *
 *          keys ->      Y = rows keys'        on the tensor cores, into registers
 *     rows  +------+    P = X ./ Y            there; the layout of a product's result is that of
 *       |   |  X   |                          the next one's left side, its inner index permuted
 *       v   +------+    sums += P keys        into registers, to the end of the run
 *
 * Tensor cores cut off what does not fit into a sum, so that products of 8 keys are summed apart
 * and added by ordinary additions. */
#ifndef CUDA_QUOTIENT_PASS_CUH
#define CUDA_QUOTIENT_PASS_CUH

#include "quotients.cuh"
#include "tensor.cuh"
#include "update.cuh"

/* KP: columns of the factors. TRANSPOSED: the rows are features. */
template <int KP, int RT, int WARPS, int STAGES, bool TRANSPOSED> struct quotient_shape {
    static constexpr int NT = KP / 8, ROWS = 16 * RT * WARPS, THREADS = 32 * WARPS;
    static constexpr int LDK = KP + (KP % 16 == 8 ? 2 : 10); /* 2 mod 8: rows 2t meet in no bank */
    static constexpr int LDX = TRANSPOSED ? ROWS + 4 : QUOTIENT_KEYS + 8; /* likewise */
    static constexpr int X_SIZE = (TRANSPOSED ? QUOTIENT_KEYS : ROWS) * LDX,
                         KEY_SIZE = QUOTIENT_KEYS * LDK * 2;
    static constexpr int BYTES = 4 * STAGES * (X_SIZE + KEY_SIZE);
};

/* 16 bytes, or zeros. */
__device__ inline void copy_16(float *to, const void *from, bool there)
{
    const uint32_t address = (uint32_t)__cvta_generic_to_shared(to);
    asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16, %2;" ::"r"(address), "l"(from),
                 "r"(there ? 16 : 0)
                 : "memory");
}

__device__ inline void copies_end()
{
    asm volatile("cp.async.commit_group;" ::: "memory");
}

/* All but the last COUNT groups of copies are there. */
template <int COUNT> __device__ inline void copies_wait()
{
    asm volatile("cp.async.wait_group %0;" ::"n"(COUNT) : "memory");
}

/* A stage: the tile of X and 16 keys. */
template <typename shape, bool TRANSPOSED>
__device__ inline void load_stage(const quotient_arguments &p, float *to, int64_t first_row,
                                  int64_t first_key)
{
    constexpr int WIDTH = (TRANSPOSED ? shape::ROWS : QUOTIENT_KEYS) / 4,
                  LINES = TRANSPOSED ? QUOTIENT_KEYS : shape::ROWS;
    const int64_t sample = TRANSPOSED ? first_key : first_row,
                  feature = TRANSPOSED ? first_row : first_key;
#pragma unroll 4
    for (int i = threadIdx.x; i < LINES * WIDTH; i += shape::THREADS) {
        const int64_t line = sample + i / WIDTH, column = feature + i % WIDTH * 4;
        const bool there = line < p.samples && column < p.features;
        copy_16(to + i / WIDTH * shape::LDX + i % WIDTH * 4,
                there ? p.X + line * p.x_stride + column : p.X, there);
    }
    const float *keys = (const float *)(p.keys + first_key * shape::LDK);
    for (int i = threadIdx.x; i < shape::KEY_SIZE / 4; i += shape::THREADS)
        copy_16(to + shape::X_SIZE + 4 * i, keys + 4 * i, true);
}

/* x of a row and two neighbouring keys. */
template <typename shape, bool TRANSPOSED>
__device__ inline float2 entries(const float *x, int row, int key)
{
    return TRANSPOSED ? make_float2(x[key * shape::LDX + row], x[(key + 1) * shape::LDX + row])
                      : *(const float2 *)(x + row * shape::LDX + key);
}

/* The quotient, and what x adds to the divergence. */
template <bool MEASURES> __device__ inline float quotient(float x, float fit, float &divergence)
{
    const float p = __fdividef(x, fmaxf(fit, limits<float>::floor));
    if (MEASURES)
        divergence += x * __logf(fmaxf(p, limits<float>::floor));
    return p;
}

/* sums += P keys of a stage. */
template <typename shape, int RT, bool TRANSPOSED, bool EXACT>
__device__ inline void add_stage(float (&sums)[RT][shape::NT][4],
                                 const tile_rows (&rows)[RT][shape::NT], const float *stage,
                                 float &divergence)
{
    const int lane = threadIdx.x % 32, g = lane / 4, t = lane % 4,
              first = threadIdx.x / 32 * 16 * RT + g;
    const float2 *keys = (const float2 *)(stage + shape::X_SIZE);
#pragma unroll
    for (int half = 0; half < QUOTIENT_KEYS; half += 8) {
        float Y[RT][4] = {}, small[RT][4] = {};
#pragma unroll
        for (int j = 0; j < shape::NT; j++) {
            const float4 v = *(const float4 *)(keys + (half + g) * shape::LDK + 8 * j + 2 * t);
            const uint32_t high[2] = {__float_as_uint(v.x), __float_as_uint(v.z)},
                           low[2] = {__float_as_uint(v.y), __float_as_uint(v.w)};
#pragma unroll
            for (int i = 0; i < RT; i++) {
                multiply_tile(Y[i], rows[i][j].high, high);
                if (EXACT) {
                    multiply_tile(small[i], rows[i][j].low, high);
                    multiply_tile(small[i], rows[i][j].high, low);
                }
            }
        }
        tile_rows P[RT];
#pragma unroll
        for (int i = 0; i < RT; i++) {
            const float2 x = entries<shape, TRANSPOSED>(stage, first + 16 * i, half + 2 * t),
                         z = entries<shape, TRANSPOSED>(stage, first + 16 * i + 8, half + 2 * t);
            P[i] = split_rows(quotient<TRANSPOSED>(x.x, Y[i][0] + small[i][0], divergence),
                              quotient<TRANSPOSED>(z.x, Y[i][2] + small[i][2], divergence),
                              quotient<TRANSPOSED>(x.y, Y[i][1] + small[i][1], divergence),
                              quotient<TRANSPOSED>(z.y, Y[i][3] + small[i][3], divergence));
        }
#pragma unroll
        for (int j = 0; j < shape::NT; j++) {
            const float2 v = keys[(half + 2 * t) * shape::LDK + 8 * j + g],
                         w = keys[(half + 2 * t + 1) * shape::LDK + 8 * j + g];
            const tile_columns b = {{__float_as_uint(v.x), __float_as_uint(w.x)},
                                    {__float_as_uint(v.y), __float_as_uint(w.y)}};
#pragma unroll
            for (int i = 0; i < RT; i++) {
                float part[4] = {};
                multiply_split<EXACT>(part, P[i], b);
#pragma unroll
                for (int e = 0; e < 4; e++)
                    sums[i][j][e] += part[e];
            }
        }
    }
}

/* The steps `first` to `first + count` of a block of rows. */
template <typename shape, int RT, int STAGES, bool TRANSPOSED, bool EXACT>
__device__ inline void make_run(const quotient_arguments &p, float *memory, int64_t first_row,
                                int64_t first, int count, float *to, double &divergence)
{
    const int lane = threadIdx.x % 32, g = lane / 4, t = lane % 4;
    const int64_t row = first_row + threadIdx.x / 32 * 16 * RT + g,
                  rows = TRANSPOSED ? p.features : p.samples;
    constexpr int KP = shape::NT * 8, SIZE = shape::X_SIZE + shape::KEY_SIZE;
    __syncthreads(); /* the run before has read its stages */
#pragma unroll
    for (int s = 0; s < STAGES - 1; s++) {
        if (s < count)
            load_stage<shape, TRANSPOSED>(p, memory + s * SIZE, first_row,
                                          (first + s) * QUOTIENT_KEYS);
        copies_end();
    }
    tile_rows own[RT][shape::NT];
    float sums[RT][shape::NT][4] = {};
#pragma unroll
    for (int i = 0; i < RT; i++)
#pragma unroll
        for (int j = 0; j < shape::NT; j++) {
            const float *at = p.rows + (row + 16 * i) * KP + 8 * j + 2 * t;
            const float2 none = {0, 0}, v = row + 16 * i < rows ? *(const float2 *)at : none,
                         w = row + 16 * i + 8 < rows ? *(const float2 *)(at + 8 * KP) : none;
            own[i][j] = split_rows(v.x, w.x, v.y, w.y);
        }
    for (int step = 0; step < count; step++) {
        copies_wait<STAGES - 2>();
        __syncthreads();
        if (step + STAGES - 1 < count)
            load_stage<shape, TRANSPOSED>(p, memory + (step + STAGES - 1) % STAGES * SIZE,
                                          first_row, (first + step + STAGES - 1) * QUOTIENT_KEYS);
        copies_end();
        float part = 0;
        add_stage<shape, RT, TRANSPOSED, EXACT>(sums, own, memory + step % STAGES * SIZE, part);
        if (TRANSPOSED)
            divergence += (double)part;
    }
#pragma unroll
    for (int i = 0; i < RT; i++)
#pragma unroll
        for (int j = 0; j < shape::NT; j++) {
            float *at = to + (row + 16 * i) * KP + 8 * j + 2 * t;
            *(float2 *)at = make_float2(sums[i][j][0], sums[i][j][1]);
            *(float2 *)(at + 8 * KP) = make_float2(sums[i][j][2], sums[i][j][3]);
        }
}

template <int KP, int RT, int WARPS, int STAGES, int BLOCKS, bool TRANSPOSED, bool EXACT>
__global__ void __launch_bounds__(WARPS * 32, BLOCKS) quotient_pass(const quotient_arguments p)
{
    using shape = quotient_shape<KP, RT, WARPS, STAGES, TRANSPOSED>;
    extern __shared__ __align__(128) float memory[];
    const int64_t rows = TRANSPOSED ? p.features : p.samples,
                  all = (rows + shape::ROWS - 1) / shape::ROWS * p.plan.steps;
    const int64_t begin = blockIdx.x * p.plan.share,
                  end = begin + p.plan.share < all ? begin + p.plan.share : all;
    double divergence = 0;
    for (int64_t at = begin; at < end;) {
        const int64_t block = at / p.plan.steps, first = at % p.plan.steps,
                      left = p.plan.steps - first, count = end - at < left ? end - at : left;
        make_run<shape, RT, STAGES, TRANSPOSED, EXACT>(
            p, memory, block * shape::ROWS, first, (int)count,
            p.runs + (blockIdx.x - p.plan.first_run(block)) * p.run_size, divergence);
        at += count;
    }
    if constexpr (TRANSPOSED) {
        for (int width = 16; width > 0; width /= 2)
            divergence += __shfl_xor_sync(0xffffffffu, divergence, width);
        copies_wait<0>();
        __syncthreads();
        double *parts = (double *)memory;
        if (threadIdx.x % 32 == 0)
            parts[threadIdx.x / 32] = divergence;
        __syncthreads();
        if (threadIdx.x == 0) {
            double total = 0;
            for (int i = 0; i < WARPS; i++)
                total += parts[i];
            p.divergence[blockIdx.x] = total;
        }
    }
}

#endif
