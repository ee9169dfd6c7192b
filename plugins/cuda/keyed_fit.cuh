/* Single precision, X dense, by passes over X on Hopper's tensor cores (keyed_pass.cuh): X is read
 * twice in an iteration. */
#ifndef CUDA_KEYED_FIT_CUH
#define CUDA_KEYED_FIT_CUH

#include "keyed.cuh"
#include "plain_fit.cuh"
#include "tensor.cuh"

#define COLUMN_BLOCKS 1024

/* Sums of the rows of a factor, as runs that are to be added up. */
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
static __global__ void add_runs(float *to, const run_list from, int rows, int columns, bool adds)
{
    for (int row = blockIdx.x * blockDim.y + threadIdx.y; row < rows;
         row += gridDim.x * blockDim.y) {
        const int64_t at = (int64_t)row * columns + threadIdx.x;
        to[at] = from.sum(row, at) + (adds ? to[at] : 0);
    }
}

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

/* What new rows of a factor are made from, entry by entry; without it they stay. */
struct row_update {
    run_list numerators;
    const float *denominators; /* NULL: no update */
    float added;               /* to them */
    double exponent;
    extrapolation<float> on;
};

/* Every other one of 8 rows, from `first` on, of a column; all is fetched before anything is
 * written. */
__device__ inline void update_keys(float (&v)[4], float *rows, int64_t first, int count,
                                   int columns, int column, const row_update &u)
{
    float N[4] = {}, D[4] = {};
    for (int e = 0; e < 4; e++) {
        const int64_t row = first + 2 * e, at = row * columns + column;
        if (row < count) {
            N[e] = u.numerators.sum((int)row, at);
            D[e] = u.denominators[at] + u.added;
        }
    }
    for (int e = 0; e < 4; e++) {
        const int64_t row = first + 2 * e, at = row * columns + column;
        if (row < count)
            rows[at] = v[e] = u.on(updated(v[e], N[e], D[e], u.exponent), at);
    }
}

/* A factor's rows, new ones where there is an update, as keys; a thread has every other one of 8
 * keys, or of 8 columns. */
static __global__ void pack_columns(packed_keys to, float *from, int count, int columns,
                                    const row_update u)
{
    const int64_t all = (int64_t)(count + KEYS - 1) / KEYS * (KEYS / 4) * columns;
    for (int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; i < all;
         i += (int64_t)gridDim.x * blockDim.x) {
        const int column = (int)(i % columns);
        const int64_t first = i / columns / 2 * 8 + i / columns % 2;
        float v[4];
        for (int e = 0; e < 4; e++)
            v[e] = first + 2 * e < count ? from[(first + 2 * e) * columns + column] : 0;
        if (u.denominators)
            update_keys(v, from, first, count, columns, column, u);
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

class keyed_fit : public plain_fit<float>
{
  public:
    static bool can_take(const device_problem &problem, const device_description &device)
    {
        return device.major == 9 && device.minor == 0 && problem.samples < (1 << 30) &&
               problem.features < (1 << 30);
    }

    keyed_fit(const device_problem &problem, const keyed_kind &kind, bool quotients)
        : plain_fit<float>(problem, kind.columns), kind(kind), quotients(quotients)
    {
    }

    int64_t bytes() override
    {
        const int64_t most = data().most_rows();
        const int64_t row = kp * (int64_t)sizeof(float);
        return plain_fit<float>::bytes() - (kl ? STRIP_BYTES : 0) +
               (most + m + 2 * KEYS) * row * (quotients ? 4 : 2) +
               (2 * padded(most, kind.over_samples.rows) + 2 * padded(m, kind.over_features.rows) +
                LISTED_BLOCKS * kind.over_samples.rows) *
                   row;
    }

    bool open() override
    {
        if (!plain_fit<float>::open() || !prepare_piece(data().most_rows(), &whole) ||
            !prepare_piece(data().last_rows(), &last))
            return false;
        make_keys(&keys_W, m);
        make_keys(&keys_S, data().most_rows());
        most_blocks = whole.over_features.blocks > last.over_features.blocks
                          ? whole.over_features.blocks
                          : last.over_features.blocks;
        divergence = memory.make<double>(this, data().count() * most_blocks, "partial sums");
        return !failed();
    }

  protected:
    static constexpr int64_t LISTED_BLOCKS = 512;

    struct pass {
        keyed_side side;
        keyed_plan plan;
        int blocks;
        float *runs;
        run_list list;
    };

    /* Of a piece of X. */
    struct piece_passes {
        int64_t rows;
        pass over_samples, over_features;
    };

    const piece_passes &passes_of(const data_piece<float> &p) const
    {
        return p.rows == whole.rows ? whole : last;
    }

    static int64_t padded(int64_t count, int64_t step)
    {
        return (count + step - 1) / step * step;
    }

    bool copies_data() const override
    {
        return !q.on_device || q.stride % 4 || m % 4 || (uintptr_t)q.values % 16;
    }
    int64_t data_stride() const override
    {
        return copies_data() ? (m + 3) / 4 * 4 : q.stride;
    }

    void pack(const packed_keys &to, float *rows, int64_t count, const row_update &u = {})
    {
        pack_columns<<<ENTRY_BLOCKS, ENTRY_THREADS, 0, stream>>>(to, rows, (int)count, kp, u);
        if (quotients)
            pack_rows<<<ENTRY_BLOCKS, ENTRY_THREADS, 0, stream>>>(to, rows, (int)count, kp);
    }

    void run_pass(const pass &over, const data_piece<float> &piece, const float *rows,
                  const packed_keys &keys)
    {
        keyed_arguments p = {piece.x,
                             ldx,
                             (int)piece.rows,
                             (int)m,
                             rows,
                             keys,
                             over.runs,
                             over.list.run_size,
                             divergence + piece.index * most_blocks,
                             over.plan};
        void *arguments[] = {&p};
        if (!failed())
            check(cudaLaunchKernel(launch_of(over.side), dim3((unsigned)over.blocks),
                                   dim3((unsigned)over.side.threads), arguments,
                                   (size_t)over.side.bytes, stream),
                  "a pass");
    }

    void add_list(float *to, const run_list &list, int64_t rows, bool adds)
    {
        const unsigned each = (unsigned)(ENTRY_THREADS / kp);
        const int64_t blocks = padded(rows, each) / each;
        add_runs<<<(unsigned)(blocks < ENTRY_BLOCKS ? blocks : ENTRY_BLOCKS),
                   dim3((unsigned)kp, each), 0, stream>>>(to, list, (int)rows, kp, adds);
    }

    const keyed_kind kind;
    const bool quotients;
    piece_passes whole = {}, last = {};
    int64_t most_blocks = 0; /* of a pass over the features */
    packed_keys keys_W = {}, keys_S = {};
    double *divergence = nullptr;

  private:
    const void *launch_of(const keyed_side &side) const
    {
        return q.rounds_products ? side.rounded : side.exact;
    }

    void make_keys(packed_keys *keys, int64_t count)
    {
        keys->columns = memory.make<float>(this, padded(count, KEYS) * 2 * kp, "keys");
        if (quotients)
            keys->rows = memory.make<float>(this, padded(count, KEYS) * 2 * kp, "keys");
    }

    bool prepare_piece(int64_t rows, piece_passes *to)
    {
        to->rows = rows;
        return prepare(kind.over_samples, rows, m, &to->over_samples) &&
               prepare(kind.over_features, m, rows, &to->over_features);
    }

    /* Steps are shared out among the multiprocessors. */
    bool prepare(const keyed_side &side, int64_t rows, int64_t keys, pass *to)
    {
        int device = 0, processors = 0;
        if (!check(cudaGetDevice(&device), "the device") ||
            !check(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device),
                   "the device") ||
            !check(cudaFuncSetAttribute(launch_of(side),
                                        cudaFuncAttributeMaxDynamicSharedMemorySize, side.bytes),
                   "shared memory"))
            return false;
        const int64_t steps = padded(keys, KEYS) / KEYS,
                      row_blocks = padded(rows, side.rows) / side.rows, all = row_blocks * steps,
                      share = (all + processors - 1) / processors,
                      blocks = (all + share - 1) / share, runs = (steps - 1) / share + 2,
                      size = row_blocks * side.rows * kp;
        std::vector<int> counts((size_t)row_blocks);
        to->side = side;
        to->plan = {steps, share};
        to->blocks = (int)blocks;
        for (size_t i = 0; i < counts.size(); i++)
            counts[i] = (int)to->plan.runs((int64_t)i);
        int *known = memory.make<int>(this, row_blocks, "counts");
        to->runs =
            memory.make<float>(this, (runs < blocks ? runs : blocks) * size, "sums of the blocks");
        to->list = {to->runs, size, known, side.rows};
        return !failed() && check(cudaMemcpy(known, counts.data(), counts.size() * sizeof(int),
                                             cudaMemcpyHostToDevice),
                                  "counts");
    }
};

/* The smallest that has the rank; coordinate descent is not compiled for every one. */
inline const keyed_kind *find_keyed_kind(const keyed_kind *kinds, int count,
                                         const device_problem &problem)
{
    const bool descends = !strcmp(problem.solver, "hals");
    for (int i = 0; i < count; i++)
        if (problem.rank <= kinds[i].columns && (!descends || kinds[i].columns != 56))
            return &kinds[i];
    return nullptr;
}

/* ------------------------------------------------------------------ the quadratic loss */

class product_fit : public keyed_fit
{
  public:
    static bool takes(const device_problem &problem, const device_description &device)
    {
        return can_take(problem, device) && !problem.rounds_products &&
               !strcmp(problem.loss, "frobenius") && find_kind(problem) != nullptr;
    }

    explicit product_fit(const device_problem &problem)
        : keyed_fit(problem, *find_kind(problem), false)
    {
    }

  protected:
    void make_numerators(const data_piece<float> &p, const device_step *step) override
    {
        leaves_runs = step && fuses(*step);
        keyed_fit::make_numerators(p, step);
        leaves_runs = false;
    }

    void multiply_data(const data_piece<float> &p) override
    {
        const pass &over = passes_of(p).over_samples;
        if (p.index == 0)
            pack(keys_W, W, m);
        run_pass(over, p, S + p.first * kp, keys_W);
        if (!leaves_runs)
            add_list(N + p.first * kp, over.list, p.rows, false);
    }

    void update_rows(const data_piece<float> &p, const device_step &step) override
    {
        const int64_t first = p.first * kp;
        has_keys = fuses(step);
        if (has_keys)
            pack(keys_S, S + first, p.rows,
                 {passes_of(p).over_samples.list,
                  D + first,
                  (float)penalty,
                  step.exponent * q.exponent,
                  {before_S ? before_S + first : nullptr, step.momentum, width > 1}});
        else
            keyed_fit::update_rows(p, step);
    }

    void add_data(const data_piece<float> &p) override
    {
        const pass &over = passes_of(p).over_features;
        if (!has_keys)
            pack(keys_S, S + p.first * kp, p.rows);
        has_keys = false;
        run_pass(over, p, W, keys_S);
        add_list(A, over.list, m, p.index > 0);
    }

  private:
    static const keyed_kind *find_kind(const device_problem &problem)
    {
        int count;
        const keyed_kind *kinds = product_kinds(&count);
        return find_keyed_kind(kinds, count, problem);
    }

    /* Whether one step adds up the runs of the numerators, updates the rows and makes keys of them:
     * where no term has to see the numerators before. */
    bool fuses(const device_step &step) const
    {
        return strcmp(step.solver, "hals") && !terms.acts_on(false);
    }

    bool leaves_runs = false; /* the numerators stay runs */
    bool has_keys = false;    /* of a piece's encodings as they are */
};

#endif
