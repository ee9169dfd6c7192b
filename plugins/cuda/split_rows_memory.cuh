/* Where refresh_rows (split_rows.cuh) keeps a tile of rows: in the registers of a group of four
 * warps, in the layout of a product's result, and in shared memory, as the tensor cores read it. */
#ifndef CUDA_SPLIT_ROWS_MEMORY_CUH
#define CUDA_SPLIT_ROWS_MEMORY_CUH

#include "split_pass.cuh"

template <int KP_> struct rows_shape {
    static constexpr int KP = KP_, PAD = (KP + 15) / 16 * 16, SIXTEENS = PAD / 16;
    static constexpr int WIDTH = PAD > 32 ? 32 : PAD; /* denominators at once */
    /* Above 64 columns a Gram matrix has too many numbers for one group: each has half of its rows,
     * from all tiles. */
    static constexpr bool SHARES = PAD > 64;
    static constexpr int GROUPS = PAD == 64 ? 3 : 2, THREADS = 128 * GROUPS; /* and GROUPS tiles */
    static constexpr int BLOCKS = PAD > 32 ? 1 : 2; /* of a multiprocessor */
    /* Blocks of 8 x 8 halves: of 8 rows those of all columns, plane by plane. */
    static constexpr int LOW = PAD / 8 * BLOCK_BYTES, STEP = 2 * LOW, TILE_BYTES = TILE / 8 * STEP,
                         SQUARE_BYTES = PAD / 8 * STEP;
    /* In shared memory: the square, the tiles (64 columns may be read of fewer), the inverses of
     * the square's powers, for each tile those of its columns, and maxima of warps. */
    static constexpr int TILES = SQUARE_BYTES, SQUARE_INVERSES = TILES + GROUPS * TILE_BYTES + 1024,
                         COLUMN_INVERSES = SQUARE_INVERSES + PAD * 4,
                         MAXIMA = COLUMN_INVERSES + GROUPS * PAD * 4, MAXIMA_BYTES = 4 * PAD * 2,
                         BYTES = MAXIMA + GROUPS * 2 * MAXIMA_BYTES;
};

/* A thread's numbers of a tile: of its upper row and of the one 8 below, columns 16 s + 4 t to
 * 16 s + 4 t + 3, with t = lane % 4. */
template <int KP> struct lane_rows {
    float4 at[rows_shape<KP>::SIXTEENS][2];
};

__device__ inline int upper_row()
{
    return threadIdx.x / 32 % 4 * 16 + threadIdx.x % 32 / 4;
}

/* Whether there are the thread's columns of a 16. */
template <int KP> __device__ inline bool has_columns(int sixteen)
{
    return 16 * sixteen + 16 <= KP || 16 * sixteen + threadIdx.x % 4 * 4 < KP;
}

/* work(numbers, 16s, 0 or 1 for the upper or lower row) for each. */
template <int KP, typename WORK> __device__ inline void each_four(lane_rows<KP> &v, WORK work)
{
#pragma unroll
    for (int s = 0; s < rows_shape<KP>::SIXTEENS; s++)
#pragma unroll
        for (int r = 0; r < 2; r++)
            work(v.at[s][r], s, r);
}

/* Where a thread's numbers begin among rows of KP from `first` on; those of 16 s and the lower row
 * are 16 s and 8 KP on. */
template <int KP> __device__ inline int64_t own_place(int64_t first)
{
    return (first + upper_row()) * KP + threadIdx.x % 4 * 4;
}

/* Rows from `first` on, of a tile; zeros behind the last one, and behind the last column. */
template <int KP>
__device__ inline void fetch(lane_rows<KP> &v, const float *from, int64_t first, int64_t count)
{
    const float *own = from + own_place<KP>(first);
    const bool there[2] = {first + upper_row() < count, first + upper_row() + 8 < count};
    each_four<KP>(v, [&](float4 &x, int s, int r) {
        x = there[r] && has_columns<KP>(s) ? *(const float4 *)(own + 16 * s + 8 * r * KP)
                                           : make_float4(0, 0, 0, 0);
    });
}

/* For the threads of a group, and what the tensor cores read next: writes are there. */
__device__ inline void group_sync()
{
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    asm volatile("bar.sync %0, 128;" ::"r"(1 + (int)threadIdx.x / 128) : "memory");
}

/* What a thread sees of the shared memory. */
template <int KP> struct rows_memory {
    using shape = rows_shape<KP>;
    char *square, *tiles, *tile;              /* all groups', this group's */
    float *square_inverses, *column_inverses; /* of the powers of two */
    char *maxima;

    __device__ rows_memory(char *memory)
        : square(memory), tiles(memory + shape::TILES),
          tile(tiles + threadIdx.x / 128 * shape::TILE_BYTES),
          square_inverses((float *)(memory + shape::SQUARE_INVERSES)),
          column_inverses((float *)(memory + shape::COLUMN_INVERSES) +
                          threadIdx.x / 128 * shape::PAD),
          maxima(memory + shape::MAXIMA + threadIdx.x / 128 * 2 * shape::MAXIMA_BYTES)
    {
    }
};

#endif
