/* Sums over X by products with the rows of a factor, its keys, with X split (split.cuh):
 *
 *     N = X W  for the rows of S with those of W as keys,    A = X' S  the other way round.
 *
 * Each number times a power of two is the sum of two of half precision, x 2^e = high + low, and
 * high high + high low + low high is summed. The power is one of each sample of X, and of each
 * column of TILE rows of a factor, and brings the largest number just below 2^15: a number keeps 22
 * bits if it is above 2^-17 of the largest beside it, and smaller ones are rounded to multiples of
 * 2^-39 of that. The powers of the samples are in the numerators N, and in the keys of the
 * encodings.
 *
 * A block has GROUPS times 64 rows. One warp brings tiles of X and keys into a ring of stages by
 * the copy engine; each of the others' groups of four warps multiplies its 64 rows by the stage's
 * keys where they lie:
 *
 *          keys ->        sums of a stage: on the tensor cores, which cut off what does not fit
 *     rows  +------+      into a sum,
 *       |   |  X   |      all stages: added up in registers by ordinary additions, to the end
 *       v   +------+      of the run
 *
 * Both ways read the same tiles: a block of 8 x 8 halves is read as it is or transposed. */
#ifndef CUDA_SPLIT_PASS_CUH
#define CUDA_SPLIT_PASS_CUH

#include "half_group.cuh"
#include "split.cuh"
#include "tile_ring.cuh"

#define TILE_BLOCKS (TILE / 8)

/* KP: columns of the factors; TRANSPOSED: the rows are features. */
template <int KP_, int GROUPS_, int STAGES_, bool TRANSPOSED_, int PLANES_> struct split_shape {
    static constexpr int KP = KP_, GROUPS = GROUPS_, STAGES = STAGES_, PLANES = PLANES_;
    static constexpr bool TRANSPOSED = TRANSPOSED_;
    static constexpr int ROWS = TILE * GROUPS, THREADS = 128 * (GROUPS + 1);
    static constexpr int X_BYTES = TILE * TILE * 2 * PLANES, KEY_BYTES = key_bytes(KP, PLANES);
    static constexpr int REGISTERS = KP > 64 ? 152 : 0, FEW_REGISTERS = 56;
    /* Bytes between a tile's blocks in a stage, along its rows and along the keys. */
    static constexpr int STEP = BLOCK_BYTES * PLANES, FAR = STEP * TILE_BLOCKS,
                         ALONG_ROWS = TRANSPOSED ? FAR : STEP, ALONG_KEYS = TRANSPOSED ? STEP : FAR;
};

/* part = X keys of a stage and a group's rows. The small products first. */
template <typename shape>
__device__ inline void multiply_stage(float (&part)[shape::KP / 2], const char *x, const char *keys)
{
    constexpr int KP = shape::KP, KEY_STEP = KP / 8 * BLOCK_BYTES * shape::PLANES,
                  KEY_LOW = KP / 8 * BLOCK_BYTES;
    constexpr bool TRANSPOSED = shape::TRANSPOSED;
    constexpr int STEPS = TILE / 16;
    const uint64_t a = describe_blocks(x, shape::ALONG_KEYS, shape::ALONG_ROWS),
                   b = describe_blocks(keys, KEY_STEP, BLOCK_BYTES);
    constexpr uint64_t A_STEP = 2 * shape::ALONG_KEYS >> 4, A_LOW = BLOCK_BYTES >> 4,
                       B_STEP = 2 * KEY_STEP >> 4, B_LOW = KEY_LOW >> 4;
    group_begin();
    if (shape::PLANES == 2)
#pragma unroll
        for (int i = 0; i < STEPS; i++) {
            half_group<KP>::template multiply<TRANSPOSED>(part, a + i * A_STEP + A_LOW,
                                                          b + i * B_STEP, i > 0);
            half_group<KP>::template multiply<TRANSPOSED>(part, a + i * A_STEP,
                                                          b + i * B_STEP + B_LOW, true);
        }
#pragma unroll
    for (int i = 0; i < STEPS; i++)
        half_group<KP>::template multiply<TRANSPOSED>(part, a + i * A_STEP, b + i * B_STEP,
                                                      shape::PLANES == 2 || i > 0);
    group_end(part);
}

/* The sums of a run of `count` steps. */
template <typename shape>
__device__ inline void sum_run(const split_arguments &p, tile_ring &ring, int64_t first_row,
                               int count, float *to)
{
    constexpr int KP = shape::KP;
    const int group = threadIdx.x / 128, lane = threadIdx.x % 32, t = lane % 4;
    float sums[KP / 2] = {};
    for (int step = 0; step < count; step++, ring.turn++) {
        const char *at = ring_stage<shape>(ring), *keys = at + shape::GROUPS * shape::X_BYTES;
        float part[KP / 2];
        ring_wait<shape>(ring);
        multiply_stage<shape>(part, at + group * shape::X_BYTES, keys);
        const float *back = (const float *)(keys + TILE * KP * 2 * shape::PLANES) + 2 * t;
        uint32_t loaded = 0;
#pragma unroll
        for (int j = 0; j < KP / 8; j++) {
            const float2 b = *(const float2 *)(back + 8 * j);
            loaded |= __float_as_uint(b.x) | __float_as_uint(b.y);
            sums[4 * j] += part[4 * j] * b.x;
            sums[4 * j + 1] += part[4 * j + 1] * b.y;
            sums[4 * j + 2] += part[4 * j + 2] * b.x;
            sums[4 * j + 3] += part[4 * j + 3] * b.y;
        }
        ring_free<shape>(ring, loaded);
    }
    const int64_t row = first_row + threadIdx.x / 32 * 16 + lane / 4;
    float upper = 1, lower = 1;
    if (!shape::TRANSPOSED) {
        upper = row < p.samples ? p.back[row] : 0;
        lower = row + 8 < p.samples ? p.back[row + 8] : 0;
    }
    to += row * KP + 2 * t;
#pragma unroll
    for (int j = 0; j < KP / 8; j++) {
        *(float2 *)(to + 8 * j) = make_float2(sums[4 * j] * upper, sums[4 * j + 1] * upper);
        *(float2 *)(to + 8 * j + 8 * KP) =
            make_float2(sums[4 * j + 2] * lower, sums[4 * j + 3] * lower);
    }
}

template <typename shape>
__global__ void __launch_bounds__(shape::THREADS, 1) split_pass(const split_arguments p)
{
    extern __shared__ __align__(128) char memory[];
    tile_ring ring = ring_begin<shape>(memory);
    follow_launch();
    run_tiles<shape>(p, ring, [&](int64_t row, int count, float *to) {
        sum_run<shape>(p, ring, row, count, to);
    });
}

template <int KP, int GROUPS, int STAGES, bool TRANSPOSED, int PLANES> keyed_side make_side()
{
    using shape = split_shape<KP, GROUPS, STAGES, TRANSPOSED, PLANES>;
    static_assert(ring_bytes<shape>() <= 232448, "more shared memory than a block may have");
    return {shape::ROWS, shape::THREADS, ring_bytes<shape>(), (const void *)split_pass<shape>};
}

template <int KP, int GROUPS, int STAGES, int PLANES> keyed_kind make_kind()
{
    return {KP, make_side<KP, GROUPS, STAGES, false, PLANES>(),
            make_side<KP, GROUPS, STAGES, true, PLANES>()};
}

#endif
