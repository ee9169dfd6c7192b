/* Multiplicative updates with the Kullback-Leibler loss, single precision, X dense: no quotients in
 * memory. */
#ifndef CUDA_QUOTIENT_FIT_CUH
#define CUDA_QUOTIENT_FIT_CUH

#include "keyed_fit.cuh"
#include "tensor.cuh"

#define COLUMN_BLOCKS 1024

__device__ inline void write_split(float *to, int low, const float (&v)[4])
{
    float4 high, rest;
    const split_number a = split(v[0]), b = split(v[1]), c = split(v[2]), d = split(v[3]);
    high = make_float4(__uint_as_float(a.high), __uint_as_float(b.high), __uint_as_float(c.high),
                       __uint_as_float(d.high));
    rest = make_float4(__uint_as_float(a.low), __uint_as_float(b.low), __uint_as_float(c.low),
                       __uint_as_float(d.low));
    *(float4 *)to = high;
    *(float4 *)(to + low) = rest;
}

/* A factor's rows as keys; a thread has every other one of 8 keys, or of 8 columns. */
static __global__ void pack_columns(packed_keys to, const float *from, int count, int columns)
{
    const int64_t all = (int64_t)(count + KEYS - 1) / KEYS * (KEYS / 4) * columns;
    for (int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; i < all;
         i += (int64_t)gridDim.x * blockDim.x) {
        const int column = (int)(i % columns);
        const int64_t first = i / columns / 2 * 8 + i / columns % 2;
        float v[4];
        for (int e = 0; e < 4; e++)
            v[e] = first + 2 * e < count ? from[(first + 2 * e) * columns + column] : 0;
        write_split(to.columns + column_at(first, column, columns), COLUMN_LOW(columns), v);
    }
}

static __global__ void pack_rows(packed_keys to, const float *from, int count, int columns)
{
    const int64_t all = (int64_t)(count + KEYS - 1) / KEYS * KEYS * (columns / 4);
    for (int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; i < all;
         i += (int64_t)gridDim.x * blockDim.x) {
        const int64_t key = i / (columns / 4);
        const int column = (int)(i % (columns / 4)) / 2 * 8 + (int)(i % 2);
        float v[4];
        for (int e = 0; e < 4; e++)
            v[e] = key < count ? from[key * columns + column + 2 * e] : 0;
        write_split(to.rows + row_at(key, column, columns), ROW_LOW, v);
    }
}

/* What an update of a factor is made from: numerators over sums of the other's columns. */
struct factor_update {
    run_list numerators;
    const double *denominators;
    double added; /* to them */
    double exponent;
    extrapolation<float> on;
};

/* New rows where `updates`, then the rows split for the passes and each block's share of the sums
 * of their columns. A thread stays in its column. */
static __global__ void __launch_bounds__(SUM_THREADS)
    refresh_factor(float *rows, int count, int columns, int rank, bool updates,
                   const factor_update u, double *parts)
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
                value = column < rank
                            ? updated(value, u.numerators.sum(row, at),
                                      (float)(u.denominators[column] + u.added), u.exponent)
                            : 0;
                value = u.on(value, at);
                rows[at] = value;
            }
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

class quotient_fit : public keyed_fit
{
  public:
    static bool takes(const device_problem &problem, const device_description &device)
    {
        return can_take(problem, device) && !strcmp(problem.loss, "kl") &&
               find_kind(problem) != nullptr;
    }

    explicit quotient_fit(const device_problem &problem)
        : keyed_fit(problem, *find_kind(problem))
    {
    }

    int64_t bytes() override
    {
        return keyed_fit::bytes() +
               4 * (data().most_rows() + m + 2 * KEYS) * kp * (int64_t)sizeof(float);
    }

    bool open() override
    {
        if (!keyed_fit::open())
            return false;
        make_keys(&keys_W, m);
        make_keys(&keys_S, data().most_rows());
        most_blocks = whole.over_features.blocks > last.over_features.blocks
                          ? whole.over_features.blocks
                          : last.over_features.blocks;
        divergence = memory.make<double>(this, data().count() * most_blocks, "partial sums");
        parts = memory.make<double>(this, (int64_t)COLUMN_BLOCKS * kp, "partial sums");
        return !failed();
    }

    bool put(device_array which, const void *rows, int64_t stride) override
    {
        basis_is_fresh = false;
        return keyed_fit::put(which, rows, stride);
    }

    bool start() override
    {
        basis_is_fresh = false;
        return keyed_fit::start();
    }

    bool restore() override
    {
        basis_is_fresh = false;
        return keyed_fit::restore();
    }

    bool basis(const device_step &step) override
    {
        if (terms.acts_on(true)) {
            basis_is_fresh = false;
            return keyed_fit::basis(step);
        }
        const factor_update u = {{A, 0, nullptr, 1},
                                 columns_S,
                                 basis_penalty,
                                 step.exponent * q.exponent,
                                 {before_W, step.momentum, width > 1}};
        basis_is_fresh = true;
        return refresh(W, m, &u, columns_W) && pack_basis();
    }

  protected:
    /* Copies are of 16 bytes. */
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
        add_divergence<<<1, SUM_THREADS, 0, stream>>>(divergence, data().count() * most_blocks,
                                                      columns_W, columns_S, k, to, at);
        return launched("the objective");
    }

    bool make_basis_products() override
    {
        if (basis_is_fresh)
            return !failed();
        basis_is_fresh = true;
        return refresh(W, m, nullptr, columns_W) && pack_basis();
    }

    void make_numerators(const data_piece<float> &p, const device_step *step) override
    {
        const pass &over = passes_of(p).over_samples;
        const int64_t first = p.first * kp;
        divide(over, p, S + first, keys_W);
        if (step && fuses())
            return;
        add_list(N + first, over.list, p.rows, false);
        repeat_columns<<<ENTRY_BLOCKS, ENTRY_THREADS, 0, stream>>>(D + first, p.rows * kp, kp, k,
                                                                  columns_W);
    }

    void update_rows(const data_piece<float> &p, const device_step &step) override
    {
        if (!fuses()) {
            keyed_fit::update_rows(p, step);
            return;
        }
        const factor_update u = {whole.over_samples.list,
                                 columns_W,
                                 penalty,
                                 step.exponent * q.exponent,
                                 {before_S, step.momentum, width > 1}};
        refresh(S, n, &u, columns_S);
    }

    void add_sums(const data_piece<float> &p) override
    {
        const pass &over = passes_of(p).over_features;
        pack(keys_S, S + p.first * kp, p.rows);
        divide(over, p, W, keys_S);
        add_list(A, over.list, m, p.index > 0);
    }

    bool finish_sums(const device_step *step) override
    {
        return (step && fuses() ? !failed() : refresh(S, n, nullptr, columns_S)) &&
               launched("sums");
    }

  private:
    static const keyed_kind *find_kind(const device_problem &problem)
    {
        int count;
        const keyed_kind *kinds = quotient_kinds(problem.rounds_products, &count);
        for (int i = 0; i < count; i++)
            if (has_rank(kinds[i], problem))
                return &kinds[i];
        return nullptr;
    }

    /* Whether an update adds up the runs of its numerators, and takes sums of columns. */
    bool fuses() { return data().count() == 1 && !terms.acts_on(false); }

    void make_keys(packed_keys *keys, int64_t count)
    {
        const int64_t size = padded(count, KEYS) * 2 * kp;
        keys->columns = memory.make<float>(this, size, "keys");
        keys->rows = memory.make<float>(this, size, "keys");
    }

    void pack(const packed_keys &to, const float *rows, int64_t count)
    {
        pack_columns<<<ENTRY_BLOCKS, ENTRY_THREADS, 0, stream>>>(to, rows, (int)count, kp);
        pack_rows<<<ENTRY_BLOCKS, ENTRY_THREADS, 0, stream>>>(to, rows, (int)count, kp);
    }

    void divide(const pass &over, const data_piece<float> &piece, const float *rows,
                const packed_keys &keys)
    {
        run_pass(over, keyed_arguments{piece.x, ldx, (int)piece.rows, (int)m, rows, keys, over.runs,
                                       over.list.run_size,
                                       divergence + piece.index * most_blocks, over.plan});
    }

    bool pack_basis()
    {
        pack(keys_W, W, m);
        return launched("a factor");
    }

    /* New rows, where there is an update, and the sums of their columns. */
    bool refresh(float *rows, int64_t count, const factor_update *u, double *columns)
    {
        const int64_t groups = SUM_THREADS / kp, most = padded(count, groups) / groups;
        const int blocks = (int)(most < COLUMN_BLOCKS ? most : COLUMN_BLOCKS);
        if (failed())
            return false;
        refresh_factor<<<(unsigned)blocks, SUM_THREADS, SUM_THREADS * sizeof(double), stream>>>(
            rows, (int)count, kp, k, u != nullptr, u ? *u : factor_update{}, parts);
        finish_columns<<<(unsigned)kp, SUM_THREADS, 0, stream>>>(parts, blocks, kp, columns);
        return launched("a factor");
    }

    packed_keys keys_W = {}, keys_S = {};
    int64_t most_blocks = 0; /* of a pass over the features */
    double *divergence = nullptr, *parts = nullptr;
    bool basis_is_fresh = false;
};

#endif
