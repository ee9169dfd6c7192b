/* An iteration of a projective method with few features and parts, a thread for each sample:
 *
 *     update_rows    new rows of H; each block's share of X'H and H'H
 *     visit_graph    A H, and each block's share of tr(H'L H)
 *     finish_sums    the shares added up in their order; H'K H = (X'H)'(X'H), and the traces
 *
 * All is computed in double, whatever the arrays have. */
#ifndef CUDA_PROJECTIVE_KERNELS_CUH
#define CUDA_PROJECTIVE_KERNELS_CUH

#include "update.cuh"

#define PROJECTIVE_ROWS 128 /* samples of a block at a time, a thread each */
#define PROJECTIVE_PARTS 8 /* runs of these rows that are summed side by side */
#define PROJECTIVE_BLOCKS 264
#define PROJECTIVE_MOST_SUMS 1024 /* (m + k) k */
#define PROJECTIVE_MOST_RANK 32

template <typename T> struct projective_arguments {
    int n, m, k;
    const T *X;
    int64_t stride;
    const int64_t *start; /* NULL: no graph */
    const int32_t *column;
    const T *weights;
    const double *degree;
    double lambda, exponent;
};

/* A factor and what is known of it: P = X'H over Q = H'H, (m + k) x k, then C = H'K H, k x k. */
template <typename T> struct projective_factor {
    T *H, *neighbours;
    double *sums;
};

/* The sum over a block of PROJECTIVE_ROWS threads, for the first one. */
__device__ inline double rows_sum(double value)
{
    __shared__ double parts[PROJECTIVE_ROWS];
    parts[threadIdx.x] = value;
    __syncthreads();
    for (int width = PROJECTIVE_ROWS / 2; width > 0; width /= 2) {
        if (threadIdx.x < width)
            parts[threadIdx.x] += parts[threadIdx.x + width];
        __syncthreads();
    }
    return parts[0];
}

/* `sums`: of the factor `from`, in shared memory. */
template <typename T, int K>
__device__ inline void update_row(const projective_arguments<T> &a,
                                  const projective_factor<T> &from, T *to, int row,
                                  const double *sums)
{
    const int k = a.k;
    const double *Q = sums + a.m * k, *C = Q + k * k;
    const T *x = a.X + row * a.stride, *h = from.H + (int64_t)row * k;
    double image[K] = {}, below[K] = {};
    for (int f = 0; f < a.m; f++) {
        const double v = (double)x[f];
#pragma unroll
        for (int j = 0; j < K; j++)
            image[j] += j < k ? v * sums[f * k + j] : 0;
    }
#pragma unroll
    for (int l = 0; l < K; l++) {
        if (l >= k)
            continue;
        const double v = (double)h[l];
#pragma unroll
        for (int j = 0; j < K; j++)
            below[j] += j < k ? v * C[l * k + j] + image[l] * Q[l * k + j] : 0;
    }
#pragma unroll
    for (int j = 0; j < K; j++) {
        if (j >= k)
            continue;
        const double v = (double)h[j];
        double above = 2 * image[j], under = below[j];
        if (a.start) {
            above += a.lambda * (double)from.neighbours[(int64_t)row * k + j];
            under += a.lambda * a.degree[row] * v;
        }
        to[(int64_t)row * k + j] = updated(h[j], (T)above, (T)under, a.exponent);
    }
}

/* Without an update the rows of `to` stay. shares: (m + k) k numbers of each block. */
template <typename T, int K>
__global__ void __launch_bounds__(PROJECTIVE_ROWS)
    update_rows(const projective_arguments<T> a, const projective_factor<T> from,
                const projective_factor<T> to, bool updates, double *shares)
{
    extern __shared__ double projective_memory[];
    const int k = a.k, count = (a.m + k) * k, items = count * PROJECTIVE_PARTS;
    double *known = projective_memory, *total = known + count + k * k, *rows = total + items;
    for (int i = threadIdx.x; updates && i < count + k * k; i += PROJECTIVE_ROWS)
        known[i] = from.sums[i];
    for (int i = threadIdx.x; i < items; i += PROJECTIVE_ROWS)
        total[i] = 0;
    for (int first = blockIdx.x * PROJECTIVE_ROWS; first < a.n;
         first += gridDim.x * PROJECTIVE_ROWS) {
        const int row = first + threadIdx.x;
        __syncthreads();
        if (updates && row < a.n)
            update_row<T, K>(a, from, to.H, row, known);
        for (int j = 0; j < k; j++)
            rows[threadIdx.x * k + j] = row < a.n ? (double)to.H[(int64_t)row * k + j] : 0;
        __syncthreads();
        for (int i = threadIdx.x; i < items; i += PROJECTIVE_ROWS) {
            constexpr int EACH = PROJECTIVE_ROWS / PROJECTIVE_PARTS;
            const int f = i % count / k, j = i % k, begin = i / count * EACH,
                      end = min(begin + EACH, a.n - first);
            double sum = 0;
            for (int r = begin; r < end; r++)
                sum += (f < a.m ? (double)a.X[(first + r) * a.stride + f] : rows[r * k + f - a.m]) *
                       rows[r * k + j];
            total[i] += sum;
        }
    }
    __syncthreads();
    for (int i = threadIdx.x; i < count; i += PROJECTIVE_ROWS) {
        double sum = 0;
        for (int part = 0; part < PROJECTIVE_PARTS; part++)
            sum += total[part * count + i];
        shares[(int64_t)blockIdx.x * count + i] = sum;
    }
}

template <typename T, int K>
__global__ void __launch_bounds__(PROJECTIVE_ROWS)
    visit_graph(const projective_arguments<T> a, const projective_factor<T> of, double *shares)
{
    const int k = a.k;
    double energy = 0;
    for (int row = blockIdx.x * PROJECTIVE_ROWS + threadIdx.x; row < a.n;
         row += gridDim.x * PROJECTIVE_ROWS) {
        double own[K] = {}, sums[K] = {};
#pragma unroll
        for (int j = 0; j < K; j++)
            if (j < k)
                own[j] = (double)of.H[(int64_t)row * k + j];
        for (int64_t e = a.start[row]; e < a.start[row + 1]; e++) {
            const double weight = (double)a.weights[e];
            const T *other = of.H + (int64_t)a.column[e] * k;
#pragma unroll
            for (int j = 0; j < K; j++)
                if (j < k) {
                    const double v = (double)other[j], apart = own[j] - v;
                    sums[j] += weight * v;
                    energy += weight * apart * apart;
                }
        }
#pragma unroll
        for (int j = 0; j < K; j++)
            if (j < k)
                of.neighbours[(int64_t)row * k + j] = (T)sums[j];
    }
    const double total = rows_sum(energy);
    if (threadIdx.x == 0)
        shares[blockIdx.x] = total / 2;
}

/* One block. told: trace, fitted, energy. */
static __global__ void __launch_bounds__(1024)
    finish_sums(int m, int k, double *sums, const double *shares, const double *energies,
                int blocks, double *told)
{
    __shared__ double products[PROJECTIVE_MOST_SUMS];
    const int count = (m + k) * k;
    const double *Q = sums + m * k;
    double *C = sums + count;
    for (int i = threadIdx.x; i < count; i += blockDim.x) {
        double total = 0;
#pragma unroll 8
        for (int b = 0; b < blocks; b++)
            total += shares[(int64_t)b * count + i];
        sums[i] = total;
    }
    __syncthreads();
    for (int i = threadIdx.x; i < k * k; i += blockDim.x) {
        double total = 0;
        for (int f = 0; f < m; f++)
            total += sums[f * k + i / k] * sums[f * k + i % k];
        C[i] = total;
        products[i] = total * Q[i];
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        double trace = 0, fitted = 0;
        for (int i = 0; i < k * k; i++)
            fitted += products[i];
        for (int j = 0; j < k; j++)
            trace += C[j * k + j];
        told[0] = trace;
        told[1] = fitted;
    } else if (threadIdx.x == 32) {
        double energy = 0;
#pragma unroll 8
        for (int b = 0; energies && b < blocks; b++)
            energy += energies[b];
        told[2] = energy;
    }
}

template <typename T> __global__ void scale_rows(T *H, int64_t count, double factor)
{
    for (int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; i < count;
         i += (int64_t)gridDim.x * blockDim.x)
        H[i] = (T)((double)H[i] * factor);
}

/* Each block's share of |X - H P'|^2. */
template <typename T>
__global__ void __launch_bounds__(PROJECTIVE_ROWS)
    residuals(const projective_arguments<T> a, const projective_factor<T> of, double *shares)
{
    double value = 0;
    for (int row = blockIdx.x * PROJECTIVE_ROWS + threadIdx.x; row < a.n;
         row += gridDim.x * PROJECTIVE_ROWS)
        for (int f = 0; f < a.m; f++) {
            double left = (double)a.X[row * a.stride + f];
            for (int j = 0; j < a.k; j++)
                left -= (double)of.H[(int64_t)row * a.k + j] * of.sums[f * a.k + j];
            value += left * left;
        }
    const double total = rows_sum(value);
    if (threadIdx.x == 0)
        shares[blockIdx.x] = total;
}

#endif
