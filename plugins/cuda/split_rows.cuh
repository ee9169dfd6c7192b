/* New rows of a factor, the keys that they become (split.cuh), and their Gram matrix.
 *
 * A group of four warps has TILE rows at a time. Denominators, the rows times a square matrix, and
 * the Gram matrix are products of split numbers on the tensor cores, from shared memory, all four
 * products:
 *
 *     D = S G      S with a power of two for each row, G with one for each column
 *     S'S          of the new rows, with a power for each column
 *
 * Sums of 16 are added up by ordinary additions: see gram_share.
 *
 * A thread has of two rows four columns of each 16: those of a product's result, with the columns
 * of the square permuted. */
#ifndef CUDA_SPLIT_ROWS_CUH
#define CUDA_SPLIT_ROWS_CUH

#include "split_gram.cuh"

struct split_four {
    uint2 high, low;
};

__device__ inline split_four split_numbers(float4 v, float4 power)
{
    const split_pair a = split_halves(v.x * power.x, v.y * power.y),
                     b = split_halves(v.z * power.z, v.w * power.w);
    return {make_uint2(a.high, b.high), make_uint2(a.low, b.low)};
}

__device__ inline float4 operator*(float4 a, float b)
{
    return make_float4(a.x * b, a.y * b, a.z * b, a.w * b);
}

__device__ inline float most_of(float4 v)
{
    return fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w));
}

/* Where four columns of a row lie among blocks of rows that are `step` bytes apart. */
__device__ inline int four_at(int row, int column, int step)
{
    return row / 8 * step + column / 8 * BLOCK_BYTES + row % 8 * 16 + column % 8 * 2;
}

/* A thread's first four; those of 16 s and the lower row are 2 s blocks and `step` on. */
__device__ inline int own_four(int step)
{
    return four_at(upper_row(), threadIdx.x % 4 * 4, step);
}

__device__ inline void write_four(char *to, int low, const split_four &s)
{
    *(uint2 *)to = s.high;
    *(uint2 *)(to + low) = s.low;
}

/* The square matrix, each column split with a power of its own. Within 16 columns they are
 * permuted, so that the columns of a product that a thread gets are its own: column 8 j + 2 t + e
 * is 16 (j / 2) + 4 t + 2 (j % 2) + e. `plain`: PAD x PAD numbers. */
template <int KP>
__device__ inline void split_square(char *to, float *inverses, float *plain, const float *square)
{
    constexpr int PAD = rows_shape<KP>::PAD, FOURS = PAD / 4;
#pragma unroll 4
    for (int i = threadIdx.x; i < PAD * FOURS; i += rows_shape<KP>::THREADS) {
        const int row = i / FOURS, column = i % FOURS * 4;
        const float4 v = row < KP && column < KP ? *(const float4 *)(square + row * KP + column)
                                                 : make_float4(0, 0, 0, 0);
        float *line = plain + row * PAD + column / 16 * 16 + column % 16 / 2;
        *(float2 *)line = make_float2(v.x, v.y);
        *(float2 *)(line + 8) = make_float2(v.z, v.w);
    }
    __syncthreads();
    for (int c = threadIdx.x; c < PAD; c += rows_shape<KP>::THREADS) {
        float most = 0;
#pragma unroll 8
        for (int row = 0; row < PAD; row++)
            most = fmaxf(most, plain[row * PAD + c]);
        inverses[c] = power_for(most).y;
    }
    __syncthreads();
#pragma unroll 2
    for (int i = threadIdx.x; i < PAD * FOURS; i += rows_shape<KP>::THREADS) {
        const int row = i / FOURS, column = i % FOURS * 4;
        const float4 back = *(const float4 *)(inverses + column),
                     power = make_float4(__frcp_rn(back.x), __frcp_rn(back.y), __frcp_rn(back.z),
                                         __frcp_rn(back.w));
        write_four(to + four_at(row, column, rows_shape<KP>::STEP), rows_shape<KP>::LOW,
                   split_numbers(*(const float4 *)(plain + row * PAD + column), power));
    }
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
}

/* The rows into the group's tile, each with a power of its own, whose inverses are `inverse`. */
template <int KP>
__device__ inline void write_rows(const rows_memory<KP> &memory, lane_rows<KP> &v,
                                  float (&inverse)[2])
{
    using shape = rows_shape<KP>;
    float power[2], most[2] = {};
    char *to = memory.tile + own_four(shape::STEP);
    each_four<KP>(v, [&](float4 &x, int, int r) { most[r] = fmaxf(most[r], most_of(x)); });
#pragma unroll
    for (int r = 0; r < 2; r++) {
        most[r] = fmaxf(most[r], __shfl_xor_sync(0xffffffffu, most[r], 1));
        const float2 found = power_for(fmaxf(most[r], __shfl_xor_sync(0xffffffffu, most[r], 2)));
        power[r] = found.x;
        inverse[r] = found.y;
    }
    each_four<KP>(v, [&](float4 &x, int s, int r) {
        write_four(to + r * shape::STEP + 2 * s * BLOCK_BYTES, shape::LOW,
                   split_numbers(x, make_float4(power[r], power[r], power[r], power[r])));
    });
}

/* The columns of a tile from `first` on times the square: raw, for the powers' inverses. */
template <int KP>
__device__ inline void multiply_square(float (&D)[rows_shape<KP>::WIDTH / 2],
                                       const rows_memory<KP> &memory, int first)
{
    using shape = rows_shape<KP>;
    constexpr int WIDTH = shape::WIDTH;
    const uint64_t a = describe_blocks(memory.tile, BLOCK_BYTES, shape::STEP),
                   b = describe_blocks(memory.square + first / 8 * BLOCK_BYTES, shape::STEP,
                                       BLOCK_BYTES);
    constexpr uint64_t A_STEP = 2 * BLOCK_BYTES >> 4, B_STEP = 2 * shape::STEP >> 4,
                       LOW = shape::LOW >> 4;
#pragma unroll
    for (int e = 0; e < WIDTH / 2; e++)
        D[e] = 0;
#pragma unroll
    for (int i = 0; i < shape::SIXTEENS; i++) {
        float part[WIDTH / 2];
        group_begin();
#pragma unroll
        for (int j = 0; j < shape::SIXTEENS && i == 0; j++) {
            half_group<WIDTH>::template multiply<false>(part, a + j * A_STEP + LOW,
                                                        b + j * B_STEP + LOW, j > 0);
            half_group<WIDTH>::template multiply<false>(part, a + j * A_STEP + LOW, b + j * B_STEP,
                                                        true);
            half_group<WIDTH>::template multiply<false>(part, a + j * A_STEP, b + j * B_STEP + LOW,
                                                        true);
        }
        half_group<WIDTH>::template multiply<false>(part, a + i * A_STEP, b + i * B_STEP, i == 0);
        group_end(part);
#pragma unroll
        for (int e = 0; e < WIDTH / 2; e++)
            D[e] += part[e];
    }
}

/* What a tile's rows are made from beside themselves. */
struct tile_needs {
    int runs;        /* of the numerators */
    float factor[2]; /* of the upper and the lower row */

    __device__ tile_needs(const refresh_arguments &p, int64_t first)
    {
        const run_list &from = p.numerators;
        const int64_t row = first + upper_row();
        runs = from.counts && first < p.count ? from.counts[(int)first / from.rows] : 1;
        factor[0] = p.factor && row < p.count ? p.factor[row] : 1;
        factor[1] = p.factor && row + 8 < p.count ? p.factor[row + 8] : 1;
    }
};

/* What an update makes of four numbers at `at` of their factor, if it is not the plain one. */
static __device__ __noinline__ float4 other_update(float4 v, float4 N, float4 D, double exponent,
                                                   const extrapolation<float> on, int64_t at)
{
    return make_float4(
        on(updated(v.x, N.x, D.x, exponent), at), on(updated(v.y, N.y, D.y, exponent), at + 1),
        on(updated(v.z, N.z, D.z, exponent), at + 2), on(updated(v.w, N.w, D.w, exponent), at + 3));
}

__device__ inline float4 updated_four(float4 v, float4 N, float4 D)
{
    return make_float4(updated(v.x, N.x, D.x, 1), updated(v.y, N.y, D.y, 1),
                       updated(v.z, N.z, D.z, 1), updated(v.w, N.w, D.w, 1));
}

/* v becomes the new rows, in memory too. */
template <int KP>
__device__ inline void update_tile(lane_rows<KP> &v, const refresh_arguments &p,
                                   const rows_memory<KP> &memory, int64_t first, int runs)
{
    using shape = rows_shape<KP>;
    constexpr int EACH = shape::WIDTH / 16;
    const bool there[2] = {first + upper_row() < p.count, first + upper_row() + 8 < p.count},
               plain = p.exponent == 1 && !p.on.before;
    const int64_t own = own_place<KP>(first);
    float back[2];
    write_rows<KP>(memory, v, back);
    group_sync();
#pragma unroll
    for (int begin = 0; begin < shape::SIXTEENS; begin += EACH) {
        float D[shape::WIDTH / 2];
        float4 N[EACH][2];
        const auto add_run = [&](int run) {
            const float *from = p.numerators.runs + run * p.numerators.run_size + own + 16 * begin;
#pragma unroll
            for (int i = 0; i < EACH; i++)
#pragma unroll
                for (int r = 0; r < 2; r++) {
                    float4 &to = N[i][r];
                    const float4 x = there[r] && has_columns<KP>(begin + i)
                                         ? *(const float4 *)(from + 16 * i + 8 * r * KP)
                                         : make_float4(0, 0, 0, 0);
                    to = run == 0 ? x : make_float4(to.x + x.x, to.y + x.y, to.z + x.z, to.w + x.w);
                }
        };
        add_run(0);
#pragma unroll 1
        for (int run = 1; run < runs; run++)
            add_run(run);
        multiply_square<KP>(D, memory, 16 * begin);
#pragma unroll
        for (int s = begin; s < begin + EACH; s++) {
            const float *inverse = memory.square_inverses + 16 * s + threadIdx.x % 4 * 2;
            const float2 left = *(const float2 *)inverse, right = *(const float2 *)(inverse + 8);
#pragma unroll
            for (int r = 0; r < 2; r++) {
                const float *d = D + 8 * (s - begin) + 2 * r;
                const float4 below = make_float4(
                    d[0] * (back[r] * left.x) + p.added, d[1] * (back[r] * left.y) + p.added,
                    d[4] * (back[r] * right.x) + p.added, d[5] * (back[r] * right.y) + p.added);
                const int64_t at = own + 16 * s + 8 * r * KP;
                if (!there[r] || !has_columns<KP>(s))
                    continue;
                float4 &x = v.at[s][r];
                x = plain ? updated_four(x, N[s - begin][r], below)
                          : other_update(x, N[s - begin][r], below, p.exponent, p.on, at);
                *(float4 *)(p.rows + at) = x;
            }
        }
    }
    group_sync(); /* the tile was read */
}

/* The upper halves of two numbers, of which they keep the exponents. */
__device__ inline uint32_t upper_halves(float a, float b)
{
    return __byte_perm(__float_as_uint(a), __float_as_uint(b), 0x7632);
}

/* The largest of four columns among a warp's rows. */
__device__ inline uint2 most_of_rows(float4 upper, float4 lower)
{
    uint2 found =
        make_uint2(__vmaxu2(upper_halves(upper.x, upper.y), upper_halves(lower.x, lower.y)),
                   __vmaxu2(upper_halves(upper.z, upper.w), upper_halves(lower.z, lower.w)));
    for (int width = 4; width < 32; width *= 2) {
        found.x = __vmaxu2(found.x, __shfl_xor_sync(0xffffffffu, found.x, width));
        found.y = __vmaxu2(found.y, __shfl_xor_sync(0xffffffffu, found.y, width));
    }
    return found;
}

/* The powers of four columns, from what the four warps found, and their inverses. */
__device__ inline float4 powers_of(const char *maxima, int bytes, float4 &inverse)
{
    uint2 found = *(const uint2 *)maxima;
    for (int w = 1; w < 4; w++) {
        const uint2 other = *(const uint2 *)(maxima + w * bytes);
        found.x = __vmaxu2(found.x, other.x);
        found.y = __vmaxu2(found.y, other.y);
    }
    const float2 a = power_for(__uint_as_float(found.x << 16)),
                 b = power_for(__uint_as_float(found.x & 0xffff0000u)),
                 c = power_for(__uint_as_float(found.y << 16)),
                 d = power_for(__uint_as_float(found.y & 0xffff0000u));
    inverse = make_float4(a.y, b.y, c.y, d.y);
    return make_float4(a.x, b.x, c.x, d.x);
}

/* Notes the largest of the tile's columns, of v times the rows' factors. */
template <int KP>
__device__ inline void note_maxima(char *maxima, lane_rows<KP> &v, const float (&factor)[2])
{
    char *to = maxima + (threadIdx.x / 32 % 4 * rows_shape<KP>::PAD + threadIdx.x % 4 * 4) * 2;
#pragma unroll
    for (int s = 0; s < rows_shape<KP>::SIXTEENS; s++) {
        const uint2 found = most_of_rows(v.at[s][0] * factor[0], v.at[s][1] * factor[1]);
        if (threadIdx.x % 32 < 4)
            *(uint2 *)(to + 32 * s) = found;
    }
}

/* Writes a tile's numbers, times their rows' factors and the powers of the noted maxima, in blocks
 * of rows that are `step` bytes apart, the low parts `low` on; the inverses of the powers behind.
 */
template <int KP, bool PADDED, int PLANES>
__device__ inline void write_columns(char *to, int step, int low, float *inverses, lane_rows<KP> &v,
                                     const float (&factor)[2], const char *maxima)
{
    to += own_four(step);
#pragma unroll
    for (int s = 0; s < rows_shape<KP>::SIXTEENS; s++) {
        const int column = 16 * s + threadIdx.x % 4 * 4;
        float4 inverse;
        const float4 power = powers_of(maxima + column * 2, rows_shape<KP>::PAD * 2, inverse);
        if (!PADDED && !has_columns<KP>(s))
            continue;
        if (threadIdx.x % 128 < 4)
            *(float4 *)(inverses + column) = inverse;
#pragma unroll
        for (int r = 0; r < 2; r++) {
            const split_four k = split_numbers(v.at[s][r] * factor[r], power);
            char *at = to + r * step + 2 * s * BLOCK_BYTES;
            *(uint2 *)at = k.high;
            if (PLANES == 2)
                *(uint2 *)(at + low) = k.low;
        }
    }
}

/* The tile's rows, each times its factor, as keys; and in shared memory, without it. */
template <int KP, int PLANES>
__device__ inline void pack_tile(lane_rows<KP> &v, const float (&factor)[2], char *keys,
                                 const rows_memory<KP> &memory)
{
    using shape = rows_shape<KP>;
    constexpr int LOW = KP / 8 * BLOCK_BYTES;
    const float one[2] = {1, 1};
    char *maxima = memory.maxima + shape::MAXIMA_BYTES;
    note_maxima<KP>(memory.maxima, v, one);
    note_maxima<KP>(maxima, v, factor);
    group_sync();
    write_columns<KP, true, 2>(memory.tile, shape::STEP, shape::LOW, memory.column_inverses, v, one,
                               memory.maxima);
    write_columns<KP, false, PLANES>(keys, LOW * PLANES, LOW,
                                     (float *)(keys + TILE * KP * 2 * PLANES), v, factor, maxima);
}

/* The next tile's rows are fetched while one's Gram matrix is made. */
template <int KP, int PLANES>
__global__ void __launch_bounds__(rows_shape<KP>::THREADS, rows_shape<KP>::BLOCKS)
    refresh_rows(const refresh_arguments p)
{
    using shape = rows_shape<KP>;
    extern __shared__ __align__(128) char shared[];
    const rows_memory<KP> memory(shared);
    const int group = threadIdx.x / 128;
    const int64_t step = gridDim.x * (int64_t)(shape::GROUPS * TILE);
    int64_t begin = blockIdx.x * (int64_t)(shape::GROUPS * TILE);
    gram_share<KP> gram;
    lane_rows<KP> v;
    follow_launch();
    tile_needs needs(p, begin + group * TILE);
    fetch<KP>(v, p.rows, begin + group * TILE, p.count);
    if (p.updates)
        split_square<KP>(memory.square, memory.square_inverses, (float *)memory.tiles, p.square);
    for (; begin < p.count; begin += step) {
        const int64_t first = begin + group * TILE;
        if (p.updates)
            update_tile<KP>(v, p, memory, first, needs.runs);
        if (first < p.count)
            pack_tile<KP, PLANES>(v, needs.factor, p.keys + first / TILE * key_bytes(KP, PLANES),
                                  memory);
        needs = tile_needs(p, first + step);
        fetch<KP>(v, p.rows, first + step, p.count);
        if (shape::SHARES) {
            asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
            __syncthreads();
            for (int i = 0; i < shape::GROUPS && begin + i * TILE < p.count; i++)
                gram.add(memory.tiles + i * shape::TILE_BYTES,
                         memory.column_inverses + (i - group) * shape::PAD);
            __syncthreads();
        } else if (first < p.count) {
            group_sync();
            gram.add(memory.tile, memory.column_inverses);
            group_sync();
        }
    }
    finish_gram<KP>(gram, p.grams + (int64_t)blockIdx.x * KP * KP, (float *)memory.tiles);
}

template <int KP, int GROUPS, int STAGES, int PLANES> split_kind make_split_kind()
{
    return {make_kind<KP, GROUPS, STAGES, PLANES>(), (const void *)refresh_rows<KP, PLANES>,
            rows_shape<KP>::THREADS, rows_shape<KP>::BYTES, rows_shape<KP>::BLOCKS};
}

#endif
