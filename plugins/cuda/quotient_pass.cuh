/* Sums over the quotients P = X ./ (S W') by products with the rows of a factor, its keys, single
 * precision, X dense:
 *
 *     N = P W  for the rows of S with those of W as keys,    A = P' S  the other way round.
 *
 * Nothing of X's size is stored. Groups of four warps have 64 rows each. 64 keys and the tiles of X
 * that they meet come into a ring of stages in shared memory (tile_ring.cuh):
 *
 *          keys ->
 *     rows  +------+    Y = rows keys'     on the tensor cores, into registers
 *       |   |  X   |    P = X ./ Y         there; the layout of a product's result is that of the
 *       v   +------+                       next one's left side
 *                       sums += P keys     into registers, to the end of the run
 *
 * Each number times a power of two is the sum of two of half precision, and three of the four
 * products are summed (split_pass.cuh). Each row and each key has its own power, by which its
 * largest number is just below 2^15. The sums do not see those of the keys, as
 *
 *     x / (2^e s_i'w_j) 2^e w_j = x / (s_i'w_j) w_j,
 *
 * and see that of the rows as a factor. The quotients of a row and a stage have a power of their
 * own. A fit below 2^-40 of what the largest numbers of its row and key could give is taken as
 * none, and its quotient as 0.
 *
 * Tensor cores cut off what does not fit into a sum, so that the products of a stage are summed
 * apart and added by ordinary additions. */
#ifndef CUDA_QUOTIENT_PASS_CUH
#define CUDA_QUOTIENT_PASS_CUH

#include "half_group.cuh"
#include "halves.cuh"
#include "quotients.cuh"
#include "tile_ring.cuh"

#define LEAST_FIT 0x1p-10f

/* KP: columns of the factors; TRANSPOSED: the rows are features. */
template <int KP_, int GROUPS_, int STAGES_, bool TRANSPOSED_, int PLANES_> struct quotient_shape {
    static constexpr int KP = KP_, GROUPS = GROUPS_, STAGES = STAGES_, PLANES = PLANES_;
    static constexpr bool TRANSPOSED = TRANSPOSED_;
    static constexpr int ROWS = TILE * GROUPS, THREADS = 128 * (GROUPS + 1);
    static constexpr int X_BYTES = QUOTIENT_TILE_BYTES, KEY_BYTES = quotient_key_bytes(KP, PLANES);
    static constexpr int REGISTERS = GROUPS == 2 ? 232 : 152, FEW_REGISTERS = 40;
    static constexpr int STEPS = KP / 16; /* of the inner index of Y */
    /* Bytes between the keys' blocks. */
    static constexpr int KEY_STEP = KP / 8 * BLOCK_BYTES * PLANES, KEY_LOW = KP / 8 * BLOCK_BYTES;
};

/* Of a group's 64 rows and 16 inner indices, in the registers of half_rows; the low parts are not
 * there with one plane. */
struct half_tile {
    uint32_t high[4], low[4];
};

__device__ inline half_tile split_tile(float2 a, float2 b, float2 c, float2 d)
{
    const split_pair s0 = split_halves(a.x, a.y), s1 = split_halves(b.x, b.y),
                     s2 = split_halves(c.x, c.y), s3 = split_halves(d.x, d.y);
    return {{s0.high, s1.high, s2.high, s3.high}, {s0.low, s1.low, s2.low, s3.low}};
}

__device__ inline float2 operator*(float2 a, float b)
{
    return make_float2(a.x * b, a.y * b);
}

/* c = a b, N columns; `step` from a 16th of the inner index to the next one, `low` to the low parts
 * of b, as describe_blocks has them. The small products first. */
template <int N, bool TRANSPOSED, int PLANES, int COUNT>
__device__ inline void multiply_tiles(float (&c)[N / 2], const half_tile (&a)[COUNT], uint64_t b,
                                      uint64_t step, uint64_t low)
{
    group_begin();
    if (PLANES == 2)
#pragma unroll
        for (int i = 0; i < COUNT; i++) {
            half_rows<N>::template multiply<TRANSPOSED>(c, a[i].low, b + i * step, i > 0);
            half_rows<N>::template multiply<TRANSPOSED>(c, a[i].high, b + i * step + low, true);
        }
#pragma unroll
    for (int i = 0; i < COUNT; i++)
        half_rows<N>::template multiply<TRANSPOSED>(c, a[i].high, b + i * step,
                                                    PLANES == 2 || i > 0);
    group_end(c);
}

/* The largest of four neighbouring lanes' numbers. */
__device__ inline float most_of_four(float v)
{
    v = fmaxf(v, __shfl_xor_sync(0xffffffffu, v, 1));
    return fmaxf(v, __shfl_xor_sync(0xffffffffu, v, 2));
}

/* A lane's two rows, neighbours in their factor: the upper one is row g of half_rows's, the lower
 * one row g + 8. */
template <typename shape> struct own_rows {
    half_tile numbers[shape::STEPS];
    float upper, lower; /* their powers of two */

    __device__ own_rows(const float *rows, int64_t row, int64_t count)
    {
        constexpr int STEPS = shape::STEPS;
        float2 v[STEPS][4];
        float most[2] = {};
#pragma unroll
        for (int i = 0; i < STEPS; i++)
#pragma unroll
            for (int e = 0; e < 4; e++) {
                const float *at =
                    rows + (row + e % 2) * shape::KP + 16 * i + e / 2 * 8 + threadIdx.x % 4 * 2;
                v[i][e] = row + e % 2 < count ? *(const float2 *)at : make_float2(0, 0);
                most[e % 2] = fmaxf(most[e % 2], fmaxf(v[i][e].x, v[i][e].y));
            }
        upper = power_for(most_of_four(most[0])).x;
        lower = power_for(most_of_four(most[1])).x;
#pragma unroll
        for (int i = 0; i < STEPS; i++)
            numbers[i] =
                split_tile(v[i][0] * upper, v[i][1] * lower, v[i][2] * upper, v[i][3] * lower);
    }
};

/* Where a lane finds x of its two rows and of keys 2t, 2t + 1 of each eight: 16 bytes, by samples.
 */
template <typename shape> struct tile_reader {
    int even, odd; /* of the first and the second eight keys, ... */

    __device__ tile_reader()
    {
        const int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4,
                  pair = threadIdx.x / 32 % 4 * 8 + g;
        if (shape::TRANSPOSED) {
            even = odd = t * 512 + (pair ^ tile_order(t)) * 16;
        } else {
            even = pair * 512 + (t ^ tile_order(g)) * 16;
            odd = pair * 512 + ((t + 4) ^ tile_order(g)) * 16;
        }
    }
    __device__ float4 operator()(const char *tile, int eight) const
    {
        constexpr int STEP = shape::TRANSPOSED ? 4 * 512 : 4 * 16;
        const int from = eight % 2 && !shape::TRANSPOSED ? odd - STEP : even;
        return *(const float4 *)(tile + from + eight * STEP);
    }
};

/* The inverse of a fit; none of no fit. */
__device__ inline float inverse_of(float fit)
{
    float inverse;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(inverse) : "f"(fit));
    return fit > LEAST_FIT ? inverse : 0;
}

/* What x adds to the divergence; `scaled` is the inverse of its fit, 0 of no fit. */
__device__ inline float divergence_of(float x, float scaled)
{
    const float ratio = x * (scaled > 0 ? scaled : 1 / limits<float>::floor);
    return x * __logf(fmaxf(ratio, limits<float>::floor));
}

/* Y, fits of a group's rows and a stage's keys, become the quotients with X. */
template <typename shape>
__device__ inline void divide(float (&Y)[TILE / 2], const own_rows<shape> &own, const char *tile,
                              const float *powers, float &divergence)
{
    const tile_reader<shape> read;
#pragma unroll
    for (int j = 0; j < TILE / 8; j++) {
        const float4 v = read(tile, j);
        const float x[4] = {v.x, shape::TRANSPOSED ? v.z : v.y, shape::TRANSPOSED ? v.y : v.z, v.w};
        float2 power = {0, 0};
        if (shape::TRANSPOSED)
            power = *(const float2 *)(powers + 8 * j + threadIdx.x % 4 * 2);
#pragma unroll
        for (int e = 0; e < 4; e++) {
            const float inverse = inverse_of(Y[4 * j + e]);
            if (shape::TRANSPOSED)
                divergence += divergence_of(x[e], inverse * (e % 2 ? power.y : power.x) *
                                                      (e / 2 ? own.lower : own.upper));
            Y[4 * j + e] = x[e] * inverse;
        }
    }
}

/* P, times the powers of two of its two rows, whose inverses are `upper` and `lower`. */
__device__ inline void split_quotients(half_tile (&P)[TILE / 16], const float (&Y)[TILE / 2],
                                       float &upper, float &lower)
{
    float most[2] = {};
#pragma unroll
    for (int i = 0; i < TILE / 2; i++)
        most[i / 2 % 2] = fmaxf(most[i / 2 % 2], Y[i]);
    const float2 first = power_for(most_of_four(most[0])),
                 second = power_for(most_of_four(most[1]));
#pragma unroll
    for (int i = 0; i < TILE / 16; i++) {
        const float *y = Y + 8 * i;
        P[i] = split_tile(make_float2(y[0], y[1]) * first.x, make_float2(y[2], y[3]) * second.x,
                          make_float2(y[4], y[5]) * first.x, make_float2(y[6], y[7]) * second.x);
    }
    upper = first.y;
    lower = second.y;
}

/* sums += P keys of a stage. */
template <typename shape>
__device__ inline void add_stage(float (&sums)[shape::KP / 2], const own_rows<shape> &own,
                                 const char *tile, const char *keys, float &divergence)
{
    constexpr int KP = shape::KP, WIDTH = KP > 64 ? 64 : KP; /* columns at once */
    float Y[TILE / 2], upper, lower;
    half_tile P[TILE / 16];
    multiply_tiles<TILE, false, shape::PLANES>(Y, own.numbers,
                                               describe_blocks(keys, BLOCK_BYTES, shape::KEY_STEP),
                                               2 * BLOCK_BYTES >> 4, shape::KEY_LOW >> 4);
    divide<shape>(Y, own, tile, (const float *)(keys + shape::KEY_BYTES) - TILE, divergence);
    split_quotients(P, Y, upper, lower);
#pragma unroll
    for (int first = 0; first < KP; first += WIDTH) {
        float part[WIDTH / 2];
        multiply_tiles<WIDTH, true, shape::PLANES>(
            part, P, describe_blocks(keys + first / 8 * BLOCK_BYTES, shape::KEY_STEP, BLOCK_BYTES),
            2 * shape::KEY_STEP >> 4, shape::KEY_LOW >> 4);
#pragma unroll
        for (int e = 0; e < WIDTH / 2; e++)
            sums[first / 2 + e] += part[e] * (e / 2 % 2 ? lower : upper);
    }
}

/* The sums of a run of `count` steps. */
template <typename shape>
__device__ inline void sum_quotients(const quotient_arguments &p, tile_ring &ring,
                                     int64_t first_row, int count, float *to, double &divergence)
{
    constexpr int KP = shape::KP;
    const int64_t rows = shape::TRANSPOSED ? p.features : p.samples;
    const int group = threadIdx.x / 128, lane = threadIdx.x % 32;
    const int64_t row = first_row + threadIdx.x / 32 * 16 + lane / 4 * 2;
    const bool there = first_row + group * TILE < rows; /* of the others no tile comes */
    const own_rows<shape> own(p.rows, row, rows);
    float sums[KP / 2] = {};
    for (int step = 0; step < count; step++, ring.turn++) {
        const char *at = ring_stage<shape>(ring), *keys = at + shape::GROUPS * shape::X_BYTES;
        float part = 0;
        ring_wait<shape>(ring);
        if (there)
            add_stage<shape>(sums, own, at + group * shape::X_BYTES, keys, part);
        ring_free<shape>(ring, 0);
        divergence += (double)part;
    }
    to += row * KP + lane % 4 * 2;
#pragma unroll
    for (int j = 0; j < KP / 8; j++) {
        *(float2 *)(to + 8 * j) = make_float2(sums[4 * j], sums[4 * j + 1]) * own.upper;
        *(float2 *)(to + 8 * j + KP) = make_float2(sums[4 * j + 2], sums[4 * j + 3]) * own.lower;
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

template <typename shape>
__global__ void __launch_bounds__(shape::THREADS, 1) quotient_pass(const quotient_arguments p)
{
    extern __shared__ __align__(128) char memory[];
    double divergence = 0;
    tile_ring ring = ring_begin<shape>(memory);
    follow_launch();
    run_tiles<shape>(p, ring, [&](int64_t row, int count, float *to) {
        sum_quotients<shape>(p, ring, row, count, to, divergence);
    });
    if constexpr (shape::TRANSPOSED)
        block_total<shape::THREADS>(divergence, (double *)memory, p.divergence + blockIdx.x);
}

template <int KP, int GROUPS, int STAGES, bool TRANSPOSED, int PLANES>
keyed_side make_quotient_side()
{
    using shape = quotient_shape<KP, GROUPS, STAGES, TRANSPOSED, PLANES>;
    static_assert(ring_bytes<shape>() <= 232448, "more shared memory than a block may have");
    return {shape::ROWS, shape::THREADS, ring_bytes<shape>(), (const void *)quotient_pass<shape>};
}

#endif
