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
        return refresh(W, m, &u, columns_W) && pack_basis();
    }

  protected:
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
        run_pass(over, p, S + first, keys_W);
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
        run_pass(over, p, W, keys_S);
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
        const keyed_kind *kinds = quotient_kinds(&count);
        return find_keyed_kind(kinds, count, problem);
    }

    /* Whether an update adds up the runs of its numerators, and takes sums of columns. */
    bool fuses() { return data().count() == 1 && !terms.acts_on(false); }

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

    double *parts = nullptr;
    bool basis_is_fresh = false;
};

#endif
