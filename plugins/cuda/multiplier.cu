/* Products with K, and work on factors: the functions of engine/device_products.h. K, or X where
 * K = X X', lies on the device; dense ones are multiplied by cuBLAS, CSR by gathers
 * (sparse_rows.cuh). Gram matrices are summed over chunks of rows, in double. */
#include "multiplier.cuh"

#include "kernels.cuh"
#include "plain_parts.cuh"
#include "sparse_matrix.cuh"
#include "term_kernels.cuh"

#define MOST_CHUNKS 64 /* of rows, whose Gram matrices are added */
#define FEW_CHUNKS 8   /* of wider factors */
#define CHUNK_COLUMNS 256
#define MOST_ARRAYS 8 /* that a method is counted with */
#define SPLIT_BYTES ((int64_t)256 << 20) /* of a strip of K+ or of K- */

struct device_multiplier : failure {
    virtual ~device_multiplier() {}
    virtual int64_t bytes() const = 0;
    virtual bool open() = 0;
    virtual bool make(int *array) = 0;
    virtual bool put(int array, const void *rows, int64_t stride) = 0;
    virtual bool get(int array, void *rows, int64_t stride) = 0;
    virtual bool multiply(int v, int plus, int minus) = 0;
    virtual bool gram(int a, int b, double *to) = 0;
    virtual bool dot(int a, int b, double *value) = 0;
    virtual bool product(int c, int a, const double *factor, bool adds) = 0;
    virtual bool update(int to, int u, const double *left, int v, const double *right,
                        double exponent, bool damps) = 0;
    virtual bool columns(int a, bool of_squares, double *totals) = 0;
    virtual bool scale(int a, const double *scales) = 0;
    virtual bool step(int to, int from, int slope, double length) = 0;
};

/* Both signs of some rows of K, by their size. */
template <typename T>
__global__ void split_strip(T *plus, T *minus, const T *K, int64_t stride, int64_t rows,
                            int64_t columns)
{
    for (int64_t i = blockIdx.y; i < rows; i += gridDim.y)
        for (int64_t j = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; j < columns;
             j += (int64_t)gridDim.x * blockDim.x) {
            const T value = K[i * stride + j];
            plus[i * columns + j] = value > 0 ? value : 0;
            minus[i * columns + j] = value < 0 ? -value : 0;
        }
}

/* to .* (N ./ D)^exponent, or the mean of `to` and that */
template <typename T>
__global__ void update_factor(T *to, const T *N, const T *D, int64_t count, double exponent,
                              bool damps)
{
    for (int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; i < count;
         i += (int64_t)gridDim.x * blockDim.x)
        if (damps) {
            const T value = to[i] * ((T)0.5 + (T)0.5 * guarded_ratio(N[i], D[i]));
            to[i] = value < limits<T>::tiny ? (T)0 : value;
        } else
            to[i] = updated(to[i], N[i], D[i], exponent);
}

/* to = max(from - length slope, 0) */
template <typename T>
__global__ void step_factor(T *to, const T *from, const T *slope, T length, int64_t count)
{
    for (int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; i < count;
         i += (int64_t)gridDim.x * blockDim.x) {
        const T value = from[i] - length * slope[i];
        to[i] = value > 0 ? value : 0;
    }
}

template <typename T>
__global__ void scale_factor(T *rows, const double *scales, int64_t count, int stride, int columns)
{
    for (int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; i < count;
         i += (int64_t)gridDim.x * blockDim.x)
        if (i % stride < columns)
            rows[i] *= (T)scales[i % stride];
}

/* The k x k entries of squares of `stride`, summed over the chunks in their order. */
template <typename T>
__global__ void add_squares(double *to, const T *from, int chunks, int64_t stride, int64_t k)
{
    for (int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; i < k * k;
         i += (int64_t)gridDim.x * blockDim.x) {
        double total = 0;
        for (int c = 0; c < chunks; c++)
            total += (double)from[c * stride * stride + i / k * stride + i % k];
        to[i] = total;
    }
}

/* A'B of each chunk of rows of `columns` numbers */
inline cublasStatus_t multiply_chunks(cublasHandle_t blas, int64_t columns, int64_t rows,
                                      int64_t chunks, const float *A, const float *B, float *C)
{
    const float one = 1, none = 0;
    return cublasSgemmStridedBatched_64(blas, CUBLAS_OP_N, CUBLAS_OP_T, columns, columns, rows, &one,
                                        B, columns, rows * columns, A, columns, rows * columns,
                                        &none, C, columns, columns * columns, chunks);
}

inline cublasStatus_t multiply_chunks(cublasHandle_t blas, int64_t columns, int64_t rows,
                                      int64_t chunks, const double *A, const double *B, double *C)
{
    const double one = 1, none = 0;
    return cublasDgemmStridedBatched_64(blas, CUBLAS_OP_N, CUBLAS_OP_T, columns, columns, rows, &one,
                                        B, columns, rows * columns, A, columns, rows * columns,
                                        &none, C, columns, columns * columns, chunks);
}

template <typename T> class multiplier : public device_multiplier
{
  public:
    explicit multiplier(const device_kernel &kernel)
        : q(kernel), n(kernel.samples), m(kernel.features), k(kernel.columns),
          kp((kernel.columns + 7) / 8 * 8), stores_kernel(kernel.is_gram && kernel.splits)
    {
        const int64_t most = kp > CHUNK_COLUMNS ? FEW_CHUNKS : MOST_CHUNKS;
        chunk_rows = ((n + most - 1) / most + 31) / 32 * 32;
        chunks = (n + chunk_rows - 1) / chunk_rows;
    }
    ~multiplier() override
    {
        if (stream)
            cudaStreamSynchronize(stream);
        if (blas)
            cublasDestroy(blas);
        if (stream)
            cudaStreamDestroy(stream);
    }

    int64_t bytes() const override
    {
        const int64_t size = sizeof(T),
                      factors = ((MOST_ARRAYS + 2) * chunks * chunk_rows + m + chunks * kp) * kp *
                                    size +
                                BLAS_BYTES;
        if (q.start)
            return factors + sparse_matrix<T>::bytes(n, m, q.start[n], kp, q.is_gram) +
                   (q.splits ? 2 * q.start[n] * size : 0);
        return factors + (q.on_device ? 0 : n * m * size) + (stores_kernel ? n * n * size : 0) +
               (q.splits ? 2 * split_rows() * n * size : 0);
    }

    bool open() override
    {
        if (!check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "a stream"))
            return false;
        if (!open_blas(this, &blas, stream, &memory, q.rounds_products))
            return false;
        image = memory.make<T>(this, q.is_gram ? m * kp : 1, "products");
        squares = memory.make<T>(this, chunks * kp * kp, "Gram matrices");
        for (int i = 0; i < 2; i++) {
            small[i] = memory.make<T>(this, kp * kp, "a small matrix");
            scratch_rows[i] = memory.make<T>(this, n * kp, "numerators and denominators");
        }
        numbers = memory.make<double>(this, kp * kp, "sums");
        slots = memory.make<double>(this, SUM_BLOCKS, "partial sums");
        staged.resize((size_t)(kp * kp));
        if (!q.start)
            return open_dense();
        return X.open(this, stream, n, m, q.start, q.column, (const T *)q.values, kp, q.is_gram) &&
               (!q.splits || X.split(&positive, &negative));
    }

    /* Zeros behind the last row, up to whole chunks. */
    bool make(int *array) override
    {
        T *made = memory.make<T>(this, chunks * chunk_rows * kp, "a factor");
        *array = (int)arrays.size();
        arrays.push_back(made);
        return made != nullptr;
    }

    bool put(int array, const void *rows, int64_t stride) override
    {
        return copy(arrays[array], kp, rows, stride, cudaMemcpyHostToDevice);
    }

    bool get(int array, void *rows, int64_t stride) override
    {
        return copy(rows, stride, arrays[array], kp, cudaMemcpyDeviceToHost) && wait();
    }

    bool multiply(int v, int to, int other) override
    {
        const T *V = arrays[v];
        T *plus = arrays[to], *minus = other < 0 ? nullptr : arrays[other];
        if (minus && !q.splits)
            return fails("products", "of K's two parts were not asked for");
        if (q.start)
            multiply_entries(V, plus, minus);
        else if (minus)
            multiply_split(V, plus, minus);
        else if (q.is_gram && !stores_kernel) {
            sums_product(image, V);
            rows_product(plus, data, stride_of_data, image, n, m, false);
        } else
            rows_product(plus, data, stride_of_data, V, n, n, false);
        return launched("products");
    }

    bool gram(int a, int b, double *to) override
    {
        blas_check(multiply_chunks(blas, kp, chunk_rows, chunks, arrays[a], arrays[b], squares));
        add_squares<<<64, 256, 0, stream>>>(numbers, squares, (int)chunks, kp, k);
        return fetch(to, k * k);
    }

    bool dot(int a, int b, double *value) override
    {
        sum_parts<<<SUM_BLOCKS, SUM_THREADS, 0, stream>>>(product_term<T>{arrays[a], arrays[b]},
                                                          n * kp, slots);
        sum_slots<<<1, SUM_BLOCKS, 0, stream>>>(slots, numbers, nullptr);
        return fetch(value, 1);
    }

    bool product(int c, int a, const double *factor, bool adds) override
    {
        put_small(0, factor);
        rows_product(arrays[c], arrays[a], kp, small[0], n, kp, adds);
        return launched("a product");
    }

    bool update(int to, int u, const double *left, int v, const double *right, double exponent,
                bool damps) override
    {
        const T *N = arrays[u];
        if (left) {
            put_small(0, left);
            rows_product(scratch_rows[0], arrays[u], kp, small[0], n, kp, false);
            N = scratch_rows[0];
        }
        put_small(1, right);
        rows_product(scratch_rows[1], arrays[v], kp, small[1], n, kp, false);
        update_factor<<<1024, 256, 0, stream>>>(arrays[to], N, (const T *)scratch_rows[1], n * kp,
                                                exponent, damps);
        return launched("an update");
    }

    bool columns(int a, bool of_squares, double *totals) override
    {
        if (of_squares)
            column_squares<<<(unsigned)k, SUM_THREADS, 0, stream>>>((const T *)arrays[a], n, kp,
                                                                    numbers);
        else
            column_sums<<<(unsigned)k, SUM_THREADS, 0, stream>>>((const T *)arrays[a], n, kp,
                                                                 numbers);
        return fetch(totals, k);
    }

    bool scale(int a, const double *scales) override
    {
        check(cudaMemcpyAsync(numbers, scales, (size_t)k * sizeof *scales, cudaMemcpyHostToDevice,
                              stream),
              "scales of columns");
        scale_factor<<<1024, 256, 0, stream>>>(arrays[a], numbers, n * kp, (int)kp, (int)k);
        return launched("scales of columns");
    }

    bool step(int to, int from, int slope, double length) override
    {
        step_factor<<<1024, 256, 0, stream>>>(arrays[to], (const T *)arrays[from],
                                              (const T *)arrays[slope], (T)length, n * kp);
        return launched("a step");
    }

  private:
    int64_t split_rows() const
    {
        const int64_t most = SPLIT_BYTES / (n * (int64_t)sizeof(T));
        return most < 1 ? 1 : most > n ? n : most;
    }

    /* The rows as they are given, or K from them. */
    bool open_dense()
    {
        device_memory scratch;
        data = (const T *)q.values;
        stride_of_data = q.stride;
        if (!q.on_device) {
            T *rows = (stores_kernel ? scratch : memory).template make<T>(this, n * m, "the data");
            data = rows;
            stride_of_data = m;
            if (rows)
                check(cudaMemcpy2DAsync(rows, (size_t)m * sizeof(T), q.values,
                                        (size_t)q.stride * sizeof(T), (size_t)m * sizeof(T),
                                        (size_t)n, cudaMemcpyHostToDevice, stream),
                      "the data");
        }
        if (stores_kernel) {
            T *K = memory.make<T>(this, n * n, "products of samples");
            if (K)
                blas_check(::multiply(blas, CUBLAS_OP_T, CUBLAS_OP_N, n, n, m, data, stride_of_data,
                                      data, stride_of_data, 0, K, n));
            data = K;
            stride_of_data = n;
        }
        if (q.splits) {
            strip_rows = split_rows();
            strip[0] = memory.make<T>(this, strip_rows * n, "a strip");
            strip[1] = memory.make<T>(this, strip_rows * n, "a strip");
        }
        return !failed() && check(cudaStreamSynchronize(stream), "the data");
    }

    bool copy(void *to, int64_t to_stride, const void *from, int64_t from_stride,
              cudaMemcpyKind way)
    {
        return check(cudaMemcpy2DAsync(to, (size_t)to_stride * sizeof(T), from,
                                       (size_t)from_stride * sizeof(T), (size_t)k * sizeof(T),
                                       (size_t)n, way, stream),
                     "a factor");
    }

    bool blas_check(cublasStatus_t status)
    {
        return status == CUBLAS_STATUS_SUCCESS || fails("cuBLAS", cublasGetStatusString(status));
    }

    bool wait() { return check(cudaStreamSynchronize(stream), "the device"); }

    /* Of what is in `numbers`. */
    bool fetch(double *to, int64_t count)
    {
        return launched("sums") &&
               check(cudaMemcpyAsync(to, numbers, (size_t)count * sizeof *to,
                                     cudaMemcpyDeviceToHost, stream),
                     "sums") &&
               wait();
    }

    /* k x k numbers, with zeros behind them; the copy has left `staged` when it returns. */
    void put_small(int which, const double *from)
    {
        for (int64_t i = 0; i < k; i++)
            for (int64_t j = 0; j < k; j++)
                staged[(size_t)(i * kp + j)] = (T)from[i * k + j];
        check(cudaMemcpyAsync(small[which], staged.data(), staged.size() * sizeof(T),
                              cudaMemcpyHostToDevice, stream),
              "a small matrix");
    }

    /* C (+)= R F, rows of R times a factor or a square of kp columns. */
    void rows_product(T *C, const T *R, int64_t stride, const T *F, int64_t rows, int64_t inner,
                      bool adds)
    {
        blas_check(::multiply(blas, CUBLAS_OP_N, CUBLAS_OP_N, kp, rows, inner, F, kp, R, stride,
                              adds ? 1 : 0, C, kp));
    }

    /* C = X'F */
    void sums_product(T *C, const T *F)
    {
        blas_check(::multiply(blas, CUBLAS_OP_N, CUBLAS_OP_T, kp, m, n, F, kp, data, stride_of_data,
                              0, C, kp));
    }

    void multiply_split(const T *V, T *plus, T *minus)
    {
        for (int64_t first = 0; first < n && !failed(); first += strip_rows) {
            const int64_t rows = n - first < strip_rows ? n - first : strip_rows;
            split_strip<<<dim3((unsigned)((n + 255) / 256), (unsigned)(rows < 1024 ? rows : 1024)),
                          256, 0, stream>>>(strip[0], strip[1], data + first * stride_of_data,
                                            stride_of_data, rows, n);
            rows_product(plus + first * kp, strip[0], n, V, rows, n, false);
            rows_product(minus + first * kp, strip[1], n, V, rows, n, false);
        }
    }

    /* to = the rows or columns of CSR data times a factor */
    void gather(const sparse_view<T> &view, const T *factor, T *to)
    {
        launch_rows(SPARSE_PRODUCTS, view, {factor, factor, to, kp, (int)kp, nullptr}, stream);
    }

    void multiply_entries(const T *V, T *plus, T *minus)
    {
        if (minus) {
            gather(positive, V, plus);
            gather(negative, V, minus);
        } else if (q.is_gram) {
            gather(X.columns(), V, image);
            gather(X.rows(), image, plus);
        } else
            gather(X.rows(), V, plus);
    }

    const device_kernel q;
    const int64_t n, m, k, kp; /* columns of the factors, and with zeros behind them */
    const bool stores_kernel;
    cudaStream_t stream = nullptr;
    cublasHandle_t blas = nullptr;
    device_memory memory;
    const T *data = nullptr; /* X or K */
    int64_t stride_of_data = 0, strip_rows = 0, chunk_rows = 0, chunks = 0;
    std::vector<T *> arrays;
    std::vector<T> staged;
    double *numbers = nullptr, *slots = nullptr;
    sparse_matrix<T> X;
    sparse_view<T> positive = {}, negative = {};
    T *image = nullptr, *strip[2] = {}, *small[2] = {}, *scratch_rows[2] = {}, *squares = nullptr;
};

static bool accepts(const device_kernel *kernel, char *message)
{
    if (!kernel->is_gram || !kernel->splits || !kernel->start)
        return true;
    snprintf(message, DEVICE_MESSAGE, "takes no CSR data of mixed signs");
    return false;
}

static device_multiplier *new_multiplier(const device_kernel &kernel)
{
    if (kernel.single)
        return new (std::nothrow) multiplier<float>(kernel);
    return new (std::nothrow) multiplier<double>(kernel);
}

static bool open_products(int device, const device_kernel *kernel, device_multiplier **state,
                          char *message)
{
    *state = accepts(kernel, message)
                 ? open_on_device<device_multiplier>(
                       device, kernel->memory_limit, [&] { return new_multiplier(*kernel); }, message)
                 : nullptr;
    return *state != nullptr;
}

static void close_products(device_multiplier *state)
{
    delete state;
}

static const char *message_of(const device_multiplier *state)
{
    return state->text;
}

#define VERB(name, parameters, arguments)                 \
    static bool name##_products parameters                \
    {                                                     \
        return !state->failed() && state->name arguments; \
    }

VERB(make, (device_multiplier * state, int *array), (array))
VERB(put, (device_multiplier * state, int array, const void *rows, int64_t stride),
     (array, rows, stride))
VERB(get, (device_multiplier * state, int array, void *rows, int64_t stride), (array, rows, stride))
VERB(multiply, (device_multiplier * state, int v, int plus, int minus), (v, plus, minus))
VERB(gram, (device_multiplier * state, int a, int b, double *small), (a, b, small))
VERB(dot, (device_multiplier * state, int a, int b, double *value), (a, b, value))
VERB(product, (device_multiplier * state, int c, int a, const double *small, bool adds),
     (c, a, small, adds))
VERB(update,
     (device_multiplier * state, int to, int u, const double *left, int v, const double *right,
      double exponent, bool damps),
     (to, u, left, v, right, exponent, damps))
VERB(columns, (device_multiplier * state, int a, bool squares, double *totals),
     (a, squares, totals))
VERB(scale, (device_multiplier * state, int a, const double *scales), (a, scales))
VERB(step, (device_multiplier * state, int to, int from, int slope, double length),
     (to, from, slope, length))

const device_products *product_functions()
{
    static const device_products functions = {
        accepts,          open_products,   close_products,   message_of,    make_products,
        put_products,     get_products,    multiply_products, gram_products, dot_products,
        product_products, update_products, columns_products, scale_products, step_products};
    return &functions;
}
