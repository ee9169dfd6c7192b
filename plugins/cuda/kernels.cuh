/* Steps on the entries of arrays, for both precisions. Sums are made of a fixed number of parts,
 * each in one order: every run has the same bits. */
#ifndef CUDA_KERNELS_CUH
#define CUDA_KERNELS_CUH

#include <stdint.h>

#include "launches.cuh"
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

/* sum over a warp, for all its lanes */
template <typename T> __device__ inline double warp_sum(T value)
{
    double total = (double)value;
    for (int width = 16; width > 0; width /= 2)
        total += __shfl_xor_sync(0xffffffffu, total, width);
    return total;
}

/* ------------------------------------------------------------------ after a fused pass */

#define PART_RUNS 32

/* to = the sum of `parts` arrays of `count` numbers (a multiple of 4), in their order, PART_RUNS
 * runs of parts side by side. Blocks of 32 x PART_RUNS threads. */
static __global__ void add_parts(float *to, const float *from, int count, int parts)
{
    __shared__ float4 runs[PART_RUNS][32];
    const int at = blockIdx.x * 32 + threadIdx.x, each = (parts + PART_RUNS - 1) / PART_RUNS;
    float4 total = {0, 0, 0, 0};
    follow_launch();
    if (at * 4 < count)
#pragma unroll 4
        for (int i = threadIdx.y * each; i < min(parts, (int)(threadIdx.y + 1) * each); i++) {
            const float4 v = ((const float4 *)(from + (int64_t)i * count))[at];
            total.x += v.x, total.y += v.y, total.z += v.z, total.w += v.w;
        }
    runs[threadIdx.y][threadIdx.x] = total;
    __syncthreads();
    if (threadIdx.y == 0 && at * 4 < count) {
        for (int i = 1; i < PART_RUNS; i++) {
            const float4 v = runs[i][threadIdx.x];
            total.x += v.x, total.y += v.y, total.z += v.z, total.w += v.w;
        }
        ((float4 *)to)[at] = total;
    }
}

inline cudaError_t launch_add_parts(float *to, const float *from, int count, int parts,
                                    cudaStream_t stream)
{
    void *arguments[] = {&to, &from, &count, &parts};
    return launch_next((const void *)add_parts,
                       {(count / 4 + 31) / 32, dim3(32, PART_RUNS), 0, 0}, stream, arguments);
}

#endif
