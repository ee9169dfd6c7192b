/* Which samples are near a sample: fast distances of a block of samples to all, by a product, leave
 * a few candidates of each, whose exact distances decide; a bound on the error of the fast ones says
 * whether a sample that was left out could have been nearer. */
#ifndef CUDA_NEIGHBOURS_CUH
#define CUDA_NEIGHBOURS_CUH

#include "points.cuh"

#define KEPT_THREADS 256
#define KEPT_ROOM 2048                /* keys that are sorted together */
#define KEPT_STEP (4 * KEPT_THREADS)  /* distances that are looked at between two of them */
#define KEPT_MOST 256                 /* candidates of a sample */
#define EXACT_PIECE 64                /* features: KERNEL_FEATURES of the host */

/* A distance above its index: keys of one sample are in the order of the distances, ties to the lower
 * index. */
__device__ inline uint64_t key_of(float distance, int64_t index)
{
    const uint32_t bits = __float_as_uint(distance);
    const uint32_t ordered = bits & 0x80000000u ? ~bits : bits | 0x80000000u;
    return (uint64_t)ordered << 32 | (uint32_t)index;
}

__device__ inline float distance_of(uint64_t key)
{
    const uint32_t ordered = (uint32_t)(key >> 32);
    return __uint_as_float(ordered & 0x80000000u ? ordered & 0x7fffffffu : ~ordered);
}

/* All KEPT_ROOM keys, by all threads of the block. */
__device__ inline void sort_keys(uint64_t *keys)
{
    for (int size = 2; size <= KEPT_ROOM; size *= 2)
        for (int step = size / 2; step > 0; step /= 2) {
            for (int at = threadIdx.x; at < KEPT_ROOM / 2; at += KEPT_THREADS) {
                const int low = 2 * at - (at & (step - 1)), high = low + step;
                const uint64_t a = keys[low], b = keys[high];
                if ((a > b) == ((low & size) == 0)) {
                    keys[low] = b;
                    keys[high] = a;
                }
            }
            __syncthreads();
        }
}

/* The nearest of some samples so far. */
struct kept_nearest {
    const float *dots; /* rows x columns, `stride` apart: <x, y> of the rows and the columns */
    int64_t columns, stride, first; /* first: the number of the first column's sample */
    const float *squares;           /* |x|^2 of all samples */
    const int32_t *rows;            /* the rows' samples */
    int kept;
    uint64_t *keys; /* rows x kept, in order */
};

__device__ inline void look_at(const kept_nearest &k, int64_t column, int64_t me, float mine,
                               const float *dots, uint64_t limit, uint64_t *keys, int *count)
{
    if (column >= k.columns || k.first + column == me)
        return;
    const float distance = mine + k.squares[k.first + column] - 2 * dots[column];
    const uint64_t key = key_of(distance, k.first + column);
    if (key < limit)
        keys[atomicAdd(count, 1)] = key;
}

/* A block for each row. Keys in the order in which threads come, but sorted: the outcome is one. */
__global__ void __launch_bounds__(KEPT_THREADS) keep_nearest(kept_nearest k)
{
    __shared__ uint64_t keys[KEPT_ROOM];
    __shared__ int count;
    const int64_t row = blockIdx.x, me = k.rows[row];
    const float *dots = k.dots + row * k.stride, mine = k.squares[me];
    uint64_t *state = k.keys + row * k.kept;
    for (int at = threadIdx.x; at < k.kept; at += KEPT_THREADS)
        keys[at] = state[at];
    if (threadIdx.x == 0)
        count = k.kept;
    __syncthreads();
    uint64_t limit = keys[k.kept - 1];
    for (int64_t first = 0; first < k.columns; first += KEPT_STEP) {
#pragma unroll
        for (int each = 0; each < 4; each++)
            look_at(k, first + each * KEPT_THREADS + threadIdx.x, me, mine, dots, limit, keys,
                    &count);
        __syncthreads();
        const int found = count;
        __syncthreads();
        if (found + KEPT_STEP <= KEPT_ROOM && first + KEPT_STEP < k.columns)
            continue;
        for (int at = found + threadIdx.x; at < KEPT_ROOM; at += KEPT_THREADS)
            keys[at] = UINT64_MAX;
        __syncthreads();
        sort_keys(keys);
        limit = keys[k.kept - 1];
        if (threadIdx.x == 0)
            count = k.kept;
        __syncthreads();
    }
    for (int at = threadIdx.x; at < k.kept; at += KEPT_THREADS)
        state[at] = keys[at];
}

/* How far fast distances may be off: those of x and y at the distance L or nearer are at most
 * (L + moved (2 |x| + L))^2 + summed (2 |x| + L)^2, as |y| <= |x| + L. `moved`: of rounded samples,
 * as shares of their lengths; `summed`: of the sums. */
struct fast_error {
    double moved, summed;
};

struct decision {
    const uint64_t *keys; /* rows x kept */
    int kept;
    int64_t count; /* neighbours */
    bool complete; /* all samples were kept */
    const int32_t *rows;
    const float *squares;
    fast_error error;
    int32_t *nearest;   /* of all samples: count each */
    uint8_t *undecided; /* of all samples */
};

template <typename T>
__global__ void __launch_bounds__(128) decide(decision d, const T *x, int64_t stride,
                                              int64_t columns)
{
    __shared__ double distances[KEPT_MOST];
    __shared__ int32_t indices[KEPT_MOST];
    __shared__ double last;
    const int64_t row = blockIdx.x, me = d.rows[row];
    const uint64_t *keys = d.keys + row * d.kept;
    const int lane = threadIdx.x % 4;
    for (int first = 0; first < d.kept; first += 32) {
        const int at = first + threadIdx.x / 4;
        const int32_t other = (int32_t)(uint32_t)keys[at < d.kept ? at : 0];
        const double found =
            quad_distance(x + me * stride, x + other * stride, columns, EXACT_PIECE, lane);
        if (lane == 0 && at < d.kept) {
            distances[at] = found;
            indices[at] = other;
        }
    }
    __syncthreads();
    for (int at = threadIdx.x; at < d.kept; at += 128) {
        int rank = 0;
        for (int other = 0; other < d.kept; other++)
            rank += distances[other] < distances[at] ||
                    (distances[other] == distances[at] && indices[other] < indices[at]);
        if (rank < d.count)
            d.nearest[me * d.count + rank] = indices[at];
        if (rank == d.count - 1)
            last = distances[at];
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        const double length = sqrt(last), reach = 2.001 * sqrt((double)d.squares[me]) + length,
                     moved = length + d.error.moved * reach,
                     most = 1.0001 * (moved * moved + d.error.summed * reach * reach) + 1e-35;
        d.undecided[me] = !d.complete && !((double)distance_of(keys[d.kept - 1]) > most);
    }
}

__global__ void gather_rows(const float *from, int64_t stride, const int32_t *rows,
                                   float *to)
{
    for (int64_t l = threadIdx.x; l < stride; l += blockDim.x)
        to[blockIdx.x * stride + l] = from[rows[blockIdx.x] * stride + l];
}

__global__ void fill_keys(uint64_t *keys, int64_t count)
{
    const int64_t at = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
    if (at < count)
        keys[at] = UINT64_MAX;
}

/* Exact distances of some samples to all: 32 pairs a block. */
template <typename T>
__global__ void __launch_bounds__(128)
    exact_distances(const T *x, int64_t stride, int64_t samples, int64_t columns,
                    const int32_t *rows, double *distances)
{
    const int64_t me = rows[blockIdx.y], other = blockIdx.x * 32 + threadIdx.x / 4,
                  safe = other < samples ? other : me;
    const double found = quad_distance(x + me * stride, x + safe * stride, columns, EXACT_PIECE,
                                       threadIdx.x % 4);
    if (other < samples && threadIdx.x % 4 == 0)
        distances[blockIdx.y * samples + other] = other == me ? INFINITY : found;
}

/* The next nearest, `count` times. */
__global__ void __launch_bounds__(256)
    exact_nearest(const double *distances, int64_t samples, const int32_t *rows, int64_t count,
                  int32_t *nearest)
{
    __shared__ double found[256];
    __shared__ int64_t places[256];
    const double *mine = distances + blockIdx.x * samples;
    double before = -1;
    int64_t place = -1;
    for (int64_t each = 0; each < count; each++) {
        double best = INFINITY;
        int64_t best_place = INT64_MAX;
        for (int64_t j = threadIdx.x; j < samples; j += 256) {
            const bool later = mine[j] > before || (mine[j] == before && j > place);
            if (later && mine[j] < best) {
                best = mine[j];
                best_place = j;
            }
        }
        found[threadIdx.x] = best;
        places[threadIdx.x] = best_place;
        __syncthreads();
        for (int step = 128; step > 0; step /= 2) {
            if (threadIdx.x < step) {
                const double other = found[threadIdx.x + step];
                const int64_t other_place = places[threadIdx.x + step];
                if (other < found[threadIdx.x] ||
                    (other == found[threadIdx.x] && other_place < places[threadIdx.x])) {
                    found[threadIdx.x] = other;
                    places[threadIdx.x] = other_place;
                }
            }
            __syncthreads();
        }
        before = found[0];
        place = places[0];
        if (threadIdx.x == 0)
            nearest[rows[blockIdx.x] * count + each] = (int32_t)place;
        __syncthreads();
    }
}

#endif
