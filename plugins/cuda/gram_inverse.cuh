/* The inverse of a Gram matrix with a ridge, or its square, by eigenvectors in double
 * (src/term/gram_inverse.h), made by one block: matrices of k x k are small. */
#ifndef CUDA_GRAM_INVERSE_CUH
#define CUDA_GRAM_INVERSE_CUH

#include "kernels.cuh"

#define EIGEN_THREADS 512
#define MOST_EIGEN_SWEEPS 30
#define EIGEN_ENOUGH 1e-31 /* squares beside the diagonal, of all */

struct rotation {
    double c, s;
    int p, q; /* columns; q < 0: none */
};

/* Pair `index` of a round in which each of `even` columns is in one pair (the last one of an odd
 * number is not there). */
__device__ inline rotation pair_of(int round, int index, int even, int columns)
{
    const int others = even - 1;
    int p = index == 0 ? others : (round + index) % others,
        q = index == 0 ? round : (round - index + others) % others;
    if (p > q) {
        const int last = p;
        p = q;
        q = last;
    }
    return {1, 0, p, q < columns ? q : -1};
}

/* The rotation that makes a(p, q) zero. */
__device__ inline void set_rotation(rotation *r, const double *a, int k)
{
    const double apq = r->q < 0 ? 0 : a[r->p * k + r->q];
    if (apq == 0) {
        r->q = -1;
        return;
    }
    const double theta = (a[r->q * k + r->q] - a[r->p * k + r->p]) / (2 * apq),
                 t = (theta >= 0 ? 1 : -1) / (fabs(theta) + sqrt(theta * theta + 1));
    r->c = 1 / sqrt(t * t + 1);
    r->s = t * r->c;
}

__device__ inline void rotate(double *x, double *y, double c, double s)
{
    const double before = *x;
    *x = c * before - s * *y;
    *y = s * before + c * *y;
}

/* Jacobi's rotations, half as many pairs as columns side by side: a becomes diagonal, the columns
 * of v its eigenvectors. */
static __global__ void __launch_bounds__(EIGEN_THREADS)
    decompose(double *a, double *v, rotation *pairs, int k)
{
    __shared__ double beside, all;
    const int even = (k + 1) / 2 * 2, half = even / 2;
    for (int i = threadIdx.x; i < k * k; i += EIGEN_THREADS)
        v[i] = i / k == i % k;
    for (int sweep = 0; sweep < MOST_EIGEN_SWEEPS; sweep++) {
        __syncthreads();
        if (threadIdx.x < 32) {
            double off = 0, total = 0;
            for (int i = threadIdx.x; i < k * k; i += 32) {
                total += a[i] * a[i];
                off += i / k == i % k ? 0 : a[i] * a[i];
            }
            off = warp_sum(off);
            total = warp_sum(total);
            if (threadIdx.x == 0) {
                beside = off;
                all = total;
            }
        }
        __syncthreads();
        if (!(beside > EIGEN_ENOUGH * all))
            return;
        for (int round = 0; round < even - 1; round++) {
            for (int i = threadIdx.x; i < half; i += EIGEN_THREADS) {
                pairs[i] = pair_of(round, i, even, k);
                set_rotation(&pairs[i], a, k);
            }
            __syncthreads();
            for (int i = threadIdx.x; i < half * k; i += EIGEN_THREADS) {
                const rotation r = pairs[i / k];
                const int row = i % k * k;
                if (r.q >= 0) {
                    rotate(&a[row + r.p], &a[row + r.q], r.c, r.s);
                    rotate(&v[row + r.p], &v[row + r.q], r.c, r.s);
                }
            }
            __syncthreads();
            for (int i = threadIdx.x; i < half * k; i += EIGEN_THREADS) {
                const rotation r = pairs[i / k];
                const int column = i % k;
                if (r.q >= 0)
                    rotate(&a[r.p * k + column], &a[r.q * k + column], r.c, r.s);
            }
            __syncthreads();
        }
    }
}

/* The eigenvalues that a has on its diagonal, none below the ridge, and the term's value: the sum
 * of their inverses, or of their logarithms over the ridge. */
static __global__ void finish_eigenvalues(const double *a, double *values, int k, double ridge,
                                          bool volume, double *to)
{
    double total = 0;
    for (int i = threadIdx.x; i < k; i += SUM_THREADS) {
        const double value = a[i * k + i];
        values[i] = (value > 0 ? value : 0) + ridge;
        total += volume ? log(values[i] / ridge) : 1 / values[i];
    }
    total = block_sum(total);
    if (threadIdx.x == 0)
        *to = total;
}

/* The positive and the negative entries of the inverse, or of its square, times `scale`. */
template <typename T>
__global__ void make_inverse(T *positive, T *negative, int stride, const double *v,
                             const double *values, int k, bool square, double scale)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < k * k; i += gridDim.x * blockDim.x) {
        double total = 0;
        for (int e = 0; e < k; e++)
            total += v[i / k * k + e] * v[i % k * k + e] /
                     (square ? values[e] * values[e] : values[e]);
        const int64_t at = (int64_t)(i / k) * stride + i % k;
        positive[at] = total > 0 ? (T)(scale * total) : 0;
        negative[at] = total < 0 ? (T)(-scale * total) : 0;
    }
}

/* a = a Gram matrix in double; block (i, j) sums rows of the factor. */
template <typename T>
__global__ void gram_in_double(double *a, const T *rows, int64_t count, int stride, int k)
{
    double total = 0;
    for (int64_t i = threadIdx.x; i < count; i += SUM_THREADS)
        total += (double)rows[i * stride + blockIdx.x] * (double)rows[i * stride + blockIdx.y];
    total = block_sum(total);
    if (threadIdx.x == 0)
        a[blockIdx.x * k + blockIdx.y] = total;
}

/* a = the k x k entries of rows of `stride`, symmetric to the last bit. */
template <typename T> __global__ void widen(double *a, const T *from, int stride, int k)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < k * k; i += gridDim.x * blockDim.x) {
        const int row = min(i / k, i % k), column = max(i / k, i % k);
        a[i] = (double)from[(int64_t)row * stride + column];
    }
}

#endif
