/* What plain_fit.cuh is made from: products of cuBLAS for both precisions, and the numbers whose sums
 * kernels.cuh makes. */
#ifndef CUDA_PLAIN_PARTS_CUH
#define CUDA_PLAIN_PARTS_CUH

#include <cublas_v2.h>

#include "state.cuh"
#include "update.cuh"

#define BLAS_BYTES (32 << 20) /* cuBLAS's scratch memory */

inline cublasStatus_t multiply(cublasHandle_t blas, cublasOperation_t a, cublasOperation_t b,
                               int64_t rows, int64_t columns, int64_t inner, const float *A,
                               int64_t lda, const float *B, int64_t ldb, float sum, float *C,
                               int64_t ldc)
{
    const float one = 1;
    return cublasSgemm_64(blas, a, b, rows, columns, inner, &one, A, lda, B, ldb, &sum, C, ldc);
}

inline cublasStatus_t multiply(cublasHandle_t blas, cublasOperation_t a, cublasOperation_t b,
                               int64_t rows, int64_t columns, int64_t inner, const double *A,
                               int64_t lda, const double *B, int64_t ldb, double sum, double *C,
                               int64_t ldc)
{
    const double one = 1;
    return cublasDgemm_64(blas, a, b, rows, columns, inner, &one, A, lda, B, ldb, &sum, C, ldc);
}

/* cuBLAS on a stream, with scratch memory of its own: every run has the same bits. */
inline bool open_blas(failure *state, cublasHandle_t *blas, cudaStream_t stream,
                      device_memory *memory, bool rounds_products)
{
    if (cublasCreate(blas) != CUBLAS_STATUS_SUCCESS)
        return state->fails("cuBLAS", "cannot be started");
    cublasSetStream(*blas, stream);
    char *scratch = memory->make<char>(state, BLAS_BYTES, "cuBLAS");
    if (scratch)
        cublasSetWorkspace(*blas, scratch, BLAS_BYTES);
    if (rounds_products)
        cublasSetMathMode(*blas, CUBLAS_TF32_TENSOR_OP_MATH);
    return !state->failed();
}

struct one_number {
    const double *a;
    __device__ double operator()(int64_t i) const { return a[i]; }
};

template <typename T> struct product_term {
    const T *a, *b;
    __device__ double operator()(int64_t i) const { return (double)a[i] * (double)b[i]; }
};

/* <G, B> - 2 <W, A> */
template <typename T> struct value_term {
    const T *W, *A, *G, *B;
    int64_t entries; /* of W */
    __device__ double operator()(int64_t i) const
    {
        return i < entries ? -2 * (double)W[i] * (double)A[i]
                           : (double)G[i - entries] * (double)B[i - entries];
    }
};

/* What entries x and what stands beside them add to a sum. */
template <typename T> struct residual_entry {
    __device__ double operator()(T x, T fit) const
    {
        const double d = (double)x - (double)fit;
        return d * d;
    }
};

template <typename T> struct divergence_entry {
    __device__ double operator()(T x, T ratio) const
    {
        return x > 0 ? (double)(x * log(ratio > limits<T>::floor ? ratio : limits<T>::floor)) : 0;
    }
};

template <typename T> struct projected_term {
    const T *s, *N, *D;
    double added; /* to D */
    __device__ double operator()(int64_t i) const
    {
        const double slope = (double)D[i] + added - (double)N[i];
        return slope < 0 || s[i] > 0 ? slope * slope : 0;
    }
};

#endif
