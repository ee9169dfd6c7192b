/* The Gram matrix of a factor's new rows, from the tiles that lie split in shared memory
 * (split_rows.cuh). */
#ifndef CUDA_SPLIT_GRAM_CUH
#define CUDA_SPLIT_GRAM_CUH

#include "split_rows_memory.cuh"

/* A group's numbers of the Gram matrix: 64 rows of it, all columns. */
template <int KP> struct gram_share {
    using shape = rows_shape<KP>;
    static constexpr int PAD = shape::PAD, WIDTH = PAD > 64 ? 64 : PAD; /* columns at once */
    const int first = shape::SHARES ? threadIdx.x / 128 * 64 : 0, row = first + upper_row();
    float sums[PAD / 2] = {};

    /* From the tile of a group. Tensor cores cut off what does not fit into a sum, which is seen in
     * the inverse of a Gram matrix: the large products of 16 rows are a sum of their own. */
    __device__ void add(const char *tile, const float *inverse)
    {
        const float upper = row < KP ? inverse[row] : 0,
                    lower = row + 8 < KP ? inverse[row + 8] : 0;
        const uint64_t a =
            describe_blocks(tile + first / 8 * BLOCK_BYTES, shape::STEP, BLOCK_BYTES);
        constexpr uint64_t STEP = 2 * shape::STEP >> 4, LOW = shape::LOW >> 4;
#pragma unroll
        for (int from = 0; from < PAD; from += WIDTH) {
            float total[WIDTH / 2] = {};
            const uint64_t b =
                describe_blocks(tile + from / 8 * BLOCK_BYTES, shape::STEP, BLOCK_BYTES);
#pragma unroll
            for (int i = 0; i < TILE / 16; i++) {
                float part[WIDTH / 2];
                group_begin();
#pragma unroll
                for (int j = 0; j < TILE / 16 && i == 0; j++) {
                    half_group<WIDTH>::template multiply<true>(part, a + j * STEP + LOW,
                                                               b + j * STEP + LOW, j > 0);
                    half_group<WIDTH>::template multiply<true>(part, a + j * STEP + LOW,
                                                               b + j * STEP, true);
                    half_group<WIDTH>::template multiply<true>(part, a + j * STEP,
                                                               b + j * STEP + LOW, true);
                }
                half_group<WIDTH>::template multiply<true>(part, a + i * STEP, b + i * STEP,
                                                           i == 0);
                group_end(part);
#pragma unroll
                for (int e = 0; e < WIDTH / 2; e++)
                    total[e] += part[e];
            }
#pragma unroll
            for (int j = 0; j < WIDTH / 8; j++) {
                const float2 other =
                    *(const float2 *)(inverse + from + 8 * j + threadIdx.x % 4 * 2);
                float *to = sums + from / 2 + 4 * j;
                to[0] += total[4 * j] * (upper * other.x);
                to[1] += total[4 * j + 1] * (upper * other.y);
                to[2] += total[4 * j + 2] * (lower * other.x);
                to[3] += total[4 * j + 3] * (lower * other.y);
            }
        }
    }

    /* *to = before + sums, KP x KP; before: NULL for zeros. */
    __device__ void write(float *to, const float *before)
    {
#pragma unroll
        for (int i = 0; i < PAD / 4; i++) {
            const int r = row + i % 2 * 8, column = i / 2 * 8 + threadIdx.x % 4 * 2,
                      at = r * KP + column;
            if (r >= KP || column >= KP)
                continue;
            const float2 old = before ? *(const float2 *)(before + at) : make_float2(0, 0);
            *(float2 *)(to + at) = make_float2(old.x + sums[2 * i], old.y + sums[2 * i + 1]);
        }
    }
};

/* Each block's share of the Gram matrix, the groups' sums one after the other. */
template <int KP>
__device__ inline void finish_gram(gram_share<KP> &gram, float *to, float *scratch)
{
    const int group = threadIdx.x / 128;
    if constexpr (rows_shape<KP>::SHARES) {
        gram.write(to, nullptr);
    } else {
#pragma unroll 1
        for (int turn = 0; turn < rows_shape<KP>::GROUPS; turn++) {
            __syncthreads();
            if (group == turn)
                gram.write(turn + 1 < rows_shape<KP>::GROUPS ? scratch : to,
                           turn > 0 ? scratch : nullptr);
        }
    }
}

#endif
