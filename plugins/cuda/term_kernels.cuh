/* What each term adds to numerators and denominators of a factor's rows, and the numbers whose sum
 * is its value (src/term). Rows are of `stride` numbers, k of them a factor's and zeros behind. */
#ifndef CUDA_TERM_KERNELS_CUH
#define CUDA_TERM_KERNELS_CUH

#include "kernels.cuh"
#include "sparse_rows.cuh"

/* Calls add(row, column, at) for every entry of a factor. */
template <typename ADD>
__global__ void each_entry(ADD add, int64_t rows, int stride, int k)
{
    for (int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; i < rows * stride;
         i += (int64_t)gridDim.x * blockDim.x)
        if (i % stride < k)
            add(i / stride, (int)(i % stride), i);
}

/* As sum_slots, of a term: no term is negative, but by rounding. */
static __global__ void finish_term(const double *slots, double weight, double *to, int *counter)
{
    const double total = block_sum(slots[threadIdx.x]);
    if (threadIdx.x == 0)
        to[counter ? (*counter)++ : 0] = weight * (total > 0 ? total : 0);
}

/* ------------------------------------------------------------------ of rows by themselves */

template <typename T> struct ridge_term {
    const T *r;
    T *D;
    T gain;
    __device__ void operator()(int64_t, int, int64_t at) const { D[at] += gain * r[at]; }
    __device__ double operator()(int64_t at) const { return (double)r[at] * (double)r[at]; }
};

template <typename T> struct sum_term {
    const T *r;
    __device__ double operator()(int64_t at) const { return (double)r[at]; }
};

/* The sum of a row's other entries; its value is one of rows. */
template <typename T> struct orthogonal_term {
    const T *r;
    T *D;
    T gain;
    int stride, k;
    __device__ void operator()(int64_t row, int column, int64_t at) const
    {
        T total = 0;
        for (int j = 0; j < k; j++)
            total += j == column ? 0 : r[row * stride + j];
        D[at] += gain * total;
    }
    __device__ double operator()(int64_t row) const
    {
        double total = 0, squares = 0;
        for (int j = 0; j < k; j++) {
            const double value = (double)r[row * stride + j];
            total += value;
            squares += value * value;
        }
        return total * total - squares;
    }
};

template <typename T> struct class_term {
    const T *s;
    T *D;
    T gain;
    const int64_t *classes;
    int64_t width;
    int stride;
    __device__ bool outside(int64_t row, int column) const
    {
        return classes[row] >= 0 && column / width != classes[row];
    }
    __device__ void operator()(int64_t row, int column, int64_t at) const
    {
        if (outside(row, column))
            D[at] += gain / 2;
    }
    __device__ double operator()(int64_t at) const
    {
        return outside(at / stride, (int)(at % stride)) ? (double)s[at] : 0;
    }
};

/* ------------------------------------------------------------------ topographic */

template <typename T> struct square_entry {
    const T *from;
    T *to;
    __device__ void operator()(int64_t, int, int64_t at) const { to[at] = from[at] * from[at]; }
};

template <typename T> struct root_entry {
    T *pooled;
    T epsilon;
    __device__ void operator()(int64_t, int, int64_t at) const
    {
        pooled[at] = 1 / sqrt(epsilon + pooled[at]);
    }
};

template <typename T> struct root_value {
    const T *pooled;
    double epsilon;
    __device__ double operator()(int64_t at) const { return sqrt(epsilon + (double)pooled[at]); }
};

/* D += gain a .* b */
template <typename T> struct add_product {
    T *to;
    const T *a, *b;
    T gain;
    __device__ void operator()(int64_t, int, int64_t at) const { to[at] += gain * a[at] * b[at]; }
};

template <typename T> struct add_scaled {
    T *to;
    const T *from;
    T gain;
    __device__ void operator()(int64_t, int, int64_t at) const { to[at] += gain * from[at]; }
};

/* ------------------------------------------------------------------ neighbours */

/* Rows that follow each other. */
template <typename T> struct smooth_term {
    const T *r;
    T *N, *D;
    T gain;
    int64_t rows;
    int stride;
    __device__ void operator()(int64_t row, int, int64_t at) const
    {
        const bool first = row == 0, last = row == rows - 1;
        N[at] += gain * ((first ? 0 : r[at - stride]) + (last ? 0 : r[at + stride]));
        D[at] += gain * (T)(!first + !last) * r[at];
    }
    __device__ double operator()(int64_t at) const
    {
        if (at / stride == rows - 1)
            return 0;
        const double apart = (double)r[at] - (double)r[at + stride];
        return apart * apart;
    }
};

template <typename T> struct graph_term {
    const T *s;
    T *N, *D;
    T gain;
    int stride, k;
    const int64_t *start;
    const int32_t *column;
    const T *values; /* NULL: all are 1 */
    const double *degree;
    const int32_t *class_of; /* NULL: no classes */
    const int64_t *class_start;
    const double *class_sums; /* of the encodings, class_count x k */

    __device__ void operator()(int64_t row, int j, int64_t at) const
    {
        T total = 0;
        for (int64_t e = start[row]; e < start[row + 1]; e++)
            total += (values ? values[e] : (T)1) * s[(int64_t)column[e] * stride + j];
        if (class_of && class_of[row] >= 0) {
            const double others = class_sums[(int64_t)class_of[row] * k + j] - (double)s[at];
            total += others > 0 ? (T)others : 0;
        }
        N[at] += gain * total;
        D[at] += (T)((double)gain * degree[row]) * s[at];
    }
    __device__ double operator()(int64_t at) const
    {
        const int64_t row = at / stride;
        const int j = (int)(at % stride);
        double total = 0;
        if (j >= k)
            return 0;
        for (int64_t e = start[row]; e < start[row + 1]; e++) {
            const double apart = (double)s[at] - (double)s[(int64_t)column[e] * stride + j];
            total += (values ? (double)values[e] : 1) * apart * apart / 2;
        }
        if (class_of && class_of[row] >= 0) {
            const int64_t c = class_of[row];
            const double size = (double)(class_start[c + 1] - class_start[c]),
                         apart = (double)s[at] - class_sums[c * k + j] / size;
            total += size * apart * apart;
        }
        return total;
    }
};

/* Of each class and column, a block. */
template <typename T>
__global__ void sum_classes(double *sums, const T *s, int stride, int k, const int64_t *start,
                            const int32_t *member)
{
    double total = 0;
    for (int64_t i = start[blockIdx.x] + threadIdx.x; i < start[blockIdx.x + 1]; i += SUM_THREADS)
        total += (double)s[(int64_t)member[i] * stride + blockIdx.y];
    total = block_sum(total);
    if (threadIdx.x == 0)
        sums[(int64_t)blockIdx.x * k + blockIdx.y] = total;
}

/* ------------------------------------------------------------------ local */

/* N += gain X W, D += gain (c_i + d_j) / 2 */
template <typename T> struct local_encoding {
    T *N, *D;
    const T *products;
    T gain;
    const double *squares, *basis_squares;
    __device__ void operator()(int64_t row, int column, int64_t at) const
    {
        N[at] += gain * products[at];
        D[at] += (T)((double)gain * (squares[row] + basis_squares[column]) / 2);
    }
};

/* N += gain X'S, D += gain W diag(sums of S) */
template <typename T> struct local_basis {
    T *N, *D;
    const T *products, *w;
    T gain;
    const double *columns;
    __device__ void operator()(int64_t, int column, int64_t at) const
    {
        N[at] += gain * products[at];
        D[at] += (T)((double)gain * columns[column]) * w[at];
    }
};

/* sum of c_i s_ij */
template <typename T> struct local_rows {
    const T *s;
    const double *squares;
    int stride;
    __device__ double operator()(int64_t at) const { return squares[at / stride] * (double)s[at]; }
};

/* -2 <W, X'S> + sum of d_j columns_j */
template <typename T> struct local_whole {
    const T *w, *products;
    const double *columns, *basis_squares;
    int64_t entries; /* of W */
    __device__ double operator()(int64_t at) const
    {
        return at < entries ? -2 * (double)w[at] * (double)products[at]
                            : columns[at - entries] * basis_squares[at - entries];
    }
};

/* Whether rows and whole, two sums, have cancelled (src/engine/sweep.c). */
template <typename T> __host__ __device__ inline bool local_cancels(const double *parts)
{
    return parts[0] + parts[1] < (sizeof(T) == 4 ? 1e-3 : 1e-9) * parts[0];
}

/* slots (+)= the sum of s_ij |x_i - w_j|^2 in double, where the two sums have cancelled; a block has
 * every so many of the samples. */
template <typename T>
__global__ void local_exactly(const double *parts, const T *X, int64_t x_stride, const T *W,
                              const T *S, int64_t n, int64_t m, int stride, int k, bool adds, double *slots)
{
    double value = 0;
    if (!local_cancels<T>(parts))
        return;
    for (int64_t i = blockIdx.x; i < n; i += SUM_BLOCKS)
        for (int j = 0; j < k; j++) {
            double square = 0;
            for (int64_t f = threadIdx.x; f < m; f += SUM_THREADS) {
                const double apart = (double)X[i * x_stride + f] - (double)W[f * stride + j];
                square += apart * apart;
            }
            value += (double)S[i * stride + j] * square;
        }
    value = block_sum(value);
    if (threadIdx.x == 0)
        slots[blockIdx.x] = value + (adds ? slots[blockIdx.x] : 0);
}

/* The same of CSR data, by s_ij (|x_i|^2 - 2 x_i'w_j + |w_j|^2). */
template <typename T>
__global__ void local_of_entries(const double *parts, const int64_t *start, const sparse_view<T> X,
                                 const T *W, const T *S, const double *squares,
                                 const double *basis_squares, int64_t n, int stride, int k,
                                 double *slots)
{
    double value = 0;
    if (!local_cancels<T>(parts))
        return;
    for (int64_t i = blockIdx.x; i < n; i += SUM_BLOCKS)
        for (int j = threadIdx.x; j < k; j += SUM_THREADS) {
            double product = 0;
            for (int64_t e = start[i]; e < start[i + 1]; e++)
                product += (double)X.values[e] * (double)W[(int64_t)X.column[e] * stride + j];
            value += (double)S[i * stride + j] * (squares[i] - 2 * product + basis_squares[j]);
        }
    value = block_sum(value);
    if (threadIdx.x == 0)
        slots[blockIdx.x] = value;
}

template <typename T>
__global__ void finish_local(const double *parts, const double *slots, double weight, double *to,
                             int *counter)
{
    const bool cancels = local_cancels<T>(parts);
    const double exact = block_sum(cancels ? slots[threadIdx.x] : 0),
                 total = cancels ? exact : parts[0] + parts[1];
    if (threadIdx.x == 0)
        to[counter ? (*counter)++ : 0] = weight * (total > 0 ? total : 0);
}

/* to[j] = the squared length of column j, a block for each. */
template <typename T>
__global__ void column_squares(const T *rows, int64_t count, int64_t stride, double *to)
{
    double value = 0;
    for (int64_t i = threadIdx.x; i < count; i += SUM_THREADS)
        value += (double)rows[i * stride + blockIdx.x] * (double)rows[i * stride + blockIdx.x];
    value = block_sum(value);
    if (threadIdx.x == 0)
        to[blockIdx.x] = value;
}

#endif
