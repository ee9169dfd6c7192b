/* Sums over the quotients P = X ./ (S W') by products with the rows of a factor, its keys, single
 * precision, X dense:
 *
 *     N = P W  for the rows of S with those of W as keys,    A = P' S  the other way round.
 *
 * Nothing of X's size is
 * stored. Groups of four warps have 64 rows each. 32 keys and the tile of X that they meet come
 * into a ring of stages in shared memory:
 *
 *          keys ->
 *     rows  +------+    Y = rows keys'     on the tensor cores, into registers
 *       |   |  X   |    P = X ./ Y         there; the layout of a product's result is that of the
 *       v   +------+                       next one's left side, its inner index permuted
 *                       sums += P keys     into registers, to the end of the run
 *
 * Tensor cores cut off what does not fit into a sum, so that the products of a stage are summed
 * apart and added by ordinary additions. */
#ifndef CUDA_KEYED_PASS_CUH
#define CUDA_KEYED_PASS_CUH

#include "copies.cuh"
#include "group.cuh"
#include "keyed.cuh"
#include "tensor.cuh"
#include "update.cuh"

/* KP: columns of the factors; TRANSPOSED: the rows are features. */
template <int KP_, int GROUPS, int STAGES_, bool TRANSPOSED_> struct keyed_shape {
    static constexpr int KP = KP_, NT = KP / 8, STAGES = STAGES_;
    static constexpr bool TRANSPOSED = TRANSPOSED_;
    static constexpr int ROWS = 64 * GROUPS, THREADS = 128 * GROUPS;
    static constexpr int LDX = TRANSPOSED ? ROWS + 4 : KEYS + 8; /* no two lanes meet in a bank */
    static constexpr int X_SIZE = (TRANSPOSED ? KEYS : ROWS) * LDX, KEY_SIZE = KEYS * KP * 2,
                         STAGE = X_SIZE + 2 * KEY_SIZE;
    static constexpr int BYTES = STAGES * (4 * STAGE + 8);
};

/* 16 bytes, or zeros. */
__device__ inline void copy_16(float *to, const float *from, bool there)
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

/* All but the last COUNT groups of a thread's copies are there. */
template <int COUNT> __device__ inline void copies_wait()
{
    asm volatile("cp.async.wait_group %0;" ::"n"(COUNT) : "memory");
}

/* A stage: the tile of X and the keys. A thread's copies of X are of one column and of lines STEP
 * apart. */
template <typename shape>
__device__ inline void load_stage(const keyed_arguments &p, float *to, uint64_t *full,
                                  int64_t first_row, int64_t first_key)
{
    constexpr int WIDTH = (shape::TRANSPOSED ? shape::ROWS : KEYS) / 4,
                  LINES = shape::TRANSPOSED ? KEYS : shape::ROWS, STEP = shape::THREADS / WIDTH;
    static_assert(shape::THREADS % WIDTH == 0 && LINES % STEP == 0, "copies of unequal number");
    const int64_t sample = (shape::TRANSPOSED ? first_key : first_row) + threadIdx.x / WIDTH,
                  feature = (shape::TRANSPOSED ? first_row : first_key) + threadIdx.x % WIDTH * 4;
    const int left = feature < p.features ? (int)(p.samples - sample) : 0;
    const float *from = p.X + sample * p.x_stride + feature;
    float *at = to + threadIdx.x / WIDTH * shape::LDX + threadIdx.x % WIDTH * 4;
#pragma unroll
    for (int i = 0; i < LINES; i += STEP)
        copy_16(at + i * shape::LDX, i < left ? from + i * p.x_stride : p.X, i < left);
    if (threadIdx.x == 0) {
        constexpr uint32_t bytes = 4 * shape::KEY_SIZE;
        const int64_t key = first_key * shape::KP * 2;
        barrier_expect(full, 2 * bytes);
        copy_row(to + shape::X_SIZE, p.keys.columns + key, bytes, full);
        copy_row(to + shape::X_SIZE + shape::KEY_SIZE, p.keys.rows + key, bytes, full);
    }
}

/* x of a row and two neighbouring keys. */
template <typename shape> __device__ inline float2 entries(const float *x, int row, int key)
{
    return shape::TRANSPOSED
               ? make_float2(x[key * shape::LDX + row], x[(key + 1) * shape::LDX + row])
               : *(const float2 *)(x + row * shape::LDX + key);
}

/* c += a b, of N among `columns` columns; each b's high part lies before its low part, and the next
 * one behind them. The small products first. EXACT: as in tensor.cuh. */
template <int N, int COUNT, bool EXACT>
__device__ inline void multiply_groups(float (&c)[N / 2], const tile_rows (&a)[COUNT],
                                       const float *b, int columns)
{
    const int low = 8 * columns;
    group_begin();
    if (EXACT)
#pragma unroll
        for (int i = 0; i < COUNT; i++) {
            multiply_group<N>(c, a[i].low, describe_columns(b + 2 * low * i, columns));
            multiply_group<N>(c, a[i].high, describe_columns(b + 2 * low * i + low, columns));
        }
#pragma unroll
    for (int i = 0; i < COUNT; i++)
        multiply_group<N>(c, a[i].high, describe_columns(b + 2 * low * i, columns));
    group_end(c);
}

/* The quotient, and what x adds to the divergence. */
template <bool MEASURES> __device__ inline float quotient(float x, float fit, float &divergence)
{
    const float p = __fdividef(x, fmaxf(fit, limits<float>::floor));
    if (MEASURES)
        divergence += x * __logf(fmaxf(p, limits<float>::floor));
    return p;
}

/* The rows' factor. */
template <typename shape> struct own_rows {
    float numbers[shape::NT][4];
};

/* The fits of 64 rows and the keys of a stage. */
template <typename shape, bool EXACT>
__device__ inline void make_fits(float (&Y)[KEYS / 2], own_rows<shape> &own, const float *key_rows)
{
    constexpr int TOGETHER = shape::NT < 8 ? shape::NT : 8;
#pragma unroll
    for (int first = 0; first < shape::NT; first += TOGETHER) {
        tile_rows a[TOGETHER];
#pragma unroll
        for (int j = 0; j < TOGETHER; j++) {
            float(&v)[4] = own.numbers[first + j];
            if (shape::NT > 8) /* split anew for each stage: there are no registers for it */
                asm volatile("" : "+f"(v[0]), "+f"(v[1]), "+f"(v[2]), "+f"(v[3]));
            a[j] = split_rows(v[0], v[1], v[2], v[3]);
        }
        multiply_groups<KEYS, TOGETHER, EXACT>(Y, a, key_rows + first * 16 * KEYS, KEYS);
    }
}

/* The row of a lane's first numbers, among those of a block. */
__device__ inline int own_row()
{
    return threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4;
}

/* sums += P keys of a stage. */
template <typename shape, bool EXACT>
__device__ inline void add_stage(float (&sums)[shape::KP / 2], own_rows<shape> &own,
                                 const float *stage, float &divergence)
{
    constexpr int WIDTH = shape::KP > 64 ? 64 : shape::KP; /* columns at once */
    const int row = own_row(), t = threadIdx.x % 4;
    const float *keys = stage + shape::X_SIZE;
    float Y[KEYS / 2] = {};
    make_fits<shape, EXACT>(Y, own, keys + shape::KEY_SIZE);
    tile_rows P[KEYS / 8];
#pragma unroll
    for (int s = 0; s < KEYS / 8; s++) {
        float2 x = entries<shape>(stage, row, 8 * s + 2 * t),
               z = entries<shape>(stage, row + 8, 8 * s + 2 * t);
        x.x = quotient<shape::TRANSPOSED>(x.x, Y[4 * s], divergence);
        x.y = quotient<shape::TRANSPOSED>(x.y, Y[4 * s + 1], divergence);
        z.x = quotient<shape::TRANSPOSED>(z.x, Y[4 * s + 2], divergence);
        z.y = quotient<shape::TRANSPOSED>(z.y, Y[4 * s + 3], divergence);
        P[s] = split_rows(x.x, z.x, x.y, z.y);
    }
#pragma unroll
    for (int first = 0; first < shape::KP; first += WIDTH) {
        float part[WIDTH / 2] = {};
        multiply_groups<WIDTH, KEYS / 8, EXACT>(part, P, keys + first * 4, shape::KP);
#pragma unroll
        for (int e = 0; e < WIDTH / 2; e++)
            sums[first / 2 + e] += part[e];
    }
}

template <typename shape>
__device__ inline void load_own(own_rows<shape> &own, const keyed_arguments &p, int64_t first_row)
{
    const int64_t row = first_row + own_row(), count = shape::TRANSPOSED ? p.features : p.samples;
#pragma unroll
    for (int j = 0; j < shape::NT; j++) {
        const float *at = p.rows + row * shape::KP + 8 * j + threadIdx.x % 4 * 2;
        const float2 none = {0, 0}, v = row < count ? *(const float2 *)at : none,
                     w = row + 8 < count ? *(const float2 *)(at + 8 * shape::KP) : none;
        own.numbers[j][0] = v.x;
        own.numbers[j][1] = w.x;
        own.numbers[j][2] = v.y;
        own.numbers[j][3] = w.y;
    }
}

/* The ring of stages; `turn` counts those that were used. */
struct stage_ring {
    float *memory;
    uint64_t *full; /* of each stage: its keys are there */
    int turn;
};

/* The steps `first` to `first + count` of a block of rows. */
template <typename shape, bool EXACT>
__device__ inline void make_run(const keyed_arguments &p, stage_ring &ring, int64_t first_row,
                                int64_t first, int count, float *to, double &divergence)
{
    constexpr int AHEAD = shape::STAGES - 1;
    const auto load = [&](int step) {
        const int stage = (ring.turn + step) % shape::STAGES;
        load_stage<shape>(p, ring.memory + stage * shape::STAGE, ring.full + stage, first_row,
                          (first + step) * KEYS);
    };
    __syncthreads(); /* the run before has read its stages */
#pragma unroll
    for (int s = 0; s < AHEAD; s++) {
        if (s < count)
            load(s);
        copies_end();
    }
    own_rows<shape> own;
    float sums[shape::KP / 2] = {};
    load_own<shape>(own, p, first_row);
    for (int step = 0; step < count; step++) {
        const int turn = ring.turn + step, stage = turn % shape::STAGES;
        copies_wait<AHEAD - 1>();
        __syncthreads();
        if (step + AHEAD < count)
            load(step + AHEAD);
        copies_end();
        barrier_wait(ring.full + stage, (uint32_t)(turn / shape::STAGES % 2));
        float part = 0;
        add_stage<shape, EXACT>(sums, own, ring.memory + stage * shape::STAGE, part);
        divergence += (double)part;
    }
    ring.turn += count;
    to += (first_row + own_row()) * shape::KP + threadIdx.x % 4 * 2;
#pragma unroll
    for (int j = 0; j < shape::NT; j++) {
        *(float2 *)(to + 8 * j) = make_float2(sums[4 * j], sums[4 * j + 1]);
        *(float2 *)(to + 8 * j + 8 * shape::KP) = make_float2(sums[4 * j + 2], sums[4 * j + 3]);
    }
}

/* *to = the sum over a block's threads. */
template <int THREADS> __device__ inline void block_total(double value, double *parts, double *to)
{
    for (int width = 16; width > 0; width /= 2)
        value += __shfl_xor_sync(0xffffffffu, value, width);
    __syncthreads();
    if (threadIdx.x % 32 == 0)
        parts[threadIdx.x / 32] = value;
    __syncthreads();
    if (threadIdx.x == 0) {
        double total = 0;
        for (int i = 0; i < THREADS / 32; i++)
            total += parts[i];
        *to = total;
    }
}

template <typename shape, bool EXACT>
__global__ void __launch_bounds__(shape::THREADS, 1) keyed_pass(const keyed_arguments p)
{
    extern __shared__ __align__(128) float memory[];
    const int64_t rows = shape::TRANSPOSED ? p.features : p.samples,
                  all = (rows + shape::ROWS - 1) / shape::ROWS * p.plan.steps;
    const int64_t begin = blockIdx.x * p.plan.share,
                  end = begin + p.plan.share < all ? begin + p.plan.share : all;
    double divergence = 0;
    stage_ring ring = {memory, (uint64_t *)(memory + shape::STAGES * shape::STAGE), 0};
    if (threadIdx.x == 0)
        for (int i = 0; i < shape::STAGES; i++)
            barrier_init(ring.full + i, 1);
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    for (int64_t at = begin; at < end;) {
        const int64_t block = at / p.plan.steps, first = at % p.plan.steps,
                      left = p.plan.steps - first, count = end - at < left ? end - at : left;
        make_run<shape, EXACT>(p, ring, block * shape::ROWS, first, (int)count,
                               p.runs + (blockIdx.x - p.plan.first_run(block)) * p.run_size,
                               divergence);
        at += count;
    }
    if constexpr (shape::TRANSPOSED)
        block_total<shape::THREADS>(divergence, (double *)memory, p.divergence + blockIdx.x);
}

template <int KP, int GROUPS, int STAGES, bool TRANSPOSED, bool EXACT> keyed_side make_side()
{
    using shape = keyed_shape<KP, GROUPS, STAGES, TRANSPOSED>;
    static_assert(shape::BYTES <= 232448, "more shared memory than a block may have");
    return {shape::ROWS, shape::THREADS, shape::BYTES, KEYS,
            (const void *)keyed_pass<shape, EXACT>};
}

/* Of both passes; where their registers allow, over the samples with more groups of warps. */
template <bool EXACT, int KP, int GROUPS, int STAGES, int SAMPLE_GROUPS = GROUPS,
          int SAMPLE_STAGES = STAGES>
keyed_kind make_kind()
{
    return {KP, make_side<KP, SAMPLE_GROUPS, SAMPLE_STAGES, false, EXACT>(),
            make_side<KP, GROUPS, STAGES, true, EXACT>()};
}

#endif
