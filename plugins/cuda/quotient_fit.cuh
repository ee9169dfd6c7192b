/* Multiplicative updates with the Kullback-Leibler loss, single precision, X dense: two reads of X
 * in an iteration, and no quotients in memory (quotient_pass.cuh). */
#ifndef CUDA_QUOTIENT_FIT_CUH
#define CUDA_QUOTIENT_FIT_CUH

#include "plain_fit.cuh"
#include "quotients.cuh"
#include "tensor.cuh"

#define COLUMN_BLOCKS 1024

/* The numerators of a factor's rows, as runs that are to be added up. */
struct run_list {
    const float *runs;
    int64_t run_size;
    const int *counts; /* of each block of rows; NULL: one */
    int rows;          /* of a block */

    __device__ float sum(int row, int64_t at) const
    {
        float total = runs[at];
        for (int i = 1, count = counts ? counts[row / rows] : 1; i < count; i++)
            total += runs[i * run_size + at];
        return total;
    }
};

/* Blocks of `columns` x some threads. */
static __global__ void add_runs(float *to, const run_list from, int rows, int columns)
{
    for (int row = blockIdx.x * blockDim.y + threadIdx.y; row < rows;
         row += gridDim.x * blockDim.y) {
        const int64_t at = (int64_t)row * columns + threadIdx.x;
        to[at] = from.sum(row, at);
    }
}

/* What an update of a factor is made from: numerators over sums of the other's columns. */
struct factor_update {
    run_list numerators;
    const double *denominators;
    double exponent;
    float *before; /* where it is extrapolated (update_entries) */
    double momentum;
};

/* New rows where `updates`, then the rows split for the passes and each block's share of the sums
 * of their columns. A thread stays in its column. */
static __global__ void __launch_bounds__(SUM_THREADS)
    refresh_factor(float *rows, int count, int columns, int rank, bool updates,
                   const factor_update u, float2 *keys, int key_stride, double *parts)
{
    extern __shared__ double sums[];
    const int groups = SUM_THREADS / columns, group = threadIdx.x / columns,
              column = threadIdx.x % columns;
    double total = 0;
    if (group < groups)
        for (int row = blockIdx.x * groups + group; row < count; row += gridDim.x * groups) {
            const int64_t at = (int64_t)row * columns + column;
            float value = rows[at];
            if (updates) {
                value = column < rank ? updated(value, u.numerators.sum(row, at),
                                                (float)u.denominators[column], u.exponent)
                                      : 0;
                if (u.before) {
                    const float change = value - u.before[at];
                    u.before[at] = value;
                    if (u.momentum > 0 && change > 0)
                        value += (float)u.momentum * change;
                }
                rows[at] = value;
            }
            const split_number s = split(value);
            keys[(int64_t)row * key_stride + column] =
                make_float2(__uint_as_float(s.high), __uint_as_float(s.low));
            total += (double)value;
        }
    sums[threadIdx.x] = total;
    __syncthreads();
    if (group == 0) {
        for (int i = 1; i < groups; i++)
            total += sums[i * columns + column];
        parts[blockIdx.x * columns + column] = total;
    }
}

/* A block for each column. */
static __global__ void finish_columns(const double *parts, int blocks, int columns, double *to)
{
    double total = 0;
    for (int i = threadIdx.x; i < blocks; i += SUM_THREADS)
        total += parts[i * columns + blockIdx.x];
    total = block_sum(total);
    if (threadIdx.x == 0)
        to[blockIdx.x] = total;
}

class quotient_fit : public plain_fit<float>
{
  public:
    static bool takes(const device_problem &problem, const device_description &device)
    {
        return device.major >= 9 && !strcmp(problem.loss, "kl") && problem.samples < (1 << 30) &&
               problem.features < (1 << 30) && find_kind(problem) != nullptr;
    }

    explicit quotient_fit(const device_problem &problem)
        : plain_fit<float>(problem, find_kind(problem)->columns), kind(*find_kind(problem))
    {
    }

    int64_t bytes() const override
    {
        const int64_t number = sizeof(float), keys = (n + m + 32) * kind.key_stride * 2 * number;
        return plain_fit<float>::bytes() - STRIP_BYTES + keys +
               (2 * padded(n, kind.numerators.rows) + 2 * MOST_BLOCKS_LISTED * kind.sums.rows) *
                   kp * number;
    }

    bool open() override
    {
        cudaDeviceProp properties;
        int device = 0;
        if (!plain_fit<float>::open() || !check(cudaGetDevice(&device), "the device") ||
            !check(cudaGetDeviceProperties(&properties, device), "the device") ||
            !prepare(kind.numerators, n, m, properties, &over_samples) ||
            !prepare(kind.sums, m, n, properties, &over_features))
            return false;
        keys_W = memory.make<float2>(this, padded(m, QUOTIENT_KEYS) * kind.key_stride, "keys");
        keys_S = memory.make<float2>(this, padded(n, QUOTIENT_KEYS) * kind.key_stride, "keys");
        parts = memory.make<double>(this, (int64_t)COLUMN_BLOCKS * kp, "partial sums");
        divergence = memory.make<double>(this, over_features.blocks, "partial sums");
        return !failed();
    }

    bool put(device_array which, const void *rows, int64_t stride) override
    {
        basis_is_fresh = false;
        return plain_fit<float>::put(which, rows, stride);
    }

    bool start() override
    {
        basis_is_fresh = false;
        return plain_fit<float>::start();
    }

    bool restore() override
    {
        basis_is_fresh = false;
        return plain_fit<float>::restore();
    }

    bool basis(const device_step &step) override
    {
        const factor_update u = {
            {A, 0, nullptr, 1}, columns_S, step.exponent * q.exponent, before_W, step.momentum};
        basis_is_fresh = true;
        return refresh(W, m, &u, keys_W, columns_W);
    }

  protected:
    bool copies_data() const override
    {
        return !q.on_device || q.stride % 4 || m % 4 || (uintptr_t)q.values % 16;
    }
    int64_t data_stride() const override
    {
        return copies_data() ? (m + 3) / 4 * 4 : q.stride;
    }

    bool make_value(double *to, int *at) override
    {
        add_divergence<<<1, SUM_THREADS, 0, stream>>>(divergence, over_features.blocks, columns_W,
                                                      columns_S, k, to, at);
        return launched("the objective");
    }

    bool make_basis_products() override
    {
        if (basis_is_fresh)
            return !failed();
        basis_is_fresh = true;
        return refresh(W, m, nullptr, keys_W, columns_W);
    }

    void make_numerators(const device_step *step) override
    {
        run_pass(kind.numerators, over_samples, S, keys_W);
        if (step) {
            const factor_update u = {over_samples.list, columns_W, step->exponent * q.exponent,
                                     before_S, step->momentum};
            refresh(S, n, &u, keys_S, columns_S);
        } else {
            add_list(N, over_samples.list, n);
            repeat_columns<<<ENTRY_BLOCKS, ENTRY_THREADS, 0, stream>>>(D, n * kp, kp, k, columns_W);
        }
    }

    bool make_sums(const device_step *step) override
    {
        if (!step)
            refresh(S, n, nullptr, keys_S, columns_S);
        run_pass(kind.sums, over_features, W, keys_S);
        add_list(A, over_features.list, m);
        return launched("sums");
    }

  private:
    static constexpr int64_t MOST_BLOCKS_LISTED = 512;

    struct pass {
        quotient_plan plan;
        int blocks;
        float *runs;
        run_list list;
    };

    static int64_t padded(int64_t count, int64_t step)
    {
        return (count + step - 1) / step * step;
    }

    static const quotient_kind *find_kind(const device_problem &problem)
    {
        int count;
        const quotient_kind *kinds = quotient_kinds(&count);
        for (int i = 0; i < count; i++)
            if (problem.rank <= kinds[i].columns)
                return &kinds[i];
        return nullptr;
    }

    const void *launch_of(const quotient_side &side) const
    {
        return q.rounds_products ? side.rounded : side.exact;
    }

    /* Steps are shared out among as many blocks as run at once. */
    bool prepare(const quotient_side &side, int64_t rows, int64_t keys,
                 const cudaDeviceProp &properties, pass *to)
    {
        const void *launch = launch_of(side);
        int each = 0;
        if (!check(cudaFuncSetAttribute(launch, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                        side.bytes),
                   "shared memory") ||
            !check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, launch, side.threads,
                                                                 (size_t)side.bytes),
                   "blocks"))
            return false;
        if (each < 1)
            return fails("a block", "the device has no room for it");
        const int64_t steps = padded(keys, QUOTIENT_KEYS) / QUOTIENT_KEYS,
                      all = padded(rows, side.rows) / side.rows * steps,
                      most = (int64_t)each * properties.multiProcessorCount,
                      share = (all + most - 1) / most, blocks = (all + share - 1) / share,
                      runs = (steps - 1) / share + 2;
        std::vector<int> counts((size_t)(all / steps));
        to->plan = {steps, share};
        to->blocks = (int)blocks;
        for (size_t i = 0; i < counts.size(); i++)
            counts[i] = (int)to->plan.runs((int64_t)i);
        const int64_t size = padded(rows, side.rows) * kp;
        int *known = memory.make<int>(this, all / steps, "counts");
        to->runs =
            memory.make<float>(this, (runs < blocks ? runs : blocks) * size, "sums of the blocks");
        to->list = {to->runs, size, known, side.rows};
        return !failed() && check(cudaMemcpy(known, counts.data(), counts.size() * sizeof(int),
                                             cudaMemcpyHostToDevice),
                                  "counts");
    }

    void add_list(float *to, const run_list &list, int64_t rows)
    {
        const unsigned each = (unsigned)(ENTRY_THREADS / kp);
        const int64_t blocks = padded(rows, each) / each;
        add_runs<<<(unsigned)(blocks < ENTRY_BLOCKS ? blocks : ENTRY_BLOCKS),
                   dim3((unsigned)kp, each), 0, stream>>>(to, list, (int)rows, kp);
    }

    void run_pass(const quotient_side &side, const pass &over, const float *rows,
                  const float2 *keys)
    {
        quotient_arguments p = {X,          ldx,      (int)n,    (int)m,
                                rows,       keys,     over.runs, over.list.run_size,
                                divergence, over.plan};
        void *arguments[] = {&p};
        if (!failed())
            check(cudaLaunchKernel(launch_of(side), dim3((unsigned)over.blocks),
                                   dim3((unsigned)side.threads), arguments, (size_t)side.bytes,
                                   stream),
                  "a pass");
    }

    bool refresh(float *rows, int64_t count, const factor_update *u, float2 *keys, double *columns)
    {
        const int groups = SUM_THREADS / kp,
                  blocks = (int)((count + groups - 1) / groups < COLUMN_BLOCKS
                                     ? (count + groups - 1) / groups
                                     : COLUMN_BLOCKS);
        if (failed())
            return false;
        refresh_factor<<<(unsigned)blocks, SUM_THREADS, SUM_THREADS * sizeof(double), stream>>>(
            rows, (int)count, kp, k, u != nullptr, u ? *u : factor_update{}, keys, kind.key_stride,
            parts);
        finish_columns<<<(unsigned)kp, SUM_THREADS, 0, stream>>>(parts, blocks, kp, columns);
        return launched("a factor");
    }

    const quotient_kind kind;
    pass over_samples = {}, over_features = {};
    float2 *keys_W = nullptr, *keys_S = nullptr;
    double *parts = nullptr, *divergence = nullptr;
    bool basis_is_fresh = false;
};

#endif
