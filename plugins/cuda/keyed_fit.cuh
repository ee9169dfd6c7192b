/* Single precision, X dense, by passes over X on Hopper's tensor cores (split_pass.cuh,
 * quotient_pass.cuh): X is read twice in an iteration. */
#ifndef CUDA_KEYED_FIT_CUH
#define CUDA_KEYED_FIT_CUH

#include "keyed.cuh"
#include "plain_fit.cuh"

/* Blocks of `columns` x some threads. */
static __global__ void add_runs(float *to, const run_list from, int rows, int columns, bool adds)
{
    follow_launch();
    for (int row = blockIdx.x * blockDim.y + threadIdx.y; row < rows;
         row += gridDim.x * blockDim.y) {
        const int64_t at = (int64_t)row * columns + threadIdx.x;
        to[at] = from.sum(row, at) + (adds ? to[at] : 0);
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

    keyed_fit(const device_problem &problem, const keyed_kind &kind)
        : plain_fit<float>(problem, kind.columns), kind(kind)
    {
    }

    int64_t bytes() override
    {
        return plain_fit<float>::bytes() - (kl ? STRIP_BYTES : 0) + run_bytes(data().most_rows()) +
               (pieces_are_equal() ? 0 : run_bytes(data().last_rows()));
    }

    bool open() override
    {
        if (!plain_fit<float>::open() || !prepare_piece(data().most_rows(), &whole))
            return false;
        last = whole;
        return pieces_are_equal() || prepare_piece(data().last_rows(), &last);
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

    /* A pass with its arguments. */
    template <typename ARGUMENTS> void run_pass(const pass &over, ARGUMENTS p)
    {
        void *arguments[] = {&p};
        if (!failed())
            check(launch_next(over.side.pass,
                              {over.blocks, dim3((unsigned)over.side.threads), over.side.bytes, 0},
                              stream, arguments),
                  "a pass");
    }

    void add_list(float *to, run_list list, int64_t rows, bool adds)
    {
        const unsigned each = (unsigned)(ENTRY_THREADS / kp);
        const int64_t blocks = padded(rows, each) / each;
        int count = (int)rows, columns = kp;
        void *arguments[] = {&to, &list, &count, &columns, &adds};
        if (!failed())
            check(launch_next((const void *)add_runs,
                              {blocks < ENTRY_BLOCKS ? blocks : ENTRY_BLOCKS,
                               dim3((unsigned)kp, each), 0, 0},
                              stream, arguments),
                  "sums");
    }

    const keyed_kind kind;
    piece_passes whole = {}, last = {};

  private:
    bool pieces_are_equal()
    {
        return data().last_rows() == data().most_rows();
    }

    /* Of the sums of a piece's passes. */
    int64_t run_bytes(int64_t rows) const
    {
        return (2 * padded(rows, kind.over_samples.rows) + 2 * padded(m, kind.over_features.rows) +
                LISTED_BLOCKS * kind.over_samples.rows) *
               kp * (int64_t)sizeof(float);
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
            !check(cudaFuncSetAttribute(side.pass,
                                        cudaFuncAttributeMaxDynamicSharedMemorySize, side.bytes),
                   "shared memory"))
            return false;
        const int64_t steps = padded(keys, TILE) / TILE,
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

/* Whether a kind has the rank; coordinate descent is not compiled for every one. */
inline bool has_rank(const keyed_kind &kind, const device_problem &problem)
{
    return problem.rank <= kind.columns && (strcmp(problem.solver, "hals") || kind.columns != 56);
}

#endif
