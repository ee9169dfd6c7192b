/* Multiplicative updates with the Kullback-Leibler loss, single precision, X dense: no quotients in
 * memory. */
#ifndef CUDA_QUOTIENT_FIT_CUH
#define CUDA_QUOTIENT_FIT_CUH

#include "keyed_fit.cuh"

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
        : keyed_fit(problem, *find_kind(problem), true)
    {
    }

    bool open() override
    {
        if (!keyed_fit::open())
            return false;
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
        return refresh(W, m, &u, keys_W, columns_W);
    }

  protected:
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
        run_pass(over_samples, S, keys_W);
        if (step && !terms.acts_on(false)) {
            const factor_update u = {over_samples.list,
                                     columns_W,
                                     penalty,
                                     step->exponent * q.exponent,
                                     {before_S, step->momentum, width > 1}};
            refresh(S, n, &u, keys_S, columns_S);
            return;
        }
        add_list(N, over_samples.list, n);
        repeat_columns<<<ENTRY_BLOCKS, ENTRY_THREADS, 0, stream>>>(D, n * kp, kp, k, columns_W);
        if (terms.acts_on(false))
            terms.add(false);
        if (step) {
            update(S, N, penalty, n, *step, before_S);
            refresh(S, n, nullptr, keys_S, columns_S);
        }
    }

    bool make_sums(const device_step *step) override
    {
        if (!step)
            refresh(S, n, nullptr, keys_S, columns_S);
        run_pass(over_features, W, keys_S);
        add_list(A, over_features.list, m);
        return launched("sums");
    }

  private:
    static const keyed_kind *find_kind(const device_problem &problem)
    {
        int count;
        const keyed_kind *kinds = quotient_kinds(&count);
        return find_keyed_kind(kinds, count, problem);
    }

    /* New rows, where there is an update, the sums of their columns, and the rows as keys. */
    bool refresh(float *rows, int64_t count, const factor_update *u, const packed_keys &keys,
                 double *columns)
    {
        const int64_t groups = SUM_THREADS / kp, most = padded(count, groups) / groups;
        const int blocks = (int)(most < COLUMN_BLOCKS ? most : COLUMN_BLOCKS);
        if (failed())
            return false;
        refresh_factor<<<(unsigned)blocks, SUM_THREADS, SUM_THREADS * sizeof(double), stream>>>(
            rows, (int)count, kp, k, u != nullptr, u ? *u : factor_update{}, parts);
        finish_columns<<<(unsigned)kp, SUM_THREADS, 0, stream>>>(parts, blocks, kp, columns);
        pack(keys, rows, count);
        return launched("a factor");
    }

    double *parts = nullptr;
    bool basis_is_fresh = false;
};

#endif
