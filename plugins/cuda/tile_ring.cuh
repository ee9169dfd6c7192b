/* The ring of stages in shared memory by which passes over X in tiles get them (split_pass.cuh,
 * quotient_pass.cuh). A stage has the tiles of GROUPS times TILE rows, and TILE keys; a tile and
 * the keys are one stretch of memory each. One warp fills the stages by the copy engine, groups of
 * four warps empty them. */
#ifndef CUDA_TILE_RING_CUH
#define CUDA_TILE_RING_CUH

#include "copies.cuh"
#include "keyed.cuh"
#include "launches.cuh"

struct tile_ring {
    char *memory;
    uint64_t *full, *free; /* of each stage */
    int turn;              /* stages that were used */
};

/* Bytes of a stage and of its barriers. */
template <typename shape> __host__ __device__ constexpr int stage_bytes()
{
    return (shape::GROUPS * shape::X_BYTES + shape::KEY_BYTES + 127) / 128 * 128;
}
template <typename shape> __host__ __device__ constexpr int ring_bytes()
{
    return shape::STAGES * (stage_bytes<shape>() + 16);
}

/* By all threads. */
template <typename shape> __device__ inline tile_ring ring_begin(char *memory)
{
    uint64_t *barriers = (uint64_t *)(memory + shape::STAGES * stage_bytes<shape>());
    tile_ring ring = {memory, barriers, barriers + shape::STAGES, 0};
    if (threadIdx.x == 0)
        for (int i = 0; i < shape::STAGES; i++) {
            barrier_init(ring.full + i, 1);
            barrier_init(ring.free + i, 4 * shape::GROUPS);
        }
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    return ring;
}

template <typename shape> __device__ inline const char *ring_stage(const tile_ring &ring)
{
    return ring.memory + ring.turn % shape::STAGES * stage_bytes<shape>();
}

/* For those who empty it: the stage of this turn is there. */
template <typename shape> __device__ inline void ring_wait(const tile_ring &ring)
{
    barrier_wait(ring.full + ring.turn % shape::STAGES, (uint32_t)(ring.turn / shape::STAGES % 2));
}

/* The stage of this turn may be filled anew, as far as this warp is concerned. An arrival may
 * overtake loads from shared memory that have not ended: it waits for `loaded`, bits of what they
 * brought, which are those of powers of two and never 1. */
template <typename shape> __device__ inline void ring_free(const tile_ring &ring, uint32_t loaded)
{
    __syncwarp();
    if (threadIdx.x % 32 == 0)
        asm volatile("{\n"
                     ".reg .pred any;\n"
                     "setp.ne.u32 any, %1, 1;\n"
                     "@any mbarrier.arrive.shared::cta.b64 _, [%0];\n"
                     "}\n" ::"r"(shared_address(ring.free + ring.turn % shape::STAGES)),
                     "r"(loaded)
                     : "memory");
}

/* The tiles of the rows from `first_row` on and TILE keys; by a warp. */
template <typename shape, typename ARGUMENTS>
__device__ inline void load_stage(const ARGUMENTS &p, char *to, uint64_t *full, int64_t first_row,
                                  int64_t key_tile)
{
    const int lane = threadIdx.x % 32;
    const int64_t row_tiles = ((shape::TRANSPOSED ? p.features : p.samples) + TILE - 1) / TILE,
                  feature_tiles = (p.features + TILE - 1) / TILE, row_tile = first_row / TILE,
                  left = row_tiles - row_tile;
    const int tiles = left < shape::GROUPS ? (int)left : shape::GROUPS;
    const auto tile = [&](int i) {
        return (const float *)((const char *)p.X +
                               (shape::TRANSPOSED ? key_tile * feature_tiles + row_tile + i
                                                  : (row_tile + i) * feature_tiles + key_tile) *
                                   shape::X_BYTES);
    };
    if (lane == 0) {
        barrier_expect(full, (uint32_t)(tiles * shape::X_BYTES + shape::KEY_BYTES));
        copy_row((float *)(to + shape::GROUPS * shape::X_BYTES),
                 (const float *)(p.keys + key_tile * shape::KEY_BYTES), shape::KEY_BYTES, full);
    }
    __syncwarp();
    if (lane < tiles)
        copy_row((float *)(to + lane * shape::X_BYTES), tile(lane), shape::X_BYTES, full);
}

/* `count` steps of a block of rows, from step `first` on; by a warp. */
template <typename shape, typename ARGUMENTS>
__device__ inline void bring_run(const ARGUMENTS &p, tile_ring &ring, int64_t first_row,
                                 int64_t first, int count)
{
    for (int step = 0; step < count; step++, ring.turn++) {
        const int stage = ring.turn % shape::STAGES, used = ring.turn / shape::STAGES;
        if (used > 0)
            barrier_wait(ring.free + stage, (uint32_t)((used - 1) % 2));
        load_stage<shape>(p, ring.memory + stage * stage_bytes<shape>(), ring.full + stage,
                          first_row, first + step);
    }
}

/* Calls work(first row, first step, steps, number among the runs of its block of rows). */
template <typename shape, typename ARGUMENTS, typename WORK>
__device__ inline void each_run(const ARGUMENTS &p, WORK work)
{
    const int64_t rows = shape::TRANSPOSED ? p.features : p.samples,
                  all = (rows + shape::ROWS - 1) / shape::ROWS * p.plan.steps;
    const int64_t begin = blockIdx.x * p.plan.share,
                  end = begin + p.plan.share < all ? begin + p.plan.share : all;
    for (int64_t at = begin; at < end;) {
        const int64_t block = at / p.plan.steps, first = at % p.plan.steps,
                      left = p.plan.steps - first, count = end - at < left ? end - at : left;
        work(block * shape::ROWS, first, (int)count, blockIdx.x - p.plan.first_run(block));
        at += count;
    }
}

/* The whole of a pass: sum(first row, steps, where the sums of its run go) by the groups, while one
 * of the last four warps brings the tiles. Where a thread of a group needs more registers than an
 * equal share, REGISTERS, those of the last four warps give theirs up but for FEW_REGISTERS. */
template <typename shape, typename ARGUMENTS, typename SUM>
__device__ inline void run_tiles(const ARGUMENTS &p, tile_ring &ring, SUM sum)
{
    if (threadIdx.x / 128 == shape::GROUPS) {
        if (shape::REGISTERS > 0)
            asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(shape::FEW_REGISTERS));
        if (threadIdx.x % 128 < 32)
            each_run<shape>(p, [&](int64_t row, int64_t first, int count, int64_t) {
                bring_run<shape>(p, ring, row, first, count);
            });
    } else {
        if (shape::REGISTERS > 0)
            asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(
                shape::REGISTERS > 0 ? shape::REGISTERS : 24));
        each_run<shape>(p, [&](int64_t row, int64_t, int count, int64_t run) {
            sum(row, count, p.runs + run * p.run_size);
        });
    }
}

#endif
