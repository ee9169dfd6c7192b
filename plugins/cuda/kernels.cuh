/* Steps on the entries of arrays, for both precisions. Sums are made of a fixed number of parts,
 * each in one order: every run has the same bits. */
#ifndef CUDA_KERNELS_CUH
#define CUDA_KERNELS_CUH

#include <stdint.h>

#include "update.cuh"

#define SUM_BLOCKS 256
#define SUM_THREADS 256

/* The sum over a block's threads, for the first one. */
__device__ inline double block_sum(double value)
{
    __shared__ double parts[SUM_THREADS];
    parts[threadIdx.x] = value;
    __syncthreads();
    for (int width = SUM_THREADS / 2; width > 0; width /= 2) {
        if (threadIdx.x < width)
            parts[threadIdx.x] += parts[threadIdx.x + width];
        __syncthreads();
    }
    const double total = parts[0];
    __syncthreads();
    return total;
}

/* slots[block] = the sum of term(i) over its share of 0 .. count - 1. */
template <typename TERM> __global__ void sum_parts(TERM term, int64_t count, double *slots)
{
    double value = 0;
    for (int64_t i = blockIdx.x * (int64_t)SUM_THREADS + threadIdx.x; i < count;
         i += (int64_t)SUM_BLOCKS * SUM_THREADS)
        value += term(i);
    value = block_sum(value);
    if (threadIdx.x == 0)
        slots[blockIdx.x] = value;
}

/* The same over the entries of two arrays, each block some rows. */
template <typename T, typename ENTRY>
__global__ void sum_entries(ENTRY entry, const T *X, int64_t x_stride, const T *Y, int64_t y_stride,
                            int64_t rows, int64_t columns, double *slots)
{
    double value = 0;
    for (int64_t i = blockIdx.x; i < rows; i += SUM_BLOCKS)
        for (int64_t j = threadIdx.x; j < columns; j += SUM_THREADS)
            value += entry(X[i * x_stride + j], Y[i * y_stride + j]);
    value = block_sum(value);
    if (threadIdx.x == 0)
        slots[blockIdx.x] = value;
}

/* *to = the sum of SUM_BLOCKS slots; with a counter, the one of `to` that it stands at, and it goes
 * on. */
static __global__ void sum_slots(const double *slots, double *to, int *counter)
{
    const double total = block_sum(slots[threadIdx.x]);
    if (threadIdx.x == 0)
        to[counter ? (*counter)++ : 0] = total;
}

/* As sum_slots: the sum of `count` parts of x log(x / y), and of all fits. */
static __global__ void add_divergence(const double *parts, int64_t count, const double *columns_W,
                                      const double *columns_S, int rank, double *to, int *counter)
{
    double value = 0;
    for (int64_t i = threadIdx.x; i < count; i += SUM_THREADS)
        value += parts[i];
    for (int j = threadIdx.x; j < rank; j += SUM_THREADS)
        value += columns_W[j] * columns_S[j];
    const double total = block_sum(value);
    if (threadIdx.x == 0)
        to[counter ? (*counter)++ : 0] = total;
}

/* to[j] = the sum of column j of rows of `stride` numbers, a block for each column. */
template <typename T>
__global__ void column_sums(const T *rows, int64_t count, int64_t stride, double *to)
{
    double value = 0;
    for (int64_t i = threadIdx.x; i < count; i += SUM_THREADS)
        value += (double)rows[i * stride + blockIdx.x];
    value = block_sum(value);
    if (threadIdx.x == 0)
        to[blockIdx.x] = value;
}

/* D(i, j) = columns[j] */
template <typename T>
__global__ void repeat_columns(T *D, int64_t count, int stride, int rank, const double *columns)
{
    for (int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; i < count;
         i += (int64_t)gridDim.x * blockDim.x)
        D[i] = i % stride < rank ? (T)columns[i % stride] : 0;
}

/* to = from .* (N ./ (D + added))^exponent, extrapolated */
template <typename T>
__global__ void update_entries(T *to, const T *N, const T *D, T added, int64_t count,
                               double exponent, const extrapolation<T> on)
{
    for (int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; i < count;
         i += (int64_t)gridDim.x * blockDim.x)
        to[i] = on(updated(to[i], N[i], D[i] + added, exponent), i);
}

/* Of a strip: Y, the fits, become the quotients X ./ Y. */
template <typename T>
__global__ void divide_strip(T *Y, int64_t y_stride, const T *X, int64_t x_stride, int64_t rows,
                             int64_t columns)
{
    for (int64_t i = blockIdx.y; i < rows; i += gridDim.y)
        for (int64_t j = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; j < columns;
             j += (int64_t)gridDim.x * blockDim.x) {
            const T y = Y[i * y_stride + j];
            Y[i * y_stride + j] =
                X[i * x_stride + j] / (y > limits<T>::floor ? y : limits<T>::floor);
        }
}

/* Copies rows of `columns` numbers into rows of another stride, zeros behind them. */
template <typename T>
__global__ void copy_rows(T *to, int64_t to_stride, const T *from, int64_t from_stride,
                          int64_t rows, int64_t columns)
{
    const int64_t count = rows * to_stride;
    for (int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; i < count;
         i += (int64_t)gridDim.x * blockDim.x) {
        const int64_t row = i / to_stride, column = i % to_stride;
        to[i] = column < columns ? from[row * from_stride + column] : 0;
    }
}

/* ------------------------------------------------------------------ coordinate descent */

#define DESCENT_ROWS 32 /* a warp's: what stops and extrapolates together */

/* sum over a warp, for all its lanes */
template <typename T> __device__ inline double warp_sum(T value)
{
    double total = (double)value;
    for (int width = 16; width > 0; width /= 2)
        total += __shfl_xor_sync(0xffffffffu, total, width);
    return total;
}

/* Rows a >= 0 towards the minimum of a G a' - 2 (n - taken) a', several passes, then on in the
 * direction that they came (src/solver/hals.c), for groups of DESCENT_ROWS rows. A lane has a row, in
 * single precision and of up to 64 columns in registers: loops over its columns are unrolled. */
#define DESCENT_IN_REGISTERS 64
template <typename T, int KP>
__global__ void __launch_bounds__(128)
    descend(T *rows, const T *N, T taken, const T *gram, int64_t count, int rank, int passes,
            double enough, double share)
{
    constexpr int UNROLLED = sizeof(T) == 4 && KP <= DESCENT_IN_REGISTERS ? KP : 1;
    __shared__ T held[KP <= DESCENT_IN_REGISTERS ? KP * KP : 1];
    const T *G = KP <= DESCENT_IN_REGISTERS ? held : gram;
    for (int i = threadIdx.x; i < KP * KP && KP <= DESCENT_IN_REGISTERS; i += blockDim.x)
        held[i] = gram[i];
    __syncthreads();
    const int64_t row = (blockIdx.x * (int64_t)blockDim.x + threadIdx.x);
    if (row / DESCENT_ROWS * DESCENT_ROWS >= count)
        return;
    const bool there = row < count;
    T a[KP], start[KP];
#pragma unroll(UNROLLED)
    for (int j = 0; j < KP; j++)
        start[j] = a[j] = there ? rows[row * KP + j] : 0;
    const T *n = N + (there ? row : 0) * KP;
    double first = 0;
    for (int pass = 0; pass < passes; pass++) {
        T change = 0;
#pragma unroll(UNROLLED)
        for (int j = 0; j < KP; j++) {
            T slope = there ? n[j] - taken : 0;
#pragma unroll(UNROLLED)
            for (int l = 0; l < KP; l++)
                slope -= a[l] * G[j * KP + l];
            if (j < rank) {
                const T curvature = G[j * KP + j];
                T value = curvature > 0 ? a[j] + slope / curvature : a[j];
                value = value > 0 ? value : 0;
                change += (value - a[j]) * (value - a[j]);
                a[j] = value;
            }
        }
        const double total = warp_sum(there ? change : (T)0);
        if (pass == 0)
            first = total;
        if (total <= enough * first)
            break;
    }
    if (share > 0) {
        T slope_start = 0, curved_start = 0, slope_change = 0, curved_change = 0;
#pragma unroll(UNROLLED)
        for (int j = 0; j < KP; j++) {
            T curved = 0, back = 0, forth = 0;
#pragma unroll(UNROLLED)
            for (int l = 0; l < KP; l++) {
                const T on = 2 * a[l] - start[l], change = (on > 0 ? on : 0) - a[l];
                curved += a[l] * G[j * KP + l];
                back += (start[l] - a[l]) * G[j * KP + l];
                forth += change * G[j * KP + l];
            }
            const T on = 2 * a[j] - start[j], change = (on > 0 ? on : 0) - a[j],
                    slope = curved - (there ? n[j] - taken : 0);
            slope_start += slope * (start[j] - a[j]);
            curved_start += back * (start[j] - a[j]);
            slope_change += slope * change;
            curved_change += forth * change;
        }
        const double gained = warp_sum(2 * slope_start + curved_start),
                     curvature = warp_sum(curved_change), rise = 2 * warp_sum(slope_change);
        double length = curvature + rise <= gained ? 1 : 0;
        if (length < 1 && gained > 0 && curvature > 0)
            length =
                fmin(1.0, (sqrt(rise * rise + 4 * curvature * gained) - rise) / (2 * curvature));
        if (length > 0)
#pragma unroll(UNROLLED)
            for (int j = 0; j < KP; j++) {
                const T on = 2 * a[j] - start[j], change = (on > 0 ? on : 0) - a[j];
                a[j] += (T)(share * length) * change;
            }
    }
    if (there)
#pragma unroll(UNROLLED)
        for (int j = 0; j < KP; j++)
            rows[row * KP + j] = j < rank ? a[j] : 0;
}

/* ------------------------------------------------------------------ after a fused pass */

/* to = the sum of `parts` arrays of `count` numbers (a multiple of 4), in their order, eight runs
 * of parts side by side. Blocks of 32 x 8 threads. */
static __global__ void add_parts(float *to, const float *from, int count, int parts)
{
    __shared__ float4 runs[8][32];
    const int at = blockIdx.x * 32 + threadIdx.x, each = (parts + 7) / 8;
    float4 total = {0, 0, 0, 0};
    if (at * 4 < count)
        for (int i = threadIdx.y * each; i < min(parts, (int)(threadIdx.y + 1) * each); i++) {
            const float4 v = ((const float4 *)(from + (int64_t)i * count))[at];
            total.x += v.x, total.y += v.y, total.z += v.z, total.w += v.w;
        }
    runs[threadIdx.y][threadIdx.x] = total;
    __syncthreads();
    if (threadIdx.y == 0 && at * 4 < count) {
        for (int i = 1; i < 8; i++) {
            const float4 v = runs[i][threadIdx.x];
            total.x += v.x, total.y += v.y, total.z += v.z, total.w += v.w;
        }
        ((float4 *)to)[at] = total;
    }
}

#endif
