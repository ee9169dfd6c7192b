/* Points on the device, for neighbours and for nearest centres: as they were given, for exact
 * distances, and shifted by about their mean in single precision, for fast products. */
#ifndef CUDA_POINTS_CUH
#define CUDA_POINTS_CUH

#include <cublas_v2.h>
#include <math.h>
#include <new>

#include "state.cuh"

extern "C" {
#include "core/device_search.h"
}

#define POINT_THREADS 256
#define MEAN_CHUNKS 256

template <typename T>
__global__ void sum_chunks(const T *x, int64_t stride, int64_t rows, int64_t columns,
                           double *partial)
{
    const int64_t column = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
    const int64_t each = (rows + gridDim.y - 1) / gridDim.y, first = blockIdx.y * each;
    const int64_t end = first + each < rows ? first + each : rows;
    double total = 0;
    if (column >= columns)
        return;
    for (int64_t i = first; i < end; i++)
        total += (double)x[i * stride + column];
    partial[blockIdx.y * columns + column] = total;
}

__global__ void mean_of_chunks(const double *partial, int64_t rows, int64_t columns,
                                      float *mean)
{
    const int64_t column = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
    double total = 0;
    if (column >= columns)
        return;
    for (int chunk = 0; chunk < MEAN_CHUNKS; chunk++)
        total += partial[chunk * columns + column];
    mean[column] = (float)(total / (double)rows);
}

__device__ inline float round_to_tf32(float value)
{
    uint32_t bits;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(value));
    return __uint_as_float(bits);
}

__device__ inline float difference(float x, float mean)
{
    return x - mean;
}

__device__ inline float difference(double x, float mean)
{
    return (float)(x - (double)mean);
}

/* A warp for each row: to = x - mean with zeros behind, rounded to TF32 where asked; squares of what
 * stands there. */
template <typename T>
__global__ void shift_rows(const T *x, int64_t stride, int64_t rows, int64_t columns,
                           const float *mean, bool rounds, float *to, int64_t to_stride,
                           float *squares)
{
    const int64_t i = (blockIdx.x * (int64_t)blockDim.x + threadIdx.x) / 32;
    const int lane = threadIdx.x % 32;
    double total = 0;
    if (i >= rows)
        return;
    for (int64_t l = lane; l < to_stride; l += 32) {
        float value = l < columns ? difference(x[i * stride + l], mean[l]) : 0;
        if (rounds)
            value = round_to_tf32(value);
        to[i * to_stride + l] = value;
        total += (double)value * (double)value;
    }
    for (int step = 16; step > 0; step /= 2)
        total += __shfl_xor_sync(0xffffffff, total, step);
    if (lane == 0)
        squares[i] = (float)total;
}

/* |x - y|^2 in double, by the four lanes of a quad that has `lane` 0 to 3, for all of them; pieces of
 * `piece` features are summed by themselves, each in four sums of every fourth feature. No sum is
 * fused with its product: it is the host's to the last bit. */
template <typename T, typename U>
__device__ inline double quad_distance(const T *x, const U *y, int64_t count, int64_t piece,
                                       int lane)
{
    double total = 0;
    for (int64_t first = 0; first < count; first += piece) {
        const int64_t length = count - first < piece ? count - first : piece;
        const int64_t fours = length / 4 * 4;
        double sum = 0;
        for (int64_t l = first + lane; l < first + fours; l += 4) {
            const double apart = (double)x[l] - (double)y[l];
            sum = __dadd_rn(sum, __dmul_rn(apart, apart));
        }
        for (int64_t l = first + fours; l < first + length && lane == 0; l++) {
            const double apart = (double)x[l] - (double)y[l];
            sum = __dadd_rn(sum, __dmul_rn(apart, apart));
        }
        sum = __dadd_rn(sum, __shfl_xor_sync(0xffffffff, sum, 1));
        sum = __dadd_rn(sum, __shfl_xor_sync(0xffffffff, sum, 2));
        total = __dadd_rn(total, sum);
    }
    return total;
}

class points_on_device : public failure
{
  public:
    explicit points_on_device(const device_points &points)
        : p(points), padded((points.columns + 7) / 8 * 8)
    {
    }
    points_on_device(const points_on_device &) = delete;
    points_on_device &operator=(const points_on_device &) = delete;
    ~points_on_device()
    {
        if (stream)
            cudaStreamSynchronize(stream);
        if (blas)
            cublasDestroy(blas);
        if (stream)
            cudaStreamDestroy(stream);
    }

    /* Bytes of points, shifted points, their squares and partial sums. */
    int64_t bytes() const
    {
        const int64_t size = p.single ? 4 : 8;
        return (p.on_device ? 0 : p.rows * p.columns * size) + p.rows * (padded + 1) * 4 +
               MEAN_CHUNKS * p.columns * 8 + p.columns * 4;
    }

    /* `scratch` bytes are to fit beside it. */
    bool open(int device, int64_t scratch)
    {
        size_t free_bytes = 0, all = 0;
        if (!check(cudaSetDevice(device), "the device") ||
            !check(cudaMemGetInfo(&free_bytes, &all), "the device's memory"))
            return false;
        const int64_t there = p.memory_limit > 0 && p.memory_limit < (int64_t)free_bytes
                                  ? p.memory_limit
                                  : (int64_t)free_bytes;
        if (bytes() + scratch > there)
            return fails("the samples", "do not fit into the device's memory");
        if (!check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "a stream"))
            return false;
        if (cublasCreate(&blas) != CUBLAS_STATUS_SUCCESS)
            return fails("cuBLAS", "cannot be started");
        cublasSetStream(blas, stream);
        mean = memory.make<float>(this, p.columns, "a mean");
        double *partial = memory.make<double>(this, MEAN_CHUNKS * p.columns, "a mean");
        shifted = memory.make<float>(this, p.rows * padded, "shifted samples");
        squares = memory.make<float>(this, p.rows, "squares of samples");
        if (failed() || !(p.single ? bring<float>() : bring<double>()))
            return false;
        const dim3 grid((unsigned)((p.columns + 127) / 128), MEAN_CHUNKS);
        if (p.single)
            sum_chunks<<<grid, 128, 0, stream>>>(given<float>(), stride, p.rows, p.columns, partial);
        else
            sum_chunks<<<grid, 128, 0, stream>>>(given<double>(), stride, p.rows, p.columns, partial);
        mean_of_chunks<<<grid.x, 128, 0, stream>>>(partial, p.rows, p.columns, mean);
        return launched("the mean of the samples");
    }

    bool shift(bool rounds)
    {
        const unsigned blocks = (unsigned)((p.rows * 32 + POINT_THREADS - 1) / POINT_THREADS);
        if (p.single)
            shift_rows<<<blocks, POINT_THREADS, 0, stream>>>(
                given<float>(), stride, p.rows, p.columns, mean, rounds, shifted, padded, squares);
        else
            shift_rows<<<blocks, POINT_THREADS, 0, stream>>>(
                given<double>(), stride, p.rows, p.columns, mean, rounds, shifted, padded, squares);
        return launched("shifted samples");
    }

    /* to[i * stride + j] = <row i of `left`, row j of `right`>: rows x columns. */
    bool multiply(bool rounds, const float *left, int64_t rows, const float *right,
                  int64_t columns, float *to, int64_t to_stride)
    {
        const float one = 1, none = 0;
        cublasSetMathMode(blas, rounds ? CUBLAS_TF32_TENSOR_OP_MATH : CUBLAS_DEFAULT_MATH);
        return cublasSgemm_64(blas, CUBLAS_OP_T, CUBLAS_OP_N, columns, rows, padded, &one, right,
                              padded, left, padded, &none, to,
                              to_stride) == CUBLAS_STATUS_SUCCESS ||
               fails("cuBLAS", "a product failed");
    }

    bool wait()
    {
        return check(cudaStreamSynchronize(stream), "the device") && !failed();
    }

    template <typename T> const T *given() const { return (const T *)raw; }

    const device_points p;
    const int64_t padded; /* columns of the shifted points */
    int64_t stride = 0;   /* of the given ones */
    cudaStream_t stream = nullptr;
    cublasHandle_t blas = nullptr;
    device_memory memory;
    float *mean = nullptr, *shifted = nullptr, *squares = nullptr;

  private:
    template <typename T> bool bring()
    {
        stride = p.on_device ? p.stride : p.columns;
        raw = p.values;
        if (p.on_device)
            return true;
        T *own = memory.make<T>(this, p.rows * p.columns, "the samples");
        raw = own;
        return own && check(cudaMemcpy2DAsync(own, (size_t)p.columns * sizeof(T), p.values,
                                              (size_t)p.stride * sizeof(T),
                                              (size_t)p.columns * sizeof(T), (size_t)p.rows,
                                              cudaMemcpyHostToDevice, stream),
                            "a copy to the device");
    }

    const void *raw = nullptr;
};

#endif
