/* Rows of a CSR matrix times a factor whose rows are gathered, a warp at a time:
 *
 *   sum over entries (i, j) of x_ij b_j                      products
 *   sum over entries (i, j) of x_ij / (a_i'b_j) b_j          products of the quotients, as kl has them
 *
 * A row of the factor lies across LANES lanes, 16 bytes each, VECTORS times, and 32 / LANES entries
 * are worked on side by side. Rows of many entries are cut into parts, and the parts' sums are added
 * in their order: every run has the same bits. Nothing of X's size is written. */
#ifndef CUDA_SPARSE_ROWS_CUH
#define CUDA_SPARSE_ROWS_CUH

#include "update.cuh"

#define SPARSE_THREADS 256

/* Some entries of a row: all of them, or those whose sum is part `part` (-1: all). */
struct sparse_item {
    int64_t first, end;
    int32_t row, part;
};

/* A row of several parts. */
struct sparse_long_row {
    int32_t row, first_part, count;
};

template <typename T> struct sparse_view {
    const int32_t *column;
    const T *values;
    const sparse_item *items;
    int64_t item_count;
    const sparse_long_row *long_rows;
    int64_t long_count;
    T *parts; /* rows as the result has */
};

enum sparse_mode {
    SPARSE_PRODUCTS,
    SPARSE_QUOTIENTS,
    SPARSE_RESIDUAL /* no sums of rows: (x - y)^2 - y^2 of the entries, in double */
};

/* Rows of `stride` numbers each; values[item]: what the item's entries add to the objective. */
template <typename T> struct sparse_factors {
    const T *of_rows, *of_columns; /* a, b */
    T *to;
    int64_t stride;
    int columns; /* of the panel that begins at these pointers: a multiple of 8 */
    double *values;
};

template <typename T> struct alignas(16) sparse_pack {
    static constexpr int WIDTH = 16 / (int)sizeof(T);
    T v[WIDTH];
};

template <typename T, int LANES, int VECTORS> struct sparse_lane {
    typedef sparse_pack<T> pack;
    static constexpr int WIDTH = pack::WIDTH;

    /* Zeros behind the panel. */
    __device__ static void load(pack (&to)[VECTORS], const T *row, int lane, int columns, bool there)
    {
#pragma unroll
        for (int v = 0; v < VECTORS; v++) {
            const int at = (v * LANES + lane) * WIDTH;
            if (there && at < columns)
                to[v] = *(const pack *)(row + at);
            else
#pragma unroll
                for (int i = 0; i < WIDTH; i++)
                    to[v].v[i] = 0;
        }
    }

    template <typename SUM>
    __device__ static SUM dot(const pack (&a)[VECTORS], const pack (&b)[VECTORS])
    {
        SUM total = 0;
#pragma unroll
        for (int v = 0; v < VECTORS; v++)
#pragma unroll
            for (int i = 0; i < WIDTH; i++)
                total += (SUM)a[v].v[i] * (SUM)b[v].v[i];
#pragma unroll
        for (int width = LANES / 2; width > 0; width /= 2)
            total += __shfl_xor_sync(0xffffffffu, total, width);
        return total;
    }
};

template <typename T, int LANES, int VECTORS, sparse_mode MODE>
__global__ void __launch_bounds__(SPARSE_THREADS)
    multiply_items(const sparse_view<T> X, const sparse_factors<T> f)
{
    typedef sparse_lane<T, LANES, VECTORS> lanes;
    typedef sparse_pack<T> pack;
    constexpr int GROUPS = 32 / LANES, AHEAD = VECTORS == 1 ? 4 : VECTORS == 2 ? 2 : 1;
    const int64_t number = (blockIdx.x * (int64_t)SPARSE_THREADS + threadIdx.x) / 32;
    if (number >= X.item_count)
        return;
    const sparse_item item = X.items[number];
    const int group = threadIdx.x % 32 / LANES, lane = threadIdx.x % LANES;
    pack own[VECTORS], sum[VECTORS] = {};
    double value = 0;
    if (MODE != SPARSE_PRODUCTS)
        lanes::load(own, f.of_rows + item.row * f.stride, lane, f.columns, true);
    for (int64_t at = item.first; at < item.end; at += GROUPS * AHEAD) {
        int32_t column[AHEAD];
        T x[AHEAD];
        pack other[AHEAD][VECTORS];
#pragma unroll
        for (int u = 0; u < AHEAD; u++) {
            const int64_t e = at + u * GROUPS + group;
            column[u] = e < item.end ? X.column[e] : -1;
            x[u] = e < item.end ? X.values[e] : 0;
        }
#pragma unroll
        for (int u = 0; u < AHEAD; u++)
            lanes::load(other[u], f.of_columns + column[u] * f.stride, lane, f.columns,
                        column[u] >= 0);
#pragma unroll
        for (int u = 0; u < AHEAD; u++) {
            T factor = x[u];
            if (MODE == SPARSE_QUOTIENTS) {
                const T y = lanes::template dot<T>(own, other[u]);
                factor /= y > limits<T>::floor ? y : limits<T>::floor;
                if (f.values && lane == 0 && x[u] > 0)
                    value += (double)(x[u] * log(factor > limits<T>::floor ? factor
                                                                           : limits<T>::floor));
            }
            if (MODE == SPARSE_RESIDUAL) {
                const double y = lanes::template dot<double>(own, other[u]);
                if (lane == 0)
                    value += (double)x[u] * ((double)x[u] - 2 * y);
            }
#pragma unroll
            for (int v = 0; v < VECTORS; v++)
#pragma unroll
                for (int i = 0; i < pack::WIDTH; i++)
                    sum[v].v[i] += factor * other[u][v].v[i];
        }
    }
    if (f.values) {
        for (int width = 16; width > 0; width /= 2)
            value += __shfl_xor_sync(0xffffffffu, value, width);
        if (threadIdx.x % 32 == 0)
            f.values[number] = value;
    }
    if (MODE == SPARSE_RESIDUAL)
        return;
    T *to = item.part < 0 ? f.to + item.row * f.stride : X.parts + item.part * f.stride;
#pragma unroll
    for (int v = 0; v < VECTORS; v++) {
#pragma unroll
        for (int i = 0; i < pack::WIDTH; i++)
#pragma unroll
            for (int width = LANES; width < 32; width *= 2)
                sum[v].v[i] += __shfl_xor_sync(0xffffffffu, sum[v].v[i], width);
        const int at = (v * LANES + lane) * pack::WIDTH;
        if (group == 0 && at < f.columns)
            *(pack *)(to + at) = sum[v];
    }
}

/* Rows of several parts, a block of 32 x 8 threads for each: eight runs of parts side by side. */
template <typename T>
__global__ void add_row_parts(const sparse_view<T> X, const sparse_factors<T> f)
{
    __shared__ T runs[8][32];
    const sparse_long_row row = X.long_rows[blockIdx.x];
    const int each = (row.count + 7) / 8, begin = threadIdx.y * each,
              end = min(row.count, begin + each);
    for (int first = 0; first < f.columns; first += 32) {
        const int column = first + threadIdx.x;
        T total = 0;
        for (int i = begin; i < end && column < f.columns; i++)
            total += X.parts[(row.first_part + i) * f.stride + column];
        runs[threadIdx.y][threadIdx.x] = total;
        __syncthreads();
        for (int i = 1; i < 8 && threadIdx.y == 0; i++)
            total += runs[i][threadIdx.x];
        if (threadIdx.y == 0 && column < f.columns)
            f.to[row.row * f.stride + column] = total;
        __syncthreads();
    }
}

/* ------------------------------------------------------------------ launches */

template <typename T, int LANES, int VECTORS>
void launch_items(sparse_mode mode, const sparse_view<T> &X, const sparse_factors<T> &f,
                  cudaStream_t stream)
{
    const unsigned blocks = (unsigned)((X.item_count * 32 + SPARSE_THREADS - 1) / SPARSE_THREADS);
    if (mode == SPARSE_PRODUCTS)
        multiply_items<T, LANES, VECTORS, SPARSE_PRODUCTS><<<blocks, SPARSE_THREADS, 0, stream>>>(X, f);
    else if (mode == SPARSE_QUOTIENTS)
        multiply_items<T, LANES, VECTORS, SPARSE_QUOTIENTS>
            <<<blocks, SPARSE_THREADS, 0, stream>>>(X, f);
    else
        multiply_items<T, LANES, VECTORS, SPARSE_RESIDUAL><<<blocks, SPARSE_THREADS, 0, stream>>>(X, f);
    if (X.long_count && mode != SPARSE_RESIDUAL)
        add_row_parts<<<(unsigned)X.long_count, dim3(32, 8), 0, stream>>>(X, f);
}

/* Columns that one launch takes: of more of them, products are made panel by panel. */
#define SPARSE_MOST_COLUMNS 512

template <typename T>
void launch_panel(sparse_mode mode, const sparse_view<T> &X, const sparse_factors<T> &f,
                  cudaStream_t stream)
{
    const int packs = f.columns / sparse_pack<T>::WIDTH;
    if (packs <= 2)
        launch_items<T, 2, 1>(mode, X, f, stream);
    else if (packs <= 4)
        launch_items<T, 4, 1>(mode, X, f, stream);
    else if (packs <= 8)
        launch_items<T, 8, 1>(mode, X, f, stream);
    else if (packs <= 16)
        launch_items<T, 16, 1>(mode, X, f, stream);
    else if (packs <= 32)
        launch_items<T, 32, 1>(mode, X, f, stream);
    else if (packs <= 64)
        launch_items<T, 32, 2>(mode, X, f, stream);
    else if (packs <= 128)
        launch_items<T, 32, 4>(mode, X, f, stream);
    else
        launch_items<T, 32, 8>(mode, X, f, stream);
}

/* Anything but products takes no more than SPARSE_MOST_COLUMNS. */
template <typename T>
void launch_rows(sparse_mode mode, const sparse_view<T> &X, sparse_factors<T> f, cudaStream_t stream)
{
    for (int left = f.columns; left > 0; left -= SPARSE_MOST_COLUMNS) {
        f.columns = left < SPARSE_MOST_COLUMNS ? left : SPARSE_MOST_COLUMNS;
        launch_panel(mode, X, f, stream);
        f.of_columns += SPARSE_MOST_COLUMNS;
        f.to += SPARSE_MOST_COLUMNS;
    }
}

#endif
